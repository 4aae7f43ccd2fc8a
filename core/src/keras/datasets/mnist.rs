//! `keras.datasets.mnist`: 70,000 handwritten digits of 28 by 28 pixels.
//! `fashion_mnist` has the same files in other folders, and shares the reader.

use super::npy::Npz;
use super::{Split, absent, first};
use engine::Tensor;
use engine::data::IdxFile;
use engine::library::OrFail;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::path::Path;

/// Images `[n, 28, 28]` of `uint8` and labels `[n]` of `uint8`, of training and of testing: Keras's
/// `keras.datasets.mnist.load_data`, from files that are there.
///
/// Looked for are `mnist.npz`, as Keras keeps it in `~/.keras/datasets`, or the four IDX files `train-images-idx3-ubyte`,
/// `train-labels-idx1-ubyte`, `t10k-images-idx3-ubyte` and `t10k-labels-idx1-ubyte`, plain or with `.gz`.
///
/// ```
/// use eagerflow as tf;
/// let error = tf::keras::datasets::mnist::try_load_data("/no/such/folder").unwrap_err().to_string();
/// assert!(error.contains("mnist.npz") && error.contains("train-images-idx3-ubyte"));
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
    let from = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz";
    let here = Location::caller();
    digits(folder.as_ref(), from).map_err(|e| e.at(here))
}

/// The files of a folder.
pub(super) fn digits(folder: &Path, from: &str) -> Result<Split> {
    if let Some(path) = first(folder, &["mnist.npz"]) {
        let mut file = Npz::read(&path)?;
        let mut array = |name| file.tensor(name);
        return checked(((array("x_train")?, array("y_train")?), (array("x_test")?, array("y_test")?)));
    }
    let part = |part: &str, kind: &str, rank: usize| -> Result<Option<Tensor>> {
        let names = [format!("{part}-{kind}-idx{rank}-ubyte"), format!("{part}-{kind}.idx{rank}-ubyte")];
        let gz = names.each_ref().map(|name| format!("{name}.gz"));
        let path = first(folder, &[&names[0], &gz[0], &names[1], &gz[1]]);
        path.map(|path| IdxFile::read(&path)?.into_tensor()).transpose()
    };
    let all = [
        part("train", "images", 3)?,
        part("train", "labels", 1)?,
        part("t10k", "images", 3)?,
        part("t10k", "labels", 1)?,
    ];
    match all {
        [Some(x_train), Some(y_train), Some(x_test), Some(y_test)] => checked(((x_train, y_train), (x_test, y_test))),
        _ => Err(absent(
            "load_data",
            folder,
            "mnist.npz, or train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, plain or .gz",
            from,
        )),
    }
}

/// An error unless there is a label for each image.
fn checked(split: Split) -> Result<Split> {
    for (x, y) in [&split.0, &split.1] {
        if x.rank() != 3 || y.rank() != 1 || x.shape().dims()[0] != y.shape().dims()[0] {
            return Err(Error::data_loss("load_data", "images and labels do not belong together")
                .got(format!("{} and {}", x.shape(), y.shape()))
                .expected("[n, 28, 28] and [n]"));
        }
    }
    Ok(split)
}
