//! `convolution`: convolutions over one, two or three spatial axes, by the number of dimensions of the filters.
//! TensorFlow's `tf.nn.convolution`; `conv1d` to `conv3d` come here with a number of axes, and have one operation below them.

use super::conv2d::convolve;
use super::functions::DataFormat;
use super::layout::{as_format, channels_last, with_axis, without_axis};
use super::sliding::Sliding;
use super::window::Windows;
use super::{AsTensor, public, reshape_to};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;

/// A convolution over so many spatial axes, for the function of this name.
#[track_caller]
pub(super) fn convolved(op: &'static str, axes: usize, x: &Tensor, w: &Tensor, how: &Sliding) -> Result<Tensor> {
    in_groups(op, axes, x, w, how, None)
}

/// The convolution of a layer over so many spatial axes, which knows the number of groups also where the input's channels are not known.
#[track_caller]
pub(crate) fn conv_in_groups(axes: usize, x: &Tensor, w: &Tensor, how: &Sliding, groups: usize) -> Result<Tensor> {
    let op = match axes {
        1 => "conv1d",
        2 => "conv2d",
        _ => "conv3d",
    };
    in_groups(op, axes, x, w, how, Some(groups))
}

#[track_caller]
fn in_groups(
    op: &'static str,
    axes: usize,
    x: &Tensor,
    w: &Tensor,
    how: &Sliding,
    groups: Option<usize>,
) -> Result<Tensor> {
    let windows = Windows::over(op, axes, how)?;
    if axes > 1 && x.rank() == axes + 2 && how.data_format == DataFormat::ChannelsLast {
        return convolve(x, w, windows, groups).map_err(|e| e.named(op));
    }
    around(op, axes, x, w, windows, how, groups).map_err(|e| e.named(op))
}

/// The same with what must be brought into the kernel's layout first.
#[track_caller]
fn around(
    op: &str,
    axes: usize,
    x: &Tensor,
    w: &Tensor,
    windows: Windows,
    how: &Sliding,
    groups: Option<usize>,
) -> Result<Tensor> {
    if axes == 1 && (x.rank() < 3 || w.rank() != 3) {
        return Err(Error::invalid_argument(op, "the input is no batch of sequences, or the filters are none for them")
            .got(format!("an input of {}, filters of {}", x.shape(), w.shape()))
            .expected("batch, steps, channels and steps, input channels, output channels"));
    }
    // What lies before the spatial axes and the channels is one batch.
    let outer = x.rank().saturating_sub(axes + 1).max(1);
    let lead: SmallVec<[Dim; MAX_RANK]> = x.shape().iter().take(outer).collect();
    let merged = if outer == 1 { x.clone() } else { merge(x, &lead)? };
    let mut input = channels_last(&merged, how.data_format)?;
    let mut filters = w.clone();
    if axes == 1 {
        (input, filters) = (with_axis(&input, 1)?, with_axis(w, 0)?);
    }
    let mut y = convolve(&input, &filters, windows, groups)?;
    if axes == 1 {
        y = without_axis(&y, 1)?;
    }
    let y = as_format(y, how.data_format)?;
    if outer == 1 {
        return Ok(y);
    }
    let sizes: SmallVec<[Dim; MAX_RANK]> = lead.into_iter().chain(y.shape().iter().skip(1)).collect();
    reshape_to(&y, &Shape::from_dims(&sizes)?)
}

/// The first dimensions as one.
#[track_caller]
fn merge(x: &Tensor, lead: &[Dim]) -> Result<Tensor> {
    let all = lead.iter().fold(Dim::ONE, |all, &dim| all * dim);
    let sizes: SmallVec<[Dim; MAX_RANK]> = [all].into_iter().chain(x.shape().iter().skip(lead.len())).collect();
    reshape_to(x, &Shape::from_dims(&sizes)?)
}

/// The number of spatial axes that filters have, or what has as many dimensions as they.
pub(super) fn spatial_axes(op: &str, rank: usize) -> Result<usize> {
    match rank {
        3..=5 => Ok(rank - 2),
        _ => Err(Error::invalid_argument(op, "this has not one to three spatial axes")
            .got(format!("{rank} dimensions"))
            .expected("three to five: the spatial ones and two of channels, or of batch and channels")),
    }
}

public! {
    /// The convolution over one, two or three spatial axes, as many as the filters have: [`conv1d`](fn@super::functions::conv1d),
    /// [`conv2d`](fn@super::functions::conv2d) or [`conv3d`](fn@super::functions::conv3d). TensorFlow's `tf.nn.convolution`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 5, 2]), tf::ones([3, 2, 4]));
    /// assert_eq!(tf::convolution(&x, &w, tf::Sliding::new(1, tf::Padding::Valid)).shape(), [1, 3, 4]);
    /// ```
    pub fn convolution, try_convolution(x, filters: impl AsTensor, how: Sliding) -> Tensor {
        let filters = filters.as_tensor();
        convolved("convolution", spatial_axes("convolution", filters.rank())?, x, &filters, &how)
    }
}
