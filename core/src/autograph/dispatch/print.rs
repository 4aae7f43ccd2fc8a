//! `println!` and its kin: a line of texts and values, which a trace turns into a graph print in program order.
//! Each value is formatted by the user's own format text.

use super::compare::TensorSide;
use crate::error::OrFail;
use crate::execute::execute;
use crate::graph::builder;
pub use crate::ops::Stream;
use crate::ops::{Operand, Piece, PrintLine, write};
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// A line under way.
pub struct Print {
    stream: Stream,
    pieces: Vec<Piece>,
    /// What the pieces show when the graph runs.
    tensors: Vec<Tensor>,
}

impl Print {
    /// An empty line.
    pub fn new(stream: Stream) -> Self {
        Self { stream, pieces: Vec::new(), tensors: Vec::new() }
    }

    /// The line of a `dbg!`, up to the value.
    #[track_caller]
    pub fn debug(expression: &str) -> Self {
        let here = std::panic::Location::caller();
        let mut print = Self::new(Stream::Error);
        print.push(format!("[{}:{}:{}] {expression} = ", here.file(), here.line(), here.column()));
        print
    }

    fn push(&mut self, text: String) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(&text),
            _ => self.pieces.push(Piece::Text(text)),
        }
    }

    /// Text of the format itself.
    pub fn text(&mut self, text: &str) {
        self.push(text.to_owned());
    }

    /// A value: `host` formats what is known now, `later` the value a tensor has when the graph runs.
    pub fn piece(&mut self, value: Option<Operand<'_>>, later: fn(&Tensor) -> String, host: &dyn Fn() -> String) {
        let tensor = match value {
            _ if builder::current().is_none() => None,
            Some(Operand::Borrowed(tensor)) => Some(tensor.clone()),
            Some(Operand::Owned(tensor)) => Some(tensor),
            Some(Operand::Number(..)) | None => None,
        };
        match tensor {
            Some(tensor) => {
                self.pieces.push(Piece::Value(later));
                self.tensors.push(tensor);
            }
            None => self.push(host()),
        }
    }

    /// Writes the line, or records it.
    #[track_caller]
    pub fn emit(self) {
        if builder::current().is_none() {
            for piece in &self.pieces {
                if let Piece::Text(text) = piece {
                    write(self.stream, text);
                }
            }
            return;
        }
        let tensors: SmallVec<[&Tensor; 4]> = self.tensors.iter().collect();
        execute(&PrintLine { stream: self.stream, pieces: self.pieces.into() }, &tensors).map(drop).or_fail();
    }
}

/// Asks whether a value is a tensor.
pub struct Shown<'a, T: ?Sized>(pub &'a T);

/// Tensors and variables.
pub trait ShownTensor {
    /// The tensor.
    #[track_caller]
    fn tensor(&self) -> Option<Operand<'_>>;
}

impl<T: TensorSide + ?Sized> ShownTensor for &Shown<'_, T> {
    #[track_caller]
    fn tensor(&self) -> Option<Operand<'_>> {
        // A line that is written at once takes the value as the user's format sees it.
        builder::current().map(|_| self.0.operand())
    }
}

/// Everything else.
pub trait ShownHost {
    /// No tensor.
    fn tensor(&self) -> Option<Operand<'_>>;
}

impl<T: ?Sized> ShownHost for Shown<'_, T> {
    fn tensor(&self) -> Option<Operand<'_>> {
        None
    }
}
