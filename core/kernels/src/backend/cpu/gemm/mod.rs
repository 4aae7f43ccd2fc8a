//! The matrix product: every `MatMul`, `BatchMatMul` and `Dense` on the CPU, and the products inside convolutions.
//! Callers ask [`work`] for scratch and chunks, hand those to the thread pool, and each chunk comes back to [`run`].
//!
//! A product is at most three phases, of which most products need one:
//!
//! 1. *bring*: copy an operand to rows of unit stride in scratch, or to panels as wide as a tile, where the kernel needs it or gains by it (or
//!    widen 16-bit floats);
//! 2. *multiply*: tiles of C, or partial sums over parts of k into scratch; whole sums of 16-bit floats are rounded from there at once;
//! 3. *finish*: add the partial sums, in order, and round them where they are to have 16 bits.
//!
//! Products of `bfloat16` on processors with a matrix unit are the exception: `amx` plans and computes them.
//!
//! `blocking` decides which, and `cuts` how each is cut, never from the number of threads. Only the route and cuts of k change results, and those follow from the
//! problem alone.

// Kernels index arrays of registers by row and column, which reads better than nested iterators.
#![allow(clippy::needless_range_loop)]

#[cfg(target_arch = "x86_64")]
mod amx;
mod block;
mod blocking;
mod cuts;
#[cfg(target_arch = "x86_64")]
mod dot;
mod integer;
#[cfg(target_arch = "x86_64")]
mod kernel;
mod multiply;
mod number;
mod pack;
mod pairs;
#[cfg(target_arch = "x86_64")]
mod panels;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod tile;
#[cfg(target_arch = "x86_64")]
mod transpose;

use super::isa::Isa;
use super::view::Work;
use crate::dtype::{DType, bf16, f16};
pub use block::{Blocked, Factor};
pub use blocking::FEW_ROWS;
use blocking::{Blocking, normal};

/// One product, or a batch of them: `C = A · B` with A of `m` by `k` and B of `k` by `n`.
///
/// Strides are in elements and may be zero or negative, except C's, whose columns are next to each other and whose
/// elements must not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatMul {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B; with none, C is zero.
    pub k: usize,
    /// From row to row of A.
    pub a_rs: isize,
    /// From column to column of A.
    pub a_cs: isize,
    /// From row to row of B.
    pub b_rs: isize,
    /// From column to column of B.
    pub b_cs: isize,
    /// From row to row of C.
    pub c_rs: isize,
    /// The number of products.
    pub batch: usize,
    /// From one A to the next; 0 if all share one.
    pub a_bs: isize,
    /// From one B to the next; 0 if all share one.
    pub b_bs: isize,
    /// From one C to the next.
    pub c_bs: isize,
}

impl MatMul {
    /// One product of matrices that lie dense, by rows.
    pub const fn dense(m: usize, k: usize, n: usize) -> Self {
        let (a_rs, b_rs, c_rs) = (k as isize, n as isize, n as isize);
        Self { m, n, k, a_rs, a_cs: 1, b_rs, b_cs: 1, c_rs, batch: 1, a_bs: 0, b_bs: 0, c_bs: 0 }
    }
}

/// The scratch and the chunks of a product: a function of its arguments and of the processor, the same at every call.
///
/// # Panics
///
/// If the dtype holds no numbers.
pub fn work(p: &MatMul, dtype: DType, isa: Isa) -> Work {
    #[cfg(target_arch = "x86_64")]
    if let Some(plan) = amx::Plan::new(p, dtype, isa) {
        return plan.work();
    }
    Blocking::new(p, dtype, isa).work()
}

/// Whether [`run`] can add something to the product on the way: single products of f32 and f64 with enough rows and columns,
/// and not too long sums.
pub fn can_add(p: &MatMul, dtype: DType, isa: Isa) -> bool {
    matches!(dtype, DType::F32 | DType::F64) && Blocking::new(p, dtype, isa).finishes_at_once()
}

/// What is added to the product: elements of C's type with C's shape and unit column stride, and the stride of its rows.
#[derive(Clone, Copy)]
pub struct Addend {
    /// The first element; null for nothing.
    pub data: *const u8,
    /// From row to row, in elements; 0 adds one row to all.
    pub row_stride: isize,
}

impl Addend {
    /// Nothing.
    pub const NONE: Self = Self { data: std::ptr::null(), row_stride: 0 };
}

/// Runs one chunk of one phase of a product.
///
/// # Safety
///
/// - `a`, `b` and `c` point to elements of type `dtype`, such that all elements which `p` describes are valid: those of
///   A and B for reads, those of C for writes. C overlaps neither A nor B.
/// - `scratch` has the bytes that [`work`] said for the same arguments, aligned to 64, and is the same for all chunks.
/// - `phase` and `chunk` are in the limits that [`work`] said. All chunks of the phases before are finished, each chunk
///   runs once, and between the first and the last nobody else touches C or the scratch, nor writes to A or B.
/// - The processor has the instructions of `isa`.
/// - `plus` is nothing, or [`can_add`] says so and it is valid for reads. It may be C itself, and else does not overlap it.
pub unsafe fn run(
    p: &MatMul,
    dtype: DType,
    isa: Isa,
    a: *const u8,
    b: *const u8,
    c: *mut u8,
    plus: Addend,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(plan) = amx::Plan::new(p, dtype, isa) {
        // SAFETY: the caller's promises; the plan was made for `bfloat16`, on a processor with the unit.
        return unsafe { plan.run::<amx::Amx>(a.cast(), b.cast(), c.cast(), scratch, phase, chunk) };
    }
    let plan = Blocking::new(p, dtype, isa);
    macro_rules! as_type {
        ($($name:ident => $t:ty),*) => {
            match dtype {
                // SAFETY: the caller's promises, with the dtype spelt out as a type.
                $(DType::$name => unsafe {
                    multiply::run::<$t>(&plan, a.cast(), b.cast(), c.cast(), (plus.data.cast(), plus.row_stride), scratch, phase, chunk)
                },)*
                DType::Bool | DType::C64 | DType::C128 | DType::Resource | DType::Variant | DType::String => no_numbers(dtype),
            }
        };
    }
    as_type!(F32 => f32, F64 => f64, F16 => f16, BF16 => bf16, I8 => i8, I16 => i16, I32 => i32, I64 => i64, U8 => u8,
        U16 => u16, U32 => u32, U64 => u64)
}

#[cold]
fn no_numbers(dtype: DType) -> ! {
    unreachable!("a matrix product of {dtype}, which the operation should have refused")
}
