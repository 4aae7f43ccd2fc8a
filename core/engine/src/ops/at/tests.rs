//! Indexing against ndarray's own slicing, its errors, its gradients, and sizes that are not known yet.
//! `slices_are_those_of_ndarray` goes through all combinations of eleven parts.

use kernels::shape::Symbol;
use crate::{self as tf, Dim, Error, GradientTape, Shape, Tensor};
use super::Place;
use ndarray::{Array, ArrayD, NewAxis, SliceInfo, SliceInfoElem, s};

fn counting(sizes: &[usize]) -> (ArrayD<i32>, Tensor) {
    let count = sizes.iter().product::<usize>() as i32;
    let array = Array::from_iter(0..count).into_shape_with_order(sizes).unwrap();
    (array.clone(), Tensor::from(array))
}

#[test]
fn single_indices_drop_dimensions() {
    let (_, x) = counting(&[2, 3, 4]);
    assert_eq!(x.at(1).shape(), [3, 4]);
    assert_eq!(x.at(-2).to_vec::<i32>(), x.at(0).to_vec::<i32>());
    assert_eq!(x.at(1_usize).at(2_i64).at(3_isize).item::<i32>(), 23);
    assert_eq!(x.at([1, -1]).to_vec::<i32>(), [20, 21, 22, 23]);
    assert_eq!(x.at([1_usize, 2, 3]).item::<i32>(), 23);
    assert_eq!(tf::constant(5).at([0; 0]).item::<i32>(), 5);
}

#[test]
fn tensors_pick_rows() {
    let (_, x) = counting(&[3, 2]);
    assert_eq!(x.at(tf::constant(2)).to_vec::<i32>(), [4, 5]);
    assert_eq!(x.at(tf::constant([[2, 0]])).shape(), [1, 2, 2]);
    let error = x.try_at(tf::constant(3)).unwrap_err();
    assert!(matches!(&error, Error::OutOfRange(_)) && error.to_string().contains("at/tests.rs"), "{error}");
    assert!(x.try_at(tf::constant(1.0)).is_err() && tf::constant(1).try_at(tf::constant(0)).is_err());
    assert_eq!(x.at(tf::constant([true, false, true])).to_vec::<i32>(), [0, 1, 4, 5]);
    let text = x.try_at(tf::constant([true, false])).unwrap_err().to_string();
    assert!(text.contains("bool[2]") && text.contains("InvalidArgument: at: the mask"), "{text}");
}

#[test]
#[allow(clippy::reversed_empty_ranges, reason = "negative ends count from the back")]
fn plain_ranges() {
    let (_, x) = counting(&[5, 2]);
    assert_eq!(x.at(1..3).to_vec::<i32>(), [2, 3, 4, 5]);
    assert_eq!(x.at(3..).to_vec::<i32>(), [6, 7, 8, 9]);
    assert_eq!(x.at(..-3).to_vec::<i32>(), [0, 1, 2, 3]);
    assert_eq!(x.at(-2..).to_vec::<i32>(), [6, 7, 8, 9]);
    assert_eq!(x.at(..=1).to_vec::<i32>(), [0, 1, 2, 3]);
    assert_eq!(x.at(4..=-1).to_vec::<i32>(), [8, 9]);
    assert_eq!(x.at(3..-1).to_vec::<i32>(), [6, 7]);
    assert_eq!(x.at(3..1).shape(), [0, 2]);
    assert_eq!(x.at(..).shape(), [5, 2]);
    assert_eq!(x.at(5..).shape(), [0, 2]);
}

