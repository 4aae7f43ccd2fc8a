//! `sin` and `cos` as vector operations, step by step those of `math/single/trig.rs`, so that the bits agree.
//! `lower.rs` calls these; large arguments go by `rare.rs`.

use super::ops::{List, Op, Value, compare};
use crate::backend::cpu::math::single::trig::{COS, NEAR, PIO2, SHIFTER, SIN};
use std::f32::consts::FRAC_2_PI;

const SIGN: u32 = 0x8000_0000;

impl List {
    pub fn sin(&mut self, x: Value) -> Value {
        self.turned(x, 0)
    }

    pub fn cos(&mut self, x: Value) -> Value {
        self.turned(x, 1)
    }

    /// The sine, or with a shift of 1 the cosine.
    fn turned(&mut self, x: Value, shift: u8) -> Value {
        let (a, near) = (self.abs(x), self.float(NEAR));
        let (turns, shifter) = (self.float(FRAC_2_PI), self.float(SHIFTER + 1.0 + f32::from(shift)));
        let t = self.push(Op::Fma, &[a, turns, shifter]);
        let n = self.push(Op::Sub, &[t, shifter]);
        let [high, middle, low] = PIO2.map(|part| self.float(-part));
        let most = self.push(Op::Fma, &[n, high, a]);
        // The product with its sign changed has the same bits but that one.
        let main = self.push(Op::Mul, &[n, middle]);
        let r = self.push(Op::Add, &[most, main]);
        let lost = self.push(Op::Sub, &[most, r]);
        let lost = self.push(Op::Fma, &[n, middle, lost]);
        let low = self.push(Op::Fma, &[n, low, lost]);
        let z = self.push(Op::Mul, &[r, r]);
        let first = self.bits(1);
        let sine = self.push(Op::Test, &[t, first]);
        // Of sine and cosine one is wanted, so what goes into them is chosen: choices are made beside products, which there are too many of.
        let [c0, c1, c2, c3] = std::array::from_fn(|i| {
            let (sin, cos) = (self.float(SIN[i]), self.float(COS[i]));
            self.push(Op::Choose, &[sine, sin, cos])
        });
        let series = self.push(Op::Fma, &[z, c3, c2]);
        let series = self.push(Op::Fma, &[z, series, c1]);
        let series = self.push(Op::Fma, &[z, series, c0]);
        let minus = self.float(-1.0);
        let main = self.push(Op::Choose, &[sine, r, minus]);
        let power = self.push(Op::Mul, &[z, main]);
        let turned = self.push(Op::Mul, &[r, low]);
        let rest = self.push(Op::Choose, &[sine, low, turned]);
        let y = self.push(Op::Fma, &[power, series, rest]);
        let y = self.push(Op::Add, &[y, main]);
        let sign = self.bits(SIGN);
        let mut flip = self.push(Op::ShlI(30), &[t]);
        if shift == 0 {
            flip = self.push(Op::Xor, &[flip, x]);
        }
        let y = self.push(Op::Flip, &[y, flip, sign]);
        let far = self.compare(compare::LESS, near, a);
        self.push(Op::Rare(shift), &[far, x, y])
    }
}
