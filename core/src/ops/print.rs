//! `print`: tensors written to standard error in program order, an effect that a graph keeps.
//! TensorFlow's `tf.print`, which also writes there.

use crate::backend::cpu::CpuCall;
use crate::error::{OrFail, Result};
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, OpRef};
use crate::tensor::{Tensor, text};
use std::io::Write;
use std::sync::Arc;

/// Inputs: the tensors. The text has a `{}` for each.
#[derive(Clone)]
pub(crate) struct Print {
    pub text: Arc<str>,
}

impl Op for Print {
    fn name(&self) -> &'static str {
        "print"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, crate::op::Attr<'_>)) {
        visit("text", crate::op::Attr::Text(&self.text));
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, _: &mut Infer<'_>) -> Result<()> {
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let mut line = String::new();
        let mut parts = self.text.split("{}");
        line.push_str(parts.next().unwrap_or(""));
        for input in call.inputs {
            // SAFETY: a valid view.
            line.push_str(&unsafe { text::elements(input, None) });
            line.push_str(parts.next().unwrap_or(""));
        }
        line.push('\n');
        // A closed standard error must not stop a training run.
        let _ = std::io::stderr().write_all(line.as_bytes());
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("printing has no result")
    }
}

/// Writes tensors to standard error: each `{}` of the text stands for the next one.
///
/// ```
/// use eagerflow as tf;
/// tf::print("loss {}, step {}", &[&tf::constant(0.5), &tf::constant(3)]);
/// ```
#[track_caller]
pub fn print(text: &str, tensors: &[&Tensor]) {
    execute(&Print { text: text.into() }, tensors).map(drop).or_fail()
}
