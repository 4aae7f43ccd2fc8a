//! Files that are cut off, damaged, missing or no files, alone and among others: an error with the file and the record, or left out and counted.
//! Saved data sets and caches too: a folder or a file that is not whole is an error, never fewer elements.

use super::folder::{Folder, elements, strings};
use eagerflow::{self as tf, Error, Tensor};
use tf::data::{Compression, Dataset, IgnoredErrors, TFRecordDataset, TextLineDataset};

#[test]
fn whatever_is_cut_off_is_an_error_behind_whole_records() {
    let folder = Folder::new();
    let whole = std::fs::read(folder.records("a", &["abc", "", "defgh"], Compression::None)).unwrap();
    let ends = [19, 35, 56];
    assert_eq!(whole.len(), 56);
    for cut in 0..whole.len() {
        let path = folder.put("cut", &whole[..cut]);
        let (found, error) = elements(&TFRecordDataset::new(&path));
        assert_eq!(found.len(), ends.iter().filter(|&&end| end <= cut).count(), "{cut}");
        match error {
            None => assert!(cut == 0 || ends.contains(&cut), "{cut}"),
            Some(error) => {
                let text = error.to_string();
                assert!(matches!(error, Error::DataLoss(_)) && text.contains(path.to_str().unwrap()), "{text}");
                assert!(text.contains(&format!("record {}", found.len())) && text.contains("damage.rs"), "{text}");
            }
        }
    }
}

#[test]
fn a_damaged_file_in_the_middle_is_left_out_and_counted() {
    let folder = Folder::new();
    let good = folder.records("good", &["1", "2"], Compression::None);
    let mut bytes = std::fs::read(&good).unwrap();
    bytes[17 + 12] ^= 1;
    let damaged = folder.put("damaged", bytes);
    let (missing, a_folder) = (folder.join("missing"), folder.path().to_owned());
    let files = [&good, &damaged, &missing, &a_folder, &good];
    let (found, error) = elements(&TFRecordDataset::new(files));
    assert!(found.len() == 3 && matches!(error, Some(Error::DataLoss(_))));
    let ignored = IgnoredErrors::new();
    let left = TFRecordDataset::new(files).ignore_errors_counted(&ignored);
    assert_eq!(strings(&left), ["1", "2", "1", "1", "2"]);
    assert_eq!(ignored.count(), 3);
    // Who goes on behind an error gets the next file.
    let mut iterator = TFRecordDataset::new(files).iter();
    let mut said = Vec::new();
    loop {
        match iterator.try_next() {
            Ok(None) => break,
            Ok(Some(_)) => said.push("record"),
            Err(Error::DataLoss(_)) => said.push("damaged"),
            Err(Error::NotFound(_)) => said.push("missing"),
            Err(Error::FailedPrecondition(_)) => said.push("no file"),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(said, ["record", "record", "record", "damaged", "missing", "no file", "record", "record"]);
}

#[test]
fn a_missing_file_is_named() {
    let folder = Folder::new();
    let (_, error) = elements(&TextLineDataset::new(folder.join("nothing.txt")));
    let error = error.unwrap();
    assert!(matches!(error, Error::NotFound(_)) && error.to_string().contains("nothing.txt"), "{error}");
    assert!(tf::io::TFRecordWriter::try_new(folder.join("none/a")).is_err());
}

#[test]
fn a_writer_gives_the_file_its_name_at_the_end() {
    let folder = Folder::new();
    let path = folder.records("a", &["old"], Compression::None);
    let mut writer = tf::io::TFRecordWriter::new(&path);
    writer.write("new");
    writer.flush();
    assert_eq!(strings(&TFRecordDataset::new(&path)), ["old"]);
    writer.close();
    assert_eq!(strings(&TFRecordDataset::new(&path)), ["new"]);
    assert!(matches!(writer.try_write("more").unwrap_err(), Error::FailedPrecondition(_)));
    writer.close();
    drop(tf::io::TFRecordWriter::new(&path));
    assert!(strings(&TFRecordDataset::new(&path)).is_empty(), "dropping it closes it");
    let panics = std::panic::catch_unwind(|| {
        let mut writer = tf::io::TFRecordWriter::new(&path);
        writer.write("half");
        std::panic::resume_unwind(Box::new("stop"));
    });
    assert!(panics.is_err() && strings(&TFRecordDataset::new(&path)).is_empty());
    assert_eq!(folder.names(), ["a"]);
}

type Pair = (Tensor, Tensor);

fn pairs() -> Dataset<Pair> {
    Dataset::from_tensor_slices((tf::constant([1, 2, 3, 4, 5]), tf::constant(["a", "b", "c", "d", "e"])))
}

#[test]
fn damage_of_a_saved_data_set_is_never_fewer_elements() {
    let folder = Folder::new();
    let path = folder.join("set");
    pairs().save_with(&path, tf::data::SaveOptions::new().shards(2));
    let files: Vec<_> = std::fs::read_dir(&path)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| !p.ends_with(".eagerflow.lock"))
        .collect();
    assert_eq!(files.len(), 3);
    for file in &files {
        let whole = std::fs::read(file).unwrap();
        let put = |bytes: &[u8]| {
            std::fs::remove_file(file).unwrap();
            std::fs::write(file, bytes).unwrap();
        };
        let read = || Dataset::<Pair>::try_load(&path).map(|set| elements(&set));
        for at in 0..whole.len() {
            put(&whole[..at]);
            let cut = read();
            assert!(cut.as_ref().map_or(true, |(found, error)| found.len() < 5 && error.is_some()), "cut at {at}");
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            put(&bytes);
            assert!(read().map_or(true, |(_, error)| error.is_some()), "bit {at} of {}", file.display());
        }
        put(&whole);
    }
    assert_eq!(Dataset::<Pair>::load(&path).iter().count(), 5);
}

#[test]
fn damage_of_a_cache_is_never_fewer_elements() {
    let folder = Folder::new();
    let path = folder.join("cache");
    assert_eq!(pairs().cache_in(&path).iter().count(), 5);
    let whole = std::fs::read(&path).unwrap();
    for at in 0..whole.len() {
        folder.put("cache", &whole[..at]);
        let (found, error) = elements(&pairs().cache_in(&path));
        assert!(found.len() <= 5 && error.is_some(), "cut at {at}");
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        folder.put("cache", &bytes);
        assert!(elements(&pairs().cache_in(&path)).1.is_some(), "bit of byte {at}");
    }
}
