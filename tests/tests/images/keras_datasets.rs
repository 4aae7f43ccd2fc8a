//! Keras's data sets from small files of their forms: what Keras reads from the same files, and damage.
//! `tests/golden/keras_datasets.py` has written the archives and recorded Keras's answers.

use super::folders::Folder;
use eagerflow::{self as tf, DType, Error, Tensor};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tf::keras::datasets::imdb::{self, Imdb};
use tf::keras::datasets::{cifar10, mnist};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn recorded(set: &str) -> Value {
    let text = fs::read_to_string(golden().join("keras_datasets.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[set].take()
}

/// A folder with one of the files.
fn folder_with(name: &str) -> (Folder, Vec<u8>) {
    let (folder, bytes) = (Folder::new(), fs::read(golden().join("keras_datasets").join(name)).unwrap());
    folder.write(name, &bytes);
    (folder, bytes)
}

/// The numbers of a tensor as the record has them.
fn nested(x: &Tensor) -> Value {
    match x.rank() {
        0 => json!(x.cast(DType::I64).item::<i64>()),
        _ => (0..x.shape()[0] as i64).map(|row| nested(&x.at(row))).collect(),
    }
}

#[test]
fn digits_of_an_archive_are_keras_s() {
    let (folder, _) = folder_with("mnist.npz");
    let ((x, y), (x_test, y_test)) = mnist::load_data(&folder);
    assert_eq!((x.dtype(), y.dtype(), x.shape().dims()), (DType::U8, DType::U8, &[3, 28, 28][..]));
    assert_eq!(json!([nested(&x), nested(&y), nested(&x_test), nested(&y_test)]), recorded("mnist"));
}

#[test]
fn pictures_of_an_archive_are_keras_s() {
    let (folder, _) = folder_with("cifar-10-python.tar.gz");
    let ((x, y), (x_test, y_test)) = cifar10::load_data(&folder);
    let (x, y) = (tf::concat(&[x, x_test], 0), tf::concat(&[y, y_test], 0));
    let batches: Value = (0..6)
        .map(|n| {
            let rows = || tf::s![2 * n..2 * n + 2];
            let pixels = x.at(tf::s![2 * n..2 * n + 2, ..;31, ..;7]);
            json!({ "images": nested(&pixels), "labels": y.at(rows()).cast(DType::I64).to_vec::<i64>() })
        })
        .collect();
    assert_eq!(batches, recorded("cifar10"));
}

#[test]
fn reviews_are_keras_s_in_its_order_with_its_options() {
    let (folder, _) = folder_with("imdb.npz");
    let rows = [
        ("", Imdb::default()),
        ("words", Imdb { num_words: Some(100), skip_top: 9, ..Imdb::default() }),
        ("short", Imdb { maxlen: Some(6), seed: 7, ..Imdb::default() }),
        ("bare", Imdb { num_words: Some(200), start_char: None, oov_char: None, index_from: 0, ..Imdb::default() }),
    ];
    let recorded = recorded("imdb");
    for (name, options) in rows {
        let ((x, y), (x_test, y_test)) = imdb::load_data(&folder, options);
        assert_eq!(json!([x, nested(&y), x_test, nested(&y_test)]), recorded[name], "{name}");
    }
    for wrong in [Imdb { maxlen: Some(1), ..Imdb::default() }, Imdb { num_words: Some(0), ..Imdb::default() }] {
        let error = imdb::try_load_data(&folder, wrong).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
        assert!(error.to_string().contains("images/keras_datasets.rs:"), "{error}");
    }
    folder.write("imdb_word_index.json", br#"{"film": 19, "the": 1}"#);
    assert_eq!(imdb::try_get_word_index(&folder).unwrap()["film"], 19);
    folder.write("imdb_word_index.json", br#"{"film": 19, "the": "#);
    assert!(imdb::try_get_word_index(&folder).unwrap_err().to_string().contains("imdb_word_index.json"));
}

/// Every shorter file and every file with one other byte is an error that names it, or what the whole file gives.
fn damaged<R: PartialEq>(name: &str, load: impl Fn(&Folder) -> tf::Result<R>) {
    let (folder, bytes) = folder_with(name);
    let whole = load(&folder).unwrap();
    let check = |bytes: &[u8], what: &str| {
        folder.write(name, bytes);
        match load(&folder) {
            Ok(got) => assert!(got == whole, "{what} gives something else"),
            Err(error) => assert!(error.to_string().contains(name), "{what}: {error}"),
        }
    };
    for length in (0..bytes.len()).step_by(37) {
        check(&bytes[..length], &format!("{length} bytes"));
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut other = bytes.clone();
        other[at] ^= 0x55;
        check(&other, &format!("byte {at}"));
    }
}

#[test]
fn damaged_archives_are_errors() {
    let bits = |(a, b): &(Tensor, Tensor)| (a.to_vec::<u8>(), b.to_vec::<u8>());
    damaged("mnist.npz", |folder| mnist::try_load_data(folder).map(|split| (bits(&split.0), bits(&split.1))));
    damaged("cifar-10-python.tar.gz", |folder| {
        cifar10::try_load_data(folder).map(|split| (bits(&split.0), bits(&split.1)))
    });
    let lists = |((x, y), (x_test, y_test)): (imdb::Reviews, imdb::Reviews)| {
        (x, y.to_vec::<i64>(), x_test, y_test.to_vec::<i64>())
    };
    damaged("imdb.npz", |folder| imdb::try_load_data(folder, Imdb::default()).map(lists));
}

fn idx(kind: u8, dims: &[u32], data: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, kind, dims.len() as u8];
    dims.iter().for_each(|dim| file.extend(dim.to_be_bytes()));
    file.extend(data);
    file
}

#[test]
fn digits_are_read_from_idx_files() {
    let folder = Folder::new();
    folder.write("train-images-idx3-ubyte", &idx(8, &[2, 2, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
    folder.write("train-labels-idx1-ubyte", &idx(8, &[2], &[3, 4]));
    folder.write("t10k-images.idx3-ubyte", &idx(8, &[1, 2, 3], &[0; 6]));
    let missing = mnist::try_load_data(&folder).unwrap_err().to_string();
    assert!(missing.contains("t10k-labels-idx1-ubyte") && missing.contains("mnist.npz"), "{missing}");
    folder.write("t10k-labels.idx1-ubyte", &idx(8, &[1], &[9]));
    let ((x, y), (_, y_test)) = mnist::load_data(&folder);
    assert_eq!((x.shape().dims(), y.to_vec::<u8>(), y_test.to_vec::<u8>()), (&[2, 2, 3][..], vec![3, 4], vec![9]));
    folder.write("t10k-labels.idx1-ubyte", &idx(8, &[2], &[9, 9]));
    assert!(mnist::try_load_data(&folder).unwrap_err().to_string().contains("do not belong together"));
}

#[test]
fn pictures_are_read_from_binary_batches() {
    let folder = Folder::new();
    for (label, name) in
        (0..).zip(["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"])
    {
        let mut record = vec![label];
        record.extend([[10_u8; 1024], [20; 1024], [30 + label; 1024]].concat());
        folder.write(&format!("cifar-10-batches-bin/{name}.bin"), &record);
    }
    let ((x, y), (x_test, y_test)) = cifar10::load_data(&folder);
    assert_eq!((x.shape().dims(), y.shape().dims(), x.dtype()), (&[5, 32, 32, 3][..], &[5, 1][..], DType::U8));
    assert_eq!((y.to_vec::<u8>(), y_test.item::<u8>()), (vec![0, 1, 2, 3, 4], 5));
    assert_eq!(x_test.at(tf::s![0, 31, 7]).to_vec::<u8>(), [10, 20, 35]);
    let mut file =
        fs::OpenOptions::new().append(true).open(folder.0.join("cifar-10-batches-bin/test_batch.bin")).unwrap();
    file.write_all(&[1]).unwrap();
    let error = cifar10::try_load_data(&folder).unwrap_err().to_string();
    assert!(error.contains("test_batch.bin"), "{error}");
}
