//! The vector operations of one instruction over numbers or truth values.
//! `lower.rs` walks over a program and asks here for each of its instructions but choices and conversions.

use super::{Kind, Lower, Typed, mask, word};
use crate::backend::cpu::jit::ops::{List, Op, compare};
use crate::scalar::Code;

impl Lower<'_> {
    /// An instruction over `f32`.
    pub(super) fn real(&mut self, code: Code, args: &[Typed]) -> Option<Typed> {
        let list = &mut self.list;
        let x = args[0].value;
        let y = args.get(1).map_or(x, |y| y.value);
        let plain = |op: Op, list: &mut List| word(list.push(op, &[x, y]));
        match code {
            Code::Neg => word(list.neg(x)),
            Code::Abs => word(list.abs(x)),
            Code::Sign => word(list.sign(x)),
            Code::Sqrt => word(list.push(Op::Sqrt, &[x])),
            Code::Rsqrt => {
                let one = list.float(1.0);
                let root = list.push(Op::Sqrt, &[x]);
                word(list.push(Op::Div, &[one, root]))
            }
            Code::Exp => word(list.exp(x)),
            Code::Expm1 => word(list.expm1(x)),
            Code::Erf => word(list.erf(x)),
            Code::Erfc => word(list.erfc(x)),
            Code::Sin => word(list.sin(x)),
            Code::Cos => word(list.cos(x)),
            Code::Log => word(list.log(x)),
            Code::Log1p => word(list.log1p(x)),
            Code::Tanh => word(list.tanh(x)),
            Code::Sigmoid => word(list.sigmoid(x)),
            Code::Round => word(list.push(Op::Round(0), &[x])),
            Code::Floor => word(list.push(Op::Round(1), &[x])),
            Code::Ceil => word(list.push(Op::Round(2), &[x])),
            Code::IsNan => mask(list.push(Op::Compare(compare::UNORDERED), &[x, x])),
            Code::IsFinite => {
                let (a, infinity) = (list.abs(x), list.float(f32::INFINITY));
                mask(list.push(Op::Compare(compare::LESS), &[a, infinity]))
            }
            Code::Add => plain(Op::Add, list),
            Code::Sub => plain(Op::Sub, list),
            Code::Mul => plain(Op::Mul, list),
            Code::Div => plain(Op::Div, list),
            Code::FloorDiv => {
                let quotient = list.push(Op::Div, &[x, y]);
                word(list.push(Op::Round(1), &[quotient]))
            }
            Code::Min => word(list.min(x, y)),
            Code::Max => word(list.max(x, y)),
            Code::Eq => mask(list.push(Op::Compare(compare::EQUAL), &[x, y])),
            Code::Ne => mask(list.push(Op::Compare(compare::NOT_EQUAL), &[x, y])),
            Code::Lt => mask(list.push(Op::Compare(compare::LESS), &[x, y])),
            Code::Le => mask(list.push(Op::Compare(compare::AT_MOST), &[x, y])),
            _ => None,
        }
    }

    /// An instruction over `i32`, none that can fault.
    pub(super) fn integer(&mut self, code: Code, args: &[Typed]) -> Option<Typed> {
        let list = &mut self.list;
        let x = args[0].value;
        let y = args.get(1).map_or(x, |y| y.value);
        let zero = list.bits(0);
        match code {
            Code::Neg => word(list.push(Op::SubI, &[zero, x])),
            Code::Abs => word(list.push(Op::AbsI, &[x])),
            Code::Sign => {
                let (one, minus) = (list.bits(1), list.bits(u32::MAX));
                let most = list.push(Op::MinI, &[x, one]);
                word(list.push(Op::MaxI, &[most, minus]))
            }
            Code::Not => {
                let ones = list.bits(u32::MAX);
                word(list.push(Op::Xor, &[x, ones]))
            }
            Code::Add => word(list.push(Op::AddI, &[x, y])),
            Code::Sub => word(list.push(Op::SubI, &[x, y])),
            Code::Mul => word(list.push(Op::MulI, &[x, y])),
            Code::Min => word(list.push(Op::MinI, &[x, y])),
            Code::Max => word(list.push(Op::MaxI, &[x, y])),
            Code::And => word(list.push(Op::And, &[x, y])),
            Code::Or => word(list.push(Op::Or, &[x, y])),
            Code::Xor => word(list.push(Op::Xor, &[x, y])),
            Code::Eq => mask(list.push(Op::CompareI(compare::EQUAL), &[x, y])),
            Code::Ne => mask(list.push(Op::CompareI(compare::NOT_EQUAL_I), &[x, y])),
            Code::Lt => mask(list.push(Op::CompareI(compare::LESS_I), &[x, y])),
            Code::Le => mask(list.push(Op::CompareI(compare::AT_MOST_I), &[x, y])),
            _ => None,
        }
    }

    /// An instruction over truth values. The loops work on bytes, of which two different ones may both be true: what
    /// comes from memory is computed as such, only what was computed here as masks.
    pub(super) fn truth(&mut self, code: Code, args: &[Typed]) -> Option<Typed> {
        if code == Code::Not {
            let x = self.condition(args[0]);
            return mask(self.list.push(Op::MaskNot, &[x]));
        }
        if args.iter().any(|x| x.kind != Kind::Mask) {
            let bytes: smallvec::SmallVec<[Typed; 3]> =
                args.iter().map(|&x| Typed { value: self.byte(x), kind: Kind::Word }).collect();
            let result = self.integer(code, &bytes)?;
            let kind = if result.kind == Kind::Mask { Kind::Mask } else { Kind::Byte };
            return Some(Typed { kind, ..result });
        }
        let (x, y) = (args[0].value, args[1].value);
        match code {
            Code::And => mask(self.list.push(Op::MaskAnd, &[x, y])),
            Code::Or => mask(self.list.push(Op::MaskOr, &[x, y])),
            Code::Xor | Code::Ne => mask(self.list.push(Op::MaskXor, &[x, y])),
            Code::Eq => {
                let differ = self.list.push(Op::MaskXor, &[x, y]);
                mask(self.list.push(Op::MaskNot, &[differ]))
            }
            Code::Lt | Code::Le => {
                let op = if code == Code::Lt { Op::MaskAnd } else { Op::MaskOr };
                let not = self.list.push(Op::MaskNot, &[x]);
                mask(self.list.push(op, &[not, y]))
            }
            _ => None,
        }
    }
}
