//! Arrays of NumPy's files, `.npy` and those in `.npz`: numbers as tensors, and arrays of lists.
//! The readers of Keras's data sets take their arrays from here.

use super::archive;
use super::pickle::{self, Value};
use crate::io::host::within;
use engine::library::tensor_of_bytes;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::path::Path;

/// The arrays of a `.npz` file by name.
pub(super) struct Npz {
    name: String,
    members: Vec<(String, Vec<u8>)>,
}

fn damaged(what: impl Into<String>) -> Error {
    Error::data_loss("load_data", what)
}

impl Npz {
    pub fn read(path: &Path) -> Result<Self> {
        let members = archive::zip(&super::read("load_data", path)?).map_err(|e| super::in_file(path, e))?;
        Ok(Self { name: path.display().to_string(), members })
    }

    fn member(&self, array: &str) -> Result<&[u8]> {
        let wanted = format!("{array}.npy");
        let found = self.members.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, bytes)| &bytes[..]).ok_or_else(|| {
            let names: Vec<&str> = self.members.iter().map(|(name, _)| name.as_str()).collect();
            damaged(format!("`{}` has no array `{array}`", self.name)).got(names.join(", "))
        })
    }

    /// An array of numbers.
    pub fn tensor(&self, array: &str) -> Result<Tensor> {
        let inside = |e: Error| within("load_data", &format!("`{}`, array `{array}`", self.name), &e);
        numbers(self.member(array)?).map_err(inside)
    }

    /// An array of lists of integers.
    pub fn lists(&self, array: &str) -> Result<Vec<Vec<i64>>> {
        let inside = |e: Error| within("load_data", &format!("`{}`, array `{array}`", self.name), &e);
        lists(self.member(array)?).map_err(inside)
    }
}

/// The header of an array, and its data.
fn header(bytes: &[u8]) -> Result<(&str, &[u8])> {
    let cut = || damaged("the array is cut off");
    let (Some(&[major, _]), true) = (bytes.get(6..8), bytes.starts_with(b"\x93NUMPY")) else {
        return Err(damaged("this is no array of NumPy"));
    };
    let (length, start) = match (major, bytes.get(8..10), bytes.get(8..12)) {
        (1, Some(b), _) => (usize::from(u16::from_le_bytes([b[0], b[1]])), 10),
        (_, _, Some(b)) => (u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize, 12),
        _ => return Err(cut()),
    };
    let text = bytes.get(start..start + length).ok_or_else(cut)?;
    let text = std::str::from_utf8(text).map_err(|_| damaged("the array's header is no text"))?;
    Ok((text, &bytes[start + length..]))
}

/// What stands behind a key of the header's dictionary.
fn value<'a>(header: &'a str, key: &str) -> Result<&'a str> {
    let behind = header.split_once(&format!("'{key}':")).map(|(_, behind)| behind.trim_start());
    behind.ok_or_else(|| damaged(format!("the array's header has no `{key}`")))
}

fn shape(header: &str) -> Result<Vec<usize>> {
    let inside = value(header, "shape")?.strip_prefix('(').and_then(|text| text.split_once(')'));
    let inside = inside.ok_or_else(|| damaged("the array's shape is damaged"))?.0;
    let sizes = inside.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().map_err(|_| damaged("the array's shape is damaged"))).collect()
}

fn numbers(bytes: &[u8]) -> Result<Tensor> {
    let (header, data) = header(bytes)?;
    let dtype = value(header, "descr")?.trim_start_matches('\'').split('\'').next().unwrap_or_default();
    let dtype = match dtype {
        "|u1" | "u1" => DType::U8,
        "|b1" => DType::Bool,
        "<i4" => DType::I32,
        "<i8" => DType::I64,
        "<f4" => DType::F32,
        "<f8" => DType::F64,
        other => return Err(damaged("the array has a dtype that no data set here has").got(other)),
    };
    if value(header, "fortran_order")?.starts_with("True") {
        return Err(damaged("the array lies in Fortran's order"));
    }
    let shape = shape(header)?;
    let size = shape.iter().try_fold(dtype.size(), |size, &n| size.checked_mul(n));
    if size != Some(data.len()) {
        return Err(damaged("the array has another number of bytes than its shape")
            .got(data.len())
            .expected(format!("{shape:?} of {dtype}")));
    }
    tensor_of_bytes(&TensorType::new(dtype, Shape::new(&shape)?), |out| {
        out.copy_from_slice(data);
        Ok(())
    })
}

fn lists(bytes: &[u8]) -> Result<Vec<Vec<i64>>> {
    let (header, data) = header(bytes)?;
    if !value(header, "descr")?.starts_with("'|O'") {
        return Err(damaged("the array holds no lists").got(header.trim()));
    }
    let rows = pickle::array_of_objects(pickle::read(data)?)?;
    let number = |value: Value| match value {
        Value::Int(number) => Ok(number),
        other => Err(damaged("a list holds something else than integers").got(format!("{other:?}"))),
    };
    let row = |value: Value| match value {
        Value::List(items) => items.into_iter().map(number).collect(),
        other => Err(damaged("the array holds something else than lists").got(format!("{other:?}"))),
    };
    rows.into_iter().map(row).collect()
}
