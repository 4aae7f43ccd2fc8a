//! Safetensors against Hugging Face's own file, and against damage of every kind.

use super::*;
use crate::files::{Options, is_temporary};
use crate::testing::{Folder, Random, golden, most_held, mutated, put_file};
use kernels::error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

fn rewritten(file: &Safetensors, to: &Path) -> Vec<u8> {
    let values: Vec<Vec<u8>> = file.tensors().iter().map(|tensor| file.read_bytes(tensor.name()).unwrap()).collect();
    let tensor = |(stored, value): (&Stored, &Vec<u8>)| -> (String, DType, Vec<u64>, Vec<u8>) {
        (stored.name().into(), stored.dtype().unwrap(), stored.shape().to_vec(), value.clone())
    };
    let mut owned: Vec<_> = file.tensors().iter().zip(&values).map(tensor).collect();
    // The order in which they are given does not matter.
    owned.sort_by(|a, b| b.0.cmp(&a.0));
    let tensors: Vec<Tensor<'_>> = owned
        .iter()
        .map(|(name, dtype, shape, bytes)| Tensor {
            name,
            dtype: *dtype,
            shape: shape.clone(),
            source: Source::Bytes(bytes),
        })
        .collect();
    write(to, &tensors, file.metadata(), &Options::default()).unwrap();
    std::fs::read(to).unwrap()
}

#[test]
fn complex_numbers_come_back() {
    let folder = Folder::new();
    let to = folder.join("complex");
    let bytes: Vec<u8> = [1.0f32, -2.0, 0.5, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let source = Source::Bytes(&bytes);
    let tensor = Tensor { name: "z", dtype: DType::C64, shape: vec![2], source };
    write(&to, &[tensor], &Default::default(), &Options::default()).unwrap();
    let file = Safetensors::open(&to).unwrap();
    assert_eq!(
        (file.get("z").unwrap().dtype(), file.get("z").unwrap().dtype_name()),
        (Some(DType::C64), "C64".to_owned())
    );
    assert_eq!(file.read_bytes("z").unwrap(), bytes);
}

#[test]
fn the_bytes_are_those_of_hugging_face() {
    let folder = Folder::new();
    let file = Safetensors::open(&golden("numbers.safetensors")).unwrap();
    assert_eq!(file.metadata().get("format").map(String::as_str), Some("pt"));
    assert_eq!(file.tensors().len(), 16);
    // NumPy's writer has no complex numbers; the test below writes some.
    for (dtype, _) in TYPES.into_iter().filter(|(dtype, _)| !dtype.is_complex()) {
        assert!(file.tensors().iter().any(|tensor| tensor.dtype() == Some(dtype)), "{dtype}");
    }
    let half: Vec<u8> = [0u16, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(file.read_bytes("float16").unwrap(), half);
    assert_eq!(file.read_bytes("quoted \"ü\"").unwrap(), [7]);
    assert_eq!((file.get("empty").unwrap().shape(), file.get("empty").unwrap().size()), (&[0, 3][..], 0));
    assert_eq!(file.get("bool").unwrap().dtype_name(), "BOOL");
    let bytes = std::fs::read(golden("numbers.safetensors")).unwrap();
    assert_eq!(rewritten(&file, &folder.join("again")), bytes);
}

#[test]
fn metadata_has_an_order_and_a_file_may_be_empty() {
    let folder = Folder::new();
    let path = folder.join("a");
    let metadata: BTreeMap<String, String> = [("z", "1"), ("a", "\"")].map(|(k, v)| (k.into(), v.into())).into();
    write(&path, &[], &metadata, &Options::default()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap()[8..], *b"{\"__metadata__\":{\"a\":\"\\\"\",\"z\":\"1\"}}     ");
    let file = Safetensors::open(&path).unwrap();
    assert_eq!((file.metadata(), file.tensors().len()), (&metadata, 0));
    let error = file.read_bytes("w").unwrap_err();
    assert!(matches!(error, Error::NotFound(_)) && error.to_string().contains("\"w\""), "{error}");
}

/// A value that is made while it is written.
struct Counted(u64);

impl Pieces for Counted {
    fn size(&self) -> u64 {
        self.0
    }

    fn piece(&self, range: Range<u64>, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let bytes: Vec<u8> = range.map(|at| (at % 251) as u8).collect();
        bytes.chunks(1000).try_for_each(take)
    }
}

#[test]
fn values_come_in_pieces_and_go_to_where_they_belong() {
    let folder = Folder::new();
    let path = folder.join("a");
    let tensor = |name, size| (name, Counted(size));
    let values = [tensor("a", 5 << 20), tensor("b", (1 << 20) + 1), tensor("c", 3)];
    let tensors = values.each_ref().map(|(name, value)| Tensor {
        name,
        dtype: DType::U8,
        shape: vec![value.size()],
        source: Source::Pieces(value),
    });
    write(&path, &tensors, &BTreeMap::new(), &Options { threads: 3, ..Options::default() }).unwrap();
    let file = Safetensors::open(&path).unwrap();
    let (mut a, mut c) = (vec![9; 5 << 20], [9; 3]);
    file.read_into(&mut [("c", &mut c), ("a", &mut a)], 2).unwrap();
    assert!(a.iter().enumerate().all(|(at, &byte)| byte as usize == at % 251));
    assert_eq!(c, [0, 1, 2]);
    let error = file.read_into(&mut [("c", &mut [0; 4])], 1).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)) && error.to_string().contains("\"c\""), "{error}");
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let folder = Folder::new();
    let path = folder.join("a");
    let good = Tensor { name: "w", dtype: DType::F32, shape: vec![1], source: Source::Bytes(&[0; 4]) };
    let strings = [b"a".to_vec()];
    let cases = [
        vec![good.clone(), good.clone()],
        vec![Tensor { name: "__metadata__", ..good.clone() }],
        vec![Tensor { shape: vec![2], ..good.clone() }],
        vec![Tensor { shape: vec![u64::MAX, 2], ..good.clone() }],
        vec![Tensor { dtype: DType::Variant, shape: vec![], source: Source::Bytes(&[]), ..good.clone() }],
        vec![Tensor { source: Source::Strings(&strings), ..good.clone() }],
    ];
    for tensors in cases {
        let error = write(&path, &tensors, &BTreeMap::new(), &Options::default()).unwrap_err();
        let (text, name) = (error.to_string(), format!("\"{}\"", tensors[0].name));
        assert!(matches!(error, Error::InvalidArgument(_)) && text.contains(&name), "{text}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A file with this header and so many bytes behind it.
fn with_header(header: &str, behind: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.resize(bytes.len() + behind, 1);
    bytes
}

#[test]
fn headers_that_lie_are_refused() {
    let folder = Folder::new();
    let path = folder.join("lies.safetensors");
    let row = |offsets: &str| format!("\"w\":{{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":{offsets}}}");
    let cases = [
        (format!("{{{}}}", row("[0,3]")), 3, "bytes of its shape"),
        (format!("{{{}}}", row("[1,3]")), 3, "begin where the one before ends"),
        (format!("{{{}}}", row("[2,0]")), 2, "begin where"),
        (format!("{{{}}}", row("[0,2]")), 3, "length"),
        (format!("{{{},{}}}", row("[0,2]"), row("[2,4]")), 4, "twice"),
        ("{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,1]}}".into(), 1, "bytes of its shape"),
        ("{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}".into(), 0, "shape"),
        ("{\"a\":{\"dtype\":\"F99\",\"shape\":[],\"data_offsets\":[0,0]}}".into(), 0, "header"),
        ("{\"__metadata__\":{\"a\":1}}".into(), 0, "header"),
        ("{} x".into(), 0, "header"),
        ("[".repeat(100_000), 0, "header"),
    ];
    for (header, behind, what) in cases {
        put_file(&path, &with_header(&header, behind));
        let error = Safetensors::open(&path).unwrap_err();
        let text = error.to_string();
        assert!(
            matches!(error, Error::DataLoss(_)) && text.contains(what) && text.contains("lies.safetensors"),
            "{text}"
        );
    }
    put_file(&path, &[0xff; 8]);
    assert!(matches!(Safetensors::open(&path), Err(Error::DataLoss(_))));
    let error = Safetensors::open(&folder.join("none")).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error}");
    let error = Safetensors::open(folder.path()).unwrap_err();
    assert!(matches!(error, Error::FailedPrecondition(_)), "{error}");
}

