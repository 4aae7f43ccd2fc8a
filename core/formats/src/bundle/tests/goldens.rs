//! The bytes that TensorFlow wrote are those that are written here, and what it wrote is read.

use super::*;
use crate::checksum;

/// Reads a golden bundle, writes it again, and compares all bytes.
fn comes_back(name: &str) -> Vec<(Stored, Value)> {
    let folder = Folder::new();
    let prefix = golden(name);
    let bundle = Bundle::open(&prefix).unwrap();
    let keys: Vec<&str> = bundle.entries().iter().map(Stored::key).collect();
    bundle.verify(&keys, 2).unwrap();
    let values = values(&bundle);
    write(&folder.join("again"), &entries(&values), &Options::default()).unwrap();
    assert_eq!(files_of(&folder.join("again")), files_of(&prefix), "{name}");
    values
}

fn bytes_of<'a>(values: &'a [(Stored, Value)], key: &str) -> &'a Value {
    &values.iter().find(|(stored, _)| stored.key() == key).unwrap_or_else(|| panic!("{key}")).1
}

#[test]
fn the_smallest_checkpoint_is_written_from_numbers() {
    let folder = Folder::new();
    comes_back("ck-1");
    let graph = Bundle::open(&golden("ck-1")).unwrap().read_strings("_CHECKPOINTABLE_OBJECT_GRAPH").unwrap();
    let (w, b, counter) = (floats(&[1.0, 2.0, 3.0, 4.0]), floats(&[5.0, 6.0]), 1i64.to_le_bytes());
    let entry = |key, dtype, shape: &[u64], source| Entry { key, dtype, shape: shape.to_vec(), source };
    let entries = [
        entry("save_counter/.ATTRIBUTES/VARIABLE_VALUE", DataType::Int64, &[], Source::Bytes(&counter)),
        entry("model/w/.ATTRIBUTES/VARIABLE_VALUE", DataType::Float, &[2, 2], Source::Bytes(&w)),
        entry("model/b/.ATTRIBUTES/VARIABLE_VALUE", DataType::Float, &[2], Source::Bytes(&b)),
        entry("_CHECKPOINTABLE_OBJECT_GRAPH", DataType::String, &[], Source::Strings(&graph)),
    ];
    write(&folder.join("mine"), &entries, &Options::default()).unwrap();
    assert_eq!(files_of(&folder.join("mine")), files_of(&golden("ck-1")));
}

#[test]
fn graphs_of_objects_have_tensorflows_bytes() {
    for name in ["ck-1", "objects"] {
        let bundle = Bundle::open(&golden(name)).unwrap();
        let strings = bundle.read_strings("_CHECKPOINTABLE_OBJECT_GRAPH").unwrap();
        let graph = TrackableObjectGraph::decode(&*strings[0]).unwrap();
        assert!(graph.nodes.len() >= 4 && graph.nodes.iter().any(|node| !node.attributes.is_empty()));
        assert_eq!(graph.encode_to_vec(), strings[0], "{name}");
    }
    comes_back("objects");
}

#[test]
fn all_types_shapes_and_strings_come_back() {
    let values = comes_back("mixed");
    let shape = |key: &str| values.iter().find(|(stored, _)| stored.key() == key).unwrap().0.shape().to_vec();
    assert_eq!(*bytes_of(&values, "zz/scalar"), Value::Bytes(floats(&[1.5])));
    assert_eq!((shape("zz/scalar"), shape("zz/empty"), shape("zz/none")), (vec![], vec![0, 3], vec![2, 0, 4]));
    assert_eq!(*bytes_of(&values, "types/bool"), Value::Bytes(vec![1, 0, 1]));
    assert_eq!(
        *bytes_of(&values, "types/bfloat16"),
        Value::Bytes([0u16, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0].iter().flat_map(|x| x.to_le_bytes()).collect())
    );
    let grid = [b"".to_vec(), b"a".to_vec(), vec![b'b'; 127], vec![b'c'; 128], "ü".as_bytes().to_vec(), vec![0, 255]];
    assert_eq!(*bytes_of(&values, "strings/grid"), Value::Strings(grid.to_vec()));
    assert_eq!(*bytes_of(&values, "strings/empty"), Value::Strings(vec![]));
    let types: Vec<DataType> = values.iter().map(|(stored, _)| stored.dtype()).collect();
    for dtype in kernels::dtype::DType::ALL {
        assert!(types.contains(&dtype.into()), "{dtype}");
    }
}

