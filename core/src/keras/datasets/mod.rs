//! The data sets of `keras.datasets`, read from files that the user has: nothing is downloaded.
//! Each has a `load_data` that says which files it looks for.

mod archive;
pub mod cifar10;
pub mod fashion_mnist;
pub mod imdb;
pub mod mnist;
mod npy;
mod pickle;

use engine::Tensor;
use kernels::error::{Error, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Examples and their labels, of training and of testing.
pub type Split = ((Tensor, Tensor), (Tensor, Tensor));

/// The first of these files that there is in a folder.
fn first(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Reads a file.
fn read(op: &str, path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let what = format!("`{}`: {error}", path.display());
        match error.kind() {
            ErrorKind::NotFound => Error::not_found(op, what),
            ErrorKind::PermissionDenied => Error::permission_denied(op, what),
            _ => Error::failed_precondition(op, what),
        }
    })
}

/// The error of a folder that has none of the files that are looked for.
#[cold]
fn absent(op: &str, folder: &Path, files: &str, from: &str) -> Error {
    Error::not_found(op, format!("`{}` has not the files of the data set", folder.display()))
        .expected(files)
        .help(format!("nothing is downloaded; the files are at {from}"))
}

/// An error that names the file.
fn in_file(path: &Path, error: Error) -> Error {
    crate::io::host::within("load_data", &format!("`{}`", path.display()), &error)
}
