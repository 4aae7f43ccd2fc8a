//! Values that come in pieces, go to memory in pieces, and what is refused about them.

use super::*;
use crate::files::{Disk, Output, Storage};
use crate::testing::{Random, most_held};
use kernels::error::{Error, Result};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A value that notes what was asked for, and hands its pieces out in bits; one byte less than it should, or an error, if it is told to.
struct Fetched<'a> {
    bytes: &'a [u8],
    asked: Mutex<Vec<Range<u64>>>,
    fault: Option<Fault>,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Less,
    More,
    Error,
}

impl Fetched<'_> {
    fn new(bytes: &[u8]) -> Fetched<'_> {
        Fetched { bytes, asked: Mutex::default(), fault: None }
    }
}

impl Pieces for Fetched<'_> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn piece(&self, range: Range<u64>, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.asked.lock().unwrap().push(range.clone());
        let mut bytes = &self.bytes[range.start as usize..range.end as usize];
        match self.fault.filter(|_| range.start > 0) {
            Some(Fault::Less) => bytes = &bytes[1..],
            Some(Fault::More) => bytes = &self.bytes[range.start as usize - 1..range.end as usize],
            Some(Fault::Error) => return Err(Error::out_of_range("device", "gone")),
            None => {}
        }
        bytes.chunks(300_000).try_for_each(take)
    }
}

fn numbers(length: usize) -> Vec<u8> {
    let mut random = Random(length as u64);
    (0..length).map(|_| random.next() as u8).collect()
}

#[test]
fn bytes_and_pieces_make_the_same_files_on_any_number_of_threads() {
    let folder = Folder::new();
    let (a, b, c) = (numbers(9 << 20), numbers((1 << 20) + 7), numbers(5));
    let mut files = Vec::new();
    for threads in [1, 2, 7] {
        let options = Options { threads, ..UNSYNCED };
        write(&folder.join("plain"), &[plain("b", &b), plain("a", &a), plain("c", &c)], &options).unwrap();
        files.push(files_of(&folder.join("plain")));
        let fetched = [&b, &a, &c].map(|bytes| Fetched::new(bytes));
        let mut entries = [plain("b", &b), plain("a", &a), plain("c", &c)];
        entries.iter_mut().zip(&fetched).for_each(|(entry, fetched)| entry.source = Source::Pieces(fetched));
        write(&folder.join("pieces"), &entries, &options).unwrap();
        files.push(files_of(&folder.join("pieces")));
        // Each was asked for once, and no piece is large.
        for fetched in fetched {
            let mut asked = fetched.asked.into_inner().unwrap();
            asked.sort_by_key(|range| range.start);
            assert!(asked.iter().all(|range| range.end - range.start <= 1 << 20));
            let joined = asked.iter().try_fold(0, |end, range| (range.start == end).then_some(range.end));
            assert_eq!(joined, Some(fetched.bytes.len() as u64));
        }
    }
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));
    let bundle = Bundle::open(&folder.join("plain")).unwrap();
    for threads in [0, 1, 3] {
        bundle.verify(&["a", "b", "c"], threads).unwrap();
        let (mut x, mut y, mut z) = (vec![0; a.len()], vec![0; b.len()], vec![0; c.len()]);
        bundle.read_into(&mut [("c", &mut z), ("a", &mut x), ("b", &mut y)], threads).unwrap();
        assert!(x == a && y == b && z == c);
    }
}

