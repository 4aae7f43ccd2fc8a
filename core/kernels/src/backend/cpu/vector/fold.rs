//! The inner loops of reductions: one row into an accumulator, or rows of columns into a row of accumulators.
//! `backend/cpu/reduce.rs` walks the outer dimensions and calls these through a table per monoid and dtype.

mod columns;
mod item;
mod short;
mod turned;

use super::number::{Number, Truth};
use crate::backend::cpu::Isa;
use crate::backend::cpu::reduce::Monoid;
use crate::dtype::DType;
use item::{AllOf, AnyOf, Brain, Combine, Extremes, Half, Item, MaxOf, MinOf, ProdOf, SumOf};
use std::ops::Range;

/// `(len, stride, columns, from, acc)`: folds `len` rows of `columns` neighbouring elements, `stride` apart.
pub type RowLoop = unsafe fn(usize, isize, usize, *const u8, *mut u8);

/// `(len, stride, columns, across, from, acc)`: as a [`RowLoop`] for elements that lie `across` from each other.
type ApartLoop = unsafe fn(usize, isize, usize, isize, *const u8, *mut u8);

/// `(len, stride, rows, pitch, from, acc)`: folds each of `rows` rows, `pitch` apart, of `len` elements, `stride` apart or [`WIDE`] and more that
/// are neighbours, into an accumulator of its own.
pub type ShortLoop = unsafe fn(usize, isize, usize, isize, *const u8, *mut u8);

/// `(first, len, stride, columns, from, lanes)`: adds rows of neighbouring outputs to their lanes, [`WIDE`] for each output.
type TurnedLoop = unsafe fn(usize, usize, isize, usize, *const u8, *mut u8);

/// `([len, columns, groups], [stride, pitch], from, acc)`: as a [`RowLoop`] for each of several groups of fewer than 16 columns.
type GroupsLoop = unsafe fn([usize; 3], [isize; 2], *const u8, *mut u8);

/// The loops of one monoid for one dtype.
#[derive(Clone, Copy)]
pub struct Fold {
    /// Writes the identity to `n` accumulators.
    pub start: unsafe fn(usize, *mut u8),
    /// `(len, _, _, from, acc)`: folds a dense row into one accumulator.
    pub row: RowLoop,
    /// Folds many rows, each in the order of `row`.
    pub short: ShortLoop,
    /// `(len, _, _, from, lanes)`: folds a part of a dense row into [`WIDE`] lanes; all parts but the last are multiples of it.
    pub lanes: RowLoop,
    /// Folds the lanes of a row into one accumulator, as `row` does at the end of a long row.
    pub join: unsafe fn(*const u8, *mut u8),
    /// As `lanes` for columns side by side: the lanes of one number lie side by side too.
    pub turned: TurnedLoop,
    /// `(columns, lanes, acc)`: as `join` for what `turned` has made; changes the lanes.
    pub join_turned: unsafe fn(usize, *mut u8, *mut u8),
    /// Folds rows into as many accumulators as there are columns.
    pub columns: RowLoop,
    /// As `columns` for several groups, whose accumulators follow each other.
    pub groups: GroupsLoop,
    /// As `columns`, in the same order, for columns that are not neighbours.
    pub apart: ApartLoop,
    /// `(range, outputs, blocks, partial results, divisor, out)`: combines the blocks in order and stores the outputs of
    /// the range.
    pub finish: unsafe fn(Range<usize>, usize, usize, *const u8, Option<usize>, *mut u8),
}

/// Accumulators of a dense row: enough independent chains to hide the latency of an addition.
pub const WIDE: usize = 64;

unsafe fn start<I: Item, C: Combine<I::Acc>>(n: usize, acc: *mut u8) {
    for i in 0..n {
        // SAFETY: the caller gives room for n accumulators.
        unsafe { acc.cast::<I::Acc>().add(i).write(C::identity()) };
    }
}

#[inline(always)]
unsafe fn row_body<I: Item, C: Combine<I::Acc>>(len: usize, from: *const u8, acc: *mut u8) {
    // SAFETY: the caller gives `len` elements and one accumulator.
    unsafe {
        let acc = acc.cast::<I::Acc>();
        let items = std::slice::from_raw_parts(from.cast::<I>(), len);
        let mut total = *acc;
        if len < WIDE {
            total = C::combine(total, short::row::<I, C>(items));
        } else {
            let mut lanes = [C::identity(); WIDE];
            let (blocks, tail) = items.as_chunks::<WIDE>();
            for block in blocks {
                for (lane, item) in lanes.iter_mut().zip(block) {
                    *lane = C::combine(*lane, item.load());
                }
            }
            last::<I, C>(&mut lanes, tail);
            // Halving keeps the additions balanced, hence accurate.
            let mut width = WIDE / 2;
            while width > 0 {
                for i in 0..width {
                    lanes[i] = C::combine(lanes[i], lanes[i + width]);
                }
                width /= 2;
            }
            total = C::combine(total, lanes[0]);
        }
        *acc = total;
    }
}

