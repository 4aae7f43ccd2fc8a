//! Seeded damage of the input of every reader of files, by the functions that `tests/fuzz` runs under coverage: no panic, no end of
//! memory. What the fuzzer found before lies in `tests/fuzz/corpus`, and is read again.

#[path = "../../fuzz/src/checksums.rs"]
mod checksums;
#[path = "../../fuzz/src/files.rs"]
mod files;
#[path = "../../fuzz/src/memory.rs"]
mod memory;
#[path = "../../fuzz/src/readers.rs"]
mod readers;
mod seeds;

use eagerflow_tests::random::Random;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many inputs each test makes.
const INPUTS: usize = 3000;

fn corpus(reader: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(reader)
}

/// What the fuzzer kept.
fn kept(reader: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(corpus(reader)).expect("a corpus").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

/// Bytes with some of them changed, cut off, repeated, put in, or taken from another input.
fn damaged(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1).min(bytes.len());
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.bits() as u8),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 if at < bytes.len() => bytes[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            4 => {
                let to = (at + random.below(40)).min(bytes.len());
                let part = bytes[at..to].to_vec();
                bytes.splice(at..at, part);
            }
            5 if !other.is_empty() => {
                let from = random.below(other.len());
                let to = (from + random.below(40)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
    bytes
}

/// Runs a reader on its seeds, on what the fuzzer kept, and on both with damage. One reader at a time: memory is counted for all.
fn check(reader: &str, seeds: impl FnOnce() -> Vec<Vec<u8>>, read: fn(&[u8])) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut inputs = seeds();
    assert!(!inputs.is_empty(), "{reader} has seeds");
    inputs.extend(kept(reader));
    let timed = |bytes: &[u8]| {
        let start = Instant::now();
        read(bytes);
        let time = start.elapsed();
        assert!(time < Duration::from_secs(10), "{reader}: {time:?} for {} bytes: {bytes:?}", bytes.len());
    };
    inputs.iter().for_each(|input| timed(input));
    let mut random = Random::new(0x5eed);
    for _ in 0..INPUTS / (1 + inputs.iter().map(Vec::len).max().unwrap_or(0) / 100_000 * 100) {
        let (input, other) = (random.pick(&inputs), random.pick(&inputs));
        timed(&damaged(input, other, &mut random));
    }
    files::remove();
}

macro_rules! readers {
    ($($reader:ident)*) => {
        $(#[test]
        fn $reader() {
            check(stringify!($reader), seeds::$reader, readers::$reader);
        })*

        /// `cargo test -p eagerflow-tests --test readers -- --ignored` writes them.
        #[test]
        #[ignore = "writes the seeds into the corpus of tests/fuzz"]
        fn seeds_of_the_corpus() {
            for (reader, seeds) in [$((stringify!($reader), seeds::$reader())),*] {
                std::fs::create_dir_all(corpus(reader)).expect("a folder");
                for (number, seed) in seeds.into_iter().enumerate() {
                    std::fs::write(corpus(reader).join(format!("seed-{number}")), seed).expect("a file");
                }
            }
        }
    };
}

/// Graphs that would take far more memory than their bytes: nodes of nothing, edges of nothing, and a path as long as the graph.
#[test]
fn graphs_that_ask_for_too_much() {
    let nodes = [0x0a, 0].repeat(1 << 19);
    let edges = [&[0x0a, 0x80, 0x80, 0x40][..], &[0x0a, 0].repeat(1 << 19)].concat();
    let mut chain = Vec::new();
    for at in 1..30_000u32 {
        let low = [(at & 0x7f) as u8 | 0x80, (at >> 7 & 0x7f) as u8 | 0x80, (at >> 14) as u8];
        let value = [0x12, 19, 0x0a, 14].into_iter().chain(*b"VARIABLE_VALUE").chain([0x1a, 1, b'k']);
        let node: Vec<u8> = [0x0a, 7, 8, low[0], low[1], low[2], 0x12, 1, b'a'].into_iter().chain(value).collect();
        chain.extend([0x0a, node.len() as u8].into_iter().chain(node));
    }
    chain.extend([0x0a, 0]);
    let read = |graph: &[u8]| eagerflow::train::__read_object_graph(graph).map_err(|error| error.to_string());
    assert!(read(&nodes).is_err_and(|text| text.contains("more nodes than values")) && read(&edges).is_err());
    assert_eq!(read(&chain), Ok(30_000));
    check("object_graph", || vec![nodes, edges, chain], readers::object_graph);
}

readers! { index bundle object_graph safetensors idx state events image example records csv npy }
