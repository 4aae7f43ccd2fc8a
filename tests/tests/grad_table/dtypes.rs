//! Gradients in `float32`, `float16` and `bfloat16` against those in `float64` at the same inputs.
//! The error is measured against the largest gradient: 16-bit cotangents are rounded at every step.

use crate::differences::array_like;
use crate::report;
use crate::samples::{self, Sample};
use eagerflow::{DType, Tensor};
use eagerflow_tests::compare::{epsilon, magnitude};
use eagerflow_tests::golden::Array;
use eagerflow_tests::random::Random;

/// Machine epsilons of the largest gradient.
const BOUND: f64 = 16.0;

/// Programs that draw other random numbers in another dtype, or have none of 16 bits.
const OTHER_NUMBERS: &[&str] = &["stateless_dropout", "nextafter"];

#[test]
fn short_floats_have_the_gradients_of_long_ones() {
    let mut complaints = Vec::new();
    for sample in samples::all().into_iter().filter(|s| !OTHER_NUMBERS.contains(&s.name)) {
        let short = if samples::has_no_short_floats(&sample) { 1 } else { 3 };
        for &dtype in &[DType::F32, DType::F16, DType::BF16][..short] {
            complaints.extend(check(&sample, dtype).err());
        }
    }
    report(complaints);
}

fn check(sample: &Sample, dtype: DType) -> Result<(), String> {
    let name = format!("{} {} {dtype}", sample.name, sample.attrs);
    let convert = |array: &Array, dtype| if array.dtype.is_floating() { array.to_dtype(dtype) } else { array.clone() };
    let short: Vec<Array> = sample.arrays().iter().map(|a| convert(a, dtype)).collect();
    let long: Vec<Array> = short.iter().map(|a| convert(a, DType::F64)).collect();
    let got = gradients(sample, &short).map_err(|e| format!("{name}: {e}"))?;
    let want = gradients(sample, &long).map_err(|e| format!("{name}: {e}"))?;
    let allowed = BOUND * epsilon(dtype) * magnitude(want.iter().flatten()).max(1e-3);
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        let (Some(got), Some(want)) = (got, want) else {
            assert_eq!(got.is_some(), want.is_some(), "{name}: input {i} has a gradient in one dtype only");
            continue;
        };
        assert_eq!(got.dtype, dtype, "{name}: the gradient of input {i}");
        for (got, want) in got.to_f64().iter().zip(want.to_f64()) {
            if (got - want).abs() > allowed || got.is_nan() {
                return Err(format!("{name}: input {i}: got {got}, in float64 {want}, allowed {allowed}"));
            }
        }
    }
    Ok(())
}

fn gradients(sample: &Sample, x: &[Array]) -> eagerflow::Result<Vec<Option<Array>>> {
    let program = sample.program();
    let tensors: Vec<Tensor> = x.iter().map(Array::tensor).collect();
    let outputs = program.run(&tensors)?;
    let mut random = Random::new(3);
    // Multiples of 1/8, which all dtypes hold exactly.
    let upstream: Vec<Tensor> = outputs
        .iter()
        .map(|y| {
            let any = array_like(&Array::of(y), &mut random, 0.5, 2.0);
            let data = any.to_f64().iter().map(|v| (v * 8.0).round() / 8.0).collect();
            Array::floats(any.dtype, &any.shape, data).tensor()
        })
        .collect();
    let (_, gradients) = program.gradients(&tensors, &upstream)?;
    Ok(gradients.iter().map(|g| g.as_ref().map(Array::of)).collect())
}
