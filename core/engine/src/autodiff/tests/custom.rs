//! `#[custom_gradient]` from end to end: parameters and outputs of all kinds, orders, errors.

use super::{grad, item};
use crate as tf;
use crate::{DType, ForwardAccumulator, GradientTape, Tensor, Variable, custom_gradient};

/// `tanh`, whose gradient is written by hand and so can be differentiated again.
#[custom_gradient]
fn my_tanh(x: &Tensor) -> Tensor {
    let y = x.tanh();
    let kept = y.clone();
    (y, move |dy: &Tensor| dy * (1.0 - &kept * &kept))
}

/// The identity, whose gradient is scaled: the body's own gradient would be 1.
#[custom_gradient]
fn scaled(x: &Tensor, factor: f32) -> Tensor {
    (x + 0.0, move |dy: &Tensor| dy * factor)
}

#[test]
fn the_closure_replaces_the_bodys_gradient() {
    let x = tf::constant([1.0, -2.0]);
    assert_eq!(scaled(&x, 0.25).to_vec::<f32>(), [1.0, -2.0]);
    assert_eq!(grad(&x, |x| scaled(x, 0.25)).to_vec::<f32>(), [0.25, 0.25]);
    // In the middle of a chain it gets the cotangent from above and hands its own below.
    let chained = grad(&x, |x| scaled(&(x * 3.0), 0.25) * 2.0);
    assert_eq!(chained.to_vec::<f32>(), [1.5, 1.5]);
}

#[test]
fn the_gradient_is_differentiable_itself() {
    for value in [0.3f32, -1.2] {
        let x = tf::constant(value);
        let built_in = |x: &Tensor| x.tanh();
        let orders = |f: &dyn Fn(&Tensor) -> Tensor| {
            let first = |x: &Tensor| grad(x, f);
            let second = |x: &Tensor| grad(x, first);
            let third = |x: &Tensor| grad(x, second);
            [item(&first(&x)), item(&second(&x)), item(&third(&x))]
        };
        let (ours, theirs) = (orders(&|x| my_tanh(x)), orders(&built_in));
        for (a, b) in ours.iter().zip(theirs) {
            assert!((a - b).abs() < 1e-5, "{ours:?} against {theirs:?}");
        }
    }
}

#[custom_gradient]
fn weighted(a: &Tensor, weight: f32, b: Tensor, flag: bool) -> (Tensor, Tensor) {
    let sum = a + &b;
    let kept = b.clone();
    let product = a * b;
    ((sum, product), move |ds: &Tensor, dp: &Tensor| {
        let by_a = ds * weight + dp * &kept;
        (by_a, if flag { Some(dp * a) } else { None })
    })
}

#[test]
fn several_parameters_outputs_and_host_values() {
    let (a, b) = (tf::constant(2.0), tf::constant(5.0));
    let run = |flag: bool| {
        let mut tape = GradientTape::persistent();
        tape.watch([&a, &b]);
        let (sum, product) = weighted(&a, 10.0, b.clone(), flag);
        (tape, sum, product)
    };
    let (tape, sum, product) = run(true);
    assert_eq!((item(&sum), item(&product)), (7.0, 10.0));
    let (da, db) = tape.gradient([&sum, &product], (&a, &b));
    assert_eq!((item(&da), item(&db)), (15.0, 2.0));
    // The output that nothing flows into counts as zeros.
    assert_eq!(item(&tape.gradient(&product, &a)), 5.0);
    let (tape, _, product) = run(false);
    assert!(tape.gradient_or_none(&product, &b).is_none());
}

#[custom_gradient]
fn total(parts: &[Tensor], last: Option<&Tensor>, both: [&Tensor; 2]) -> Tensor {
    let mut sum = both[0] + both[1];
    for part in parts {
        sum += part;
    }
    if let Some(last) = last {
        sum += last;
    }
    let count = parts.len();
    (sum, move |dy: &Tensor| {
        let each: Vec<Tensor> = (0..count).map(|i| dy * i as f64).collect();
        (each, dy * 100.0, [Some(dy * 200.0), None])
    })
}

#[test]
fn lists_options_and_arrays_of_parameters() {
    let parts = vec![tf::constant(1.0), tf::constant(2.0), tf::constant(3.0)];
    let (last, c, d) = (tf::constant(4.0), tf::constant(5.0), tf::constant(6.0));
    let mut tape = GradientTape::persistent();
    tape.watch(&parts);
    tape.watch([&last, &c, &d]);
    let y = total(&parts, Some(&last), [&c, &d]);
    assert_eq!(item(&y), 21.0);
    let got = tape.gradient(&y, &parts);
    let numbers: Vec<f32> = (0..3).map(|i| item(&got.get(i).unwrap())).collect();
    assert_eq!(numbers, [0.0, 1.0, 2.0]);
    assert_eq!(item(&tape.gradient(&y, &last)), 100.0);
    assert_eq!(item(&tape.gradient(&y, &c)), 200.0);
    assert!(tape.gradient_or_none(&y, &d).is_none());
    let z = total(&parts, None, [&c, &d]);
    assert_eq!(item(&tape.gradient(&z, &parts[2])), 2.0);
}

#[custom_gradient]
fn halves(x: &Tensor) -> Vec<Tensor> {
    (vec![x * 0.5, x * 0.5], |dys: &[Tensor]| &dys[0] * 3.0 + &dys[1])
}

#[test]
fn a_list_of_outputs() {
    let x = tf::constant(8.0);
    let y = grad(&x, |x| {
        let both = halves(x);
        &both[0] + &both[1] * 10.0
    });
    assert_eq!(item(&y), 13.0);
}

