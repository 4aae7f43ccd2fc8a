//! Scalar programs ready to run: steps in order, over slots that are reused when their value is dead.
//! The tile machine of the CPU and the CUDA text generator read them; the engine makes and keeps those of operations.

use super::{Code, Evaluate, Scalar, Val};
use crate::dtype::DType;
use smallvec::SmallVec;
use std::fmt;

/// Where a step finds an operand or puts its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Operand number `n` of the program, in its storage dtype.
    Input(u16),
    /// Constant number `n`.
    Const(u16),
    /// Temporary number `n`.
    Temp(u16),
    /// Result number `n` of the program.
    Output(u16),
}

/// One instruction over slots.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    pub code: Code,
    /// Dtype of the operands (of the two values, for `Select`).
    pub operand: DType,
    pub result: DType,
    pub args: [Slot; 3],
    pub to: Slot,
}

/// A straight-line program that makes one element of each output from one element of each input.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub inputs: SmallVec<[DType; 4]>,
    pub outputs: SmallVec<[DType; 2]>,
    /// Dtype and bits of each constant.
    pub constants: Vec<(DType, u64)>,
    pub steps: Vec<Step>,
    /// Number of temporaries that are alive at once.
    pub temps: u16,
    /// Bytes of the widest value, which decides how many elements a tile holds.
    pub widest: usize,
}

/// What an element-wise operation does to one element: the value that it makes of its operands, in the dtype in which they are
/// computed.
pub type Meaning<'a> = &'a dyn Fn(&Scalar, &[Val]) -> Val;

impl Program {
    /// The program of a meaning for operands of the given dtypes; `evaluate` folds its constants.
    pub fn of(meaning: Meaning<'_>, dtypes: &[DType], evaluate: Evaluate) -> Self {
        let s = Scalar::new(evaluate);
        let xs: SmallVec<[Val; 4]> = dtypes.iter().enumerate().map(|(i, &d)| widen(&s, s.input(i, d))).collect();
        let y = narrow(&s, meaning(&s, &xs), dtypes);
        Self::new(&s, dtypes, &[y])
    }

    /// The program of an expression: dead values are left out, slots are shared by values that do not live together.
    pub fn new(s: &Scalar, inputs: &[DType], roots: &[Val]) -> Self {
        Self::over(s, inputs, roots, false)
    }

    /// As [`Program::new`] where result number `n` lies over input number `n`: no result is written before the last step that reads
    /// the input has run.
    pub fn in_place(s: &Scalar, inputs: &[DType], roots: &[Val]) -> Self {
        Self::over(s, inputs, roots, true)
    }

