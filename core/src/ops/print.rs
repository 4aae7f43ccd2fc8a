//! `print`: tensors written in program order, an effect that a graph keeps; and the lines of `println!` and its kin.
//! TensorFlow's `tf.print`, which also writes to standard error.

use crate::backend::cpu::{CpuCall, View, copy};
use crate::error::{OrFail, Result};
use crate::execute::{execute, view_of};
use crate::op::{Gradient, Infer, Kind, Op, OpRef};
use crate::shape::Shape;
use crate::tensor::{Tensor, TensorType, text};
use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;

/// Where a line goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

thread_local! {
    static CAPTURED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `body` and gives what it printed on this thread, which is written nowhere else.
pub(crate) fn capture<R>(body: impl FnOnce() -> R) -> (R, String) {
    struct Back(Option<String>);
    impl Drop for Back {
        fn drop(&mut self) {
            CAPTURED.set(self.0.take());
        }
    }
    let _back = Back(CAPTURED.replace(Some(String::new())));
    let result = body();
    (result, CAPTURED.take().unwrap_or_default())
}

/// Whether a [`capture`] takes the text.
fn captured(text: &str) -> bool {
    CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(|all| all.push_str(text)).is_some())
}

/// Writes text now.
pub(crate) fn write(stream: Stream, text: &str) {
    if captured(text) {
        return;
    }
    // The macros, so that the test harness captures it.
    match stream {
        Stream::Out => print!("{text}"),
        Stream::Error => eprint!("{text}"),
    }
    if !text.ends_with('\n') {
        let _ = std::io::stdout().flush();
    }
}

/// A part of a line: text, or the next tensor in a form of its own.
#[derive(Clone)]
pub(crate) enum Piece {
    Text(String),
    Value(fn(&Tensor) -> String),
}

/// A line of `println!` and its kin in a graph. Inputs: the tensors that its pieces show.
#[derive(Clone)]
pub(crate) struct PrintLine {
    pub stream: Stream,
    pub pieces: Arc<[Piece]>,
}

impl Op for PrintLine {
    fn name(&self) -> &'static str {
        "print_line"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, crate::op::Attr<'_>)) {
        let each = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Value(_) => "{}",
        });
        visit("text", crate::op::Attr::Text(&each.collect::<String>()));
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
        for piece in &*self.pieces {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Value(format) => {
                    if let Some(input) = inputs.next() {
                        // SAFETY: a valid view.
                        line.push_str(&format(&unsafe { tensor(input) }?));
                    }
                }
            }
        }
        write(self.stream, &line);
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("printing has no result")
    }
}

/// A tensor of its own with the elements of a view: users' formats want one.
///
/// # Safety
/// The view is valid.
unsafe fn tensor(view: &View) -> Result<Tensor> {
    let tensor = Tensor::uninit(&TensorType { dtype: view.dtype, shape: Shape::new(view.dims())? })?;
    // SAFETY: a fresh tensor of the same type.
    unsafe { copy::copy(view, &view_of(&tensor)) };
    Ok(tensor)
}

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
        if !captured(&line) {
            // A closed standard error must not stop a training run.
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
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
