//! Joins and cuts undo each other: concat and split, stack and unstack, pad and slice, reverse twice, tile.
//! Random axes and sizes, empty parts included.

use crate::{array, same, tensor};
use eagerflow as tf;
use eagerflow_tests::random::{Random, property};
use ndarray::Axis;
use tf::Tensor;

/// A shape of at least one axis, and one of its axes.
fn shape_and_axis(random: &mut Random) -> (Vec<usize>, usize) {
    let mut shape = random.shape(3, 4);
    shape.push(1 + random.below(4));
    let axis = random.below(shape.len());
    (shape, axis)
}

#[test]
fn split_undoes_concat() {
    property("concat", 200, |random| {
        let (shape, axis) = shape_and_axis(random);
        let parts: Vec<_> = (0..1 + random.below(4))
            .map(|_| {
                let mut own = shape.clone();
                own[axis] = random.below(4);
                array(random, &own)
            })
            .collect();
        let tensors: Vec<Tensor> = parts.iter().map(|a| tensor(random, a)).collect();
        let named = if random.one_in(2) { axis as isize } else { axis as isize - shape.len() as isize };
        let whole = tf::concat(&tensors, named);
        let views: Vec<_> = parts.iter().map(|a| a.view()).collect();
        same(&whole, &ndarray::concatenate(Axis(axis), &views).expect("they fit"));
        let sizes: Vec<isize> = parts.iter().map(|a| a.shape()[axis] as isize).collect();
        for (got, want) in tf::split(&whole, sizes, named).iter().zip(&parts) {
            same(got, want);
        }
    });
}

#[test]
fn unstack_undoes_stack() {
    property("stack", 200, |random| {
        let shape = random.shape(4, 4);
        let axis = random.below(shape.len() + 1);
        let parts: Vec<_> = (0..1 + random.below(4)).map(|_| array(random, &shape)).collect();
        let tensors: Vec<Tensor> = parts.iter().map(|a| tensor(random, a)).collect();
        let whole = tf::stack(&tensors, axis as isize);
        let views: Vec<_> = parts.iter().map(|a| a.view()).collect();
        same(&whole, &ndarray::stack(Axis(axis), &views).expect("they fit"));
        for (got, want) in tf::unstack(&whole, axis as isize).iter().zip(&parts) {
            same(got, want);
        }
    });
}

#[test]
fn slice_undoes_pad() {
    property("pad", 200, |random| {
        let shape = random.shape(4, 4);
        let a = array(random, &shape);
        let x = tensor(random, &a);
        let paddings: Vec<[isize; 2]> = shape.iter().map(|_| [random.between(0, 3), random.between(0, 3)]).collect();
        let padded = tf::pad(&x, &paddings, tf::PadMode::Constant);
        let begin: Vec<isize> = paddings.iter().map(|p| p[0]).collect();
        let size: Vec<isize> = shape.iter().map(|&d| d as isize).collect();
        same(&tf::slice(&padded, begin, size), &a);
        assert_eq!(tf::reduce_sum(&padded, ()).item::<f64>(), a.sum());
    });
}

#[test]
fn reversing_twice_and_tiling() {
    property("reverse", 200, |random| {
        let (shape, axis) = shape_and_axis(random);
        let a = array(random, &shape);
        let x = tensor(random, &a);
        let mut turned = a.clone();
        turned.invert_axis(Axis(axis));
        let once = tf::reverse(&x, axis as isize);
        same(&once, &turned);
        same(&tf::reverse(&once, axis as isize), &a);
        let mut multiples = vec![1; shape.len()];
        multiples[axis] = random.below(4);
        let copies = vec![a.view(); multiples[axis]];
        let tiled = tf::tile(&x, multiples.iter().map(|&m| m as isize).collect::<Vec<_>>());
        match copies.is_empty() {
            true => assert_eq!(tiled.num_elements(), 0),
            false => same(&tiled, &ndarray::concatenate(Axis(axis), &copies).expect("they fit")),
        }
    });
}