/// Every combination of a few parts per dimension answers what ndarray answers.
#[test]
fn slices_are_those_of_ndarray() {
    let part = |start, end, step| SliceInfoElem::Slice { start, end, step };
    let parts = [
        SliceInfoElem::Index(1),
        SliceInfoElem::Index(-1),
        part(0, None, 1),
        part(0, None, -1),
        part(1, None, 2),
        part(0, Some(3), -2),
        part(-2, Some(-1), 1),
        part(2, Some(1), -1),
        part(3, None, -3),
        part(0, None, isize::MAX),
        SliceInfoElem::NewAxis,
    ];
    let (array, x) = counting(&[3, 4, 5]);
    let mut count = 0;
    for a in parts {
        for b in parts {
            for c in parts {
                for d in parts {
                    let all = [a, b, c, d];
                    if all.iter().filter(|p| **p != SliceInfoElem::NewAxis).count() != 3 {
                        continue;
                    }
                    let info = SliceInfo::<_, ndarray::IxDyn, ndarray::IxDyn>::try_from(&all[..]).unwrap();
                    let expected = array.slice(info.as_ref());
                    let ours = x.at(info);
                    assert_eq!(ours.view::<i32>().unwrap(), expected, "{all:?}");
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 4000);
}

#[test]
fn the_macro_in_all_its_forms() {
    let (array, x) = counting(&[3, 4, 5]);
    macro_rules! same {
        ($($slice:expr),*) => {$(
            assert_eq!(x.at($slice).view::<i32>().unwrap(), array.slice($slice).into_dyn());
        )*};
    }
    same!(s![0, 1, 2], s![.., .., ..], s![1.., ..;2, ..-1], s![..;-1, NewAxis, -1, 1..=3], s![0..2, NewAxis, 3, ..;-2]);
    let end = 2;
    same!(s![..end, end, end..]);
    // Fewer than there are dimensions: the others are whole.
    assert_eq!(x.at(s![1, ..2]).shape(), [2, 5]);
    assert_eq!(x.at(s![NewAxis]).shape(), [1, 3, 4, 5]);
    assert_eq!(x.at(s![.., 1..2]).shape(), [3, 1, 5]);
}

#[test]
fn what_lies_outside_is_an_error_with_index_size_and_line() {
    let x = tf::zeros([2, 3]);
    let text = |error: Error| {
        assert!(matches!(error, Error::OutOfRange(_)), "{error}");
        error.to_string()
    };
    for index in [2, -3, i64::MAX as isize] {
        let text = text(x.try_at(index).unwrap_err());
        assert!(text.contains(&format!("index {index} is outside dimension 0 of size 2")), "{text}");
        assert!(text.contains("-2..2") && text.contains("at/tests.rs"), "{text}");
    }
    assert!(text(x.try_at(u64::MAX).unwrap_err()).contains("dimension 0"));
    assert!(text(x.try_at(s![.., 3]).unwrap_err()).contains("index 3 is outside dimension 1 of size 3"));
    for (error, range) in [
        (x.try_at(1..3).unwrap_err(), "1..3"),
        (x.try_at(s![-3..]).unwrap_err(), "-3.."),
        (x.try_at(s![..-3]).unwrap_err(), "0..-3"),
    ] {
        let text = text(error);
        assert!(text.contains("dimension 0 of size 2") && text.contains(range) && text.contains("tests.rs"), "{text}");
    }
    assert!(text(tf::zeros([0]).try_at(0).unwrap_err()).contains("empty"));
    let many = x.try_at([0, 0, 0]).unwrap_err();
    assert!(matches!(&many, Error::InvalidArgument(_)) && many.to_string().contains("3 indices for float32[2, 3]"));
    assert!(tf::constant(1).try_at(0).is_err());
    let still = [SliceInfoElem::Slice { start: 0, end: None, step: 0 }];
    assert!(matches!(x.try_at(&still[..]), Err(Error::InvalidArgument(_))));
    assert!(tf::ones([1; 8]).try_at(s![NewAxis]).is_err(), "nine dimensions");
    let panic = std::panic::catch_unwind(|| tf::zeros([2, 3]).at(7)).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("index 7"));
}

#[test]
fn gradients_lie_where_the_elements_were() {
    let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let corner = x.at(s![1, -1]);
    assert_eq!(tape.gradient(&corner, &x).to_vec::<f32>(), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let strided = x.at(s![..;-1, NewAxis, ..;2]);
    let y = tf::reduce_sum(&strided * &tf::constant([[[1.0, 2.0]], [[3.0, 4.0]]]), ());
    assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [3.0, 0.0, 4.0, 1.0, 0.0, 2.0]);
}

/// Symbolic sizes stay open: no number is read, and the sizes of the result are expressions.
#[test]
fn indices_of_unknown_sizes_become_expressions() {
    let batch = Dim::symbol(0);
    let shape = Shape::from_dims(&[batch, Dim::known(4)]).unwrap();
    let sizes = |f: &dyn Fn(&mut super::Part)| {
        let mut part = super::Part::default();
        f(&mut part);
        (part.begin[0].to_string(), part.size[0].to_string())
    };
    assert_eq!(sizes(&|p| p.single(shape.dim(0), Place::Number(-1)).unwrap()), ("s0-1".into(), "1".into()));
    assert_eq!(sizes(&|p| p.range(shape.dim(0), Place::Number(1), None, 1).unwrap()), ("1".into(), "s0-1".into()));
    assert_eq!(sizes(&|p| p.range(shape.dim(0), Place::Number(0), Some(Place::Number(-2)), -1).unwrap()), ("s0-3".into(), "s0-2".into()));
    let mut part = super::Part::default();
    part.range(batch, Place::Number(0), None, 2).unwrap();
    let bound = part.size[0].bind(&|_: Symbol| Some(5)).unwrap();
    assert_eq!(bound, Dim::known(3));
}
