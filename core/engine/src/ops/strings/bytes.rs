//! `length`, `lower`, `upper` and `strip`: each string by itself, as bytes or as UTF-8.
//! TensorFlow's `tf.strings` of these names; what is no UTF-8 becomes U+FFFD where a function reads characters, as there.

use super::{map, numbers, same_shape, string_fn, string_op};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use std::io::Write;

/// What lengths and positions in strings count: TensorFlow's `unit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StringUnit {
    /// Bytes, TensorFlow's `BYTE`.
    #[default]
    Byte,
    /// Characters of UTF-8, TensorFlow's `UTF8_CHAR`.
    Utf8Char,
}

impl StringUnit {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Byte => "BYTE",
            Self::Utf8Char => "UTF8_CHAR",
        }
    }
}

/// Whether a byte begins a character of UTF-8, or would if the bytes were UTF-8.
pub(super) const fn begins(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

#[derive(Clone)]
struct StringLength {
    unit: StringUnit,
}

string_op!(StringLength, "string_length", { "unit": Text = |this| this.unit.text() }, may_fail: false,
    infer: |_this, cx| same_shape(cx, DType::I32),
    run: |this, inputs| numbers("string_length", inputs[0], |row| Ok(match this.unit {
        StringUnit::Byte => row.len(),
        StringUnit::Utf8Char => row.iter().filter(|byte| begins(**byte)).count(),
    } as i32))
);

/// What `string_lower` and `string_upper` do.
#[derive(Clone)]
struct Case {
    upper: bool,
    /// Whether characters are turned that are not ASCII.
    utf8: bool,
}

string_op!(Case, "string_case", { "upper": Bool = |this| this.upper, "utf8": Bool = |this| this.utf8 }, may_fail: false,
    infer: |_this, cx| same_shape(cx, DType::String),
    run: |this, inputs| map("string_case", inputs[0], |row, out| {
        match (this.utf8, this.upper) {
            (false, true) => out.extend(row.iter().map(u8::to_ascii_uppercase)),
            (false, false) => out.extend(row.iter().map(u8::to_ascii_lowercase)),
            // Writing to a vector does not fail.
            (true, true) => _ = out.write_all(String::from_utf8_lossy(row).to_uppercase().as_bytes()),
            (true, false) => _ = out.write_all(String::from_utf8_lossy(row).to_lowercase().as_bytes()),
        }
        Ok(())
    })
);

#[derive(Clone)]
struct StringStrip;

/// White space of C, which has one more than Rust's of ASCII.
pub(super) const fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Bytes without the white space at both ends.
pub(super) fn stripped(row: &[u8]) -> &[u8] {
    let start = row.iter().position(|&byte| !is_space(byte)).unwrap_or(row.len());
    let end = row.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &row[start..end]
}

string_op!(StringStrip, "string_strip", {}, may_fail: false,
    infer: |_this, cx| same_shape(cx, DType::String),
    run: |_this, inputs| map("string_strip", inputs[0], |row, out| {
        out.extend_from_slice(stripped(row));
        Ok(())
    })
);

string_fn! {
    /// The number of bytes of each string, `int32`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::length(&tf::constant(["abc", "é"])).to_vec::<i32>(), [3, 2]);
    /// ```
    pub fn length, try_length(x) -> Tensor {
        execute1(&StringLength { unit: StringUnit::Byte }, &[x])
    }

    /// The number of bytes or characters of each string, `int32`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::strings::StringUnit;
    /// assert_eq!(tf::strings::length_in(&tf::constant("né"), StringUnit::Utf8Char).item::<i32>(), 2);
    /// ```
    pub fn length_in, try_length_in(x, unit: StringUnit) -> Tensor {
        execute1(&StringLength { unit }, &[x])
    }

    /// The strings with the capital letters of ASCII made small.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::lower("ABC É").item_string(), "abc É");
    /// ```
    pub fn lower, try_lower(x) -> Tensor {
        execute1(&Case { upper: false, utf8: false }, &[x])
    }

    /// The strings with all capital letters made small, TensorFlow's `lower(x, encoding="utf-8")`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::lower_utf8("ABC É").item_string(), "abc é");
    /// ```
    pub fn lower_utf8, try_lower_utf8(x) -> Tensor {
        execute1(&Case { upper: false, utf8: true }, &[x])
    }

    /// The strings with the small letters of ASCII made capital.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::upper("abc").item_string(), "ABC");
    /// ```
    pub fn upper, try_upper(x) -> Tensor {
        execute1(&Case { upper: true, utf8: false }, &[x])
    }

    /// The strings with all small letters made capital, TensorFlow's `upper(x, encoding="utf-8")`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::upper_utf8("straße").item_string(), "STRASSE");
    /// ```
    pub fn upper_utf8, try_upper_utf8(x) -> Tensor {
        execute1(&Case { upper: true, utf8: true }, &[x])
    }

    /// The strings without white space of ASCII at both ends.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::strip(" a b\n").item_string(), "a b");
    /// ```
    pub fn strip, try_strip(x) -> Tensor {
        execute1(&StringStrip, &[x])
    }
}
