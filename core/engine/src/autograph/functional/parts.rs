//! [`Parts`]: a structure taken apart into tensors and everything else, and put together with other tensors.
//! All functions of this folder take what closures are given and give so.

use crate::structure::{LeafSink, Leaves, Nest};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;

/// What a structure is made of.
#[derive(Default)]
pub(super) struct Parts {
    pub tensors: Vec<Tensor>,
    /// Everything that is not a tensor.
    words: Vec<u64>,
}

impl LeafSink for Parts {
    fn tensor(&mut self, _: &dyn fmt::Display, tensor: &Tensor) {
        self.tensors.push(tensor.clone());
    }
    fn variable(&mut self, _: &dyn fmt::Display, variable: &Variable) {
        self.words.push(variable.id());
    }
    fn word(&mut self, _: &dyn fmt::Display, word: u64) {
        self.words.push(word);
    }
}

impl Parts {
    pub fn of(value: &impl Nest) -> Self {
        let mut parts = Self::default();
        value.visit(&mut Leaves::new(&mut parts));
        parts
    }

    /// An error where another row gave something else beside tensors.
    pub fn agree(&self, other: &Self, op: &str) -> Result<()> {
        if self.tensors.len() == other.tensors.len() && self.words == other.words {
            return Ok(());
        }
        Err(Error::invalid_argument(op, "the function gives another structure for one row than for another")
            .got(format!("{} and {} tensors", self.tensors.len(), other.tensors.len()))
            .expected("the same structure, with the same host values, for all rows"))
    }
}

/// The structure with other tensors, in order.
pub(super) fn with_tensors<R: Nest>(like: &R, tensors: Vec<Tensor>) -> R {
    let mut tensors = tensors.into_iter();
    like.map(&mut |old| tensors.next().unwrap_or_else(|| old.clone()))
}

/// For errors of functions that panic.
#[track_caller]
pub(super) fn or_fail<T>(result: Result<T>) -> T {
    let here = Location::caller();
    result.map_err(|e| e.at(here)).or_fail()
}