#[test]
fn small_values_beside_each_other_are_written_together() {
    let folder = Folder::new();
    let storage = crate::files::recording::Recording::default();
    let sizes = [3, 0, 70_000, 5, 60_000, 1 << 20, (1 << 20) + 9, 40_000, 7];
    let values: Vec<Vec<u8>> =
        sizes.iter().map(|&size| numbers(size)).chain((0..40).map(|i| numbers(50_000 + i))).collect();
    let keys: Vec<String> = (0..values.len()).map(|i| format!("k{i}")).collect();
    let entries: Vec<Entry<'_>> = keys.iter().zip(&values).map(|(key, bytes)| plain(key, bytes)).collect();
    write(&folder.join("a"), &entries, &Options { threads: 1, storage: &storage, sync: false }).unwrap();
    let lengths: Vec<usize> = storage
        .steps()
        .iter()
        .filter_map(|step| match step {
            crate::files::recording::Step::Write { bytes, .. } => Some(bytes.len()),
            _ => None,
        })
        .collect();
    // The last one is the index.
    assert_eq!(lengths[..7], [3, 70_000, 60_005, 1 << 20, 1 << 20, 1_040_206, 1_000_590], "{lengths:?}");
    assert_eq!(lengths.len(), 8, "{lengths:?}");
    let bundle = Bundle::open(&folder.join("a")).unwrap();
    let all: Vec<&str> = keys.iter().map(String::as_str).collect();
    bundle.verify(&all, 1).unwrap();
    assert!(keys.iter().zip(&values).all(|(key, bytes)| bundle.read_bytes(key).unwrap() == *bytes));
}

#[test]
fn nothing_of_a_large_value_is_copied() {
    let folder = Folder::new();
    let bytes = numbers(3 << 20);
    let (held, result) = most_held(|| write(&folder.join("a"), &[plain("w", &bytes)], &UNSYNCED));
    result.unwrap();
    assert!(held < 100_000, "{held}");
    let bundle = Bundle::open(&folder.join("a")).unwrap();
    let (held, result) = most_held(|| bundle.verify(&["w"], 1));
    result.unwrap();
    assert!(held < 1_100_000, "{held}");
    let mut target = vec![0; bytes.len()];
    let (held, result) = most_held(|| bundle.read_into(&mut [("w", &mut target)], 1));
    result.unwrap();
    assert!(held < 100_000 && target == bytes, "{held}");
}

#[test]
fn a_value_that_fails_leaves_the_old_bundle_and_nothing_else() {
    let folder = Folder::new();
    let prefix = folder.join("a");
    write(&prefix, &[plain("w", b"old")], &UNSYNCED).unwrap();
    let before = files_of(&prefix);
    let bytes = numbers(6 << 20);
    for (fault, what) in [(Fault::Less, "\"w\""), (Fault::More, "\"w\""), (Fault::Error, "gone")] {
        for threads in [1, 4] {
            let fetched = Fetched { fault: Some(fault), ..Fetched::new(&bytes) };
            let entry = Entry { source: Source::Pieces(&fetched), ..plain("w", &bytes) };
            let error = write(&prefix, &[entry], &Options { threads, ..UNSYNCED }).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
    }
    assert_eq!(files_of(&prefix), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn what_a_bundle_cannot_hold_is_refused() {
    let folder = Folder::new();
    let strings = [b"a".to_vec()];
    let good = plain("w", &[1, 2]);
    let cases = [
        vec![plain("", &[1])],
        vec![plain("\0w", &[1])],
        vec![good.clone(), plain("v", &[]), good.clone()],
        vec![Entry { shape: vec![3], ..good.clone() }],
        vec![Entry { shape: vec![u64::MAX, 2], ..good.clone() }],
        vec![Entry { shape: vec![0, u64::MAX], source: Source::Bytes(&[]), ..good.clone() }],
        vec![Entry { shape: vec![1; 255], source: Source::Bytes(&[1]), ..good.clone() }],
        vec![Entry { dtype: DataType::String, ..good.clone() }],
        vec![Entry { dtype: DataType::Variant, ..good.clone() }],
        vec![Entry { source: Source::Strings(&strings), ..good.clone() }],
        vec![Entry { dtype: DataType::String, source: Source::Strings(&strings), ..good.clone() }],
    ];
    for entries in cases {
        let key = format!("\"{}\"", entries[0].key);
        let error = write(&folder.join("a"), &entries, &UNSYNCED).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)) && error.to_string().contains(&key), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // What is odd but right.
    write(&folder.join("a"), &[], &UNSYNCED).unwrap();
    assert!(Bundle::open(&folder.join("a")).unwrap().entries().is_empty());
}

#[test]
fn readers_are_told_what_is_not_there_or_does_not_fit() {
    let folder = Folder::new();
    let prefix = folder.join("a");
    let strings = [b"x".to_vec()];
    let text = Entry { dtype: DataType::String, shape: vec![], source: Source::Strings(&strings), ..plain("s", &[]) };
    write(&prefix, &[plain("w", &[1, 2]), text], &UNSYNCED).unwrap();
    let bundle = Bundle::open(&prefix).unwrap();
    assert_eq!(bundle.prefix(), prefix);
    let missing = [
        bundle.verify(&["w", "v"], 0).unwrap_err(),
        bundle.read_bytes("v").unwrap_err(),
        bundle.read_strings("v").unwrap_err(),
        bundle.read_into(&mut [("v", &mut [])], 0).unwrap_err(),
    ];
    for error in missing {
        assert!(matches!(error, Error::NotFound(_)) && error.to_string().contains("\"v\""), "{error}");
    }
    let wrong = [bundle.read_into(&mut [("w", &mut [0; 3])], 0).unwrap_err(), bundle.read_strings("w").unwrap_err()];
    for error in wrong {
        assert!(matches!(error, Error::InvalidArgument(_)) && error.to_string().contains("\"w\""), "{error}");
    }
    assert!(bundle.read_bytes("s").unwrap_err().to_string().contains("\"s\""));
    let error = Bundle::open(&folder.join("none")).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)) && error.to_string().contains("none.index"), "{error}");
    assert!(exists(&prefix) && !exists(&folder.join("none")));
}

