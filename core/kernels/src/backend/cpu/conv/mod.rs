//! Two-dimensional convolution on the CPU: the forward product and the gradients of input and filters.
//! The floor above asks a `*_work` function for scratch and chunks, then runs the chunks of each phase on its threads.
//!
//! Layouts are NHWC for images and HWIO for filters, contiguous and row-major. Kernels never allocate and never
//! spawn; the number of chunks follows from the geometry alone, so results do not depend on the number of threads.

mod axis;
mod cells;
mod dots;
mod filter_gradient;
mod forward;
mod input_gradient;
mod kernels;
mod pack;
mod partials;
mod product;
#[cfg(test)]
mod tests;
mod tile;

pub use crate::backend::cpu::simd::Float;
pub use filter_gradient::{filter_gradient, filter_gradient_work};
pub use forward::{forward, forward_work};
pub use input_gradient::{input_gradient, input_gradient_work};

/// The shape of a convolution. Padding at the bottom and on the right follows from the output size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvGeometry {
    /// Images.
    pub batch: usize,
    /// Rows of an input image.
    pub in_h: usize,
    /// Columns of an input image.
    pub in_w: usize,
    /// Channels of the input.
    pub in_c: usize,
    /// Rows of an output image.
    pub out_h: usize,
    /// Columns of an output image.
    pub out_w: usize,
    /// Channels of the output.
    pub out_c: usize,
    /// Rows of a filter.
    pub k_h: usize,
    /// Columns of a filter.
    pub k_w: usize,
    /// Input rows from one output row to the next.
    pub stride_h: usize,
    /// Input columns from one output column to the next.
    pub stride_w: usize,
    /// Input rows from one filter row to the next.
    pub dilation_h: usize,
    /// Input columns from one filter column to the next.
    pub dilation_w: usize,
    /// Rows of zeros above the image.
    pub pad_top: usize,
    /// Columns of zeros left of the image.
    pub pad_left: usize,
}

impl ConvGeometry {
    /// Values that one output value sums over: the rows of the filter seen as a matrix.
    pub fn depth(&self) -> usize {
        self.k_h * self.k_w * self.in_c
    }

    /// A 1x1 filter over every pixel is a matrix product: then all pixels become one long row.
    fn flattened(mut self) -> Self {
        let dense = self.k_h * self.k_w == 1
            && (self.stride_h, self.stride_w) == (1, 1)
            && (self.pad_top, self.pad_left) == (0, 0)
            && (self.in_h, self.in_w) == (self.out_h, self.out_w);
        if dense {
            self.in_w *= self.batch * self.in_h;
            self.out_w = self.in_w;
            (self.batch, self.in_h, self.out_h) = (1, 1, 1);
        }
        self
    }
}
