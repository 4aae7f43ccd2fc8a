//! A checkpoint read value by value, by names: what is in it, and single tensors, without a model to restore into.
//! Tools and programs that take over some values call [`load_checkpoint`]; files of TensorFlow 1 are read so.

use super::latest::{latest_checkpoint, open};
use super::weights::nearest;
use engine::library::tensor_of_bytes;
use engine::{Tensor, TensorType};
use formats::bundle::{self, Bundle, Stored};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::fmt;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// An open checkpoint, TensorFlow's `tf.train.load_checkpoint`.
///
/// ```
/// use eagerflow as tf;
/// # let directory = std::env::temp_dir().join(format!("eagerflow-doc-reader-{}", std::process::id()));
/// let v = tf::Variable::new([1.0, 2.0]);
/// let path = tf::train::Checkpoint::new().with("v", &v).save(directory.join("ckpt"))?;
/// let reader = tf::train::load_checkpoint(&path)?;
/// assert_eq!(reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")?.to_vec::<f32>(), [1.0, 2.0]);
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), tf::Error>(())
/// ```
pub struct CheckpointReader(Bundle);

/// Opens a checkpoint by its path, or the newest one of a directory.
///
/// # Errors
/// NotFound where there is none; DataLoss where its index is damaged.
#[track_caller]
pub fn load_checkpoint(path: impl AsRef<Path>) -> Result<CheckpointReader> {
    let here = Location::caller();
    let opened = || open(&found(path.as_ref())?).map(CheckpointReader);
    opened().map_err(|e: Error| e.at(here))
}

fn found(path: &Path) -> Result<PathBuf> {
    if bundle::exists(path) || !path.is_dir() {
        return Ok(path.to_owned());
    }
    latest_checkpoint(path)?.ok_or_else(|| {
        Error::not_found(path.display().to_string(), "there is no checkpoint in the directory")
            .expected("a file `checkpoint` that names one")
    })
}

/// The names and shapes of all values of a checkpoint, TensorFlow's `tf.train.list_variables`.
///
/// # Errors
/// As [`load_checkpoint`].
#[track_caller]
pub fn list_variables(path: impl AsRef<Path>) -> Result<Vec<(String, Vec<usize>)>> {
    let reader = load_checkpoint(path)?;
    Ok(reader.names().map(|name| (name.to_owned(), reader.shape_of(name).unwrap_or_default())).collect())
}

impl CheckpointReader {
    /// The names of all values, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.entries().iter().map(Stored::key)
    }

    /// Whether there is a value of this name.
    pub fn has_tensor(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// The shape of a value; none where there is none of this name.
    pub fn shape_of(&self, name: &str) -> Option<Vec<usize>> {
        Some(self.0.get(name)?.shape().iter().map(|&n| n as usize).collect())
    }

    /// The dtype of a value; none where there is none of this name, or one of a dtype that tensors do not have.
    pub fn dtype_of(&self, name: &str) -> Option<DType> {
        self.0.get(name)?.dtype().dtype()
    }

    /// A value as a tensor.
    ///
    /// # Errors
    /// NotFound for a name that is not there, with the nearest; Unimplemented for a dtype or rank that tensors do not have; DataLoss where the file is damaged.
    #[track_caller]
    pub fn get_tensor(&self, name: &str) -> Result<Tensor> {
        let here = Location::caller();
        self.tensor(name).map_err(|e| e.at(here))
    }

    fn tensor(&self, name: &str) -> Result<Tensor> {
        let stored = self.stored(name)?;
        let dtype = stored.dtype().dtype().ok_or_else(|| {
            Error::unimplemented(self.file(), "no tensor has the dtype of the value")
                .got(format!("{:?} of {name}", stored.dtype()))
        })?;
        let dims: Vec<usize> = stored.shape().iter().map(|&n| n as usize).collect();
        let ty = TensorType::new(dtype, Shape::new(&dims).map_err(|e| e.variable(name))?);
        if dtype == DType::String {
            return Tensor::try_from_byte_strings(&self.0.read_strings(name)?, ty.shape);
        }
        tensor_of_bytes(&ty, |bytes| self.0.read_into(&mut [(name, bytes)], 0))
    }

    /// The strings of a value as bytes, row by row, without a tensor.
    ///
    /// # Errors
    /// NotFound for a name that is not there, InvalidArgument for numbers, DataLoss where the file is damaged.
    #[track_caller]
    pub fn get_strings(&self, name: &str) -> Result<Vec<Vec<u8>>> {
        let here = Location::caller();
        self.stored(name).and_then(|_| self.0.read_strings(name)).map_err(|e| e.at(here))
    }

    fn file(&self) -> String {
        self.0.prefix().display().to_string()
    }

    fn stored(&self, name: &str) -> Result<&Stored> {
        self.0.get(name).ok_or_else(|| {
            let near = nearest(name, self.names());
            let error =
                Error::not_found(self.file(), "the checkpoint has no value of this name").got(format!("`{name}`"));
            match near {
                Some(near) => error.help(format!("the nearest is `{near}`; `names()` lists all")),
                None => error,
            }
        })
    }
}

impl fmt::Debug for CheckpointReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckpointReader")
            .field("prefix", &self.0.prefix())
            .field("values", &self.0.entries().len())
            .finish()
    }
}
