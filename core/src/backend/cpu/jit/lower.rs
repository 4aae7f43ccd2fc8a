//! From a scalar program to a list of vector operations, or the answer that one of its instructions has none.
//! `mod.rs` calls [`lower`]; the element functions are in `functions.rs`.

use super::Input;
use super::functions::Rounding;
use super::ops::{List, Op, Value, compare};
use crate::dtype::DType;
use crate::scalar::{Action, Code, Sequence, Slot, Step};

/// A value with what its lanes are.
#[derive(Clone, Copy, Debug)]
struct Typed {
    value: Value,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// 32 bits of the dtype.
    Word,
    /// A truth value of each lane in a mask.
    Mask,
    /// A truth value or `u8` from memory, as an integer.
    Byte,
}

/// What is done with values that are folded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Folds {
    /// They go to the lanes of folds.
    Lanes,
    /// They are written as outputs, numbered from here on.
    Stored(u16),
}

/// The operations of a program over operands in memory: its inputs first, then its outputs.
pub(super) fn lower(sequence: &Sequence, inputs: &[Input], folds: Folds) -> Option<List> {
    let mut lower = Lower { list: List::default(), sequence, inputs, values: Vec::new() };
    for action in &sequence.actions {
        match action {
            Action::Step(step) => {
                let args = lower.args(&step.args[..step.code.arity()])?;
                let result = lower.step(step, &args)?;
                lower.set(step.to, result)?;
            }
            Action::Pair(pair) => {
                let args = lower.args(&pair.args[..pair.arity])?;
                let first = lower.real(pair.first, &args[..pair.first.arity()])?;
                let result = match (pair.second.arity(), pair.swapped) {
                    (1, _) => lower.real(pair.second, &[first])?,
                    (_, true) => lower.real(pair.second, &[*args.last()?, first])?,
                    (_, false) => lower.real(pair.second, &[first, *args.last()?])?,
                };
                lower.set(pair.to, result)?;
            }
            Action::Fold(n, slot) => {
                let from = lower.get(*slot)?;
                match folds {
                    Folds::Lanes if from.kind == Kind::Word => {
                        lower.list.push(Op::Fold(*n), &[from.value]);
                    }
                    Folds::Stored(first) => lower.store(first + n, from)?,
                    Folds::Lanes => return None,
                }
            }
        }
    }
    Some(lower.list)
}

struct Lower<'a> {
    list: List,
    sequence: &'a Sequence,
    inputs: &'a [Input],
    values: Vec<(Slot, Typed)>,
}

/// Dtypes whose elements are lanes of 32 bits.
fn is_word(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::I32 | DType::U32)
}

fn word(value: Value) -> Option<Typed> {
    Some(Typed { value, kind: Kind::Word })
}

fn mask(value: Value) -> Option<Typed> {
    Some(Typed { value, kind: Kind::Mask })
}

