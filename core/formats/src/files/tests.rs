//! Files are whole or untouched, names tell what is temporary, and errors name files.

use super::*;
use crate::testing::Folder;
use kernels::error::Error;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

fn names_in(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced() {
    let folder = Folder::new();
    let path = folder.join("a");
    for (bytes, sync) in [(&b"one"[..], true), (b"two, longer", false), (b"", true)] {
        replace(&path, bytes, &Options { sync, ..Options::default() }).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    assert_eq!(names_in(&folder), ["a"]);
}

#[test]
fn a_file_that_is_not_finished_is_removed() {
    let folder = Folder::new();
    let path = folder.join("a");
    fs::write(&path, "old").unwrap();
    let file = Temporary::create(&path, &Options::default()).unwrap();
    file.write_all_at(b"new", 5).unwrap();
    let names = names_in(&folder);
    assert!(names.len() == 2 && is_temporary(&folder.join(&names[1])), "{names:?}");
    drop(file);
    assert_eq!(names_in(&folder), ["a"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn room_that_is_asked_for_changes_no_length() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut file = Temporary::create(&path, &Options::default()).unwrap();
    file.reserve(8 << 20).unwrap();
    file.write_all_at(b"bytes", 1 << 20).unwrap();
    file.finish().unwrap();
    file.rename().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), (1 << 20) + 5);
    assert_eq!(fs::read(&path).unwrap()[1 << 20..], *b"bytes");
}

/// A disk that has room for a few bytes, and refuses renames if it is told to.
struct Small {
    renames: bool,
}

struct Full;

impl Storage for Small {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        Disk.create(path)?;
        Ok(Box::new(Full))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.renames { Disk.rename(from, to) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)
    }
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        Disk.sync_directory(path)
    }
}

impl Output for Full {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if offset + bytes.len() as u64 > 10 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn whatever_fails_the_old_file_is_there_and_no_other() {
    let folder = Folder::new();
    let path = folder.join("a");
    fs::write(&path, "old").unwrap();
    let full = Options { storage: &Small { renames: true }, ..Options::default() };
    let error = replace(&path, &[0; 11], &full).unwrap_err();
    assert!(
        matches!(error, Error::ResourceExhausted(_)) && error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    let refusing = Options { storage: &Small { renames: false }, ..Options::default() };
    let error = replace(&path, b"new", &refusing).unwrap_err();
    assert!(
        matches!(error, Error::PermissionDenied(_)) && error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    assert_eq!(names_in(&folder), ["a"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn errors_say_what_is_in_the_way() {
    let folder = Folder::new();
    fs::write(folder.join("file"), "").unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    let options = Options::default();
    let refused = |path: PathBuf| {
        let error = replace(&path, b"", &options).unwrap_err();
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        error
    };
    assert!(matches!(refused(folder.join("none/a")), Error::NotFound(_)));
    assert!(matches!(refused(folder.join("file/a")), Error::FailedPrecondition(_)));
    assert!(matches!(refused(folder.join("folder")), Error::FailedPrecondition(_)));
    assert!(matches!(refused(folder.join("folder/..")), Error::InvalidArgument(_)));
    let kinds = [io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
    assert!(
        kinds.into_iter().all(|kind| matches!(error(Path::new("a"), "b", kind.into()), Error::ResourceExhausted(_)))
    );
    let unix = |number| error(Path::new("a"), "b", io::Error::from_raw_os_error(number));
    if cfg!(unix) {
        assert!(matches!(unix(24), Error::ResourceExhausted(_)));
        assert!(matches!(unix(5), Error::DataLoss(_)));
    }
}

#[test]
fn temporary_names_are_told_from_others() {
    let names = TemporaryNames::next();
    let path = names.of(Path::new("a/ck-1.index"));
    let (target, number) = TemporaryNames::parse(&path).unwrap();
    assert_eq!((target.as_path(), number.of(Path::new("b"))), (Path::new("a/ck-1.index"), names.of(Path::new("b"))));
    for other in
        ["a", "a.tmp-", "a.tmp-1", "a.tmp-1-", "a.tmp--1", "a.tmp-1-x", ".tmp-1-2", "a.tmp-1-2/b", "a.tmp-1-2.index"]
    {
        assert!(!is_temporary(Path::new(other)), "{other}");
    }
    assert!(is_temporary(Path::new("a.tmp-3-4.tmp-1-2")));
}

#[test]
fn a_name_that_a_crash_has_left_is_passed_over() {
    let folder = Folder::new();
    let path = folder.join("a");
    let names = TemporaryNames::next();
    fs::write(names.of(&path), "left").unwrap();
    assert!(Temporary::create_named(&path, &names, &Options::default()).unwrap().is_none());
    replace(&path, b"new", &Options::default()).unwrap();
    assert_eq!(fs::read(names.of(&path)).unwrap(), b"left");
}

#[test]
fn bytes_are_read_and_written_at_their_places() {
    let folder = Folder::new();
    let path = folder.join("a");
    let file = fs::OpenOptions::new().create_new(true).read(true).write(true).open(&path).unwrap();
    write_all_at(&file, b"world", 6).unwrap();
    write_all_at(&file, b"hello ", 0).unwrap();
    let mut bytes = [0; 7];
    read_exact_at(&file, &mut bytes, 3).unwrap();
    assert_eq!(&bytes, b"lo worl");
    let error = read_exact_at(&file, &mut bytes, 5).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    assert!(matches!(super::error(&path, "cannot be read", error), Error::DataLoss(_)));
}

#[test]
fn locks_take_turns() {
    let folder = Folder::new();
    let lock = DirectoryLock::lock(folder.path()).unwrap();
    assert!(DirectoryLock::try_lock(folder.path()).unwrap().is_none());
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let lock = DirectoryLock::lock(folder.path()).unwrap();
            send.send(()).unwrap();
            drop(lock);
        });
        // The other waits as long as this one is held.
        assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
        drop(lock);
        receive.recv_timeout(Duration::from_secs(60)).unwrap();
    });
    assert!(DirectoryLock::try_lock(folder.path()).unwrap().is_some());
    let error = DirectoryLock::lock(&folder.join("none")).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error}");
}
