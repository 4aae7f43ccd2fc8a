//! Which cells a pooling window covers, and how a pooling is split into chunks.
//! The kernels of `max` and `average` walk windows through it; callers ask it for the number of chunks.

use super::PoolGeometry;
use std::ops::Range;

/// Cells that one chunk reads, about: long enough to hide the cost of handing it out.
const CHUNK: usize = 32 << 10;

/// Chunks of a forward pooling.
pub fn forward_chunks(g: &PoolGeometry) -> usize {
    parts(g, g.out_h, g.out_w).map_or(0, |[images, rows]| images * rows)
}

/// Chunks of a gradient.
pub fn gradient_chunks(g: &PoolGeometry) -> usize {
    parts(g, g.in_h, g.in_w).map_or(0, |[images, rows]| images * rows)
}

/// Parts of the batch and parts of an image's rows; only single images are split. `None` if there is nothing to write.
fn parts(g: &PoolGeometry, rows: usize, cols: usize) -> Option<[usize; 2]> {
    if g.batch * rows * cols * g.channels == 0 {
        return None;
    }
    let image = g.in_h.max(rows) * g.in_w.max(cols) * g.channels;
    if image <= CHUNK { Some([g.batch.div_ceil(CHUNK / image), 1]) } else { Some([g.batch, rows.min(image / CHUNK)]) }
}

/// The images and rows of a chunk, where rows are those written.
pub(super) fn chunk(g: &PoolGeometry, rows: usize, cols: usize, chunk: usize) -> (Range<usize>, Range<usize>) {
    let Some([images, bands]) = parts(g, rows, cols) else { return (0..0, 0..0) };
    let share = |n: usize, parts: usize, i: usize| i * n / parts..(i + 1) * n / parts;
    (share(g.batch, images, chunk / bands), share(rows, bands, chunk % bands))
}

/// The cells of window `o` along one axis that lie in the image.
#[inline]
pub(super) fn cells(o: usize, stride: usize, k: usize, pad: usize, size: usize) -> Range<usize> {
    let first = o * stride;
    let (low, high) = (first.max(pad), (first + k).min(size + pad));
    if low < high { low - pad..high - pad } else { 0..0 }
}

/// The windows along one axis that may cover some of these cells, of `count` windows.
pub(super) fn windows(cells: &Range<usize>, stride: usize, k: usize, pad: usize, count: usize) -> Range<usize> {
    let (low, high) = (cells.start + pad, cells.end + pad);
    // Window o covers o * stride .. o * stride + k.
    let first = (low + 1).saturating_sub(k).div_ceil(stride);
    first.min(count)..count.min(high.div_ceil(stride))
}

/// Defines a public kernel that runs `$body::<T, S>` with the vectors of an instruction set.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $body:ident ($($arg:ident: $t:ty),*)) => {
        $(#[$doc])*
        pub unsafe fn $name<T: Float>(isa: Isa, $($arg: $t),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            unsafe fn avx512<T: Float>($($arg: $t),*) {
                // SAFETY: called for a CPU with AVX-512 only; the rest is the caller's promise.
                unsafe { $body::<T, T::Avx512>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2<T: Float>($($arg: $t),*) {
                // SAFETY: called for a CPU with AVX2 and FMA only; the rest is the caller's promise.
                unsafe { $body::<T, T::Avx2>($($arg),*) }
            }
            // SAFETY: the caller's promise.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => avx512($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => avx2($($arg),*),
                    #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
                    _ => $body::<T, T::Portable>($($arg),*),
                }
            }
        }
    };
}
pub(in crate::backend::cpu) use kernel;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_invert_cells() {
        for (size, stride, k, pad, count) in [(9, 2, 3, 1, 5), (7, 1, 4, 3, 10), (12, 3, 2, 0, 4), (5, 4, 1, 2, 3)] {
            for start in 0..size {
                for end in start + 1..=size {
                    let found = windows(&(start..end), stride, k, pad, count);
                    for o in 0..count {
                        let covered = cells(o, stride, k, pad, size);
                        if covered.start.max(start) < covered.end.min(end) {
                            assert!(found.contains(&o), "{size} {stride} {k} {pad} {start}..{end} window {o}");
                        }
                    }
                }
            }
        }
    }
}
