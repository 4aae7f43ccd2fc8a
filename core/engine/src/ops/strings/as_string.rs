//! `as_string`: numbers and truth values written as strings, by C's `printf`.
//! TensorFlow's `tf.as_string` with its options; `%f` for floats, `%d` for integers, `true` and `false`.

use super::printf::{Format, Notation};
use super::{string_fn, string_op};
use crate::execute::execute1;
use crate::op::Outputs;
use crate::ops::cast_to;
use crate::tensor::Tensor;
use crate::tensor::strings::{Builder, Strings};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};

/// How [`as_string_with`] writes: TensorFlow's options of `tf.as_string`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct AsStringOptions {
    /// Digits after the point, for floats; 6 if not said.
    pub precision: Option<usize>,
    /// Floats as `1.5e+00`.
    pub scientific: bool,
    /// Floats as short as can be, C's `%g`.
    pub shortest: bool,
    /// The least width.
    pub width: usize,
    /// What C's `printf` calls a flag: `+`, ` `, `0`, `-` or `#`.
    pub fill: Option<char>,
}

#[derive(Clone)]
struct AsString {
    format: Format,
    notation: Notation,
}

string_op!(AsString, "as_string", {
        "precision": Int = |this| this.format.precision.map_or(-1, |precision| precision as i64),
        "notation": Int = |this| this.notation as i64,
        "width": Int = |this| this.format.width as i64,
        "fill": Int = |this| this.format.flag.map_or(-1, |flag| flag as i64),
    }, may_fail: false,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        cx.output(DType::String, *cx.shape(0));
        Ok(())
    },
    run: |this, inputs| this.write(inputs[0])
);

impl AsString {
    fn write(&self, input: &Tensor) -> Result<Outputs> {
        // What follows is part of the run, whatever records.
        let _run = crate::execute::Outside::enter();
        let mut out = Builder::with_capacity(input.num_elements(), 0);
        match input.dtype() {
            DType::String => Strings::of(input, "as_string")?.each(|row| out.push(&self.format.text(row)))?,
            DType::Bool => {
                let truths = input.try_to_vec::<bool>()?;
                truths.iter().try_for_each(|truth| out.push(if *truth { b"true" } else { b"false" }))?;
            }
            DType::U64 => {
                let values = input.try_to_vec::<u64>()?;
                values.iter().try_for_each(|&value| out.push(self.format.integer(value.into()).as_bytes()))?;
            }
            dtype if dtype.is_floating() => {
                let values = cast_to(input, DType::F64)?.try_to_vec::<f64>()?;
                values.iter().try_for_each(|&value| out.push(self.format.float(value, self.notation).as_bytes()))?;
            }
            _ => {
                let values = cast_to(input, DType::I64)?.try_to_vec::<i64>()?;
                values.iter().try_for_each(|&value| out.push(self.format.integer(value.into()).as_bytes()))?;
            }
        }
        Ok(smallvec::smallvec![out.finish(input.shape())?])
    }
}

/// The widths and numbers of digits that are refused before memory is: no text is so long.
const MOST: usize = 1 << 16;

#[track_caller]
fn written(x: &Tensor, options: &AsStringOptions) -> Result<Tensor> {
    let wrong = |what: &str, got: String| Err(Error::invalid_argument("as_string", what.to_owned()).got(got));
    let AsStringOptions { precision, scientific, shortest, width, fill } = *options;
    if scientific && shortest {
        return wrong("`scientific` and `shortest` exclude each other", "both".into());
    }
    let dtype = x.dtype();
    let number = dtype.is_floating() || dtype == DType::String;
    if !number && (precision.is_some() || scientific || shortest) {
        return wrong("`precision`, `scientific` and `shortest` are for floats", dtype.to_string());
    }
    if let Some(fill) = fill.filter(|fill| !matches!(fill, '+' | ' ' | '0' | '-' | '#')) {
        return Err(Error::invalid_argument("as_string", "the fill is no flag of `printf`")
            .got(format!("{fill:?}"))
            .expected("'+', ' ', '0', '-' or '#'"));
    }
    if width > MOST || precision.is_some_and(|precision| precision > MOST) {
        return wrong("the width or the precision is too large", format!("{width} and {precision:?}"));
    }
    let notation = match (scientific, shortest) {
        (true, _) => Notation::Scientific,
        (_, true) => Notation::Shortest,
        _ => Notation::Plain,
    };
    execute1(&AsString { format: Format { flag: fill, width, precision }, notation }, &[x])
}

string_fn! {
    /// The numbers or truth values as strings: `%f` for floats, `%d` for integers, `true` and `false`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::as_string(&tf::constant([1.5, -2.0])).to_strings(), ["1.500000", "-2.000000"]);
    /// assert_eq!(tf::as_string(&tf::constant(7)).item_string(), "7");
    /// ```
    pub fn as_string, try_as_string(x) -> Tensor {
        written(x, &AsStringOptions::default())
    }

    /// As [`as_string`] with the options of C's `printf`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::strings::AsStringOptions;
    /// let short = AsStringOptions { shortest: true, ..Default::default() };
    /// assert_eq!(tf::strings::as_string_with(&tf::constant([1.5, 1e10]), &short).to_strings(), ["1.5", "1e+10"]);
    /// let wide = AsStringOptions { precision: Some(2), width: 8, fill: Some('0'), ..Default::default() };
    /// assert_eq!(tf::strings::as_string_with(&tf::constant(-1.5), &wide).item_string(), "-0001.50");
    /// ```
    pub fn as_string_with, try_as_string_with(x, options: &AsStringOptions) -> Tensor {
        written(x, options)
    }
}
