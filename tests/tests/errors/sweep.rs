//! Functions crossed with arguments that are wrong in many ways: what is refused names the user's line, and nothing panics.
//! What is right by chance is fine; the values of right calls are the table's matter.

use crate::caught::{names_the_library, quietly};
use eagerflow::{self as tf, s};
use tf::{DType, PadMode, Padding, Result, Tensor, TensorArray};

/// What went wrong with a call, unless it worked or was refused well.
fn complaint<T>(call: &str, run: impl FnOnce() -> Result<T>) -> Option<String> {
    match quietly(run) {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => {
            let text = error.to_string();
            let ours = error.report().location().is_some_and(|at| at.file() == file!());
            let complaint = match (error.report().op(), said(call)) {
                _ if !ours || !text.contains(file!()) => "does not name its line",
                _ if names_the_library(&text) => "names a line of the library",
                (op, Some(said)) if !is_said(op, said) => "does not name what was called",
                _ => return None,
            };
            Some(format!("{call} {complaint}:\n{text}"))
        }
        Err(_) => Some(format!("{call} panics")),
    }
}

/// The operation that an error of a call must name, by the call's text: `tf::try_add(..)` is `add`.
fn said(call: &str) -> Option<&str> {
    let called = &call[call.find("try_")? + 4..];
    Some(&called[..called.find(['(', ':'])?])
}

/// Whether an operation is what was called: itself, with further arguments (`gather_nd_batched`), or a type.
fn is_said(op: &str, called: &str) -> bool {
    called.starts_with(op) || op.starts_with("TensorArray") || called == "update"
}

struct Sweep {
    complaints: Vec<String>,
    refused: usize,
}

impl Sweep {
    fn new() -> Self {
        Self { complaints: Vec::new(), refused: 0 }
    }

    fn note(&mut self, found: Option<String>) {
        self.complaints.extend(found);
    }

    fn end(self) {
        assert!(self.refused > 0, "nothing was refused");
        let all = self.complaints.len();
        let few: Vec<_> = self.complaints.into_iter().take(20).collect();
        assert!(few.is_empty(), "{all} complaints, the first of them:\n{}", few.join("\n"));
    }
}

/// Tries calls that may use `$x` and the other names, and counts those that are refused.
macro_rules! sweep {
    ($sweep:ident, $about:expr; $($call:expr),* $(,)?) => {{
        $(
            let mut failed = false;
            let found = complaint(&format!("{} with {:?}", stringify!($call), $about), || {
                let result = $call;
                failed = result.is_err();
                result
            });
            $sweep.refused += usize::from(failed);
            $sweep.note(found);
        )*
    }};
}

/// Tensors of several kinds, some of them without elements.
fn tensors() -> Vec<Tensor> {
    vec![
        tf::constant(2.0),
        tf::ones([2, 3]),
        tf::constant([[1, -2, 3], [4, 5, 6]]),
        tf::constant([true, false]),
        tf::constant_of([7, 250], DType::U8),
        tf::zeros([0, 3]),
        tf::zeros([3, 0]),
        tf::ones([1, 2, 1, 2, 1, 2, 1, 2]),
        tf::constant_of([0.5, f64::NAN], DType::F64),
        tf::ones([1, 4, 4, 2]),
    ]
}

const NUMBERS: [isize; 9] = [isize::MIN, -9, -2, -1, 0, 1, 2, 1 << 47, isize::MAX];

const LISTS: [&[isize]; 11] = [
    &[],
    &[0],
    &[-1],
    &[2, 3],
    &[3, -1],
    &[-1, -1],
    &[isize::MAX, isize::MAX],
    &[isize::MIN, 1],
    &[1 << 47, 0],
    &[0, 0],
    &[1; 9],
];

