//! `saturate_cast`: another dtype, in whose range elements are moved first; dx = dy within the range, between floats.
//! TensorFlow's `tf.saturate_cast`, numbers; 64-bit bounds of floats, which TensorFlow rounds beyond the range, stay within.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct SaturateCast {
    to: DType,
}

impl Op for SaturateCast {
    identity!("saturate_cast", { "to": DType = |this| this.to });

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::NUMBERS)?;
        cx.output(self.to, *cx.shape(0));
        Ok(())
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.exact();
        let from = s.dtype(x[0]);
        let mut y = x[0];
        // A bound that the input's dtype cannot go beyond needs no comparison.
        if let Some(low) = low_within(from, self.to) {
            let low = s.number(y, low);
            y = s.select(s.lt(y, low), low, y);
        }
        if let Some(high) = high_within(from, self.to) {
            let high = s.bits(from, high);
            y = s.select(s.gt(y, high), high, y);
        }
        s.cast(y, self.to)
    }

    fn gradient(&self) -> Gradient {
        match self.to.is_floating() {
            true => Gradient::Rule,
            false => Gradient::Stops("integers carry no gradient"),
        }
    }
}

/// The range of a dtype, as far as `f64` holds it: exact but for the greatest values of 64-bit integers.
fn range(dtype: DType) -> (f64, f64) {
    let bits = 8 * dtype.size() as i32;
    match dtype {
        DType::F16 => (-65504.0, 65504.0),
        DType::BF16 => (-3.389_531_389_251_535_5e38, 3.389_531_389_251_535_5e38),
        DType::F32 => (f64::from(f32::MIN), f64::from(f32::MAX)),
        DType::F64 => (f64::MIN, f64::MAX),
        _ if dtype.is_signed_integer() => (-2f64.powi(bits - 1), 2f64.powi(bits - 1)),
        _ => (0.0, 2f64.powi(bits)),
    }
}

/// The lowest value of `to`, where `from` has lower ones.
fn low_within(from: DType, to: DType) -> Option<f64> {
    let low = range(to).0;
    (range(from).0 < low || from.is_floating() && to.is_integer()).then_some(low)
}

/// The bits in `from` of the greatest value of `to` that both have, where `from` has greater ones.
fn high_within(from: DType, to: DType) -> Option<u64> {
    let (own, high) = (range(from).1, range(to).1);
    let infinite = from.is_floating() && !(to.is_floating() && high >= own);
    if own <= high && !infinite {
        return None;
    }
    Some(match (from, to.is_integer()) {
        // The power of two behind the range, less one step of the float.
        (DType::F32, true) => u64::from((high as f32).next_down().to_bits()),
        (DType::F64, true) if to.size() == 8 => high.next_down().to_bits(),
        (DType::F64, true) => (high - 1.0).to_bits(),
        (_, true) => (1u64 << (8 * to.size() as u32 - u32::from(to.is_signed_integer()))) - 1,
        _ => kernels::scalar::encode(from, high),
    })
}

public! {
    /// The elements converted to another dtype, those beyond its range as the nearest value within.
    ///
    /// Floats become integers toward zero; the greatest value is then the greatest below the end of the range that both dtypes
    /// have, as in TensorFlow. Nan stays nan among floats and becomes 0 as an integer.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::saturate_cast(&tf::constant([300, -5, 7]), tf::DType::U8);
    /// assert_eq!(x.to_vec::<u8>(), [255, 0, 7]);
    /// ```
    pub fn saturate_cast, try_saturate_cast(x, dtype: DType) -> Tensor {
        if dtype == DType::Bool {
            return Err(Error::invalid_argument("saturate_cast", "truth values have no range")
                .got(dtype)
                .expected("a dtype of numbers")
                .help("convert it with `cast`: anything but zero is `true`"));
        }
        if x.dtype() == dtype {
            return Ok(x.clone());
        }
        execute1(&SaturateCast { to: dtype }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use kernels::dtype::DType;

    #[test]
    fn ends_of_64_bits_stay_within() {
        let ends = tf::constant([f64::INFINITY, -f64::INFINITY, 1e30, f64::NAN]);
        let most = i64::MAX - 1023;
        assert_eq!(tf::saturate_cast(&ends, DType::I64).to_vec::<i64>(), [most, i64::MIN, most, 0]);
        let unsigned = tf::saturate_cast(&ends, DType::U64).to_vec::<u64>();
        assert_eq!(unsigned, [u64::MAX - 2047, 0, u64::MAX - 2047, 0]);
        let large = tf::cast(&tf::constant([-1]), DType::U64);
        assert_eq!(tf::saturate_cast(&large, DType::I64).to_vec::<i64>(), [i64::MAX]);
        assert_eq!(tf::saturate_cast(&tf::constant([-1]), DType::U64).to_vec::<u64>(), [0]);
        assert!(tf::try_saturate_cast(&tf::constant([1]), DType::Bool).is_err());
    }
}
