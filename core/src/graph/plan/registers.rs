//! Loops over scalars: test and body as instructions over registers, so that a round costs a few nanoseconds.
//! The compiler tries it for every loop; branches of pure scalars are computed on both sides and chosen from.

use super::compile::{Compiler, Place, Scope};
use super::{Base, Step};
use crate::backend::cpu::Isa;
use crate::backend::cpu::vector::{self, Loop, load_bits};
use crate::dtype::DType;
use crate::graph::ir::{Graph, Node, Value};
use crate::graph::passes::pure::may_fail;
use crate::op::{Flow, Kind};
use crate::scalar::{Action, Code, Root, Scalar, Sequence, Slot, Step as ScalarStep, Val};
use std::collections::HashMap;

/// Instructions of both bodies at the most: beyond, the passes of a general loop are no slower.
const MOST: usize = 64;

/// What is done; the common instructions have a case of their own, the others call their loop for one element.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Do {
    AddF32,
    SubF32,
    MulF32,
    MulAddF32,
    AddF64,
    SubF64,
    MulF64,
    MulAddF64,
    AddI32,
    SubI32,
    MulI32,
    AddI64,
    SubI64,
    MulI64,
    /// Ends the loop unless the condition in the first register holds.
    EndUnless,
    EndUnlessLtI32,
    EndUnlessLtI64,
    EndUnlessLtF32,
    Start,
    Other,
}

#[derive(Clone, Copy)]
struct Instruction {
    what: Do,
    to: u16,
    args: [u16; 3],
    run: Loop,
}

/// A loop over scalars, written twice: even rounds read one set of registers and write the other, odd rounds the reverse.
pub(super) struct Program {
    code: Vec<Instruction>,
    /// Register and bits of each constant.
    constants: Vec<(u16, u64)>,
    /// Bytes of each input, in its register.
    inputs: Vec<usize>,
    /// The carried inputs, with the register of their value after an odd number of rounds.
    carried: Vec<(u16, u16)>,
    pub registers: usize,
}

unsafe fn nothing(_: usize, _: *mut u8, _: *const u8, _: *const u8, _: *const u8) -> bool {
    false
}

impl Program {
    /// # Safety
    /// `pointers` are the addresses of the inputs, then of the carried values at the end; `registers` has
    /// [`Program::registers`] words.
    pub unsafe fn run(&self, pointers: &[*mut u8], registers: *mut u8) {
        let registers = registers.cast::<u64>();
        let (inputs, ends) = pointers.split_at(self.inputs.len());
        // SAFETY: by the caller's promise; every register that is read was written before.
        unsafe {
            for (i, (&size, &from)) in self.inputs.iter().zip(inputs).enumerate() {
                registers.add(i).write(load_bits(size, from));
            }
            for &(at, bits) in &self.constants {
                registers.add(at as usize).write(bits);
            }
            let odd = self.rounds(registers);
            for (&(even_at, odd_at), &to) in self.carried.iter().zip(ends) {
                let at = if odd { odd_at } else { even_at };
                std::ptr::copy_nonoverlapping(
                    registers.add(at as usize).cast::<u8>(),
                    to,
                    self.inputs[even_at as usize],
                );
            }
        }
    }

