//! What stands for the machine code of fused programs where none can be made: other processors and systems, and Miri.
//! Fused loops of plans ask as they do elsewhere and keep their tile loops.

#[path = "scalar/none.rs"]
pub mod scalar;

use super::Isa;
use super::reduce::Monoid;
use crate::dtype::DType;
use crate::scalar::Sequence;

/// A program as machine code, of which there is none here.
pub enum Machine {}

/// How an input of a program comes.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "written by fused loops, read where machine code is made")]
pub struct Input {
    pub dtype: DType,
    pub scalar: bool,
}

/// What a program works on.
#[allow(dead_code, reason = "as above")]
pub struct Operands<'a> {
    pub inputs: &'a [Input],
    pub outputs: &'a [DType],
    pub folds: &'a [(Monoid, DType)],
    pub lanes: bool,
}

impl Machine {
    /// Never.
    pub fn new(_: &Sequence, _: &Operands<'_>, _: Isa) -> Option<Self> {
        None
    }

    /// Whether folds are combined in lanes.
    pub fn lanes(&self) -> bool {
        match *self {}
    }

    /// # Safety
    /// None: there is nothing to run.
    pub unsafe fn run(&self, _: *const *mut u8, _: usize, _: *mut u8) {
        match *self {}
    }
}