#[custom_gradient]
fn branches(x: &Tensor, how: usize) -> tf::Result<Tensor> {
    if how == 0 {
        return Ok((x * 1.0, |dy| dy * 10.0));
    }
    let twice = tf::try_add(x, x)?;
    match how {
        1 => Ok((twice, |dy| dy * 20.0)),
        2 => {
            let gradient = |dy: &Tensor| tf::try_multiply(dy, x);
            Ok((twice, gradient))
        }
        _ => Err(tf::Error::invalid_argument("branches", "no such branch")),
    }
}

#[test]
fn branches_returns_and_errors() {
    let x = tf::constant(4.0);
    for (how, expected) in [(0, 10.0), (1, 20.0), (2, 4.0)] {
        assert_eq!(item(&grad(&x, |x| branches(x, how).unwrap())), expected);
    }
    assert!(branches(&x, 3).is_err());
}

#[custom_gradient]
fn outer(x: &Tensor) -> Tensor {
    let y = scaled(x, 7.0);
    (&y * &y, move |dy: &Tensor| scaled(&(dy * &y), 3.0))
}

#[test]
fn nested_custom_gradients() {
    let x = tf::constant(2.0);
    // First order: dy * y. Second: the closure's `scaled` gives 3, the inner function's 7.
    assert_eq!(item(&grad(&x, outer)), 2.0);
    assert_eq!(item(&grad(&x, |x| grad(x, outer))), 21.0);
}

#[custom_gradient]
fn generic<T>(#[differentiable] x: &impl tf::Differentiable, y: Tensor, by: T) -> Tensor
where
    T: Into<f64> + Copy + 'static,
{
    let _ = x.handle();
    (y * by.into(), move |dy: &Tensor| ((), dy * by.into() * 2.0))
}

#[custom_gradient]
fn not_by_labels(x: &Tensor, #[host] labels: &Tensor) -> Tensor {
    (x * labels, move |dy: &Tensor| dy * labels)
}

#[test]
fn generic_functions_and_marks() {
    let x = tf::constant(2.0);
    assert_eq!(item(&grad(&x, |x| generic(&Variable::new(1.0), x.clone(), 3i32))), 6.0);
    let labels = tf::constant(5.0);
    assert_eq!(item(&grad(&x, |x| not_by_labels(x, &labels))), 5.0);
    let mut tape = GradientTape::new();
    tape.watch([&x, &labels]);
    let y = not_by_labels(&x, &labels);
    assert!(tape.gradient_or_none(&y, &labels).is_none());
}

#[test]
fn forward_mode_follows_the_closure() {
    let x = tf::constant(0.3);
    let forward = ForwardAccumulator::new(&x, &tf::constant(2.0));
    let y = scaled(&x, 7.0);
    assert_eq!(item(&forward.jvp(&y).unwrap()), 14.0);
    let (ours, theirs) = (my_tanh(&x), x.tanh());
    assert!((item(&forward.jvp(&ours).unwrap()) - item(&forward.jvp(&theirs).unwrap())).abs() < 1e-6);
}

#[custom_gradient]
fn captures(x: &Tensor, by: &Capture) -> Tensor {
    (x * &by.0, |dy| dy * 100.0)
}

struct Capture(Tensor);

#[test]
fn a_tape_that_follows_no_parameter_sees_the_body() {
    let (x, z) = (tf::constant(2.0), Capture(tf::constant(3.0)));
    let mut tape = GradientTape::new();
    tape.watch(&z.0);
    let y = captures(&x, &z);
    assert_eq!(item(&tape.gradient(&y, &z.0)), 2.0);
    let forward = ForwardAccumulator::new(&z.0, &tf::constant(1.0));
    assert_eq!(item(&forward.jvp(&captures(&x, &z)).unwrap()), 2.0);
}

#[custom_gradient]
fn wrong_type(first: &Tensor, second: &[Tensor]) -> Tensor {
    (first + &second[0] + &second[1], |dy| (dy.clone(), vec![dy.clone(), dy.cast(DType::F64)]))
}

#[custom_gradient]
fn wrong_count(first: &Tensor, second: &[Tensor]) -> Tensor {
    (first + &second[0] + &second[1], |dy| (dy.clone(), vec![dy.clone()]))
}

#[test]
fn wrong_answers_name_function_and_parameter() {
    let (x, list) = (tf::constant(1.0), [tf::constant(1.0), tf::constant(2.0)]);
    let fault = |f: &dyn Fn() -> Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(&list);
        let y = f();
        tape.try_gradient(&y, [&list[0], &list[1]]).unwrap_err().to_string()
    };
    let error = fault(&|| wrong_type(&x, &list));
    assert!(error.contains("wrong_type") && error.contains("`second[1]`") && error.contains("float64"), "{error}");
    let error = fault(&|| wrong_count(&x, &list));
    assert!(error.contains("wrong_count") && error.contains("`second`"), "{error}");
}

#[test]
fn results_have_an_identity_of_their_own() {
    #[custom_gradient]
    fn same(x: &Tensor) -> Tensor {
        (x.clone(), |dy| dy * 5.0)
    }
    let x = tf::constant(1.0);
    assert_eq!(item(&grad(&x, same)), 5.0);
    // The parameter itself is still itself.
    assert_eq!(
        item(&grad(&x, |x| {
            let _ = same(x);
            x * 2.0
        })),
        2.0
    );
    // As where no tape has begun: what a later one watches is the result alone.
    let y = same(&x);
    let mut tape = GradientTape::new();
    tape.watch(&y);
    let z = &x * &y;
    assert_eq!(item(&tape.gradient(&z, &y)), 1.0);
}
