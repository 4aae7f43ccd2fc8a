//! Slices, steps, reversals and transpositions against ndarray's, alone and one on top of the other.
//! None of them copies; the element-wise operation at the end of each chain reads through the layout.

use crate::{array, same, tensor};
use eagerflow as tf;
use eagerflow_tests::random::{Random, property};
use ndarray::{ArrayD, Axis, Slice};
use tf::Tensor;

/// One random view of a tensor and of an array.
fn view(random: &mut Random, x: Tensor, a: ArrayD<f64>) -> (Tensor, ArrayD<f64>) {
    match random.below(4) {
        0 => sliced(random, &x, a),
        1 => stepped(random, &x, a),
        2 => {
            let order = random.permutation(a.ndim());
            let perm: Vec<isize> = order.iter().map(|&o| o as isize).collect();
            // An empty order would mean the reverse.
            if perm.is_empty() { (x, a) } else { (tf::transpose(&x, perm), a.permuted_axes(order)) }
        }
        _ => {
            let axis = random.below(a.ndim() + 1);
            if a.ndim() == 6 { (x, a) } else { (tf::expand_dims(&x, axis as isize), a.insert_axis(Axis(axis))) }
        }
    }
}

fn sliced(random: &mut Random, x: &Tensor, mut a: ArrayD<f64>) -> (Tensor, ArrayD<f64>) {
    let (mut begin, mut size) = (Vec::new(), Vec::new());
    for axis in 0..a.ndim() {
        let len = a.shape()[axis];
        let from = random.below(len + 1);
        let count = random.below(len - from + 1);
        a.slice_axis_inplace(Axis(axis), Slice::from(from..from + count));
        begin.push(from as isize);
        size.push(if from + count == len && random.one_in(2) { -1 } else { count as isize });
    }
    (tf::slice(x, begin, size), a)
}

/// `x[begin:end:step]` along each axis, with negative ends and steps and ends beyond the tensor, as in Python.
fn stepped(random: &mut Random, x: &Tensor, mut a: ArrayD<f64>) -> (Tensor, ArrayD<f64>) {
    let (mut begin, mut end, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    for axis in 0..a.ndim() {
        let len = a.shape()[axis] as isize;
        let step = *random.pick(&[1, 1, 2, 3, -1, -2, -3]);
        let (from, to) = (random.between(-len - 2, len + 2), random.between(-len - 2, len + 2));
        let chosen = python_range(from, to, step, len);
        a = a.select(Axis(axis), &chosen);
        begin.push(from);
        end.push(to);
        strides.push(step);
    }
    (tf::strided_slice(x, begin, end, strides, tf::SliceMasks::default()), a)
}

/// The indices that Python's `from:to:step` names in a row of `len`.
fn python_range(from: isize, to: isize, step: isize, len: isize) -> Vec<usize> {
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clamp = |i: isize| if i < 0 { (i + len).max(low) } else { i.min(high) };
    let (mut at, to) = (clamp(from), clamp(to));
    let mut chosen = Vec::new();
    while step > 0 && at < to || step < 0 && at > to {
        chosen.push(at as usize);
        at += step;
    }
    chosen
}

#[test]
fn chains_of_views_are_ndarrays() {
    property("views", 600, |random| {
        let shape = random.shape(4, 5);
        let a = array(random, &shape);
        let x = tensor(random, &a);
        let (mut x, mut a) = (x, a);
        for _ in 0..random.below(4) {
            (x, a) = view(random, x, a);
        }
        same(&x, &a);
        same(&tf::neg(&x), &a.mapv(|v| 0.0 - v).mapv(|v| if v == 0.0 { 0.0 } else { v }));
        same(&tf::square(&x), &a.mapv(|v| v * v));
    });
}

#[test]
fn reshape_of_a_view_keeps_its_order() {
    property("reshape", 200, |random| {
        let shape = random.shape(4, 4);
        let a = array(random, &shape);
        let x = tensor(random, &a);
        let (x, a) = view(random, x, a);
        let flat = tf::reshape(&x, [a.len() as isize]);
        assert_eq!(flat.to_vec::<f64>(), a.iter().copied().collect::<Vec<_>>());
        let back: Vec<isize> = a.shape().iter().map(|&d| d as isize).collect();
        same(&tf::reshape(&flat, back), &a);
    });
}

#[test]
fn gradients_of_views_lie_where_the_elements_came_from() {
    property("view gradient", 150, |random| {
        let shape = random.shape(4, 4);
        let a = array(random, &shape);
        let x = tensor(random, &a);
        // Number the elements: the view of the numbers says where each gradient belongs.
        let numbers = ArrayD::from_shape_vec(a.shape(), (0..a.len()).map(|i| i as f64).collect()).expect("it fits");
        let seed = random.bits();
        let (_, kept) = view(&mut Random::new(seed), tensor(random, &numbers), numbers.clone());
        let mut tape = tf::GradientTape::new();
        tape.watch(&x);
        let (y, _) = view(&mut Random::new(seed), x.clone(), a.clone());
        let y = tf::multiply(&y, 3.0);
        let gradient = tape.gradient(&y, &x);
        let mut want = vec![0.0; a.len()];
        kept.iter().for_each(|&i| want[i as usize] += 3.0);
        assert_eq!(gradient.to_vec::<f64>(), want);
    });
}
