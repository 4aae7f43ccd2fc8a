//! The operation `host_function`: a closure that a graph runs on the host, in program order, with results of types that were said.
//! `host_function` records one for the call, and one for its gradient.

use crate::execute::execute;
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Op, Outputs, identity};
use crate::ops::element_types;
use crate::tape::{Backward, Unseen};
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const NAME: &str = "host_function";

/// A closure over lists of tensors.
pub(super) type Run = dyn Fn(&[&Tensor]) -> Result<Vec<Tensor>> + Send + Sync;

/// Which types the results have.
#[derive(Clone)]
pub(super) enum Types {
    /// Those that the user said.
    Said(Arc<[TensorType]>),
    /// Those of some of the first `of` inputs.
    OfInputs { follows: Arc<[usize]>, of: usize },
}

/// Inputs and outputs: those of the closure.
#[derive(Clone)]
pub(super) struct HostFunction {
    run: Arc<Run>,
    types: Types,
    /// No two are the same.
    number: u64,
}

impl HostFunction {
    pub fn new(run: Arc<Run>, types: Types) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        Self { run, types, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// An error unless the results have their types.
    fn check(&self, inputs: &[&Tensor], results: &[Tensor]) -> Result<()> {
        let expected: Vec<TensorType> = match &self.types {
            Types::Said(types) => types.to_vec(),
            Types::OfInputs { follows, .. } => follows.iter().map(|&i| *inputs[i].ty()).collect(),
        };
        if expected.len() != results.len() {
            return Err(Error::invalid_argument(NAME, "the function gives another number of tensors than was said")
                .got(results.len())
                .expected(expected.len()));
        }
        for (i, (ty, result)) in expected.iter().zip(results).enumerate() {
            let sizes = || ty.shape.iter().zip(result.shape().iter()).all(|(a, b)| !a.is_known() || a == b);
            if ty.dtype != result.dtype() || ty.shape.rank() != result.rank() || !sizes() {
                return Err(Error::invalid_argument(
                    NAME,
                    format!("result {i} of the function has another type than was said"),
                )
                .got(result.ty())
                .expected(ty)
                .help("say the shape and dtype that it has, with `None` for sizes that vary"));
            }
        }
        Ok(())
    }
}

impl Op for HostFunction {
    identity!("host_function", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("number", Attr::Int(self.number as i64));
    }

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        match &self.types {
            Types::Said(types) => element_types(types, cx),
            Types::OfInputs { follows, .. } => {
                follows.iter().for_each(|&i| cx.output(cx.dtype(i), *cx.shape(i)));
                Ok(())
            }
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    /// The call has a custom gradient; this is a gradient of that one, which fails when somebody wants it.
    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let refuse: Arc<Run> = Arc::new(|_| {
            Err(Error::unimplemented(NAME, "a function of the host has gradients of the first order only")
                .got("a gradient of its gradient")
                .help("write it with the library's operations, or as a function under `#[custom_gradient]`"))
        });
        let wanted: Vec<usize> = (0..g.len()).filter(|&i| g.needs(i)).collect();
        let types = wanted.iter().map(|&i| *g.input_type(i)).collect();
        for (i, dx) in wanted.into_iter().zip(execute(&Self::new(refuse, Types::Said(types)), &[])?) {
            g.give(i, dx);
        }
        Ok(())
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for HostFunction {
    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let mut results = {
            // What flows back is said by the gradient.
            let _unseen = Unseen::start();
            (self.run)(inputs).map_err(|e| e.in_op(NAME))?
        };
        if let Types::OfInputs { follows, of } = &self.types
            && results.len() == *of
        {
            results = follows.iter().map(|&i| results[i].clone()).collect();
        }
        self.check(inputs, &results)?;
        Ok(results.into_iter().collect())
    }
}
