//! Attention by blocks: softmax(scale · Q Kᵀ + mask) V and its gradient without ever holding the scores of all pairs.
//! The attention operations hand their views over as an [`Attention`], and each chunk of work comes back to `forward` or `backward`.
//!
//! Forward, a block of queries walks over the blocks of keys and keeps, per query, the greatest score so far and the sum of the
//! exponentials below it (Milakov and Gimelshein 2018, Rabe and Staats 2021, Dao et al. 2022). What stays is the logarithm of that sum. Backward,
//! the scores of a block are computed again and give its probabilities at once. Scores lie with the queries side by side, so that maxima,
//! exponentials and sums run along whole vectors whatever the number of keys.

mod backward;
mod forward;
mod operand;
mod passes;
#[cfg(test)]
mod tests;

use super::gemm::Blocked;
use super::isa::Isa;
use super::philox::Philox;
use super::softmax_rows::Real;
use super::view::View;
use crate::dtype::DType;

pub use backward::{Gradients, backward, backward_work};
pub use forward::{forward, forward_work};

/// Queries of a block, side by side in vectors.
pub(super) const QUERIES: usize = 96;
/// Keys of a block.
pub(super) const KEYS: usize = 96;
/// The most chunks of one call: each has scratch memory of its own.
const MOST: usize = 64;
/// Multiply-adds that are worth a chunk.
const GRAIN: usize = 320 << 10;

/// The types that attention computes in.
pub trait Number: Real + Blocked {
    const NEVER: Self;
    fn of(x: f64) -> Self;
    fn of_single(x: f32) -> Self;
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        impl Number for $t {
            const NEVER: Self = $t::INFINITY;
            #[inline(always)]
            fn of(x: f64) -> Self { x as $t }
            #[inline(always)]
            fn of_single(x: f32) -> Self { x as $t }
        }
    )*};
}
numbers!(f32 f64);

/// The operands: queries `[.., heads, Tq, D]`, keys `[.., key heads, Tk, D]` and values `[.., key heads, Tk, Dv]` of any strides.
#[derive(Clone, Copy)]
pub struct Attention<'a> {
    pub query: &'a View,
    pub key: &'a View,
    pub value: &'a View,
    /// Truth values (true: the key is attended to) or numbers that are added to the scores, which broadcast to `[.., heads, Tq, Tk]`.
    pub mask: Option<&'a View>,
    /// Whether a query sees no key of a greater number.
    pub causal: bool,
    /// What scores are multiplied by; 1 / sqrt(D) unless told.
    pub scale: Option<f64>,
    /// The stream whose uniform numbers, one for each pair in row-major order, say which probabilities are dropped, and the rate.
    pub dropout: Option<(Philox, f64)>,
    pub isa: Isa,
}

/// The numbers that everything else follows from.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// Heads of queries, those of all batches, and how many of them share keys and values.
    heads: usize,
    group: usize,
    queries: usize,
    keys: usize,
    /// Elements of a query and of a value.
    depth: usize,
    width: usize,
}

impl Sizes {
    fn query_blocks(&self) -> usize {
        self.queries.div_ceil(QUERIES)
    }

    /// Multiply-adds of the two products.
    fn cost(&self) -> usize {
        (self.heads * self.queries).saturating_mul(self.keys).saturating_mul(self.depth + self.width)
    }
}

impl<'a> Attention<'a> {
    fn sizes(&self) -> Sizes {
        let [q, k, v] = [self.query, self.key, self.value].map(View::dims);
        let rank = q.len();
        let heads = q[..rank - 2].iter().product();
        let key_heads: usize = k[..rank - 2].iter().product();
        Sizes {
            heads,
            group: heads.checked_div(key_heads).unwrap_or(1),
            queries: q[rank - 2],
            keys: k[rank - 2],
            depth: q[rank - 1],
            width: v[rank - 1],
        }
    }

    fn scale(&self) -> f64 {
        self.scale.unwrap_or_else(|| 1.0 / (self.sizes().depth as f64).sqrt())
    }

    /// Where the matrix of a head of queries begins in an operand, in elements; `group` heads share one of keys and values.
    fn start(&self, view: &View, head: usize, group: usize) -> isize {
        let outer = &self.query.dims()[..self.query.rank() - 2];
        let (mut rest, mut at) = (head, 0);
        for (axis, &dim) in outer.iter().enumerate().rev() {
            let (next, mut index) = (rest / dim, rest % dim);
            if axis + 1 == outer.len() {
                index /= group;
            }
            // A mask may have fewer axes, or axes of size 1.
            if let Some(own) = (axis + view.rank()).checked_sub(self.query.rank())
                && view.dims()[own] != 1
            {
                at += index as isize * view.strides()[own];
            }
            rest = next;
        }
        at
    }

    /// What kernels compute in.
    pub fn compute(&self) -> DType {
        self.query.dtype.compute()
    }
}

/// How many chunks share work of this cost, of so many items at most.
fn chunks(cost: usize, items: usize) -> usize {
    (cost / GRAIN).clamp(1, MOST).min(items.max(1))
}

/// The parts of a chunk's scratch memory, one after the other, each from a whole cache line on.
struct Room {
    used: usize,
}

impl Room {
    /// The start of a further part of so many elements.
    fn take<T>(&mut self, base: *mut u8, elements: usize) -> *mut T {
        let at = base.wrapping_add(self.used);
        self.used += (elements * size_of::<T>()).next_multiple_of(64);
        at.cast()
    }
}
