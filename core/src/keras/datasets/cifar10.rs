//! `keras.datasets.cifar10`: 60,000 pictures of 32 by 32 pixels in ten classes.
//! Read from the archives as they are offered, or from the folders that are in them.

use super::pickle::{self, Value};
use super::{Split, absent, archive, first, in_file, read};
use engine::Tensor;
use engine::library::OrFail;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::path::Path;

/// Bytes of an image.
const IMAGE: usize = 32 * 32 * 3;
/// The batches of training and of testing.
const BATCHES: [&str; 6] =
    ["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"];

/// Images `[n, 32, 32, 3]` of `uint8` and labels `[n, 1]` of `uint8`, of training and of testing: Keras's `keras.datasets.cifar10.load_data`, from
/// files that are there.
///
/// Looked for are the six batches of the binary version (`data_batch_1.bin` to `test_batch.bin`) or of the Python version (the
/// names without `.bin`), in the folder itself, in `cifar-10-batches-bin` or `cifar-10-batches-py` in it, or in an archive
/// `cifar-10-binary.tar.gz`, `cifar-10-python.tar.gz` or `cifar-10-batches-py.tar.gz`.
///
/// ```
/// use eagerflow as tf;
/// let error = tf::keras::datasets::cifar10::try_load_data("/no/such/folder").unwrap_err().to_string();
/// assert!(error.contains("cifar-10-batches-bin") && error.contains("cs.toronto.edu"));
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
/// NotFound for a folder without the files, and DataLoss for damaged ones.
#[track_caller]
pub fn try_load_data(folder: impl AsRef<Path>) -> Result<Split> {
    let here = Location::caller();
    load(folder.as_ref()).map_err(|e| e.at(here))
}

fn load(folder: &Path) -> Result<Split> {
    for (inner, ending) in [("", ".bin"), ("cifar-10-batches-bin", ".bin"), ("", ""), ("cifar-10-batches-py", "")] {
        let paths = BATCHES.map(|name| folder.join(inner).join(format!("{name}{ending}")));
        if paths.iter().all(|path| path.is_file()) {
            let batch = |path: &std::path::PathBuf| {
                let batch = read("load_data", path).and_then(|bytes| decoded(&bytes, ending == ".bin"));
                batch.map_err(|e| in_file(path, e))
            };
            return split(paths.iter().map(batch).collect::<Result<Vec<_>>>()?);
        }
    }
    let archives = ["cifar-10-binary.tar.gz", "cifar-10-python.tar.gz", "cifar-10-batches-py.tar.gz"];
    if let Some(path) = first(folder, &archives) {
        let members = archive::tar_gz(&read("load_data", &path)?).map_err(|e| in_file(&path, e))?;
        let batch = |name: &&str| {
            let ends = |member: &&(String, Vec<u8>)| {
                let file = member.0.rsplit('/').next().unwrap_or_default();
                file.strip_suffix(".bin").unwrap_or(file) == *name
            };
            let member = members
                .iter()
                .find(ends)
                .ok_or_else(|| Error::data_loss("load_data", format!("`{}` has no batch `{name}`", path.display())))?;
            decoded(&member.1, member.0.ends_with(".bin")).map_err(|e| in_file(&path, e))
        };
        return split(BATCHES.iter().map(batch).collect::<Result<Vec<_>>>()?);
    }
    Err(absent(
        "load_data",
        folder,
        "data_batch_1.bin to data_batch_5.bin and test_batch.bin, the same without .bin, in it or in cifar-10-batches-bin or cifar-10-batches-py, or an archive of them",
        "https://www.cs.toronto.edu/~kriz/cifar.html",
    ))
}

/// The labels of a batch, and its images with their channels one after the other.
type Batch = (Vec<u8>, Vec<u8>);

fn decoded(bytes: &[u8], is_binary: bool) -> Result<Batch> {
    let damaged = |what: &str| Error::data_loss("load_data", what);
    let (labels, images) = if is_binary {
        if !bytes.len().is_multiple_of(IMAGE + 1) {
            return Err(damaged("the batch ends within a record")
                .got(bytes.len())
                .expected(format!("a multiple of {}", IMAGE + 1)));
        }
        let records = bytes.chunks_exact(IMAGE + 1);
        (records.clone().map(|record| record[0]).collect(), records.flat_map(|record| record[1..].to_vec()).collect())
    } else {
        let Value::Dict(items) = pickle::read(bytes)? else { return Err(damaged("the pickle holds no dictionary")) };
        let (mut labels, mut images): Batch = Default::default();
        for (key, value) in items {
            let is = |name: &str| key == Value::Text(name.into()) || key == Value::Bytes(name.into());
            if is("data") {
                images = pickle::array_of_bytes(value)?;
            } else if is("labels") {
                let Value::List(items) = value else { return Err(damaged("the labels are no list")) };
                let label = |item| match item {
                    Value::Int(label) => u8::try_from(label).ok(),
                    _ => None,
                };
                labels = items
                    .into_iter()
                    .map(label)
                    .collect::<Option<_>>()
                    .ok_or_else(|| damaged("a label is no number"))?;
            }
        }
        (labels, images)
    };
    match images.len() == labels.len() * IMAGE && labels.iter().all(|&label| label < 10) {
        true => Ok((labels, images)),
        false => Err(damaged("images and labels do not belong together").got(format!(
            "{} labels, {} bytes",
            labels.len(),
            images.len()
        ))),
    }
}

fn split(mut batches: Vec<Batch>) -> Result<Split> {
    let test = batches.pop().unwrap_or_default();
    Ok((tensors(&batches)?, tensors(&[test])?))
}

/// Images with their channels side by side, and labels.
fn tensors(batches: &[Batch]) -> Result<(Tensor, Tensor)> {
    let count: usize = batches.iter().map(|(labels, _)| labels.len()).sum();
    let mut pixels = Vec::with_capacity(count * IMAGE);
    for image in batches.iter().flat_map(|(_, images)| images.chunks_exact(IMAGE)) {
        (0..1024).for_each(|at| pixels.extend([image[at], image[1024 + at], image[2048 + at]]));
    }
    let labels = batches.iter().flat_map(|(labels, _)| labels.iter().copied()).collect();
    Ok((Tensor::try_from_vec(pixels, [count, 32, 32, 3])?, Tensor::try_from_vec(labels, [count, 1])?))
}
