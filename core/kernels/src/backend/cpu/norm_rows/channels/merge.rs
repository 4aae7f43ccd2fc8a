//! The middle step: sums of units become those of channels and groups, and these become coefficients of channels.
//! The operations run it in parts, between the passes of `mod.rs`.

use super::{Channels, PART};
use crate::backend::cpu::norm_rows::Root;
use crate::backend::cpu::part;
use std::ops::Range;
use std::slice::from_raw_parts_mut;

/// What the gradient is taken at: one mean and one variance for each group of each set, and a scale for each channel.
#[derive(Clone, Copy)]
pub struct Statistics<'a, T> {
    pub means: &'a [T],
    pub variances: &'a [T],
    pub scale: Option<&'a [T]>,
    pub epsilon: f64,
}

/// The units that a part merges, their channels, and the set of coefficients.
struct Share {
    units: Range<usize>,
    channels: Range<usize>,
    set: usize,
}

impl Channels {
    fn share(&self, index: usize) -> Share {
        let units = self.units();
        match self.batch {
            true => Share {
                units: 0..self.examples * units,
                channels: (index * PART).min(self.channels)..((index + 1) * PART).min(self.channels),
                set: 0,
            },
            // Without examples there is one part, which has nothing to do.
            false if index >= self.examples => Share { units: 0..0, channels: 0..0, set: 0 },
            false => Share { units: index * units..(index + 1) * units, channels: 0..self.channels, set: index },
        }
    }

    /// The elements of a channel that are normalised together.
    fn total(&self) -> f64 {
        (if self.batch { self.examples * self.spots } else { self.spots }) as f64
    }
}

/// Coefficient `number` of a channel, at all its places in the period.
///
/// # Safety
/// The coefficients of all sets are there.
unsafe fn put<T: Root>(
    sizes: &Channels,
    coefficients: *mut T,
    [set, many, number]: [usize; 3],
    channel: usize,
    value: f64,
) {
    let period = sizes.period();
    for j in (channel..period).step_by(sizes.channels) {
        // SAFETY: by the caller's promise.
        unsafe { *coefficients.add((set * many + number) * period + j) = T::rounded(value) };
    }
}

/// A part of the second step forward: writes mean and variance of groups, and three coefficients of each channel.
///
/// # Safety
/// `room` has the sums of all units; `means`, `variances` and `coefficients` have room for those of all sets. No two threads run the same part.
pub unsafe fn merge_moments<T: Root>(
    sizes: &Channels,
    epsilon: f64,
    [scale, offset]: [Option<&[T]>; 2],
    room: *mut f64,
    [means, variances, coefficients]: [*mut T; 3],
    index: usize,
) {
    let (Share { units, channels, set }, period) = (sizes.share(index), sizes.period());
    if units.is_empty() || channels.is_empty() {
        return;
    }
    let (each, total, width) = (sizes.each(), sizes.total(), channels.len());
    // SAFETY: by the caller's promise; a part has channels or units of its own.
    unsafe {
        let of_unit = |unit: usize, part: usize| {
            let at = room.add(unit * sizes.unit_len() + part * period + channels.start);
            from_raw_parts_mut(at, width)
        };
        let count = |unit: usize| sizes.count(unit % sizes.units()) as f64;
        // The mean of all units, then the squares around it, both in the first unit's room.
        let (middle, squares) = (of_unit(units.start, 2), of_unit(units.start, 1));
        middle.fill(if total > 0.0 { 0.0 } else { f64::NAN });
        for unit in units.clone().filter(|&unit| count(unit) > 0.0) {
            let share = count(unit) / total;
            middle.iter_mut().zip(of_unit(unit, 0)).for_each(|(middle, mean)| *middle += share * *mean);
        }
        for unit in units.clone().filter(|&unit| count(unit) > 0.0) {
            let (count, means) = (count(unit), of_unit(unit, 0));
            if unit == units.start {
                for ((square, mean), middle) in squares.iter_mut().zip(means).zip(&*middle) {
                    *square += count * (*mean - middle) * (*mean - middle);
                }
                continue;
            }
            for (((square, more), mean), middle) in squares.iter_mut().zip(of_unit(unit, 1)).zip(means).zip(&*middle) {
                *square += *more + count * (*mean - middle) * (*mean - middle);
            }
        }
        for (i, (middle, squares)) in middle.chunks(each).zip(squares.chunks(each)).enumerate() {
            let mean = middle.iter().sum::<f64>() / each as f64;
            let around: f64 = middle
                .iter()
                .zip(squares)
                .map(|(middle, square)| square + total * (middle - mean) * (middle - mean))
                .sum();
            let variance = around / (total * each as f64);
            let group = set * sizes.groups + channels.start / each + i;
            let (mean, variance) = (T::rounded(mean), T::rounded(variance));
            (*means.add(group), *variances.add(group)) = (mean, variance);
            let root = 1.0 / (variance.wide() + epsilon).sqrt();
            for channel in channels.start + i * each..channels.start + (i + 1) * each {
                let scale = scale.map_or(1.0, |scale| scale[channel].wide());
                put(sizes, coefficients, [set, 3, 0], channel, -mean.wide());
                put(sizes, coefficients, [set, 3, 1], channel, root * scale);
                put(sizes, coefficients, [set, 3, 2], channel, offset.map_or(0.0, |offset| offset[channel].wide()));
            }
        }
    }
}