#[test]
fn a_bundle_that_is_open_goes_on_being_read_when_it_is_replaced_or_removed() {
    let folder = Folder::new();
    let prefix = folder.join("a");
    write(&prefix, &[plain("w", b"old")], &UNSYNCED).unwrap();
    let bundle = Bundle::open(&prefix).unwrap();
    bundle.verify(&["w"], 0).unwrap();
    write(&prefix, &[plain("w", b"new")], &UNSYNCED).unwrap();
    assert_eq!(bundle.read_bytes("w").unwrap(), b"old");
    assert_eq!(Bundle::open(&prefix).unwrap().read_bytes("w").unwrap(), b"new");
    remove(&prefix, &crate::files::Disk).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(matches!(remove(&prefix, &crate::files::Disk), Err(Error::NotFound(_))));
    // A file that is changed in place after it was verified is found out.
    write(&prefix, &[plain("w", b"new")], &UNSYNCED).unwrap();
    let bundle = Bundle::open(&prefix).unwrap();
    bundle.verify(&["w"], 0).unwrap();
    std::fs::write(names::data(&prefix, 0, 1), b"hew").unwrap();
    let error = bundle.read_bytes("w").unwrap_err();
    assert!(matches!(error, Error::DataLoss(_)) && error.to_string().contains("has changed since"), "{error}");
}

/// A disk, and each file on it, that is full when it is asked for room, and counts what is written.
#[derive(Clone, Default)]
struct NoRoom {
    asked: Arc<Mutex<Vec<u64>>>,
    written: Arc<AtomicUsize>,
}

impl Storage for NoRoom {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        Disk.create(path)?;
        Ok(Box::new(self.clone()))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)
    }
    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

impl Output for NoRoom {
    fn write_all_at(&self, bytes: &[u8], _: u64) -> io::Result<()> {
        self.written.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(())
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.asked.lock().unwrap().push(bytes);
        Err(io::ErrorKind::StorageFull.into())
    }
}

#[test]
fn a_disk_without_room_for_all_is_found_before_the_first_byte() {
    let folder = Folder::new();
    let storage = NoRoom::default();
    let options = Options { storage: &storage, ..UNSYNCED };
    let (a, b) = (numbers(5 << 20), numbers(3 << 20));
    let error = write(&folder.join("ck"), &[plain("a", &a), plain("b", &b)], &options).unwrap_err();
    assert!(matches!(error, Error::ResourceExhausted(_)), "{error}");
    assert!(error.to_string().contains("ck.data-00000-of-00001"), "{error}");
    assert_eq!(*storage.asked.lock().unwrap(), [8 << 20]);
    assert_eq!(storage.written.load(Ordering::Relaxed), 0);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    // Small bundles are written at once.
    write(&folder.join("ck"), &[plain("b", &b)], &options).unwrap();
    assert_eq!(storage.asked.lock().unwrap().len(), 1);
    assert!(storage.written.load(Ordering::Relaxed) > b.len());
}
