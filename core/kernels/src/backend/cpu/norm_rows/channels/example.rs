//! All steps of one example after the other, while the caches still hold what the first step read.
//! The operations behind group normalisation run a part of it for each example, where there are many small ones.

use super::{Channels, Root, Statistics, merge_gradient, merge_moments, moments, sums, write};
use crate::backend::cpu::Isa;
use std::slice::from_raw_parts;

/// Examples from which on each is a part of its own: enough for many threads.
const MANY: usize = 16;
/// Bytes of an example's operands that a second-level cache holds from one step to the next.
const CACHED: usize = 1 << 20;

impl Channels {
    /// Whether each example goes through all steps by itself, where a step reads so many bytes for an element.
    #[must_use]
    pub fn by_example(&self, bytes: usize) -> bool {
        let example = self.spots * self.channels * bytes;
        !self.batch && !self.is_empty() && self.examples >= MANY && example <= CACHED
    }

    /// An example alone.
    fn one(self) -> Self {
        Self { examples: 1, ..self }
    }

    /// Elements before an example, and where its sums, its statistics and its coefficients begin, of which each channel has `many`.
    fn before(&self, example: usize, many: usize) -> [usize; 4] {
        let sums = example * self.units() * self.unit_len();
        [example * self.spots * self.channels, sums, example * self.groups, example * many * self.period()]
    }
}

/// The three steps forward of one example: the bits are those of the steps in parts.
///
/// # Safety
/// As [`moments`], [`merge_moments`] and [`write()`] for all elements; `to` are means, variances and coefficients of all examples.
pub unsafe fn normalise_example<T: Root>(
    isa: Isa,
    (sizes, epsilon): (Channels, f64),
    (x, [scale, offset]): (*const T, [Option<&[T]>; 2]),
    (room, [means, variances, coefficients]): (*mut f64, [*mut T; 3]),
    out: *mut T,
    example: usize,
) {
    let ([elements, sums, groups, own], sizes) = (sizes.before(example, 3), sizes.one());
    // SAFETY: by the caller's promise; an example's elements, sums, statistics and coefficients are its own.
    unsafe {
        let (x, room, own) = (x.add(elements), room.add(sums), coefficients.add(own));
        for index in 0..sizes.sum_parts() {
            moments(isa, sizes, x, room, index);
        }
        let to = [means.add(groups), variances.add(groups), own];
        merge_moments(&sizes, epsilon, [scale, offset], room, to, 0);
        write_backwards(isa, sizes, (x, None), from_raw_parts(own, 3 * sizes.period()), out.add(elements));
    }
}

/// The three steps backward of one example; the gradients of scale and offset are added up behind.
///
/// # Safety
/// As [`sums`], [`merge_gradient`] and [`write()`] for all elements.
pub unsafe fn gradient_of_example<T: Root>(
    isa: Isa,
    sizes: Channels,
    (x, dy, at): (*const T, *const T, Statistics<'_, T>),
    (room, coefficients): (*mut f64, *mut T),
    out: *mut T,
    example: usize,
) {
    let ([elements, before, groups, own], sizes) = (sizes.before(example, 4), sizes.one());
    let of_groups = groups..groups + sizes.groups;
    let at = Statistics { means: &at.means[of_groups.clone()], variances: &at.variances[of_groups], ..at };
    // SAFETY: as above.
    unsafe {
        let (x, dy) = (x.add(elements), dy.add(elements));
        let (room, own) = (room.add(before), coefficients.add(own));
        for index in 0..sizes.sum_parts() {
            sums(isa, sizes, x, at.means, dy, room, index);
        }
        merge_gradient(&sizes, at, room, own, 0);
        write_backwards(isa, sizes, (x, Some(dy)), from_raw_parts(own, 4 * sizes.period()), out.add(elements));
    }
}

/// Writes an example from its last part to its first: what was read last is still there, and results push out what was read first.
///
/// # Safety
/// As [`write()`], for one example.
unsafe fn write_backwards<T: Root>(
    isa: Isa,
    sizes: Channels,
    (x, dy): (*const T, Option<*const T>),
    coefficients: &[T],
    out: *mut T,
) {
    for index in (0..sizes.write_parts()).rev() {
        // SAFETY: by the caller's promise.
        unsafe { write(isa, sizes, x, dy, coefficients, out, index) };
    }
}
