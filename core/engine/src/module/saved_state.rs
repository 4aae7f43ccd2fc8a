//! [`SavedState`]: what objects of the host, which are no variables, tell a checkpoint of their state, and how they take it back.
//! Iterators, data sets, counters and the global random state implement it; [`Fields::state`](super::Fields::state) hands it to visits.

use kernels::error::{Error, Result};
use std::fmt;

/// An object on the host whose state goes into a checkpoint beside variables.
///
/// A state is taken back in two steps, so that a checkpoint is restored whole or not at all: all objects
/// [`prepare`](Self::prepare) their states, which changes nothing and may fail; then each [`commit`](Self::commit)s, which cannot.
/// A visit lends its objects only while it lasts, so whoever restores visits twice and knows them by their [`id`](Self::id)s.
pub trait SavedState: Send + Sync {
    /// What it is, in messages: "dataset iterator", "counter".
    fn kind(&self) -> &'static str;

    /// A number that no other object of the process has while it lives.
    fn id(&self) -> u64;

    /// The state as it is now.
    ///
    /// # Errors
    /// FailedPrecondition for one that cannot be saved.
    fn save(&self) -> Result<StateValue>;

    /// Reads a state and checks it whole; nothing changes.
    ///
    /// # Errors
    /// DataLoss for a damaged state, InvalidArgument for one of another kind of object, FailedPrecondition for one of another object.
    fn prepare(&self, value: &StateValue) -> Result<Prepared>;

    /// Takes the state that [`prepare`](Self::prepare) of the same object gave.
    fn commit(&self, prepared: Prepared);

    /// A number that a trace would see change, where there is one: a branch or loop of a graph must not.
    fn number(&self) -> Option<u64> {
        None
    }
}

/// A state as a checkpoint holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StateValue {
    /// A scalar, as TensorFlow's counters are.
    Int64(i64),
    /// What only the object itself reads.
    Bytes(Vec<u8>),
}

impl StateValue {
    /// The number of an object that is one.
    pub(crate) fn int64(&self, kind: &'static str) -> Result<i64> {
        match self {
            Self::Int64(number) => Ok(*number),
            Self::Bytes(bytes) => Err(misfit(kind, format_args!("{} bytes", bytes.len()), "a scalar of int64")),
        }
    }

    /// The bytes of an object that is saved as such.
    pub(crate) fn bytes(&self, kind: &'static str) -> Result<&[u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Int64(_) => Err(misfit(kind, "a scalar of int64", "bytes")),
        }
    }
}

#[cold]
fn misfit(kind: &str, got: impl fmt::Display, expected: &str) -> Error {
    Error::invalid_argument("restore", format!("the state is not that of a {kind}")).got(got).expected(expected)
}

/// A state that was read and checked, for the object that did it.
pub enum Prepared {
    /// The number of a counter.
    Int64(i64),
    /// What is left to do: exchanges of what is there for what was made ready.
    Exchange(Box<dyn FnOnce() + Send>),
}

impl Prepared {
    /// Of an object that shares what it changes.
    pub(crate) fn new(exchange: impl FnOnce() + Send + 'static) -> Self {
        Self::Exchange(Box::new(exchange))
    }

    /// Does what is left to do.
    pub(crate) fn exchange(self) {
        if let Self::Exchange(exchange) = self {
            exchange();
        }
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int64(number) => f.debug_tuple("Int64").field(number).finish(),
            Self::Exchange(_) => f.write_str("Exchange"),
        }
    }
}
