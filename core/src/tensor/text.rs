//! Tensors as text, in TensorFlow's manner: nested brackets, aligned columns, long ones abridged.
//! `Display`, `Debug` and the `print` operation use it.

use super::Tensor;
use crate::backend::cpu::{View, vector};
use crate::dtype::DType;
use crate::execute::view_of;
use std::fmt;

/// Along each dimension this many elements are shown at either end of a long tensor.
const EDGE: usize = 3;
/// Tensors with more elements are abridged.
const LONG: usize = 1000;

/// The elements of a view as nested brackets.
///
/// # Safety
/// The view is valid.
pub(crate) unsafe fn elements(view: &View) -> String {
    let abridge = view.len() > LONG;
    let mut cells = Vec::new();
    // SAFETY: by the caller's promise.
    unsafe { collect(view, 0, 0, abridge, &mut cells) };
    let width = if view.rank() == 0 { 0 } else { cells.iter().map(String::len).max().unwrap_or(0) };
    let mut out = String::new();
    let mut next = cells.into_iter();
    write(view, 0, abridge, width, &mut next, &mut out);
    out
}

/// The indices of a dimension that are shown, and where the gap is.
fn shown(size: usize, abridge: bool) -> (Vec<usize>, Option<usize>) {
    if !abridge || size <= 2 * EDGE {
        return ((0..size).collect(), None);
    }
    ((0..EDGE).chain(size - EDGE..size).collect(), Some(EDGE))
}

/// # Safety
/// The offset is that of an element of a valid view.
unsafe fn collect(view: &View, axis: usize, offset: isize, abridge: bool, out: &mut Vec<String>) {
    if axis == view.rank() {
        let size = view.dtype.size();
        // SAFETY: by the caller's promise.
        out.push(cell(view.dtype, unsafe { vector::load_bits(size, view.ptr.offset(offset * size as isize)) }));
        return;
    }
    for i in shown(view.dims()[axis], abridge).0 {
        // SAFETY: an index of the dimension.
        unsafe { collect(view, axis + 1, offset + i as isize * view.strides()[axis], abridge, out) };
    }
}

/// One element: floats as NumPy prints them, with a point and no trailing zero.
fn cell(dtype: DType, bits: u64) -> String {
    let text = vector::decode(dtype, bits);
    if !dtype.is_floating() {
        return text;
    }
    match text.as_str() {
        "NaN" => "nan".into(),
        "inf" | "-inf" => text,
        _ => match text.strip_suffix(".0") {
            Some(whole) if !whole.contains('e') => format!("{whole}."),
            _ => text,
        },
    }
}

fn write(
    view: &View,
    axis: usize,
    abridge: bool,
    width: usize,
    cells: &mut impl Iterator<Item = String>,
    out: &mut String,
) {
    if axis == view.rank() {
        let cell = cells.next().unwrap_or_default();
        out.push_str(&format!("{cell:>width$}"));
        return;
    }
    let last = axis + 1 == view.rank();
    let (indices, gap) = shown(view.dims()[axis], abridge);
    // Rows of an inner matrix are one line apart, matrices are two.
    let separator = if last { " ".to_string() } else { "\n".repeat(view.rank() - axis - 1) + &" ".repeat(axis + 1) };
    out.push('[');
    for position in 0..indices.len() {
        if position > 0 {
            out.push_str(&separator);
        }
        if gap == Some(position) {
            out.push_str("...");
            out.push_str(&separator);
        }
        write(view, axis + 1, abridge, width, cells, out);
    }
    out.push(']');
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_symbol() || self.dtype() == DType::Resource {
            return write!(f, "<{}>", self.ty());
        }
        // SAFETY: a live tensor's view.
        f.write_str(&unsafe { elements(&view_of(self)) })
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.rank() > 1 { "\n" } else { " " };
        write!(f, "<Tensor: shape={}, dtype={}, value={gap}{self}>", self.shape(), self.dtype())
    }
}
