//! The files in a TAR archive that gzip has packed, in memory.
//! The reader of `cifar10` opens the archives with it in which the data set is offered.

use flate2::read::GzDecoder;
use kernels::error::{Error, Result};
use std::io::Read;

/// The most bytes of an archive when it is unpacked: the data set has 186 MB.
const MOST: u64 = 1 << 30;

fn damaged(what: impl Into<String>) -> Error {
    Error::data_loss("load_data", what).help("fetch the file again")
}

/// The archive before gzip has packed it.
fn unpacked(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let read = GzDecoder::new(bytes).take(MOST + 1).read_to_end(&mut out);
    read.map_err(|e| damaged(format!("the packed data: {e}")))?;
    match out.len() as u64 <= MOST {
        true => Ok(out),
        false => Err(damaged("the archive is larger than the data set").expected(format!("at most {MOST} bytes"))),
    }
}

/// All plain files of a TAR archive that gzip has packed.
pub(super) fn tar_gz(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let all = unpacked(bytes)?;
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
