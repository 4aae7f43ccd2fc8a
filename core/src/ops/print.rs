//! `print`: tensors written to standard error in program order, an effect that a graph keeps.
//! TensorFlow's `tf.print`, which also writes there.

use crate::backend::cpu::CpuCall;
use crate::backend::cpu::copy::copy;
use crate::error::{OrFail, Result};
use crate::execute::{execute, view_of};
use crate::op::{Gradient, Infer, Kind, Op, OpRef};
use crate::shape::Shape;
use crate::tensor::{Tensor, TensorType, text};
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

/// A part of a printed line.
#[derive(Clone)]
pub(crate) enum Piece {
    Text(String),
    /// The next input, by the user's own format.
    Value(fn(&Tensor) -> String),
}

/// One line of `println!` and its kin. Inputs: the tensors in it.
#[derive(Clone)]
pub(crate) struct PrintLine {
    /// Whether it goes to standard error.
    pub error: bool,
    pub pieces: Arc<[Piece]>,
}

impl Op for PrintLine {
    fn name(&self) -> &'static str {
        "print_line"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, crate::op::Attr<'_>)) {
        let text: String = self.pieces.iter().map(|p| if let Piece::Text(text) = p { text } else { "{}" }).collect();
        visit("text", crate::op::Attr::Text(&text));
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
        let mut inputs = call.inputs.iter();
        for piece in self.pieces.iter() {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Value(format) => {
                    let Some(input) = inputs.next() else { continue };
                    let ty = TensorType::new(input.dtype, Shape::new(input.dims())?);
                    let tensor = Tensor::uninit(&ty)?;
                    // SAFETY: a valid view, and a fresh tensor of its type.
                    unsafe { copy(input, &view_of(&tensor)) };
                    line.push_str(&format(&tensor));
                }
            }
        }
        // The macros, so that tests capture the line.
        match self.error {
            true => eprint!("{line}"),
            false => print!("{line}"),
        }
        if !self.error && !line.ends_with('\n') {
            let _ = std::io::stdout().flush();
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("printing has no result")
    }
}