#[test]
fn one_tensor_and_a_number() {
    let mut all = Sweep::new();
    for x in tensors() {
        for n in NUMBERS {
            let size = n.unsigned_abs();
            sweep!(all, ((x.dtype(), x.shape()), n);
                tf::try_reduce_sum(&x, n), tf::try_reduce_mean(&x, n), tf::try_reduce_max(&x, n),
                tf::try_reduce_prod(&x, n), tf::try_reduce_all(&x, n), tf::try_reduce_logsumexp(&x, n),
                tf::try_reduce_variance(&x, n), tf::try_reduce_std(&x, n), tf::try_argmax(&x, n), tf::try_argmin(&x, n),
                tf::try_cumsum(&x, n), tf::try_cumprod(&x, n), tf::try_softmax(&x, n), tf::try_log_softmax(&x, n),
                tf::try_expand_dims(&x, n), tf::try_squeeze(&x, n), tf::try_reverse(&x, n), tf::try_l2_normalize(&x, n, 1e-6),
                tf::try_unstack(&x, n), tf::try_split(&x, 2, n), tf::try_split(&x, size, 0), tf::try_split(&x, [n, n], 0),
                tf::try_split(&x, [n, -1], 0), tf::try_stack(&[&x, &x], n), tf::try_concat(&[&x, &x], n),
                tf::try_gather(&x, tf::constant([0, 1]), n), tf::try_gather(&x, Tensor::from(n as i64), 0),
                tf::try_boolean_mask(&x, tf::constant([true, false]), n), x.try_at(n), x.try_at(s![n]), x.try_at(s![n..]),
                x.try_at(s![..n]), x.try_at(s![0, n]), tf::try_leaky_relu(&x, n as f32), tf::try_dropout(&x, n as f64, true),
                tf::try_stateless_dropout(&x, 0.5, [n as i64, 1]), tf::try_clip_by_value(&x, n as i64, 1),
                tf::try_clip_by_norm(&x, 1.0, n), tf::try_pow(&x, n as i64), tf::try_floordiv(&x, n as i64),
                tf::try_floormod(&x, n as i64), tf::try_divide(&x, n as i64), tf::try_add(&x, n as i64),
                tf::try_one_hot(&x, size, 1, 0, -1), tf::try_one_hot(&x, 3usize, 1, 0, n),
                tf::try_gather_nd_batched(&x, tf::constant([[0], [0]]), size), tf::try_linspace(&x, &x, size, 0),
                tf::try_linspace(&x, &x, 3, n), tf::try_tensordot(&x, &x, size), tf::try_embedding_lookup(&x, Tensor::from(n as i64)),
                x.try_to_vec::<u8>(), x.try_item::<f32>(),
            );
        }
    }
    all.end();
}

#[test]
fn one_tensor_and_a_list() {
    let mut all = Sweep::new();
    for x in tensors() {
        for list in LISTS {
            let pairs: Vec<[isize; 2]> = list.iter().map(|&n| [n, n]).collect();
            let sizes: &[usize] = &list.iter().map(|&n| n as usize).collect::<Vec<_>>();
            sweep!(all, ((x.dtype(), x.shape()), list);
                tf::try_reshape(&x, list), tf::try_transpose(&x, list), tf::try_tile(&x, list), tf::try_broadcast_to(&x, sizes),
                tf::try_slice(&x, list, list), tf::try_slice(&x, [0, 0], list), tf::try_slice(&x, list, [1, 1]),
                tf::try_strided_slice(&x, list, list, list, Default::default()),
                tf::try_strided_slice(&x, [0, 0], list, [1, -1], Default::default()),
                tf::try_strided_slice(&x, [0, 0], [1, 1], list, Default::default()),
                tf::try_pad(&x, &pairs, PadMode::Constant), tf::try_pad(&x, &pairs, PadMode::Reflect),
                tf::try_pad(&x, &pairs, PadMode::Symmetric), tf::try_pad_value(&x, &pairs, 1),
                tf::try_reduce_sum(&x, list), tf::try_reduce_min(&x, list), tf::try_reduce_any(&x, list),
                tf::try_squeeze(&x, list), tf::try_reverse(&x, list), tf::try_fill(sizes, 1.5), tf::try_zeros(sizes, DType::I8),
                tf::try_eye(sizes, DType::F32), tf::try_scatter_nd(tf::constant([[0]]), &x, sizes),
                tf::try_dropout_with(&x, 0.5, sizes, None), tf::try_split(&x, list.to_vec(), 0),
                tf::random::try_stateless_uniform(sizes, [1, 2], 0.0, 1.0, DType::F32),
            );
        }
    }
    all.end();
}

