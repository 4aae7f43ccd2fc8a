//! Sizes that are values: numbers of integer tensors, and what is reckoned with `tf::shape`, where shapes, bounds, margins and counts
//! are wanted. Nothing is pinned, and other numbers trace nothing anew.

use eagerflow as tf;
use tf::{Dim, GradientTape, PadMode, SliceMasks, Tensor, s, tf_function};

/// Numbers from -1 to 1 in no order.
fn numbers(sizes: &[usize]) -> Tensor {
    let count: usize = sizes.iter().product();
    tf::constant((0..count).map(|i| ((i * 37 % 101) as f32 - 50.0) / 50.0).collect::<Vec<_>>()).reshape(sizes)
}

fn int(number: i32) -> Tensor {
    tf::constant(number)
}

/// A traced call gives what it gives operation by operation.
fn agrees(call: impl Fn() -> Tensor) {
    let eager = tf::config::with_eager_functions(&call);
    let traced = call();
    assert_eq!(traced.shape(), eager.shape());
    assert_eq!(format!("{traced:?}"), format!("{eager:?}"));
}

/// Splits the last axis into heads, attends, and joins the heads again.
fn attend(x: &Tensor, heads: usize) -> Tensor {
    let depth = x.dim(2);
    let split = |x: &Tensor| x.reshape([x.dim(0), tf::dim(x, 1), heads.into(), depth / heads]).transpose([0, 2, 1, 3]);
    let (q, k, v) = (split(x), split(&(x * 0.5)), split(&(x + 1.0)));
    let scores = tf::softmax(tf::matmul_transposed(&q, false, &k, true), -1);
    tf::matmul(&scores, &v).transpose([0, 2, 1, 3]).reshape((x.dim(0), -1, depth))
}

#[tf_function]
fn two_heads(x: &Tensor) -> Tensor {
    attend(x, 2)
}

#[tf_function]
fn four_heads(x: &Tensor) -> Tensor {
    attend(x, 4)
}

#[test]
fn heads_are_split_with_batch_and_time_open() {
    for (batch, time) in [(2, 3), (4, 7), (1, 9), (5, 2), (3, 31), (8, 17)] {
        agrees(|| two_heads(&numbers(&[batch, time, 8])));
    }
    let about = tf::function(two_heads);
    // A batch of one has a trace of its own.
    assert!(about.trace_count() <= 3, "{:?}", about.reasons());
    assert!(about.pins().is_empty(), "{:?}", about.pins());
}

#[test]
fn gradients_of_heads_are_those_of_eager_calls() {
    let of = |x: &Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = four_heads(x);
        tape.gradient(&(&y * &y).sum(), [x])[0].clone()
    };
    for (batch, time) in [(2, 3), (3, 5), (6, 4)] {
        let x = numbers(&[batch, time, 8]);
        let (eager, traced) = (tf::config::with_eager_functions(|| of(&x)), of(&x));
        let worst = tf::reduce_max((&eager - &traced).abs(), ()).item::<f32>();
        assert!(worst < 1e-5, "{worst}");
    }
}

#[tf_function]
fn as_sizes(n: &Tensor, x: &Tensor) -> Vec<Tensor> {
    let two = x.dim(1);
    vec![
        tf::zeros((n, 2)),
        tf::ones((n, &two, 1)),
        tf::fill([tf::dim_of(n)], 7.0),
        tf::broadcast_to(x.at(0), (n, x.dim(1))),
        x.tile((n, 1)),
        tf::range(0, n, 1),
        tf::one_hot(tf::constant([0, 1]), n),
        x.slice((0, 0), (n, -1)),
        x.slice((n, 0), (-1, 1)),
        x.at(..n),
        x.at(s![n.., 1..]),
        x.at(s![..;-1, ..two - 1]),
        x.pad([[n.into(), Dim::ZERO], [1.into(), 2.into()]], PadMode::Constant),
        x.pad([[0.into(), tf::dim_of(n)], [Dim::ZERO; 2]], PadMode::Symmetric),
        tf::split(x, [n.into(), Dim::from(-1)], 0)[1].clone(),
        tf::strided_slice(x, (n, 0), (-1, two), [1, 1], SliceMasks::default()),
        tf::reshape(x, (-1, n)),
        tf::eye(n),
    ]
}

#[test]
fn one_tensor_is_the_size_of_many_things() {
    for (n, rows) in [(2, 6), (3, 9), (1, 4), (4, 12), (3, 6)] {
        for at in 0..18 {
            agrees(|| as_sizes(&int(n), &numbers(&[rows, 3])).swap_remove(at));
        }
    }
    let about = tf::function(as_sizes);
    assert!(about.trace_count() <= 2 && about.pins().is_empty(), "{:?} {:?}", about.reasons(), about.pins());
}

#[tf_function]
fn gradients_through_sizes(n: &Tensor, x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let rows = x.at(..n);
    let tiled = rows.tile((2, n));
    let padded = tiled.pad([[tf::dim_of(n); 2], [0.into(), 1.into()]], PadMode::Symmetric);
    let parts = tf::split(&padded, [n.into(), Dim::from(-1)], 0);
    let y = (&parts[1] * &parts[1]).sum() + x.slice((0, 0), (n, 1)).sum() * 3.0;
    tape.gradient(&y, [x])[0].clone()
}

