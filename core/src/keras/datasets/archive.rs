//! Members of ZIP and of compressed TAR archives, in memory.
//! The readers of Keras's data sets open `.npz` and `.tar.gz` files with it.

use flate2::read::{DeflateDecoder, GzDecoder};
use kernels::error::{Error, Result};
use std::io::Read;

/// The most bytes of a member that is unpacked: the data sets have some hundred megabytes.
const MOST: u64 = 4 << 30;

fn damaged(what: impl Into<String>) -> Error {
    Error::data_loss("load_data", what).help("fetch the file again")
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 2).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
}

/// All members of a ZIP archive, by the directory at its end.
pub(super) fn zip(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let no_zip = || damaged("this is no ZIP archive, or it is cut off");
    let tail = bytes.len().saturating_sub(65_557);
    let end = bytes[tail..].windows(4).rposition(|four| four == b"PK\x05\x06").ok_or_else(no_zip)? + tail;
    let (count, mut at) = short(bytes, end + 10).zip(long(bytes, end + 16)).ok_or_else(no_zip)?;
    let mut members = Vec::new();
    for _ in 0..count {
        let entry = bytes.get(at..).filter(|entry| entry.starts_with(b"PK\x01\x02")).ok_or_else(no_zip)?;
        let fields = (short(entry, 10), long(entry, 20), short(entry, 28), long(entry, 42));
        let (Some(method), Some(packed), Some(name), Some(start)) = fields else { return Err(no_zip()) };
        let skipped = short(entry, 30).zip(short(entry, 32)).ok_or_else(no_zip)?;
        let text = entry.get(46..46 + name).ok_or_else(no_zip)?;
        let local = short(bytes, start + 26).zip(short(bytes, start + 28)).ok_or_else(no_zip)?;
        let data = start + 30 + local.0 + local.1;
        let data = bytes.get(data..data + packed).ok_or_else(no_zip)?;
        let text = String::from_utf8_lossy(text).into_owned();
        let unpacked = match method {
            0 => data.to_vec(),
            8 => unpacked(DeflateDecoder::new(data))?,
            other => return Err(damaged(format!("`{text}` is packed in a way that is not read")).got(other)),
        };
        members.push((text, unpacked));
        at += 46 + name + skipped.0 + skipped.1;
    }
    Ok(members)
}

fn unpacked(source: impl Read) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    source.take(MOST).read_to_end(&mut out).map_err(|e| damaged(format!("the packed data: {e}")))?;
    Ok(out)
}

/// All plain files of a TAR archive that gzip has packed.
pub(super) fn tar_gz(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let all = unpacked(GzDecoder::new(bytes))?;
    let (mut rest, mut members) = (&all[..], Vec::new());
    while let Some((header, behind)) = rest.split_at_checked(512) {
        if header.iter().all(|&byte| byte == 0) {
            break;
        }
        let text = |range: std::ops::Range<usize>| {
            let field = &header[range];
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
            String::from_utf8_lossy(&field[..end]).trim().to_owned()
        };
        let size =
            usize::from_str_radix(&text(124..136), 8).map_err(|_| damaged("a header of the archive is damaged"))?;
        let data = behind.get(..size).ok_or_else(|| damaged("the archive is cut off"))?;
        if matches!(header[156], b'0' | 0) {
            members.push((text(0..100), data.to_vec()));
        }
        rest = behind.get(size.next_multiple_of(512)..).unwrap_or_default();
    }
    Ok(members)
}
