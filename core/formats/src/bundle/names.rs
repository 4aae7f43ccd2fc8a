//! The names of a bundle's files.
//! Writers, readers and those who remove bundles ask here.

use std::path::{Path, PathBuf};

/// The file with the index of a bundle.
pub(super) fn index(prefix: &Path) -> PathBuf {
    with(prefix, ".index")
}

/// A data file of a bundle.
pub(super) fn data(prefix: &Path, shard: u32, shards: u32) -> PathBuf {
    with(prefix, &format!(".data-{shard:05}-of-{shards:05}"))
}

/// The bundle of which a file is the index.
pub(super) fn prefix_of_index(path: &Path) -> Option<PathBuf> {
    Some(path.with_file_name(path.file_name()?.to_str()?.strip_suffix(".index")?))
}

/// Whether a file's name is that of a data file of a bundle.
pub(super) fn is_data_of(name: &str, prefix: &str) -> bool {
    let number = |text: &str| text.len() >= 5 && text.bytes().all(|b| b.is_ascii_digit());
    let numbers = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(".data-"));
    numbers.and_then(|rest| rest.split_once("-of-")).is_some_and(|(shard, shards)| number(shard) && number(shards))
}

fn with(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
