//! The element functions of `f32` as lists of vector operations: those of `backend/cpu/math/single`, step for step.
//! `lower.rs` calls these; tests hold every one against the loop that the tile machine runs, bit for bit.

use super::ops::{List, Op, Value, compare};
use crate::backend::cpu::math::single::erf::{FAR, NEAR, TAIL};
pub(super) use crate::backend::cpu::math::single::exp::{LN2_HI, LN2_LO};
use crate::backend::cpu::math::single::exp::{MINUS_POWER, POWER};
use std::f32::consts::LOG2_E;

/// 1.5 * 2^23, as in `math/single/exp.rs`.
const SHIFTER: f32 = 12_582_912.0;
pub(super) const SIGN: u32 = 0x8000_0000;

/// How a product and a sum are computed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rounding {
    Once,
    Twice,
}

impl List {
    pub fn abs(&mut self, x: Value) -> Value {
        let mask = self.bits(!SIGN);
        self.push(Op::And, &[x, mask])
    }

    pub fn neg(&mut self, x: Value) -> Value {
        let sign = self.bits(SIGN);
        self.push(Op::Xor, &[x, sign])
    }

    /// The size of `x` with the sign of `y`.
    fn copysign(&mut self, x: Value, y: Value) -> Value {
        let sign = self.bits(SIGN);
        self.push(Op::Bits, &[x, y, sign])
    }

    pub(super) fn compare(&mut self, how: u8, x: Value, y: Value) -> Value {
        self.push(Op::Compare(how), &[x, y])
    }

    /// `if x > y || x != x { x } else { y }`.
    pub fn max(&mut self, x: Value, y: Value) -> Value {
        self.extreme(Op::Max, x, y)
    }

    /// `if x < y || x != x { x } else { y }`.
    pub fn min(&mut self, x: Value, y: Value) -> Value {
        self.extreme(Op::Min, x, y)
    }

    fn extreme(&mut self, op: Op, x: Value, y: Value) -> Value {
        // One comparison less where only x can be NaN: "not at most" and "not at least" are true then.
        if self.constant(y).is_some_and(|y| !y.is_nan()) {
            let how = if op == Op::Max { compare::NOT_AT_MOST } else { compare::NOT_AT_LEAST };
            let mine = self.compare(how, x, y);
            return self.push(Op::Choose, &[mine, x, y]);
        }
        // The processor's answers the second operand where either is NaN.
        let best = self.push(op, &[x, y]);
        let nan = self.compare(compare::UNORDERED, x, x);
        self.push(Op::Choose, &[nan, x, best])
    }

    /// -1, 0 or 1; zeros and NaN as they are.
    pub fn sign(&mut self, x: Value) -> Value {
        let (zero, one, minus) = (self.float(0.0), self.float(1.0), self.float(-1.0));
        let above = self.compare(compare::LESS, zero, x);
        let below = self.compare(compare::LESS, x, zero);
        let y = self.push(Op::Choose, &[below, minus, x]);
        self.push(Op::Choose, &[above, one, y])
    }

    /// `a b + c`.
    pub(super) fn fma(&mut self, how: Rounding, a: Value, b: Value, c: Value) -> Value {
        match how {
            Rounding::Once => self.push(Op::Fma, &[a, b, c]),
            Rounding::Twice => {
                let product = self.push(Op::Mul, &[a, b]);
                self.push(Op::Add, &[product, c])
            }
        }
    }

    /// `c0 + x (c1 + x (c2 + ...))`.
    pub(super) fn horner(&mut self, how: Rounding, x: Value, c: &[f32]) -> Value {
        let mut sum = self.float(c[c.len() - 1]);
        for &c in c[..c.len() - 1].iter().rev() {
            let c = self.float(c);
            sum = self.fma(how, x, sum, c);
        }
        sum
    }

    /// `(t, n)` of `math/single/exp.rs`.
    fn rounded(&mut self, x: Value, bias: f32) -> (Value, Value) {
        let (log, bias) = (self.float(LOG2_E), self.float(SHIFTER + bias));
        let t = self.push(Op::Fma, &[x, log, bias]);
        (t, self.push(Op::Sub, &[t, bias]))
    }

    /// `x - n log 2`.
    fn remainder(&mut self, x: Value, n: Value) -> Value {
        let (high, low) = (self.float(-LN2_HI), self.float(-LN2_LO));
        let r = self.push(Op::Fma, &[n, high, x]);
        self.push(Op::Fma, &[n, low, r])
    }

