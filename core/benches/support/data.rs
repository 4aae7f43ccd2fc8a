//! The inputs of the comparison's workloads, the same bits for every framework: splitmix64 and what is made from it.
//! The benchmarks of `benches/` draw their tensors from here.
#![allow(dead_code, reason = "each benchmark uses a part of it")]

use eagerflow::Tensor;

/// `n` numbers in [0, 1) with 24 random bits each.
fn unit(seed: u64, n: usize) -> impl Iterator<Item = f64> {
    let start = seed.wrapping_mul(0xD134_2543_DE82_EF95);
    (1..=n as u64).map(move |i| {
        let mut z = start.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 40) as f64 / (1u64 << 24) as f64
    })
}

fn tensor(values: Vec<f32>, shape: &[usize]) -> Tensor {
    Tensor::try_from_vec(values, shape).expect("as many values as the shape has")
}

/// Uniform numbers between `low` and `high`.
pub fn uniform(seed: u64, shape: &[usize], low: f64, high: f64) -> Tensor {
    let n = shape.iter().product();
    tensor(unit(seed, n).map(|u| (low + (high - low) * u) as f32).collect(), shape)
}

/// Roughly normal numbers: sums of twelve.
pub fn normal(seed: u64, n: usize) -> Vec<f32> {
    let all: Vec<f64> = unit(seed, n * 12).collect();
    all.chunks(12).map(|c| (c.iter().sum::<f64>() - 6.0) as f32).collect()
}

/// Integers below `below`.
pub fn labels(seed: u64, n: usize, below: usize) -> Tensor {
    let values: Vec<i32> = unit(seed, n).map(|u| (u * below as f64) as i32).collect();
    Tensor::try_from_vec(values, [n]).expect("a vector")
}

/// Glorot's uniform numbers for a matrix `[in, out]` or kernel `[kh, kw, in, out]`.
pub fn glorot(seed: u64, shape: &[usize]) -> Tensor {
    let k = shape.len();
    let field: usize = shape[..k - 2].iter().product();
    let bound = (6.0 / (field * (shape[k - 2] + shape[k - 1])) as f64).sqrt();
    uniform(seed, shape, -bound, bound)
}

/// A matrix that is its own square, exactly and in any order of summation.
pub fn idempotent() -> Tensor {
    let row: Vec<f32> = (0..1000).map(|j| if j < 24 { 2f32.powi(-9) } else { 2f32.powi(-10) }).collect();
    tensor(row.iter().copied().cycle().take(1_000_000).collect(), &[1000, 1000])
}

/// The line of the linear regression: inputs and noisy outputs.
pub fn line() -> (Tensor, Tensor) {
    let (x, e) = (normal(301, 2000), normal(302, 2000));
    let y = x.iter().zip(&e).map(|(x, e)| (3.0 * x + 2.0) + e).collect();
    (tensor(x, &[2000]), tensor(y, &[2000]))
}
