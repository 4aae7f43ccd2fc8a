//! Small inputs of each reader that are sound: files of TensorFlow and Hugging Face, graphs of this library, and digits.

use super::readers::graph_of_a_program;
use eagerflow_formats::bundle::Bundle;
use eagerflow_formats::table;
use std::path::{Path, PathBuf};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/bundles").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(golden(name)).expect("a golden file")
}

const BUNDLES: [&str; 3] = ["ck-1", "objects", "sliced"];

pub fn index() -> Vec<Vec<u8>> {
    ["ck-1", "objects", "mixed", "sharded", "sliced"].map(|name| bytes(&format!("{name}.index"))).into()
}

fn with_length(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("a small seed");
    [&length.to_le_bytes(), bytes].concat()
}

/// An index as it is, and as its keys and messages.
pub fn bundle() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for name in BUNDLES {
        let (index, data) = (bytes(&format!("{name}.index")), bytes(&format!("{name}.data-00000-of-00001")));
        let mut pairs = Vec::new();
        table::read(&index, name, &mut |key, message| {
            pairs.extend([with_length(key), with_length(message)].concat());
            Ok(())
        })
        .expect("a sound index");
        seeds.push([&[1], &with_length(&index)[..], &data].concat());
        seeds.push([&[0], &with_length(&pairs)[..], &data].concat());
    }
    seeds
}

pub fn object_graph() -> Vec<Vec<u8>> {
    let tensorflows = Bundle::open(&golden("objects")).and_then(|b| b.read_strings("_CHECKPOINTABLE_OBJECT_GRAPH"));
    vec![graph_of_a_program(), tensorflows.expect("a graph").remove(0)]
}

pub fn safetensors() -> Vec<Vec<u8>> {
    let empty = [&2u64.to_le_bytes()[..], b"{}"].concat();
    vec![bytes("numbers.safetensors"), empty]
}

pub fn idx() -> Vec<Vec<u8>> {
    let bytes = [0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9].to_vec();
    let floats = [&[0, 0, 0x0d, 1, 0, 0, 0, 2][..], &1.5f32.to_be_bytes(), &2.5f32.to_be_bytes()].concat();
    // The bytes, compressed.
    let zipped = vec![
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff, 0x63, 0x60, 0xe0, 0x60, 0x62, 0x60, 0x60, 0x60, 4, 0x62, 0x66, 0x76,
        0xe, 0x4e, 0, 0x4c, 0xc5, 0xbe, 0xb, 0xf, 0, 0, 0,
    ];
    vec![bytes, floats, zipped]
}

pub fn state() -> Vec<Vec<u8>> {
    vec![bytes("state"), bytes("state_odd")]
}
