//! Each step that a save asks of the file system fails once, or it and all that follow: the error names a path, and what was there
//! before is there still. A save that comes later, when all is well again, does what it always does.

use super::model::{Folder, Model, files};
use eagerflow as tf;
use eagerflow_formats::files::{Disk, Output, Storage, is_temporary};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};
use tf::Error;
use tf::train::{Checkpoint, CheckpointManager};

const SIZES: [usize; 3] = [3, 1, 600];

/// What happens at a step.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    /// The disk is full at this step only.
    FullOnce,
    /// From this step on; files can be removed.
    Full,
    /// From this step on nothing can be changed.
    ReadOnly,
    /// The directory is removed by somebody.
    Vanished,
}

/// The machine's file system, until a step.
#[derive(Default)]
struct Faulty {
    done: Arc<AtomicUsize>,
    plan: Mutex<Option<(Fault, usize, PathBuf)>>,
}

impl Faulty {
    fn plan(&self, plan: Option<(Fault, usize, PathBuf)>) {
        self.done.store(0, Relaxed);
        *self.plan.lock().unwrap() = plan;
    }

    fn step(&self, removes: bool) -> io::Result<()> {
        let done = self.done.fetch_add(1, Relaxed);
        let plan = self.plan.lock().unwrap();
        let Some((fault, at, folder)) = &*plan else { return Ok(()) };
        match fault {
            Fault::FullOnce if done == *at => Err(ErrorKind::StorageFull.into()),
            Fault::Full if done >= *at && !removes => Err(ErrorKind::StorageFull.into()),
            Fault::ReadOnly if done >= *at => Err(ErrorKind::ReadOnlyFilesystem.into()),
            Fault::Vanished if done == *at => std::fs::remove_dir_all(folder),
            _ => Ok(()),
        }
    }
}

impl Storage for &'static Faulty {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        self.step(false)?;
        Ok(Box::new(FaultyFile(self, Disk.create(path)?)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(false)?;
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(true)?;
        Disk.remove(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.step(false)?;
        Disk.sync_directory(path)
    }
}

struct FaultyFile(&'static Faulty, Box<dyn Output>);

impl Output for FaultyFile {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.step(false)?;
        self.1.write_all_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.step(false)?;
        self.1.sync()
    }
}

/// A third save, of which step `at` fails; answers whether the save came so far.
fn third_save(storage: &'static &'static Faulty, fault: Fault, at: usize, asynchronous: bool) -> bool {
    let folder = Folder::new();
    let when = format!("{fault:?} at step {at}, asynchronous: {asynchronous}");
    let model = Model::new(&SIZES);
    let steps = tf::Variable::with(tf::Tensor::from(0i64), "steps", false);
    let checkpoint = Checkpoint::new().with("model", &model).with("steps", &steps).__storage(storage);
    let manager = CheckpointManager::new(&checkpoint, &folder, 2).unwrap().checkpoint_interval(&steps, 10);
    for step in 1..=2 {
        model.set(step);
        steps.assign(tf::Tensor::from(step as i64 * 10));
        assert!(manager.save_at_interval().unwrap().is_some());
    }
    model.set(3);
    steps.assign(tf::Tensor::from(30i64));
    storage.plan(Some((fault, at, folder.0.clone())));
    let result = match asynchronous {
        true => manager.save_async().and_then(tf::train::PendingSave::wait).map(Some),
        false => manager.save_at_interval(),
    };
    let reached = storage.done.load(Relaxed) > at;
    storage.plan(None);
    let failed = result.is_err();
    if let Err(error) = &result {
        let text = error.to_string();
        let kind = match fault {
            Fault::FullOnce | Fault::Full => matches!(error, Error::ResourceExhausted(_)),
            Fault::ReadOnly => matches!(error, Error::PermissionDenied(_)),
            Fault::Vanished => matches!(error, Error::NotFound(_)),
        };
        assert!(kind && text.contains(folder.0.to_str().unwrap()), "{when}: {text}");
        assert_eq!(checkpoint.save_counter().value().item::<i64>(), 2, "{when}: the counter");
        assert_eq!(manager.latest_checkpoint(), Some(folder.join("ckpt-2")), "{when}");
    }
    if fault != Fault::Vanished {
        whole(&folder, failed, fault, &when);
    }
    // Later all is well again.
    if failed {
        let path = manager.save_at_interval().unwrap_or_else(|error| panic!("{when}: {error}"));
        assert_eq!(path, Some(folder.join("ckpt-3")), "{when}: it was due still");
    } else if fault == Fault::Vanished {
        manager.save().unwrap_or_else(|error| panic!("{when}: {error}"));
    }
    assert_eq!(newest_with_steps(&folder, &when), 3, "{when}");
    model.set(4);
    manager.save().unwrap();
    manager.save().unwrap();
    assert_eq!(files(folder.as_ref()).len(), 5, "{when}: {:?}", files(folder.as_ref()));
    reached
}

fn newest_with_steps(folder: &Folder, when: &str) -> u64 {
    let (model, steps) = (Model::new(&SIZES), tf::Variable::with(tf::Tensor::from(0i64), "steps", false));
    let checkpoint = Checkpoint::new().with("model", &model).with("steps", &steps);
    let path = tf::train::latest_checkpoint(folder).unwrap_or_else(|error| panic!("{when}: {error}")).expect(when);
    checkpoint.restore(path).unwrap_or_else(|error| panic!("{when}: {error}")).assert_consumed();
    model.step(when)
}

/// What must be there at once after a save that failed or not.
fn whole(folder: &Folder, failed: bool, fault: Fault, when: &str) {
    let found = newest_with_steps(folder, when);
    let names = files(folder.as_ref());
    if !failed {
        return assert_eq!(found, 3, "{when}");
    }
    // Where the last sync of the directory fails, the new name is there, and may or may not survive a loss of power.
    let named = found == 3;
    assert!(named || found == 2, "{when}: {found}");
    if fault == Fault::ReadOnly {
        return;
    }
    let temporary = names.iter().filter(|name| is_temporary(Path::new(name))).count();
    let mut expected = vec!["checkpoint".to_owned()];
    for number in 1..=if named { 3 } else { 2 } {
        expected.extend([".data-00000-of-00001", ".index"].map(|end| format!("ckpt-{number}{end}")));
    }
    // The second rename of a commit failed: the index stays under the name by which it is found.
    let between = temporary == 1 && names.iter().any(|name| name == "ckpt-3.data-00000-of-00001");
    assert!(names == expected || between, "{when}: {names:?}");
}

/// Every step of a save fails in its turn.
fn all_steps(storage: &'static &'static Faulty, fault: Fault) {
    for asynchronous in [false, true] {
        let reached = (0..).take_while(|&at| third_save(storage, fault, at, asynchronous)).count();
        assert!(reached >= 10, "{fault:?}: only {reached} steps");
    }
}

/// One storage for each test, since they take turns with its plan.
macro_rules! fault {
    ($($test:ident = $fault:ident;)*) => {$(
        #[test]
        fn $test() {
            static FAULTY: LazyLock<Faulty> = LazyLock::new(Faulty::default);
            static STORAGE: LazyLock<&'static Faulty> = LazyLock::new(|| &*FAULTY);
            all_steps(&STORAGE, Fault::$fault);
        }
    )*};
}

fault! {
    a_disk_that_is_full_once = FullOnce;
    a_disk_that_is_full_from_some_step_on = Full;
    a_disk_that_can_no_longer_be_written = ReadOnly;
    a_directory_that_vanishes = Vanished;
}
