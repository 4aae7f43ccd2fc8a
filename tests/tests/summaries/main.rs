//! Summaries as users write them, read back by the project's own reader: kinds, steps, conditions, order, threads, and what happens to
//! the file when a disk is full or a process is killed. What TensorBoard makes of them is looked at by `tests/browser`.

mod callback;
mod golden;
mod kinds;
mod tensors;
mod traced;
mod writers;

use eagerflow as tf;
use std::path::{Path, PathBuf};
use tf::summary::{ReadEvent, read_events};

/// A folder of a test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("eagerflow-summaries-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The event files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of the test");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

/// What was written into a folder, without the first record.
fn written(folder: &Path) -> Vec<ReadEvent> {
    let all = files(folder);
    assert_eq!(all.len(), 1, "{all:?}");
    read_events(&all[0]).split_off(1)
}

/// Tags, steps and numbers of scalars.
fn scalars(events: &[ReadEvent]) -> Vec<(&str, i64, f32)> {
    events.iter().map(|event| (event.tag.as_str(), event.step, event.scalar().expect("a scalar"))).collect()
}
