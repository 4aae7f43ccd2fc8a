//! Reading record files from the page cache: 64 KiB and 100 bytes a record, one by one and in batches. `records_peers.py` times it in turns
//! with `tf.data`. `cargo bench -p eagerflow --bench records` alone writes the files and prints rates; with `-- --serve FOLDER` the files
//! of the folder are read, one pass for each line on the input.

use eagerflow::{self as tf};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tf::data::{Compression, Dataset, FileOptions, TFRecordDataset, TextLineDataset};

/// A file of so many records of so many bytes.
const FILES: [(&str, usize, usize); 2] = [("large", 4096, 64 << 10), ("small", 1_000_000, 100)];

/// Name, bytes and records of a pass, and what is read in it.
type Workload = (String, usize, usize, Dataset);

fn write(folder: &Path) {
    for (name, records, bytes) in FILES {
        let record: Vec<u8> = (0..bytes).map(|i| (i * 31 % 251) as u8).collect();
        let mut writer = tf::io::TFRecordWriter::new(folder.join(name));
        (0..records).for_each(|_| writer.write(&record));
        writer.close();
    }
    let line =
        "a line of ninety-nine letters and its end, which is as long as a record of the small record file: xxx\n";
    std::fs::write(folder.join("text"), line.repeat(1_000_000)).unwrap();
    let mut writer = tf::io::TFRecordWriter::with(folder.join("packed"), Compression::Gzip);
    (0..200_000).for_each(|i: usize| writer.write(format!("{i:0100}")));
    writer.close();
}

fn workloads(folder: &Path) -> Vec<Workload> {
    let file = |name: &str| folder.join(name);
    let mut all = Vec::new();
    for (name, records, bytes) in FILES {
        let set = TFRecordDataset::new(file(name));
        all.push((format!("{name}, each"), records * bytes, records, set.clone()));
        all.push((format!("{name}, batches"), records * bytes, records, set.batch(128)));
        all.push((format!("{name}, prefetch"), records * bytes, records, set.prefetch(tf::data::AUTOTUNE)));
        let large = FileOptions::new().buffer_size(4 << 20);
        all.push((format!("{name}, 4 MiB"), records * bytes, records, TFRecordDataset::with(file(name), large)));
    }
    all.push(("text, each".into(), 100_000_000, 1_000_000, TextLineDataset::new(file("text"))));
    let packed = TFRecordDataset::with(file("packed"), Compression::Gzip);
    all.push(("packed, each".into(), 20_000_000, 200_000, packed));
    all
}

/// Seconds of a pass.
fn seconds(set: &Dataset, records: usize) -> f64 {
    let start = Instant::now();
    let read: usize = set.iter().map(|record| record.num_elements()).sum();
    assert_eq!(read, records);
    start.elapsed().as_secs_f64()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--serve") {
        let all = workloads(Path::new(&arguments[at + 1]));
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            match all.iter().find(|(name, ..)| *name == line) {
                Some((_, _, records, set)) => println!("{}", seconds(set, *records)),
                None => println!("nan"),
            }
        }
        return;
    }
    let folder: PathBuf = std::env::temp_dir().join(format!("eagerflow-records-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    write(&folder);
    for (name, bytes, records, set) in workloads(&folder) {
        let mut times: Vec<f64> = (0..7).map(|_| seconds(&set, records)).collect();
        times.sort_by(f64::total_cmp);
        let (gigabytes, millions) = (bytes as f64 / times[3] / 1e9, records as f64 / times[3] / 1e6);
        println!("{name:<18} {gigabytes:>7.2} GB/s {millions:>8.3} million records a second");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
