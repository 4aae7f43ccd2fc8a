//! Values on their way into a file: bytes in memory, strings, or pieces that are fetched while the file is written.
//! Bundles and safetensors take them; the crate above makes [`Pieces`] of what lies on a device.

use kernels::error::Result;
use std::fmt;
use std::ops::Range;

/// A value that is fetched piece by piece, so that it never lies in memory whole.
///
/// Several threads ask at once, each for ranges of about a mebibyte that do not overlap, in no order.
pub trait Pieces: Sync {
    /// Bytes of the value.
    fn size(&self) -> u64;

    /// Hands the bytes of a range to `take`, in order, by one call or several.
    ///
    /// # Errors
    /// Those of `take` are given on; so is a failure to fetch the bytes.
    fn piece(&self, range: Range<u64>, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
}

/// Where the bytes of a value come from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Elements in memory, little-endian and row-major.
    Bytes(&'a [u8]),
    /// The elements of a tensor of strings.
    Strings(&'a [Vec<u8>]),
    /// Elements that are fetched.
    Pieces(&'a dyn Pieces),
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Strings(strings) => write!(f, "{} strings", strings.len()),
            Self::Pieces(pieces) => write!(f, "{} bytes in pieces", pieces.size()),
        }
    }
}
