//! Operands of binary operations: tensors, variables, or plain numbers that take the other side's dtype.
//! Operators and functions like `maximum` accept `impl ToOperand` and settle dtypes here.

use super::AsTensor;
use super::api::TensorRef;
use super::reduce_mean::count_of;
use crate::tensor::{Tensor, TensorType};
use crate::variable::Variable;
use kernels::dtype::{Complex, DType, Number};
use kernels::error::{Error, Result};
use kernels::shape::{AxisSet, Dim, Shape};

/// One side of a binary operation.
pub enum Operand<'a> {
    /// A tensor that the caller keeps.
    Borrowed(&'a Tensor),
    /// A tensor that the caller gives up, so that its memory may take the result.
    Owned(Tensor),
    /// A plain number.
    Number(Number, DType),
    /// A size that only a run knows, which takes the other side's dtype as a number does.
    Size(Dim),
}

/// What can be one side of a binary operation.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([-1.0, 2.0]);
/// assert_eq!(tf::maximum(&x, 0.0).to_vec::<f32>(), [0.0, 2.0]);
/// ```
pub trait ToOperand {
    /// This value as an operand; a variable is read at the caller's line.
    #[doc(hidden)]
    #[track_caller]
    fn to_operand<'a>(self) -> Operand<'a>
    where
        Self: 'a;
}

impl ToOperand for Tensor {
    fn to_operand<'a>(self) -> Operand<'a> {
        Operand::Owned(self)
    }
}

impl ToOperand for Variable {
    #[track_caller]
    fn to_operand<'a>(self) -> Operand<'a> {
        Operand::Owned(self.value())
    }
}

impl<T: AsTensor> ToOperand for &T {
    #[track_caller]
    fn to_operand<'a>(self) -> Operand<'a>
    where
        Self: 'a,
    {
        match self.as_tensor() {
            TensorRef::Borrowed(tensor) => Operand::Borrowed(tensor),
            TensorRef::Owned(tensor) => Operand::Owned(tensor),
        }
    }
}

/// A size of a tensor, as `x.dim(0)`, is a number, also where only a run knows it.
impl ToOperand for Dim {
    fn to_operand<'a>(self) -> Operand<'a> {
        match self.known_value() {
            Some(size) => size.to_operand(),
            None => Operand::Size(self),
        }
    }
}

// As Python's numbers, they are `int32` where no other side says otherwise.
impl ToOperand for usize {
    fn to_operand<'a>(self) -> Operand<'a> {
        Operand::Number(Number::Int(self as i128), DType::I32)
    }
}

impl ToOperand for isize {
    fn to_operand<'a>(self) -> Operand<'a> {
        Operand::Number(Number::Int(self as i128), DType::I32)
    }
}

/// A string, as a scalar tensor.
impl ToOperand for &str {
    #[track_caller]
    fn to_operand<'a>(self) -> Operand<'a>
    where
        Self: 'a,
    {
        Operand::Owned(crate::constant::constant(self))
    }
}

impl<'o> ToOperand for Operand<'o> {
    fn to_operand<'a>(self) -> Operand<'a>
    where
        Self: 'a,
    {
        self
    }
}

macro_rules! numbers {
    ($($t:ty: $variant:ident as $wide:ty => $dtype:ident),*) => {$(
        impl ToOperand for $t {
            fn to_operand<'a>(self) -> Operand<'a> {
                Operand::Number(Number::$variant(<$wide>::from(self)), DType::$dtype)
            }
        }
    )*};
}

numbers!(f32: Float as f64 => F32, f64: Float as f64 => F32, i32: Int as i128 => I32, i64: Int as i128 => I64,
    i8: Int as i128 => I8, i16: Int as i128 => I16, u8: Int as i128 => U8, u16: Int as i128 => U16,
    u32: Int as i128 => U32, u64: Int as i128 => U64, bool: Bool as bool => Bool);

