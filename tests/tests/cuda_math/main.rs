//! Products, convolutions, poolings, rows, scans and optimizers on a GPU against the CPU, emulated where there is no GPU.
//! Run by `cargo test`; without g++ every test says that it is skipped.

mod axes;
mod by_depth;
mod few_channels;
mod images;
mod integers;
mod norms;
mod products;
mod rows;
mod steps;
mod training;

use eagerflow as tf;
use eagerflow_tests::cuda::Gpu;
use tf::{DType, Tensor};

/// Runs `f` on the CPU and on the GPU and compares all results, which must lie on the GPU and have been made without a
/// read in between. `within` is relative to the greatest magnitude of a result; 0 asks for equality.
#[track_caller]
pub fn agree(gpu: &Gpu, inputs: &[Tensor], within: f64, f: impl Fn(&[Tensor]) -> Vec<Tensor>) {
    let want = {
        let _cpu = tf::device("/cpu:0");
        f(&inputs.iter().map(Tensor::cpu).collect::<Vec<_>>())
    };
    let there: Vec<Tensor> = inputs.iter().map(Tensor::gpu).collect();
    let before = gpu.emulation.map(|e| e.counters().device_to_host);
    let got = {
        let _gpu = tf::device("/gpu:0");
        f(&there)
    };
    assert_eq!(gpu.emulation.map(|e| e.counters().device_to_host), before, "nothing is read in between");
    assert_eq!(want.len(), got.len());
    for (i, (want, got)) in want.iter().zip(&got).enumerate() {
        assert_eq!(
            (want.device().to_string(), got.device().to_string()),
            ("/device:CPU:0".into(), "/device:GPU:0".into())
        );
        assert_eq!((want.dtype(), want.shape()), (got.dtype(), got.shape()));
        let _cpu = tf::device("/cpu:0");
        let (want, got) = (numbers(want), numbers(&got.cpu()));
        let scale = want.iter().filter(|v| v.is_finite()).fold(0.0, |a: f64, b| a.max(b.abs()));
        for (at, (want, got)) in want.iter().zip(&got).enumerate() {
            let equal = want == got || (want.is_nan() && got.is_nan()) || (want - got).abs() <= within * scale;
            assert!(equal, "result {i}, element {at}: {got} where the CPU has {want}");
        }
    }
}

/// The elements as `f64`, which holds all of them but large 64-bit integers, whose halves are compared.
fn numbers(x: &Tensor) -> Vec<f64> {
    match x.dtype() {
        DType::I64 => x.to_vec::<i64>().iter().flat_map(|v| [(v >> 32) as f64, (v & 0xffff_ffff) as f64]).collect(),
        DType::U64 => x.to_vec::<u64>().iter().flat_map(|v| [(v >> 32) as f64, (v & 0xffff_ffff) as f64]).collect(),
        _ => tf::cast(x, DType::F64).to_vec(),
    }
}

/// Numbers between -1 and 1 that repeat late, as a tensor of any dtype that has numbers; integers lie between -9 and 9, or
/// 0 and 9.
pub fn some(seed: u64, dtype: DType, shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let word = |i: u64| {
        let mut x = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed.wrapping_mul(0xbf58_476d_1ce4_e5b9));
        x = (x ^ x >> 30).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    let wide = |v: f64| match dtype {
        d if d.is_floating() => v,
        d if d.is_unsigned() || d == DType::Bool => (v.abs() * 9.9).floor(),
        _ => (v * 9.9).trunc(),
    };
    let _cpu = tf::device("/cpu:0");
    let values: Vec<f64> = (0..count as u64).map(|i| wide(word(i))).collect();
    let dims: Vec<isize> = shape.iter().map(|&d| d as isize).collect();
    tf::cast(&tf::reshape(&Tensor::from(values), dims), dtype)
}
