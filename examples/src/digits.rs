//! The images and labels, from four IDX files with MNIST's names.
//! Images of any size and number do, as long as files and labels fit each other. All examples that learn of digits call it.

use eagerflow as tf;
use std::fmt;
use std::path::{Path, PathBuf};
use tf::data::IdxFile;
use tf::{Error, Result, Tensor};

/// Images `[count, rows, columns, 1]` between 0 and 1, and labels `[count]`.
pub struct Split {
    /// `float32` `[count, rows, columns, 1]`.
    pub images: Tensor,
    /// `int64` `[count]`.
    pub labels: Tensor,
}

/// Images to learn of, and others to be asked about.
pub struct Digits {
    /// To learn of.
    pub train: Split,
    /// Never seen while a model learns.
    pub test: Split,
    /// One more than the greatest label.
    pub classes: usize,
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (train, test) = (self.train.images.shape(), self.test.images.dim(0));
        write!(f, "{} training and {test} test images of {} by {} pixels", train[0], train[1], train[2])
    }
}

/// The folder of the digits that come along with the source.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data/digits"))
}

/// Reads the files of a folder.
///
/// # Errors
/// What is wrong with a file, or that files do not fit each other.
pub fn load(folder: &Path) -> Result<Digits> {
    let train = split(folder, "train")?;
    let test = split(folder, "t10k")?;
    if train.images.shape().dims()[1..] != test.images.shape().dims()[1..] {
        return Err(Error::invalid_argument("digits", "training and test images have different sizes").got(format!(
            "{} and {}",
            train.images.shape(),
            test.images.shape()
        )));
    }
    // The digits here go up to 16, those of MNIST to 255: the brightest pixel is 1 either way.
    let brightest = tf::reduce_max(&train.images, ()).maximum(1.0);
    let scaled = |split: Split| Split { images: split.images / &brightest, labels: split.labels };
    let classes = 1 + tf::reduce_max(&train.labels, ()).item::<i64>() as usize;
    Ok(Digits { train: scaled(train), test: scaled(test), classes })
}

fn split(folder: &Path, name: &str) -> Result<Split> {
    let images = IdxFile::read(&find(folder, &format!("{name}-images-idx3-ubyte"))?)?.into_tensor()?;
    let labels = IdxFile::read(&find(folder, &format!("{name}-labels-idx1-ubyte"))?)?.into_tensor()?;
    let fit = images.rank() == 3 && labels.rank() == 1 && images.dim(0) == labels.dim(0) && images.num_elements() > 0;
    if !fit {
        return Err(Error::invalid_argument("digits", format!("the files `{name}-*` do not fit each other"))
            .got(format!("images {}, labels {}", images.shape(), labels.shape()))
            .expected("images [count, rows, columns] and labels [count], and at least one"));
    }
    let images = images.try_cast(tf::DType::F32)?.try_expand_dims(-1)?;
    Ok(Split { images, labels: labels.try_cast(tf::DType::I64)? })
}

/// The file with this name, or else with `.gz` behind it.
fn find(folder: &Path, name: &str) -> Result<PathBuf> {
    let candidates = [folder.join(name), folder.join(format!("{name}.gz"))];
    candidates.iter().find(|path| path.exists()).cloned().ok_or_else(|| {
        Error::not_found("digits", format!("there is no `{name}` or `{name}.gz`"))
            .got(format!("folder {}", folder.display()))
            .help("`--data` takes a folder with the four files of MNIST")
    })
}