    /// Runs rounds until the test fails; answers whether their number was odd.
    #[inline(never)]
    unsafe fn rounds(&self, registers: *mut u64) -> bool {
        macro_rules! get {
            ($t:ty, $at:expr) => {
                *registers.add($at as usize).cast::<$t>()
            };
        }
        let code = &self.code[..];
        let mut at = 0;
        loop {
            let i = &code[at];
            at += 1;
            let [a, b, c] = i.args;
            macro_rules! set {
                ($t:ty, $value:expr) => {{
                    let value: $t = $value;
                    *registers.add(i.to as usize).cast::<$t>() = value;
                }};
            }
            // SAFETY: the compiler gave every instruction registers of the types that it takes.
            unsafe {
                match i.what {
                    Do::AddF32 => set!(f32, get!(f32, a) + get!(f32, b)),
                    Do::SubF32 => set!(f32, get!(f32, a) - get!(f32, b)),
                    Do::MulF32 => set!(f32, get!(f32, a) * get!(f32, b)),
                    Do::MulAddF32 => set!(f32, get!(f32, a) * get!(f32, b) + get!(f32, c)),
                    Do::AddF64 => set!(f64, get!(f64, a) + get!(f64, b)),
                    Do::SubF64 => set!(f64, get!(f64, a) - get!(f64, b)),
                    Do::MulF64 => set!(f64, get!(f64, a) * get!(f64, b)),
                    Do::MulAddF64 => set!(f64, get!(f64, a) * get!(f64, b) + get!(f64, c)),
                    Do::AddI32 => set!(i32, get!(i32, a).wrapping_add(get!(i32, b))),
                    Do::SubI32 => set!(i32, get!(i32, a).wrapping_sub(get!(i32, b))),
                    Do::MulI32 => set!(i32, get!(i32, a).wrapping_mul(get!(i32, b))),
                    Do::AddI64 => set!(i64, get!(i64, a).wrapping_add(get!(i64, b))),
                    Do::SubI64 => set!(i64, get!(i64, a).wrapping_sub(get!(i64, b))),
                    Do::MulI64 => set!(i64, get!(i64, a).wrapping_mul(get!(i64, b))),
                    Do::EndUnless => {
                        if get!(u8, a) == 0 {
                            return c == 1;
                        }
                    }
                    Do::EndUnlessLtI32 => {
                        if get!(i32, a) >= get!(i32, b) {
                            return c == 1;
                        }
                    }
                    Do::EndUnlessLtI64 => {
                        if get!(i64, a) >= get!(i64, b) {
                            return c == 1;
                        }
                    }
                    // Not `>=`: nan is not less either.
                    Do::EndUnlessLtF32 => {
                        if !(get!(f32, a) < get!(f32, b)) {
                            return c == 1;
                        }
                    }
                    Do::Start => at = 0,
                    Do::Other => {
                        let [a, b, c] = i.args.map(|r| registers.add(r as usize).cast::<u8>().cast_const());
                        (i.run)(1, registers.add(i.to as usize).cast(), a, b, c);
                    }
                }
            }
        }
    }
}

/// The results of a graph of scalars, given those of its parameters; `None` if it holds anything else.
fn meaning(s: &Scalar, graph: &Graph, arguments: &[Val]) -> Option<Vec<Val>> {
    let mut values: HashMap<Value, Val> = graph.params.iter().copied().zip(arguments.iter().copied()).collect();
    for (value, tensor) in &graph.constants {
        let (size, scalar) = (tensor.dtype().size(), tensor.ty().shape.known_dims()?.iter().product::<usize>() == 1);
        if size > 0 && scalar {
            // SAFETY: one element of this size.
            values.insert(*value, s.bits(tensor.dtype(), unsafe { load_bits(size, tensor.data()) }));
        }
    }
    for node in &graph.nodes {
        let scalar = |v: &Value| graph.ty(*v).shape.known_dims().is_some_and(|d| d.iter().product::<usize>() == 1);
        if !node.outputs.iter().all(scalar) {
            return None;
        }
        let operands = node.inputs.iter().map(|v| values.get(v).copied()).collect::<Option<Vec<Val>>>()?;
        let bodies = node.op.bodies();
        let results = match node.op.kind() {
            Kind::Elementwise { .. } if !may_fail(graph, node) => vec![s.apply(&*node.op, &operands)],
            Kind::View => vec![operands[0]],
            Kind::Host if node.op.flow().is_none() && bodies.len() == 1 => meaning(s, bodies[0], &operands)?,
            Kind::Host if node.op.flow() == Some(Flow::Branch) => {
                let then = meaning(s, bodies[0], &operands[1..])?;
                let otherwise = meaning(s, bodies[1], &operands[1..])?;
                then.into_iter().zip(otherwise).map(|(a, b)| s.select(operands[0], a, b)).collect()
            }
            _ => return None,
        };
        node.outputs.iter().zip(results).for_each(|(v, value)| drop(values.insert(*v, value)));
    }
    graph.results.iter().map(|v| values.get(v).copied()).collect()
}

