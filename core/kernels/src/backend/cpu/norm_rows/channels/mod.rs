//! Normalisation of channels: those of each example in groups, or each by itself over a whole batch; forward and backward, in three steps.
//! The operations behind batch and group normalisation run the steps one after the other, each in parts on many threads, or many small examples
//! one by one (`example.rs`).
//!
//! Sums are taken in units: some rows of an example whose channels lie last, or one channel of one that has them first. A unit is summed in
//! blocks in its own type, each around a value of its own, so that a far mean costs no digits; blocks, units and groups are brought together
//! in `f64`, in an order that only the sizes tell. Then each channel has a few coefficients, and a second pass over the elements writes.

mod example;
mod last;
mod merge;
mod runs;
#[cfg(test)]
mod tests;

pub use example::{gradient_of_example, normalise_example};
pub use merge::{Statistics, column_sums, merge_gradient, merge_moments};

use super::Root;
use crate::backend::cpu::Isa;
use crate::backend::cpu::part;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Elements of a unit whose channels lie last.
const UNIT: usize = 1 << 16;
/// Rows of a block: a sample of it is its shift, so its squares lose at most a factor of so much in precision.
const ROWS: usize = 32;
/// Channels of one part, where all examples are merged.
const PART: usize = 256;

/// Where the channels lie, and what is normalised together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channels {
    pub examples: usize,
    /// Elements of one channel of one example.
    pub spots: usize,
    pub channels: usize,
    /// Groups of neighbouring channels that are normalised together; each channel is one in a whole batch.
    pub groups: usize,
    /// Whether the channels lie behind the spots, and not before.
    pub last: bool,
    /// Whether the examples are normalised together.
    pub batch: bool,
}

impl Channels {
    /// The same elements with as few examples as may be.
    #[must_use]
    pub fn joined(self) -> Self {
        match self.batch && (self.last || self.examples == 0) {
            true => Self { examples: 1, spots: self.examples * self.spots, ..self },
            false => self,
        }
    }

    /// Channels of a group.
    pub fn each(&self) -> usize {
        self.channels.checked_div(self.groups).unwrap_or(0)
    }

