//! The gradient of attention: scores of a block are computed again and turned into cotangents of queries, keys and values.
//! The gradient's operation asks [`backward_work`] for phases and scratch memory, and runs [`backward`] for each chunk.
//!
//! A chunk takes some of the blocks of queries that share keys and values. Their own cotangents are finished there; those of keys and values
//! are sums over all chunks of the head, which lie apart and are added up in a second phase, in order.

use super::operand::{Matrix, write};
use super::passes::{Block, hide, kept, probabilities, slopes};
use super::{Attention, KEYS, MOST, Number, QUERIES, Room, Sizes};
use crate::backend::cpu::gemm::Factor;
use crate::backend::cpu::view::{View, Work, part};
use crate::dtype::DType;

/// The results of the way forth and their cotangent, of any strides, and the dense cotangents to write.
#[derive(Clone, Copy)]
pub struct Gradients<'a> {
    pub out: &'a View,
    pub logs: &'a View,
    pub owed: &'a View,
    pub query: &'a View,
    pub key: &'a View,
    pub value: &'a View,
}

/// The most chunks of one head: each has sums of all its keys and values.
const SHARES: usize = 8;
/// Rows of keys that one chunk of the last phase adds up.
const ROWS: usize = 256;

/// The memory of a chunk.
struct Memory<T> {
    /// Scaled queries and cotangents of results: by rows, and by columns as the tiles read them.
    query: [*mut T; 2],
    owed: [*mut T; 2],
    out: *mut T,
    /// `[keys][queries]`: probabilities, those that are not dropped, cotangents, factors of what is dropped.
    probabilities: *mut T,
    kept: *mut T,
    slopes: *mut T,
    factors: *mut T,
    noise: *mut f32,
    /// Cotangents of the queries.
    sums: *mut T,
    /// Logarithms, and the sums of results times their cotangents.
    logs: *mut T,
    deltas: *mut T,
    key: *mut T,
    value: *mut T,
}

impl<T: Number> Memory<T> {
    fn new(p: &Attention<'_>, sizes: &Sizes, base: *mut u8) -> (Self, usize) {
        let mut room = Room { used: 0 };
        let moved = |view: &View| if Matrix::of_rows(view, 0).must_move() { KEYS } else { 0 };
        let drops = if p.dropout.is_some() { KEYS } else { 0 };
        let memory = Self {
            query: std::array::from_fn(|_| room.take(base, QUERIES * sizes.depth)),
            owed: std::array::from_fn(|_| room.take(base, QUERIES * sizes.width)),
            out: room.take(base, QUERIES * sizes.width),
            probabilities: room.take(base, QUERIES * KEYS),
            kept: room.take(base, QUERIES * drops),
            slopes: room.take(base, QUERIES * KEYS),
            factors: room.take(base, QUERIES * drops),
            noise: room.take(base, drops),
            sums: room.take(base, QUERIES * sizes.depth),
            logs: room.take(base, QUERIES),
            deltas: room.take(base, QUERIES),
            key: room.take(base, moved(p.key) * sizes.depth),
            value: room.take(base, moved(p.value) * sizes.width),
        };
        (memory, room.used)
    }
}

/// How the work is cut.
struct Cut {
    /// Heads of keys, and chunks of each.
    heads: usize,
    shares: usize,
    /// Bytes of a chunk's memory, and of its sums of keys and values.
    bytes: usize,
    sums: usize,
}

impl Cut {
    fn new(p: &Attention<'_>, sizes: &Sizes) -> Self {
        let heads = sizes.heads / sizes.group;
        let items = sizes.group * sizes.query_blocks();
        let worth = (sizes.cost() / super::GRAIN).clamp(1, MOST / 2);
        let shares = worth.div_ceil(heads.max(1)).min(SHARES).min(items).max(1);
        let wide = p.compute() == DType::F64;
        let bytes = match wide {
            true => Memory::<f64>::new(p, sizes, std::ptr::null_mut()).1,
            false => Memory::<f32>::new(p, sizes, std::ptr::null_mut()).1,
        };
        // Alone, and in the type that is computed in, sums are the result.
        let apart = shares > 1 || p.key.dtype != p.compute();
        let sums = sizes.keys * (sizes.depth + sizes.width) * p.compute().size();
        Self { heads, shares, bytes, sums: if apart { sums.next_multiple_of(64) } else { 0 } }
    }

