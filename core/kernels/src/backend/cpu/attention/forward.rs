//! Attention itself: each chunk of work takes some blocks of queries past all their keys.
//! The operation asks [`forward_work`] for chunks and scratch memory, and runs [`forward`] for each.

use super::operand::{Matrix, write};
use super::passes::{Block, Running, hide, kept, online, shrunk};
use super::{Attention, KEYS, Number, QUERIES, Room, Sizes, chunks};
use crate::backend::cpu::gemm::Factor;
use crate::backend::cpu::view::{View, Work, part};
use crate::dtype::DType;

/// From so few queries on, scores are dot products of keys with queries: tiles would be nearly empty.
const FEW: usize = 4;

/// The memory of a chunk.
struct Memory<T> {
    /// Queries of the block, scaled: by rows, and by columns as the tiles read them.
    rows: *mut T,
    columns: *mut T,
    /// Scores `[keys][queries]`.
    scores: *mut T,
    factors: *mut T,
    noise: *mut f32,
    /// Sums `[queries][width]` of values.
    sums: *mut T,
    /// Greatest scores, sums of exponentials, factors of older sums.
    known: [*mut T; 3],
    key: *mut T,
    value: *mut T,
}

impl<T: Number> Memory<T> {
    /// The parts, and the bytes of all.
    fn new(p: &Attention<'_>, sizes: &Sizes, base: *mut u8) -> (Self, usize) {
        let mut room = Room { used: 0 };
        let moved = |view: &View| if Matrix::of_rows(view, 0).must_move() { KEYS } else { 0 };
        let drops = if p.dropout.is_some() { KEYS } else { 0 };
        let memory = Self {
            rows: room.take(base, QUERIES * sizes.depth),
            columns: room.take(base, QUERIES * sizes.depth),
            scores: room.take(base, QUERIES * KEYS),
            factors: room.take(base, QUERIES * drops),
            noise: room.take(base, drops),
            sums: room.take(base, QUERIES * sizes.width),
            known: std::array::from_fn(|_| room.take(base, QUERIES)),
            key: room.take(base, moved(p.key) * sizes.depth),
            value: room.take(base, moved(p.value) * sizes.width),
        };
        (memory, room.used)
    }
}

fn bytes(p: &Attention<'_>, sizes: &Sizes) -> usize {
    match p.compute() {
        DType::F64 => Memory::<f64>::new(p, sizes, std::ptr::null_mut()).1,
        _ => Memory::<f32>::new(p, sizes, std::ptr::null_mut()).1,
    }
}

fn count(sizes: &Sizes) -> usize {
    chunks(sizes.cost(), sizes.heads * sizes.query_blocks())
}

/// Chunks and scratch memory of [`forward`].
pub fn forward_work(p: &Attention<'_>) -> Work {
    let sizes = p.sizes();
    let chunks = count(&sizes);
    Work { scratch: chunks * bytes(p, &sizes), ..Work::chunks(chunks) }
}

/// Runs a chunk: writes results `[.., heads, Tq, Dv]` in the queries' type, and the logarithm of each query's sum of exponentials
/// `[.., heads, Tq]` in the type that is computed in, both dense. A query that sees no key gets zeros, and infinity for the logarithm.
///
/// # Safety
/// The views are valid and of sizes that fit, outputs are nobody else's, and chunks and scratch memory are those of [`forward_work`].
pub unsafe fn forward(p: &Attention<'_>, out: &View, logs: &View, scratch: *mut u8, chunk: usize) {
    // SAFETY: by the caller's promise; the type is the one that the views' is computed in.
    unsafe {
        match p.compute() {
            DType::F64 => run::<f64>(p, out, logs, scratch, chunk, |v| v as f32),
            _ => run::<f32>(p, out, logs, scratch, chunk, |v| v),
        }
    }
}

unsafe fn run<T: Number>(
    p: &Attention<'_>,
    out: &View,
    logs: &View,
    scratch: *mut u8,
    chunk: usize,
    narrow: impl Fn(T) -> f32 + Copy,
) {
    let sizes = p.sizes();
    let (blocks, scale) = (sizes.query_blocks(), T::of(p.scale()));
    let (memory, _) = Memory::<T>::new(p, &sizes, scratch.wrapping_add(chunk * bytes(p, &sizes)));
    for item in part(sizes.heads * blocks, chunk, count(&sizes), 1) {
        let (head, first) = (item / blocks, item % blocks * QUERIES);
        let queries = first..(first + QUERIES).min(sizes.queries);
        let n = queries.len();
        let (depth, width) = (sizes.depth, sizes.width);
        let query = Matrix::of_rows(p.query, p.start(p.query, head, 1));
        let key = Matrix::of_rows(p.key, p.start(p.key, head, sizes.group));
        let value = Matrix::of_rows(p.value, p.start(p.value, head, sizes.group));
        let mask = p.mask.map(|mask| Matrix::new(mask, p.start(mask, head, 1)));
        // SAFETY: all blocks lie in their operands, and in the parts of this chunk's memory that were made for them.
        unsafe {
            query.copy(first, [n, depth], scale, memory.rows);
            let across = if n > FEW {
                T::transpose(p.isa, [n, depth], memory.rows, memory.columns);
                Factor { at: memory.columns.cast_const(), rows: n as isize, columns: 1 }
            } else {
                Factor { at: memory.rows.cast_const(), rows: 1, columns: depth as isize }
            };
            let slice = |at: *mut T, len: usize| std::slice::from_raw_parts_mut(at, len);
            let [top, sum, shrink] = memory.known.map(|at| slice(at, n));
            let mut running = Running { top, sum, shrink };
            running.top.fill(T::LOWEST);
            running.sum.fill(T::ZERO);
            let seen = if p.causal { sizes.keys.min(queries.end) } else { sizes.keys };
            if seen == 0 {
                slice(memory.sums, n * width).fill(T::ZERO);
            }
            for from in (0..seen).step_by(KEYS) {
                let block = Block { queries: queries.clone(), keys: from..(from + KEYS).min(sizes.keys) };
                let m = block.keys.len();
                let k = key.block(from, [m, depth], memory.key);
                T::product(p.isa, [m, n, depth], k, across, memory.scores, n, false);
                let scores = slice(memory.scores, m * n);
                hide(p, mask.as_ref(), &block, scores);
                online(p.isa, scores, &mut running);
                if p.dropout.is_some() {
                    let factors = slice(memory.factors, m * n);
                    let noise = std::slice::from_raw_parts_mut(memory.noise, m);
                    kept(p, head, [sizes.queries, sizes.keys], &block, noise, factors);
                    scores.iter_mut().zip(factors).for_each(|(score, factor)| *score = *score * *factor);
                }
                // The first block writes its sums; later ones add to what is there.
                let more = from > 0;
                if more {
                    shrunk(p.isa, slice(memory.sums, n * width), running.shrink, width);
                }
                let across = Factor { at: memory.scores.cast_const(), rows: 1, columns: n as isize };
                let v = value.block(from, [m, width], memory.value);
                T::product(p.isa, [n, width, m], across, v, memory.sums, width, more);
            }
            let place = head * sizes.queries + first;
            let logs = slice(logs.ptr.cast::<T>().add(place), n);
            for (i, log) in logs.iter_mut().enumerate() {
                let sum = running.sum[i];
                let hidden = running.top[i] == T::LOWEST;
                *log = if hidden { T::NEVER } else { running.top[i] + sum.log() };
                let scale = if hidden { T::ZERO } else { T::ONE / sum };
                write(slice(memory.sums.add(i * width), width), scale, out, (place + i) * width, narrow);
            }
        }
    }
}
