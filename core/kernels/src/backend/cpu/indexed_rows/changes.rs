//! Rows of a target changed by as many updates as name them, in the order of the updates, and how chunks share that out.
//! Scatters, sums by segment and gradients of gathers call it: results do not depend on how many chunks there are.

use super::{Write, change, chunks, work};
#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::Isa;
#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::simd::{
    Simd,
    x86::{F32x8, F64x4},
};
use crate::backend::cpu::{Work, part};
use crate::dtype::DType;
use std::ops::Range;

/// Updates of rows.
#[derive(Clone, Copy)]
pub struct Changes {
    pub write: Write,
    pub dtype: DType,
    /// How many updates there are.
    pub count: usize,
    /// How many rows the target has, and elements each.
    pub rows: usize,
    pub row: usize,
    /// Whether the numbers ascend, so that a chunk finds the updates of its rows.
    pub sorted: bool,
}

/// What of the target a chunk changes: some columns of some rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

/// Bytes of a row that one chunk changes at least, where chunks share columns: narrower pieces take longer than one thread, whose reads
/// follow each other.
const NARROWEST: usize = 256;
/// Bytes of a row from which on chunks share rows: a look at every number is little beside such a row.
pub const LONG_ROW: usize = 1024;

impl Changes {
    fn bytes(&self) -> usize {
        self.row * self.dtype.size()
    }

    /// Whether chunks take columns of all rows. Each reads all numbers either way, which many chunks of rows would do for little.
    fn by_columns(&self) -> bool {
        !self.sorted && self.count >= self.rows && (NARROWEST..LONG_ROW).contains(&self.bytes())
    }

    /// The work of changes that move `bytes`, the check of their numbers before it.
    pub fn work(&self, bytes: usize) -> Work {
        work(self.count, bytes, self.units())
    }

    /// How many chunks make changes that move `bytes`, where numbers are checked on the way.
    pub fn chunks(&self, bytes: usize) -> usize {
        chunks(bytes, self.units())
    }

    /// What chunks share: columns, or rows.
    fn units(&self) -> usize {
        if self.by_columns() { self.bytes() / NARROWEST } else { self.rows }
    }

    /// What `chunk` of `chunks` changes.
    pub fn share(&self, chunk: usize, chunks: usize) -> Share {
        match self.by_columns() {
            true => {
                Share { rows: 0..self.rows, columns: part(self.row, chunk, chunks, (64 / self.dtype.size()).max(1)) }
            }
            false => Share { rows: part(self.rows, chunk, chunks, 1), columns: 0..self.row },
        }
    }

    /// Changes the rows that `numbers` name, of those of `share`, by the rows of `from` one after the other. Numbers outside are left out.
    ///
    /// # Safety
    /// The target has the rows of `share`, and `from` a row for each number, both dense and apart.
    pub unsafe fn run(&self, share: &Share, numbers: &[usize], to: *mut u8, from: *const u8) {
        #[cfg(target_arch = "x86_64")]
        if self.write == Write::Add && Isa::current() != Isa::Portable {
            // SAFETY: by the caller's promise; every set but the portable one has AVX2.
            unsafe {
                match self.dtype {
                    DType::F32 => return self.sums_f32(share, numbers, to.cast(), from.cast()),
                    DType::F64 => return self.sums_f64(share, numbers, to.cast(), from.cast()),
                    _ => {}
                }
            }
        }
        // SAFETY: by the caller's promise.
        unsafe {
            match (self.write, self.dtype) {
                (Write::Add, DType::F32) => self.sums::<f32>(share, numbers, to, from, |a, b| a + b),
                (Write::Add, DType::F64) => self.sums::<f64>(share, numbers, to, from, |a, b| a + b),
                (Write::Add, DType::I32 | DType::U32) => self.sums(share, numbers, to, from, u32::wrapping_add),
                (Write::Add, DType::I64 | DType::U64) => self.sums(share, numbers, to, from, u64::wrapping_add),
                _ => self.each(share, numbers, |at, update| {
                    let place = |row: usize| (row * self.row + share.columns.start) * self.dtype.size();
                    change(self.write, self.dtype, to.add(place(at)), from.add(place(update)), share.columns.len());
                }),
            }
        }
    }

    /// Calls `visit` with the row and the update for each number that lies in the share.
    fn each(&self, share: &Share, numbers: &[usize], mut visit: impl FnMut(usize, usize)) {
        // One comparison: numbers before the first are the largest then.
        let (first, len) = (share.rows.start, share.rows.len());
        for (update, &number) in numbers.iter().enumerate() {
            if number.wrapping_sub(first) < len {
                visit(number, update);
            }
        }
    }

