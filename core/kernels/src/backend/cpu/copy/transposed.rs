//! Copies of planes whose rows lie dense in the source and whose columns lie dense in the target, tile by tile.
//! Copies between strided views call it for every pair of axes that a transposition swaps.

#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::{
    Isa,
    simd::transpose::{side, square_of},
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_mm_sfence, _mm256_load_si256, _mm256_stream_si256};

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
        if size_of::<T>() <= 8 && rows.min(columns) >= side::<T>() && Isa::current() != Isa::Portable {
            // SAFETY: by the caller's promise; every set but the portable one has AVX2.
            return unsafe { self.squares(from, to) };
        }
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        if size_of::<T>() <= 4 && Isa::current() != Isa::Portable && unsafe { self.channels(from, to) } {
            return;
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

    /// Elements of at most eight bytes, in squares. The last of a side that no square fills goes once more with some before it.
    ///
    /// # Safety
    /// As [`Plane::copy`], for planes whose sides are as long as a square's at least; the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn squares<T: Copy>(&self, from: *const T, to: *mut T) {
        let ([rows, columns], side) = (self.dims, side::<T>());
        let [tile_rows, tile_columns] = tile_of::<T>();
        let lines = self.past_caches
            && to.addr().is_multiple_of(LINE)
            && (self.to_stride * size_of::<T>() as isize) % LINE as isize == 0;
        for j in (0..columns).step_by(tile_columns) {
            let wide = tile_columns.min(columns - j);
            for i in (0..rows).step_by(tile_rows) {
                let high = tile_rows.min(rows - i);
                // SAFETY: tiles and squares lie in the plane.
                unsafe {
                    if lines && wide == tile_columns && high == tile_rows {
                        self.stream(self.source(from, i, j), self.target(to, i, j));
                        continue;
                    }
                    for i in (i..i + high).step_by(side).map(|i| i.min(rows - side)) {
                        for j in (j..j + wide).step_by(side).map(|j| j.min(columns - side)) {
                            square_of(self.source(from, i, j), self.from_stride, self.target(to, i, j), self.to_stride);
                        }
                    }
                }
            }
        }
        if lines {
            // What was written past the caches is seen by others before anything that is written from here on.
            _mm_sfence();
        }
    }

    /// Planes of two to four rows or columns, as the channels of an image, if they lie side by side.
    ///
    /// # Safety
    /// As [`Plane::copy`]; the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn channels<T: Copy>(&self, from: *const T, to: *mut T) -> bool {
        let [rows, columns] = self.dims;
        // SAFETY: by the caller's promise.
        unsafe {
            match (rows, columns) {
                (_, 2) if self.to_stride == 2 => self.interleave::<T, 2>(from, to),
                (_, 3) if self.to_stride == 3 => self.interleave::<T, 3>(from, to),
                (_, 4) if self.to_stride == 4 => self.interleave::<T, 4>(from, to),
                (2, _) if self.from_stride == 2 => self.deinterleave::<T, 2>(from, to),
                (3, _) if self.from_stride == 3 => self.deinterleave::<T, 3>(from, to),
                (4, _) if self.from_stride == 4 => self.deinterleave::<T, 4>(from, to),
                _ => return false,
            }
        }
        true
    }

    /// `N` dense rows of the source, element by element side by side.
    ///
    /// # Safety
    /// As [`Plane::channels`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn interleave<T: Copy, const N: usize>(&self, from: *const T, to: *mut T) {
        for i in 0..self.dims[0] {
            for j in 0..N {
                // SAFETY: by the caller's promise.
                unsafe { *to.add(i * N + j) = *self.source(from, i, j) };
            }
        }
    }

    /// Elements side by side to `N` dense rows of the target.
    ///
    /// # Safety
    /// As [`Plane::channels`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn deinterleave<T: Copy, const N: usize>(&self, from: *const T, to: *mut T) {
        for j in 0..self.dims[1] {
            for i in 0..N {
                // SAFETY: by the caller's promise.
                unsafe { *self.target(to, i, j) = *from.add(j * N + i) };
            }
        }
    }

    /// A whole tile, by way of a copy in the first-level cache, written in whole lines past the caches.
    ///
    /// # Safety
    /// As [`Plane::squares`], for the tile, whose rows in the target start at lines of the cache.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn stream<T: Copy>(&self, from: *const T, to: *mut T) {
        #[repr(align(64))]
        struct Tile([u8; LARGEST_TILE]);
        let mut tile = Tile([0; LARGEST_TILE]);
        let at = tile.0.as_mut_ptr().cast::<T>();
        let ([rows, columns], side) = (tile_of::<T>(), side::<T>());
        let vector = 32 / size_of::<T>();
        // SAFETY: squares and vectors lie in the tile and in the plane; `stream` needs 32 bytes of alignment, which both have.
        unsafe {
            for j in (0..columns).step_by(side) {
                for i in (0..rows).step_by(side) {
                    square_of(self.source(from, i, j), self.from_stride, at.add(i * columns + j), columns as isize);
                }
            }
            for i in 0..rows {
                for j in (0..columns).step_by(vector) {
                    let whole = _mm256_load_si256(at.add(i * columns + j).cast());
                    _mm256_stream_si256(self.target(to, i, j).cast(), whole);
                }
            }
        }
    }
}

/// Bytes of a line of the cache.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;
/// Bytes of the largest tile of [`tile_of`].
#[cfg(target_arch = "x86_64")]
const LARGEST_TILE: usize = 4096;

/// Sizes of a tile of squares: a line of the source's rows, and at least one of the target's.
#[cfg(target_arch = "x86_64")]
const fn tile_of<T>() -> [usize; 2] {
    let line = LINE / size_of::<T>();
    [line, if line > COLUMNS { line } else { COLUMNS }]
}
