//! A pass over files that is saved at any element and resumed gives exactly the rest: of plain and compressed files, several files, files in
//! turn, behind a shuffle, and of saved data sets and caches.

use super::folder::{Folder, bytes};
use eagerflow::{self as tf, Error, Tensor};
use eagerflow_engine::library::{SavedState, StateValue};
use std::path::PathBuf;
use tf::data::{
    Compression, Dataset, DatasetIterator, FileOptions, FixedLengthOptions, FixedLengthRecordDataset, Shuffle,
    TFRecordDataset, TextLineDataset,
};

fn save(iterator: &DatasetIterator) -> StateValue {
    SavedState::save(iterator).unwrap()
}

fn restore(iterator: &DatasetIterator, state: &StateValue) -> tf::Result<()> {
    iterator.prepare(state).map(|prepared| iterator.commit(prepared))
}

fn rest(iterator: DatasetIterator) -> Vec<Vec<u8>> {
    iterator.map(|t| bytes(&t)).collect()
}

fn check(name: &str, build: &dyn Fn() -> Dataset) {
    let mut iterator = build().iter();
    let (mut states, mut elements) = (vec![save(&iterator)], Vec::new());
    while let Some(element) = iterator.try_next().unwrap() {
        elements.push(bytes(&element));
        states.push(save(&iterator));
    }
    states.push(save(&iterator));
    assert!(elements.len() > 5, "{name}");
    for (step, state) in states.iter().enumerate() {
        let mut resumed = build().iter();
        resumed.next();
        restore(&resumed, state).unwrap();
        assert_eq!(save(&resumed), *state, "{name}: the state of a resumed pass, step {step}");
        assert_eq!(rest(resumed), elements[step.min(elements.len())..], "{name}: the rest at step {step}");
    }
}

const COMPRESSIONS: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zlib];

/// Three record files, the second of which is empty.
fn files(folder: &Folder, compression: Compression) -> Vec<PathBuf> {
    let name = |part: &str| format!("{part}-{compression:?}");
    vec![
        folder.records(&name("a"), &["one", "", "three"], compression),
        folder.records(&name("b"), &[], compression),
        folder.records(&name("c"), &["four", "five", "six", "seven"], compression),
    ]
}

#[test]
fn record_files_resume_at_every_record() {
    let folder = Folder::new();
    for compression in COMPRESSIONS {
        let files = files(&folder, compression);
        check("in order", &|| TFRecordDataset::with(&files, compression));
        let options = FileOptions::from(compression).num_parallel_reads(2);
        check("two at a time", &|| TFRecordDataset::with(&files, options));
        let of_names =
            || Dataset::from_tensor_slices(tf::constant(files.iter().map(|f| f.to_str().unwrap()).collect::<Vec<_>>()));
        check("of names", &|| TFRecordDataset::with(of_names(), compression));
        check("interleaved", &|| of_names().interleave(3, 2, move |name| TFRecordDataset::with(name, compression)));
        check("shuffled", &|| TFRecordDataset::with(&files, compression).shuffle(Shuffle::buffer(3).seed(1)).repeat(2));
        check("parallel map", &|| {
            let upper = |line: Tensor| tf::strings::upper(line);
            TFRecordDataset::with(&files, compression).map_with(2, upper).prefetch(2)
        });
    }
}

#[test]
fn lines_and_pieces_resume_at_every_one() {
    let folder = Folder::new();
    let text = folder.put("text", "a\r\n\nlonger\nd\ne\nf\nthe last");
    check("lines", &|| TextLineDataset::new([&text, &text]));
    let pieces = folder.put("pieces", "HEADaabbccddeeffFF");
    let layout = FixedLengthOptions::new().header_bytes(4).footer_bytes(2);
    check("pieces", &|| FixedLengthRecordDataset::with([&pieces, &pieces], 2, layout));
}

#[test]
fn saved_data_sets_and_caches_resume_at_every_element() {
    let folder = Folder::new();
    let words = || Dataset::from_tensor_slices(tf::constant(["a", "b", "c", "d", "e", "f", "g"]));
    for (number, compression) in COMPRESSIONS.into_iter().enumerate() {
        let path = folder.join(&format!("saved-{number}"));
        words().save_with(&path, tf::data::SaveOptions::from(compression).shards(number + 1));
        check("saved", &|| Dataset::load(&path));
    }
    let path = folder.join("cache");
    assert_eq!(words().cache_in(&path).iter().count(), 7);
    check("a cache", &|| words().cache_in(&path));
    check("a cache twice", &|| words().cache_in(&path).repeat(2));
}

#[test]
fn a_pass_that_fills_a_cache_goes_on_without_it() {
    let folder = Folder::new();
    let path = folder.join("cache");
    let words = || Dataset::from_tensor_slices(tf::constant(["a", "b", "c", "d"])).cache_in(&path);
    let mut iterator = words().iter();
    let (mut states, mut count) = (vec![save(&iterator)], 0);
    while iterator.next().is_some() {
        count += 1;
        states.push(save(&iterator));
    }
    assert!(count == 4 && path.exists());
    std::fs::remove_file(&path).unwrap();
    for (step, state) in states.iter().enumerate() {
        // Without beginning a pass of its own, which would fill the cache.
        let other = words().take(0).iter();
        assert!(restore(&other, state).is_err(), "a state of other steps");
        // It fills the cache while it is there.
        drop(other);
        let resumed = words().iter();
        restore(&resumed, state).unwrap();
        assert_eq!(rest(resumed).len(), 4 - step);
        assert!(!path.exists(), "what was left of the pass is no whole pass");
    }
    assert_eq!(words().iter().count(), 4);
    assert!(path.exists());
}

#[test]
fn states_of_other_files_are_refused() {
    let folder = Folder::new();
    let [a, b] = ["a", "b"].map(|name| folder.records(name, &["one", "two", "three"], Compression::None));
    let mut iterator = TFRecordDataset::new(&a).iter();
    iterator.next();
    let state = save(&iterator);
    let other = TFRecordDataset::new(&b).iter();
    let error = restore(&other, &state).unwrap_err();
    assert!(matches!(error, Error::FailedPrecondition(_)) && error.to_string().contains("`b`"), "{error}");
    assert_eq!(rest(other).len(), 3, "a refused state changes nothing");
    let packed = TFRecordDataset::with(&a, Compression::Gzip).iter();
    assert!(matches!(restore(&packed, &state).unwrap_err(), Error::FailedPrecondition(_)));
    // The file has become shorter.
    folder.records("a", &[], Compression::None);
    let shorter = TFRecordDataset::new(&a).iter();
    assert!(matches!(restore(&shorter, &state).unwrap_err(), Error::DataLoss(_)));
}
