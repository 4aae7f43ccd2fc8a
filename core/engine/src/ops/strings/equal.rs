//! `equal` and `not_equal` of strings, byte by byte, with broadcasting; truth values, so no gradient.
//! `run_binary` calls it where `equal` meets strings. TensorFlow's `tf.equal` of `tf.string`; it has no order of strings.

use super::{broadcast, string_op};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};

/// Inputs: two tensors of strings.
#[derive(Clone)]
pub(in crate::ops) struct StringEqual {
    /// The answer where the strings are equal.
    pub equal: bool,
}

string_op!(StringEqual, "string_equal", { "equal": Bool = |this| this.equal }, may_fail: false,
    infer: |_this, cx| {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::STRING)?;
        let shape = cx.broadcast_all()?;
        cx.output(DType::Bool, shape);
        Ok(())
    },
    run: |this, inputs| broadcast("equal", inputs).and_then(|(shape, rows)| {
        let truths = rows[0].iter().zip(&rows[1]).map(|(a, b)| (a == b) == this.equal).collect();
        Ok(smallvec::smallvec![Tensor::try_from_vec::<bool>(truths, shape)?])
    })
);
