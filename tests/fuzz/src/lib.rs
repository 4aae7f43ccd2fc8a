//! What the fuzz targets share: a bound on memory, checksums that are put right so that damage reaches what lies behind them, and
//! files for readers that read files.

mod checksums;
mod memory;

pub use checksums::put_right;
pub use memory::bounded;

use std::path::PathBuf;

/// A folder of this process in memory, where the system has one.
fn folder() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    let root = if shared.is_dir() { shared } else { std::env::temp_dir() };
    let folder = root.join(format!("eagerflow-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Writes a file for a reader; answers its path.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    thread_local!(static FOLDER: PathBuf = folder());
    let path = FOLDER.with(|folder| folder.join(name));
    std::fs::write(&path, bytes).expect("a file");
    path
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
        bytes = if rest.len() < bytes.len() { rest } else { &[] };
    }
    pieces
}
