//! What operations mean in the scalar language: programs and derivatives of element-wise ones, made once per thread and kept.
//! `execute` and plans ask for programs, tapes for derivatives; the language itself is `kernels::scalar`.

mod cache;
mod complex;
mod partial;

pub(crate) use cache::{Cache, Key};
pub(crate) use complex::{Join, Nothing, Parts, each_part, joined, on_parts, part_layout, parts};
pub(crate) use partial::{Derivatives, PartialInfo, derivatives};

use crate::op::Op;
use kernels::dtype::DType;
use kernels::scalar::{Program, Scalar, Val};
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    static PROGRAMS: RefCell<Cache<Rc<Program>>> = const { RefCell::new(Cache::new()) };
}

/// The program of an element-wise operation, from this thread's cache.
pub(crate) fn program_of(op: &dyn Op, dtypes: &[DType]) -> Rc<Program> {
    let Some(key) = Key::new(op, dtypes.iter().copied(), 0) else { return Rc::new(build(op, dtypes)) };
    if let Some(program) = PROGRAMS.with_borrow_mut(|programs| programs.get(&key)) {
        return program;
    }
    let program = Rc::new(build(op, dtypes));
    PROGRAMS.with_borrow_mut(|programs| programs.insert(key, program.clone()));
    program
}

/// Builds the program of an element-wise operation for inputs of the given dtypes.
pub(crate) fn build(op: &dyn Op, dtypes: &[DType]) -> Program {
    Program::of(&|s, xs| op.scalar(s, xs), dtypes, kernels::backend::cpu::vector::evaluate)
}

/// The result of an operation on values of storage dtypes, as its own program computes it.
pub(crate) fn apply(s: &Scalar, op: &dyn Op, operands: &[Val]) -> Val {
    s.apply(&|s, xs| op.scalar(s, xs), operands)
}
