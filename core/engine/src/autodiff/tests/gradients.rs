//! What gradients are asked for and what is answered: sources and targets of all kinds, missing paths, watching.

use super::{grad, item};
use crate as tf;
use crate::{DType, GradientOptions, GradientTape, Tensor, UnconnectedGradients, Variable};

fn tape_on(x: &Tensor) -> GradientTape {
    let mut tape = GradientTape::new();
    tape.watch(x);
    tape
}

#[test]
fn three_nested_tapes_give_the_third_order() {
    let x = tf::constant(2.0);
    let quartic = |x: &Tensor| x * x * x * x;
    assert_eq!(item(&grad(&x, quartic)), 32.0);
    assert_eq!(item(&grad(&x, |x| grad(x, quartic))), 48.0);
    assert_eq!(item(&grad(&x, |x| grad(x, |x| grad(x, quartic)))), 48.0);
}

#[test]
fn a_gradient_inside_a_persistent_tapes_block_is_recorded() {
    let x = tf::constant(3.0);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let y = &x * &x * &x;
    let first = tape.gradient(&y, &x);
    let second = tape.gradient(&first, &x);
    let third = tape.gradient(&second, &x);
    assert_eq!([item(&first), item(&second), item(&third)], [27.0, 18.0, 6.0]);
    // What was recorded before is still there.
    assert_eq!(item(&tape.gradient(&y, &x)), 27.0);
    // Several targets inside the block as well.
    assert_eq!(item(&tape.gradient([&y, &first], &x)), 45.0);
}

#[test]
fn variables_read_before_an_assign() {
    let v = Variable::new(3.0);
    let tape = GradientTape::new();
    let old = v.value();
    v.assign(tf::constant(10.0));
    let y = &old * &old + &v * 100.0;
    // The old read's value is 3, and both reads lead to the variable.
    assert_eq!(item(&tape.gradient(&y, &v)), 106.0);

    let tape = GradientTape::new();
    v.assign(tf::constant(2.0));
    let before = &v * &v;
    v.assign_add(tf::constant(3.0));
    let after = &v * &v;
    assert_eq!(item(&tape.gradient([&before, &after], &v)), 14.0);
}

#[test]
fn no_gradient_flows_through_an_assign() {
    let (v, x) = (Variable::new(1.0), tf::constant(2.0));
    let tape = tape_on(&x);
    v.assign(&x * 3.0);
    let y = &v * 5.0;
    assert!(tape.gradient_or_none(&y, &x).is_none());
}

#[test]
fn a_missing_gradient_names_operation_and_line() {
    let x = tf::constant([1.0, 5.0, 2.0]);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let line = line!() + 1;
    let best = tf::argmax(&x, 0);
    let y = best.cast(DType::F32) * 2.0;
    assert!(tape.gradient_or_none(&y, &x).is_none());
    let error = tape.try_gradient(&y, &x).unwrap_err().to_string();
    assert!(error.contains("argmax") && error.contains(&format!("{}:{line}", file!())), "{error}");
    // The target depends on another source, but on this one only behind the cut.
    let w = tf::constant(2.0);
    tape.watch(&w);
    let z = &y * &w;
    let error = tape.try_gradient(&z, [&w, &x]).unwrap_err().to_string();
    assert!(error.contains("source 1") && error.contains("argmax"), "{error}");
    let listed = tape.gradient(&z, &[w.clone(), x.clone()][..]);
    assert!(listed.get(0).is_some() && listed.get(1).is_none());
    assert!(listed.reason(0).is_none() && listed.reason(1).unwrap().contains("argmax"));
}

#[test]
fn the_reason_is_known_when_a_tape_was_consumed() {
    let (x, w) = (tf::constant(1.5), tf::constant(2.0));
    let mut tape = tape_on(&x);
    tape.watch(&w);
    let y = (&x * 2.0).cast(DType::I32).cast(DType::F32) * &w;
    let error = tape.try_gradient(&y, [&w, &x]).unwrap_err().to_string();
    assert!(error.contains("cast") && error.contains(file!()), "{error}");
}

#[test]
fn other_reasons_for_a_missing_gradient() {
    let (x, y) = (tf::constant(1.0), tf::constant(2.0));
    let tape = tape_on(&x);
    let z = &x * 2.0;
    let error = tape.try_gradient(&z, &y).unwrap_err().to_string();
    assert!(error.contains("watch"), "{error}");
    let integers = tf::constant([1, 2]);
    let mut tape = tape_on(&x);
    tape.watch(&integers);
    let z = integers.cast(DType::F32) * &x;
    let error = tape.try_gradient(&z, &integers).unwrap_err().to_string();
    assert!(error.contains("not floating-point"), "{error}");
    let mut tape = tape_on(&x);
    tape.watch(&y);
    let z = &x * 2.0;
    let error = tape.try_gradient(&z, &y).unwrap_err().to_string();
    assert!(error.contains("was not computed from it"), "{error}");
}

