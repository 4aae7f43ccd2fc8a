//! `keras.datasets.fashion_mnist`: 70,000 pictures of clothes of 28 by 28 pixels, in ten classes.
//! The files are those of `mnist`, in a folder of their own.

use super::Split;
use engine::library::OrFail;
use kernels::error::Result;
use std::panic::Location;
use std::path::Path;

/// Images `[n, 28, 28]` of `uint8` and labels `[n]` of `uint8`, of training and of testing: Keras's
/// `keras.datasets.fashion_mnist.load_data`, from the four IDX files, as Keras keeps them in `~/.keras/datasets/fashion-mnist`.
///
/// ```
/// use eagerflow as tf;
/// assert!(tf::keras::datasets::fashion_mnist::try_load_data("/no/such/folder").is_err());
/// ```
///
/// # Panics
/// As [`try_load_data`] fails, at the caller's line.
#[track_caller]
pub fn load_data(folder: impl AsRef<Path>) -> Split {
    try_load_data(folder).or_fail()
}

/// [`load_data`] that answers an error instead of panicking.
///
/// # Errors
/// NotFound for a folder without the files, and DataLoss or InvalidArgument for damaged ones.
#[track_caller]
pub fn try_load_data(folder: impl AsRef<Path>) -> Result<Split> {
    let from =
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets/, as train-images-idx3-ubyte.gz and its like";
    let here = Location::caller();
    super::mnist::digits(folder.as_ref(), from).map_err(|e| e.at(here))
}
