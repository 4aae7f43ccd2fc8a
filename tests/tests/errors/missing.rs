//! Gradients that are missing: each mistake has its own reason and cure, and only an operation on the way is blamed.
//! Tapes answer errors; optimizers warn with the same words.

use eagerflow as tf;
use tf::{GradientTape, Variable};

/// The message for a gradient of `target` by `source` that is missing.
fn reason(tape: GradientTape, target: &tf::Tensor, source: impl tf::Differentiable) -> String {
    let text = tape.try_gradient(target, &source).expect_err("there is no gradient").to_string();
    assert!(text.contains(&format!("at: {}", file!())) && !crate::caught::names_the_library(&text), "{text}");
    text
}

fn has(text: &str, words: &[&str], not: &[&str]) {
    words.iter().for_each(|word| assert!(text.contains(word), "no {word:?} in {text}"));
    not.iter().for_each(|word| assert!(!text.contains(word), "{word:?} in {text}"));
}

#[test]
fn read_before_the_tape() {
    let v = Variable::with(3.0, "early", true);
    let value = v.value();
    let tape = GradientTape::new();
    let loss = &value * &value;
    has(&reason(tape, &loss, &v), &["'early'", "before the tape began", "the variable itself"], &["watch"]);
}

#[test]
fn computed_before_the_tape() {
    let v = Variable::with(3.0, "early", true);
    let (loss, line) = (&v * &v, line!());
    let tape = GradientTape::new();
    let text = reason(tape, &loss, &v);
    has(
        &text,
        &["the target", &format!("{}:{line}", file!()), "before the tape began", "begin the tape first"],
        &["watch"],
    );
    let x = tf::constant(2.0);
    let y = x.square();
    let mut tape = GradientTape::new();
    tape.watch(&x);
    has(&reason(tape, &y, &x), &["the target", "before the tape began"], &["`tape.watch"]);
}

#[test]
fn computed_on_another_thread() {
    let v = Variable::with(3.0, "shared", true);
    let tape = GradientTape::new();
    let there = v.clone();
    let loss = std::thread::spawn(move || &there * &there).join().expect("the thread ends well");
    has(&reason(tape, &loss, &v), &["another thread", "on the thread of the tape"], &["watch"]);
}

#[test]
fn not_trainable() {
    let v = Variable::with(3.0, "frozen", false);
    let tape = GradientTape::new();
    let loss = &v * &v;
    has(&reason(tape, &loss, &v), &["'frozen' is not trainable", "`tape.watch(&variable)`", "make it trainable"], &[]);
    let v = Variable::with(3.0, "free", true);
    let tape = GradientTape::unwatched();
    let loss = &v * &v;
    has(&reason(tape, &loss, &v), &["no variables by itself", "'free'"], &["not trainable"]);
}

#[test]
fn integers() {
    let n = tf::constant(3);
    let mut tape = GradientTape::new();
    tape.watch(&n);
    let loss = n.cast(tf::DType::F32).square();
    has(&reason(tape, &loss, &n), &["int32", "only floats have gradients", "cast(DType::F32)"], &["watch"]);
    let steps = Variable::with(3, "steps", true);
    let tape = GradientTape::new();
    let loss = steps.value().cast(tf::DType::F32).square();
    has(&reason(tape, &loss, &steps), &["int32", "cast(DType::F32)"], &["watch"]);
}

#[test]
fn not_watched() {
    let (x, line) = (tf::constant(3.0), line!());
    let v = Variable::new(1.0);
    let tape = GradientTape::new();
    let loss = &x * &v;
    has(&reason(tape, &loss, &x), &["`tape.watch(&x)`", &format!("made at {}:{line}", file!())], &["trainable"]);
}

#[test]
fn a_cut_beside_the_way_is_not_blamed() {
    let (x, w) = (tf::constant(3.0), tf::constant(2.0));
    let mut tape = GradientTape::new();
    tape.watch([&x, &w]);
    let _metric = tf::stop_gradient(&x * 2.0) + 1.0;
    let loss = w.square();
    has(&reason(tape, &loss, &x), &["not computed from it"], &["stop_gradient"]);
}

#[test]
fn of_two_cuts_that_of_the_source_is_blamed() {
    let (x, y, w) = (tf::constant(3.0), tf::constant(4.0), tf::constant(2.0));
    let watched = || {
        let mut tape = GradientTape::new();
        tape.watch([&x, &y, &w]);
        tape
    };
    let tape = watched();
    let (a, first) = (tf::stop_gradient(&x * 2.0), line!());
    let b = y.cast(tf::DType::I32).cast(tf::DType::F32);
    let loss = (&a + &b).square();
    has(&reason(tape, &loss, &y), &["`cast`", &format!(":{} ", line!() - 2)], &["stop_gradient"]);
    let tape = watched();
    let a = tf::stop_gradient(&x * 2.0);
    let b = y.cast(tf::DType::I32).cast(tf::DType::F32);
    let loss = (&a + &b).square();
    has(&reason(tape, &loss, &x), &["`stop_gradient`", &format!(":{} ", line!() - 3)], &["`cast`"]);
    assert!(first > 0);
    // The target is followed by way of `w`, and still lies behind the cut of `x`.
    let tape = watched();
    let a = tf::stop_gradient(&x * 2.0);
    let loss = (&a + 1.0) * &w;
    has(&reason(tape, &loss, &x), &["`stop_gradient`", &format!(":{} ", line!() - 2)], &[]);
    // Behind a cut that what comes later uses, but the target does not.
    let tape = watched();
    let half = &w * 0.5;
    let a = tf::stop_gradient(&x * 2.0);
    let _other = &a * &half;
    let loss = half.square();
    has(&reason(tape, &loss, &x), &["not computed from it"], &["stop_gradient"]);
}

#[test]
fn what_a_walk_records_itself_is_no_cut_of_others() {
    let (x, w) = (tf::constant([3.0, 1.0]), tf::constant(2.0));
    let mut tape = GradientTape::persistent();
    tape.watch([&x, &w]);
    let first = tf::stop_gradient(&x * 2.0) * &w;
    let line = line!() - 1;
    let greatest = tf::reduce_max(&x * &w, ());
    // This gradient compares, which stops gradients, and the tape records it.
    let slope = tape.gradient(&greatest, &x);
    let second = tf::reduce_sum(&slope, ()) + &w;
    let third = w.cast(tf::DType::I32).cast(tf::DType::F32) + &greatest;
    for _ in 0..2 {
        let text = tape.try_gradient(&first, &x).expect_err("cut").to_string();
        has(&text, &["`stop_gradient`", &format!(":{line} ")], &[]);
        assert_eq!(tape.gradient(&second, &w).item::<f32>(), 2.0);
        assert_eq!(tape.gradient(&third, &w).item::<f32>(), 3.0);
        let text = tape.try_gradient(&w.square(), &x).expect_err("not connected").to_string();
        has(&text, &["not computed from it"], &["stop_gradient", "equal", "cast"]);
    }
}

#[test]
fn persistent_tapes_blame_the_same() {
    let (x, w) = (tf::constant(3.0), tf::constant(2.0));
    let mut tape = GradientTape::persistent();
    tape.watch([&x, &w]);
    let a = tf::stop_gradient(&x * 2.0);
    let behind = &a * &w;
    let beside = w.square();
    for _ in 0..2 {
        let text = tape.try_gradient(&behind, &x).expect_err("cut").to_string();
        has(&text, &["`stop_gradient`"], &[]);
        let text = tape.try_gradient(&beside, &x).expect_err("not connected").to_string();
        has(&text, &["not computed from it"], &["stop_gradient"]);
    }
}
