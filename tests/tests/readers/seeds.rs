//! Small inputs of each reader that are sound: files of TensorFlow and Hugging Face, graphs of this library, and digits.

use super::readers::graph_of_a_program;
use eagerflow as tf;
use eagerflow_formats::bundle::Bundle;
use eagerflow_formats::events::{
    Event, EventKind, HistogramProto, Summary, SummaryValue, SummaryValueKind, append_frame,
};
use eagerflow_formats::messages::Message;
use eagerflow_formats::records::{Compression, RecordWriter};
use eagerflow_formats::table;
use std::path::{Path, PathBuf};
use tf::summary;

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

/// An event file with what summaries write, and with TensorFlow 1's kinds.
pub fn events() -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("eagerflow-seeds-{}", std::process::id()));
    let writer = summary::create_file_writer(&folder);
    {
        let _default = writer.as_default();
        summary::scalar("a", 0.5, 1);
        summary::Histogram::new().buckets(3).write("b", tf::constant([1.0, 2.0]), 2);
        summary::image("c", tf::zeros([1, 2, 2, 1]), 3);
        summary::text("d", "text", 4);
        summary::hparams(summary::HParams::new().with("e", 1));
    }
    writer.close();
    let written = std::fs::read(writer.path().expect("a file")).expect("a file");
    std::fs::remove_dir_all(folder).expect("the folder");
    let value = |value| SummaryValue { tag: "a".to_owned(), metadata: None, value: Some(value) };
    let histogram = HistogramProto { min: 0.0, max: 1.0, bucket: vec![1.0], ..HistogramProto::default() };
    let values = vec![value(SummaryValueKind::SimpleValue(1.0)), value(SummaryValueKind::Histo(histogram))];
    let old = Event { wall_time: 1.0, step: 1, what: Some(EventKind::Summary(Summary { value: values })) };
    let mut framed = vec![1];
    append_frame(&old.encode_to_vec(), &mut framed);
    vec![[&[0][..], &written].concat(), framed]
}

/// One small file of each kind that TensorFlow's record has.
pub fn image() -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/images.json");
    let text = std::fs::read_to_string(path).expect("the record");
    let recorded: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let file = |name: &str| {
        let digits = recorded["files"][name].as_str().expect("a file");
        let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("digits");
        (0..digits.len()).step_by(2).map(byte).collect()
    };
    let names = [
        "jpeg 4:2:0",
        "jpeg progressive",
        "jpeg restarts",
        "jpeg cmyk",
        "png interlaced 16",
        "png palette 4",
        "gif animated",
        "bmp 24",
    ];
    names.map(file).into()
}

pub fn example() -> Vec<Vec<u8>> {
    use eagerflow::train::{Example, Feature, SequenceExample};
    let features = || [("a", Feature::float_list([1.0, 2.0])), ("b", Feature::bytes_list(["x", "yz"]))];
    let steps = vec![Feature::float_list([1.0]), Feature::float_list([])];
    vec![Example::of(features()).serialize(), SequenceExample::of(features(), [("a", steps)]).serialize()]
}

/// Record files that were written here, plain and compressed.
pub fn records() -> Vec<Vec<u8>> {
    let path = super::files::file("seed.tfrecord", &[]);
    let written = |compression| {
        let mut writer = RecordWriter::create(&path, compression, 6, false).expect("a file");
        for record in [&b""[..], b"one", &[7; 70]] {
            writer.write(record).expect("a record");
        }
        writer.finish().expect("a file");
        std::fs::read(&path).expect("a file")
    };
    vec![written(Compression::None), written(Compression::Gzip), written(Compression::Zlib)]
}

pub fn csv() -> Vec<Vec<u8>> {
    [&b"a,b\n1,2\r\n\"x,\n\"\"y\",\n"[..], b"\"open,1\n", b"a\"b,2\rc,3"].map(<[u8]>::to_vec).into()
}

/// Arrays that were written here, and an archive without a file.
pub fn npy() -> Vec<Vec<u8>> {
    let path = super::files::file("seed.npy", &[]);
    let mut seeds = vec![[&b"PK\x05\x06"[..], &[0; 18]].concat()];
    for tensor in [tf::constant([[1.0, 2.0]]), tf::constant(["a", "bc"]), tf::zeros([0, 2])] {
        tf::io::save_npy(&path, tensor);
        seeds.push(std::fs::read(&path).expect("a file"));
    }
    seeds
}
