//! Single draws of distributions with parameters: gamma, Poisson, binomial and categorical numbers, as TensorFlow's kernels draw them.
//! The random operation of such laws calls them, element by element: each has a stretch of counters of its own.

use super::{Philox, math};
use crate::backend::special::log_gamma;

/// Counters that TensorFlow sets aside for one element.
const RESERVED: u64 = 256;

/// Numbers of groups, taken from the last of each group to the first.
struct Uniforms {
    state: Philox,
    group: [u32; 4],
    left: usize,
}

impl Uniforms {
    fn new(state: Philox) -> Self {
        Self { state, group: [0; 4], left: 0 }
    }

    fn double(&mut self) -> f64 {
        if self.left == 0 {
            self.group = self.state.block();
            self.state = self.state.skip(1);
            self.left = 2;
        }
        self.left -= 1;
        let at = 2 * self.left;
        math::unit_f64(self.group[at], self.group[at + 1])
    }
}

/// Element `index` of gamma numbers with shape `alpha` and scale 1, by Marsaglia and Tsang's rejection.
pub fn gamma(state: Philox, index: u64, alpha: f64) -> f64 {
    let mut state = state.skip(index.wrapping_mul(RESERVED));
    if alpha == 1.0 {
        let group = state.block();
        return -(-math::unit_f64(group[2], group[3])).ln_1p();
    }
    if alpha.is_nan() || alpha < 0.0 {
        return f64::NAN;
    }
    let small = alpha < 1.0;
    let d = alpha + if small { 2.0 / 3.0 } else { -1.0 / 3.0 };
    let c = 1.0 / 3.0 / d.sqrt();
    // Normal and uniform numbers come from one stream, each kind in groups of two whose second is taken first.
    let (mut normals, mut uniforms) = (None, None);
    let mut next = || {
        let group = state.block();
        state = state.skip(1);
        group
    };
    loop {
        let x = match normals.take() {
            Some(x) => x,
            None => {
                let (first, second) = math::normal_pair_f64(next());
                normals = Some(first);
                second
            }
        };
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let mut uniform = || match uniforms.take() {
            Some(u) => u,
            None => {
                let group = next();
                uniforms = Some(math::unit_f64(group[0], group[1]));
                math::unit_f64(group[2], group[3])
            }
        };
        let u = uniform();
        if u < 1.0 - 0.0331 * (x * x) * (x * x) || u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            let drawn = d * v;
            return if small { drawn * uniform().powf(1.0 / alpha) } else { drawn };
        }
        if d.is_infinite() {
            // Every test fails with infinite numbers; TensorFlow answers with the mean.
            return d;
        }
    }
}

/// Element `index` of Poisson numbers: products of uniform numbers below a rate of 10, from there Hörmann's rejection.
///
/// NaN for a rate that is none, on which TensorFlow's kernel never ends.
pub fn poisson(state: Philox, index: u64, rate: f64) -> f64 {
    let mut uniforms = Uniforms::new(state.skip(index.wrapping_mul(RESERVED)));
    if rate.is_nan() || rate == f64::INFINITY {
        return rate;
    }
    if rate < 10.0 {
        let limit = (-rate).exp();
        let (mut product, mut count) = (1.0, 0.0);
        loop {
            product *= uniforms.double();
            if product <= limit {
                return count;
            }
            count += 1.0;
        }
    }
    let log_rate = rate.ln();
    let b = 0.931 + 2.53 * rate.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse = 1.1239 + 1.1328 / (b - 3.4);
    loop {
        let u = uniforms.double() - 0.5;
        let v = uniforms.double();
        let shifted = 0.5 - u.abs();
        let k = ((2.0 * a / shifted + b) * u + rate + 0.43).floor();
        if shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0) {
            return k;
        }
        if k < 0.0 || (shifted < 0.013 && v > shifted) {
            continue;
        }
        let s = (v * inverse / (a / (shifted * shifted) + b)).ln();
        if s <= -rate + k * log_rate - log_gamma(k + 1.0) {
            return k;
        }
    }
}

