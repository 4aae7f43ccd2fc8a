//! `substr`: a part of each string, by position and length in bytes or characters; positions may count from the end.
//! TensorFlow's `tf.strings.substr`: a position behind the end is an error, a length beyond the end is cut.

use super::bytes::{StringUnit, begins};
use super::{string_fn, string_op};
use crate::execute::execute1;
use crate::op::Outputs;
use crate::ops::{ToOperand, cast_to};
use crate::tensor::Tensor;
use crate::tensor::strings::{Builder, Strings};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};

/// Inputs: strings, positions and lengths.
#[derive(Clone)]
struct Substr {
    unit: StringUnit,
}

string_op!(Substr, "substr", { "unit": Text = |this| this.unit.text() }, may_fail: true,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::STRING)?;
        cx.check_dtype(1, DTypes::of(&[DType::I32, DType::I64]))?;
        let (at, len) = (cx.input(1), cx.input(2));
        if at.dtype != len.dtype {
            return Err(Error::invalid_argument("substr", "positions and lengths have different dtypes")
                .got(format!("{at} and {len}"))
                .help("convert one of them with `cast`"));
        }
        if at.shape.rank() != len.shape.rank() || at.shape.iter().zip(len.shape.iter()).any(|(a, b)| !a.can_equal(b)) {
            return Err(Error::invalid_argument("substr", "positions and lengths have different shapes")
                .got(format!("{at} and {len}"))
                .expected("one shape for both"));
        }
        at.shape.iter().zip(len.shape.iter()).for_each(|(a, b)| cx.constraints.push(a, b));
        let shape = cx.broadcast_all()?;
        cx.output(DType::String, shape);
        Ok(())
    },
    run: |this, inputs| this.cut(inputs)
);

impl Substr {
    fn cut(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let mut shape = *inputs[0].shape();
        let sizes = &mut kernels::shape::Constraints::default();
        for input in &inputs[1..] {
            shape = kernels::shape::broadcast(&shape, input.shape(), sizes).map_err(|e| e.in_op("substr"))?;
        }
        // What follows is part of the run, whatever records.
        let _run = crate::execute::Outside::enter();
        let numbers = |x: &Tensor| {
            let x = crate::ops::broadcast_to_shape(&cast_to(x, DType::I64)?, &shape)?;
            x.try_to_vec::<i64>()
        };
        let (at, len) = (numbers(inputs[1])?, numbers(inputs[2])?);
        let rows = Strings::of(inputs[0], "substr")?.broadcast(&shape)?;
        let mut out = Builder::with_capacity(rows.len(), 0);
        for ((row, at), len) in rows.into_iter().zip(at).zip(len) {
            let part = match self.unit {
                // TensorFlow takes a negative number of bytes for all that are left, and of characters for none.
                StringUnit::Byte => part(row.len(), at, if len < 0 { i64::MAX } else { len }).map(|range| &row[range]),
                StringUnit::Utf8Char => {
                    let starts: Vec<usize> = (0..row.len()).filter(|&i| begins(row[i])).collect();
                    let place = |i: usize| starts.get(i).copied().unwrap_or(row.len());
                    part(starts.len(), at, len).map(|range| &row[place(range.start)..place(range.end)])
                }
            };
            out.push(part.ok_or_else(|| {
                Error::invalid_argument("substr", "the position lies outside of the string")
                    .got(format!("position {at} of {}", crate::elements::strings::quoted(row)))
                    .expected("a position in the string, or one from its end if negative")
            })?)?;
        }
        Ok(smallvec::smallvec![out.finish(&shape)?])
    }
}

/// The units of a part among so many; none for a position outside.
fn part(count: usize, at: i64, len: i64) -> Option<std::ops::Range<usize>> {
    let start =
        if at < 0 { count.checked_sub(usize::try_from(at.unsigned_abs()).ok()?)? } else { usize::try_from(at).ok()? };
    let len = usize::try_from(len).unwrap_or(0);
    (start <= count).then(|| start..start.saturating_add(len).min(count))
}

#[track_caller]
fn run(x: &Tensor, at: crate::ops::Operand<'_>, len: crate::ops::Operand<'_>, unit: StringUnit) -> Result<Tensor> {
    let dtype = crate::ops::Operand::common_dtype(&[&at, &len]);
    let (at, len) = (at.tensor("substr", dtype)?, len.tensor("substr", dtype)?);
    execute1(&Substr { unit }, &[x, &at, &len])
}

string_fn! {
    /// `len` bytes of each string from byte `at`; negative positions count from the end, and what a string lacks is left out.
    ///
    /// Positions and lengths are numbers or integer tensors of one shape, which broadcasts with that of the strings.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant(["hello", "you"]);
    /// assert_eq!(tf::strings::substr(&x, 1, 3).to_strings(), ["ell", "ou"]);
    /// assert_eq!(tf::strings::substr(&x, -2, 1).to_strings(), ["l", "o"]);
    /// ```
    pub fn substr, try_substr(x, at: impl ToOperand, len: impl ToOperand) -> Tensor {
        run(x, at.to_operand(), len.to_operand(), StringUnit::Byte)
    }

    /// As [`substr`], in bytes or characters.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::strings::StringUnit;
    /// assert_eq!(tf::strings::substr_in("héllo", 1, 2, StringUnit::Utf8Char).item_string(), "él");
    /// ```
    pub fn substr_in, try_substr_in(x, at: impl ToOperand, len: impl ToOperand, unit: StringUnit) -> Tensor {
        run(x, at.to_operand(), len.to_operand(), unit)
    }
}