macro_rules! complex_numbers {
    ($($t:ty => $dtype:ident),*) => {$(
        impl ToOperand for Complex<$t> {
            fn to_operand<'a>(self) -> Operand<'a> {
                Operand::Number(Number::Complex(self.re.into(), self.im.into()), DType::$dtype)
            }
        }
    )*};
}

// Python's complex numbers are `complex128`.
complex_numbers!(f32 => C64, f64 => C128);

impl ToOperand for Number {
    fn to_operand<'a>(self) -> Operand<'a> {
        let dtype = match self {
            Self::Float(_) => DType::F32,
            Self::Int(_) => DType::I64,
            Self::Bool(_) => DType::Bool,
            Self::Complex(..) => DType::C128,
        };
        Operand::Number(self, dtype)
    }
}

/// Numbers made ready to compute with, once a dtype is known.
pub(crate) trait NumberOf: Sized {
    /// The bits of this number in a dtype of real numbers or truth values.
    ///
    /// # Errors
    /// InvalidArgument if the dtype cannot hold it: a fraction for an integer type, a number out of its range, or a
    /// number and a truth value mixed.
    fn bits(self, op: &str, dtype: DType) -> Result<u64>;

    /// This number as a scalar tensor of a dtype. A float beside integers is refused, as in TensorFlow and in Rust: that 2.0
    /// would do where 2.5 does not is no help.
    fn tensor(self, op: &str, dtype: DType) -> Result<Tensor>;
}

impl NumberOf for Number {
    fn bits(self, op: &str, dtype: DType) -> Result<u64> {
        bits_if(self, op, dtype, true)
    }

    #[track_caller]
    fn tensor(self, op: &str, dtype: DType) -> Result<Tensor> {
        if dtype.is_complex() {
            return complex(self, op, dtype);
        }
        let bits = bits_if(self, op, dtype, false)?;
        let out = Tensor::uninit(&TensorType::scalar(dtype))?;
        // SAFETY: a fresh scalar of this dtype.
        unsafe { kernels::backend::cpu::vector::fill(dtype.size(), out.data(), bits, 1) };
        Ok(out)
    }
}

/// A number as a complex scalar.
#[track_caller]
fn complex(number: Number, op: &str, dtype: DType) -> Result<Tensor> {
    let (re, im) = match number {
        Number::Complex(re, im) => (re, im),
        Number::Bool(_) => return Err(refused(number, op, dtype, "a truth value cannot be used as a number")),
        real => (real.to_f64(), 0.0),
    };
    let out = Tensor::uninit(&TensorType::scalar(dtype))?;
    // SAFETY: a fresh scalar of this dtype.
    unsafe {
        match dtype {
            DType::C64 => out.data().cast::<Complex<f32>>().write(Complex::new(re as f32, im as f32)),
            _ => out.data().cast::<Complex<f64>>().write(Complex::new(re, im)),
        }
    }
    Ok(out)
}

#[cold]
fn refused(number: Number, op: &str, dtype: DType, what: &str) -> Error {
    let number = match number {
        Number::Bool(value) => value.to_string(),
        Number::Int(value) => value.to_string(),
        Number::Float(value) => format!("{value:?}"),
        Number::Complex(re, im) => Complex::new(re, im).to_string(),
    };
    Error::invalid_argument(op, what)
        .got(format!("{number} for a tensor of {dtype}"))
        .help("a plain number takes the tensor's dtype; `cast` the tensor, or write the number as that dtype")
}

