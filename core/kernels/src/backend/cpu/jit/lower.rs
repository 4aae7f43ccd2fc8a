//! From a scalar program to a list of vector operations, or the answer that one of its instructions has none.
//! `mod.rs` calls [`lower`]; the element functions are in `functions.rs`.

mod instructions;

use super::Input;
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
