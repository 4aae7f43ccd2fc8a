//! The sums over all alignments of a label with frames, forward and backward, in logarithms: loss, gradient and curvature of one example.
//! The operations in `loss.rs` run it, on numbers or on numbers with a derivative.

use std::ops::{Add, Sub};

/// A logarithm of a probability, or one with its derivative along a direction.
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

/// A number and its derivative.
#[derive(Clone, Copy)]
pub(super) struct Dual {
    pub x: f64,
    pub dx: f64,
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, dx: self.dx + other.dx }
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, dx: self.dx - other.dx }
    }
}

impl Log for Dual {
    const NEVER: Self = Self { x: f64::NEG_INFINITY, dx: 0.0 };
    const SURE: Self = Self { x: 0.0, dx: 0.0 };

    fn value(self) -> f64 {
        self.x
    }

    fn exp(self) -> Self {
        let x = self.x.exp();
        Self { x, dx: x * self.dx }
    }

    fn or(self, other: Self) -> Self {
        let x = self.x.or(other.x);
        if x == f64::NEG_INFINITY {
            return Self::NEVER;
        }
        let share = |part: Self| if part.x == f64::NEG_INFINITY { 0.0 } else { (part.x - x).exp() * part.dx };
        Self { x, dx: share(self) + share(other) }
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
    let class = |state: usize| if state % 2 == 0 { example.blank } else { label[state / 2] };
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
        let with_frame: Vec<L> =
            (0..states).map(|s| if after[s].value() == f64::NEG_INFINITY { L::NEVER } else { after[s] + chance(t, s) }).collect();
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