    /// Sums in vectors, as many of which make a row; 0 where that is not known.
    ///
    /// # Safety
    /// As [`Changes::run`], for elements of the vector's type; the processor has its instructions.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn sums_of<V: Simd, const VECTORS: usize>(
        &self,
        share: &Share,
        numbers: &[usize],
        to: *mut V::Elem,
        from: *const V::Elem,
    ) {
        let (first, rows, len) = (share.rows.start, share.rows.len(), share.columns.len());
        let vectors = if VECTORS > 0 { VECTORS } else { len / V::LANES };
        // SAFETY: by the caller's promise, elements of rows that are there.
        unsafe {
            let (to, from) = (to.add(share.columns.start), from.add(share.columns.start));
            for (update, &number) in numbers.iter().enumerate() {
                if number.wrapping_sub(first) >= rows {
                    continue;
                }
                let (to, from) = (to.add(number * self.row), from.add(update * self.row));
                for i in (0..vectors).map(|i| i * V::LANES) {
                    V::load(to.add(i)).add(V::load(from.add(i))).store(to.add(i));
                }
                if VECTORS == 0 {
                    for i in vectors * V::LANES..len {
                        *to.add(i) = *to.add(i) + *from.add(i);
                    }
                }
            }
        }
    }

    /// Sums of elements, whose loop the compiler writes out for short rows.
    ///
    /// # Safety
    /// As [`Changes::run`], for elements of type `T`.
    unsafe fn sums<T: Copy>(
        &self,
        share: &Share,
        numbers: &[usize],
        to: *mut u8,
        from: *const u8,
        add: impl Fn(T, T) -> T + Copy,
    ) {
        let (to, from) = (to.cast::<T>(), from.cast::<T>());
        macro_rules! short {
            ($($n:literal)*) => {
                match share.columns.len() {
                    $($n => self.each(share, numbers, |at, update| {
                        let place = |row: usize| row * self.row + share.columns.start;
                        // SAFETY: by the caller's promise; both rows are apart.
                        unsafe {
                            let to = &mut *to.add(place(at)).cast::<[T; $n]>();
                            let from = *from.add(place(update)).cast::<[T; $n]>();
                            (0..$n).for_each(|i| to[i] = add(to[i], from[i]));
                        }
                    }),)*
                    n => self.each(share, numbers, |at, update| {
                        let place = |row: usize| row * self.row + share.columns.start;
                        // SAFETY: as above.
                        let (to, from) = unsafe {
                            let to = std::slice::from_raw_parts_mut(to.add(place(at)), n);
                            (to, std::slice::from_raw_parts(from.add(place(update)), n))
                        };
                        to.iter_mut().zip(from).for_each(|(to, &from)| *to = add(*to, from));
                    }),
                }
            };
        }
        short!(1 2 3 4 8 16 32)
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! compiled {
    ($($name:ident $t:ty, $v:ident;)*) => {
        impl Changes {$(
            /// # Safety
            /// As [`Changes::run`], for these elements; the processor has AVX2.
            #[target_feature(enable = "avx2")]
            unsafe fn $name(&self, share: &Share, numbers: &[usize], to: *mut $t, from: *const $t) {
                let len = share.columns.len();
                // SAFETY: by the caller's promise.
                unsafe {
                    match len / $v::LANES {
                        1 if len == $v::LANES => self.sums_of::<$v, 1>(share, numbers, to, from),
                        2 if len == 2 * $v::LANES => self.sums_of::<$v, 2>(share, numbers, to, from),
                        4 if len == 4 * $v::LANES => self.sums_of::<$v, 4>(share, numbers, to, from),
                        8 if len == 8 * $v::LANES => self.sums_of::<$v, 8>(share, numbers, to, from),
                        _ => self.sums_of::<$v, 0>(share, numbers, to, from),
                    }
                }
            }
        )*}
    };
}

#[cfg(target_arch = "x86_64")]
compiled! {
    sums_f32 f32, F32x8;
    sums_f64 f64, F64x4;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All shares of a cut, run one after the other, beside sums in order.
    fn check(count: usize, rows: usize, row: usize, sorted: bool, write: Write) {
        let changes = Changes { write, dtype: DType::F32, count, rows, row, sorted };
        let mut numbers: Vec<usize> = (0..count).map(|i| i * 7919 % (rows + 1)).collect();
        if sorted {
            numbers.sort_unstable();
        }
        let updates: Vec<f32> = (0..count * row).map(|i| (i * 31 % 97) as f32 / 7.0 - 5.0).collect();
        let mut want = vec![1.0f32; rows * row];
        for (i, &number) in numbers.iter().enumerate().filter(|(_, number)| **number < rows) {
            for j in 0..row {
                let to = &mut want[number * row + j];
                *to = if write == Write::Add { *to + updates[i * row + j] } else { *to * updates[i * row + j] };
            }
        }
        for moved in [0, 300_000, 1 << 30] {
            let chunks = changes.work(moved).phases[1];
            let mut got = vec![1.0f32; rows * row];
            for chunk in 0..chunks {
                let share = changes.share(chunk, chunks);
                // SAFETY: the vectors have the rows that are told.
                unsafe { changes.run(&share, &numbers, got.as_mut_ptr().cast(), updates.as_ptr().cast()) };
            }
            assert!(got == want, "{count} updates of {rows} rows of {row}, {chunks} chunks");
        }
    }

    #[test]
    fn every_cut_sums_in_order() {
        for row in [1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 64, 100, 200, 300] {
            for (count, rows) in [(0, 3), (1, 1), (500, 20), (30, 200)] {
                for write in [Write::Add, Write::Mul] {
                    check(count, rows, row, false, write);
                    check(count, rows, row, true, write);
                }
            }
        }
    }

    #[test]
    fn many_updates_of_rows_share_columns() {
        let changes = Changes { write: Write::Add, dtype: DType::F32, count: 5000, rows: 10, row: 128, sorted: false };
        let chunks = changes.work(1 << 30).phases[1];
        assert_eq!(chunks, 2);
        assert_eq!(changes.share(1, chunks), Share { rows: 0..10, columns: 64..128 });
        let few = Changes { count: 5, ..changes };
        assert_eq!(few.share(1, few.work(1 << 30).phases[1]).columns, 0..128);
    }
}
