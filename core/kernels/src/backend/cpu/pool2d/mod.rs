//! Maximum and average pooling of images on the CPU, and their gradients.
//! The floor above asks a `*_chunks` function for the number of chunks, then runs them on its threads in any order.
//!
//! Images are NHWC, contiguous and row-major. Cells of a window outside the image are left out: they neither win a
//! maximum nor count in a mean. A window that lies wholly outside gives the lowest number, or the mean 0.

mod average;
mod max;
#[cfg(test)]
mod tests;
pub(in crate::backend::cpu) mod window;

pub use average::{avg_pool, avg_pool_gradient};
pub use max::{max_pool, max_pool_gradient};
pub use window::{forward_chunks, gradient_chunks};

/// The shape of a pooling. Padding at the bottom and on the right follows from the output size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolGeometry {
    /// Images.
    pub batch: usize,
    /// Rows of an input image.
    pub in_h: usize,
    /// Columns of an input image.
    pub in_w: usize,
    /// Channels of input and output.
    pub channels: usize,
    /// Rows of an output image.
    pub out_h: usize,
    /// Columns of an output image.
    pub out_w: usize,
    /// Rows of a window.
    pub k_h: usize,
    /// Columns of a window.
    pub k_w: usize,
    /// Input rows from one window to the next.
    pub stride_h: usize,
    /// Input columns from one window to the next.
    pub stride_w: usize,
    /// Rows added above the image.
    pub pad_top: usize,
    /// Columns added left of the image.
    pub pad_left: usize,
}
