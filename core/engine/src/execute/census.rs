//! What kinds of numbers a tensor holds: NaN, infinities, zeros, and the range of the others.
//! Checks of numerics and reports of gradients count with it.

use super::{dense, on_host};
use crate::tensor::Tensor;
use kernels::dtype::{Complex, DType, bf16, f16};
use kernels::error::Result;
use std::fmt;

/// How many elements of a tensor are what. A complex number counts as what the worse of its parts is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Census {
    /// All elements.
    pub of: usize,
    /// Elements that are not a number.
    pub nan: usize,
    /// Elements that are +infinity.
    pub plus: usize,
    /// Elements that are -infinity.
    pub minus: usize,
    /// Elements that are 0.
    pub zero: usize,
    /// The smallest and the largest finite number; the first is above the second if there is none.
    pub range: (f64, f64),
}

impl Census {
    fn add(&mut self, re: f64, im: f64) {
        self.of += 1;
        match (re, im) {
            _ if re.is_nan() || im.is_nan() => self.nan += 1,
            _ if re == f64::INFINITY || im == f64::INFINITY => self.plus += 1,
            _ if re == f64::NEG_INFINITY || im == f64::NEG_INFINITY => self.minus += 1,
            _ => {
                self.zero += usize::from(re == 0.0 && im == 0.0);
                self.range = (self.range.0.min(re), self.range.1.max(re));
            }
        }
    }

    /// Whether no element is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.nan + self.plus + self.minus == 0
    }
}

/// As `2 NaN, 0 +Inf and 1 -Inf among 10 elements`.
impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.of == 1 { "" } else { "s" };
        write!(f, "{} NaN, {} +Inf and {} -Inf among {} element{plural}", self.nan, self.plus, self.minus, self.of)
    }
}

/// The elements of a dense tensor of the host.
///
/// # Safety
/// `T` is the tensor's element type.
unsafe fn elements<T>(tensor: &Tensor) -> &[T] {
    // SAFETY: dense memory of the host, and `T` by the caller's promise.
    unsafe { std::slice::from_raw_parts(tensor.data().cast(), tensor.num_elements()) }
}

/// Counts a tensor of floats or complex numbers; `None` for others, and for a value of a graph that is being recorded.
/// Waits for the device that computes it.
///
/// # Errors
/// What failed on the device.
pub fn census(tensor: &Tensor) -> Result<Option<Census>> {
    let dtype = tensor.dtype();
    if tensor.is_symbol() || !dtype.is_differentiable() {
        return Ok(None);
    }
    let here = dense(&on_host(tensor)?)?;
    let mut all = Census { of: 0, nan: 0, plus: 0, minus: 0, zero: 0, range: (f64::INFINITY, f64::NEG_INFINITY) };
    if here.num_elements() == 0 {
        return Ok(Some(all));
    }
    macro_rules! count {
        ($ty:ty, $x:ident => $re:expr, $im:expr) => {
            // SAFETY: the arm is that of the element type.
            unsafe { elements::<$ty>(&here) }.iter().for_each(|$x| all.add($re, $im))
        };
    }
    match dtype {
        DType::F16 => count!(f16, x => x.to_f64(), 0.0),
        DType::BF16 => count!(bf16, x => x.to_f64(), 0.0),
        DType::F32 => count!(f32, x => f64::from(*x), 0.0),
        DType::F64 => count!(f64, x => *x, 0.0),
        DType::C64 => count!(Complex<f32>, x => f64::from(x.re), f64::from(x.im)),
        DType::C128 => count!(Complex<f64>, x => x.re, x.im),
        _ => return Ok(None),
    }
    Ok(Some(all))
}