    /// Heads that one chunk of the first phase takes, one after the other.
    fn chunks(&self) -> usize {
        (self.heads * self.shares).clamp(1, MOST)
    }

    fn pieces(&self, sizes: &Sizes) -> usize {
        if self.sums == 0 { 0 } else { self.heads * sizes.keys.div_ceil(ROWS) }
    }
}

/// Phases and scratch memory of [`backward`].
pub fn backward_work(p: &Attention<'_>) -> Work {
    let sizes = p.sizes();
    let cut = Cut::new(p, &sizes);
    let scratch = cut.chunks() * cut.bytes + cut.heads * cut.shares * cut.sums;
    Work { scratch, phases: [cut.chunks(), cut.pieces(&sizes), 0, 0, 0] }
}

/// Runs a chunk of a phase.
///
/// # Safety
/// The views are valid and of sizes that fit, what is written is nobody else's, and phases, chunks and scratch memory are those of
/// [`backward_work`].
pub unsafe fn backward(p: &Attention<'_>, g: &Gradients<'_>, scratch: *mut u8, phase: usize, chunk: usize) {
    // SAFETY: by the caller's promise.
    unsafe {
        match p.compute() {
            DType::F64 => run::<f64>(p, g, scratch, phase, chunk, |v| v as f32),
            _ => run::<f32>(p, g, scratch, phase, chunk, |v| v),
        }
    }
}

unsafe fn run<T: Number>(
    p: &Attention<'_>,
    g: &Gradients<'_>,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
    narrow: impl Fn(T) -> f32 + Copy,
) {
    let sizes = p.sizes();
    let cut = Cut::new(p, &sizes);
    let sums = |item: usize| scratch.wrapping_add(cut.chunks() * cut.bytes + item * cut.sums).cast::<T>();
    if phase == 1 {
        // SAFETY: by the caller's promise.
        return unsafe { finish(g, &sizes, &cut, chunk, sums, narrow) };
    }
    let (memory, _) = Memory::<T>::new(p, &sizes, scratch.wrapping_add(chunk * cut.bytes));
    for item in part(cut.heads * cut.shares, chunk, cut.chunks(), 1) {
        let (head, share) = (item / cut.shares, item % cut.shares);
        let [keys, values] = if cut.sums == 0 {
            let own = |view: &View, size: usize| view.ptr.cast::<T>().wrapping_add(head * sizes.keys * size);
            [own(g.key, sizes.depth), own(g.value, sizes.width)]
        } else {
            [sums(item), sums(item).wrapping_add(sizes.keys * sizes.depth)]
        };
        // SAFETY: the sums are this item's own.
        unsafe {
            std::slice::from_raw_parts_mut(keys, sizes.keys * sizes.depth).fill(T::ZERO);
            std::slice::from_raw_parts_mut(values, sizes.keys * sizes.width).fill(T::ZERO);
            let blocks = sizes.query_blocks();
            // Shares take turns: with a causal mask later blocks have more to do.
            for turn in (share..sizes.group * blocks).step_by(cut.shares) {
                let (head, first) = (head * sizes.group + turn / blocks, turn % blocks * QUERIES);
                block(p, g, &sizes, &memory, head, first, keys, values, narrow);
            }
        }
    }
}

