//! One spatial axis of a convolution: which source index a tap of an output index reads, and where it falls outside.
//! The drivers cut a range of outputs into runs with the same valid taps, so that no inner loop tests for borders.

use std::ops::Range;

/// Output `o` reads source `start + o * stride + tap * dilation` for each tap; indices outside `0..source` are zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub source: usize,
    pub start: isize,
    pub stride: usize,
    pub taps: usize,
    pub dilation: usize,
}

/// Outputs that share their valid taps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub outputs: Range<usize>,
    pub taps: Range<usize>,
}

impl Axis {
    /// The source index of a tap that is valid for the output.
    #[inline]
    pub fn at(&self, output: usize, tap: usize) -> usize {
        (self.start + (output * self.stride + tap * self.dilation) as isize) as usize
    }

    /// The taps of an output that read inside the source.
    fn valid(&self, output: usize) -> Range<usize> {
        let first = self.start + (output * self.stride) as isize;
        let low = if first < 0 { first.unsigned_abs().div_ceil(self.dilation) } else { 0 };
        let high = match self.source as isize - 1 - first {
            room if room < 0 => 0,
            room => (room as usize / self.dilation + 1).min(self.taps),
        };
        if low < high { low..high } else { 0..0 }
    }

    /// The first run within a range that is not empty.
    pub fn run(&self, range: Range<usize>) -> Run {
        let taps = self.valid(range.start);
        let mut end = range.start + 1;
        if taps == (0..self.taps) && self.taps > 0 {
            // The interior ends where the last tap leaves the source; closed form, since it may be long.
            let last = self.at(range.start, self.taps - 1);
            end = range.end.min(range.start + 1 + (self.source - 1 - last) / self.stride);
        } else {
            while end < range.end && self.valid(end) == taps {
                end += 1;
            }
        }
        Run { outputs: range.start..end, taps }
    }

    /// All runs within a range, in order.
    pub fn runs(self, range: Range<usize>) -> impl Iterator<Item = Run> {
        let mut rest = range;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let run = self.run(rest.clone());
            rest.start = run.outputs.end;
            Some(run)
        })
    }

    /// The outputs within a range for which one tap reads inside the source.
    pub fn outputs(&self, tap: usize, range: Range<usize>) -> Range<usize> {
        let first = self.start + (tap * self.dilation) as isize;
        let low = if first < 0 { first.unsigned_abs().div_ceil(self.stride) } else { 0 };
        let high = match self.source as isize - 1 - first {
            room if room < 0 => 0,
            room => room as usize / self.stride + 1,
        };
        range.start.max(low)..range.end.min(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_the_range_and_agree_with_the_definition() {
        for (source, start, stride, taps, dilation) in
            [(5, -1, 1, 3, 1), (7, -4, 2, 3, 2), (1, -6, 1, 3, 3), (9, 0, 3, 1, 1), (4, 2, 1, 4, 1), (6, -2, 1, 0, 1)]
        {
            let axis = Axis { source, start, stride, taps, dilation };
            let inside = |o: usize, t: usize| {
                let i = start + (o * stride + t * dilation) as isize;
                (0..source as isize).contains(&i)
            };
            let mut next = 0;
            for run in axis.runs(0..12) {
                assert_eq!(run.outputs.start, next);
                next = run.outputs.end;
                for o in run.outputs {
                    for t in 0..taps {
                        assert_eq!(run.taps.contains(&t), inside(o, t), "{axis:?} output {o} tap {t}");
                    }
                }
            }
            assert_eq!(next, 12);
            for t in 0..taps {
                let valid = axis.outputs(t, 1..11);
                for o in 1..11 {
                    assert_eq!(valid.contains(&o), inside(o, t), "{axis:?} output {o} tap {t}");
                }
            }
        }
    }
}
