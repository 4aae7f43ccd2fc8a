//! `print`: tensors written to standard error in program order, an effect that a graph keeps.
//! TensorFlow's `tf.print`, which also writes there.

use kernels::backend::cpu::merge_dims::for_each_offset;
use kernels::backend::cpu::{CpuCall, View};
use kernels::error::{OrFail, Result};
mod capture;

#[cfg(any(test, feature = "testing"))]
pub(crate) use capture::capture;

use capture::captured;
use crate::execute::execute;
use crate::op::{Attr, Gradient, Infer, Kind, Op, Outputs, identity};
use kernels::shape::Shape;
use crate::tensor::{Tensor, TensorType};
use crate::elements::text;
use std::io::Write;
use std::sync::Arc;

/// Writes a line of `println!` or `eprintln!` now.
pub(crate) fn write_line(error: bool, line: &str) {
    if captured(line) {
        return;
    }
    // The macros, so that the test harness captures it.
    match error {
        true => eprint!("{line}"),
        false => print!("{line}"),
    }
    if !line.ends_with('\n') {
        let _ = std::io::stdout().flush();
    }
}

/// Writes a line to standard error.
fn write_error(mut line: String) {
    line.push('\n');
    if !captured(&line) {
        // A closed standard error must not stop a training run.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

/// Inputs: the tensors. The text has a `{}` for each.
#[derive(Clone)]
pub(crate) struct Print {
    pub text: Arc<str>,
}

impl Op for Print {
    identity!("print", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("text", Attr::Text(&self.text));
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn runs_on_host(&self) -> bool {
        true
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
        write_error(line);
        Ok(())
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        let mut parts = self.text.split("{}");
        let mut line = parts.next().unwrap_or("").to_owned();
        for input in inputs {
            line.push_str(&input.to_string());
            line.push_str(parts.next().unwrap_or(""));
        }
        write_error(line);
        Some(Ok(Outputs::new()))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("printing has no result")
    }
}

/// A part of a line.
#[derive(Clone)]
pub(crate) enum Piece {
    Text(String),
    /// The next tensor, in the user's own format.
    Value(fn(&Tensor) -> String),
}

/// A text with tensors in it, as `println!` and the messages of assertions have.
#[derive(Clone)]
pub(crate) struct Line(Arc<[Piece]>);

impl Line {
    pub fn new(pieces: Vec<Piece>) -> Self {
        Self(pieces.into())
    }

    /// A text alone.
    pub fn text(text: &str) -> Self {
        Self([Piece::Text(text.to_owned())].into())
    }

    /// How many tensors it has.
    pub fn values(&self) -> usize {
        self.0.iter().filter(|piece| matches!(piece, Piece::Value(_))).count()
    }

    pub fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        for piece in self.0.iter() {
            match piece {
                Piece::Text(text) => visit("text", Attr::Text(text)),
                // Two formats are the same if their code is.
                Piece::Value(format) => visit("value", Attr::Int(*format as usize as i64)),
            }
        }
    }

    /// The text with the values that the tensors have now.
    ///
    /// # Safety
    /// Valid views.
    pub unsafe fn filled(&self, values: &[View]) -> Result<String> {
        // SAFETY: by the caller's promise.
        let values = values.iter().map(|view| unsafe { copied(view) }).collect::<Result<Vec<_>>>()?;
        let mut values = values.iter();
        Ok(self.said(|format| values.next().map(format).unwrap_or_default()))
    }

    /// The text with the tensors, which lie on the host.
    pub fn filled_with(&self, values: &[&Tensor]) -> String {
        let mut values = values.iter();
        self.said(|format| values.next().map(|tensor| format(tensor)).unwrap_or_default())
    }

    /// The text with what `value` makes of each format, in order.
    pub fn said(&self, mut value: impl FnMut(fn(&Tensor) -> String) -> String) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(format) => value(*format),
        };
        self.0.iter().map(text).collect()
    }
}

/// A tensor of its own with the elements of a view.
///
/// # Safety
/// A valid view.
pub(super) unsafe fn copied(view: &View) -> Result<Tensor> {
    let tensor = Tensor::uninit(&TensorType::new(view.dtype, Shape::new(view.dims())?))?;
    let (size, mut to) = (view.dtype.size(), tensor.data());
    for_each_offset(view.dims(), view.strides(), |offset| {
        // SAFETY: an element of the view, and the next one of a fresh tensor of its type, which has as many.
        unsafe {
            std::ptr::copy_nonoverlapping(view.ptr.offset(offset * size as isize), to, size);
            to = to.add(size);
        }
    });
    Ok(tensor)
}

/// `println!` and its kin in a recorded function. Inputs: the tensors of the line.
#[derive(Clone)]
pub(crate) struct PrintLine {
    pub line: Line,
    /// Whether it goes to standard error.
    pub error: bool,
}

impl Op for PrintLine {
    identity!("println", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("error", Attr::Bool(self.error));
        self.line.attributes(visit);
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    fn infer(&self, _: &mut Infer<'_>) -> Result<()> {
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        // SAFETY: valid views.
        write_line(self.error, &unsafe { self.line.filled(call.inputs) }?);
        Ok(())
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        write_line(self.error, &self.line.filled_with(inputs));
        Some(Ok(Outputs::new()))
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