impl Compiler {
    /// Emits a loop whose values are all scalars.
    pub(super) fn scalar_loop(&mut self, scope: &mut Scope<'_>, node: &Node, carried: usize) -> Option<()> {
        let types: Vec<_> = node.inputs.iter().map(|&v| scope.ty(v)).collect();
        let scalar = |dtype: DType| dtype.size() > 0;
        if !types.iter().all(|ty| scalar(ty.dtype) && ty.shape.num_elements() == 1) {
            return None;
        }
        let bodies = node.op.bodies();
        let lowered = |graph: &Graph| {
            let s = Scalar::new();
            let operands: Vec<Val> = types.iter().enumerate().map(|(i, ty)| s.operand(i, ty.dtype)).collect();
            let results = meaning(&s, graph, &operands)?;
            // What stays as it is needs no instruction.
            let changed = |i: usize, val: Val| graph.results.len() != carried || val != operands[i];
            let roots = results.iter().enumerate().filter(|(i, val)| changed(*i, **val));
            let roots: Vec<(Val, Root)> = roots.map(|(i, &val)| (val, Root::Store(i as u16))).collect();
            Some((Sequence::new(&s, &roots), roots.iter().map(|(_, r)| *r).collect::<Vec<_>>()))
        };
        let ((test, _), (body, changed)) = (tested(bodies[0], &lowered)?, lowered(bodies[1])?);
        if test.actions.len() + body.actions.len() > MOST {
            return None;
        }
        let inputs = types.iter().map(|ty| ty.dtype.size()).collect();
        let changed = |i: usize| changed.contains(&Root::Store(i as u16));
        let program = assemble(&test, &body, inputs, carried, &changed)?;
        let mut places: Vec<Place> = node.inputs.iter().map(|&v| scope.place(v)).collect::<Option<_>>()?;
        for &v in &node.outputs {
            let home = self.buffer(scope.ty(v));
            debug_assert!(matches!(home.base, Base::Arena(_)));
            places.push(home.clone());
            scope.set(v, home);
        }
        let operands = self.pointers(&places);
        let registers = self.scratch(program.registers * 8);
        self.push(Step::Scalars { program: Box::new(program), operands, registers });
        Some(())
    }
}

type Lowered = (Sequence, Vec<Root>);

/// The test: its one result is always computed.
fn tested(graph: &Graph, lowered: &dyn Fn(&Graph) -> Option<Lowered>) -> Option<Lowered> {
    lowered(graph).filter(|(_, roots)| roots.len() == 1 && graph.results.len() == 1)
}

/// Where the slots of one sequence lie among the registers.
struct Layout {
    /// The registers that operands are read from in this set of rounds, and results are written to.
    reads: Vec<u16>,
    writes: Vec<u16>,
    constants: u16,
    temps: u16,
}

fn assemble(
    test: &Sequence,
    body: &Sequence,
    inputs: Vec<usize>,
    carried: usize,
    changed: &dyn Fn(usize) -> bool,
) -> Option<Program> {
    let n = inputs.len() as u16;
    let even: Vec<u16> = (0..n).collect();
    // Values that do not change have one register for both sets.
    let odd: Vec<u16> = (0..n).map(|i| if (i as usize) < carried && changed(i as usize) { n + i } else { i }).collect();
    let truth = n + carried as u16;
    let mut next = truth + 1;
    let mut take = |count: usize| {
        next += count as u16;
        next - count as u16
    };
    let at = [test, body].map(|s| (take(s.constants.len()), take(s.temps as usize)));
    let mut program = Program {
        code: Vec::new(),
        constants: Vec::new(),
        carried: (0..carried).map(|i| (even[i], odd[i])).collect(),
        inputs,
        registers: next as usize,
    };
    for (sequence, (first, _)) in [test, body].iter().zip(&at) {
        let registers = sequence.constants.iter().enumerate().map(|(i, (_, bits))| (first + i as u16, *bits));
        program.constants.extend(registers);
    }
    for (reads, writes, parity) in [(&even, &odd, 0), (&odd, &even, 1)] {
        let layout = |writes: Vec<u16>, (constants, temps)| Layout { reads: reads.clone(), writes, constants, temps };
        let tests = instructions(test, &layout(vec![truth], at[0]))?;
        program.code.extend(ending(tests, truth, parity, test));
        program.code.extend(instructions(body, &layout(writes.clone(), at[1]))?);
    }
    program.code.push(Instruction { what: Do::Start, to: 0, args: [0; 3], run: nothing });
    Some(program)
}

