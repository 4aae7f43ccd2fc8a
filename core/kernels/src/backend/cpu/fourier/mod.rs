//! Discrete Fourier transforms along axes of strided tensors: one pass over all lines of each axis, spread over the threads.
//! The operation of the engine says what it wants in a [`Transform`]; real and imaginary parts are tensors of their own.

mod lines;
mod passes;
mod plans;
#[cfg(test)]
mod tests;

use super::{CpuCall, PHASES, Work};
use crate::dtype::DType;
use crate::error::Result;
use smallvec::SmallVec;

/// The most axes of one call: each is a phase of its own.
pub const MOST_AXES: usize = PHASES;

/// Which numbers are complex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Half {
    /// Operand and result.
    Neither,
    /// The result, of which the last axis has the first half of the spectrum: `length / 2 + 1` numbers.
    Result,
    /// The operand, which is such a half.
    Operand,
}

/// What all results are divided by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Divided {
    /// Nothing.
    Never,
    /// The number of points.
    ByCount,
    /// The square root of the number of points.
    ByRoot,
}

/// A transform along some axes. The operand is cut, or filled up with zeros, to the lengths, and the transform to the sizes of the
/// result; so the adjoint of each transform is one too.
#[derive(Clone, Debug)]
pub struct Transform {
    /// Axes and how many points there are along each; the last of them is the one that may be half.
    pub along: SmallVec<[(usize, usize); MOST_AXES]>,
    /// Whether exponents are positive; for [`Half::Operand`] they are, for [`Half::Result`] they are not.
    pub inverse: bool,
    pub half: Half,
    /// Whether numbers of a half count twice that stand for one in the other half too.
    pub twice: bool,
    pub divided: Divided,
}

/// Scratch memory and chunks of a call; depends on shapes alone.
pub fn work(transform: &Transform, call: &CpuCall<'_>) -> Work {
    match call.outputs[0].dtype {
        DType::F32 => passes::work::<f32>(transform, call),
        _ => passes::work::<f64>(transform, call),
    }
}

/// One chunk of the work.
///
/// # Safety
/// The views are valid, `float32` or `float64`: an operand of one part or two, a result of one or two, as `half` says, of one rank and
/// with the same sizes of all other axes. Outputs are dense and nobody else's, and phases, chunks and scratch memory are those of [`work`].
pub unsafe fn run(transform: &Transform, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
    // SAFETY: the same contract.
    unsafe {
        match call.outputs[0].dtype {
            DType::F32 => passes::run::<f32>(transform, call, phase, chunk),
            _ => passes::run::<f64>(transform, call, phase, chunk),
        }
    }
}