    fn over(s: &Scalar, inputs: &[DType], roots: &[Val], in_place: bool) -> Self {
        let nodes = s.nodes.borrow();
        let mut last_use = vec![None; nodes.len()];
        let mut wanted = vec![false; nodes.len()];
        for root in roots {
            wanted[root.0 as usize] = true;
        }
        for i in (0..nodes.len()).rev() {
            if wanted[i]
                && let Some(code) = nodes[i].code
            {
                for &arg in &nodes[i].args[..code.arity()] {
                    wanted[arg as usize] = true;
                    last_use[arg as usize].get_or_insert(i);
                }
            }
        }
        // The last step that reads each input.
        let read_until = |input: usize| {
            let reads = nodes.iter().zip(&last_use).filter(|(n, _)| n.code.is_none() && n.payload == input as u64);
            reads.filter_map(|(_, last)| *last).max().unwrap_or(0)
        };
        let mut program = Self {
            inputs: inputs.into(),
            outputs: roots.iter().map(|r| nodes[r.0 as usize].dtype).collect(),
            constants: Vec::new(),
            steps: Vec::new(),
            temps: 0,
            widest: 1,
        };
        let mut slots: Vec<Option<Slot>> = vec![None; nodes.len()];
        let mut free: Vec<u16> = Vec::new();
        for (i, node) in nodes.iter().enumerate().filter(|(i, _)| wanted[*i]) {
            program.widest = program.widest.max(node.dtype.size());
            slots[i] = Some(match node.code {
                None => Slot::Input(node.payload as u16),
                Some(Code::Const) => {
                    program.constants.push((node.dtype, node.payload));
                    Slot::Const(program.constants.len() as u16 - 1)
                }
                Some(code) => {
                    let mut args = [Slot::Const(0); 3];
                    for (arg, &source) in args.iter_mut().zip(&node.args[..code.arity()]) {
                        // Operands come before their users in the node list.
                        *arg = slots[source as usize].unwrap_or(Slot::Const(0));
                    }
                    let operand = nodes[node.args[usize::from(code == Code::Select)] as usize].dtype;
                    // The result may not share a slot with an operand: loops take both as separate slices.
                    let output = roots.iter().position(|r| r.0 as usize == i && last_use[i].is_none());
                    let output = output.filter(|&n| !in_place || read_until(n) <= i);
                    let to = match output {
                        Some(n) => Slot::Output(n as u16),
                        None => Slot::Temp(free.pop().unwrap_or_else(|| {
                            program.temps += 1;
                            program.temps - 1
                        })),
                    };
                    program.steps.push(Step { code, operand, result: node.dtype, args, to });
                    let mut released: SmallVec<[u16; 3]> = SmallVec::new();
                    for &source in &node.args[..code.arity()] {
                        // A result that is also used inside stays until it is copied at the end.
                        if last_use[source as usize] == Some(i)
                            && !roots.iter().any(|r| r.0 == source)
                            && let Some(Slot::Temp(t)) = slots[source as usize]
                            && !released.contains(&t)
                        {
                            released.push(t);
                        }
                    }
                    free.extend(released);
                    to
                }
            });
        }
        program.copy_missing_outputs(roots, &slots);
        program
    }

    /// Outputs that are an input, a constant, also used inside, or named twice: copied by a cast to their own dtype.
    fn copy_missing_outputs(&mut self, roots: &[Val], slots: &[Option<Slot>]) {
        for (n, root) in roots.iter().enumerate() {
            let to = Slot::Output(n as u16);
            let from = slots[root.0 as usize].unwrap_or(Slot::Const(0));
            if from != to {
                let dtype = self.outputs[n];
                self.steps.push(Step { code: Code::Cast, operand: dtype, result: dtype, args: [from; 3], to });
            }
        }
    }

    /// The instruction of a program that only applies one to its inputs in order.
    pub fn single(&self) -> Option<&Step> {
        match &self.steps[..] {
            [step] if self.constants.is_empty() => {
                let in_order =
                    step.args[..step.code.arity()].iter().enumerate().all(|(i, a)| *a == Slot::Input(i as u16));
                in_order.then_some(step)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slot = |s: Slot| match s {
            Slot::Input(n) => format!("x{n}"),
            Slot::Const(n) => {
                let (dtype, bits) = self.constants[n as usize];
                super::bits::decode(dtype, bits)
            }
            Slot::Temp(n) => format!("t{n}"),
            Slot::Output(n) => format!("y{n}"),
        };
        for step in &self.steps {
            let args: Vec<_> = step.args[..step.code.arity()].iter().map(|&a| slot(a)).collect();
            writeln!(f, "{} = {}.{}({})", slot(step.to), step.code.name(), step.result, args.join(", "))?;
        }
        Ok(())
    }
}

/// A 16-bit float as the f32 in which it is computed.
pub fn widen(s: &Scalar, x: Val) -> Val {
    s.cast(x, s.dtype(x).compute())
}

/// Rounds an f32 result once to the inputs' 16-bit float, unless the operation chose its dtype.
pub fn narrow(s: &Scalar, y: Val, inputs: &[DType]) -> Val {
    let narrow = inputs.iter().copied().find(|d| d.compute() != *d);
    match narrow {
        Some(dtype) if s.dtype(y) == dtype.compute() && !s.exact.get() => s.cast(y, dtype),
        _ => y,
    }
}
