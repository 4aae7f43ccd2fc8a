//! Files that are written here and read by real TensorFlow, where `EAGERFLOW_PYTHON` names a Python that has it.
//! What TensorFlow wrote is read in `conformance`, without it.

use super::folder::Folder;
use eagerflow as tf;
use std::process::Command;
use tf::data::Compression;

#[test]
fn tensorflow_and_numpy_read_our_files() {
    let Some(python) = std::env::var_os("EAGERFLOW_PYTHON") else {
        eprintln!("skipped: EAGERFLOW_PYTHON names no Python that has TensorFlow");
        return;
    };
    let folder = Folder::new();
    let long = "long ".repeat(50_000);
    let records = ["", "x", "ä\n", &long, "the last"];
    for (name, compression) in [("plain", Compression::None), ("GZIP", Compression::Gzip), ("ZLIB", Compression::Zlib)]
    {
        folder.records(name, &records, compression);
    }
    let transposed = tf::transpose(tf::constant([[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]), [1, 0]);
    tf::io::save_npy(folder.join("floats.npy"), transposed);
    tf::io::save_npy(folder.join("strings.npy"), tf::constant(["a", "", "longer"]));
    tf::io::save_npy(folder.join("truths.npy"), tf::constant([[true], [false]]));
    folder.put("expected", records.join("\u{0}"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/python/read_files.py");
    let output = Command::new(python).arg(script).arg(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("all read"), "{said}");
}
