//! Compares results with TensorFlow's: exactly, or within a bound that the row states.
//! Both tables use it; where TensorFlow takes denormals for zero, that is allowed for by name, not by a wider bound.

use crate::golden::{Array, Numbers};
use eagerflow::DType;

/// How far floats may lie from TensorFlow's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Machine epsilons of the dtype, relative to the expected value.
    pub relative: f64,
    /// Machine epsilons, relative to the largest finite magnitude among inputs and outputs: for sums that cancel.
    pub scale: f64,
    /// Epsilons of the expected value in 16-bit floats, where TensorFlow rounds after each step and we at the end.
    pub half: f64,
    /// Machine epsilons of 1, where TensorFlow's or our form cancels.
    pub absolute: f64,
}

impl Bound {
    /// Every bit the same, the sign of zero included; any nan equals any nan.
    pub const EXACT: Self = Self { relative: 0.0, scale: 0.0, half: 0.0, absolute: 0.0 };

    /// Every number the same; the sign of a zero is not promised.
    pub const EQUAL: Self = Self::ulps(0.25);

    /// So many epsilons of the expected value.
    pub const fn ulps(relative: f64) -> Self {
        Self { relative, scale: 0.0, half: relative, absolute: 0.0 }
    }

    /// So many epsilons of the expected value, and of the largest magnitude around.
    pub const fn sums(relative: f64, scale: f64) -> Self {
        Self { relative, scale, half: relative, absolute: 0.0 }
    }

    /// So many epsilons of 1 besides.
    pub const fn absolute(self, absolute: f64) -> Self {
        Self { absolute, ..self }
    }

    /// Another bound for 16-bit floats.
    pub const fn half(self, half: f64) -> Self {
        Self { half, ..self }
    }
}

/// The distance of 1 to the next number of a floating dtype.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        DType::F32 | DType::C64 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}

/// The smallest normal number and the smallest denormal of a floating dtype.
pub fn smallest(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F16 => (2f64.powi(-14), 2f64.powi(-24)),
        DType::BF16 => (f64::from(f32::MIN_POSITIVE), 2f64.powi(-133)),
        DType::F32 | DType::C64 => (f64::from(f32::MIN_POSITIVE), 2f64.powi(-149)),
        _ => (f64::MIN_POSITIVE, 5e-324),
    }
}

/// The largest finite magnitude in some arrays.
pub fn magnitude<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> f64 {
    let all = arrays.into_iter().filter(|a| a.dtype.is_differentiable()).flat_map(Array::to_f64);
    all.filter(|v| v.is_finite()).fold(0.0, |most, v| most.max(v.abs()))
}

/// The extremes among special values must not excuse everything beside them.
const MOST_SCALE: f64 = 1e3;

fn close(got: f64, want: f64, dtype: DType, bound: Bound, scale: f64) -> bool {
    if got.is_nan() || want.is_nan() || bound == Bound::EXACT {
        return got.is_nan() && want.is_nan() || got.to_bits() == want.to_bits();
    }
    if got == want {
        return true;
    }
    if want.is_infinite() || got.is_infinite() {
        return false;
    }
    let (normal, denormal) = smallest(dtype);
    // A denormal result that TensorFlow has flushed to zero. Its 16-bit results are made in f32, where those of
    // float16 are no denormals.
    if want == 0.0 && got.abs() < normal && dtype != DType::F16 {
        return true;
    }
    let relative = if dtype.size() == 2 { bound.half } else { bound.relative };
    let around = bound.absolute + bound.scale * scale.min(MOST_SCALE);
    let allowed = relative * (want.abs() * epsilon(dtype)).max(if relative > 1.0 { denormal } else { 0.0 })
        + around * epsilon(dtype);
    (got - want).abs() <= allowed
}

/// Epsilons that parts of complex numbers may lie apart, relative to the whole: TensorFlow's formulas for them round otherwise.
const COMPLEX: f64 = 16.0;

/// Whether part `i` of complex numbers is close: as real numbers are, or, where numbers are computed, relative to the whole number.
fn part_close(got: &[f64], want: &[f64], i: usize, dtype: DType, bound: Bound, scale: f64) -> bool {
    if close(got[i], want[i], dtype.real_dtype(), bound, scale) {
        return true;
    }
    let (re, im) = (want[i & !1], want[i | 1]);
    let whole = re.hypot(im);
    let around = COMPLEX + bound.relative + bound.scale;
    whole.is_finite()
        && (got[i] - want[i]).abs()
            <= epsilon(dtype) * (around * whole + bound.absolute + bound.scale * scale.min(MOST_SCALE))
}

/// The places at which two arrays of one type differ by more than the bound; `Err` if dtype or shape differ.
pub fn differences(got: &Array, want: &Array, bound: Bound, scale: f64) -> Result<Vec<usize>, String> {
    if (got.dtype, &got.shape) != (want.dtype, &want.shape) {
        return Err(format!("got {}{:?}, expected {}{:?}", got.dtype, got.shape, want.dtype, want.shape));
    }
    if let (Numbers::Floats(g), Numbers::Floats(w)) = (&got.data, &want.data)
        && want.dtype.is_complex()
    {
        return Ok((0..g.len()).filter(|&i| !part_close(g, w, i, want.dtype, bound, scale)).collect());
    }
    Ok(match (&got.data, &want.data) {
        (Numbers::Floats(g), Numbers::Floats(w)) => {
            (0..g.len()).filter(|&i| !close(g[i], w[i], want.dtype, bound, scale)).collect()
        }
        (Numbers::Ints(g), Numbers::Ints(w)) => (0..g.len()).filter(|&i| g[i] != w[i]).collect(),
        _ => unreachable!("one dtype, one form"),
    })
}

/// The first few differing elements as text.
pub fn show(got: &Array, want: &Array, places: &[usize]) -> String {
    let (g, w) = (got.to_f64(), want.to_f64());
    let one = |&i: &usize| format!("[{i}] got {:?}, expected {:?}", g[i], w[i]);
    let some: Vec<String> = places.iter().take(6).map(one).collect();
    format!("{} of {} elements differ: {}", places.len(), g.len(), some.join("; "))
}

/// Whether TensorFlow's arithmetic takes some elements for zero, and the array with those flushed.
pub fn flush_denormals(array: &Array) -> Option<Array> {
    let Numbers::Floats(data) = &array.data else { return None };
    let (normal, _) = smallest(array.dtype);
    if array.dtype == DType::F16 || data.iter().all(|v| *v == 0.0 || v.is_nan() || v.abs() >= normal) {
        return None;
    }
    let flushed = data.iter().map(|&v| if v.abs() < normal { 0f64.copysign(v) } else { v }).collect();
    Some(Array { data: Numbers::Floats(flushed), ..array.clone() })
}
