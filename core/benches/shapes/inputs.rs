//! The operands of the grid's workloads, made by a formula of the index that the peers compute as well, to the bit, and the two numbers by
//! which results are compared. The families and `work.rs` call it; `peer.py` is the same in Python.

use eagerflow as tf;
use tf::{DType, Tensor};

/// The seed of the numbers that results are weighed with.
const PROBE: u32 = 99;

/// The number at an index: a hash of 32 bits, of which 24 make a number from -0.5 up to 0.5.
fn at(seed: u32, index: u32) -> u32 {
    let mut z = index.wrapping_add(seed.wrapping_mul(0x9E37_79B1));
    z = (z ^ (z >> 16)).wrapping_mul(0x7FEB_352D);
    z = (z ^ (z >> 15)).wrapping_mul(0x846C_A68B);
    z ^ (z >> 16)
}

fn number(seed: u32, index: u32) -> f32 {
    (at(seed, index) >> 8) as f32 / 16_777_216.0 - 0.5
}

/// A tensor of `float32` in memory that the library allocated, as results of operations are.
pub fn numbers(seed: u32, shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count as u32).map(|index| number(seed, index)).collect();
    Tensor::try_from_vec(values, shape).expect("as many numbers as the shape has") * 1.0
}

/// Class numbers below `below`.
pub fn labels(seed: u32, count: usize, below: usize) -> Tensor {
    let values: Vec<i32> = (0..count as u32).map(|index| (at(seed, index) % below as u32) as i32).collect();
    Tensor::try_from_vec(values, [count]).expect("as many numbers as the shape has")
}

/// The norm of the elements, and their sum weighed with numbers of the formula, which tells when they are the right ones at wrong places.
pub fn probe(x: &Tensor) -> [f64; 2] {
    let (mut squares, mut weighed) = (0.0, 0.0);
    for (index, value) in tf::cast(x, DType::F64).to_vec::<f64>().into_iter().enumerate() {
        squares += value * value;
        weighed += value * f64::from(number(PROBE, index as u32));
    }
    [squares.sqrt(), weighed]
}