/// The cotangents of one block of queries, and what it adds to those of keys and values.
///
/// # Safety
/// As [`backward`]; the memory and the sums are this chunk's own.
unsafe fn block<T: Number>(
    p: &Attention<'_>,
    g: &Gradients<'_>,
    sizes: &Sizes,
    memory: &Memory<T>,
    head: usize,
    first: usize,
    keys: *mut T,
    values: *mut T,
    narrow: impl Fn(T) -> f32 + Copy,
) {
    let (depth, width, scale) = (sizes.depth, sizes.width, T::of(p.scale()));
    let queries = first..(first + QUERIES).min(sizes.queries);
    let n = queries.len();
    let of = |view: &View, group: usize| Matrix::of_rows(view, p.start(view, head, group));
    let (key, value) = (of(p.key, sizes.group), of(p.value, sizes.group));
    let mask = p.mask.map(|mask| Matrix::new(mask, p.start(mask, head, 1)));
    let rows = |at: *mut T, width: usize| Factor { at: at.cast_const(), rows: width as isize, columns: 1 };
    // SAFETY: all blocks lie in their operands, and in the parts of this chunk's memory that were made for them.
    unsafe {
        let slice = |at: *mut T, len: usize| std::slice::from_raw_parts_mut(at, len);
        of(p.query, 1).copy(first, [n, depth], scale, memory.query[0]);
        T::transpose(p.isa, [n, depth], memory.query[0], memory.query[1]);
        of(g.owed, 1).copy(first, [n, width], T::ONE, memory.owed[0]);
        T::transpose(p.isa, [n, width], memory.owed[0], memory.owed[1]);
        of(g.out, 1).copy(first, [n, width], T::ONE, memory.out);
        let (logs, deltas) = (slice(memory.logs, n), slice(memory.deltas, n));
        let saved = g.logs.ptr.cast::<T>().add(head * sizes.queries + first);
        logs.copy_from_slice(std::slice::from_raw_parts(saved, n));
        for (i, delta) in deltas.iter_mut().enumerate() {
            let (out, owed) = (slice(memory.out.add(i * width), width), slice(memory.owed[0].add(i * width), width));
            *delta = out.iter().zip(owed).fold(T::ZERO, |sum, (a, b)| sum + *a * *b);
        }
        slice(memory.sums, n * depth).fill(T::ZERO);
        let seen = if p.causal { sizes.keys.min(queries.end) } else { sizes.keys };
        for from in (0..seen).step_by(KEYS) {
            let block = Block { queries: queries.clone(), keys: from..(from + KEYS).min(sizes.keys) };
            let m = block.keys.len();
            let k = key.block(from, [m, depth], memory.key);
            let v = value.block(from, [m, width], memory.value);
            T::product(p.isa, [m, n, depth], k, rows(memory.query[1], n), memory.probabilities, n, false);
            T::product(p.isa, [m, n, width], v, rows(memory.owed[1], n), memory.slopes, n, false);
            let chances = slice(memory.probabilities, m * n);
            hide(p, mask.as_ref(), &block, chances);
            probabilities(p.isa, chances, logs);
            let owing = slice(memory.slopes, m * n);
            let mut used = memory.probabilities;
            if p.dropout.is_some() {
                let factors = slice(memory.factors, m * n);
                let noise = std::slice::from_raw_parts_mut(memory.noise, m);
                kept(p, head, [sizes.queries, sizes.keys], &block, noise, factors);
                used = memory.kept;
                for (i, factor) in factors.iter().enumerate() {
                    *used.add(i) = chances[i] * *factor;
                    owing[i] = owing[i] * *factor;
                }
            }
            T::product(
                p.isa,
                [m, width, n],
                rows(used, n),
                rows(memory.owed[0], width),
                values.add(from * width),
                width,
                true,
            );
            slopes(p.isa, chances, deltas, owing);
            let slope = rows(memory.slopes, n);
            T::product(p.isa, [m, depth, n], slope, rows(memory.query[0], depth), keys.add(from * depth), depth, true);
            T::product(p.isa, [n, depth, m], slope.t(), k, memory.sums, depth, true);
        }
        let place = (head * sizes.queries + first) * depth;
        write(slice(memory.sums, n * depth), scale, g.query, place, narrow);
    }
}

/// Adds up the sums of some rows of keys and values, and rounds them.
///
/// # Safety
/// As [`backward`], once the first phase is over.
unsafe fn finish<T: Number>(
    g: &Gradients<'_>,
    sizes: &Sizes,
    cut: &Cut,
    chunk: usize,
    sums: impl Fn(usize) -> *mut T,
    narrow: impl Fn(T) -> f32 + Copy,
) {
    let pieces = sizes.keys.div_ceil(ROWS);
    let (head, first) = (chunk / pieces, chunk % pieces * ROWS);
    let rows = ROWS.min(sizes.keys - first);
    for (before, width, to) in [(0, sizes.depth, g.key), (sizes.keys * sizes.depth, sizes.width, g.value)] {
        let part = |share: usize| sums(head * cut.shares + share).wrapping_add(before + first * width);
        // SAFETY: the rows are this chunk's own in all sums and in the output.
        unsafe {
            let all = std::slice::from_raw_parts_mut(part(0), rows * width);
            for share in 1..cut.shares {
                let more = std::slice::from_raw_parts(part(share), rows * width);
                all.iter_mut().zip(more).for_each(|(sum, more)| *sum = *sum + *more);
            }
            write(all, T::ONE, to, (head * sizes.keys + first) * width, narrow);
        }
    }
}
