//! `println!` and its kin: a line of texts and values, which a trace turns into a graph print in program order.
//! Each value is formatted by the user's own format text.

use super::compare::TensorSide;
use crate::builder;
use crate::execute::execute;
use crate::ops::{Line, Operand, Piece, PrintLine, write_line};
use crate::tensor::Tensor;
use kernels::error::OrFail;

/// Where a line goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

/// A text with values in it, which a trace shows as they are when its graph runs.
pub struct Message {
    pieces: Vec<Piece>,
    /// The values that are formatted when the graph runs.
    tensors: Vec<Tensor>,
    /// Whether there will be a graph.
    staged: bool,
}

/// Writes the message of an assertion.
pub type WriteMessage<'a> = &'a dyn Fn(&mut Message);

impl Message {
    /// An empty text, for a graph or for now.
    pub(crate) fn new(staged: bool) -> Self {
        Self { pieces: Vec::new(), tensors: Vec::new(), staged }
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
            Some(tensor) if self.staged => {
                self.pieces.push(Piece::Value(later));
                self.tensors.push(tensor);
            }
            _ => self.text(&host()),
        }
    }

    /// The text and the tensors in it.
    pub(crate) fn into_parts(self) -> (Line, Vec<Tensor>) {
        (Line::new(self.pieces), self.tensors)
    }

    /// The text of a message for now.
    pub(crate) fn into_text(self) -> String {
        let texts = self.pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Value(_) => String::new(),
        });
        texts.collect()
    }
}

/// A line under way.
pub struct Print {
    stream: Stream,
    line: Message,
}

impl Print {
    /// An empty line.
    pub fn new(stream: Stream) -> Self {
        Self { stream, line: Message::new(builder::current().is_some()) }
    }

    /// The line of a `dbg!`, up to the value.
    #[track_caller]
    pub fn debug(expression: &str) -> Self {
        let here = std::panic::Location::caller();
        let mut line = Self::new(Stream::Error);
        line.text(&format!("[{}:{}:{}] {expression} = ", here.file(), here.line(), here.column()));
        line
    }

    /// As [`Message::text`].
    pub fn text(&mut self, text: &str) {
        self.line.text(text);
    }

    /// As [`Message::piece`].
    pub fn piece(&mut self, value: Option<Tensor>, later: fn(&Tensor) -> String, host: &dyn Fn() -> String) {
        self.line.piece(value, later, host);
    }

    /// Writes the line, now or whenever the graph comes to it.
    #[track_caller]
    pub fn emit(self) {
        let error = self.stream == Stream::Error;
        if !self.line.staged {
            return write_line(error, &self.line.into_text());
        }
        let (line, tensors) = self.line.into_parts();
        let inputs: Vec<&Tensor> = tensors.iter().collect();
        execute(&PrintLine { line, error }, &inputs).map(drop).or_fail()
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
            Operand::Number(..) | Operand::Size(_) => None,
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
