//! `execute` to CUDA's own libraries: plain functions over addresses and handles that are numbers, with results.
//! The rest of the backend calls them; a build without the feature `cuda` has the same functions, which all refuse.

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod compiler;
#[cfg(feature = "cuda")]
mod direct;
#[cfg(feature = "cuda")]
mod graphs;
#[cfg(feature = "cuda")]
mod present;
#[cfg(feature = "cuda")]
mod products;

#[cfg(not(feature = "cuda"))]
pub(super) use absent::*;
#[cfg(feature = "cuda")]
pub(super) use compiler::*;
#[cfg(feature = "cuda")]
pub(super) use direct::Direct;
#[cfg(feature = "cuda")]
pub(super) use graphs::*;
#[cfg(feature = "cuda")]
pub(super) use present::*;
#[cfg(feature = "cuda")]
pub(super) use products::{open_products, plan_product, product, products_present};

use crate::dtype::DType;
use std::cell::Cell;
use std::fmt;

/// An address in the memory of a device.
pub(super) type Address = u64;

/// A loaded kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::backend) struct Function(pub(super) usize);

impl Function {
    /// Stands for a kernel that nobody launches.
    pub(super) const NONE: Self = Self(0);
}

/// A stream of a device, in which work runs in the order of its submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stream(pub(super) usize);

impl Stream {
    /// Takes work and forgets it: what is queued here never runs.
    pub const NOWHERE: Self = Self(usize::MAX);
}

thread_local! {
    static FORGOTTEN: Cell<usize> = const { Cell::new(0) };
}

/// How many pieces of work this thread has queued nowhere.
pub(super) fn forgotten() -> usize {
    FORGOTTEN.get()
}

/// Whether the stream is nowhere; then one more piece of work is forgotten.
#[cfg(feature = "cuda")]
#[inline]
fn forgets(stream: Stream) -> bool {
    let nowhere = stream == Stream::NOWHERE;
    if nowhere {
        FORGOTTEN.set(FORGOTTEN.get() + 1);
    }
    nowhere
}

/// A place in a stream that the host can wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Event(pub(super) usize);

/// A graph of recorded work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Graph(pub(super) usize);

/// A node of a graph that is being recorded, or was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node(pub(super) usize);

/// A graph inside a node of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Body(pub(super) usize);

/// What a node does with its bodies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conditional {
    /// Runs the first if its value is not 0, else the second, if there is one.
    If,
    /// Runs the only one as long as its value is not 0.
    While,
}

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
        ["OUT_OF_MEMORY", "ALLOC_FAILED"].iter().any(|name| self.said.contains(name))
    }

    /// Whether a library knows no way for what it was asked, so that another may be tried.
    pub fn is_refusal(&self) -> bool {
        ["NOT_SUPPORTED", "INVALID_VALUE", "ARCH_MISMATCH"].iter().any(|name| self.said.contains(name))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} said {}", self.call, self.said)
    }
}

pub(super) type Answer<T> = std::result::Result<T, Failure>;

/// How many blocks, of how many threads, with how much shared memory that is asked for at the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    pub blocks: [u32; 3],
    pub threads: [u32; 3],
    pub shared: u32,
}

/// A column-major matrix, or one per batch, as the library for products takes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Operand {
    pub rows: u64,
    pub columns: u64,
    /// From column to column, in elements.
    pub lead: i64,
    /// From batch to batch, in elements.
    pub batch_stride: i64,
    /// Whether the product takes it turned.
    pub transposed: bool,
    /// What its address is a multiple of, as a power of two.
    pub alignment: u32,
}

/// What is added to a product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Addend {
    None,
    /// A number for each row of the column-major result.
    Row,
    /// A matrix, over which the result may lie.
    Matrix {
        lead: i64,
    },
}

/// What a plan for products depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ProductShape {
    pub dtype: DType,
    /// Whether factors in `f32` may be rounded to TF32.
    pub fast: bool,
    pub batch: i32,
    pub left: Operand,
    pub right: Operand,
    pub out: Operand,
    pub addend: Addend,
    pub addend_alignment: u32,
}

/// How the library multiplies matrices of a shape: its handles as numbers, and its algorithm in its own words.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "no build without the feature makes one"))]
#[derive(Clone, Copy, Debug)]
pub(super) struct ProductPlan {
    pub description: usize,
    pub layouts: [usize; 4],
    pub algorithm: [u64; 8],
    pub shape: ProductShape,
}
