//! `SummaryWriter`: an event file, the thread that writes it, and who may end it.
//! Users make one with `create_file_writer` and make it the default one of their thread.

use super::queue::Queue;
use super::state::{DefaultWriter, replace_writer};
use engine::library::options::{self, options};
use formats::events::EventFile;
use kernels::error::{Error, OrFail, Result};
use std::marker::PhantomData;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Writes summaries into an event file of its own, by a thread of its own; handles are cheap to clone. The last one that goes writes
/// what waits and ends the thread; traced functions do not keep a writer open.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-writer-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// {
///     let _default = writer.as_default();
///     tf::summary::scalar("loss", 0.5, 1);
/// }
/// writer.flush();
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct SummaryWriter(Option<Arc<Open>>);

/// A writer that was not closed, as users hold it.
#[derive(Debug)]
struct Open {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Open {
    /// Writes what waits and ends the thread.
    fn close(&self) -> Result<()> {
        let flushed = self.queue.flush();
        self.queue.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ended = thread.map_or(Ok(()), JoinHandle::join);
        let panicked = |_| Error::internal("summary", "the thread that writes summaries panicked");
        flushed.and(ended.map_err(panicked)).and_then(|()| self.queue.flush())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            eprintln!("warning: summaries are missing from a file: {error}");
        }
    }
}

/// A writer into a new event file in `logdir`, which is made if it is not there, with the default options of [`FileWriter`].
///
/// # Panics
/// As [`try_create_file_writer`] fails, at the caller's line.
#[track_caller]
pub fn create_file_writer(logdir: impl Into<PathBuf>) -> SummaryWriter {
    FileWriter::new(logdir).create()
}

/// A writer into a new event file.
///
/// # Errors
/// As [`FileWriter::try_create`].
#[track_caller]
pub fn try_create_file_writer(logdir: impl Into<PathBuf>) -> Result<SummaryWriter> {
    FileWriter::new(logdir).try_create()
}

/// A writer that writes nothing, for programs that may be told not to.
///
/// ```
/// use eagerflow as tf;
/// let _default = tf::summary::create_noop_writer().as_default();
/// tf::summary::scalar("loss", 0.5, 1);
/// ```
pub fn create_noop_writer() -> SummaryWriter {
    SummaryWriter(None)
}

/// The options of a new writer.
///
/// ```
/// use eagerflow as tf;
/// use tf::summary::FileWriter;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-file-writer-{}", std::process::id()));
/// let writer = FileWriter::new(&folder).max_queue(100).flush_millis(1000).filename_suffix(".training").create();
/// assert!(writer.path().unwrap().to_str().unwrap().ends_with(".training"));
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileWriter {
    logdir: PathBuf,
    max_queue: usize,
    flush_millis: u64,
    suffix: String,
}

impl FileWriter {
    /// 16,384 summaries that wait, a tenth of a second at most, and TensorFlow's suffix `.v2`.
    pub fn new(logdir: impl Into<PathBuf>) -> Self {
        Self { logdir: logdir.into(), max_queue: 1 << 14, flush_millis: 100, suffix: ".v2".to_owned() }
    }

    /// How long a summary may wait before it is in the file, in milliseconds; 100 unless set, where TensorFlow has 120,000. What a process
    /// that is killed has not written is lost.
    #[must_use]
    pub fn flush_millis(mut self, millis: u64) -> Self {
        self.flush_millis = millis;
        self
    }

    /// The end of the file's name, in place of `.v2`.
    #[must_use]
    pub fn filename_suffix(mut self, suffix: impl Into<String>) -> Self {
        self.suffix = suffix.into();
        self
    }

    /// Makes the file and starts the thread.
    ///
    /// # Panics
    /// As [`try_create`](Self::try_create) fails, at the caller's line.
    #[track_caller]
    pub fn create(self) -> SummaryWriter {
        self.try_create().or_fail()
    }

