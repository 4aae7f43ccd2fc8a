//! Forward accumulators: first and second order, with tapes around and inside, variables, several primals.

use super::item;
use crate as tf;
use crate::{ForwardAccumulator, GradientTape, Tensor, Variable};

fn f(x: &Tensor) -> Tensor {
    tf::reduce_sum(x * x * x, ())
}

#[test]
fn the_product_with_the_jacobian() {
    let (x, v) = (tf::constant([1.0, 2.0, 3.0]), tf::constant([1.0, 0.0, -1.0]));
    let forward = ForwardAccumulator::new(&x, &v);
    let y = tf::tanh(&x) * &x;
    let sum = f(&x);
    assert_eq!(item(&forward.jvp(&sum).unwrap()), 3.0 - 27.0);
    // Against the tape: the sum of gradient times direction.
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let again = tf::tanh(&x) * &x;
    let by_tape = tape.gradient(&again, &x) * &v;
    let jvp = forward.jvp(&y).unwrap().to_vec::<f32>();
    for (a, b) in jvp.iter().zip(by_tape.to_vec::<f32>()) {
        assert!((a - b).abs() < 1e-6, "{a} against {b}");
    }
    assert_eq!(forward.jvp(&x).unwrap().to_vec::<f32>(), v.to_vec::<f32>());
    assert!(forward.jvp(&v).is_none() && forward.jvp(&tf::constant(1.0)).is_none());
    let stopped = tf::argmax(&x, 0).cast(tf::DType::F32);
    assert!(forward.jvp(&stopped).is_none());
}

#[test]
fn forward_over_forward_is_the_second_derivative() {
    let (x, one) = (tf::constant(3.0), tf::constant(1.0));
    let outer = ForwardAccumulator::new(&x, &one);
    let inner = ForwardAccumulator::new(&x, &one);
    let y = &x * &x * &x;
    let first = inner.jvp(&y).unwrap();
    assert_eq!(item(&first), 27.0);
    assert_eq!(item(&outer.jvp(&first).unwrap()), 18.0);
    assert_eq!(item(&outer.jvp(&y).unwrap()), 27.0);
    assert!(inner.jvp(&outer.jvp(&y).unwrap()).is_none(), "an inner one does not follow an outer one's tangents");
}

#[test]
fn forward_over_reverse_is_the_hessian_times_a_vector() {
    let (x, v) = (tf::constant([1.0, 2.0]), tf::constant([3.0, -1.0]));
    let forward = ForwardAccumulator::new(&x, &v);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    // x0^2 x1: the Hessian is [[2 x1, 2 x0], [2 x0, 0]].
    let parts = tf::unstack(&x, 0);
    let y = &parts[0] * &parts[0] * &parts[1];
    let gradient = tape.gradient(&y, &x);
    assert_eq!(gradient.to_vec::<f32>(), [4.0, 1.0]);
    assert_eq!(forward.jvp(&gradient).unwrap().to_vec::<f32>(), [10.0, 6.0]);
}

#[test]
fn reverse_over_forward_agrees() {
    let (x, v) = (tf::constant([1.0, 2.0]), tf::constant([3.0, -1.0]));
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let forward = ForwardAccumulator::new(&x, &v);
    let parts = tf::unstack(&x, 0);
    let y = &parts[0] * &parts[0] * &parts[1];
    let jvp = forward.jvp(&y).unwrap();
    drop(forward);
    assert_eq!(tape.gradient(&jvp, &x).to_vec::<f32>(), [10.0, 6.0]);
}

#[test]
fn variables_and_several_primals() {
    let (w, x) = (Variable::new([1.0, 2.0]), tf::constant([3.0, 4.0]));
    let (dw, dx) = (tf::constant([1.0, 0.0]), tf::constant([0.0, 10.0]));
    let forward = ForwardAccumulator::new(&w, &dw);
    assert_eq!(forward.jvp(&(&w * &x)).unwrap().to_vec::<f32>(), [3.0, 0.0]);
    drop(forward);
    use crate::Differentiable;
    let forward = ForwardAccumulator::try_new(&[(w.handle(), &dw), (&x, &dx)]).unwrap();
    assert_eq!(forward.jvp(&(&w * &x)).unwrap().to_vec::<f32>(), [3.0, 20.0]);
}

#[test]
fn matrix_products_reductions_and_views() {
    let (a, b) = (tf::constant([[1.0, 2.0], [3.0, 4.0]]), tf::constant([[1.0, -1.0], [2.0, 0.5]]));
    let forward = ForwardAccumulator::new(&a, &tf::constant([[1.0, 0.0], [0.0, 1.0]]));
    let y = tf::transpose(&tf::matmul(&a, &b), [1, 0]);
    // d(AB) = dA B = B here, seen transposed.
    assert_eq!(forward.jvp(&y).unwrap().to_vec::<f32>(), [1.0, 2.0, -1.0, 0.5]);
}

#[test]
fn wrong_pairs_are_refused() {
    let x = tf::constant([1.0, 2.0]);
    assert!(ForwardAccumulator::try_new(&[(&x, &tf::constant(1.0))]).is_err());
    assert!(ForwardAccumulator::try_new(&[(&tf::constant(1), &tf::constant(1))]).is_err());
    // A refused one is not left behind.
    assert!(!crate::tensor::local::LOCAL.with(|l| l.has(crate::tensor::local::mode::FORWARD)));
}
