//! A storage that notes what is asked of it, and what a crash after any of these steps would have left.
//! Tests of durability write through it and then look at every such state; no other code uses it.

use super::{Disk, Output, Storage};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// One step.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are the arguments of the storage's methods")]
pub enum Step {
    /// A file was made; it is known by its number from here on.
    Create { file: usize, path: PathBuf },
    /// Bytes were written.
    Write { file: usize, bytes: Vec<u8>, offset: u64 },
    /// A file was synced.
    Sync { file: usize },
    /// A file was renamed.
    Rename { from: PathBuf, to: PathBuf },
    /// A file was removed.
    Remove { path: PathBuf },
    /// A directory was synced.
    SyncDirectory { path: PathBuf },
}

/// What a crash leaves of what was not synced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Crash {
    /// All: the process was killed, not the machine.
    OfProcess,
    /// The names, but not the bytes: directories reached the disk first.
    NamesOnly,
    /// Neither names nor bytes.
    Nothing,
}

impl Crash {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::OfProcess, Self::NamesOnly, Self::Nothing];
}

type Steps = Arc<Mutex<Vec<Step>>>;

/// The machine's file system, with notes.
#[derive(Default)]
pub struct Recording {
    steps: Steps,
}

struct RecordedFile {
    number: usize,
    steps: Steps,
    file: Box<dyn Output>,
}

fn note(steps: &Steps, step: Step) {
    steps.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(step);
}

impl Storage for Recording {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        let file = Disk.create(path)?;
        let number = self.steps().len();
        note(&self.steps, Step::Create { file: number, path: path.to_owned() });
        Ok(Box::new(RecordedFile { number, steps: self.steps.clone(), file }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)?;
        note(&self.steps, Step::Rename { from: from.to_owned(), to: to.to_owned() });
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)?;
        note(&self.steps, Step::Remove { path: path.to_owned() });
        Ok(())
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        Disk.sync_directory(path)?;
        note(&self.steps, Step::SyncDirectory { path: path.to_owned() });
        Ok(())
    }
}

impl Output for RecordedFile {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)?;
        note(&self.steps, Step::Write { file: self.number, bytes: bytes.to_owned(), offset });
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync()?;
        note(&self.steps, Step::Sync { file: self.number });
        Ok(())
    }
}

/// A directory as a crash has left it, or as it was before: files by path.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

#[derive(Default)]
struct Disc {
    /// What the running programs see, and what the disk holds.
    seen: Vec<Vec<u8>>,
    held: Vec<Vec<u8>>,
    names: BTreeMap<PathBuf, usize>,
    held_names: BTreeMap<PathBuf, usize>,
    numbers: BTreeMap<usize, usize>,
}

impl Disc {
    fn new(before: &Files) -> Self {
        let mut disc = Self::default();
        for (path, bytes) in before {
            disc.names.insert(path.clone(), disc.seen.len());
            disc.seen.push(bytes.clone());
        }
        disc.held = disc.seen.clone();
        disc.held_names = disc.names.clone();
        disc
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Create { file, path } => {
                self.numbers.insert(*file, self.seen.len());
                self.names.insert(path.clone(), self.seen.len());
                self.seen.push(Vec::new());
                self.held.push(Vec::new());
            }
            Step::Write { file, bytes, offset } => {
                let data = &mut self.seen[self.numbers[file]];
                let (from, to) = (*offset as usize, *offset as usize + bytes.len());
                data.resize(data.len().max(to), 0);
                data[from..to].copy_from_slice(bytes);
            }
            Step::Sync { file } => {
                let at = self.numbers[file];
                self.held[at] = self.seen[at].clone();
            }
            Step::Rename { from, to } => {
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                }
            }
            Step::Remove { path } => drop(self.names.remove(path)),
            Step::SyncDirectory { path } => {
                self.held_names.retain(|name, _| name.parent() != Some(path));
                let inside = self.names.iter().filter(|(name, _)| name.parent() == Some(path));
                self.held_names.extend(inside.map(|(name, file)| (name.clone(), *file)));
            }
        }
    }
}

impl Recording {
    /// What was asked so far.
    pub fn steps(&self) -> Vec<Step> {
        self.steps.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// The files that a crash after these steps leaves of those that were there before them.
pub fn left_by(crash: Crash, before: &Files, steps: &[Step]) -> Files {
    let mut disc = Disc::new(before);
    steps.iter().for_each(|step| disc.take(step));
    let names = if crash == Crash::Nothing { &disc.held_names } else { &disc.names };
    let contents = if crash == Crash::OfProcess { &disc.seen } else { &disc.held };
    names.iter().map(|(name, &file)| (name.clone(), contents[file].clone())).collect()
}

/// The files of a directory.
///
/// # Errors
/// What the file system refuses.
pub fn files_in(directory: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_file() {
            files.insert(path.clone(), std::fs::read(&path)?);
        }
    }
    Ok(files)
}

/// Makes a directory hold these files and no others.
///
/// # Errors
/// What the file system refuses.
pub fn put(directory: &Path, files: &Files) -> io::Result<()> {
    for path in files_in(directory)?.keys() {
        std::fs::remove_file(path)?;
    }
    files.iter().try_for_each(|(path, bytes)| std::fs::write(path, bytes))
}
