//! `where` of strings: those of x where the condition holds, else those of y; all three broadcast, and no string is copied.
//! `select` and `where_` call it where they meet strings. TensorFlow's `tf.where` of `tf.string`.

use super::string_op;
use crate::execute::run_at;
use crate::op::Outputs;
use crate::ops::select::Select;
use crate::tensor::Tensor;
use crate::tensor::strings::{Strings, Union};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use std::panic::Location;

/// Inputs: truth values, and two tensors of strings.
#[derive(Clone)]
pub(in crate::ops) struct StringWhere;

string_op!(StringWhere, "string_where", {}, may_fail: false,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::BOOL)?;
        cx.check_dtype(1, DTypes::STRING)?;
        if cx.dtype(2) != cx.dtype(1) {
            return Err(Error::invalid_argument("where", "the two values have different dtypes")
                .got(format!("{} and {}", cx.dtype(1), cx.dtype(2)))
                .expected("one dtype for both")
                .help("`as_string` writes numbers as strings"));
        }
        let shape = cx.broadcast_all()?;
        cx.output(cx.dtype(1), shape);
        Ok(())
    },
    run: |_this, inputs| select(inputs)
);

/// Selects among the words that stand for the strings.
#[track_caller]
fn select(inputs: &[&Tensor]) -> Result<Outputs> {
    let mut union = Union::new();
    let x = union.words(Strings::of(inputs[1], "where")?)?;
    let y = union.words(Strings::of(inputs[2], "where")?)?;
    let words = run_at(&Select, &[inputs[0], &x, &y], 0, Location::caller())?.remove(0);
    Ok(smallvec::smallvec![Strings::settled(words, &union.arenas())?])
}