#[test]
fn slices_are_put_together() {
    let bundle = Bundle::open(&golden("sliced")).unwrap();
    let keys: Vec<&str> = bundle.entries().iter().map(Stored::key).collect();
    assert_eq!(keys, ["columns", "grid\0ü", "many", "plain", "rows", "text", "whole"]);
    bundle.verify(&keys, 1).unwrap();
    let w = floats(&(0..24).map(|x| x as f32).collect::<Vec<_>>());
    for key in ["columns", "grid\0ü", "rows", "whole"] {
        assert_eq!(bundle.get(key).unwrap().shape(), [6, 4]);
        assert_eq!(bundle.read_bytes(key).unwrap(), w, "{key}");
    }
    let many: Vec<u8> = (0..900i32).flat_map(i32::to_le_bytes).collect();
    assert_eq!(bundle.read_bytes("many").unwrap(), many);
    let text: Vec<Vec<u8>> = (0..4).flat_map(|i| (0..3).map(move |j| format!("{i}{j}").into_bytes())).collect();
    assert_eq!(bundle.read_strings("text").unwrap(), text);
}

#[test]
fn shards_are_read() {
    let bundle = Bundle::open(&golden("sharded")).unwrap();
    let keys: Vec<&str> = bundle.entries().iter().map(Stored::key).collect();
    assert_eq!(keys, ["s0", "s1", "s2", "v0", "v1", "v2", "w"]);
    bundle.verify(&keys, 3).unwrap();
    for i in 0..3usize {
        let v: Vec<u8> = (0..5 + i as i64).flat_map(i64::to_le_bytes).collect();
        assert_eq!(bundle.read_bytes(&format!("v{i}")).unwrap(), v);
        assert_eq!(bundle.read_strings(&format!("s{i}")).unwrap(), [vec![b'a'; i], b"bc".to_vec()]);
    }
    let w: Vec<u8> = (0..12).flat_map(|x| f64::from(x).to_le_bytes()).collect();
    assert_eq!(bundle.read_bytes("w").unwrap(), w);
}

#[test]
fn indexes_of_several_blocks_have_tensorflows_bytes() {
    let folder = Folder::new();
    let numbers: Vec<[u8; 4]> = (0..9000i32).map(i32::to_le_bytes).collect();
    let scalar = |key, bytes| Entry { key, dtype: DataType::Int32, shape: vec![], source: Source::Bytes(bytes) };
    let many: Vec<String> = (0..9000).map(|i| format!("model/layer_{i}/kernel/.ATTRIBUTES/VARIABLE_VALUE")).collect();
    let many: Vec<Entry<'_>> = many.iter().zip(&numbers).map(|(key, bytes)| scalar(key, bytes)).collect();
    let long = ["a".into(), "b".repeat(600_000), "c".repeat(1000), "d".repeat(524_000), "e".into()];
    let long: Vec<Entry<'_>> = long.iter().zip(&numbers[1..]).map(|(key, bytes)| scalar(key, bytes)).collect();
    write(&folder.join("many"), &many, &UNSYNCED).unwrap();
    write(&folder.join("long"), &long, &UNSYNCED).unwrap();
    let wanted = std::fs::read_to_string(golden("large.txt")).unwrap();
    assert_eq!(wanted.lines().count(), 4);
    for line in wanted.lines() {
        let bytes = std::fs::read(folder.join(line.split(' ').next().unwrap())).unwrap();
        let end: String = bytes[bytes.len().saturating_sub(160)..].iter().map(|b| format!("{b:02x}")).collect();
        let name = line.split(' ').next().unwrap();
        assert_eq!(format!("{name} {} {:08x} {end}", bytes.len(), checksum::of(&bytes)), line);
    }
    let bundle = Bundle::open(&folder.join("long")).unwrap();
    assert_eq!(bundle.read_bytes(&"d".repeat(524_000)).unwrap(), numbers[4]);
    let bundle = Bundle::open(&folder.join("many")).unwrap();
    assert_eq!(bundle.entries().len(), 9000);
    assert_eq!(bundle.read_bytes("model/layer_4711/kernel/.ATTRIBUTES/VARIABLE_VALUE").unwrap(), numbers[4711]);
}
