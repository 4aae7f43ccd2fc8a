//! `equal` and `not_equal` of strings, byte by byte, with broadcasting; truth values, so no gradient.
//! `run_binary` calls it where `equal` meets strings. TensorFlow's `tf.equal` of `tf.string`; it has no order of strings.

use crate::op::{Gradient, Infer, Kind, Op, Outputs, identity};
use crate::ops::strings::broadcast;
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;

/// Inputs: two tensors of strings.
#[derive(Clone)]
pub(crate) struct StringEqual {
    /// The answer where the strings are equal.
    pub equal: bool,
}

impl Op for StringEqual {
    identity!("string_equal", { "equal": Bool = |this| this.equal });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::STRING)?;
        let shape = cx.broadcast_all()?;
        cx.output(DType::Bool, shape);
        Ok(())
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        Some(broadcast(self.name(), inputs).and_then(|(shape, rows)| {
            let truths = rows[0].iter().zip(&rows[1]).map(|(a, b)| (a == b) == self.equal).collect();
            Ok(smallvec::smallvec![Tensor::try_from_vec::<bool>(truths, shape)?])
        }))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("truth values carry no gradient")
    }
}
