//! The readers: each takes any bytes, and may neither panic nor take more memory than the bytes and 64 MiB.

use super::checksums::{put_frames_right, put_right};
use super::files::{file, pieces, split};
use super::memory::bounded;
use eagerflow as tf;
use eagerflow_formats::bundle::{self, Bundle, Entry, Options, Source};
use eagerflow_formats::events::{Event, EventKind, Events};
use eagerflow_formats::messages::DataType;
use eagerflow_formats::npy::{Archive, Header};
use eagerflow_formats::records::{Compression, CsvReader, Dialect, Position, RecordReader, Records};
use eagerflow_formats::safetensors::Safetensors;
use eagerflow_formats::state::CheckpointState;
use eagerflow_formats::table::{self, TableWriter};
use std::sync::atomic::AtomicU64;
use tf::data::IdxFile;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::train::Checkpoint;
use tf::{GradientTape, Module};

/// The index of a bundle as a table: blocks, restarts, keys and handles, with right checksums.
pub fn index(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    put_right(&mut bytes);
    bounded(bytes.len(), || {
        let mut last: Option<Vec<u8>> = None;
        let _ = table::read(&bytes, "index", &mut |key, _| {
            assert!(last.as_deref().is_none_or(|last| last < key), "keys are in order");
            last = Some(key.to_vec());
            Ok(())
        });
    });
}

/// Keys and messages in a table that is sound.
fn sound_table(bytes: &[u8]) -> Vec<u8> {
    let mut pairs: Vec<(&[u8], &[u8])> = pieces(bytes).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort();
    pairs.dedup_by_key(|pair| pair.0);
    let mut table = TableWriter::default();
    pairs.into_iter().for_each(|(key, message)| table.add(key, message));
    table.finish()
}

/// A bundle: an index whose messages are anything, or whose table is, beside a data file that is anything.
pub fn bundle(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let (index, data) = split(bytes);
    let index = if kind % 2 == 0 {
        sound_table(index)
    } else {
        let mut index = index.to_vec();
        put_right(&mut index);
        index
    };
    file("b.index", &index);
    file("b.data-00000-of-00001", data);
    let prefix = file("b", &[]);
    bounded(index.len() + data.len(), || {
        let Ok(bundle) = Bundle::open(&prefix) else { return };
        for entry in bundle.entries() {
            let verified = bundle.verify(&[entry.key()], 1).is_ok();
            if entry.dtype() == DataType::String {
                let read = bundle.read_strings(entry.key());
                assert!(verified || read.is_err(), "{} was read but not verified", entry.key());
            } else if let Ok(read) = bundle.read_bytes(entry.key()) {
                assert_eq!(read.len() as u64, entry.size());
                assert!(verified, "{} was read but not verified", entry.key());
            }
        }
    });
}

#[derive(Module)]
struct Program {
    built: Dense,
    unbuilt: Dense,
    optimizer: Adam,
    step: AtomicU64,
    list: Vec<tf::Variable>,
}

fn program() -> Program {
    let (built, unbuilt) = (Dense::new(2), Dense::new(2));
    let optimizer = Adam::new(0.1);
    let tape = GradientTape::new();
    let loss = built.call(tf::ones([1, 2])).square().sum();
    let variables = built.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    let list = vec![tf::Variable::new(0.0), tf::Variable::new(1.0)];
    Program { built, unbuilt, optimizer, step: AtomicU64::new(0), list }
}

/// The object graph of such a program, as a seed: its keys are those of [`object_graph`]'s checkpoint.
#[allow(dead_code, reason = "the fuzzer has its seeds as files")]
pub fn graph_of_a_program() -> Vec<u8> {
    let path = file("seed", &[]);
    let saved = Checkpoint::of(&program()).write(path).expect("a checkpoint");
    Bundle::open(&saved).and_then(|bundle| bundle.read_strings(GRAPH)).expect("a graph").remove(0)
}

const GRAPH: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// Values that graphs may name: by short names, for what the fuzzer makes, and by those of the seed.
fn values() -> Vec<(String, Vec<u64>)> {
    let of_seed = |path: &str| format!("{path}/.ATTRIBUTES/VARIABLE_VALUE");
    let short = [("k", vec![2, 2]), ("b", vec![2]), ("s", vec![])].map(|(key, shape)| (key.to_owned(), shape));
    let mut values = short.to_vec();
    values.extend(["built/kernel", "unbuilt/kernel"].map(|path| (of_seed(path), vec![2, 2])));
    values.extend(["built/bias", "unbuilt/bias"].map(|path| (of_seed(path), vec![2])));
    values.extend(["list/0", "list/1", "optimizer/learning_rate"].map(|path| (of_seed(path), vec![])));
    for (list, slots) in [("_momentums", [vec![2, 2], vec![2]]), ("_velocities", [vec![2, 2], vec![2]])] {
        let slots = slots.into_iter().enumerate();
        values.extend(slots.map(|(i, shape)| (of_seed(&format!("optimizer/{list}/{i}")), shape)));
    }
    values
}