    /// Makes the file and starts the thread.
    ///
    /// # Errors
    /// What the file system refuses, with the path; ResourceExhausted if the system gives no thread.
    #[track_caller]
    pub fn try_create(self) -> Result<SummaryWriter> {
        let here = Location::caller();
        let open = || {
            let file = EventFile::create(&self.logdir, &self.suffix)?;
            let patience = Duration::from_millis(self.flush_millis);
            let queue = Arc::new(Queue::new(file.path().to_owned(), self.max_queue, patience));
            let thread = queue.start(file)?;
            Ok(SummaryWriter(Some(Arc::new(Open { queue, thread: Mutex::new(Some(thread)) }))))
        };
        open().map_err(|e: Error| e.at(here))
    }
}

options! { FileWriter:
    /// How many summaries may wait for the thread: at least 1; 16,384 unless set. The thread writes as soon as half as many wait, and whoever
    /// has one more than the queue holds waits for it. TensorFlow has 10, since its own threads write.
    pub fn max_queue, try_max_queue(this, summaries: usize) {
        this.max_queue = options::count("create_file_writer", "max_queue", summaries)?;
        Ok(this)
    }
}

impl SummaryWriter {
    /// Makes it the default writer of this thread for as long as the guard lives: TensorFlow's `with writer.as_default():`.
    pub fn as_default(&self) -> DefaultWriter {
        let before = replace_writer(Some(self.clone()));
        DefaultWriter { before, own: self.clone(), _here: PhantomData }
    }

    /// Makes it the default writer of this thread, until another is.
    pub fn set_as_default(&self) {
        drop(replace_writer(Some(self.clone())));
    }

    /// The event file; `None` for one that writes nothing.
    pub fn path(&self) -> Option<&Path> {
        self.0.as_ref().map(|open| open.queue.path())
    }

    /// Waits until all summaries that were given before are in the file.
    ///
    /// # Panics
    /// As [`try_flush`](Self::try_flush) fails, at the caller's line.
    #[track_caller]
    pub fn flush(&self) {
        self.try_flush().or_fail();
    }

    /// Waits until all summaries that were given before are in the file.
    ///
    /// # Errors
    /// What went wrong since the last flush, as a full disk, with the path and the number of summaries that are missing. The first
    /// failure was a warning on standard error too.
    #[track_caller]
    pub fn try_flush(&self) -> Result<()> {
        let here = Location::caller();
        self.0.as_ref().map_or(Ok(()), |open| open.queue.flush()).map_err(|e| e.at(here))
    }

    /// Writes what waits and ends the thread, also while other handles live. Summaries that come later are an error.
    ///
    /// # Panics
    /// As [`try_close`](Self::try_close) fails, at the caller's line.
    #[track_caller]
    pub fn close(&self) {
        self.try_close().or_fail();
    }

    /// Writes what waits and ends the thread.
    ///
    /// # Errors
    /// As [`try_flush`](Self::try_flush).
    #[track_caller]
    pub fn try_close(&self) -> Result<()> {
        let here = Location::caller();
        self.0.as_ref().map_or(Ok(()), |open| open.close()).map_err(|e| e.at(here))
    }

    /// Where summaries go.
    pub(super) fn queue(&self) -> Option<&Arc<Queue>> {
        self.0.as_ref().map(|open| &open.queue)
    }

    /// Has the thread write soon.
    pub(super) fn nudge(&self) {
        if let Some(open) = &self.0 {
            open.queue.nudge();
        }
    }
}

/// Waits until all summaries that this thread's default writer was given are in its file; without one it does nothing.
///
/// # Panics
/// As [`try_flush`] fails, at the caller's line.
#[track_caller]
pub fn flush() {
    try_flush().or_fail();
}

/// Waits until all summaries that this thread's default writer was given are in its file.
///
/// # Errors
/// As [`SummaryWriter::try_flush`].
#[track_caller]
pub fn try_flush() -> Result<()> {
    super::get_default_writer().map_or(Ok(()), |writer| writer.try_flush())
}