#[test]
fn integer_targets_are_refused() {
    let x = tf::constant(1.5);
    let tape = tape_on(&x);
    let n = x.cast(DType::I32);
    let error = tape.try_gradient(&n, &x).unwrap_err();
    assert!(matches!(error, tf::Error::InvalidArgument(_)) && error.to_string().contains(file!()), "{error}");
}

#[test]
fn unconnected_sources_may_be_zeros() {
    let (x, y) = (tf::constant(1.0), tf::constant([[1.0, 2.0]]));
    let v = Variable::new([1.0f32, 2.0, 3.0]);
    let mut tape = tape_on(&x);
    tape.watch(&y);
    let z = &x * 2.0;
    let zero = GradientOptions::new().unconnected_gradients(UnconnectedGradients::Zero);
    let (dx, dy, dv) = tape.gradient_with(&z, (&x, &y, &v), &zero);
    assert_eq!((item(&dx), dy.shape().dims(), dv.to_vec::<f32>()), (2.0, &[1, 2][..], vec![0.0; 3]));
}

#[test]
fn several_targets_add_up_and_take_output_gradients() {
    let x = tf::constant([1.0, 2.0]);
    let run = |options: &GradientOptions| {
        let tape = tape_on(&x);
        let (a, b) = (&x * &x, &x * 3.0);
        tape.try_gradient_with([&a, &b], &x, options).map(|g| g.to_vec::<f32>())
    };
    assert_eq!(run(&GradientOptions::new()).unwrap(), [5.0, 7.0]);
    let given = |list: Vec<Tensor>| GradientOptions::new().output_gradients(list);
    let weights = given(vec![tf::constant([10.0, 20.0]), tf::constant([0.0, 1.0])]);
    assert_eq!(run(&weights).unwrap(), [20.0, 83.0]);
    assert!(run(&given(vec![tf::constant([1.0, 2.0])])).is_err(), "one for two targets");
    assert!(run(&given(vec![tf::constant(1.0), tf::constant([1.0, 2.0])])).is_err(), "another shape");
}

#[test]
fn sources_that_are_intermediate_results_or_targets() {
    let x = tf::constant(2.0);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let y = &x * &x;
    let z = &y * &y + &y;
    let (dx, dy, dz) = tape.gradient(&z, (&x, &y, &z));
    assert_eq!([item(&dx), item(&dy), item(&dz)], [36.0, 9.0, 1.0]);
    // A source before the one that was asked for first, and the same one twice.
    let [first, second] = tape.gradient(&z, [&y, &y]);
    assert_eq!([item(&first), item(&second)], [9.0, 9.0]);
    assert_eq!(item(&tape.gradient(&y, &y)), 1.0);
    // A target that leads to another target.
    assert_eq!(item(&tape.gradient([&z, &y], &x)), 40.0);
}

#[test]
fn a_variable_is_read_many_times() {
    let v = Variable::new(3.0);
    let tape = GradientTape::new();
    let y = (&v * &v) * &v;
    assert_eq!(tape.watched_variables().len(), 1);
    assert_eq!(item(&tape.gradient(&y, &v)), 27.0);
    // The value itself watched as a tensor does not hide the variable.
    let mut tape = GradientTape::unwatched();
    let value = v.value();
    tape.watch(&value);
    tape.watch(&v);
    let y = &v * 2.0;
    assert_eq!(item(&tape.gradient(&y, &v)), 2.0);
}

#[test]
fn watching_and_not_watching() {
    let (v, still) = (Variable::new(2.0), Variable::with(5.0, "still", false));
    let tape = GradientTape::unwatched();
    let y = &v * &v;
    assert!(tape.gradient_or_none(&y, &v).is_none());
    let mut tape = GradientTape::unwatched();
    tape.watch(&v);
    let y = &v * &v;
    assert_eq!(item(&tape.gradient(&y, &v)), 4.0);
    let tape = GradientTape::new();
    let y = &still * 2.0;
    assert!(tape.watched_variables().is_empty());
    assert!(tape.gradient_or_none(&y, &still).is_none());
    let mut tape = GradientTape::new();
    tape.watch(&still);
    let y = &still * 2.0;
    assert_eq!(item(&tape.gradient(&y, &still)), 2.0);
}

#[test]
fn reset_and_stop_recording() {
    let x = tf::constant(3.0);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = &x * &x;
    tape.reset();
    tape.watch(&x);
    let z = &x * 5.0;
    let both = tape.gradient([&y, &z], &x);
    assert_eq!(item(&both), 5.0, "what came before the reset is forgotten");

    let tape = tape_on(&x);
    let stop = tape.stop_recording();
    let y = &x * &x;
    drop(stop);
    let z = &x * 2.0 + &y;
    assert_eq!(item(&tape.gradient(&z, &x)), 2.0);
}

