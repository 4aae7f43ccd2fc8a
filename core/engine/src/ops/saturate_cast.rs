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
    from: DType,
    to: DType,
}

impl Op for SaturateCast {
    identity!("saturate_cast", { "from": DType = |this| this.from, "to": DType = |this| this.to });

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
        let (dtype, mut y) = (s.dtype(x[0]), x[0]);
        let (low, high) = match self.from.is_floating() {
            true => {
                let (low, high) = float_bounds(self.from, self.to);
                (Some(s.constant(dtype, low)), Some(s.constant(dtype, high)))
            }
            false => {
                let (low, high) = integer_bounds(self.from, self.to);
                let mask = u64::MAX >> (64 - 8 * dtype.size());
                (low.map(|bits| s.bits(dtype, bits & mask)), high.map(|bits| s.bits(dtype, bits & mask)))
            }
        };
        // Comparisons, not `min` and `max`: nan stays as it is, and dy goes through at the bounds.
        if let Some(low) = low {
            y = s.select(s.lt(y, low), low, y);
        }
        if let Some(high) = high {
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

/// The bits of a float's significand.
fn precision(dtype: DType) -> i32 {
    match dtype {
        DType::F16 => 11,
        DType::BF16 => 8,
        DType::F32 => 24,
        _ => 53,
    }
}

/// The greatest finite number of a float.
fn most(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => 3.389_531_389_251_535_5e38,
        DType::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

/// The bounds of floats: the lowest and the greatest finite number of both dtypes.
fn float_bounds(from: DType, to: DType) -> (f64, f64) {
    if to.is_floating() {
        let high = most(from).min(most(to));
        if precision(from) >= precision(to) || high == most(from) {
            return (-high, high);
        }
        // A float of fewer digits takes the next one below.
        let step = 2f64.powi(high.log2().floor() as i32 + 1 - precision(from));
        let high = (high / step).floor() * step;
        return (-high, high);
    }
    let signed = to.is_signed_integer();
    let bits = 8 * to.size() as i32 - i32::from(signed);
    let end = 2f64.powi(bits);
    let below = if precision(from) >= bits { end - 1.0 } else { end - 2f64.powi(bits - precision(from)) };
    let low = if signed { -end } else { 0.0 };
    (low.max(-most(from)), below.min(most(from)))
}

/// The bounds of integers that `from` goes beyond, as their bits.
fn integer_bounds(from: DType, to: DType) -> (Option<u64>, Option<u64>) {
    let range = |d: DType| match d.is_signed_integer() {
        // All other floats go beyond all integers.
        _ if d == DType::F16 => (-65504, 65504),
        _ if d.is_floating() => (i128::MIN, i128::MAX),
        true => (-(1i128 << (8 * d.size() - 1)), (1i128 << (8 * d.size() - 1)) - 1),
        false => (0, (1i128 << (8 * d.size())) - 1),
    };
    let (own, other) = (range(from), range(to));
    ((own.0 < other.0).then_some(other.0 as u64), (own.1 > other.1).then_some(other.1 as u64))
}

public! {
    /// The elements converted to another dtype, those beyond its range as the nearest value within.
    ///
    /// Floats become integers toward zero; the greatest value is then the greatest below the end of the range that both dtypes
    /// have, as in TensorFlow. So infinities become finite, in their own dtype too. Nan stays nan among floats, and is 0 as an integer.
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
        if x.dtype() == dtype && !dtype.is_floating() {
            return Ok(x.clone());
        }
        execute1(&SaturateCast { from: x.dtype(), to: dtype }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use kernels::dtype::DType;

    #[test]
    fn ends_of_64_bits_stay_within() {
        let ends = tf::Tensor::from(vec![f64::INFINITY, -f64::INFINITY, 1e30, f64::NAN]);
        let most = i64::MAX - 1023;
        assert_eq!(tf::saturate_cast(&ends, DType::F64).to_vec::<f64>()[..2], [f64::MAX, f64::MIN]);
        assert_eq!(tf::saturate_cast(&ends, DType::I64).to_vec::<i64>(), [most, i64::MIN, most, 0]);
        let unsigned = tf::saturate_cast(&ends, DType::U64).to_vec::<u64>();
        assert_eq!(unsigned, [u64::MAX - 2047, 0, u64::MAX - 2047, 0]);
        let large = tf::cast(&tf::constant([-1]), DType::U64);
        assert_eq!(tf::saturate_cast(&large, DType::I64).to_vec::<i64>(), [i64::MAX]);
        assert_eq!(tf::saturate_cast(&tf::constant([-1]), DType::U64).to_vec::<u64>(), [0]);
        assert!(tf::try_saturate_cast(&tf::constant([1]), DType::Bool).is_err());
    }
}
