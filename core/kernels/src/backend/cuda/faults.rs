//! Errors that a kernel meets on the device: a word in its memory that the first one fills, and what it means here.
//! Kernels that may refuse operands are given the word's address and a number for the user's line; whoever reads
//! elements back looks at the word and turns it into an error. Assertions bring words of their own for what they find.

use crate::error::Error;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// Places that an assertion names, and tensors that it shows of each.
pub const PLACES: usize = 3;
pub const SHOWN: usize = 2;
/// Elements of an assertion's message that the word has room for.
pub const KEPT: usize = 24;

/// The word as the prelude declares it (`struct Faults`): `code` is 0 while nothing happened.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub code: u32,
    pub site: u32,
    /// What was wrong; of an assertion, at how many places.
    pub value: i64,
    /// What would have been right; of an assertion, how many places there are.
    pub limit: i64,
    /// The first places at which an assertion does not hold, in row-major order; -1 behind the last.
    pub places: [i64; PLACES],
    /// The bits of the elements that it shows of each place.
    pub shown: [[u64; SHOWN]; PLACES],
    /// The bits of its message's elements.
    pub message: [u64; KEPT],
}

/// Codes of faults, as the prelude numbers them.
pub mod code {
    pub const INDEX: u32 = 1;
    pub const DIVISION: u32 = 2;
    pub const POWER: u32 = 3;
    pub const ASSERTION: u32 = 4;
    pub const LABEL: u32 = 5;
    pub const PLACE: u32 = 6;
    pub const TWICE: u32 = 7;
}

/// Makes an error of a word that an assertion wrote.
pub type Tell = Arc<dyn Fn(&Word) -> Error + Send + Sync>;

/// Where an operation stands that can fail on the device.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    pub op: &'static str,
    pub location: &'static Location<'static>,
}

struct Sites {
    /// By the place, and what else tells assertions of one line apart.
    numbers: Option<HashMap<(Site, u64), u32>>,
    all: Vec<(Site, Option<Tell>)>,
}

static SITES: Mutex<Sites> = Mutex::new(Sites { numbers: None, all: Vec::new() });

impl Site {
    /// The number of this place, which stays the same while the process lives.
    pub fn number(self) -> u32 {
        self.enter(0, || None)
    }

    /// The number of an assertion at this place, told apart by `which`, and of what makes an error of its word.
    pub fn number_of(self, which: u64, tell: impl FnOnce() -> Tell) -> u32 {
        self.enter(which, || Some(tell()))
    }

    fn enter(self, which: u64, tell: impl FnOnce() -> Option<Tell>) -> u32 {
        let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
        let next = sites.all.len() as u32;
        let number = *sites.numbers.get_or_insert_default().entry((self, which)).or_insert(next);
        if number == next {
            sites.all.push((self, tell()));
        }
        number
    }

    fn of(number: u32) -> Option<(Self, Option<Tell>)> {
        SITES.lock().unwrap_or_else(PoisonError::into_inner).all.get(number as usize).cloned()
    }
}

impl Word {
    /// What the word says, if anything.
    pub fn error(self) -> Option<Error> {
        if self.code == 0 {
            return None;
        }
        let (site, tell) = Site::of(self.site).map_or((None, None), |(site, tell)| (Some(site), tell));
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
            code::PLACE => Error::invalid_argument(op, "a number that has no place")
                .got(self.value)
                .expected(format!("0..{}", self.limit)),
            code::TWICE => Error::invalid_argument(op, "a number that occurs twice")
                .got(self.value)
                .expected(format!("each number of 0..{} once", self.limit)),
            code::ASSERTION => match tell {
                Some(tell) => tell(&self),
                None => Error::internal(op, "an assertion that nobody knows failed"),
            },
            other => Error::internal(op, format!("a kernel reported fault {other}")),
        };
        Some(match site {
            Some(site) => error.at(site.location),
            None => error,
        })
    }
}