/// The bits of a number in a dtype; whether floats that are `whole` are integers, too.
#[inline]
fn bits_if(number: Number, op: &str, dtype: DType, whole: bool) -> Result<u64> {
    let refuse = |what: &str| Err(refused(number, op, dtype, what));
    if dtype == DType::String {
        return refuse("a number cannot be used as a string");
    }
    let value = match number {
        Number::Bool(value) if dtype == DType::Bool => return Ok(u64::from(value)),
        Number::Bool(_) => return refuse("a truth value cannot be used as a number"),
        _ if dtype == DType::Bool => return refuse("a number cannot be used as a truth value"),
        Number::Complex(..) => return refuse("a complex number cannot be used with a tensor of real numbers"),
        Number::Float(value) => value,
        Number::Int(value) if dtype.is_integer() => {
            if Number::Int(value) < dtype.min() || Number::Int(value) > dtype.max() {
                return refuse("the number does not fit the dtype");
            }
            return Ok(value as u64 & u64::MAX >> (64 - 8 * dtype.size()));
        }
        Number::Int(value) => value as f64,
    };
    if dtype.is_integer() {
        if !whole {
            return Err(float_beside_integers(op, value, dtype));
        }
        if value.fract() != 0.0 || !value.is_finite() {
            return refuse("a fraction cannot be used with an integer tensor");
        }
        return Number::Int(value as i128).bits(op, dtype);
    }
    Ok(kernels::backend::cpu::vector::encode(dtype, value))
}

#[cold]
fn float_beside_integers(op: &str, value: f64, dtype: DType) -> Error {
    let whole = value.fract() == 0.0 && value.abs() < 1e15;
    let help = match whole {
        true => format!("write `{value}`, or `cast` the tensor to a float"),
        false => "a plain number takes the tensor's dtype: `cast` the tensor to a float".to_owned(),
    };
    Error::invalid_argument(op, "a float cannot be used with an integer tensor")
        .got(format!("{value:?} for a tensor of {dtype}"))
        .expected("an integer, or a tensor of floats")
        .help(help)
}

impl<'a> Operand<'a> {
    /// The dtype of a tensor operand.
    fn dtype(&self) -> Option<DType> {
        match self {
            Self::Borrowed(tensor) => Some(tensor.dtype()),
            Self::Owned(tensor) => Some(tensor.dtype()),
            Self::Number(..) | Self::Size(_) => None,
        }
    }

    /// The dtype numbers among the operands take: that of the first tensor, else that of the first number.
    pub(crate) fn common_dtype(operands: &[&Operand<'_>]) -> DType {
        let tensor = operands.iter().find_map(|o| o.dtype());
        tensor.unwrap_or_else(|| match operands[0] {
            Operand::Number(_, dtype) => *dtype,
            Operand::Size(_) => DType::I32,
            _ => DType::F32,
        })
    }

    /// The operand as a tensor; a number gets `dtype`.
    #[track_caller]
    pub(crate) fn tensor(self, op: &str, dtype: DType) -> Result<TensorRef<'a>> {
        Ok(match self {
            Self::Borrowed(tensor) => TensorRef::Borrowed(tensor),
            Self::Owned(tensor) => TensorRef::Owned(tensor),
            Self::Number(number, _) => TensorRef::Owned(number.tensor(op, dtype)?),
            Self::Size(size) => TensorRef::Owned(size_as(size, op, dtype)?),
        })
    }
}

/// A size that only a run knows as a scalar of a dtype.
#[track_caller]
fn size_as(size: Dim, op: &str, dtype: DType) -> Result<Tensor> {
    if dtype == DType::Bool || dtype.size() == 0 {
        return Err(Error::invalid_argument(op, "a size is a number").got(size).expected(dtype));
    }
    let real = if dtype.is_complex() { DType::F64 } else { dtype };
    super::cast_to(&count_of(&Shape::from_dims(&[size])?, AxisSet::all(1), real)?, dtype)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;

    #[test]
    fn limits_are_operands() {
        for dtype in DType::ALL.into_iter().filter(|d| *d != DType::Bool && !d.is_complex()) {
            let zero = tf::constant_of(0, dtype);
            for limit in [dtype.min(), dtype.max()] {
                assert_eq!((&zero + limit).try_to_f64().unwrap(), limit.to_f64(), "{dtype}");
            }
        }
        let big = tf::constant_of(0, DType::I64) + tf::int64.max();
        assert_eq!(big.item::<i64>(), i64::MAX);
        assert!(tf::constant_of(0, DType::I8).try_add(tf::uint8.max()).is_err(), "255 does not fit");
    }
}
