//! What stands for the machine code of loops over numbers where none can be made: other processors and systems, and Miri.
//! The engine's scalar loops ask as they do elsewhere and keep their bytecode machine.

#[path = "ops.rs"]
mod ops;

use crate::backend::cpu::Isa;
pub use ops::{
    Binary, Comparison, Division, Function, Line, Logic, Number, Op, Request, Touched, Unary, WORDS_OF_LIST,
};

/// What the caller does for a line.
pub type Step = unsafe extern "C" fn(context: *mut Context, line: u64) -> bool;

/// What code would call back.
#[repr(C)]
pub struct Context {
    pub step: Step,
}

/// A loop as machine code, of which there is none here.
pub enum LoopCode {}

impl LoopCode {
    /// Never.
    pub fn new(_: &Request<'_>, _: Isa) -> Option<Self> {
        None
    }

    /// # Errors
    /// None.
    ///
    /// # Safety
    /// None: there is nothing to run.
    pub unsafe fn run(&self, _: *mut u64, _: *mut Context) -> Result<(), usize> {
        match *self {}
    }
}
