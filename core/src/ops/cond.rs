//! `cond`: one of two bodies, chosen by a scalar truth value; the body's own operations come through the door.
//! TensorFlow's `tf.cond` on recorded bodies; gradients flow through the operations of the body that ran.

use crate::dtype::DTypes;
use crate::error::{Error, Result};
use crate::op::{Attr, Gradient, Infer, Kind, Op, OpRef, Outputs};
use crate::tensor::{Tensor, TensorType};
use std::sync::Arc;

/// A recorded body: operations over inputs that can be run again.
#[cfg_attr(not(test), allow(dead_code, reason = "bodies are recorded by tf_function, and by the skeleton test"))]
pub(crate) trait Body: Send + Sync {
    /// A number that tells bodies apart.
    fn id(&self) -> u64;
    /// The types of the results, the same for every run.
    fn types(&self) -> &[TensorType];
    /// Runs the operations through the door.
    fn run(&self, inputs: &[&Tensor]) -> Result<Outputs>;
}

/// Inputs: the condition, then the inputs of both bodies.
#[derive(Clone)]
#[cfg_attr(not(test), allow(dead_code, reason = "tf_function makes it; so does the skeleton test"))]
pub(crate) struct Cond {
    pub then: Arc<dyn Body>,
    pub otherwise: Arc<dyn Body>,
}

impl Op for Cond {
    fn name(&self) -> &'static str {
        "cond"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("then", Attr::Int(self.then.id() as i64));
        visit("else", Attr::Int(self.otherwise.id() as i64));
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::BOOL)?;
        if cx.shape(0).rank() != 0 {
            return Err(Error::invalid_argument("cond", "the condition must be a scalar").got(cx.input(0)).expected("bool[]"));
        }
        if self.then.types() != self.otherwise.types() {
            return Err(Error::invalid_argument("cond", "the two bodies give different types")
                .got(format!("{:?} and {:?}", self.then.types(), self.otherwise.types())));
        }
        self.then.types().iter().for_each(|t| cx.output(t.dtype, t.shape));
        Ok(())
    }

    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let body = if inputs[0].try_item::<bool>()? { &self.then } else { &self.otherwise };
        body.run(&inputs[1..])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}
