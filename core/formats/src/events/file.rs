//! An event file that is written: made with its first record, then only ever appended to, so that what is there stays readable.
//! The writer's thread in the library calls it.

use super::frame::append_frame;
use super::summary::{Event, EventKind};
use crate::files;
use kernels::error::{Error, Result};
use prost::Message;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The first record's text, by which TensorBoard knows the format.
const VERSION: &str = "brain.Event:2";
/// Names that may be taken before one is given up.
const TRIES: u64 = 1000;

/// An event file.
#[derive(Debug)]
pub struct EventFile {
    path: PathBuf,
    file: File,
    /// The bytes of whole frames.
    length: u64,
}

impl EventFile {
    /// Makes a file in a folder, which is made too, with a name that TensorBoard looks for:
    /// `events.out.tfevents.<seconds>.<host>.<process>.<number><suffix>`. TensorFlow's suffix is `.v2`.
    ///
    /// # Errors
    /// What the file system refuses, with the path.
    pub fn create(folder: &Path, suffix: &str) -> Result<Self> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(folder).map_err(|e| files::error(folder, "the folder cannot be made", e))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let (host, process) = (host(), std::process::id());
        for _ in 0..TRIES {
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
            let name = format!("events.out.tfevents.{:010}.{host}.{process}.{number}{suffix}", now.as_secs());
            let path = folder.join(name);
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => return Self { path, file, length: 0 }.begin(now.as_secs_f64()),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(files::error(&path, "the file cannot be made", e)),
            }
        }
        Err(Error::already_exists("events", format!("{}: all names of this second are taken", folder.display())))
    }

    fn begin(mut self, wall_time: f64) -> Result<Self> {
        let version = Event { wall_time, step: 0, what: Some(EventKind::FileVersion(VERSION.to_owned())) };
        let mut frame = Vec::new();
        append_frame(&version.encode_to_vec(), &mut frame);
        self.append(&frame)?;
        Ok(self)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends whole frames. Whoever reads sees them at once, also if this process is killed.
    ///
    /// # Errors
    /// What the file system refuses, with the path. The file then ends with the frames before, as far as the system lets it, so that
    /// later ones can be read.
    pub fn append(&mut self, frames: &[u8]) -> Result<()> {
        match self.file.write_all(frames) {
            Ok(()) => {
                self.length += frames.len() as u64;
                Ok(())
            }
            Err(e) => {
                // The error of the write is the one to tell.
                let _ = self.file.set_len(self.length);
                Err(files::error(&self.path, "the file cannot be written", e))
            }
        }
    }
}

/// The machine's name, as far as a file's name may hold it.
fn host() -> String {
    let from_system = || fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = from_system().or_else(|| std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")).ok());
    let name: String =
        name.unwrap_or_default().trim().chars().filter(|c| c.is_ascii_alphanumeric() || ".-_".contains(*c)).collect();
    if name.is_empty() { "localhost".to_owned() } else { name }
}
