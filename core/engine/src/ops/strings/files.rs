//! `read_file` and `write_file`: whole files as strings, where a graph comes to them.
//! TensorFlow's `tf.io.read_file` and `tf.io.write_file`, on files of this machine.

use super::{string_fn, string_op};
use crate::execute::{execute, execute1};
use crate::op::{Gradient, Infer, Kind, Op, Outputs, identity};
use crate::ops::AsTensor;
use crate::tensor::Tensor;
use crate::tensor::strings::Strings;
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Shape;
use std::io::ErrorKind;
use std::panic::Location;
use std::path::PathBuf;

/// Input: the path.
#[derive(Clone)]
struct ReadFile;

string_op!(ReadFile, "read_file", {}, may_fail: true,
    infer: |_this, cx| {
        only_scalar(cx, 0)?;
        cx.output(cx.dtype(0), Shape::SCALAR);
        Ok(())
    },
    run: |_this, inputs| path("read_file", inputs[0]).and_then(|path| {
        let bytes = std::fs::read(&path).map_err(|e| failed("read_file", &path, &e))?;
        Ok(smallvec::smallvec![Tensor::of_strings(&[bytes], &Shape::SCALAR)?])
    })
);

/// Inputs: the path and the contents.
#[derive(Clone)]
struct WriteFile;

impl Op for WriteFile {
    identity!("write_file");

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        only_scalar(cx, 0)?;
        only_scalar(cx, 1)
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        Some(write(inputs[0], inputs[1]).map(|()| Outputs::new()))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("writing a file has no result")
    }
}

fn only_scalar(cx: &Infer<'_>, index: usize) -> Result<()> {
    cx.check_dtype(index, DTypes::STRING)?;
    if cx.shape(index).rank() == 0 {
        return Ok(());
    }
    Err(Error::invalid_argument(cx.op(), format!("input {index} must be one string"))
        .got(cx.input(index))
        .expected("shape []"))
}

/// The bytes of a scalar.
fn one<'a>(op: &str, x: &'a Tensor) -> Result<&'a [u8]> {
    let rows = Strings::of(x, op)?.rows()?;
    rows.first().copied().ok_or_else(|| Error::internal(op, "a scalar without an element"))
}

#[cfg(unix)]
fn path(_: &str, x: &Tensor) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(one("path", x)?)))
}

#[cfg(not(unix))]
fn path(op: &str, x: &Tensor) -> Result<PathBuf> {
    let text = std::str::from_utf8(one(op, x)?);
    text.map(PathBuf::from).map_err(|_| Error::invalid_argument(op, "the path is not UTF-8"))
}

fn write(to: &Tensor, contents: &Tensor) -> Result<()> {
    let path = path("write_file", to)?;
    let fails = |e: std::io::Error| failed("write_file", &path, &e);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(fails)?;
    }
    std::fs::write(&path, one("write_file", contents)?).map_err(fails)
}

#[cold]
fn failed(op: &str, path: &std::path::Path, error: &std::io::Error) -> Error {
    let what = format!("`{}`: {error}", path.display());
    match error.kind() {
        ErrorKind::NotFound => Error::not_found(op, what),
        ErrorKind::PermissionDenied => Error::permission_denied(op, what),
        _ => Error::failed_precondition(op, what),
    }
}

string_fn! {
    /// The contents of a file as one string of bytes, read when the operation runs.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let path = std::env::temp_dir().join(format!("eagerflow-read-{}", std::process::id()));
    /// tf::io::write_file(path.to_str().unwrap(), "two\nlines");
    /// let lines = tf::strings::split(tf::io::read_file(path.to_str().unwrap()), "\n");
    /// assert_eq!(lines.to_strings(), ["two", "lines"]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn read_file, try_read_file(path) -> Tensor {
        execute1(&ReadFile, &[path])
    }
}

/// Writes a string to a file, which is made or replaced; folders on the way are made, as in TensorFlow.
///
/// In a traced function this happens in every call, in program order.
///
/// ```
/// use eagerflow as tf;
/// let path = std::env::temp_dir().join(format!("eagerflow-write-{}", std::process::id()));
/// tf::io::write_file(path.to_str().unwrap(), "contents");
/// assert_eq!(std::fs::read(&path).unwrap(), b"contents");
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// # Panics
/// As [`try_write_file`] fails.
#[track_caller]
pub fn write_file(path: impl AsTensor, contents: impl AsTensor) {
    try_write_file(path, contents).or_fail();
}

/// [`write_file`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument for what is no scalar string, and NotFound, PermissionDenied or FailedPrecondition by what the system says.
#[track_caller]
pub fn try_write_file(path: impl AsTensor, contents: impl AsTensor) -> Result<()> {
    let here = Location::caller();
    execute(&WriteFile, &[&path.as_tensor(), &contents.as_tensor()]).map(drop).map_err(|e| e.at(here))
}
