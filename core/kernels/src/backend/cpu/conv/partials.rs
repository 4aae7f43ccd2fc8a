//! What surrounds the products of the filter gradient: the zero-padded input before them, the sum of parts after them.
//! `filter_gradient` runs both, in its first and last phase.

use super::ConvGeometry;
use crate::backend::cpu::simd::Float;
use std::ops::Range;

/// Elements of the gradient that one chunk of the last phase adds up.
pub(super) const SUM: usize = 4096;

/// Copies images into larger ones, with zeros around them.
///
/// # Safety
/// `x` must hold the images of `from` and `copy` those of `to`, the given ones nobody else's.
pub(super) unsafe fn pad<T: Float>(
    from: &ConvGeometry,
    to: &ConvGeometry,
    x: *const T,
    copy: *mut T,
    images: Range<usize>,
) {
    let c = to.in_c;
    let (left, rows) = (from.pad_left.min(to.in_w), from.pad_top..from.pad_top + from.in_h);
    let live = from.in_w.min(to.in_w - left);
    for image in images {
        for y in 0..to.in_h {
            // SAFETY: the row lies in the copy, and where it has a source row, that lies in `x`.
            unsafe {
                let row = copy.add((image * to.in_h + y) * to.in_w * c);
                if !rows.contains(&y) {
                    row.write_bytes(0, to.in_w * c);
                    continue;
                }
                row.write_bytes(0, left * c);
                let source = x.add((image * from.in_h + y - from.pad_top) * from.in_w * from.in_pitch());
                match from.groups {
                    1 => row.add(left * c).copy_from_nonoverlapping(source, live * c),
                    _ => (0..live).for_each(|i| {
                        row.add((left + i) * c).copy_from_nonoverlapping(source.add(i * from.in_pitch()), c);
                    }),
                }
                row.add((left + live) * c).write_bytes(0, (to.in_w - left - live) * c);
            }
        }
    }
}

/// Adds the partial sums in order; denormal sums become zero. With `turned` they are those of the geometry whose channels have changed places and
/// whose taps run backwards, and go where the gradient has them.
///
/// # Safety
/// `partials` must hold the sums of all parts, and `dw` the gradient, whose elements of the range are nobody else's.
pub(super) unsafe fn sum<T: Float>(
    g: &ConvGeometry,
    turned: bool,
    parts: usize,
    partials: *const T,
    range: Range<usize>,
    dw: *mut T,
) {
    const RUN: usize = 64;
    let size = g.depth() * g.out_c;
    let mut at = range.start;
    while at < range.end {
        let n = RUN.min(range.end - at);
        let mut total = [T::default(); RUN];
        for part in 0..parts {
            // SAFETY: the run lies in each of the arrays.
            let run = unsafe { std::slice::from_raw_parts(partials.add(part * size + at), n) };
            total.iter_mut().zip(run).for_each(|(t, &x)| *t = *t + x);
        }
        total.iter_mut().for_each(|sum| *sum = sum.flushed());
        if turned {
            for (i, &x) in total[..n].iter().enumerate() {
                let (row, input) = ((at + i) / g.out_c, (at + i) % g.out_c);
                let (tap, output) = (g.taps() - 1 - row / g.in_c, row % g.in_c);
                // SAFETY: a permutation of the gradient's elements.
                unsafe { *dw.add((tap * g.out_c + input) * g.in_pitch() + output) = x };
            }
        } else if g.groups > 1 {
            for (i, &x) in total[..n].iter().enumerate() {
                // SAFETY: an element of the group's.
                unsafe { *dw.add((at + i) / g.out_c * g.out_pitch() + (at + i) % g.out_c) = x };
            }
        } else {
            // SAFETY: the run lies in the gradient, and is this chunk's.
            unsafe { dw.add(at).copy_from_nonoverlapping(total.as_ptr(), n) };
        }
        at += n;
    }
}
