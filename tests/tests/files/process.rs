//! Iterators over files leave nothing: a dropped one closes its files, and memory stays what it was over many passes.
//! Each runs in a process of its own, whose open files and memory are those of the test.

use super::folder::Folder;
use eagerflow::{self as tf, Tensor};
use eagerflow_tests::child;
use tf::data::{Compression, Dataset, FileOptions, TFRecordDataset};

/// How many files of this folder the process has open.
fn open_files(folder: &Folder) -> usize {
    let links = std::fs::read_dir("/proc/self/fd").unwrap();
    links.filter_map(|e| std::fs::read_link(e.ok()?.path()).ok()).filter(|to| to.starts_with(folder.path())).count()
}

/// Bytes of memory that the process holds.
fn memory() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
#[cfg(target_os = "linux")]
fn dropped_iterators_close_their_files() {
    child::run_test("process::files_in_a_process", &[("EAGERFLOW_THREADS", "2")]);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_flat_over_many_passes() {
    child::run_test("process::memory_in_a_process", &[("EAGERFLOW_THREADS", "2")]);
}

#[test]
#[ignore = "a process of its own runs it"]
fn files_in_a_process() {
    let folder = Folder::new();
    let files: Vec<_> =
        (0..4).map(|n| folder.records(&format!("{n}"), &["a", "b", "c", "d"], Compression::None)).collect();
    let in_turn = FileOptions::new().num_parallel_reads(3);
    for set in [
        TFRecordDataset::new(&files),
        TFRecordDataset::with(&files, in_turn),
        TFRecordDataset::new(&files).prefetch(2),
        TFRecordDataset::new(&files).map_with(2, |record: Tensor| record).cache_in(folder.join("cache")),
    ] {
        let mut iterator = set.iter();
        iterator.next();
        assert!(open_files(&folder) > 0);
        drop(iterator);
        assert_eq!(open_files(&folder), 0);
        // Behind the end nothing is open either.
        let mut iterator = set.iter();
        while iterator.next().is_some() {}
        assert_eq!(open_files(&folder), 0);
    }
}

#[test]
#[ignore = "a process of its own runs it"]
fn memory_in_a_process() {
    let folder = Folder::new();
    let record = "x".repeat(1000);
    let path = folder.records("a", &vec![record.as_str(); 2000], Compression::None);
    let packed = folder.records("b", &vec![record.as_str(); 2000], Compression::Gzip);
    Dataset::from_tensor_slices(tf::ones([100, 5000])).save(folder.join("set"));
    let pass = || {
        let plain = TFRecordDataset::new(&path).shuffle(100).batch(32).prefetch(2);
        assert_eq!(plain.iter().map(|b| b.num_elements()).sum::<usize>(), 2000);
        assert_eq!(TFRecordDataset::with(&packed, Compression::Gzip).iter().count(), 2000);
        assert_eq!(Dataset::<Tensor>::load(folder.join("set")).iter().count(), 100);
    };
    (0..10).for_each(|_| pass());
    let before = memory();
    (0..50).for_each(|_| pass());
    let grown = memory().saturating_sub(before);
    assert!(grown < 4 << 20, "{grown} bytes");
}
