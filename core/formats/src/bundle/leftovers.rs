//! What there is of a bundle in a directory: its files, and those that a crash has left under temporary names.
//! Checkpoint managers remove bundles and tidy directories with it; [`Bundle::open`](super::Bundle::open) asks whether a commit was
//! interrupted.

use super::{Bundle, names};
use crate::files::{Storage, TemporaryNames, directory_of, error};
use crate::state::STATE_FILE;
use kernels::error::{Error, Result};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether there is a bundle with this prefix, which is to say its index.
pub fn exists(prefix: &Path) -> bool {
    names::index(prefix).is_file()
}

/// Removes a bundle: the index first, so that none is ever seen that lacks its values, then its data files. Those that are left where
/// this was cut short before go too.
///
/// # Errors
/// `NotFound` if there is none of its files; what the file system refuses.
pub fn remove(prefix: &Path, storage: &dyn Storage) -> Result<()> {
    let index = names::index(prefix);
    let removed = storage.remove(&index).map_err(|e| error(&index, "cannot be removed", e));
    if !matches!(removed, Ok(()) | Err(Error::NotFound(_))) {
        return removed;
    }
    let mut data_files = 0;
    let Some(name) = prefix.file_name().and_then(OsStr::to_str) else { return removed };
    for path in paths_in(directory_of(prefix))? {
        if path.file_name().and_then(OsStr::to_str).is_some_and(|file| names::is_data_of(file, name)) {
            storage.remove(&path).map_err(|e| error(&path, "cannot be removed", e))?;
            data_files += 1;
        }
    }
    if data_files > 0 { Ok(()) } else { removed }
}

/// Finishes commits that a crash has interrupted in a directory, and removes what else crashes have left of bundles and of the state
/// file: all under temporary names that are written by holders of the lock. Files of weights are written without it, and stay.
///
/// Whoever calls it must hold the directory's [`DirectoryLock`](crate::files::DirectoryLock): files of a process that is still
/// writing have such names too.
///
/// # Errors
/// What the file system refuses.
pub fn tidy(directory: &Path, storage: &dyn Storage) -> Result<()> {
    let left = leftovers(directory)?;
    if left.is_empty() {
        return Ok(());
    }
    for path in &left {
        let target =
            TemporaryNames::parse(path).and_then(|(target, _)| Some((names::prefix_of_index(&target)?, target)));
        if let Some((prefix, index)) = target
            && interrupted_commit(&prefix).is_some_and(|bundle| bundle.index_path() == path)
        {
            storage.rename(path, &index).map_err(|e| error(&index, "cannot take the place of the file before", e))?;
        }
    }
    for path in leftovers(directory)? {
        storage.remove(&path).map_err(|e| error(&path, "cannot be removed", e))?;
    }
    storage.sync_directory(directory).map_err(|e| error(directory, "the directory cannot be synced", e))
}

/// Files under temporary names that belong to a bundle or to the directory's state.
fn leftovers(directory: &Path) -> Result<Vec<PathBuf>> {
    let ours = |path: &PathBuf| {
        let Some((target, _)) = TemporaryNames::parse(path) else { return false };
        let name = target.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name == STATE_FILE || name.ends_with(".index") || name.contains(".data-")
    };
    Ok(paths_in(directory)?.into_iter().filter(ours).collect())
}

/// The bundle of which the data file has its name but the index does not. All values are compared with that index: the data file
/// may have been replaced since.
pub(super) fn interrupted_commit(prefix: &Path) -> Option<Bundle> {
    let index = names::index(prefix);
    let paths: BTreeSet<PathBuf> = paths_in(directory_of(prefix)).ok()?.into_iter().collect();
    paths.iter().find_map(|path| {
        let (target, number) = TemporaryNames::parse(path)?;
        if target.file_name() != index.file_name()
            || paths.contains(&number.of(&in_directory_of(path, &names::data(prefix, 0, 1))))
        {
            return None;
        }
        let bundle = Bundle::open_by(prefix, path).ok()?;
        let keys: Vec<&str> = bundle.entries().iter().map(|entry| entry.key()).collect();
        bundle.verify(&keys, 0).ok().map(|()| bundle)
    })
}

/// A file's name, in the form of the directory that `path` has.
fn in_directory_of(path: &Path, file: &Path) -> PathBuf {
    path.with_file_name(file.file_name().unwrap_or_default())
}

/// The files of a directory.
fn paths_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| error(directory, "the directory cannot be read", e);
    std::fs::read_dir(directory).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path())).collect()
}
