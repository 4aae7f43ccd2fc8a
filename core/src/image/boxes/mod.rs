//! Boxes in images: cut out, suppressed where they overlap, drawn, and drawn at random.
//! Users call the functions under `tf::image`; boxes are `[top, left, bottom, right]`, and mostly shares of the image.

mod combined;
mod crop_and_resize;
mod distorted;
mod draw;
mod glimpse;
mod padded;
mod suppression;
mod windows;

pub use combined::{CombinedSuppression, combined_non_max_suppression, try_combined_non_max_suppression};
pub use crop_and_resize::{CropMethod, crop_and_resize, try_crop_and_resize};
pub use distorted::{
    Distortion, sample_distorted_bounding_box, stateless_sample_distorted_bounding_box,
    try_sample_distorted_bounding_box, try_stateless_sample_distorted_bounding_box,
};
pub use draw::{draw_bounding_boxes, try_draw_bounding_boxes};
pub use glimpse::{Glimpse, GlimpseNoise, extract_glimpse, try_extract_glimpse};
pub use padded::{PaddedSuppression, non_max_suppression_padded, try_non_max_suppression_padded};
pub use suppression::{
    non_max_suppression, non_max_suppression_overlaps, non_max_suppression_with_scores, try_non_max_suppression,
    try_non_max_suppression_overlaps, try_non_max_suppression_with_scores,
};

use super::operand::misfit;
use engine::Tensor;
use engine::library::{cast_to, reshape_to};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// An error unless boxes are `[.., 4]` of this rank and floats.
fn check_boxes(boxes: &Tensor, rank: usize) -> Result<()> {
    let fits = boxes.rank() == rank && boxes.shape().dim(rank - 1).can_equal(Dim::from(4));
    match fits && boxes.dtype().is_floating() {
        true => Ok(()),
        false => Err(misfit("these are no boxes", boxes, &format!("floats of rank {rank} with 4 as the last size"))),
    }
}

/// An empty list with memory for the results of a batch, or an error where there is none.
fn list_for<T>(batch: usize, each: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    match batch.checked_mul(each).map(|count| list.try_reserve_exact(count)) {
        Some(Ok(())) => Ok(list),
        _ => {
            Err(Error::resource_exhausted("", "there is no memory for so many boxes").got(format!("{batch} x {each}")))
        }
    }
}

/// A tensor without elements whose first size says how much room a result of work on the host has.
#[track_caller]
fn room(size: Dim) -> Result<Tensor> {
    engine::try_zeros(Shape::from_dims(&[size, Dim::ZERO])?, DType::I32)
}

/// The pixels of images `[batch, height, width, channels]` at whole places inside of them: row `[n, rows, 1]`, column `[n, 1, columns]` and image
/// `[n, 1, 1]` of each.
#[track_caller]
fn pixels_at(images: &Tensor, image: &Tensor, row: &Tensor, column: &Tensor) -> Result<Tensor> {
    let dim = |axis: usize| images.shape().dim(axis);
    let pixels = reshape_to(images, &Shape::from_dims(&[dim(0) * dim(1) * dim(2), dim(3)])?)?;
    let whole = |place: &Tensor, size: Dim| cast_to(&place.try_maximum(0.0)?.try_minimum(size - 1)?, DType::I64);
    let line = image.try_multiply(dim(1))?.try_add(&whole(row, dim(1))?)?;
    let place = line.try_multiply(dim(2))?.try_add(&whole(column, dim(2))?)?;
    engine::try_gather(&pixels, &place, 0)
}

/// Whether places lie within an axis.
#[track_caller]
fn is_within(place: &Tensor, size: Dim) -> Result<Tensor> {
    engine::try_logical_and(&place.try_greater_equal(0.0)?, &place.try_less_equal(size - 1)?)
}
