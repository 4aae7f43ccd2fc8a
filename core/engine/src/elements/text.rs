//! Tensors as text, the way TensorFlow (that is, NumPy) prints them: aligned columns, wrapped rows, long ones abridged.
//! `Display`, `Debug` and the `print` operation use it; `numbers` writes the elements, `brackets` sets them in rows.

mod brackets;
mod numbers;

use super::strings;
use crate::execute::{on_host, view_of};
use crate::tensor::{Tensor, note_read};
pub(in crate::elements) use brackets::Brackets;
use kernels::backend::cpu::{View, vector};
use kernels::dtype::DType;
use kernels::error::Result;
use std::fmt;

/// Along each dimension this many elements are shown at either end of a long tensor.
const EDGE: usize = 3;
/// Tensors with more elements are abridged.
pub(super) const LONG: usize = 1000;

/// The elements of a view as nested brackets; `digits` fixes the number of decimal places of floats.
///
/// # Safety
/// The view is valid.
pub(crate) unsafe fn elements(view: &View, digits: Option<usize>) -> String {
    if view.dtype.is_complex() {
        // SAFETY: by the caller's promise.
        return unsafe { complex_elements(view, digits) };
    }
    let mut bits = Vec::new();
    let abridged = view.len() > LONG;
    // SAFETY: by the caller's promise.
    unsafe { collect(view, 0, 0, abridged, &mut bits) };
    if view.rank() == 0 {
        return numbers::scalar(view.dtype, bits.first().copied().unwrap_or(0), digits);
    }
    if view.is_empty() {
        return "[]".into();
    }
    let cells = numbers::cells(view.dtype, &bits, digits);
    Brackets { dims: view.dims(), abridged, cells: cells.into_iter() }.text()
}

/// As [`elements`], of complex numbers: the parts have columns of their own.
///
/// # Safety
/// The view is valid.
unsafe fn complex_elements(view: &View, digits: Option<usize>) -> String {
    let abridged = view.len() > LONG;
    let [re, im] = [0, 1].map(|part| {
        let dtype = view.dtype.real_dtype();
        let strides: Vec<isize> = view.strides().iter().map(|stride| 2 * stride).collect();
        let part = View::new(view.ptr.wrapping_add(part * dtype.size()), dtype, view.dims(), &strides);
        let mut bits = Vec::new();
        // SAFETY: the elements of a valid view are two real numbers each.
        unsafe { collect(&part, 0, 0, abridged, &mut bits) };
        bits
    });
    if view.rank() == 0 {
        let first = |bits: &[u64]| bits.first().copied().unwrap_or(0);
        return numbers::complex_scalar(view.dtype, first(&re), first(&im), digits);
    }
    if view.is_empty() {
        return "[]".into();
    }
    let cells = numbers::complex_cells(view.dtype, &re, &im, digits);
    Brackets { dims: view.dims(), abridged, cells: cells.into_iter() }.text()
}

/// Whether a tensor has elements to be read, which it will be.
fn is_shown(tensor: &Tensor) -> bool {
    !tensor.is_symbol() && (tensor.dtype().size() > 0 || tensor.dtype() == DType::String)
}

/// The elements of a tensor as nested brackets.
fn text_of(tensor: &Tensor, digits: Option<usize>) -> Result<String> {
    note_read(tensor, None);
    if tensor.dtype() == DType::String {
        return Ok(strings::elements(tensor));
    }
    let here = on_host(tensor)?;
    // SAFETY: a live tensor's view.
    Ok(unsafe { elements(&view_of(&here), digits) })
}

/// The indices of a dimension that are shown, and where the gap is.
pub(super) fn shown(size: usize, abridged: bool) -> (impl Iterator<Item = usize>, Option<usize>) {
    let gap = abridged && size > 2 * EDGE;
    let (head, tail) = if gap { (EDGE, size - EDGE) } else { (size, size) };
    ((0..head).chain(tail..size), gap.then_some(EDGE))
}

/// The bits of all elements that are shown, in order.
///
/// # Safety
/// The offset is that of an element of a valid view.
unsafe fn collect(view: &View, axis: usize, offset: isize, abridged: bool, out: &mut Vec<u64>) {
    if axis == view.rank() {
        let size = view.dtype.size();
        // SAFETY: by the caller's promise.
        out.push(unsafe { vector::load_bits(size, view.ptr.offset(offset * size as isize)) });
        return;
    }
    for i in shown(view.dims()[axis], abridged).0 {
        // SAFETY: an index of the dimension.
        unsafe { collect(view, axis + 1, offset + i as isize * view.strides()[axis], abridged, out) };
    }
}

/// The elements alone, as Python's `format(tensor)`: `{loss:.4}` writes four decimal places, in arrays too.
///
/// The alternate form `{:#}` adds shape and dtype, as TensorFlow's `print(tensor)` does.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, -2.5], [0.125, 10.0]]);
/// assert_eq!(x.to_string(), "[[ 1.    -2.5  ]\n [ 0.125 10.   ]]");
/// assert_eq!(format!("{:.1}", tf::constant(0.66)), "0.7");
/// assert_eq!(format!("{:#}", tf::constant([1, 2])), "Tensor([1 2], shape=[2], dtype=int32)");
/// ```
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !is_shown(self) {
            return write!(f, "<{}>", self.ty());
        }
        let text = match text_of(self, f.precision()) {
            Ok(text) => text,
            Err(error) => return write!(f, "<{}, whose elements could not be fetched: {error}>", self.ty()),
        };
        if f.alternate() {
            return write!(f, "Tensor({}, shape={}, dtype={})", on_own_line(text), self.shape(), self.dtype());
        }
        match self.rank() {
            // Width and alignment as for a plain number; a precision is used up already.
            0 if f.width().is_some() => pad(f, &text),
            _ => f.write_str(&text),
        }
    }
}

/// Fills up to the width asked for, on the right side by default as numbers are.
fn pad(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let missing = f.width().unwrap_or(0).saturating_sub(text.len());
    let before = match f.align() {
        Some(fmt::Alignment::Left) => 0,
        Some(fmt::Alignment::Center) => missing / 2,
        _ => missing,
    };
    let fill = |count: usize| String::from(f.fill()).repeat(count);
    let text = format!("{}{text}{}", fill(before), fill(missing - before));
    f.write_str(&text)
}

/// Elements of several lines start on one of their own.
fn on_own_line(text: String) -> String {
    if text.contains('\n') { format!("\n{text}") } else { text }
}

/// Shape, dtype and elements, as TensorFlow's `repr(tensor)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(format!("{:?}", tf::constant([[1, 2]])), "<Tensor: shape=[1, 2], dtype=int32, value=[[1 2]]>");
/// ```
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !is_shown(self) {
            return write!(f, "<Tensor: shape={}, dtype={}>", self.shape(), self.dtype());
        }
        let text = match text_of(self, f.precision()) {
            Ok(text) => on_own_line(text),
            Err(error) => return write!(f, "<{}, whose elements could not be fetched: {error}>", self.ty()),
        };
        write!(f, "<Tensor: shape={}, dtype={}, value={text}>", self.shape(), self.dtype())
    }
}

#[cfg(test)]
mod tests;