#[test]
fn no_damage_makes_the_reader_panic_or_take_memory() {
    let folder = Folder::new();
    let path = folder.join("damaged.safetensors");
    let bytes = std::fs::read(golden("numbers.safetensors")).unwrap();
    let mut random = Random(2);
    let mut refused = 0;
    for _ in 0..4000 {
        let damaged = mutated(&bytes, &mut random);
        put_file(&path, &damaged);
        let (held, result) = most_held(|| {
            Safetensors::open(&path)
                .map(|file| file.tensors().iter().try_for_each(|t| file.read_bytes(t.name()).map(drop)))
        });
        assert!(held < 1 << 20, "{held} bytes for {}", damaged.len());
        match result {
            Ok(read) => read.unwrap(),
            Err(error @ (Error::DataLoss(_) | Error::ResourceExhausted(_))) => {
                assert!(error.to_string().contains("damaged.safetensors"), "{error}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn headers_of_little_and_much_take_no_more_memory_than_they_are_worth() {
    let folder = Folder::new();
    let path = folder.join("a");
    let many = |rows: usize| (0..rows).map(|i| format!("\"{i}\":\"\"")).collect::<Vec<_>>().join(",");
    let zeros = "0,".repeat(3_000_000);
    let headers = [
        format!("{{\"__metadata__\":{{{}}}}}", many(700_000)),
        format!("{{\"w\":{{\"dtype\":\"U8\",\"shape\":[{zeros}1],\"data_offsets\":[0,0]}}}}"),
        " ".repeat(11 << 20),
    ];
    for header in headers {
        put_file(&path, &with_header(&header, 0));
        let (held, _) = most_held(|| Safetensors::open(&path).map(drop));
        assert!(held < header.len() + (64 << 20), "{held} bytes for {}", header.len());
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().all(|entry| !is_temporary(&entry.unwrap().path())));
}
