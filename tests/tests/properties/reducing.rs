//! Reductions over random axes against ndarray's folds, on dense and on strided inputs, kept or dropped axes.
//! The numbers are small and whole, so that sums are exact in any order.

use crate::{array, same, tensor};
use eagerflow as tf;
use eagerflow_tests::random::{Random, property};
use ndarray::{ArrayD, Axis};
use tf::{IntoAxes, keep_dims};

/// Some axes of an array, in random order, and the same with some counted from the end.
fn axes(random: &mut Random, rank: usize) -> (Vec<usize>, Vec<isize>) {
    let chosen: Vec<usize> = random.permutation(rank).into_iter().filter(|_| random.one_in(2)).collect();
    let signed = |&a: &usize| if random.one_in(2) { a as isize } else { a as isize - rank as isize };
    let named = chosen.iter().map(signed).collect();
    (chosen, named)
}

/// A fold over axes that keeps them with size one.
fn fold(array: &ArrayD<f64>, axes: &[usize], start: f64, f: impl Fn(f64, f64) -> f64) -> ArrayD<f64> {
    let step = |a: ArrayD<f64>, &axis: &usize| a.fold_axis(Axis(axis), start, |x, y| f(*x, *y)).insert_axis(Axis(axis));
    axes.iter().fold(array.clone(), step)
}

/// Without the axes that a fold kept.
fn without(mut array: ArrayD<f64>, axes: &[usize]) -> ArrayD<f64> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    for axis in sorted.into_iter().rev() {
        array = array.index_axis_move(Axis(axis), 0);
    }
    array
}

#[test]
fn folds_are_ndarrays() {
    property("reductions", 400, |random| {
        let shape = random.shape(6, 4);
        let a = array(random, &shape);
        let x = tensor(random, &a);
        let (list, named) = axes(random, a.ndim());
        let sum = fold(&a, &list, 0.0, |x, y| x + y);
        same(&tf::reduce_sum(&x, keep_dims(named.clone())), &sum);
        same(&tf::reduce_sum(&x, named.clone()), &without(sum, &list));
        if !a.is_empty() {
            let greatest = fold(&a, &list, f64::NEG_INFINITY, f64::max);
            same(&tf::reduce_max(&x, keep_dims(named.clone())), &greatest);
            let least = fold(&a, &list, f64::INFINITY, f64::min);
            same(&tf::reduce_min(&x, named.clone()), &without(least, &list));
        }
        let any = fold(&a.mapv(|v| f64::from(u8::from(v > 4.0))), &list, 0.0, f64::max);
        let flags = tf::greater(&x, 4.0);
        same(&tf::cast(tf::reduce_any(&flags, keep_dims(named.clone())), tf::DType::F64), &any);
    });
}

#[test]
fn large_reductions_that_threads_share_are_exact_for_whole_numbers() {
    property("large reductions", 4, |random| {
        let shape = [1 + random.below(40), 1 + random.below(300), 1 + random.below(90)];
        let a = array(random, &shape);
        let x = tensor(random, &a);
        for list in [vec![0], vec![1], vec![2], vec![0, 2], vec![0, 1], vec![1, 2], vec![0, 1, 2]] {
            let named: Vec<isize> = list.iter().map(|&i| i as isize).collect();
            let sum = fold(&a, &list, 0.0, |x, y| x + y);
            same(&tf::reduce_sum(&x, keep_dims(named.clone())), &sum);
            let count = list.iter().map(|&i| shape[i]).product::<usize>() as f64;
            same(&tf::reduce_mean(&x, keep_dims(named.into_axes())), &(sum / count));
        }
    });
}