#[test]
fn two_tensors() {
    let mut all = Sweep::new();
    for x in tensors() {
        for y in tensors() {
            sweep!(all, ((x.dtype(), x.shape()), (y.dtype(), y.shape()));
                tf::try_add(&x, &y), tf::try_pow(&x, &y), tf::try_divide(&x, &y), tf::try_truediv(&x, &y),
                tf::try_floordiv(&x, &y), tf::try_maximum(&x, &y), tf::try_squared_difference(&x, &y), tf::try_equal(&x, &y),
                tf::try_less(&x, &y), tf::try_logical_and(&x, &y), tf::try_select(&x, &y, &x), tf::try_matmul(&x, &y),
                tf::try_matmul_transposed(&x, true, &y, true), tf::try_tensordot(&x, &y, 1), tf::try_gather(&x, &y, 0),
                tf::try_gather_nd(&x, &y), tf::try_gather_nd_batched(&x, &y, 1), tf::try_scatter_nd(&x, &y, [2, 3]),
                tf::try_boolean_mask(&x, &y, 0), x.try_at(&y), tf::try_concat(&[&x, &y], 0), tf::try_stack(&[&x, &y], 0),
                tf::try_bias_add(&x, &y), tf::try_conv2d(&x, &y, 1, Padding::Same), tf::try_conv2d(&x, &y, 0, Padding::Valid),
                tf::try_max_pool2d(&x, 2, 0, Padding::Same), tf::try_avg_pool2d(&x, 0, 1, Padding::Valid),
                tf::try_max_pool2d(&x, 1usize << 47, 1usize << 47, Padding::Same),
                tf::try_softmax_cross_entropy_with_logits(&x, &y, -1), tf::try_sparse_softmax_cross_entropy_with_logits(&x, &y),
                tf::try_clip_by_value(&x, &y, &y), tf::try_range(&x, &y, 1), tf::try_linspace(&x, &y, 4, 0),
                tf::try_one_hot(&x, 3usize, &y, &y, -1), tf::try_embedding_lookup(&x, &y), tf::try_fill([2], &y),
                tf::losses::try_mean_squared_error(&x, &y), tf::Variable::new(&x).try_assign(&y),
                tf::Variable::new(&x).try_assign_add(&y), tf::metrics::SparseCategoricalAccuracy::new().try_update(&x, &y),
            );
        }
    }
    all.end();
}

#[test]
fn ranges_and_lists() {
    let mut all = Sweep::new();
    for a in NUMBERS {
        for b in NUMBERS {
            for step in [isize::MIN, -1, 0, 1, isize::MAX] {
                // A range that can be made but is long is nobody's mistake.
                let length = (b as i128 - a as i128).checked_div(step as i128).unwrap_or(0);
                if (10_000..1 << 44).contains(&length) {
                    continue;
                }
                sweep!(all, (a, b, step); tf::try_range(Tensor::from(a as i64), Tensor::from(b as i64), Tensor::from(step as i64)));
            }
        }
        let index = Tensor::from(a as i64);
        sweep!(all, a;
            TensorArray::try_new(DType::F32, Tensor::from(a as i64)).map(|_| ()),
            TensorArray::new(DType::F32, 2).try_write(&index, tf::constant(1.0)),
            TensorArray::new(DType::F32, 2).dynamic().try_write(&index, tf::constant(1.0)),
            TensorArray::new(DType::F32, 2).element_shape([1]).try_read(&index),
            TensorArray::new(DType::F32, 2).try_write(&index, tf::constant(1)),
            TensorArray::new(DType::F32, 2).try_stack(),
            tf::data::Dataset::from_tensor_slices(tf::constant([1, 2])).try_batch(a.unsigned_abs(), false)
                .and_then(|batches| batches.iter().try_next()),
        );
    }
    for (low, high) in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (0.0, 1e300), (1.0, 0.0)] {
        sweep!(all, (low, high); tf::try_range(low, high, 1.0), tf::try_range(low, high, f64::NAN), tf::try_range(low, high, 1e-300));
    }
    all.end();
}
