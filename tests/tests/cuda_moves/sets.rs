//! Results whose size depends on elements: the indices of those that are not zero, and how little is read for them.

use super::{SIZES, alike, numbers};
use eagerflow::{self as tf, DType};
use eagerflow_tests::cuda::watched_gpu as gpu;

#[test]
fn indices_of_what_is_set() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for n in SIZES {
            alike(format!("{dtype} {n}"), || tf::where_indices(&numbers(&[n], dtype)));
            alike(format!("{dtype} {n} strided"), || tf::where_indices(tf::transpose(&numbers(&[3, n], dtype), [])));
        }
        alike(format!("{dtype} scalar"), || tf::where_indices(&numbers(&[], dtype)));
        alike(format!("{dtype} rank 8"), || tf::where_indices(&numbers(&[2, 1, 3, 2, 1, 2, 2, 3], dtype)));
    }
    alike("special", || tf::where_indices(&tf::constant([0.0, f32::NAN, -0.0, f32::INFINITY, 1e-40])));
    alike("masked", || tf::boolean_mask(&numbers(&[500, 3], DType::F32), numbers(&[500], DType::I32).greater(40), 0));
}

#[test]
fn one_number_is_read() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    let x = numbers(&[10_000], DType::F32).gpu();
    emulation.reset_counters();
    let at = tf::where_indices(&x);
    assert_eq!(at.shape(), [6667, 1]);
    // The count, and the word of faults that comes with each read.
    assert_eq!(emulation.counters().device_to_host, 2, "{:?}", emulation.counters());
}
