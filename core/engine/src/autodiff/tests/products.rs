//! Products that a target is made of, whose gradients are their factors: the walk hands these on instead of multiplying
//! by ones, and tapes keep operands that were given up. Neither may show.

use super::item;
use crate as tf;
use crate::{DType, GradientTape, Tensor, Variable};

/// Gradients by `x` of `x * c` and of `c * x`.
fn both(x: &Tensor, c: &Tensor) -> [Tensor; 2] {
    [true, false].map(|first| {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = if first { x * c } else { c * x };
        tape.gradient(&y, x)
    })
}

#[test]
fn factors_are_the_gradients_for_all_floats() {
    let numbers = [1.5, -0.0, f64::INFINITY, f64::NAN, 1e-300, 65504.0];
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let c = Tensor::from(numbers.to_vec()).cast(dtype);
        let x = tf::ones([6]).cast(dtype);
        let want = (&c * &x).cast(DType::F64).to_vec::<f64>();
        for dx in both(&x, &c) {
            assert_eq!(dx.dtype(), dtype);
            let dx = dx.cast(DType::F64).to_vec::<f64>();
            assert!(dx.iter().zip(&want).all(|(a, b)| a.to_bits() == b.to_bits()), "{dtype}: {dx:?} for {want:?}");
        }
    }
}

#[test]
fn an_answer_is_a_tensor_of_its_own() {
    let (x, c) = (tf::constant([1.0, 2.0]), tf::constant([3.0, 4.0]));
    for dx in both(&x, &c) {
        assert_ne!(dx.id(), c.id());
        // A tape that follows the answer does not follow the factor.
        let mut tape = GradientTape::new();
        tape.watch(&dx);
        let y = &dx * &c;
        assert_eq!(tape.gradient(&y, &dx).to_vec::<f32>(), [3.0, 4.0]);
    }
    let w = Variable::new([3.0, 4.0]);
    let tape = GradientTape::new();
    let y = &w * &x;
    let dw = tape.gradient(&y, &w);
    w.assign_sub(&dw);
    assert_eq!((w.value().to_vec::<f32>(), x.to_vec::<f32>()), (vec![2.0, 2.0], vec![1.0, 2.0]));
}

#[test]
fn one_tensor_in_several_places() {
    let x = tf::constant([3.0, -2.0]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = &x * &x;
    assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [6.0, -4.0]);
    // The target is a source too, or is given twice, or feeds another target.
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = &x * 2.0;
    let (dx, dy) = tape.gradient(&y, (&x, &y));
    assert_eq!((dx.to_vec::<f32>(), dy.to_vec::<f32>()), (vec![2.0; 2], vec![1.0; 2]));
    let gradient = |again: bool| {
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = &x * 2.0;
        let z = &y * &y;
        tape.gradient(if again { [&y, &y] } else { [&y, &z] }, &x).to_vec::<f32>()
    };
    assert_eq!((gradient(true), gradient(false)), (vec![4.0; 2], vec![26.0, -14.0]));
}

#[test]
fn broadcast_factors_are_summed() {
    let (x, c) = (tf::constant(2.0), tf::constant([[1.0, 2.0, 3.0]]));
    for dx in both(&x, &c) {
        assert_eq!((dx.rank(), item(&dx)), (0, 6.0));
    }
    for dc in both(&c, &x) {
        assert_eq!((dc.shape().dims(), dc.to_vec::<f32>()), (&[1, 3][..], vec![2.0; 3]));
    }
}

#[test]
fn gradients_of_gradients_see_the_product() {
    let (x, c) = (tf::constant(3.0), tf::constant(5.0));
    let mut outer = GradientTape::new();
    outer.watch([&x, &c]);
    let mut inner = GradientTape::new();
    inner.watch(&x);
    let y = &x * &c;
    let dx = inner.gradient(&y, &x);
    assert_eq!(item(&dx), 5.0);
    let z = &dx * &dx;
    assert_eq!(item(&outer.gradient(&z, &c)), 10.0);
}

#[test]
fn several_tapes_keep_what_is_given_up() {
    let w = Variable::new([2.0, 3.0]);
    let (outer, inner) = (GradientTape::new(), GradientTape::persistent());
    // Both operands are values of the call's own.
    let y = &w * (&w + 1.0);
    w.assign(tf::constant([100.0, 100.0]));
    assert_eq!(inner.gradient(&y, &w).to_vec::<f32>(), [5.0, 7.0]);
    assert_eq!(inner.gradient(&y, &w).to_vec::<f32>(), [5.0, 7.0]);
    let paused = inner.stop_recording();
    let z = (&y * 1.0) * &y;
    drop(paused);
    drop(inner);
    assert_eq!(outer.gradient(&z, &w).to_vec::<f32>(), [2.0 * 6.0 * 5.0, 2.0 * 12.0 * 7.0]);
}

#[test]
fn the_walk_uses_no_memory_of_the_users() {
    // The sum of two factors may be written over one of them only where nobody else has it.
    let (x, y) = (tf::ones([500]) * 3.0, tf::ones([500]) * 4.0);
    let mut tape = GradientTape::new();
    tape.watch([&x, &y]);
    let target = &x * &y;
    let other = &y * &x;
    let (dx, dy) = tape.gradient([&target, &other], (&x, &y));
    assert_eq!((dx.to_vec::<f32>(), dy.to_vec::<f32>()), (vec![8.0; 500], vec![6.0; 500]));
    assert_eq!((x.to_vec::<f32>(), y.to_vec::<f32>()), (vec![3.0; 500], vec![4.0; 500]));
}