/// The object graph of a checkpoint, by itself and as that of a checkpoint which is restored into a small program.
pub fn object_graph(bytes: &[u8]) {
    let size = bytes.len();
    if bounded(size, || tf::train::__read_object_graph(bytes)).is_err() {
        return;
    }
    thread_local!(static PROGRAM: Program = program());
    let (ones, eight) = ([0u8, 0, 128, 63].repeat(4), 7u64.to_le_bytes());
    let graph = [bytes.to_vec()];
    let (values, numbers) =
        (values(), ["n", "step/.ATTRIBUTES/VARIABLE_VALUE", "save_counter/.ATTRIBUTES/VARIABLE_VALUE"]);
    let entry = |key, dtype, shape, source| Entry { key, dtype, shape, source };
    let mut entries = vec![entry(GRAPH, DataType::String, vec![], Source::Strings(&graph))];
    entries.extend(values.iter().map(|(key, shape)| {
        let bytes = 4 * shape.iter().product::<u64>() as usize;
        entry(key, DataType::Float, shape.clone(), Source::Bytes(&ones[..bytes]))
    }));
    entries.extend(numbers.map(|key| entry(key, DataType::Int64, vec![], Source::Bytes(&eight))));
    let prefix = file("g", &[]);
    let options = Options { sync: false, threads: 1, ..Options::default() };
    bundle::write(&prefix, &entries, &options).expect("a checkpoint");
    PROGRAM.with(|program| {
        let checkpoint = Checkpoint::of(program);
        bounded(size, || {
            if let Ok(status) = checkpoint.restore(&prefix) {
                status.expect_partial();
                let _ = status.try_assert_consumed();
                let _ = status.try_assert_existing_objects_matched();
                let _ = status.try_assert_nontrivial_match();
            }
        });
    });
}

/// A safetensors file: its header and everything that it tells of.
pub fn safetensors(bytes: &[u8]) {
    // The length in front is put right where the header ends in the file.
    let mut bytes = bytes.to_vec();
    if let Some(end) = bytes.iter().rposition(|&byte| byte == b'}').filter(|&end| end >= 8 && bytes[7] == 0) {
        let length = (end as u64 + 1 - 8).to_le_bytes();
        bytes[..8].copy_from_slice(&length);
    }
    let path = file("t.safetensors", &bytes);
    bounded(bytes.len(), || {
        let Ok(file) = Safetensors::open(&path) else { return };
        let mut sum = 0;
        for tensor in file.tensors() {
            if let Ok(read) = file.read_bytes(tensor.name()) {
                assert_eq!(read.len() as u64, tensor.size());
                sum += read.len();
            }
        }
        assert!(sum <= bytes.len(), "tensors do not lie over each other");
    });
}

/// A file of digits, plain or compressed.
pub fn idx(bytes: &[u8]) {
    // What is compressed may be a thousand times as long, and is meant to be read whole, into memory that doubles.
    let size = if bytes.starts_with(&[0x1f, 0x8b]) { bytes.len() * 1032 * 2 } else { bytes.len() };
    bounded(size, || {
        if let Ok(file) = IdxFile::parse(bytes, "file.idx") {
            assert_eq!(file.data.len(), file.shape.iter().product::<usize>() * file.dtype.size());
            let shape = file.shape.clone();
            if let Ok(tensor) = file.into_tensor() {
                assert_eq!(tensor.shape().to_string(), format!("{shape:?}"));
            }
        }
    });
}

/// A file as an image of whatever kind it is: whole, small, and in part.
pub fn image(bytes: &[u8]) {
    // A byte of an image may stand for some thousand bytes of pixels, and is meant to.
    bounded(bytes.len() * 16 * 1032, || {
        let Ok(file) = tf::Tensor::try_from_byte_strings(&[bytes], ()) else { return };
        let _ = tf::io::try_decode_image(&file, tf::io::ImageDecoding::new().expand_animations(false));
        if !bytes.starts_with(&[0xff, 0xd8]) {
            return;
        }
        let _ = tf::io::try_extract_jpeg_shape(&file);
        let _ = tf::io::try_decode_jpeg(&file, tf::io::JpegDecoding::new().ratio(4));
        if let Ok(whole) = tf::io::try_decode_jpeg(&file, 3) {
            let (rows, columns) = (whole.shape().dims()[0], whole.shape().dims()[1]);
            let window = [rows / 2, columns / 2, rows - rows / 2, columns - columns / 2].map(|n| n as i32);
            let part = tf::io::decode_and_crop_jpeg(&file, window, 3);
            assert_eq!(part.shape().dims(), [rows - rows / 2, columns - columns / 2, 3]);
        }
    });
}

