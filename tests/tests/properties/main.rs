//! Properties against ndarray, on random shapes, axes, slices and layouts; a failing case prints its seed.
//! `EAGERFLOW_HEAVY=1` runs two hundred times as many.

mod broadcasting;
mod joining;
mod reducing;
mod slicing;

use eagerflow::Tensor;
use eagerflow_tests::random::Random;
use ndarray::{ArrayD, IxDyn};

/// A random array of small whole numbers, which sums keep exactly in any order.
fn array(random: &mut Random, shape: &[usize]) -> ArrayD<f64> {
    ArrayD::from_shape_simple_fn(IxDyn(shape), || random.between(-8, 8) as f64)
}

/// The array as a tensor; half of the time as a view over memory in another order of the axes.
fn tensor(random: &mut Random, array: &ArrayD<f64>) -> Tensor {
    let make = |array: &ArrayD<f64>| {
        let data: Vec<f64> = array.iter().copied().collect();
        Tensor::try_from_vec(data, array.shape()).unwrap_or_else(|e| panic!("{e}"))
    };
    if array.ndim() < 2 || random.one_in(2) {
        return make(array);
    }
    let order = random.permutation(array.ndim());
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| inverse[from] = to as isize);
    eagerflow::transpose(make(&array.clone().permuted_axes(order)), inverse)
}

/// Fails unless a tensor has an array's shape and elements.
#[track_caller]
fn same(tensor: &Tensor, array: &ArrayD<f64>) {
    assert_eq!(tensor.shape().dims(), array.shape());
    assert_eq!(tensor.to_vec::<f64>(), array.iter().copied().collect::<Vec<f64>>());
}
