//! The files below a folder, in the order in which Keras finds them, and which part of them a data set has.
//! The readers of folders of images and texts share it.

use super::labels::{LabelMode, Subset};
use crate::keras::shuffle::RandomState;
use engine::data::IgnoredErrors;
use kernels::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// What all folders have for options.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub label_mode: LabelMode,
    pub class_names: Option<Vec<String>>,
    pub batch_size: Option<usize>,
    pub shuffle: bool,
    pub seed: Option<u32>,
    pub validation_split: f64,
    pub subset: Option<Subset>,
    pub follow_links: bool,
    pub ignored: Option<IgnoredErrors>,
}

impl Selection {
    pub const fn new() -> Self {
        Self {
            label_mode: LabelMode::Int,
            class_names: None,
            batch_size: Some(32),
            shuffle: true,
            seed: None,
            validation_split: 0.0,
            subset: None,
            follow_links: false,
            ignored: None,
        }
    }
}

/// Files and the number of the class of each.
pub(super) struct Found {
    pub paths: Vec<PathBuf>,
    pub labels: Vec<i32>,
    pub classes: Vec<String>,
}

#[cold]
fn unreadable(op: &str, path: &Path, error: &std::io::Error) -> Error {
    let what = format!("`{}`: {error}", path.display());
    match error.kind() {
        std::io::ErrorKind::NotFound => Error::not_found(op, what),
        std::io::ErrorKind::PermissionDenied => Error::permission_denied(op, what),
        _ => Error::failed_precondition(op, what),
    }
}

/// What lies in a folder: files and folders, by name.
fn listed(op: &str, folder: &Path, follow_links: bool) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(|e| unreadable(op, folder, &e))? {
        let path = entry.map_err(|e| unreadable(op, folder, &e))?.path();
        let is_link = path.is_symlink();
        match path.is_dir() {
            true if !is_link || follow_links => folders.push(path),
            true => {}
            false => files.push(path),
        }
    }
    files.sort();
    folders.sort();
    Ok((files, folders))
}

/// All files below a folder with one of these endings, folder after folder by the names of their paths.
fn below(op: &str, folder: &Path, endings: &[&str], follow_links: bool, depth: usize) -> Result<Vec<PathBuf>> {
    if depth > 64 {
        return Err(Error::failed_precondition(
            op,
            format!("`{}`: folders lie too deep in each other", folder.display()),
        )
        .help("a link may lead back to a folder above it"));
    }
    let (files, folders) = listed(op, folder, follow_links)?;
    let is_one = |path: &PathBuf| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        ending.is_some_and(|ending| endings.contains(&ending.as_str()))
    };
    let mut all: Vec<PathBuf> = files.into_iter().filter(is_one).collect();
    for inner in folders {
        all.extend(below(op, &inner, endings, follow_links, depth + 1)?);
    }
    Ok(all)
}

/// The files of all classes, each a folder of its name, in the order of the names unless `class_names` says another.
pub(super) fn of_classes(op: &str, folder: &Path, endings: &[&str], selection: &Selection) -> Result<Found> {
    let (_, folders) = listed(op, folder, true)?;
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let found: Vec<String> = folders.iter().map(name).filter(|name| !name.starts_with('.')).collect();
    let classes = match &selection.class_names {
        Some(given) => {
            let mut sorted = given.clone();
            sorted.sort();
            if sorted != found {
                return Err(Error::invalid_argument(op, "`class_names` are not the names of the folders")
                    .got(given.join(", "))
                    .expected(found.join(", ")));
            }
            given.clone()
        }
        None => found,
    };
    let (mut paths, mut labels) = (Vec::new(), Vec::new());
    for (label, class) in (0..).zip(&classes) {
        let files = below(op, &folder.join(class), endings, selection.follow_links, 0)?;
        labels.resize(labels.len() + files.len(), label);
        paths.extend(files);
    }
    checked(op, folder, endings, Found { paths, labels, classes })
}

/// All files below a folder, without classes.
pub(super) fn of_no_class(op: &str, folder: &Path, endings: &[&str], selection: &Selection) -> Result<Found> {
    let paths = below(op, folder, endings, selection.follow_links, 0)?;
    let labels = vec![0; paths.len()];
    checked(op, folder, endings, Found { paths, labels, classes: Vec::new() })
}

fn checked(op: &str, folder: &Path, endings: &[&str], found: Found) -> Result<Found> {
    match found.paths.is_empty() {
        true => Err(Error::not_found(op, format!("`{}` has no files for the data set", folder.display()))
            .expected(format!("files that end in {}, in a folder per class", endings.join(", ")))),
        false => Ok(found),
    }
}

impl Selection {
    /// An error for options that contradict each other.
    pub fn check(&self, op: &str) -> Result<()> {
        if (self.validation_split > 0.0) != self.subset.is_some() {
            return Err(Error::invalid_argument(op, "`validation_split` and `subset` belong together")
                .got(format!("{} and {:?}", self.validation_split, self.subset)));
        }
        if self.validation_split > 0.0 && self.shuffle && self.seed.is_none() {
            return Err(Error::invalid_argument(op, "parts of shuffled files need a `seed`")
                .help("else training and validation would share files; or turn `shuffle` off"));
        }
        Ok(())
    }

    /// Mixes the files, if they are to be shuffled, and leaves the part that the data set has.
    pub fn part(&self, op: &str, mut found: Found) -> Result<Found> {
        if self.shuffle {
            let seed = match self.seed {
                Some(seed) => seed,
                None => engine::random::uniform_int((), 0, 1 << 32).item::<i64>() as u32,
            };
            let order = RandomState::new(seed).permutation(found.paths.len());
            found.labels = order.iter().map(|&at| found.labels[at]).collect();
            found.paths = order.iter().map(|&at| found.paths[at].clone()).collect();
        }
        let count = found.paths.len();
        let held_out = (self.validation_split * count as f64) as usize;
        let range = match self.subset {
            None => 0..count,
            Some(Subset::Training) => 0..count - held_out,
            Some(Subset::Validation) => count - held_out..count,
        };
        if range.is_empty() {
            return Err(Error::invalid_argument(op, "the part has no files")
                .got(format!("{count} files, {held_out} for validation")));
        }
        found.paths = found.paths.drain(range.clone()).collect();
        found.labels = found.labels.drain(range).collect();
        Ok(found)
    }
}
