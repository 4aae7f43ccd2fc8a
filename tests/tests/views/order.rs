//! The order of a fold depends on sizes alone: the same elements in another layout give the same bits, and so does a fold that is
//! fused with what makes them. Each case is folded along every set of axes and compared with its dense copy.

use eagerflow as tf;
use tf::{DType, Tensor, tf_function};

/// Numbers of both signs and of sizes so different that another order of addition shows.
fn numbers(dims: &[usize]) -> Tensor {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits((state >> 9) | 0x3f80_0000) - 1.5
    };
    let items: Vec<f32> = (0..dims.iter().product()).map(|_| next() * (next() * 8.0).exp()).collect();
    tf::reshape(&tf::constant(&items[..]), sizes(dims))
}

/// `x` with its elements as they lie when the axes are stored in `order`.
fn stored(x: &Tensor, order: &[isize]) -> Tensor {
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| inverse[from as usize] = to as isize);
    tf::transpose(&dense(&tf::transpose(x, order)), &inverse)
}

/// The elements one after the other in memory of their own.
fn dense(x: &Tensor) -> Tensor {
    let dims = sizes(x.shape().dims());
    match x.dtype() {
        DType::F32 => tf::reshape(&tf::constant(&x.to_vec::<f32>()[..]), &dims),
        DType::I32 => tf::reshape(&tf::constant(&x.to_vec::<i32>()[..]), &dims),
        narrow => tf::cast(&dense(&tf::cast(x, DType::F32)), narrow),
    }
}

fn sizes(dims: &[usize]) -> Vec<isize> {
    dims.iter().map(|&d| d as isize).collect()
}

fn layouts(x: &Tensor) -> Vec<(&'static str, Tensor)> {
    let rank = x.rank() as isize;
    let all: Vec<isize> = (0..rank).collect();
    let (mut turned, mut rotated) = (all.clone(), all.clone());
    turned.reverse();
    rotated.rotate_left(1);
    let padded = tf::pad(x, vec![[1, 2]; all.len()], tf::PadMode::Constant);
    let sizes = sizes(x.shape().dims());
    let pair = tf::split(&tf::stack(&[x, x], -1), 2, -1).swap_remove(0);
    let first = tf::slice(x, vec![0; all.len()], [&[1], &sizes[1..]].concat());
    vec![
        ("reversed", tf::reverse(&dense(&tf::reverse(x, &all[..])), &all[..])),
        ("the last axis reversed", tf::reverse(&dense(&tf::reverse(x, -1)), -1)),
        ("turned", stored(x, &turned)),
        ("rotated", stored(x, &rotated)),
        ("cut out", tf::slice(&padded, vec![1; all.len()], sizes)),
        ("every other element", tf::squeeze(&pair, -1)),
        ("broadcast", tf::broadcast_to(&first, *x.shape())),
    ]
}

fn bits(x: &Tensor) -> Vec<u32> {
    match x.dtype() {
        DType::I32 => x.to_vec::<i32>().into_iter().map(|i| i as u32).collect(),
        _ => tf::cast(x, DType::F32).to_vec::<f32>().into_iter().map(f32::to_bits).collect(),
    }
}

#[test]
fn the_layout_does_not_change_the_order() {
    let shapes: [&[usize]; 13] = [
        &[5],
        &[63],
        &[64],
        &[1000],
        &[10_000],
        &[3, 4],
        &[100, 70],
        &[2, 5000],
        &[5000, 2],
        &[20, 5000],
        &[3, 1, 20],
        &[7, 16, 33],
        &[70, 2, 80],
    ];
    let mut tried = 0;
    for dims in shapes {
        for dtype in [DType::F32, DType::BF16, DType::I32] {
            let x = tf::cast(&numbers(dims), dtype);
            for (layout, view) in layouts(&x) {
                let same = dense(&view);
                for axes in 1..1usize << dims.len() {
                    let axes: Vec<isize> = (0..dims.len()).filter(|a| axes >> a & 1 == 1).map(|a| a as isize).collect();
                    let folds = |x: &Tensor| {
                        let axes = &axes[..];
                        [x.reduce_sum(axes), x.reduce_mean(axes), x.reduce_prod(axes), x.reduce_max(axes)]
                    };
                    for (got, want) in folds(&view).iter().zip(&folds(&same)) {
                        assert_eq!(bits(got), bits(want), "{layout} {dims:?} of {dtype} along {axes:?}");
                        tried += 1;
                    }
                }
            }
        }
    }
    assert!(tried > 2000, "only {tried} folds");
}

#[tf_function]
fn fused(x: &Tensor) -> (Tensor, Tensor) {
    let y = tf::reverse(x, ()) * 0.5;
    (tf::reduce_mean(&y, ()), tf::reduce_mean(tf::reverse(x, ()), ()) + tf::reduce_mean(&y, -1).sum())
}

#[test]
fn a_fused_fold_is_the_same_fold() {
    for dims in [&[3][..], &[5], &[63], &[200], &[9, 9], &[4, 70]] {
        let x = numbers(dims);
        let (graph, eager) = (fused(&x), tf::config::with_eager_functions(|| fused(&x)));
        assert_eq!((bits(&graph.0), bits(&graph.1)), (bits(&eager.0), bits(&eager.1)), "{dims:?}");
    }
}
