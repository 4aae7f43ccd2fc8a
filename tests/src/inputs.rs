//! Inputs in bulk for any row: a golden case blown up to many elements, with special values strewn in.
//! The tests of views, of CPU paths and of threads compare a row with itself on such inputs.

use crate::compare::smallest;
use crate::golden::{Array, Case, Numbers, Section};
use crate::random::Random;
use eagerflow::DType;

/// Ordinary and special numbers of a dtype.
pub fn numbers(dtype: DType, shape: &[usize], random: &mut Random) -> Array {
    let n: usize = shape.iter().product();
    if dtype.is_differentiable() {
        let parts = if dtype.is_complex() { 2 * n } else { n };
        let data = (0..parts).map(|_| float(dtype.real_dtype(), random)).collect();
        return Array::floats(dtype, shape, data);
    }
    let data = (0..n).map(|_| integer(dtype, random)).collect();
    Array { dtype, shape: shape.to_vec(), data: Numbers::Ints(data) }
}

fn float(dtype: DType, random: &mut Random) -> f64 {
    let (normal, denormal) = smallest(dtype);
    match random.below(24) {
        0 => *random.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, normal, -denormal, 3.0 * denormal]),
        1 => random.uniform(-1e-3, 1e-3),
        2 => random.uniform(-100.0, 100.0),
        3 => random.between(-9, 9) as f64,
        4 => random.between(-19, 19) as f64 / 2.0,
        _ => random.uniform(-3.0, 3.0),
    }
}

/// Never zero, so that it may be a divisor.
fn integer(dtype: DType, random: &mut Random) -> i128 {
    let size = match random.below(8) {
        0 => 1 + random.between(0, 126) as i128,
        _ => 1 + random.between(0, 8) as i128,
    };
    match dtype {
        DType::Bool => i128::from(random.one_in(2)),
        _ if dtype.is_unsigned() || random.one_in(2) => size,
        _ => -size,
    }
}

/// A case of an element-wise row with all its inputs replaced by large ones of one shape.
pub fn blown_up(section: &Section, dtype: DType, shape: &[usize], random: &mut Random) -> Option<Case> {
    let case = section.cases.iter().find(|c| c.dtype == dtype && c.answer.is_ok())?;
    let inputs = case.inputs.iter().map(|input| numbers(input.dtype, shape, random)).collect();
    Some(Case { inputs, ..case.clone() })
}