#[test]
fn views_and_reused_memory_keep_what_the_tape_saved() {
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    let tape = tape_on(&x);
    let turned = tf::transpose(&x, [1, 0]);
    let y = tf::reduce_sum(&turned * &turned, ());
    assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [2.0, 4.0, 6.0, 8.0]);

    // `a` is saved by the product; changing it in place must not change what was saved.
    let large = |v: f32| tf::fill([64, 64], v);
    let x = large(3.0);
    let tape = tape_on(&x);
    let mut a = &x * 1.0;
    let product = &a * &a;
    a += &large(100.0);
    let y = tf::reduce_sum(&product + &a, ());
    assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), vec![7.0; 64 * 64]);
    assert_eq!(a.to_vec::<f32>()[0], 103.0);

    // A tensor that the caller gives up while the tape holds it.
    let tape = tape_on(&x);
    let squared = &x * &x;
    let cubed = squared.clone() * &x;
    let result = squared + &cubed;
    assert_eq!(tape.gradient(&result, &x).to_vec::<f32>()[0], 6.0 + 27.0);
}

#[test]
fn cotangents_that_are_handed_out_are_not_written_over() {
    let x = tf::fill([64, 64], 2.0);
    let tape = tape_on(&x);
    let y = &x + 1.0;
    let z = &y + &y;
    let seed = tf::fill([64, 64], 1.0);
    let options = GradientOptions::new().output_gradients([seed.clone()]);
    let (dx, dy, dz) = tape.gradient_with(&z, (&x, &y, &z), &options);
    let first = |t: &Tensor| t.to_vec::<f32>()[17];
    assert_eq!([first(&dx), first(&dy), first(&dz), first(&seed)], [2.0, 2.0, 1.0, 1.0]);
}

#[test]
fn broadcasting_is_undone_for_each_source() {
    let (a, b) = (tf::constant([[1.0], [2.0]]), tf::constant([10.0, 20.0, 30.0]));
    let mut tape = tape_on(&a);
    tape.watch(&b);
    let y = &a * &b;
    let (da, db) = tape.gradient(&y, (&a, &b));
    assert_eq!((da.shape().dims(), da.to_vec::<f32>()), (&[2, 1][..], vec![60.0, 60.0]));
    assert_eq!((db.shape().dims(), db.to_vec::<f32>()), (&[3][..], vec![3.0, 3.0, 3.0]));
}

#[test]
fn a_persistent_tape_keeps_what_it_recorded_of_a_gradient_for_as_long_as_the_answer() {
    let x = tf::constant(1.5);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let y = &x * &x * &x;
    let size = |tape: &crate::PersistentTape| {
        let data = tape.0.0.borrow();
        (data.log.len(), data.count, data.walks.len())
    };
    let ask = || assert_eq!(item(&tape.gradient(&y, &x)), 6.75);
    ask();
    let once = size(&tape);
    (0..20).for_each(|_| ask());
    assert_eq!(size(&tape), once, "answers that are dropped leave nothing");
    // A gradient that is held can be differentiated again, also when others were asked for in between.
    let slope = tape.gradient(&y, &x);
    (0..20).for_each(|_| ask());
    assert_eq!(item(&tape.gradient(&slope, &x)), 9.0);
    let doubled = &slope * 2.0;
    drop(slope);
    (0..3).for_each(|_| ask());
    assert_eq!(item(&tape.gradient(&doubled, &x)), 18.0);
    // What is asked anew has the slots of what went, and its own answers.
    let jacobian = || tape.jacobian(&(&y * 1.0), &x);
    assert_eq!((item(&jacobian()), item(&jacobian())), (6.75, 6.75));
}

#[test]
fn lent_lists_of_references() {
    let (a, b) = (tf::constant(2.0), tf::constant(3.0));
    let watched = || {
        let mut tape = GradientTape::new();
        tape.watch([&a, &b]);
        tape
    };
    let tape = watched();
    let y = &a * &b;
    let gradients = tape.gradient(&y, &[&a, &b]);
    assert_eq!(gradients.iter().map(|g| g.unwrap().item::<f32>()).collect::<Vec<_>>(), [3.0, 2.0]);
    // Of targets, too, whose gradients add up.
    let both = |ask: &dyn Fn(GradientTape, &Tensor, &Tensor) -> Tensor| {
        let tape = watched();
        let (y, z) = (&a * &b, &a * 10.0);
        ask(tape, &y, &z).item::<f32>()
    };
    assert_eq!(both(&|tape, y, z| tape.gradient([y, z], &a)), 13.0);
    assert_eq!(both(&|tape, y, z| tape.gradient(&[y, z], &a)), 13.0);
    assert_eq!(both(&|tape, y, z| tape.gradient(&[y, z][..], &a)), 13.0);
    assert_eq!(both(&|tape, y, z| tape.gradient(&[y.clone(), z.clone()], &a)), 13.0);
    assert_eq!(both(&|tape, y, z| tape.gradient(&vec![y.clone(), z.clone()], &a)), 13.0);
    let (v, w) = (Variable::new(2.0), Variable::new(3.0));
    let tape = GradientTape::new();
    let y = &v * &w;
    let gradients = tape.gradient(&y, &[v.clone(), w.clone()]);
    assert_eq!(gradients.get(1).unwrap().item::<f32>(), 2.0);
}
