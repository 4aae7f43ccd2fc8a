//! Logarithms as vector operations, step by step those of `math/single/log.rs`, so that the bits agree.
//! `lower.rs` calls them for the instructions of a program.

use super::functions::{LN2_HI, LN2_LO, Rounding, SIGN};
use super::ops::{List, Op, Value, compare};
use crate::backend::cpu::math::single::log::{EVEN, ODD};

impl List {
    pub fn log(&mut self, x: Value) -> Value {
        let (normal, up, zero) = (self.float(f32::MIN_POSITIVE), self.float(8_388_608.0), self.float(0.0));
        let tiny = self.compare(compare::LESS, x, normal);
        let scaled = self.push(Op::Mul, &[x, up]);
        let scaled = self.push(Op::Choose, &[tiny, scaled, x]);
        let (k, f) = self.split(scaled);
        let k = self.push(Op::Float, &[k]);
        let steps = self.float(23.0);
        let steps = self.push(Op::Choose, &[tiny, steps, zero]);
        let k = self.push(Op::Sub, &[k, steps]);
        let y = self.combine(k, f, None);
        let (infinity, nan, lowest) = (self.float(f32::INFINITY), self.float(f32::NAN), self.float(f32::NEG_INFINITY));
        let finite = self.compare(compare::LESS, x, infinity);
        let y = self.push(Op::Choose, &[finite, y, x]);
        let below = self.compare(compare::LESS, x, zero);
        let y = self.push(Op::Choose, &[below, nan, y]);
        let none = self.compare(compare::EQUAL, x, zero);
        self.push(Op::Choose, &[none, lowest, y])
    }

    pub fn log1p(&mut self, x: Value) -> Value {
        let (one, half, minus_half) = (self.float(1.0), self.float(0.5), self.float(-0.5));
        let u = self.push(Op::Add, &[one, x]);
        // The processor's answer is the second where either is NaN, as that of the comparisons.
        let (most, least) = (self.push(Op::Max, &[x, one]), self.push(Op::Min, &[x, one]));
        let c = self.push(Op::Sub, &[u, most]);
        let c = self.push(Op::Sub, &[least, c]);
        let (k, f) = self.split(u);
        let bias = self.bits(128);
        let down = self.push(Op::SubI, &[bias, k]);
        let down = self.push(Op::ShlI(23), &[down]);
        let low = self.push(Op::Mul, &[c, down]);
        let inverse = self.push(Op::Fma, &[half, f, minus_half]);
        let inverse = self.push(Op::Fma, &[f, inverse, half]);
        let low = self.push(Op::Mul, &[low, inverse]);
        let k = self.push(Op::Float, &[k]);
        let y = self.combine(k, f, Some(low));
        let (infinity, nan, lowest) = (self.float(f32::INFINITY), self.float(f32::NAN), self.float(f32::NEG_INFINITY));
        let (minus, sign) = (self.float(-1.0), self.bits(SIGN));
        let finite = self.compare(compare::LESS, x, infinity);
        let y = self.push(Op::Choose, &[finite, y, x]);
        let below = self.compare(compare::LESS, x, minus);
        let y = self.push(Op::Choose, &[below, nan, y]);
        let none = self.compare(compare::EQUAL, x, minus);
        let y = self.push(Op::Choose, &[none, lowest, y]);
        let sign = self.push(Op::And, &[x, sign]);
        self.push(Op::Or, &[y, sign])
    }

    /// `(k, f)` with the number `x` = 2^k (1 + f).
    fn split(&mut self, x: Value) -> (Value, Value) {
        let (root, one) = (self.bits(0x3f35_04f3), self.float(1.0));
        let k = self.push(Op::SubI, &[x, root]);
        let k = self.push(Op::SarI(23), &[k]);
        let down = self.push(Op::ShlI(23), &[k]);
        let m = self.push(Op::SubI, &[x, down]);
        (k, self.push(Op::Sub, &[m, one]))
    }

    /// `combine` of `math/single/log.rs`.
    fn combine(&mut self, k: Value, f: Value, low: Option<Value>) -> Value {
        let z = self.push(Op::Mul, &[f, f]);
        let (even, odd) = (self.horner(Rounding::Once, z, &EVEN), self.horner(Rounding::Once, z, &ODD));
        let (minus_half, high, rest) = (self.float(-0.5), self.float(LN2_HI), self.float(LN2_LO));
        let p = self.push(Op::Fma, &[f, odd, even]);
        let q = self.push(Op::Fma, &[f, p, minus_half]);
        let s = self.push(Op::Fma, &[k, high, f]);
        let lost = self.push(Op::Fnma, &[k, high, s]);
        let lost = self.push(Op::Sub, &[f, lost]);
        let lost = low.map_or(lost, |low| self.push(Op::Add, &[lost, low]));
        let tail = self.push(Op::Fma, &[z, q, lost]);
        let tail = self.push(Op::Fma, &[k, rest, tail]);
        self.push(Op::Add, &[s, tail])
    }
}
