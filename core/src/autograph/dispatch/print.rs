//! `println!` and its kin: a line of texts and values, which a trace turns into a graph print in program order.
//! Each value is formatted by the user's own format text.

use super::compare::TensorSide;
use crate::tensor::Tensor;
use std::io::Write;

/// Where a line goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

/// A line under way.
pub struct Print {
    stream: Stream,
    line: String,
}

impl Print {
    /// An empty line.
    pub fn new(stream: Stream) -> Self {
        Self { stream, line: String::new() }
    }

    /// The line of a `dbg!`, up to the value.
    #[track_caller]
    pub fn debug(expression: &str) -> Self {
        let here = std::panic::Location::caller();
        let line = format!("[{}:{}:{}] {expression} = ", here.file(), here.line(), here.column());
        Self { stream: Stream::Error, line }
    }

    /// Text of the format itself.
    pub fn text(&mut self, text: &str) {
        self.line.push_str(text);
    }

    /// A value: `host` formats what is known now, `later` the value a symbol gets when the graph runs.
    pub fn piece(&mut self, value: Option<&Tensor>, later: fn(&Tensor) -> String, host: &dyn Fn() -> String) {
        let _ = (value, later);
        self.line.push_str(&host());
    }

    /// Writes the line.
    #[track_caller]
    pub fn emit(self) {
        match self.stream {
            // The macro, so that tests capture it.
            Stream::Out => print!("{}", self.line),
            Stream::Error => eprint!("{}", self.line),
        }
        if !self.line.ends_with('\n') {
            let _ = std::io::stdout().flush();
        }
    }
}

/// Asks whether a value is a tensor.
pub struct Shown<'a, T: ?Sized>(pub &'a T);

/// Tensors.
pub trait ShownTensor {
    /// The tensor.
    fn tensor(&self) -> Option<&Tensor>;
}

impl<T: TensorSide + ?Sized> ShownTensor for &Shown<'_, T> {
    fn tensor(&self) -> Option<&Tensor> {
        match self.0.operand() {
            crate::ops::Operand::Borrowed(tensor) => Some(tensor),
            _ => None,
        }
    }
}

/// Everything else.
pub trait ShownHost {
    /// No tensor.
    fn tensor(&self) -> Option<&Tensor>;
}

impl<T: ?Sized> ShownHost for Shown<'_, T> {
    fn tensor(&self) -> Option<&Tensor> {
        None
    }
}
