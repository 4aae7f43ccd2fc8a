//! NumPy's files: what NumPy wrote is read, whole and by rows, and what is written NumPy would read; damage is an error.
//! `tests/golden/numpy_files.py` has written the files.

use super::conformance::of_base64;
use super::folder::{Folder, elements};
use eagerflow::{self as tf, DType, Error, Tensor};
use serde_json::{Value, json};
use std::path::Path;
use tf::data::{NpyDataset, Shuffle};

fn recorded() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/numpy_files.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The values as the record has them.
fn values(tensor: &Tensor) -> Value {
    let parts = |x: &Tensor| x.cast(DType::F64).to_vec::<f64>();
    match tensor.dtype() {
        DType::String => json!(tensor.to_strings()),
        DType::Bool => json!(tensor.to_vec::<bool>()),
        DType::C64 | DType::C128 => {
            let (real, imag) = (parts(&tf::real(tensor)), parts(&tf::imag(tensor)));
            json!(real.into_iter().zip(imag).map(|(r, i)| [r, i]).collect::<Vec<_>>())
        }
        dtype if dtype.is_integer() => json!(tensor.cast(DType::I64).to_vec::<i64>()),
        _ => json!(parts(tensor)),
    }
}

fn ty(x: &Tensor) -> (DType, Vec<usize>) {
    (x.dtype(), x.shape().dims().to_vec())
}

#[test]
fn what_numpy_wrote_is_read_whole_and_by_rows() {
    let folder = Folder::new();
    for (name, array) in recorded()["arrays"].as_object().unwrap() {
        let path = folder.put("a.npy", of_base64(array["file"].as_str().unwrap()));
        let tensor = tf::io::load_npy(&path);
        assert_eq!(json!(tensor.shape().dims()), array["shape"], "{name}");
        assert_eq!(values(&tensor), array["values"], "{name}");
        if tensor.rank() == 0 {
            assert!(matches!(NpyDataset::try_new(&path).unwrap_err(), Error::InvalidArgument(_)));
            continue;
        }
        let rows = NpyDataset::new(&path);
        assert_eq!(rows.cardinality(), tensor.shape()[0]);
        let ty = rows.element_spec().unwrap();
        assert_eq!((ty[0].dtype(), ty[0].shape().len()), (tensor.dtype(), tensor.rank() - 1));
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(values(&row), values(&tensor.at(number as i64)), "{name}");
        }
        // Batches of neighbours, and of rows out of order.
        if let Some(batch) = rows.batch(2).iter().next() {
            assert_eq!(batch.shape()[0], tensor.shape()[0].min(2));
            assert_eq!(values(&batch.at(0)), values(&tensor.at(0)));
        }
        let mut mixed: Vec<String> = rows
            .shuffle(Shuffle::whole().seed(3))
            .batch(9)
            .iter()
            .flat_map(|b| b.unstack(0))
            .map(|r| values(&r).to_string())
            .collect();
        let mut all: Vec<String> = rows.iter().map(|row| values(&row).to_string()).collect();
        mixed.sort();
        all.sort();
        assert_eq!(mixed, all, "{name}");
    }
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new();
    let path = folder.join("a.npy");
    let tensors = [
        tf::constant([[1.5, -2.0], [0.0, f32::MAX]]),
        tf::constant([true, false]),
        tf::constant(7),
        tf::zeros([0, 3]),
        tf::transpose(tf::constant([[1, 2, 3], [4, 5, 6]]), [1, 0]),
        tf::constant(["a", "", "longer"]),
        tf::constant([1.0, 2.0]).cast(DType::F16),
        tf::complex(tf::constant([1.0, 2.0]), tf::constant([3.0, 4.0])),
    ];
    for tensor in &tensors {
        tf::io::save_npy(&path, tensor);
        let read = tf::io::load_npy(&path);
        assert_eq!((ty(&read), values(&read)), (ty(tensor), values(tensor)));
    }
    for wrong in [tf::ones(2).cast(DType::BF16), Tensor::try_from_byte_strings(&[b"a\0"], [1]).unwrap()] {
        assert!(matches!(tf::io::try_save_npy(&path, &wrong).unwrap_err(), Error::InvalidArgument(_)));
    }
    assert_eq!(folder.names(), ["a.npy"]);
}

#[test]
fn archives_are_read_and_damage_is_found() {
    let folder = Folder::new();
    let record = recorded();
    for kind in ["stored", "deflated"] {
        let whole = of_base64(record[kind].as_str().unwrap());
        let read = |bytes: &[u8]| tf::io::try_load_npz(folder.put("a.npz", bytes));
        let arrays = read(&whole).unwrap();
        assert_eq!(arrays.keys().collect::<Vec<_>>(), ["x", "y", "z"]);
        assert_eq!(
            (arrays["x"].to_vec::<i16>(), arrays["y"].to_strings()),
            (vec![0, 1, 2, 3, 4, 5], vec!["a".into(), "bc".to_owned()])
        );
        assert_eq!(ty(&arrays["z"]), (DType::F64, vec![40, 5]));
        for at in (0..whole.len()).step_by(if kind == "stored" { 7 } else { 1 }) {
            assert!(read(&whole[..at]).is_err(), "cut at {at}");
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            // Dates, versions and names are not summed; elements are.
            if let Ok(other) = read(&bytes) {
                assert!(other.len() <= 3);
                for (name, array) in &other {
                    assert!(arrays.get(name).is_none_or(|own| values(own) == values(array)), "{kind}: byte {at}");
                }
            }
        }
    }
    assert!(matches!(tf::io::try_load_npz(folder.put("b", "no archive")).unwrap_err(), Error::InvalidArgument(_)));
    assert!(matches!(tf::io::try_load_npz(folder.join("none")).unwrap_err(), Error::NotFound(_)));
}

#[test]
fn files_that_are_cut_off_are_errors() {
    let folder = Folder::new();
    let path = folder.join("a.npy");
    tf::io::save_npy(&path, tf::constant([[1, 2], [3, 4], [5, 6]]));
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        let path = folder.put("cut.npy", &whole[..cut]);
        assert!(tf::io::try_load_npy(&path).is_err(), "cut at {cut}");
        let error = NpyDataset::try_new(&path).unwrap_err();
        assert!(error.to_string().contains("cut.npy") && error.to_string().contains("npy.rs"), "{error}");
    }
    // Cut while it is read: an error of its rows, and no end of the process.
    let rows = NpyDataset::new(&path);
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(whole.len() as u64 - 9).unwrap();
    let (found, error) = elements(&rows);
    assert_eq!(found.len(), 1);
    assert!(matches!(error, Some(Error::DataLoss(_))), "{error:?}");
}
