//! `sin` and `cos` as vector operations, step by step those of `math/single/trig.rs`, so that the bits agree.
//! `lower.rs` calls these; large arguments go by `rare.rs`.

use super::ops::{List, Op, Value, compare};
use crate::backend::cpu::math::single::trig::{COS, NEAR, PIO2, SHIFTER, SIN};
use std::f32::consts::FRAC_2_PI;

const SIGN: u32 = 0x8000_0000;

impl List {
    pub fn sin(&mut self, x: Value) -> Value {
        let y = self.turned(x, 0);
        let sign = self.bits(SIGN);
        let sign = self.push(Op::And, &[x, sign]);
        self.push(Op::Xor, &[y, sign])
    }

    pub fn cos(&mut self, x: Value) -> Value {
        self.turned(x, 1)
    }

    /// sin(|x| + shift pi/2).
    fn turned(&mut self, x: Value, shift: u8) -> Value {
        let (a, one, near) = (self.abs(x), self.float(1.0), self.float(NEAR));
        let (turns, shifter) = (self.float(FRAC_2_PI), self.float(SHIFTER));
        let t = self.push(Op::Fma, &[a, turns, shifter]);
        let n = self.push(Op::Sub, &[t, shifter]);
        let [high, middle, low] = PIO2.map(|part| self.float(-part));
        let plus = self.float(PIO2[1]);
        let most = self.push(Op::Fma, &[n, high, a]);
        // The product with its sign changed has the same bits but that one.
        let main = self.push(Op::Mul, &[n, middle]);
        let r = self.push(Op::Add, &[most, main]);
        let lost = self.push(Op::Sub, &[most, r]);
        let lost = self.push(Op::Add, &[lost, main]);
        let beside = self.push(Op::Fma, &[n, plus, main]);
        let lost = self.push(Op::Sub, &[lost, beside]);
        let low = self.push(Op::Fma, &[n, low, lost]);
        let (odd, half_turn) = (self.bits(1), self.bits(2));
        let quadrant = if shift == 0 { t } else { self.push(Op::AddI, &[t, odd]) };
        let swapped = self.push(Op::Test, &[quadrant, odd]);
        let z = self.push(Op::Mul, &[r, r]);
        // Of sine and cosine one is wanted, so what goes into them is chosen: choices are made beside products, which there are too many of.
        let [c0, c1, c2] = std::array::from_fn(|i| {
            let (cos, sin) = (self.float(COS[i]), self.float(SIN[i]));
            self.push(Op::Choose, &[swapped, cos, sin])
        });
        let series = self.push(Op::Fma, &[z, c2, c1]);
        let series = self.push(Op::Fma, &[z, series, c0]);
        let half = self.float(0.5);
        let half = self.push(Op::Mul, &[half, z]);
        let line = self.push(Op::Sub, &[one, half]);
        let lost = self.push(Op::Sub, &[one, line]);
        let lost = self.push(Op::Sub, &[lost, half]);
        let back = self.neg(r);
        let rest = self.push(Op::Fma, &[back, low, lost]);
        let power = self.push(Op::Choose, &[swapped, z, r]);
        let power = self.push(Op::Mul, &[power, z]);
        let rest = self.push(Op::Choose, &[swapped, rest, low]);
        let main = self.push(Op::Choose, &[swapped, line, r]);
        let y = self.push(Op::Fma, &[power, series, rest]);
        let y = self.push(Op::Add, &[y, main]);
        let sign = self.push(Op::And, &[quadrant, half_turn]);
        let sign = self.push(Op::ShlI(30), &[sign]);
        let y = self.push(Op::Xor, &[y, sign]);
        let far = self.compare(compare::LESS, near, a);
        self.push(Op::Rare(shift), &[far, x, y])
    }
}