/// A part of the second step backward: four coefficients of each channel. Each set leaves its part of the gradients of scale and offset in
/// its first unit's room.
///
/// # Safety
/// As [`merge_moments`].
pub unsafe fn merge_gradient<T: Root>(
    sizes: &Channels,
    at: Statistics<'_, T>,
    room: *mut f64,
    coefficients: *mut T,
    index: usize,
) {
    let (Share { units, channels, set }, period) = (sizes.share(index), sizes.period());
    if units.is_empty() || channels.is_empty() {
        return;
    }
    let (each, total, width) = (sizes.each(), sizes.total(), channels.len());
    // SAFETY: by the caller's promise; a part has channels or units of its own.
    unsafe {
        let of_unit = |unit: usize, part: usize| {
            let at = room.add(unit * sizes.unit_len() + part * period + channels.start);
            from_raw_parts_mut(at, width)
        };
        let (all, along) = (of_unit(units.start, 0), of_unit(units.start, 1));
        for unit in units.skip(1) {
            all.iter_mut().zip(of_unit(unit, 0)).for_each(|(sum, more)| *sum += *more);
            along.iter_mut().zip(of_unit(unit, 1)).for_each(|(sum, more)| *sum += *more);
        }
        let scale = |channel: usize| at.scale.map_or(1.0, |scale| scale[channels.start + channel].wide());
        for i in 0..width / each {
            let group = set * sizes.groups + channels.start / each + i;
            let (mean, root) = (at.means[group].wide(), 1.0 / (at.variances[group].wide() + at.epsilon).sqrt());
            let own = i * each..(i + 1) * each;
            let over = total * each as f64;
            let middle = own.clone().map(|c| scale(c) * all[c]).sum::<f64>() / over;
            let slope = own.clone().map(|c| scale(c) * along[c]).sum::<f64>() / over;
            for c in own {
                let channel = channels.start + c;
                put(sizes, coefficients, [set, 4, 0], channel, -mean);
                put(sizes, coefficients, [set, 4, 1], channel, scale(c) * root);
                put(sizes, coefficients, [set, 4, 2], channel, -(root * root * root) * slope);
                put(sizes, coefficients, [set, 4, 3], channel, -root * middle);
                if total > 0.0 {
                    along[c] *= root;
                }
            }
        }
    }
}

/// A part of the gradients of scale and offset: the sums of what sets left in their rooms, in order.
///
/// # Safety
/// After all parts of [`merge_gradient`]; `room` is that of all units, and `to` has room for all channels. No two threads run the same part.
pub unsafe fn column_sums<T: Root>(sizes: &Channels, room: *mut f64, to: [Option<*mut T>; 2], index: usize) {
    let channels = part(sizes.channels, index, sizes.column_parts(), 1);
    let step = sizes.units() * sizes.unit_len();
    for (number, to) in [1, 0].into_iter().zip(to) {
        let Some(to) = to else { continue };
        // SAFETY: by the caller's promise; a part has channels of its own.
        unsafe {
            let out = from_raw_parts_mut(to.add(channels.start), channels.len());
            let of_set = |set: usize| {
                from_raw_parts_mut(room.add(set * step + number * sizes.period() + channels.start), channels.len())
            };
            if sizes.sets() == 0 {
                out.fill(T::ZERO);
                continue;
            }
            let sums = of_set(0);
            for set in 1..sizes.sets() {
                sums.iter_mut().zip(of_set(set)).for_each(|(sum, more)| *sum += *more);
            }
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = T::rounded(*sum));
        }
    }
}