/// Fewer than [`WIDE`] elements into the first lanes, in parts at places that the compiler knows, so that lanes stay in registers. What is missing of
/// the last part is the identity, which changes no lane.
#[inline(always)]
fn last<I: Item, C: Combine<I::Acc>>(lanes: &mut [I::Acc; WIDE], tail: &[I]) {
    if tail.is_empty() {
        return;
    }
    let (parts, rest) = tail.as_chunks::<8>();
    let mut end = [C::identity(); 8];
    for (to, item) in end.iter_mut().zip(rest) {
        *to = item.load();
    }
    for at in 0..WIDE / 8 {
        let part = match parts.get(at) {
            Some(part) => part.map(I::load),
            None if at == parts.len() => end,
            None => break,
        };
        for (lane, item) in lanes[at * 8..at * 8 + 8].iter_mut().zip(part) {
            *lane = C::combine(*lane, item);
        }
    }
}

#[inline(always)]
unsafe fn lanes_body<I: Item, C: Combine<I::Acc>>(len: usize, from: *const u8, lanes: *mut u8) {
    // SAFETY: the caller gives `len` elements and WIDE accumulators.
    unsafe {
        let items = std::slice::from_raw_parts(from.cast::<I>(), len);
        let mut lanes_now: [I::Acc; WIDE] = *lanes.cast();
        let (blocks, tail) = items.as_chunks::<WIDE>();
        for block in blocks {
            for (lane, item) in lanes_now.iter_mut().zip(block) {
                *lane = C::combine(*lane, item.load());
            }
        }
        last::<I, C>(&mut lanes_now, tail);
        *lanes.cast() = lanes_now;
    }
}

unsafe fn join<I: Item, C: Combine<I::Acc>>(lanes: *const u8, acc: *mut u8) {
    // SAFETY: the caller gives WIDE lanes and one accumulator.
    unsafe {
        let mut lanes: [I::Acc; WIDE] = *lanes.cast();
        let mut width = WIDE / 2;
        while width > 0 {
            for i in 0..width {
                lanes[i] = C::combine(lanes[i], lanes[i + width]);
            }
            width /= 2;
        }
        let acc = acc.cast::<I::Acc>();
        *acc = C::combine(*acc, lanes[0]);
    }
}

#[inline(always)]
unsafe fn finish_body<I: Item, C: Combine<I::Acc>>(
    range: Range<usize>,
    outputs: usize,
    blocks: usize,
    partials: *const u8,
    divisor: Option<usize>,
    out: *mut u8,
) {
    // SAFETY: the caller gives `blocks` rows of `outputs` accumulators and room for the outputs.
    unsafe {
        let (partials, out) = (partials.cast::<I::Acc>(), out.cast::<I>());
        if (blocks, divisor) == (1, None) {
            // Without a loop in it, which hinders vectors.
            for i in range {
                out.add(i).write(I::store(*partials.add(i)));
            }
            return;
        }
        for i in range {
            let mut total = *partials.add(i);
            for block in 1..blocks {
                total = C::combine(total, *partials.add(block * outputs + i));
            }
            out.add(i).write(I::store(divisor.map_or(total, |count| I::divide(total, count))));
        }
    }
}