    /// `e^(x - n log 2)`.
    fn power(&mut self, x: Value, n: Value) -> Value {
        let one = self.float(1.0);
        let r = self.remainder(x, n);
        let q = self.horner(Rounding::Once, r, &POWER);
        let q = self.push(Op::Fma, &[r, q, one]);
        self.push(Op::Fma, &[r, q, one])
    }

    pub fn exp(&mut self, x: Value) -> Value {
        let (most, least) = (self.float(89.0), self.float(-104.0));
        let x = self.push(Op::Min, &[most, x]);
        let x = self.push(Op::Max, &[least, x]);
        let (t, n) = self.rounded(x, 254.0);
        let y = self.power(x, n);
        self.scaled(y, t)
    }

    /// `2^(n / 2)` twice, rounded down and up, for the `t` of `rounded` with a bias of 254.
    fn halves(&mut self, t: Value) -> (Value, Value) {
        let down = self.push(Op::ShrI(1), &[t]);
        // What lies above the integer in `t` is lost in the last shift either way.
        let up = self.push(Op::SubI, &[t, down]);
        (self.push(Op::ShlI(23), &[down]), self.push(Op::ShlI(23), &[up]))
    }

    /// `y 2^n` for the `t` of `rounded` with a bias of 254.
    fn scaled(&mut self, y: Value, t: Value) -> Value {
        let (down, up) = self.halves(t);
        let y = self.push(Op::Mul, &[y, down]);
        self.push(Op::Mul, &[y, up])
    }

    pub fn expm1(&mut self, x: Value) -> Value {
        let (most, least, log) = (self.float(89.0), self.float(-18.0), self.float(LOG2_E));
        let c = self.push(Op::Min, &[most, x]);
        let c = self.push(Op::Max, &[least, c]);
        let shifter = self.float(SHIFTER);
        let t = self.fma(Rounding::Twice, c, log, shifter);
        let n = self.push(Op::Sub, &[t, shifter]);
        let (high, low, bias) = (self.float(LN2_HI), self.float(LN2_LO), self.bits(SHIFTER.to_bits() - 126));
        let main = self.push(Op::Mul, &[n, high]);
        let main = self.push(Op::Sub, &[c, main]);
        let rest = self.push(Op::Mul, &[n, low]);
        let r = self.push(Op::Sub, &[main, rest]);
        let lost = self.push(Op::Sub, &[main, r]);
        let lost = self.push(Op::Sub, &[lost, rest]);
        let q = self.horner(Rounding::Twice, r, &POWER);
        let square = self.push(Op::Mul, &[r, r]);
        let end = self.fma(Rounding::Twice, square, q, lost);
        // 2^(n - 1): the low bits of the shifted sum hold n.
        let half = self.push(Op::SubI, &[t, bias]);
        let half = self.push(Op::ShlI(23), &[half]);
        let point = self.float(0.5);
        let a = self.push(Op::Sub, &[half, point]);
        let b = self.push(Op::Mul, &[half, r]);
        let s = self.push(Op::Add, &[a, b]);
        let kept = self.push(Op::Sub, &[s, a]);
        let error = self.push(Op::Sub, &[b, kept]);
        let error = self.fma(Rounding::Twice, half, end, error);
        let y = self.push(Op::Add, &[s, error]);
        let y = self.push(Op::Add, &[y, y]);
        let (size, tiny) = (self.abs(x), self.float(2.980_232_2e-8));
        let same = self.compare(compare::LESS, size, tiny);
        self.push(Op::Choose, &[same, x, y])
    }

    pub fn erf(&mut self, x: Value) -> Value {
        let how = Rounding::Once;
        let a = self.abs(x);
        let z = self.push(Op::Mul, &[a, a]);
        let p = self.horner(how, z, &NEAR);
        let small = self.fma(how, a, p, a);
        let (end, one) = (self.float(3.95), self.float(1.0));
        let c = self.push(Op::Min, &[end, a]);
        let q = self.horner(how, c, &FAR);
        let q = self.neg(q);
        let e = self.exp(q);
        let large = self.push(Op::Sub, &[one, e]);
        let is_small = self.compare(compare::LESS, a, one);
        let y = self.push(Op::Choose, &[is_small, small, large]);
        self.copysign(y, x)
    }

