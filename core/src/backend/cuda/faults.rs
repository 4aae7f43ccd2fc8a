//! Errors that a kernel meets on the device: a word in its memory that the first one fills, and what it means here.
//! Kernels that may refuse operands are given the word's address and a number for the user's line; whoever reads
//! elements back looks at the word and turns it into an error.

use crate::error::Error;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

/// The word as the prelude declares it (`struct Faults`): `code` is 0 while nothing happened.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub code: u32,
    pub site: u32,
    pub value: i64,
    pub limit: i64,
}

/// Codes of faults, as the prelude numbers them.
pub(crate) mod code {
    pub const INDEX: u32 = 1;
    pub const DIVISION: u32 = 2;
    pub const POWER: u32 = 3;
    pub const ASSERTION: u32 = 4;
    pub const LABEL: u32 = 5;
}

/// Where an operation stands that can fail on the device.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub op: &'static str,
    pub location: &'static Location<'static>,
}

struct Sites {
    numbers: Option<HashMap<Site, u32>>,
    all: Vec<Site>,
}

static SITES: Mutex<Sites> = Mutex::new(Sites { numbers: None, all: Vec::new() });

impl Site {
    /// The number of this place, which stays the same while the process lives.
    pub fn number(self) -> u32 {
        let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
        let next = sites.all.len() as u32;
        let number = *sites.numbers.get_or_insert_default().entry(self).or_insert(next);
        if number == next {
            sites.all.push(self);
        }
        number
    }

    fn of(number: u32) -> Option<Self> {
        SITES.lock().unwrap_or_else(PoisonError::into_inner).all.get(number as usize).copied()
    }
}

impl Word {
    /// What the word says, if anything.
    pub fn error(self) -> Option<Error> {
        if self.code == 0 {
            return None;
        }
        let site = Site::of(self.site);
        let op = site.map_or("kernel", |s| s.op);
        let error = match self.code {
            code::INDEX => Error::out_of_range(op, "an index lies outside its dimension")
                .got(self.value)
                .expected(format!("0..{}", self.limit)),
            code::DIVISION => Error::invalid_argument(op, "integer division by zero")
                .help("replace the zeros of the divisor, for example with `maximum` or `where_`, or divide floats"),
            code::POWER => Error::invalid_argument(op, "integer raised to a negative power")
                .got(self.value)
                .help("take powers of floats, or `cast` the operands to a floating dtype first"),
            code::LABEL => Error::invalid_argument(op, "a label names no class")
                .got(self.value)
                .expected(format!("0..{}", self.limit)),
            code::ASSERTION => Error::invalid_argument(op, "assertion failed"),
            other => Error::internal(op, format!("a kernel reported fault {other}")),
        };
        Some(match site {
            Some(site) => error.at(site.location),
            None => error,
        })
    }
}
