//! Rows folded by segment on a GPU: few and many, sorted and not, of all dtypes that are taken, and ids that are refused.

use super::{alike, indices, near, numbers};
use eagerflow::{self as tf, DType, Tensor};
use eagerflow_tests::cuda::watched_gpu as gpu;

type Fold = fn(&Tensor, &Tensor) -> tf::Result<Tensor>;

/// Rows that are sorted by comparing and by digits, and one segment that has all.
const COUNTS: [(usize, usize, usize); 5] = [(0, 4, 3), (5, 4, 3), (40, 1, 7), (300, 600, 2), (9000, 40, 2)];

fn sorted(ids: &Tensor) -> Tensor {
    tf::sort(ids, 0, tf::Direction::Ascending)
}

#[test]
fn of_many_rows() {
    let Some(_gpu) = gpu() else { return };
    let all: [(&str, Fold); 6] = [
        ("sum", |x, ids| tf::try_segment_sum(x, sorted(ids))),
        ("max", |x, ids| tf::try_segment_max(x, sorted(ids))),
        ("unsorted sum", |x, ids| tf::try_unsorted_segment_sum(x, ids - 1, 700)),
        ("unsorted prod", |x, ids| tf::try_unsorted_segment_prod(x, ids - 1, 700)),
        ("unsorted max", |x, ids| tf::try_unsorted_segment_max(x, ids - 1, 700)),
        ("unsorted min", |x, ids| tf::try_unsorted_segment_min(x, ids - 1, 700)),
    ];
    for (name, fold) in all {
        for (count, rows, row) in COUNTS {
            for dtype in [DType::F64, DType::I32] {
                alike(format!("{name} {dtype} {count} {rows} {row}"), || {
                    fold(&numbers(&[count, row], dtype), &indices(count, rows, DType::I64)).unwrap()
                });
            }
        }
        for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_floating() || dtype.is_integer()) {
            alike(format!("{name} {dtype}"), || fold(&numbers(&[30, 3], dtype), &indices(30, 9, DType::I32)).unwrap());
        }
    }
    near("mean", 1e-6, || tf::segment_mean(numbers(&[300, 5], DType::F32), sorted(&indices(300, 7, DType::I32))));
}

#[test]
fn nan_wins() {
    let Some(_gpu) = gpu() else { return };
    let x = || tf::constant([1.0, f32::NAN, 2.0, f32::NAN, 3.0, 4.0]);
    let ids = || tf::constant([0, 0, 0, 1, 1, 2]);
    alike("max", || tf::segment_max(x(), ids()));
    alike("min", || tf::segment_min(x(), ids()));
    alike("unsorted", || tf::unsorted_segment_max(x(), ids(), 4));
}
