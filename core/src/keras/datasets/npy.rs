//! Arrays in the `.npz` files of Keras's data sets: numbers as tensors, and lists of integers, which lie there as pickles.
//! The readers of `mnist`, `fashion_mnist` and `imdb` take their arrays from here.

use super::pickle::{self, Value};
use crate::io::host::within;
use crate::io::npy::array_of;
use engine::Tensor;
use formats::npy::{Archive, Header};
use kernels::error::{Error, Result};
use std::path::Path;

/// A `.npz` file whose arrays are read by name.
pub(super) struct Npz {
    name: String,
    archive: Archive,
}

fn damaged(what: impl Into<String>) -> Error {
    Error::data_loss("load_data", what).help("fetch the file again")
}

impl Npz {
    pub fn read(path: &Path) -> Result<Self> {
        let archive = Archive::open(path).map_err(|e| super::in_file(path, e))?;
        Ok(Self { name: path.display().to_string(), archive })
    }

    /// The bytes of an array, and what is made of them; errors name the file and the array.
    fn member<R>(&mut self, array: &str, made: impl FnOnce(&str, &[u8]) -> Result<R>) -> Result<R> {
        let names = self.archive.names();
        let Some(number) = names.iter().position(|name| name.strip_suffix(".npy") == Some(array)) else {
            return Err(damaged(format!("`{}` has no array `{array}`", self.name)).got(names.join(", ")));
        };
        let place = format!("`{}`, array `{array}`", self.name);
        let bytes = self.archive.read(number);
        bytes.and_then(|bytes| made(&place, &bytes)).map_err(|e| within("load_data", &place, &e))
    }

    /// An array of numbers.
    pub fn tensor(&mut self, array: &str) -> Result<Tensor> {
        self.member(array, array_of)
    }

    /// An array of lists of integers.
    pub fn lists(&mut self, array: &str) -> Result<Vec<Vec<i64>>> {
        self.member(array, lists)
    }
}

fn lists(name: &str, bytes: &[u8]) -> Result<Vec<Vec<i64>>> {
    let start = Header::length(name, &bytes[..bytes.len().min(12)])?;
    let (header, data) = bytes.split_at_checked(start).ok_or_else(|| damaged("the array is cut off"))?;
    if !header.windows(4).any(|descr| descr == b"'|O'") {
        return Err(damaged("the array holds no lists").got(String::from_utf8_lossy(&header[10..]).trim()));
    }
    let number = |value: Value| match value {
        Value::Int(number) => Ok(number),
        other => Err(damaged("a list holds something else than integers").got(format!("{other:?}"))),
    };
    let row = |value: Value| match value {
        Value::List(items) => items.into_iter().map(number).collect(),
        other => Err(damaged("the array holds something else than lists").got(format!("{other:?}"))),
    };
    pickle::array_of_objects(pickle::read(data)?)?.into_iter().map(row).collect()
}
