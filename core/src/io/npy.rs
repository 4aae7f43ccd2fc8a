//! Tensors in NumPy's files: `load_npy`, `load_npz`, `save_npy`, and what the data set over the rows of such a file shares with them.
//! Files are read, not mapped into memory: the system kills a program whose mapped file is cut under it.

use engine::library::{HostBytes, OrFail, tensor_of_bytes};
use engine::{DType, Error, Result, Shape, Tensor, TensorType};
use formats::files::{self, Options};
use formats::npy::{Archive, Header, Kind, swap};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::panic::Location;
use std::path::Path;

/// The dtype of a tensor of such elements.
pub(crate) fn dtype_of(kind: Kind) -> DType {
    match kind {
        Kind::Bool => DType::Bool,
        Kind::Int(1) => DType::I8,
        Kind::Int(2) => DType::I16,
        Kind::Int(4) => DType::I32,
        Kind::Int(_) => DType::I64,
        Kind::UInt(1) => DType::U8,
        Kind::UInt(2) => DType::U16,
        Kind::UInt(4) => DType::U32,
        Kind::UInt(_) => DType::U64,
        Kind::Float(2) => DType::F16,
        Kind::Float(4) => DType::F32,
        Kind::Float(_) => DType::F64,
        Kind::Complex(8) => DType::C64,
        Kind::Complex(_) => DType::C128,
        Kind::Bytes(_) | Kind::Text(_) => DType::String,
    }
}

fn kind_of(dtype: DType) -> Option<Kind> {
    Some(match dtype {
        DType::Bool => Kind::Bool,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Kind::Int(dtype.size()),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Kind::UInt(dtype.size()),
        DType::F16 | DType::F32 | DType::F64 => Kind::Float(dtype.size()),
        DType::C64 | DType::C128 => Kind::Complex(dtype.size()),
        _ => return None,
    })
}

/// Opens a file and reads its header.
pub(crate) fn open(path: &Path) -> Result<(File, Header, u64)> {
    let name = path.display().to_string();
    let failed = |e| files::error(path, "cannot be read", e);
    let mut file = File::open(path).map_err(|e| files::error(path, "cannot be opened", e))?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(Error::failed_precondition(name, "is no file"));
    }
    let mut bytes = Vec::new();
    (&mut file).take(12).read_to_end(&mut bytes).map_err(failed)?;
    let length = Header::length(&name, &bytes)?;
    (&mut file).take((length - bytes.len().min(length)) as u64).read_to_end(&mut bytes).map_err(failed)?;
    let header = Header::parse(&name, &bytes)?;
    header.data_size(&name, metadata.len())?;
    Ok((file, header, metadata.len()))
}

/// A tensor of this shape, whose elements `fill` writes as they lie in a file.
pub(crate) fn elements(
    name: &str,
    header: &Header,
    shape: &[usize],
    fill: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<Tensor> {
    let unit = header.kind.unit();
    let count: usize = shape.iter().product();
    let (Kind::Bytes(size) | Kind::Text(size)) = header.kind else {
        let ty = TensorType::new(dtype_of(header.kind), Shape::new(shape)?);
        return tensor_of_bytes(&ty, |bytes| {
            fill(bytes)?;
            if header.big_endian {
                swap(bytes, unit);
            }
            if header.kind == Kind::Bool {
                bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
            }
            Ok(())
        });
    };
    // The file was found to be as long.
    let mut bytes = vec![0; count * header.kind.size()];
    fill(&mut bytes)?;
    let strings: Vec<Vec<u8>> = match (header.kind, size) {
        (_, 0) => vec![Vec::new(); count],
        (Kind::Bytes(_), _) => bytes.chunks_exact(size).map(|s| without_zeros(s).to_vec()).collect(),
        _ => {
            if header.big_endian {
                swap(&mut bytes, unit);
            }
            bytes.chunks_exact(4 * size).map(|s| characters(name, s)).collect::<Result<_>>()?
        }
    };
    Tensor::try_from_byte_strings(&strings, shape)
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)]
}

/// Characters of four bytes as UTF-8.
fn characters(name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut numbers: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|four| four.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
        .collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    let text: Option<String> = numbers.iter().map(|&number| char::from_u32(number)).collect();
    let wrong = || Error::data_loss(name, "a string holds a number that is no character").got(format!("{numbers:x?}"));
    text.map(String::into_bytes).ok_or_else(wrong)
}