    pub fn erfc(&mut self, x: Value) -> Value {
        let how = Rounding::Once;
        let (end, three, one, two) = (self.float(10.5), self.float(3.0), self.float(1.0), self.float(2.0));
        let a = self.abs(x);
        let a = self.push(Op::Min, &[end, a]);
        let sum = self.push(Op::Add, &[a, three]);
        let t = self.push(Op::Div, &[one, sum]);
        let minus = self.neg(t);
        let missing = self.push(Op::Fma, &[minus, sum, one]);
        let lost = self.push(Op::Sub, &[sum, three]);
        let lost = self.push(Op::Sub, &[a, lost]);
        let missing = self.push(Op::Fma, &[minus, lost, missing]);
        let q = self.push(Op::Sub, &[a, three]);
        let q = self.push(Op::Mul, &[q, t]);
        let q = self.push(Op::Fma, &[q, missing, q]);
        let s = self.horner(how, q, &TAIL);
        let s = self.push(Op::Mul, &[s, t]);
        let s = self.push(Op::Fma, &[s, missing, s]);
        let square = self.push(Op::Mul, &[a, a]);
        let minus = self.neg(square);
        let low = self.push(Op::Fma, &[a, a, minus]);
        let (scale, n) = self.rounded(minus, 254.0);
        let r = self.remainder(minus, n);
        let r = self.push(Op::Sub, &[r, low]);
        let e = self.horner(how, r, &POWER);
        let twice = self.push(Op::Mul, &[r, r]);
        let e = self.push(Op::Fma, &[twice, e, r]);
        let large = self.push(Op::Fma, &[s, e, s]);
        let large = self.scaled(large, scale);
        let zero = self.float(0.0);
        let other = self.push(Op::Sub, &[two, large]);
        let below = self.compare(compare::LESS, x, zero);
        let large = self.push(Op::Choose, &[below, other, large]);
        let p = self.horner(how, square, &NEAR);
        let small = self.push(Op::Fma, &[x, p, x]);
        let small = self.push(Op::Sub, &[one, small]);
        let point = self.float(0.75);
        let is_small = self.compare(compare::LESS, a, point);
        self.push(Op::Choose, &[is_small, small, large])
    }

    pub fn tanh(&mut self, x: Value) -> Value {
        let (ten, one, point, sign) = (self.float(10.0), self.float(1.0), self.float(0.5), self.bits(SIGN));
        let a = self.abs(x);
        let a = self.push(Op::Min, &[ten, a]);
        let double = self.push(Op::Add, &[a, a]);
        let (t, n) = self.rounded(double, 126.0);
        let r = self.remainder(double, n);
        let q = self.horner(Rounding::Once, r, &POWER);
        let square = self.push(Op::Mul, &[r, r]);
        let p = self.push(Op::Fma, &[square, q, r]);
        let half = self.push(Op::ShlI(23), &[t]);
        let base = self.push(Op::Sub, &[half, point]);
        let h = self.push(Op::Fma, &[half, p, base]);
        let b = self.push(Op::Min, &[one, h]);
        let below = self.push(Op::Add, &[one, h]);
        let quotient = self.push(Op::Div, &[b, below]);
        let y = self.push(Op::Fnma, &[b, quotient, b]);
        // `y` has no sign yet: that of `x` is turned into it.
        self.push(Op::Flip, &[y, x, sign])
    }

    pub fn sigmoid(&mut self, x: Value) -> Value {
        let (least, most) = (self.float(-105.0), self.float(90.0));
        let c = self.push(Op::Min, &[most, x]);
        let c = self.push(Op::Max, &[least, c]);
        let (log, bias) = (self.float(-LOG2_E), self.float(SHIFTER + 254.0));
        let t = self.push(Op::Fma, &[c, log, bias]);
        let n = self.push(Op::Sub, &[t, bias]);
        let (high, low) = (self.float(LN2_HI), self.float(LN2_LO));
        let g = self.push(Op::Fma, &[n, high, c]);
        let g = self.push(Op::Fma, &[n, low, g]);
        let q = self.horner(Rounding::Once, g, &MINUS_POWER);
        let square = self.push(Op::Mul, &[g, g]);
        let p = self.push(Op::Fma, &[square, q, g]);
        let (down, up) = self.halves(t);
        let twice = self.bits(254 << 23);
        let unit = self.push(Op::SubI, &[twice, down]);
        let base = self.push(Op::Add, &[unit, up]);
        let s = self.push(Op::Fnma, &[up, p, base]);
        let rest = self.push(Op::Sub, &[s, up]);
        let rest = self.push(Op::Sub, &[unit, rest]);
        let rest = self.push(Op::Fnma, &[up, p, rest]);
        let one = self.float(1.0);
        let y = self.push(Op::Div, &[one, s]);
        let missing = self.push(Op::Fnma, &[y, s, one]);
        let missing = self.push(Op::Fnma, &[y, rest, missing]);
        let y = self.push(Op::Fma, &[y, missing, y]);
        self.push(Op::Mul, &[y, unit])
    }
}
