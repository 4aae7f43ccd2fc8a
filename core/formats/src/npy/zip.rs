//! [`Archive`]: the files of a zip archive, stored or deflated, as NumPy writes them; checksums are compared.
//! Whoever loads `.npz` files calls it. Nothing is allocated by a size that the archive tells.

use crate::files;
use flate2::{Crc, read::DeflateDecoder};
use kernels::error::{Error, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The longest end of an archive: its record and a comment of 65,535 bytes.
const END: u64 = 22 + 0xffff;
/// Beyond this no directory of arrays is: that of a few hundred thousand.
const LARGEST_DIRECTORY: u64 = 64 << 20;

/// A file in an archive.
struct Entry {
    name: String,
    deflated: bool,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
}

/// An archive that is open.
pub struct Archive {
    name: String,
    file: File,
    entries: Vec<Entry>,
}

/// Numbers of a record, which may end too early.
struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (own, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(own)
    }

    fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

impl Archive {
    /// Opens an archive and reads its directory.
    ///
    /// # Errors
    /// What the file system refuses; InvalidArgument for what is no archive; DataLoss for a damaged directory.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let failed = |e| files::error(path, "cannot be read", e);
        let mut file = File::open(path).map_err(|e| files::error(path, "cannot be opened", e))?;
        let length = file.metadata().map_err(failed)?.len();
        let from = length.saturating_sub(END);
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(from)).map_err(failed)?;
        (&mut file).take(END).read_to_end(&mut end).map_err(failed)?;
        let Some(at) = end.windows(4).rposition(|four| four == b"PK\x05\x06") else {
            return Err(Error::invalid_argument(name, "is no zip archive").expected("a file that `numpy.savez` wrote"));
        };
        let damaged = |what: &str| Error::data_loss(name.clone(), format!("the archive is damaged: {what}"));
        let cut_off = || damaged("its directory is cut off");
        let (count, size, offset) = directory(&mut file, &end, at, from).ok_or_else(cut_off)?;
        if size > LARGEST_DIRECTORY || offset.checked_add(size).is_none_or(|to| to > length) {
            return Err(cut_off());
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        (&mut file).take(size).read_to_end(&mut bytes).map_err(failed)?;
        let (mut rest, mut entries) = (Numbers(&bytes), Vec::new());
        for _ in 0..count {
            let entry = entry(&mut rest).ok_or_else(cut_off)?;
            entries.push(entry.map_err(|what| damaged(&what))?);
        }
        Ok(Self { name, file, entries })
    }

    /// The names of its files in order.
    pub fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|entry| entry.name.as_str()).collect()
    }

    /// The bytes of a file by its number.
    ///
    /// # Errors
    /// What the file system refuses; DataLoss for damaged bytes.
    pub fn read(&mut self, number: usize) -> Result<Vec<u8>> {
        let Self { name, file, entries } = self;
        let Some(Entry { name: own, deflated, crc, packed, size, offset }) = entries.get(number) else {
            return Err(Error::internal(name.clone(), "a file that is not in the archive"));
        };
        let damaged = |what: &str| Error::data_loss(name.clone(), format!("`{own}` is damaged: {what}"));
        let cut_off = |_| damaged("it is cut off");
        let mut head = [0; 30];
        file.seek(SeekFrom::Start(*offset)).map_err(cut_off)?;
        file.read_exact(&mut head).map_err(cut_off)?;
        if !head.starts_with(b"PK\x03\x04") {
            return Err(damaged("it does not begin as a file of an archive does"));
        }
        let skip =
            i64::from(u16::from_le_bytes([head[26], head[27]])) + i64::from(u16::from_le_bytes([head[28], head[29]]));
        file.seek(SeekFrom::Current(skip)).map_err(cut_off)?;
        let mut bytes = Vec::new();
        let packed = file.take(*packed);
        // One more than there should be, so that more is seen.
        let read = match deflated {
            true => DeflateDecoder::new(packed).take(size.saturating_add(1)).read_to_end(&mut bytes),
            false => packed.take(size.saturating_add(1)).read_to_end(&mut bytes),
        };
        read.map_err(|e| damaged(&e.to_string()))?;
        if bytes.len() as u64 != *size {
            return Err(damaged("it has another length").got(bytes.len()).expected(size));
        }
        let mut sum = Crc::new();
        sum.update(&bytes);
        match sum.sum() == *crc {
            true => Ok(bytes),
            false => Err(damaged("its checksum does not match")
                .got(format!("{:#010x}", sum.sum()))
                .expected(format!("{crc:#010x}"))),
        }
    }
}

/// How many files there are, and where the directory lies.
fn directory(file: &mut File, end: &[u8], at: usize, from: u64) -> Option<(u64, u64, u64)> {
    let mut record = Numbers(end.get(at + 10..at + 22)?);
    let own = (record.number(2)?, record.number(4)?, record.number(4)?);
    // Archives of more than 4 GiB have a second record, before which another one tells where it is.
    let locator = at.checked_sub(20).map(|at| &end[at..at + 20]).filter(|bytes| bytes.starts_with(b"PK\x06\x07"));
    let Some(locator) = locator else { return Some(own) };
    let place = Numbers(locator.get(8..)?).number(8)?;
    let mut bytes = [0; 56];
    if place >= from.checked_add(at as u64)? {
        return None;
    }
    file.seek(SeekFrom::Start(place)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    let mut record = Numbers(bytes.strip_prefix(b"PK\x06\x06")?.get(28..)?);
    Some((record.number(8)?, record.number(8)?, record.number(8)?))
}

/// The next entry of a directory; none at an end that comes too early.
fn entry(rest: &mut Numbers<'_>) -> Option<Result<Entry, String>> {
    if rest.take(4)? != b"PK\x01\x02" {
        return None;
    }
    rest.take(4)?;
    let (flags, method) = (rest.number(2)?, rest.number(2)?);
    rest.take(4)?;
    let crc = rest.number(4)? as u32;
    let (mut packed, mut size) = (rest.number(4)?, rest.number(4)?);
    let (name, extra, comment) = (rest.number(2)?, rest.number(2)?, rest.number(2)?);
    rest.take(8)?;
    let mut offset = rest.number(4)?;
    let name = String::from_utf8_lossy(rest.take(name as usize)?).into_owned();
    let mut fields = Numbers(rest.take(extra as usize)?);
    rest.take(comment as usize)?;
    // Numbers that do not fit in four bytes stand in a field of their own.
    while let (Some(id), Some(length)) = (fields.number(2), fields.number(2)) {
        let mut own = Numbers(fields.take(length as usize)?);
        if id == 1 {
            for number in [&mut size, &mut packed, &mut offset].into_iter().filter(|number| **number == 0xffff_ffff) {
                *number = own.number(8)?;
            }
        }
    }
    if flags & 1 != 0 {
        return Some(Err(format!("`{name}` is encrypted")));
    }
    match method {
        0 | 8 => Some(Ok(Entry { name, deflated: method == 8, crc, packed, size, offset })),
        other => Some(Err(format!("`{name}` is packed by method {other}; `numpy` stores and deflates"))),
    }
}
