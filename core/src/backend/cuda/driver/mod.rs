//! The door to CUDA's own libraries: plain functions over addresses and handles that are numbers, with results.
//! The rest of the backend calls them; a build without the feature `cuda` has the same functions, which all refuse.

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod present;

#[cfg(not(feature = "cuda"))]
pub(super) use absent::*;
#[cfg(feature = "cuda")]
pub(super) use present::*;

use std::fmt;

/// An address in the memory of a device.
pub(super) type Address = u64;

/// A loaded kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::backend) struct Function(pub(super) usize);

/// A stream of a device, in which work runs in the order of its submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stream(pub(super) usize);

/// A graph of recorded work, ready to start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Recorded(pub(super) usize);

/// A device that was opened: its context, and what it is.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub context: usize,
    pub stream: Stream,
    pub name: String,
    /// Compute capability, as in `sm_90`.
    pub capability: (u32, u32),
    pub multiprocessors: u32,
    pub memory: usize,
}

/// A call that failed: its name and what the library said, in the library's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub call: &'static str,
    pub said: String,
}

impl Failure {
    pub fn is_out_of_memory(&self) -> bool {
        self.said.contains("OUT_OF_MEMORY")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} said {}", self.call, self.said)
    }
}

pub(super) type Answer<T> = std::result::Result<T, Failure>;

/// What a compilation gave: the binary, and what the compiler had to say.
pub(super) struct Compiled {
    pub binary: Vec<u8>,
    #[cfg_attr(not(test), allow(dead_code, reason = "registers and spills, which tests look at"))]
    pub log: String,
}

/// How many blocks, of how many threads, with how much shared memory that is asked for at the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    pub blocks: [u32; 3],
    pub threads: [u32; 3],
    pub shared: u32,
}