impl Lower<'_> {
    fn args(&mut self, slots: &[Slot]) -> Option<smallvec::SmallVec<[Typed; 3]>> {
        slots.iter().map(|&slot| self.get(slot)).collect()
    }

    fn get(&mut self, slot: Slot) -> Option<Typed> {
        if let Some((_, value)) = self.values.iter().find(|(s, _)| *s == slot) {
            return Some(*value);
        }
        let value = match slot {
            Slot::Input(n) => self.input(n)?,
            Slot::Const(n) => match self.sequence.constants[n as usize] {
                (dtype, bits) if is_word(dtype) => word(self.list.bits(bits as u32))?,
                (DType::Bool, bits) => {
                    let byte = self.list.bits(bits as u32 & 0xff);
                    Typed { value: byte, kind: Kind::Byte }
                }
                _ => return None,
            },
            Slot::Temp(_) | Slot::Output(_) => return None,
        };
        self.values.push((slot, value));
        Some(value)
    }

    fn input(&mut self, n: u16) -> Option<Typed> {
        let Input { dtype, scalar } = self.inputs[n as usize];
        match dtype {
            _ if is_word(dtype) && scalar => word(self.list.scalar(n)),
            _ if is_word(dtype) => word(self.list.push(Op::Load(n), &[])),
            DType::Bool | DType::U8 if !scalar => {
                Some(Typed { value: self.list.push(Op::LoadBytes(n), &[]), kind: Kind::Byte })
            }
            _ => None,
        }
    }

    fn set(&mut self, slot: Slot, value: Typed) -> Option<()> {
        self.values.retain(|(s, _)| *s != slot);
        self.values.push((slot, value));
        match slot {
            Slot::Output(n) => self.store(self.inputs.len() as u16 + n, value),
            _ => Some(()),
        }
    }

    fn store(&mut self, operand: u16, from: Typed) -> Option<()> {
        let bytes = self.byte(from);
        let op = if from.kind == Kind::Word { Op::Store(operand) } else { Op::StoreBytes(operand) };
        self.list.push(op, &[bytes]);
        Some(())
    }

    /// A truth value as a mask: any byte but 0 is true.
    fn condition(&mut self, x: Typed) -> Value {
        match x.kind {
            Kind::Mask => x.value,
            _ => self.list.push(Op::Test, &[x.value, x.value]),
        }
    }

    fn step(&mut self, step: &Step, args: &[Typed]) -> Option<Typed> {
        match (step.code, step.operand) {
            (Code::Select, dtype) => self.select(dtype, args),
            (Code::Cast, dtype) => self.cast(args[0], dtype, step.result),
            (code, DType::F32) => self.real(code, args),
            (code, DType::I32) => self.integer(code, args),
            (code, DType::Bool) => self.truth(code, args),
            _ => None,
        }
    }

    fn select(&mut self, dtype: DType, args: &[Typed]) -> Option<Typed> {
        let [c, then, otherwise] = *args else { return None };
        let c = self.condition(c);
        if is_word(dtype) {
            return word(self.list.push(Op::Choose, &[c, then.value, otherwise.value]));
        }
        // Of two masks a mask is made; else bytes stay what they are.
        if (then.kind, otherwise.kind) != (Kind::Mask, Kind::Mask) {
            let (then, otherwise) = (self.byte(then), self.byte(otherwise));
            let value = self.list.push(Op::Choose, &[c, then, otherwise]);
            return Some(Typed { value, kind: Kind::Byte });
        }
        let yes = self.list.push(Op::MaskAnd, &[c, then.value]);
        let not = self.list.push(Op::MaskNot, &[c]);
        let no = self.list.push(Op::MaskAnd, &[not, otherwise.value]);
        mask(self.list.push(Op::MaskOr, &[yes, no]))
    }

    fn cast(&mut self, x: Typed, from: DType, to: DType) -> Option<Typed> {
        // A mask is as good as its byte, until somebody counts with it.
        if from == to || (from, to) == (DType::Bool, DType::U8) {
            return Some(x);
        }
        let list = &mut self.list;
        match (from, to, x.kind) {
            (DType::I32, DType::F32, _) => word(list.push(Op::Float, &[x.value])),
            (DType::Bool | DType::U8, DType::F32, Kind::Byte) => word(list.push(Op::Float, &[x.value])),
            (DType::Bool | DType::U8, DType::I32, Kind::Byte) => word(x.value),
            (DType::Bool | DType::U8, DType::F32, Kind::Mask) => {
                let (one, zero) = (list.float(1.0), list.float(0.0));
                word(list.push(Op::Choose, &[x.value, one, zero]))
            }
            (DType::Bool | DType::U8, DType::I32, Kind::Mask) => {
                let (one, zero) = (list.bits(1), list.bits(0));
                word(list.push(Op::Choose, &[x.value, one, zero]))
            }
            (DType::F32, DType::Bool, _) => {
                let zero = list.float(0.0);
                mask(list.push(Op::Compare(compare::NOT_EQUAL), &[x.value, zero]))
            }
            (DType::U8, DType::Bool, Kind::Mask) => Some(x),
            (DType::I32, DType::Bool, _) | (DType::U8, DType::Bool, Kind::Byte) => {
                mask(list.push(Op::Test, &[x.value, x.value]))
            }
            // Saturating: too large is the largest, NaN is 0; too small comes as the lowest already.
            (DType::F32, DType::I32, _) => {
                let (end, most, zero) = (list.float(2_147_483_648.0), list.bits(i32::MAX as u32), list.bits(0));
                let cut = list.push(Op::Integer, &[x.value]);
                let above = list.push(Op::Compare(compare::AT_MOST), &[end, x.value]);
                let cut = list.push(Op::Choose, &[above, most, cut]);
                let nan = list.push(Op::Compare(compare::UNORDERED), &[x.value, x.value]);
                word(list.push(Op::Choose, &[nan, zero, cut]))
            }
            _ => None,
        }
    }

    /// An instruction over `f32`.
    fn real(&mut self, code: Code, args: &[Typed]) -> Option<Typed> {
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
            Code::Exp => word(list.exp(Rounding::Once, x)),
            Code::Expm1 => word(list.expm1(x)),
            Code::Erf => word(list.erf(x)),
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
    fn integer(&mut self, code: Code, args: &[Typed]) -> Option<Typed> {
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
    fn truth(&mut self, code: Code, args: &[Typed]) -> Option<Typed> {
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

    /// A truth value as its byte.
    fn byte(&mut self, x: Typed) -> Value {
        match x.kind {
            Kind::Mask => {
                let (one, zero) = (self.list.bits(1), self.list.bits(0));
                self.list.push(Op::Choose, &[x.value, one, zero])
            }
            _ => x.value,
        }
    }
}
