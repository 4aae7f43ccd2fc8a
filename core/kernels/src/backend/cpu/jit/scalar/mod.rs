//! Machine code for loops over numbers, one number at a time: values that are carried from round to round stay in
//! registers. The engine's scalar loops ask [`LoopCode::new`] and keep their bytecode machine where it answers `None`; both
//! give the same bits.
//!
//! The code runs on the bytecode machine's own array, in which every register has its home, so that lines without
//! instructions of their own are left to the caller's step.

mod alive;
mod calls;
mod classes;
mod emit;
mod floats;
mod integers;
mod moves;
mod ops;
mod registers;
#[cfg(test)]
mod tests;
mod uses;

use super::memory::Executable;
use super::target::Target;
use crate::backend::cpu::Isa;
pub use ops::{
    Binary, Comparison, Division, Function, Line, Logic, Number, Op, Request, Touched, Unary, WORDS_OF_LIST,
};

/// What the caller does for a line; whether it faulted. The context is the one that the code was run with. The convention
/// is the system's, which is System V's wherever there is code.
pub type Step = unsafe extern "C" fn(context: *mut Context, line: u64) -> bool;

/// What the code calls back; the first field of the caller's own structure.
#[repr(C)]
pub struct Context {
    pub step: Step,
}

/// `(words, context)`: the number of the line that faulted, or [`DONE`].
type Entry = unsafe extern "sysv64" fn(*mut u64, *mut Context) -> u64;

const DONE: u64 = u64::MAX;

/// A loop as machine code.
pub struct LoopCode(Executable);

/// Lines beyond which offsets would not fit their instructions.
const MOST_LINES: usize = 1 << 20;

impl LoopCode {
    /// The code of a loop; `None` where this processor or system has none.
    pub fn new(request: &Request<'_>, isa: Isa) -> Option<Self> {
        Target::of(isa).filter(|_| super::wanted())?;
        if request.lines.len() > MOST_LINES {
            return None;
        }
        Executable::new(&emit::emit(request)).map(Self)
    }

    /// Runs the code.
    ///
    /// # Errors
    /// The number of the line that faulted.
    ///
    /// # Safety
    /// `words` has as many words as the request says, and the values that its lines read. Of each list with rows, its
    /// three are the end of its rows, of its memory and the start; they hold between steps, which keep them so.
    /// Vector loops that are called are alive.
    pub unsafe fn run(&self, words: *mut u64, context: *mut Context) -> Result<(), usize> {
        // SAFETY: the bytes were written as a function of this type.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(self.0.start()) };
        // SAFETY: by the caller's promise.
        match unsafe { entry(words, context) } {
            DONE => Ok(()),
            line => Err(line as usize),
        }
    }
}
