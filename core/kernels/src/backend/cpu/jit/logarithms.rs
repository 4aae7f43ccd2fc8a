//! Logarithms as vector operations, step by step those of `math/single/log.rs`, so that the bits agree.
//! `lower.rs` calls them for the instructions of a program.

use super::functions::{LN2_HI, LN2_LO, Rounding};
use super::ops::{List, Op, Value, compare};

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
        let y = self.combine(k, f, zero);
        let (infinity, nan, lowest) = (self.float(f32::INFINITY), self.float(f32::NAN), self.float(f32::NEG_INFINITY));
        let finite = self.compare(compare::LESS, x, infinity);
        let y = self.push(Op::Choose, &[finite, y, x]);
        let below = self.compare(compare::LESS, x, zero);
        let y = self.push(Op::Choose, &[below, nan, y]);
        let none = self.compare(compare::EQUAL, x, zero);
        self.push(Op::Choose, &[none, lowest, y])
    }

    pub fn log1p(&mut self, x: Value) -> Value {
        let (one, most) = (self.float(1.0), self.bits(64));
        let u = self.push(Op::Add, &[one, x]);
        let kept = self.push(Op::Sub, &[u, one]);
        let c = self.push(Op::Sub, &[u, kept]);
        let c = self.push(Op::Sub, &[one, c]);
        let rest = self.push(Op::Sub, &[x, kept]);
        let c = self.push(Op::Add, &[c, rest]);
        let (k, f) = self.split(u);
        let bias = self.bits(127);
        let down = self.push(Op::MinI, &[k, most]);
        let down = self.push(Op::SubI, &[bias, down]);
        let down = self.push(Op::ShlI(23), &[down]);
        let down = self.push(Op::Mul, &[c, down]);
        let inverse = self.push(Op::Sub, &[one, f]);
        let square = self.push(Op::Mul, &[f, f]);
        let inverse = self.push(Op::Add, &[inverse, square]);
        let low = self.push(Op::Mul, &[down, inverse]);
        let k = self.push(Op::Float, &[k]);
        let y = self.combine(k, f, low);
        let (infinity, nan, lowest) = (self.float(f32::INFINITY), self.float(f32::NAN), self.float(f32::NEG_INFINITY));
        let (minus, tiny) = (self.float(-1.0), self.float(2.980_232_2e-8));
        let finite = self.compare(compare::LESS, x, infinity);
        let y = self.push(Op::Choose, &[finite, y, x]);
        let below = self.compare(compare::LESS, x, minus);
        let y = self.push(Op::Choose, &[below, nan, y]);
        let none = self.compare(compare::EQUAL, x, minus);
        let y = self.push(Op::Choose, &[none, lowest, y]);
        let a = self.abs(x);
        let same = self.compare(compare::LESS, a, tiny);
        self.push(Op::Choose, &[same, x, y])
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
    fn combine(&mut self, k: Value, f: Value, low: Value) -> Value {
        let z = self.push(Op::Mul, &[f, f]);
        let even = self.horner(Rounding::Twice, z, &[0.333_333_3, 0.200_012_65, 0.142_006_47, 0.127_709_24]);
        let odd = self.horner(Rounding::Twice, z, &[-0.250_008_26, -0.166_231_96, -0.131_608_83, -0.076_448_135]);
        let (half, high, rest) = (self.float(0.5), self.float(LN2_HI), self.float(LN2_LO));
        let cube = self.push(Op::Mul, &[z, f]);
        let odd = self.push(Op::Mul, &[f, odd]);
        let p = self.push(Op::Add, &[even, odd]);
        let p = self.push(Op::Mul, &[cube, p]);
        let line = self.push(Op::Mul, &[half, z]);
        let y = self.push(Op::Sub, &[p, line]);
        let big = self.push(Op::Mul, &[k, high]);
        let s = self.push(Op::Add, &[big, f]);
        let lost = self.push(Op::Sub, &[s, big]);
        let lost = self.push(Op::Sub, &[f, lost]);
        let tail = self.push(Op::Mul, &[k, rest]);
        let tail = self.push(Op::Add, &[low, tail]);
        let tail = self.push(Op::Add, &[y, tail]);
        let tail = self.push(Op::Add, &[lost, tail]);
        self.push(Op::Add, &[s, tail])
    }
}
