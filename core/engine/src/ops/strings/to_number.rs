//! `to_number`: numbers read from strings, white space around them left out; what is no number is an error.
//! TensorFlow's `tf.strings.to_number`, to `float32`, `float64` and integers of 32 and 64 bits.

use super::bytes::stripped;
use super::{numbers, same_shape, string_fn, string_op};
use crate::elements::strings::quoted;
use crate::execute::execute1;
use crate::op::Outputs;
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes, Element};
use kernels::error::{Error, Result};
use std::str::FromStr;

const TO: DTypes = DTypes::of(&[DType::F32, DType::F64, DType::I32, DType::I64, DType::U32, DType::U64]);

#[derive(Clone)]
struct ToNumber {
    to: DType,
}

string_op!(ToNumber, "string_to_number", { "to": DType = |this| this.to }, may_fail: true,
    infer: |this, cx| same_shape(cx, this.to),
    run: |this, inputs| match this.to {
        DType::F32 => all(inputs[0], |text| float::<f32>(text).or_else(|| hexadecimal(text).map(|value| value as f32))),
        DType::F64 => all(inputs[0], |text| float::<f64>(text).or_else(|| hexadecimal(text))),
        DType::I32 => all(inputs[0], integer::<i32>),
        DType::I64 => all(inputs[0], integer::<i64>),
        DType::U32 => all(inputs[0], integer::<u32>),
        _ => all(inputs[0], integer::<u64>),
    }
);

fn all<T: Element>(input: &Tensor, read: impl Fn(&str) -> Option<T>) -> Result<Outputs> {
    numbers("string_to_number", input, |row| {
        let text = std::str::from_utf8(stripped(row)).ok();
        text.and_then(&read).ok_or_else(|| {
            Error::invalid_argument("string_to_number", "the string is no number of this type")
                .got(quoted(&row[..row.len().min(60)]))
                .expected(T::DTYPE)
        })
    })
}

fn integer<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn float<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// A number of C's hexadecimal notation, such as `0x1.8p3`.
fn hexadecimal(text: &str) -> Option<f64> {
    let (sign, text) = match text.as_bytes() {
        [b'-', ..] => (-1.0, &text[1..]),
        [b'+', ..] => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let text = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let (digits, exponent) = match text.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?.clamp(-5000, 5000)),
        None => (text, 0),
    };
    let (mut value, mut scale, mut point, mut any) = (0_u64, exponent, false, false);
    for digit in digits.chars() {
        if digit == '.' && !point {
            point = true;
            continue;
        }
        let digit = u64::from(digit.to_digit(16)?);
        any = true;
        // Digits beyond those of a double only move the point; whether one of them is set decides how it is rounded.
        if value >> 60 == 0 {
            value = value << 4 | digit;
            scale -= if point { 4 } else { 0 };
        } else {
            value |= u64::from(digit != 0);
            scale += if point { 0 } else { 4 };
        }
    }
    let half = scale / 2;
    any.then(|| sign * value as f64 * 2f64.powi(half) * 2f64.powi(scale - half))
}

string_fn! {
    /// The numbers that the strings say, in a dtype: `float32`, `float64`, `int32`, `int64`, `uint32` or `uint64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::strings::to_number(&tf::constant(["1.5", " -2e3 "]), tf::float32);
    /// assert_eq!(x.to_vec::<f32>(), [1.5, -2000.0]);
    /// assert!(tf::strings::try_to_number("1.5", tf::int32).is_err());
    /// ```
    pub fn to_number, try_to_number(x, dtype: DType) -> Tensor {
        if !TO.has(dtype) {
            return Err(Error::invalid_argument("to_number", "strings are not read as numbers of this dtype")
                .got(dtype)
                .expected(format!("one of {TO}"))
                .help("read them as one of these and `cast` the result"));
        }
        execute1(&ToNumber { to: dtype }, &[x])
    }
}