/// The whole array.
pub(crate) fn array(name: &str, header: &Header, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Tensor> {
    if !header.fortran || header.shape.len() < 2 {
        return elements(name, header, &header.shape, fill);
    }
    // The first axis changes fastest: the array of the axes in reverse lies in rows.
    let reversed: Vec<usize> = header.shape.iter().rev().copied().collect();
    let axes: Vec<isize> = (0..reversed.len() as isize).rev().collect();
    elements(name, header, &reversed, fill)?.try_transpose(axes)
}

/// The array of a file's bytes.
pub(crate) fn array_of(name: &str, bytes: &[u8]) -> Result<Tensor> {
    let header = Header::parse(name, bytes)?;
    let size = header.data_size(name, bytes.len() as u64)?;
    array(name, &header, |to| {
        to.copy_from_slice(&bytes[header.start..header.start + size]);
        Ok(())
    })
}

/// The array in a `.npy` file: `numpy.load`.
///
/// Numbers of both byte orders and arrays of both orders of axes are read; strings, of bytes or of characters, become strings.
///
/// ```
/// use eagerflow as tf;
/// let path = std::env::temp_dir().join(format!("eagerflow-load-{}.npy", std::process::id()));
/// tf::io::save_npy(&path, tf::constant([[1.0, 2.0], [3.0, 4.0]]));
/// assert_eq!(tf::io::load_npy(&path).to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0]);
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// # Panics
/// As [`try_load_npy`] fails.
#[track_caller]
pub fn load_npy(path: impl AsRef<Path>) -> Tensor {
    try_load_npy(path).or_fail()
}

/// [`load_npy`] that answers an error instead of panicking.
///
/// # Errors
/// What the file system refuses; InvalidArgument for what is no such file; DataLoss for one that is cut off; Unimplemented for elements
/// that no tensor holds.
#[track_caller]
pub fn try_load_npy(path: impl AsRef<Path>) -> Result<Tensor> {
    let here = Location::caller();
    let path = path.as_ref();
    let read = || {
        let (mut file, header, _) = open(path)?;
        let fill = |bytes: &mut [u8]| file.read_exact(bytes).map_err(|e| files::error(path, "cannot be read", e));
        array(&path.display().to_string(), &header, fill)
    };
    read().map_err(|e: Error| e.at(here))
}

/// The arrays in a `.npz` file, by their names: `numpy.load`, of what `numpy.savez` and `numpy.savez_compressed` write.
///
/// # Panics
/// As [`try_load_npz`] fails.
#[track_caller]
pub fn load_npz(path: impl AsRef<Path>) -> BTreeMap<String, Tensor> {
    try_load_npz(path).or_fail()
}

/// [`load_npz`] that answers an error instead of panicking.
///
/// # Errors
/// Those of [`try_load_npy`], for the archive or an array in it; DataLoss where a checksum does not match.
#[track_caller]
pub fn try_load_npz(path: impl AsRef<Path>) -> Result<BTreeMap<String, Tensor>> {
    let here = Location::caller();
    let path = path.as_ref();
    let read = || {
        let mut archive = Archive::open(path)?;
        let names: Vec<String> = archive.names().into_iter().map(str::to_owned).collect();
        let mut arrays = BTreeMap::new();
        for (number, own) in names.iter().enumerate() {
            let Some(key) = own.strip_suffix(".npy") else { continue };
            let bytes = archive.read(number)?;
            arrays.insert(key.to_owned(), array_of(&format!("{} in {}", own, path.display()), &bytes)?);
        }
        Ok(arrays)
    };
    read().map_err(|e: Error| e.at(here))
}

/// Writes a tensor as a `.npy` file: `numpy.save`. The file has its name once it is whole, in place of the one that may be there.
///
/// Strings become NumPy's strings of bytes, which are all as long as the longest.
///
/// # Panics
/// As [`try_save_npy`] fails.
#[track_caller]
pub fn save_npy(path: impl AsRef<Path>, tensor: impl engine::AsTensor) {
    try_save_npy(path, tensor).or_fail();
}

/// [`save_npy`] that answers an error instead of panicking.
///
/// # Errors
/// What the file system refuses; InvalidArgument for dtypes that NumPy has not, and for strings that end with a zero byte, which NumPy
/// would take for the end of a shorter one; FailedPrecondition for a value of a graph.
#[track_caller]
pub fn try_save_npy(path: impl AsRef<Path>, tensor: impl engine::AsTensor) -> Result<()> {
    let here = Location::caller();
    let tensor = tensor.as_tensor();
    bytes_of(&tensor)
        .and_then(|bytes| files::replace(path.as_ref(), &bytes, &Options::default()))
        .map_err(|e| e.at(here))
}

/// The file of a tensor.
fn bytes_of(tensor: &Tensor) -> Result<Vec<u8>> {
    let shape = tensor.shape().dims();
    if tensor.dtype() == DType::String {
        let strings = tensor.try_to_byte_strings()?;
        if let Some(string) = strings.iter().find(|string| string.last() == Some(&0)) {
            let what = "a string ends with a zero byte, which NumPy would leave out";
            return Err(Error::invalid_argument("save_npy", what).got(format!("{string:?}")));
        }
        let size = strings.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let mut bytes = Header::bytes(Kind::Bytes(size), shape);
        for string in strings {
            bytes.extend(&string);
            bytes.resize(bytes.len() + size - string.len(), 0);
        }
        return Ok(bytes);
    }
    let kind = kind_of(tensor.dtype()).ok_or_else(|| {
        Error::invalid_argument("save_npy", "NumPy has no such dtype")
            .got(tensor.dtype())
            .help("`cast` it, bfloat16 to float32 for example")
    })?;
    let host = HostBytes::of(tensor)?;
    let mut bytes = Header::bytes(kind, shape);
    bytes.extend(host.as_slice());
    Ok(bytes)
}
