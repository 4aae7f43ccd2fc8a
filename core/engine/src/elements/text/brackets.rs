//! Cells of text set in nested brackets, rows wrapped and gaps marked as NumPy does it.
//! `text` calls it with the cells already written, all of one width.

use super::shown;

/// Columns of a line, without the bracket that ends it.
const WIDTH: usize = 75;
const GAP: &str = "...";

pub(in crate::elements) struct Brackets<'a, I> {
    pub dims: &'a [usize],
    pub abridged: bool,
    /// The elements that are shown, in order.
    pub cells: I,
}

impl<I: Iterator<Item = String>> Brackets<'_, I> {
    /// The whole text; there is at least one dimension.
    pub fn text(mut self) -> String {
        self.level(0, 1, WIDTH)
    }

    /// One dimension and all inside it; continued lines begin with `indent` blanks.
    fn level(&mut self, axis: usize, indent: usize, width: usize) -> String {
        match self.dims.len() - axis {
            0 => self.cells.next().unwrap_or_default(),
            1 => self.row(axis, indent, width - 1),
            left => self.rows(axis, indent, width - 1, left - 1),
        }
    }

    /// The innermost dimension, wrapped where a line is full.
    fn row(&mut self, axis: usize, indent: usize, width: usize) -> String {
        let mut line = Line { done: String::new(), line: " ".repeat(indent), indent, width };
        let (indices, gap) = shown(self.dims[axis], self.abridged);
        for (position, _) in indices.enumerate() {
            if position > 0 {
                line.line.push(' ');
            }
            if gap == Some(position) {
                line.push(GAP);
                line.line.push(' ');
            }
            let cell = self.level(axis + 1, indent + 1, width);
            line.push(&cell);
        }
        format!("[{}]", &line.finish()[indent..])
    }

    /// An outer dimension: its parts on lines of their own, `lines` line ends apart.
    fn rows(&mut self, axis: usize, indent: usize, width: usize, lines: usize) -> String {
        let separator = "\n".repeat(lines) + &" ".repeat(indent);
        let mut out = String::from("[");
        let (indices, gap) = shown(self.dims[axis], self.abridged);
        for (position, _) in indices.enumerate() {
            if position > 0 {
                out.push_str(&separator);
            }
            if gap == Some(position) {
                out.push_str(GAP);
                out.push_str(&separator);
            }
            out.push_str(&self.level(axis + 1, indent + 1, width));
        }
        out.push(']');
        out
    }
}

/// The lines of a row so far, and the one being filled.
struct Line {
    done: String,
    line: String,
    indent: usize,
    width: usize,
}

impl Line {
    fn push(&mut self, word: &str) {
        // A word too long for any line stays where it is.
        if self.line.len() + word.len() > self.width && self.line.len() > self.indent {
            self.done.push_str(self.line.trim_end());
            self.done.push('\n');
            self.line = " ".repeat(self.indent);
        }
        self.line.push_str(word);
    }

    fn finish(self) -> String {
        self.done + &self.line
    }
}