/// The test with the instruction that ends the loop; a comparison right before it becomes part of it.
fn ending(mut tests: Vec<Instruction>, truth: u16, parity: u16, test: &Sequence) -> Vec<Instruction> {
    let last = match test.actions.last() {
        Some(Action::Step(step)) if step.code == Code::Lt => Some(step.operand),
        _ => None,
    };
    let what = match last {
        Some(DType::I32) => Do::EndUnlessLtI32,
        Some(DType::I64) => Do::EndUnlessLtI64,
        Some(DType::F32) => Do::EndUnlessLtF32,
        _ => Do::EndUnless,
    };
    let args = match what {
        Do::EndUnless => [truth, 0, parity],
        _ => tests.pop().map_or([truth, 0, parity], |i| [i.args[0], i.args[1], parity]),
    };
    tests.push(Instruction { what, to: 0, args, run: nothing });
    tests
}

fn instructions(sequence: &Sequence, layout: &Layout) -> Option<Vec<Instruction>> {
    let place = |slot: Slot| match slot {
        Slot::Input(i) => layout.reads.get(i as usize).copied(),
        Slot::Output(i) => layout.writes.get(i as usize).copied(),
        Slot::Const(i) => Some(layout.constants + i),
        Slot::Temp(i) => Some(layout.temps + i),
    };
    let mut steps: Vec<ScalarStep> = Vec::new();
    for action in &sequence.actions {
        let Action::Step(step) = action else { return None };
        steps.push(*step);
    }
    let mut code = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let step = &steps[at];
        if let Some((what, [a, b, c], to)) = product_and_sum(&steps, at) {
            code.push(Instruction { what, to: place(to)?, args: [place(a)?, place(b)?, place(c)?], run: nothing });
            at += 2;
            continue;
        }
        let run = vector::lookup(step.code, step.operand, step.result, Isa::current())?;
        let mut args = [0; 3];
        for (arg, &slot) in args.iter_mut().zip(&step.args[..step.code.arity()]) {
            *arg = place(slot)?;
        }
        code.push(Instruction { what: what(step), to: place(step.to)?, args, run });
        at += 1;
    }
    Some(code)
}

fn what(step: &ScalarStep) -> Do {
    match (step.code, step.operand) {
        (Code::Add, DType::F32) => Do::AddF32,
        (Code::Sub, DType::F32) => Do::SubF32,
        (Code::Mul, DType::F32) => Do::MulF32,
        (Code::Add, DType::F64) => Do::AddF64,
        (Code::Sub, DType::F64) => Do::SubF64,
        (Code::Mul, DType::F64) => Do::MulF64,
        (Code::Add, DType::I32) => Do::AddI32,
        (Code::Sub, DType::I32) => Do::SubI32,
        (Code::Mul, DType::I32) => Do::MulI32,
        (Code::Add, DType::I64) => Do::AddI64,
        (Code::Sub, DType::I64) => Do::SubI64,
        (Code::Mul, DType::I64) => Do::MulI64,
        _ => Do::Other,
    }
}

/// A product that the next step, and nothing else, adds to something: one instruction, two roundings.
fn product_and_sum(steps: &[ScalarStep], at: usize) -> Option<(Do, [Slot; 3], Slot)> {
    let (product, sum) = (&steps[at], steps.get(at + 1)?);
    let what = match product.operand {
        DType::F32 => Do::MulAddF32,
        DType::F64 => Do::MulAddF64,
        _ => return None,
    };
    if product.code != Code::Mul || sum.code != Code::Add || !matches!(product.to, Slot::Temp(_)) {
        return None;
    }
    let other = match sum.args[..2] {
        [a, b] if a == product.to && b != product.to => b,
        [a, b] if b == product.to && a != product.to => a,
        _ => return None,
    };
    // Nobody else reads the product before its register gets another value.
    for step in &steps[at + 2..] {
        if step.args[..step.code.arity()].contains(&product.to) {
            return None;
        }
        if step.to == product.to {
            break;
        }
    }
    Some((what, [product.args[0], product.args[1], other], sum.to))
}
