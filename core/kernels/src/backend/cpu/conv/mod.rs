//! Convolution of images and volumes on the CPU: the forward product and the gradients of input and filters.
//! The floor above asks a `*_work` function for scratch and chunks, then runs the chunks of each phase on its threads.
//!
//! Layouts are NDHWC for volumes and DHWIO for filters, contiguous and row-major; images are volumes of one plane. Kernels never allocate and never
//! spawn; what results depend on follows from the geometry alone, never from the number of threads.

mod axis;
mod cells;
pub mod depthwise;
mod dots;
mod few_pixels;
mod filter_cells;
mod filter_gradient;
mod filter_plan;
mod filter_product;
mod forward;
mod input_gradient;
mod kernels;
mod pack;
mod partials;
mod product;
#[cfg(test)]
mod tests;
mod tile;
mod winograd;

pub use crate::backend::cpu::simd::Float;
use crate::dtype::DType;
pub use filter_gradient::{filter_gradient, filter_gradient_work};
pub use forward::{forward, forward_work};
pub use input_gradient::{input_gradient, input_gradient_work};

/// The shape of a convolution. Padding at the bottom and on the right follows from the output size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvGeometry {
    /// Images, or volumes.
    pub batch: usize,
    /// Planes of an input volume; 1 for images, as all that has a depth.
    pub in_d: usize,
    /// Rows of an input image.
    pub in_h: usize,
    /// Columns of an input image.
    pub in_w: usize,
    /// Channels of the input.
    pub in_c: usize,
    /// Planes of an output volume.
    pub out_d: usize,
    /// Rows of an output image.
    pub out_h: usize,
    /// Columns of an output image.
    pub out_w: usize,
    /// Channels of the output.
    pub out_c: usize,
    /// Planes of a filter.
    pub k_d: usize,
    /// Rows of a filter.
    pub k_h: usize,
    /// Columns of a filter.
    pub k_w: usize,
    /// Input planes from one output plane to the next.
    pub stride_d: usize,
    /// Input rows from one output row to the next.
    pub stride_h: usize,
    /// Input columns from one output column to the next.
    pub stride_w: usize,
    /// Input planes from one filter plane to the next.
    pub dilation_d: usize,
    /// Input rows from one filter row to the next.
    pub dilation_h: usize,
    /// Input columns from one filter column to the next.
    pub dilation_w: usize,
    /// Planes of zeros before the volume.
    pub pad_front: usize,
    /// Rows of zeros above the image.
    pub pad_top: usize,
    /// Columns of zeros left of the image.
    pub pad_left: usize,
    /// Groups of channels, each of which is convolved by itself: `in_c` and `out_c` are the channels of one, and those of all groups lie
    /// side by side in a pixel, those of the output in a row of filters as well.
    pub groups: usize,
    /// Whether Winograd's transforms may be used where they pay: they add up in another order.
    pub winograd: bool,
}

/// The element type of products of these floats.
fn dtype_of<T: Float>() -> DType {
    if size_of::<T>() == 8 { DType::F64 } else { DType::F32 }
}

impl ConvGeometry {
    /// Values that one output value sums over: the rows of the filter seen as a matrix.
    pub fn depth(&self) -> usize {
        self.taps() * self.in_c
    }

    /// Cells of a filter.
    pub fn taps(&self) -> usize {
        self.k_d * self.k_h * self.k_w
    }

    /// The same channels in groups.
    pub fn in_groups(self, groups: usize) -> Self {
        Self { in_c: self.in_c / groups, out_c: self.out_c / groups, groups, ..self }
    }

    /// Elements from one input pixel to the next.
    fn in_pitch(&self) -> usize {
        self.in_c * self.groups
    }

    /// Elements from one output pixel to the next, and from one row of the filters to the next.
    fn out_pitch(&self) -> usize {
        self.out_c * self.groups
    }

    /// Whether nothing reaches from one plane to another.
    pub fn is_flat(&self) -> bool {
        (self.in_d, self.out_d, self.k_d, self.stride_d, self.pad_front) == (1, 1, 1, 1, 0)
    }

    /// Where each plane of the output reads the plane of its own alone, all planes are images.
    pub fn planes(mut self) -> Self {
        let own = (self.k_d, self.pad_front) == (1, 0) && self.in_d == self.out_d;
        if own && (self.stride_d == 1 || self.in_d == 1) {
            self.batch *= self.in_d;
            (self.in_d, self.out_d, self.stride_d, self.dilation_d) = (1, 1, 1, 1);
        }
        self
    }

    /// A 1x1 filter over every pixel is a matrix product: then all pixels become one long row.
    fn flattened(self) -> Self {
        let mut g = self.planes();
        let dense = g.is_flat()
            && g.k_h * g.k_w == 1
            && (g.stride_h, g.stride_w) == (1, 1)
            && (g.pad_top, g.pad_left) == (0, 0)
            && (g.in_h, g.in_w) == (g.out_h, g.out_w);
        if dense {
            g.in_w *= g.batch * g.in_h;
            g.out_w = g.in_w;
            (g.batch, g.in_h, g.out_h) = (1, 1, 1);
        }
        g
    }
}