#[test]
fn gradients_flow_past_sizes() {
    for (n, rows) in [(2, 6), (3, 9), (1, 4), (4, 4)] {
        agrees(|| gradients_through_sizes(&int(n), &numbers(&[rows, 3])));
    }
    assert!(tf::function(gradients_through_sizes).trace_count() <= 2);
}

/// TensorFlow's way: sizes are taken out of `tf::shape` and reckoned with as tensors.
#[tf_function]
fn by_shape(x: &Tensor) -> Tensor {
    let sizes = tf::shape(x);
    let (batch, time) = (sizes.at(0), sizes.at(1));
    let parts = tf::unstack(&sizes, 0);
    let both = tf::stack(&[&(&batch * &time), &(&parts[2] / 2), &tf::constant(2)], 0);
    let flat = tf::reshape(x, &both);
    let mask = tf::range(0, &time, 1);
    assert_eq!(flat.shape().dim(0), x.dim(0) * x.dim(1));
    assert_eq!(mask.shape().dim(0), x.dim(1));
    let long = tf::zeros((&time - 1, 1));
    assert_eq!(long.shape().dim(0), x.dim(1) - 1);
    flat.reshape((batch, time, -1)) + tf::cast(mask, tf::float32).reshape((x.dim(1), 1)) + long.sum()
}

#[test]
fn sizes_taken_from_a_shape_are_the_sizes_themselves() {
    for (batch, time) in [(2, 3), (4, 7), (5, 2)] {
        agrees(|| by_shape(&numbers(&[batch, time, 4])));
    }
    let about = tf::function(by_shape);
    assert!(about.trace_count() <= 2 && about.pins().is_empty(), "{:?} {:?}", about.reasons(), about.pins());
}

#[tf_function]
fn sum_of(n: &Tensor, x: &Tensor) -> Tensor {
    tf::ones([n]) + x
}

#[tf_function]
fn in_a_branch(n: &Tensor, x: &Tensor) -> Tensor {
    let mut y = x.clone();
    if n > 2 {
        y = y + tf::ones([n]).sum();
    }
    let mut i = tf::constant(0);
    while i < *n {
        y = y + tf::zeros((&i, 2)).sum() + x.at(..&i).sum();
        i += 1;
    }
    y
}

#[test]
fn sizes_in_branches_and_rounds() {
    for n in [1, 2, 3, 5] {
        agrees(|| in_a_branch(&int(n), &numbers(&[6])));
    }
    assert!(tf::function(in_a_branch).trace_count() <= 2);
}

#[test]
fn a_size_that_does_not_agree_is_an_error_of_the_call() {
    agrees(|| sum_of(&int(3), &numbers(&[3])));
    agrees(|| sum_of(&int(4), &numbers(&[4])));
    agrees(|| sum_of(&int(1), &numbers(&[4])));
    let fails = |n: i32| {
        let error = std::panic::catch_unwind(|| sum_of(&int(n), &numbers(&[4]))).unwrap_err();
        error.downcast_ref::<String>().unwrap().clone()
    };
    let text = fails(3);
    assert!(text.contains('3') && text.contains('4') && text.contains("sizes.rs"), "{text}");
    let text = fails(-2);
    assert!(text.contains("-2") && text.contains("0 or more") && text.contains("sizes.rs"), "{text}");
}

#[test]
fn what_is_no_size_is_refused() {
    let x = numbers(&[4, 3]);
    for (text, part) in [
        (x.try_reshape((&tf::constant(2.0), -1)).unwrap_err(), "int32"),
        (x.try_reshape((&tf::constant([2, 2]), -1)).unwrap_err(), "one number"),
        (x.try_reshape(&tf::constant([[4, 3]])).unwrap_err(), "vector of integers"),
        (x.try_reshape(&tf::constant([4, -2])).unwrap_err(), "negative size -2"),
        (x.try_tile((&int(-1), 1)).unwrap_err(), "0 or more"),
        (x.try_at(..&int(5)).unwrap_err(), "leaves dimension 0"),
        (x.try_at(s![0;2, ..]).unwrap_err(), "no range"),
    ] {
        let text = text.to_string();
        assert!(text.contains(part) && text.contains("sizes.rs"), "{text}");
    }
    assert_eq!(x.reshape(&tf::constant([-1, 6])).shape(), [2, 6]);
}

#[tf_function]
fn ensured(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = tf::ensure_shape(x, [-1, 3]);
    assert_eq!(y.shape().dim(1), Dim::known(3));
    let loss = (&y * &y * &y).sum() * tf::cast(tf::rank(&y), tf::float32);
    tape.gradient(&loss, [x])[0].clone()
}

#[test]
fn what_is_ensured_is_known_and_checked_in_each_call() {
    for rows in [2, 3, 5] {
        agrees(|| ensured(&numbers(&[rows, 3])));
    }
    let error = std::panic::catch_unwind(|| ensured(&numbers(&[2, 4]))).unwrap_err();
    let text = error.downcast_ref::<String>().unwrap();
    assert!(text.contains("ensure_shape") && text.contains('3') && text.contains('4'), "{text}");
}
