//! The data set of a folder: its classes and files as they are listed, in which order, read and put in batches.
//! Readers of images and texts say which files are theirs and how one of them is read.

use super::files::{self, Found, Selection};
use super::labels::{self, LabeledFiles};
use engine::Tensor;
use engine::data::{AUTOTUNE, Dataset, DatasetElement, Shuffle};
use kernels::error::Result;
use std::path::Path;

/// What a reader is for.
pub(super) struct Reader<'a> {
    /// What errors call it.
    pub op: &'static str,
    /// The endings of the files that it reads, in small letters.
    pub endings: &'static [&'static str],
    /// What is read, and how.
    pub selection: &'a Selection,
}

impl Reader<'_> {
    /// Contents and labels of a folder that has a folder for each class. `read` makes the content of a path.
    #[track_caller]
    pub fn labeled(
        &self,
        folder: &Path,
        read: impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static,
    ) -> Result<LabeledFiles> {
        let Self { op, endings, selection } = *self;
        selection.check(op)?;
        let found = selection.part(op, files::of_classes(op, folder, endings, selection)?)?;
        let (paths, file_paths) = paths(&found)?;
        let labels = labels::tensor(op, selection.label_mode, &found)?;
        let files = Dataset::try_from_tensor_slices((paths, labels))?;
        let dataset = pipeline(files, selection, move |(path, label)| Ok((read(&path)?, label)));
        Ok(LabeledFiles { dataset, class_names: found.classes, file_paths })
    }

    /// The contents of all files below a folder.
    #[track_caller]
    pub fn unlabeled(
        &self,
        folder: &Path,
        read: impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static,
    ) -> Result<Dataset<Tensor>> {
        let Self { op, endings, selection } = *self;
        selection.check(op)?;
        let found = selection.part(op, files::of_no_class(op, folder, endings, selection)?)?;
        let files = Dataset::try_from_tensor_slices(paths(&found)?.0)?;
        Ok(pipeline(files, selection, move |path| read(&path)))
    }
}

/// The paths of files as a tensor and as text.
fn paths(found: &Found) -> Result<(Tensor, Vec<String>)> {
    let texts: Vec<String> = found.paths.iter().map(|path| path.display().to_string()).collect();
    #[cfg(unix)]
    let bytes: Vec<&[u8]> = {
        use std::os::unix::ffi::OsStrExt;
        found.paths.iter().map(|path| path.as_os_str().as_bytes()).collect()
    };
    #[cfg(not(unix))]
    let bytes: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    Ok((Tensor::try_from_byte_strings(&bytes, [bytes.len()])?, texts))
}

/// Shuffled from pass to pass, read, and in batches.
#[track_caller]
fn pipeline<S: DatasetElement, R: DatasetElement>(
    files: Dataset<S>,
    selection: &Selection,
    read: impl Fn(S) -> Result<R> + Send + Sync + 'static,
) -> Dataset<R> {
    let files = match selection.shuffle {
        true => {
            let shuffle = Shuffle::buffer(selection.batch_size.unwrap_or(128).saturating_mul(8));
            files.shuffle(match selection.seed {
                Some(seed) => shuffle.seed(seed.into()),
                None => shuffle,
            })
        }
        false => files,
    };
    let mut read = files.try_map_with(AUTOTUNE, read);
    if let Some(ignored) = &selection.ignored {
        read = read.ignore_errors_counted(ignored);
    }
    if let Some(size) = selection.batch_size {
        read = read.batch(size);
    }
    read.prefetch(AUTOTUNE)
}