macro_rules! instances {
    ($($name:ident $columns:ident $groups:ident $lanes:ident $short:ident $turned:ident $join:ident $finish:ident $feature:literal)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $finish<I: Item, C: Combine<I::Acc>>(
            range: Range<usize>,
            outputs: usize,
            blocks: usize,
            partials: *const u8,
            divisor: Option<usize>,
            out: *mut u8,
        ) {
            // SAFETY: the same contract.
            unsafe { finish_body::<I, C>(range, outputs, blocks, partials, divisor, out) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $groups<I: Item, C: Combine<I::Acc>>(sizes: [usize; 3], apart: [isize; 2], from: *const u8, acc: *mut u8) {
            // SAFETY: the same contract.
            unsafe { columns::groups::<I, C>(sizes, apart, from, acc) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $turned<I: Item, C: Combine<I::Acc>>(
            first: usize,
            len: usize,
            stride: isize,
            columns: usize,
            from: *const u8,
            lanes: *mut u8,
        ) {
            // SAFETY: the same contract.
            unsafe { turned::body::<I, C>(first, len, stride, columns, from, lanes) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $join<I: Item, C: Combine<I::Acc>>(columns: usize, lanes: *mut u8, acc: *mut u8) {
            // SAFETY: the same contract.
            unsafe { turned::join::<I, C>(columns, lanes, acc) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $short<I: Item, C: Combine<I::Acc>>(
            len: usize,
            stride: isize,
            rows: usize,
            pitch: isize,
            from: *const u8,
            acc: *mut u8,
        ) {
            // SAFETY: the same contract.
            unsafe { short::with_vectors::<I, C>(len, stride, rows, pitch, from, acc) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $lanes<I: Item, C: Combine<I::Acc>>(len: usize, _: isize, _: usize, from: *const u8, acc: *mut u8) {
            // SAFETY: the same contract.
            unsafe { lanes_body::<I, C>(len, from, acc) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $name<I: Item, C: Combine<I::Acc>>(len: usize, _: isize, _: usize, from: *const u8, acc: *mut u8) {
            // SAFETY: the same contract.
            unsafe { row_body::<I, C>(len, from, acc) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $columns<I: Item, C: Combine<I::Acc>>(len: usize, stride: isize, n: usize, from: *const u8, acc: *mut u8) {
            // SAFETY: the same contract.
            unsafe { columns::body::<I, C>(len, stride, n, from, acc) }
        }
    )*};
}
instances!(
    row_avx2 columns_avx2 groups_avx2 lanes_avx2 short_avx2 turned_avx2 join_avx2 finish_avx2 "avx2"
    row_avx512 columns_avx512 groups_avx512 lanes_avx512 short_avx512 turned_avx512 join_avx512 finish_avx512 "avx512f,avx512bw,avx512dq,avx512vl"
);

unsafe fn row_portable<I: Item, C: Combine<I::Acc>>(len: usize, _: isize, _: usize, from: *const u8, acc: *mut u8) {
    // SAFETY: the same contract.
    unsafe { row_body::<I, C>(len, from, acc) }
}

unsafe fn lanes_portable<I: Item, C: Combine<I::Acc>>(len: usize, _: isize, _: usize, from: *const u8, acc: *mut u8) {
    // SAFETY: the same contract.
    unsafe { lanes_body::<I, C>(len, from, acc) }
}

unsafe fn columns_portable<I: Item, C: Combine<I::Acc>>(
    len: usize,
    stride: isize,
    n: usize,
    from: *const u8,
    acc: *mut u8,
) {
    // SAFETY: the same contract.
    unsafe { columns::body::<I, C>(len, stride, n, from, acc) }
}

fn fold<I: Item, C: Combine<I::Acc>>(isa: Isa) -> Fold {
    let (start, join, apart) = (start::<I, C>, join::<I, C>, columns::apart::<I, C>);
    macro_rules! with {
        ($row:path, $short:path, $lanes:path, $turned:path, $join_turned:path, $columns:path, $groups:path, $finish:path) => {
            Fold {
                start,
                row: $row,
                short: $short,
                lanes: $lanes,
                join,
                turned: $turned,
                join_turned: $join_turned,
                columns: $columns,
                groups: $groups,
                apart,
                finish: $finish,
            }
        };
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => with!(
            row_avx512::<I, C>,
            short_avx512::<I, C>,
            lanes_avx512::<I, C>,
            turned_avx512::<I, C>,
            join_avx512::<I, C>,
            columns_avx512::<I, C>,
            groups_avx512::<I, C>,
            finish_avx512::<I, C>
        ),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => with!(
            row_avx2::<I, C>,
            short_avx2::<I, C>,
            lanes_avx2::<I, C>,
            turned_avx2::<I, C>,
            join_avx2::<I, C>,
            columns_avx2::<I, C>,
            groups_avx2::<I, C>,
            finish_avx2::<I, C>
        ),
        _ => with!(
            row_portable::<I, C>,
            short::body::<I, C>,
            lanes_portable::<I, C>,
            turned::body::<I, C>,
            turned::join::<I, C>,
            columns_portable::<I, C>,
            columns::groups::<I, C>,
            finish_body::<I, C>
        ),
    }
}

fn number<I: Item<Acc: Number + Extremes>>(monoid: Monoid, isa: Isa) -> Option<Fold> {
    Some(match monoid {
        Monoid::Sum => fold::<I, SumOf>(isa),
        Monoid::Prod => fold::<I, ProdOf>(isa),
        Monoid::Max => fold::<I, MaxOf>(isa),
        Monoid::Min => fold::<I, MinOf>(isa),
        Monoid::Any | Monoid::All => return None,
    })
}

/// The loops of a monoid for a dtype, or `None` where it has no meaning.
pub fn lookup(monoid: Monoid, dtype: DType, isa: Isa) -> Option<Fold> {
    match dtype {
        DType::F32 => number::<f32>(monoid, isa),
        DType::F64 => number::<f64>(monoid, isa),
        DType::F16 => number::<Half>(monoid, isa),
        DType::BF16 => number::<Brain>(monoid, isa),
        // Reductions of most integers are rarely hot: one instance keeps the library small.
        DType::I8 => number::<i8>(monoid, isa),
        DType::I16 => number::<i16>(monoid, Isa::Portable),
        DType::I32 => number::<i32>(monoid, isa),
        DType::I64 => number::<i64>(monoid, isa),
        DType::U8 => number::<u8>(monoid, isa),
        DType::U16 => number::<u16>(monoid, Isa::Portable),
        DType::U32 => number::<u32>(monoid, Isa::Portable),
        DType::U64 => number::<u64>(monoid, Isa::Portable),
        DType::Bool => match monoid {
            Monoid::Any => Some(fold::<Truth, AnyOf>(Isa::Portable)),
            Monoid::All => Some(fold::<Truth, AllOf>(Isa::Portable)),
            _ => None,
        },
        DType::C64 | DType::C128 | DType::Resource | DType::Variant | DType::String => None,
    }
}
