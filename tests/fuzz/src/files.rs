//! Files for readers that read files, and bytes that are cut into several parts.

use std::path::PathBuf;

/// A folder of this process in memory, where the system has such.
fn folder() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    let root = if shared.is_dir() { shared } else { std::env::temp_dir() };
    root.join(format!("eagerflow-fuzz-{}", std::process::id()))
}

/// Writes a file for a reader; answers its path.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    if std::fs::write(&path, bytes).is_err() {
        std::fs::create_dir_all(folder()).expect("a folder");
        std::fs::write(&path, bytes).expect("a file");
    }
    path
}

/// Removes all files.
#[allow(dead_code, reason = "fuzzing ends by a signal, when there is nobody to call it")]
pub fn remove() {
    let _ = std::fs::remove_dir_all(folder());
}

/// Cuts bytes in two where their first two bytes say, little-endian.
pub fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes {
        [low, high, rest @ ..] => rest.split_at(rest.len().min(usize::from(u16::from_le_bytes([*low, *high])))),
        _ => (bytes, &[]),
    }
}

/// Cuts bytes into pieces, each with its length in front as two bytes.
pub fn pieces(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = split(bytes);
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}
