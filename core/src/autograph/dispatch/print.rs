//! `println!` and its kin: a line of texts and values, which a trace turns into a graph print in program order.
//! Each value is formatted by the user's own format text.

use super::compare::TensorSide;
use crate::error::OrFail;
use crate::execute::execute;
use crate::graph::builder;
use crate::ops::{Operand, Piece, PrintLine, write_line};
use crate::tensor::Tensor;

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
    pieces: Vec<Piece>,
    /// The values that are formatted when the graph runs.
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
        let mut line = Self::new(Stream::Error);
        line.text(&format!("[{}:{}:{}] {expression} = ", here.file(), here.line(), here.column()));
        line
    }

    /// Text of the format itself.
    pub fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// A value: `host` formats what is known now, `later` the value that a tensor has when the graph runs.
    pub fn piece(&mut self, value: Option<Tensor>, later: fn(&Tensor) -> String, host: &dyn Fn() -> String) {
        match value {
            Some(tensor) if builder::current().is_some() => {
                self.pieces.push(Piece::Value(later));
                self.tensors.push(tensor);
            }
            _ => self.text(&host()),
        }
    }

    /// Writes the line, now or whenever the graph comes to it.
    #[track_caller]
    pub fn emit(self) {
        if builder::current().is_some() {
            let inputs: Vec<&Tensor> = self.tensors.iter().collect();
            let op = PrintLine { pieces: self.pieces.into(), error: self.stream == Stream::Error };
            return execute(&op, &inputs).map(drop).or_fail();
        }
        let texts = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Value(_) => "",
        });
        let line: String = texts.collect();
        write_line(self.stream == Stream::Error, &line);
    }
}

/// Asks whether a value is a tensor.
pub struct Shown<'a, T: ?Sized>(pub &'a T);

/// Tensors.
pub trait ShownTensor {
    /// The tensor.
    fn tensor(&self) -> Option<Tensor>;
}

impl<T: TensorSide + ?Sized> ShownTensor for &Shown<'_, T> {
    fn tensor(&self) -> Option<Tensor> {
        match self.0.operand() {
            Operand::Borrowed(tensor) => Some(tensor.clone()),
            Operand::Owned(tensor) => Some(tensor),
            Operand::Number(..) => None,
        }
    }
}

/// Everything else.
pub trait ShownHost {
    /// No tensor.
    fn tensor(&self) -> Option<Tensor>;
}

impl<T: ?Sized> ShownHost for Shown<'_, T> {
    fn tensor(&self) -> Option<Tensor> {
        None
    }
}