/// Records of named values.
pub fn example(bytes: &[u8]) {
    bounded(bytes.len() * 64, || {
        if let Ok(example) = tf::train::Example::parse(bytes) {
            assert_eq!(
                tf::train::Example::parse(&example.serialize()).map(|e| e.serialize()).ok(),
                Some(example.serialize())
            );
        }
        let _ = tf::train::SequenceExample::parse(bytes);
        let Ok(record) = tf::Tensor::try_from_byte_strings(&[bytes], [1]) else { return };
        let spec = [
            ("a", tf::io::VarLenFeature::new(tf::float32).into()),
            ("b", tf::io::RaggedFeature::new(tf::string).into()),
        ];
        let _ = tf::io::try_parse_example(&record, &spec);
        let _ = tf::io::try_parse_sequence_example(&record, &spec, &spec);
    });
}

/// The text file that tells the newest checkpoint: what is read is written and read back.
pub fn state(bytes: &[u8]) {
    bounded(bytes.len(), || {
        if let Ok(mut state) = CheckpointState::parse(bytes) {
            // A time of 0 is not written: protocol buffers do not tell it from none.
            state.last_preserved_timestamp = state.last_preserved_timestamp.filter(|time| time.to_bits() != 0);
            let again = CheckpointState::parse(state.text().as_bytes()).expect("its own text");
            assert_eq!(format!("{state:?}"), format!("{again:?}"));
        }
    });
}

/// An event file, by its messages and as users read it; with right checksums half of the time.
pub fn events(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let mut bytes = bytes.to_vec();
    if kind % 2 == 0 {
        put_frames_right(&mut bytes);
    }
    let path = file("events.out.tfevents.1", &bytes);
    bounded(bytes.len(), || {
        // A summary of no values is a record, but nothing that users read.
        let says = |event: &Event| !matches!(&event.what, Some(EventKind::Summary(all)) if all.value.is_empty());
        let records = Events::new("events", &*bytes).filter(|event| event.as_ref().is_ok_and(says)).count();
        let (read, error) = tf::summary::try_read_events(&path);
        assert!(read.len() >= records.min(1) || error.is_some());
    });
}

/// A record file, plain or compressed, from its beginning and from each place where a record ended.
pub fn records(bytes: &[u8]) {
    let path = file("r.tfrecord", bytes);
    for compression in [Compression::None, Compression::Gzip, Compression::Zlib] {
        // What is compressed may be a thousand times as long, and a record of it as long as all of it.
        let size = if compression == Compression::None { bytes.len() } else { bytes.len() * 1032 * 2 };
        bounded(size, || {
            let open = |from| RecordReader::open(&path, compression, 64, from);
            let Ok(mut reader) = open(Position::default()) else { return };
            let mut last = Position::default();
            while let Ok(Some(record)) = reader.next() {
                let record = record.to_vec();
                if let Ok(mut again) = open(last) {
                    assert!(
                        matches!(again.next(), Ok(Some(same)) if same == record),
                        "a record is the same from its place"
                    );
                }
                assert!(reader.position().offset > last.offset);
                last = reader.position();
            }
        });
    }
}

/// A comma-separated file: with quotes and without, in small pieces and at once.
pub fn csv(bytes: &[u8]) {
    let path = file("c.csv", bytes);
    bounded(bytes.len(), || {
        for quotes in [true, false] {
            let read = |buffer| {
                let dialect = Dialect { delimiter: b',', quotes };
                let mut reader =
                    CsvReader::open(&path, Compression::None, buffer, dialect, Position::default()).expect("a file");
                let (mut outcomes, mut last) = (Vec::new(), 0);
                loop {
                    outcomes.push(match reader.next() {
                        Ok(None) => break,
                        Ok(Some(fields)) => Some(fields.iter().map(<[u8]>::len).collect::<Vec<_>>()),
                        Err(_) => None,
                    });
                    assert!(reader.position().offset > last, "every record has bytes");
                    last = reader.position().offset;
                }
                assert_eq!(last.max(reader.position().offset), bytes.len() as u64);
                outcomes
            };
            assert_eq!(read(64), read(1 << 16), "pieces change nothing");
        }
    });
}

/// A file of NumPy: an array, or an archive of arrays.
pub fn npy(bytes: &[u8]) {
    let path = file("a.npy", bytes);
    // Strings are copied one by one, and what an archive holds may be compressed.
    bounded(bytes.len() * 64, || {
        let _ = Header::parse("a.npy", bytes);
        if let Ok(tensor) = tf::io::try_load_npy(&path) {
            assert!(tensor.num_elements() <= bytes.len() || tensor.dtype() == tf::string || tensor.num_elements() == 0);
        }
    });
    bounded(bytes.len() * 1032 * 4, || {
        if let Ok(mut archive) = Archive::open(&path) {
            for number in 0..archive.names().len().min(16) {
                let _ = archive.read(number);
            }
        }
    });
}