    pub fn len(&self) -> usize {
        self.examples * self.spots * self.channels
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Elements of a row of coefficients: few channels are repeated until they fill whole vectors.
    pub fn period(&self) -> usize {
        let channels = self.channels;
        if !self.last || channels >= 64 || channels == 0 {
            return channels;
        }
        let whole = channels << (4 - channels.trailing_zeros().min(4));
        whole * 64_usize.div_ceil(whole)
    }

    /// Rows of a unit: whole blocks of whole periods.
    fn unit_rows(&self) -> usize {
        let block = ROWS * self.period() / self.channels.max(1);
        (block * (UNIT / (block * self.channels).max(1)).max(1)).max(1)
    }

    /// Units of an example.
    pub fn units(&self) -> usize {
        if self.last { self.spots.div_ceil(self.unit_rows()).max(1) } else { 1 }
    }

    /// The elements of a unit in each channel.
    fn count(&self, unit: usize) -> usize {
        if !self.last {
            return self.spots;
        }
        let rows = self.unit_rows();
        self.spots.saturating_sub(unit * rows).min(rows)
    }

    /// Numbers of `f64` of a unit: three for each channel of the period.
    pub fn unit_len(&self) -> usize {
        3 * self.period()
    }

    /// The numbers of all units.
    pub fn room(&self) -> usize {
        self.examples * self.units() * self.unit_len()
    }

    /// Sets of coefficients, one for each example, or one for all.
    pub fn sets(&self) -> usize {
        if self.batch { 1 } else { self.examples }
    }

    /// Parts in which units are summed.
    pub fn sum_parts(&self) -> usize {
        match self.last {
            true => self.examples * self.units(),
            false => (self.len() / UNIT).clamp(1, (self.examples * self.channels).max(1)),
        }
    }

    /// Parts in which sums are merged.
    pub fn merge_parts(&self) -> usize {
        if self.batch { self.channels.div_ceil(PART).max(1) } else { self.examples.max(1) }
    }

    /// Parts in which elements are written.
    pub fn write_parts(&self) -> usize {
        (self.len() / UNIT).clamp(1, self.runs().max(1))
    }

    /// Parts in which the gradients of scale and offset are added up.
    pub fn column_parts(&self) -> usize {
        self.channels.div_ceil(PART).max(1)
    }

    /// Runs of elements that are written by the same coefficients: periods, whole or not, or a channel's spots.
    fn runs(&self) -> usize {
        match self.last {
            true => self.examples * self.spots.div_ceil((self.period() / self.channels.max(1)).max(1)),
            false => self.examples * self.channels,
        }
    }
}

/// Passes compiled for each instruction set.
macro_rules! on_every_isa {
    ($(#[$doc:meta])* $name:ident = $body:ident; ($($arg:ident: $t:ty),*)) => {
        $(#[$doc])*
        pub(super) unsafe fn $name<T: Root>(isa: Isa, $($arg: $t),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            unsafe fn avx512<T: Root>($($arg: $t),*) {
                // SAFETY: the same contract.
                unsafe { $body::<T::Avx512>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2<T: Root>($($arg: $t),*) {
                // SAFETY: the same contract.
                unsafe { $body::<T::Avx2>($($arg),*) }
            }
            // SAFETY: by the caller's promise; `Isa` names only sets that the CPU has.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => avx512::<T>($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => avx2::<T>($($arg),*),
                    #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
                    _ => $body::<T::Portable>($($arg),*),
                }
            }
        }
    };
}
pub(super) use on_every_isa;

/// A part of the first step forward: mean and sum of squares around it, of each channel of some units.
///
/// # Safety
/// `x` has all elements and `room` is that of all units; no two threads run the same part.
pub unsafe fn moments<T: Root>(isa: Isa, sizes: Channels, x: *const T, room: *mut f64, index: usize) {
    let (period, len) = (sizes.period(), sizes.unit_len());
    // SAFETY: by the caller's promise; units lie apart.
    unsafe {
        if sizes.last {
            let (example, unit) = (index / sizes.units(), index % sizes.units());
            let start = (example * sizes.spots + unit * sizes.unit_rows()) * sizes.channels;
            let x = from_raw_parts(x.add(start), sizes.count(unit) * sizes.channels);
            let room = from_raw_parts_mut(room.add(index * len), len);
            return last::moments(isa, period, sizes.channels, x, room);
        }
        for run in part(sizes.examples * sizes.channels, index, sizes.sum_parts(), 1) {
            let (example, channel) = (run / sizes.channels, run % sizes.channels);
            let x = from_raw_parts(x.add(run * sizes.spots), sizes.spots);
            let to = room.add(example * len + channel);
            let mut both = [0.0; 2];
            runs::moments(isa, x, &mut both);
            (*to, *to.add(period)) = (both[0], both[1]);
        }
    }
}

/// A part of the first step backward: the sums of what is owed and of its products with the elements less their mean, of each channel of
/// some units.
///
/// # Safety
/// As [`moments`]; `means` has one number for each group of each set.
pub unsafe fn sums<T: Root>(
    isa: Isa,
    sizes: Channels,
    x: *const T,
    means: &[T],
    dy: *const T,
    room: *mut f64,
    index: usize,
) {
    let (period, len) = (sizes.period(), sizes.unit_len());
    let mean = |example: usize, channel: usize| {
        let set = if sizes.batch { 0 } else { example };
        T::rounded(-means[set * sizes.groups + channel / sizes.each()].wide())
    };
    // SAFETY: by the caller's promise; units lie apart.
    unsafe {
        if sizes.last {
            let (example, unit) = (index / sizes.units(), index % sizes.units());
            let start = (example * sizes.spots + unit * sizes.unit_rows()) * sizes.channels;
            let count = sizes.count(unit) * sizes.channels;
            let (x, dy) = (from_raw_parts(x.add(start), count), from_raw_parts(dy.add(start), count));
            let room = from_raw_parts_mut(room.add(index * len), len);
            let (sums, less) = room.split_at_mut(2 * period);
            // A third of the unit's room has the means: there are as many of at most eight bytes.
            let less = from_raw_parts_mut(less.as_mut_ptr().cast::<T>(), period);
            for (i, less) in less.iter_mut().enumerate() {
                *less = mean(example, i % sizes.channels);
            }
            return last::sums(isa, period, sizes.channels, x, dy, less, sums);
        }
        for run in part(sizes.examples * sizes.channels, index, sizes.sum_parts(), 1) {
            let (example, channel) = (run / sizes.channels, run % sizes.channels);
            let [x, dy] = [x, dy].map(|p| from_raw_parts(p.add(run * sizes.spots), sizes.spots));
            let to = room.add(example * len + channel);
            let mut both = [0.0; 2];
            runs::sums(isa, x, dy, mean(example, channel), &mut both);
            (*to, *to.add(period)) = (both[0], both[1]);
        }
    }
}

/// A part of the last step: `y = (x + c0) c1 + c2` forward, and `dx = (x + c0) c2 + c3 + dy c1` where `dy` is there. Coefficients lie by sets,
/// by their number, by channels of the period.
///
/// # Safety
/// As [`moments`], for all elements of `x`, `dy` and `out`; the coefficients are there.
pub unsafe fn write<T: Root>(
    isa: Isa,
    sizes: Channels,
    x: *const T,
    dy: Option<*const T>,
    coefficients: &[T],
    out: *mut T,
    index: usize,
) {
    if sizes.is_empty() {
        return;
    }
    let (period, many) = (sizes.period(), if dy.is_some() { 4 } else { 3 });
    let own = part(sizes.runs(), index, sizes.write_parts(), 1);
    let set = |example: usize| if sizes.batch { 0 } else { example * many * period };
    // SAFETY: by the caller's promise.
    unsafe {
        if sizes.last {
            let (of_example, all) = (sizes.runs() / sizes.examples.max(1), sizes.spots * sizes.channels);
            let mut run = own.start;
            while run < own.end {
                let (example, first) = (run / of_example, run % of_example);
                let runs = (own.end - run).min(of_example - first);
                let (start, end) = (first * period, ((first + runs) * period).min(all));
                let at = example * all + start;
                let coefficients = &coefficients[set(example)..set(example) + many * period];
                last::write(isa, period, end - start, x.add(at), dy.map(|dy| dy.add(at)), coefficients, out.add(at));
                run += runs;
            }
            return;
        }
        for run in own {
            let (example, channel) = (run / sizes.channels, run % sizes.channels);
            let coefficient = |i: usize| coefficients[set(example) + i.min(many - 1) * period + channel];
            let at = run * sizes.spots;
            let coefficients = [0, 1, 2, 3].map(coefficient);
            runs::write(isa, sizes.spots, x.add(at), dy.map(|dy| dy.add(at)), coefficients, out.add(at));
        }
    }
}
