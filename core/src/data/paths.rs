//! What the sources that read files take for files: paths in all forms, tensors of names, data sets of names.
//! Names travel as tensors of strings, so that traced functions can make data sets of them.

use engine::data::Dataset;
use engine::{DType, Error, Result, Tensor};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Names of files: a path as `&str`, `String`, `&Path` or `PathBuf`, an array, slice or `Vec` of those, a tensor of strings of any shape,
/// or a data set of names.
///
/// ```no_run
/// use eagerflow as tf;
/// use tf::data::{Dataset, TFRecordDataset};
/// let one = TFRecordDataset::new("train.tfrecord");
/// let several = TFRecordDataset::new(["a.tfrecord", "b.tfrecord"]);
/// let listed = TFRecordDataset::new(Dataset::list_files("data/*.tfrecord", true, 7));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no files",
    note = "a path, a list of paths, a tensor of strings, or a data set of strings does"
)]
pub trait IntoFiles {
    /// The names.
    #[doc(hidden)]
    #[track_caller]
    fn into_files(self) -> Result<Files>;
}

/// Names of files.
#[doc(hidden)]
pub enum Files {
    /// All of them, as a vector of strings.
    Names(Tensor),
    /// One after the other.
    Dataset(Dataset),
}

#[track_caller]
fn listed<P: AsRef<Path>>(paths: &[P]) -> Result<Files> {
    let names: Vec<&[u8]> = paths.iter().map(|path| path.as_ref().as_os_str().as_encoded_bytes()).collect();
    Tensor::try_from_byte_strings(&names, [names.len()]).map(Files::Names)
}

macro_rules! paths {
    ($($ty:ty),*) => {$(
        impl IntoFiles for $ty {
            #[track_caller]
            fn into_files(self) -> Result<Files> {
                listed(&[self])
            }
        }
    )*};
}

paths!(&str, String, &String, &Path, PathBuf, &PathBuf);

macro_rules! lists {
    ($([$($generics:tt)*] $ty:ty),*) => {$(
        impl<P: AsRef<Path>, $($generics)*> IntoFiles for $ty {
            #[track_caller]
            fn into_files(self) -> Result<Files> {
                listed(&self[..])
            }
        }
    )*};
}

lists!([] &[P], [const N: usize] [P; N], [const N: usize] &[P; N], [] Vec<P>, [] &Vec<P>);

impl IntoFiles for &Tensor {
    #[track_caller]
    fn into_files(self) -> Result<Files> {
        if self.dtype() != DType::String {
            return Err(Error::invalid_argument("dataset", "names of files are no strings")
                .got(self.dtype())
                .expected("a tensor of strings"));
        }
        self.try_reshape([-1]).map(Files::Names)
    }
}

impl IntoFiles for Tensor {
    #[track_caller]
    fn into_files(self) -> Result<Files> {
        (&self).into_files()
    }
}

impl IntoFiles for Dataset {
    fn into_files(self) -> Result<Files> {
        Ok(Files::Dataset(self))
    }
}

impl IntoFiles for &Dataset {
    fn into_files(self) -> Result<Files> {
        Ok(Files::Dataset(self.clone()))
    }
}

/// The paths of a tensor of names.
pub(super) fn paths_of(names: &Tensor) -> Result<Vec<PathBuf>> {
    names.try_to_byte_strings()?.iter().map(|name| path_of(name)).collect()
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> Result<PathBuf> {
    Ok(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name).into())
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> Result<PathBuf> {
    let text = std::str::from_utf8(name).map(|text| OsStr::new(text).into());
    text.map_err(|_| Error::invalid_argument("dataset", "the name of a file is not UTF-8").got(format!("{name:?}")))
}
