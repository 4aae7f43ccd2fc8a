//! How a record lies in a file of records, as TensorFlow's `TFRecord` has it: its length, the length's checksum, its bytes, and theirs.
//! The writer of event files puts frames around what it writes; the reader takes them off.

use crate::checksum::{mask, of};

/// The bytes in front of a record: the length and its checksum. Four more follow it.
pub const FRAME: usize = 12;

/// Begins a record of unknown length; what follows are its bytes. Answers where it began, for [`close_frame`].
pub fn open_frame(to: &mut Vec<u8>) -> usize {
    let start = to.len();
    to.extend([0; FRAME]);
    start
}

/// Ends the record that began at `start`: all that was appended since is in it.
pub fn close_frame(to: &mut Vec<u8>, start: usize) {
    let length = ((to.len() - start - FRAME) as u64).to_le_bytes();
    to[start..start + 8].copy_from_slice(&length);
    to[start + 8..start + FRAME].copy_from_slice(&mask(of(&length)).to_le_bytes());
    let sum = mask(of(&to[start + FRAME..])).to_le_bytes();
    to.extend(sum);
}

/// Appends a whole record.
pub fn append_frame(record: &[u8], to: &mut Vec<u8>) {
    let start = open_frame(to);
    to.extend(record);
    close_frame(to, start);
}
