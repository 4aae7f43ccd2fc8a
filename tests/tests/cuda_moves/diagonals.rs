//! Bands of diagonals that are taken and set, and numbers sent through a permutation: large ones, strided ones, and in place.

use super::{alike, indices, numbers};
use eagerflow::{self as tf, DType, linalg::DiagonalAlign, linalg::Diagonals};
use eagerflow_tests::cuda::watched_gpu as gpu;

const ALIGNS: [DiagonalAlign; 4] =
    [DiagonalAlign::RightLeft, DiagonalAlign::LeftRight, DiagonalAlign::LeftLeft, DiagonalAlign::RightRight];

#[test]
fn bands() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for shape in [[2, 5, 7], [3, 40, 3], [0, 3, 3], [2, 0, 3], [1, 60, 90]] {
            let [low, high] = [-(shape[1] as i64 - 1).clamp(0, 2), (shape[2] as i64 - 1).clamp(0, 3)];
            let low = if shape[1] == 0 { 0 } else { low };
            for align in ALIGNS {
                let what = format!("{dtype} {shape:?} {align:?}");
                let how = Diagonals { align, ..Diagonals::of((low, high)) };
                let value = Some(tf::cast(&tf::constant(1.0), dtype));
                let padded = Diagonals { padding_value: value, ..how.clone() };
                let x = || numbers(&shape, dtype);
                let turned = || tf::transpose(&numbers(&[shape[2], shape[1], shape[0]], dtype), []);
                alike(format!("part {what}"), || tf::diag_part_with(x(), &how));
                alike(format!("filled up {what}"), || tf::diag_part_with(turned(), &padded));
                alike(format!("set in place {what}"), || {
                    tf::set_diag_with(tf::reverse(x(), [0]), &tf::diag_part_with(turned(), &how), &how)
                });
                alike(format!("set in a turned one {what}"), || {
                    let part = tf::reverse(tf::diag_part_with(x(), &how), [1]);
                    tf::set_diag_with(turned(), &part, &how)
                });
            }
            let sizes = Diagonals { num_rows: Some((shape[2] + 9).into()), ..Diagonals::of(-1) };
            alike(format!("made {dtype} {shape:?}"), || tf::diag_with(numbers(&shape, dtype), &sizes));
        }
    }
}

#[test]
fn what_fills_up_may_lie_on_the_device() {
    let Some(_gpu) = gpu() else { return };
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128, DType::F16] {
        alike(format!("{dtype}"), || {
            let value = tf::reduce_max(tf::cast(&numbers(&[9], DType::F32), DType::F32), ()) + 1.0;
            let how = Diagonals { padding_value: Some(tf::cast(&value, dtype)), ..Diagonals::of((-1, 2)) };
            tf::diag_part_with(numbers(&[2, 30, 20], dtype), &how)
        });
    }
}

#[test]
fn permutations_of_numbers() {
    let Some(_gpu) = gpu() else { return };
    for dtype in [DType::I32, DType::U32, DType::I64, DType::U64] {
        for most in [0, 300, 70_000, i32::MAX as i64] {
            let most = || tf::cast(&tf::Tensor::from(most), dtype);
            let index = || tf::minimum(&indices(500, 5000, dtype), &most());
            for rounds in [4, 12] {
                let seed = || tf::constant([-1, 2, 3]);
                alike(format!("{dtype} {rounds}"), || tf::random_index_shuffle(index(), seed(), most(), rounds));
                let seeds = || indices(1500, 100_000, DType::I64).reshape([500, 3]);
                alike(format!("{dtype} {rounds}, seeds"), || {
                    tf::random_index_shuffle(index(), seeds(), most(), rounds)
                });
            }
        }
    }
    for most in [1 << 40, (1 << 47) + 3, (1 << 50) + 1, (1 << 62) + (1 << 40), i64::MAX] {
        let index = || tf::Tensor::from([0_i64, 7, 1 << 39]);
        alike(format!("{most}"), || {
            tf::random_index_shuffle(index(), &tf::constant([1, 2, 3]), &tf::Tensor::from(most), 4)
        });
    }
}