/// Element `index` of binomial numbers: of `count` trials those that succeed. `mean` is `count` times the smaller of `prob` and
/// 1 - `prob`, as the parameters' type has it, by which TensorFlow chooses between inversion and Hörmann's rejection; `rare` is that
/// smaller one.
pub fn binomial(state: Philox, index: u64, count: f64, prob: f64, rare: f64, mean: f64) -> f64 {
    if count <= 0.0 || prob <= 0.0 {
        return 0.0;
    }
    if prob >= 1.0 {
        return count;
    }
    if prob.is_nan() || count.is_nan() {
        return f64::NAN;
    }
    let drawn = if mean >= 10.0 {
        by_rejection(Uniforms::new(state.skip(index.wrapping_mul(RESERVED))), count, rare)
    } else {
        by_inversion(Uniforms::new(state.skip(index.wrapping_mul(42))), count, rare)
    };
    if prob <= 0.5 { drawn } else { count - drawn }
}

fn by_inversion(mut uniforms: Uniforms, count: f64, prob: f64) -> f64 {
    let (mut sum, mut found) = (0.0, 0.0);
    loop {
        sum += (uniforms.double().ln() / (-prob).ln_1p()).ceil();
        if sum > count {
            return found;
        }
        found += 1.0;
    }
}

/// What Stirling's formula leaves of log(k!).
fn stirling_tail(k: f64) -> f64 {
    const SMALL: [f64; 10] = [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ];
    if k <= 9.0 {
        return SMALL[k as usize];
    }
    let square = (k + 1.0) * (k + 1.0);
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)
}

fn by_rejection(mut uniforms: Uniforms, count: f64, prob: f64) -> f64 {
    let deviation = (count * prob * (1.0 - prob)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * prob;
    let c = count * prob + 0.5;
    let sure = 0.92 - 4.2 / b;
    let odds = prob / (1.0 - prob);
    let alpha = (2.83 + 5.1 / b) * deviation;
    let m = ((count + 1.0) * prob).floor();
    loop {
        let u = uniforms.double();
        let v = uniforms.double();
        let u = u - 0.5;
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + c).floor();
        if us >= 0.07 && v <= sure {
            return k;
        }
        if k < 0.0 || k > count {
            continue;
        }
        let v = (v * alpha / (a / (us * us) + b)).ln();
        let bound = (m + 0.5) * ((m + 1.0) / (odds * (count - m + 1.0))).ln()
            + (count + 1.0) * ((count - m + 1.0) / (count - k + 1.0)).ln()
            + (k + 0.5) * (odds * (count - k + 1.0) / (k + 1.0)).ln()
            + stirling_tail(m)
            + stirling_tail(count - m)
            - stirling_tail(k)
            - stirling_tail(count - k);
        if v <= bound {
            return k;
        }
    }
}

/// The running sums of the probabilities of a row of logits, not normalised; logits that are not finite add nothing.
pub fn running_chances(logits: impl Iterator<Item = f64> + Clone, lowest: f64, sums: &mut Vec<f64>) {
    let greatest = logits.clone().filter(|logit| logit.is_finite()).fold(lowest, f64::max);
    let mut total = 0.0;
    sums.clear();
    sums.extend(logits.map(|logit| {
        if logit.is_finite() {
            total += (logit - greatest).exp();
        }
        total
    }));
}

/// The class that element `index` of a categorical draw has, by the running sums of its row: their number where all are zero.
pub fn category(state: Philox, index: u64, sums: &[f64]) -> usize {
    let group = state.skip(index / 2).block();
    let at = 2 * (index % 2) as usize;
    let wanted = math::unit_f64(group[at], group[at + 1]) * sums.last().copied().unwrap_or(0.0);
    sums.partition_point(|&sum| sum <= wanted)
}
