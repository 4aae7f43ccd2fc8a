//! Layers that look strings and integers up in a vocabulary, which is told or taken from data, and those that hash them.
//! Keras's `StringLookup`, `IntegerLookup`, `TextVectorization` and `Hashing`; models of texts and tables begin with them.

mod adapt;
mod hashing;
mod layers;
mod operation;
mod options;
mod rule;
mod term;
mod text;
mod told;
mod vectorization;
mod vectorize;
mod vocabulary;

pub use adapt::AdaptData;
pub use hashing::{Hashing, MaskValue};
pub use layers::{IntegerLookup, StringLookup};
pub use text::{Split, Standardize};
pub use vectorization::TextVectorization;

use kernels::error::{Error, Result};

/// What a term becomes: Keras's `output_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LookupMode {
    /// Its number, `int64`.
    #[default]
    Int,
    /// A row for each term, with a one in its place.
    OneHot,
    /// A row for each example, with a one in the place of each term that it has.
    MultiHot,
    /// A row for each example, with how often it has each term.
    Count,
    /// As [`Count`](Self::Count), each times the term's weight: the logarithm of how rare it is among the examples.
    TfIdf,
}

/// How terms outside of the vocabulary are spread over several numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Spread {
    /// The remainder of an integer.
    Remainder,
    /// FarmHash of the text.
    Farm,
    /// SipHash of the text under a key.
    Sip([u64; 2]),
}

impl Spread {
    /// The number, below `buckets`, of a text.
    fn of_text(self, text: &[u8], buckets: u64) -> u64 {
        match self {
            Self::Sip(key) => engine::library::sip_hash(key, text) % buckets,
            Self::Farm | Self::Remainder => engine::library::fingerprint(text) % buckets,
        }
    }
}

/// A key of one number is that number twice.
impl From<u64> for Salt {
    fn from(salt: u64) -> Self {
        Self([salt, salt])
    }
}

impl From<[u64; 2]> for Salt {
    fn from(salt: [u64; 2]) -> Self {
        Self(salt)
    }
}

/// The key of a hash: one number, or two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Salt([u64; 2]);

/// `max_tokens`, of which there must be more than one.
fn max_tokens(layer: &str, most: usize) -> Result<usize> {
    match most {
        0 | 1 => Err(Error::invalid_argument(layer, "`max_tokens` is too small").got(most).expected("2 or more")),
        _ => Ok(most),
    }
}

/// Of how many bins there is at least one.
fn bins(layer: &str, count: usize) -> Result<usize> {
    engine::library::options::count(layer, "num_bins", count)
}
