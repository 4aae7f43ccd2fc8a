//! Copies of planes whose rows lie dense in the source and whose columns lie dense in the target, tile by tile.
//! Copies between strided views call it for every pair of axes that a transposition swaps.

#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::{Isa, simd::transpose::square};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_mm_sfence, _mm256_load_ps, _mm256_stream_ps};

/// A plane of two axes: the elements of the first lie side by side in the source, those of the second in the target.
pub(super) struct Plane {
    pub dims: [usize; 2],
    /// Between elements of the second axis in the source, in elements.
    pub from_stride: isize,
    /// Between elements of the first axis in the target, in elements.
    pub to_stride: isize,
    /// Whether the target is written past the caches, where it lies in whole lines of them.
    pub past_caches: bool,
}

/// Sizes of a tile: elements of the first axis, a line of the cache of four bytes each, and of the second.
const ROWS: usize = 16;
const COLUMNS: usize = 32;

impl Plane {
    /// # Safety
    /// Both sides are there, and apart.
    pub unsafe fn copy<T: Copy>(&self, from: *const T, to: *mut T) {
        let [rows, columns] = self.dims;
        #[cfg(target_arch = "x86_64")]
        if size_of::<T>() == 4 && rows >= 8 && columns >= 8 && Isa::current() != Isa::Portable {
            // SAFETY: by the caller's promise; every set but the portable one has AVX2.
            return unsafe { self.words(from.cast(), to.cast()) };
        }
        let (tile_rows, tile_columns) = if columns < ROWS { (ROWS, columns) } else { (rows.min(ROWS), COLUMNS) };
        for j in (0..columns).step_by(tile_columns) {
            for i in (0..rows).step_by(tile_rows) {
                let size = [tile_rows.min(rows - i), tile_columns.min(columns - j)];
                // SAFETY: the tile lies in the plane.
                unsafe { self.tile(self.source(from, i, j), self.target(to, i, j), size) };
            }
        }
    }

    fn source<T>(&self, from: *const T, i: usize, j: usize) -> *const T {
        from.wrapping_offset(i as isize + j as isize * self.from_stride)
    }

    fn target<T>(&self, to: *mut T, i: usize, j: usize) -> *mut T {
        to.wrapping_offset(i as isize * self.to_stride + j as isize)
    }

    /// A tile of any size; runs of a known length along the longer axis need no counting.
    ///
    /// # Safety
    /// As [`Plane::copy`], for the tile.
    unsafe fn tile<T: Copy>(&self, from: *const T, to: *mut T, [rows, columns]: [usize; 2]) {
        // SAFETY: by the caller's promise.
        let element = |i: usize, j: usize| unsafe { *self.target(to, i, j) = *self.source(from, i, j) };
        if rows == ROWS && columns < ROWS {
            (0..columns).for_each(|j| (0..ROWS).for_each(|i| element(i, j)));
        } else if columns == COLUMNS {
            (0..rows).for_each(|i| (0..COLUMNS).for_each(|j| element(i, j)));
        } else {
            (0..rows).for_each(|i| (0..columns).for_each(|j| element(i, j)));
        }
    }

    /// Elements of four bytes, in squares of eight by eight.
    ///
    /// # Safety
    /// As [`Plane::copy`], and the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn words(&self, from: *const f32, to: *mut f32) {
        let [rows, columns] = self.dims;
        let whole = [rows / 8 * 8, columns / 8 * 8];
        let lines = self.past_caches && to.addr().is_multiple_of(64) && self.to_stride % 16 == 0;
        for j in (0..whole[1]).step_by(COLUMNS) {
            let wide = COLUMNS.min(whole[1] - j);
            for i in (0..whole[0]).step_by(ROWS) {
                let (from, to) = (self.source(from, i, j), self.target(to, i, j));
                // SAFETY: the tile lies in the plane.
                unsafe {
                    if lines && wide == COLUMNS && whole[0] - i >= ROWS {
                        self.stream(from, to);
                        continue;
                    }
                    for i in (0..ROWS.min(whole[0] - i)).step_by(8) {
                        for j in (0..wide).step_by(8) {
                            square(self.source(from, i, j), self.from_stride, self.target(to, i, j), self.to_stride);
                        }
                    }
                }
            }
        }
        if lines {
            // What was written past the caches is seen by others before anything that is written from here on.
            _mm_sfence();
        }
        // SAFETY: what is left of the plane on both sides.
        unsafe {
            let (rest, below) = (columns - whole[1], rows - whole[0]);
            for i in (0..if rest > 0 { whole[0] } else { 0 }).step_by(ROWS) {
                let j = whole[1];
                self.tile(self.source(from, i, j), self.target(to, i, j), [ROWS.min(whole[0] - i), rest]);
            }
            for j in (0..if below > 0 { columns } else { 0 }).step_by(COLUMNS) {
                let i = whole[0];
                self.tile(self.source(from, i, j), self.target(to, i, j), [below, COLUMNS.min(columns - j)]);
            }
        }
    }

    /// A whole tile, by way of a copy in the first-level cache, written in whole lines past the caches.
    ///
    /// # Safety
    /// As [`Plane::words`], for the tile, whose rows in the target start at lines of the cache.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn stream(&self, from: *const f32, to: *mut f32) {
        #[repr(align(64))]
        struct Tile([f32; ROWS * COLUMNS]);
        let mut tile = Tile([0.0; ROWS * COLUMNS]);
        let at = tile.0.as_mut_ptr();
        // SAFETY: squares and vectors lie in the tile and in the plane; `stream` needs 32 bytes of alignment, which both have.
        unsafe {
            for j in (0..COLUMNS).step_by(8) {
                for i in (0..ROWS).step_by(8) {
                    square(self.source(from, i, j), self.from_stride, at.add(i * COLUMNS + j), COLUMNS as isize);
                }
            }
            for i in 0..ROWS {
                for j in (0..COLUMNS).step_by(8) {
                    _mm256_stream_ps(self.target(to, i, j), _mm256_load_ps(at.add(i * COLUMNS + j)));
                }
            }
        }
    }
}
