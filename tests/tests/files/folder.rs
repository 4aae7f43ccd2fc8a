//! What the tests of files share: folders of their own, and elements as bytes.
//! All modules of this binary call it.

use eagerflow::Tensor;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use tf::data::Dataset;
use {eagerflow as tf, tf::data::DatasetElement};

/// An empty folder that is removed in the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("eagerflow-files-{}-{count}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file with these bytes.
    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        // File systems wait for the disk when a file is emptied and written anew.
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A record file.
    pub fn records(&self, name: &str, records: &[&str], options: impl Into<tf::io::TFRecordOptions>) -> PathBuf {
        let path = self.join(name);
        let mut writer = tf::io::TFRecordWriter::with(&path, options);
        records.iter().for_each(|record| writer.write(record));
        writer.close();
        path
    }

    /// The names in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The string of a scalar.
pub fn bytes(tensor: &Tensor) -> Vec<u8> {
    assert_eq!(tensor.rank(), 0);
    tensor.to_byte_strings().concat()
}

/// The elements up to the end or an error.
pub fn elements<S: DatasetElement>(set: &Dataset<S>) -> (Vec<S>, Option<tf::Error>) {
    let mut all = Vec::new();
    let mut iterator = match set.try_iter() {
        Ok(iterator) => iterator,
        Err(error) => return (all, Some(error)),
    };
    loop {
        match iterator.try_next() {
            Ok(Some(element)) => all.push(element),
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error)),
        }
    }
}

/// All strings of a data set.
pub fn strings(set: &Dataset) -> Vec<String> {
    set.iter().map(|t| t.item_string()).collect()
}
