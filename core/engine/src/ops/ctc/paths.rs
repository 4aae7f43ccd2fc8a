//! The sums over all alignments of a label with frames, forward and backward, in logarithms: loss, gradient and further derivatives of one example.
//! The operations in `loss.rs` run it, on numbers or on numbers with derivatives.

use std::ops::{Add, Sub};

/// A logarithm of a probability, or one with derivatives.
pub(super) trait Log: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// Of the impossible.
    const NEVER: Self;
    /// Of the certain.
    const SURE: Self;
    fn value(self) -> f64;
    /// e to the power of it.
    fn exp(self) -> Self;
    /// log(e^a + e^b).
    fn or(self, other: Self) -> Self;
}

impl Log for f64 {
    const NEVER: Self = f64::NEG_INFINITY;
    const SURE: Self = 0.0;

    fn value(self) -> f64 {
        self
    }

    fn exp(self) -> Self {
        f64::exp(self)
    }

    fn or(self, other: Self) -> Self {
        let top = self.max(other);
        if top == f64::NEG_INFINITY { top } else { top + (f64::exp(self - top) + f64::exp(other - top)).ln() }
    }
}

/// A number with its derivatives along directions, of which each counts once: that along the set of directions whose bits a place has. `N` is 2
/// to the power of how many directions there are.
#[derive(Clone, Copy)]
pub(super) struct Jet<const N: usize>(pub [f64; N]);

impl<const N: usize> Jet<N> {
    /// What the product rule adds up for `set` without its first direction `bit`, that one taken of `a`: all but the first part of `b` if `but_last`.
    fn leibniz(a: &[f64; N], b: &[f64; N], set: usize, bit: usize, but_last: bool) -> f64 {
        let rest = set & !bit;
        let (mut sum, mut part) = (0.0, rest);
        loop {
            if !(but_last && part == rest) {
                sum += a[part | bit] * b[rest & !part];
            }
            if part == 0 {
                return sum;
            }
            part = (part - 1) & rest;
        }
    }
}

impl<const N: usize> Add for Jet<N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl<const N: usize> Sub for Jet<N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl<const N: usize> Log for Jet<N> {
    const NEVER: Self = {
        let mut all = [0.0; N];
        all[0] = f64::NEG_INFINITY;
        Self(all)
    };
    const SURE: Self = Self([0.0; N]);

    fn value(self) -> f64 {
        self.0[0]
    }

    fn exp(self) -> Self {
        let mut y = [0.0; N];
        y[0] = self.0[0].exp();
        for set in 1..N {
            // y' = x' y along the first direction of the set.
            y[set] = Self::leibniz(&self.0, &y, set, set & set.wrapping_neg(), false);
        }
        Self(y)
    }

    fn or(mut self, mut other: Self) -> Self {
        let top = self.0[0].max(other.0[0]);
        if top == f64::NEG_INFINITY {
            return Self::NEVER;
        }
        self.0[0] -= top;
        other.0[0] -= top;
        let Self(sum) = self.exp() + other.exp();
        let mut y = [0.0; N];
        y[0] = sum[0].ln();
        for set in 1..N {
            // sum' = y' sum, of which the part with all of y's directions is what is looked for.
            y[set] = (sum[set] - Self::leibniz(&y, &sum, set, set & set.wrapping_neg(), true)) / sum[0];
        }
        y[0] += top;
        Self(y)
    }
}

/// One example: logits by frame and class, and the label without blanks.
pub(super) struct Example<'a, L> {
    /// `[frames][classes]`.
    pub logits: &'a [L],
    pub classes: usize,
    pub label: &'a [usize],
    pub blank: usize,
}

/// The loss -log p(label), and its gradient by the logits into `slopes`. Where no alignment fits, the loss is infinite and the gradient zero.
pub(super) fn loss_and_gradient<L: Log>(example: &Example<'_, L>, slopes: &mut [L]) -> L {
    let (classes, label) = (example.classes, example.label);
    let frames = example.logits.len().checked_div(classes).unwrap_or(0);
    // Blanks before, between and behind.
    let states = 2 * label.len() + 1;
    let class = |state: usize| if state.is_multiple_of(2) { example.blank } else { label[state / 2] };
    // From the state before the last one, unless that skips a blank between two equal labels.
    let skips = |state: usize| state >= 2 && state % 2 == 1 && class(state) != class(state - 2);
    let chances: Vec<L> = example
        .logits
        .chunks_exact(classes.max(1))
        .flat_map(|row| {
            let all = row.iter().fold(L::NEVER, |all, &x| all.or(x));
            row.iter().map(move |&x| x - all)
        })
        .collect();
    let chance = |frame: usize, state: usize| chances[frame * classes + class(state)];
    let mut before = vec![L::NEVER; frames * states];
    for t in 0..frames {
        for s in 0..states {
            let mut sum = match t {
                0 if s < 2 => L::SURE,
                0 => L::NEVER,
                _ => before[(t - 1) * states + s],
            };
            if t > 0 && s > 0 {
                sum = sum.or(before[(t - 1) * states + s - 1]);
            }
            if t > 0 && skips(s) {
                sum = sum.or(before[(t - 1) * states + s - 2]);
            }
            before[t * states + s] = if sum.value() == f64::NEG_INFINITY { L::NEVER } else { sum + chance(t, s) };
        }
    }
    let total = match frames {
        // Nothing said in no time at all is certain.
        0 if label.is_empty() => L::SURE,
        0 => L::NEVER,
        _ => {
            let last = &before[(frames - 1) * states..];
            if states > 1 { last[states - 1].or(last[states - 2]) } else { last[0] }
        }
    };
    let loss = L::SURE - total;
    if total.value() == f64::NEG_INFINITY {
        slopes.fill(L::SURE);
        return loss;
    }
    // What follows a state, without its own frame.
    let mut after: Vec<L> = (0..states).map(|s| if s + 2 >= states { L::SURE } else { L::NEVER }).collect();
    for t in (0..frames).rev() {
        let mut used = vec![L::NEVER; classes];
        for s in 0..states {
            let here = before[t * states + s];
            if here.value() != f64::NEG_INFINITY && after[s].value() != f64::NEG_INFINITY {
                used[class(s)] = used[class(s)].or(here + after[s] - total);
            }
        }
        for (k, slope) in slopes[t * classes..(t + 1) * classes].iter_mut().enumerate() {
            *slope = chances[t * classes + k].exp() - used[k].exp();
        }
        let with_frame: Vec<L> = (0..states)
            .map(|s| if after[s].value() == f64::NEG_INFINITY { L::NEVER } else { after[s] + chance(t, s) })
            .collect();
        for s in 0..states {
            let mut sum = with_frame[s];
            if s + 1 < states {
                sum = sum.or(with_frame[s + 1]);
            }
            if s + 2 < states && skips(s + 2) {
                sum = sum.or(with_frame[s + 2]);
            }
            after[s] = sum;
        }
    }
    loss
}
