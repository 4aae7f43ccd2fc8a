//! A compiled loop: the code in its final registers with its tables, how operands enter it and results leave it.
//! One is made per structure of the lists that come in; `ScalarLoop` keeps them.

use super::code::{Ins, Instr, Opcode, Role};
use super::emit::{Emitter, Regs, SourceOp};
use super::flow::Flow;
use super::forms::Forms;
use super::fuse;
use super::machine::Machine;
use super::native::Native;
use crate::graph::switches;
use crate::ir::Graph;
use crate::lists::layout::{Form, Layout};
use crate::lists::rows::{Cell, Rows, cells_from, empty, fits, number, tensor_of};
use crate::op::Operands;
use crate::tensor::Tensor;
use kernels::backend::cpu::tile::fault_error;
use kernels::backend::cpu::vector;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// The registers and lists of a value, one per leaf.
type Home = SmallVec<[(Role, u16); 2]>;

pub(super) struct Program {
    code: Vec<Instr>,
    registers: usize,
    lists: usize,
    constants: Vec<(u16, u64)>,
    loops: Vec<vector::Loop>,
    layouts: Vec<Arc<Layout>>,
    /// What errors name, by instruction.
    places: Vec<(u32, SourceOp)>,
    inputs: Vec<(Form, Home)>,
    outputs: Vec<(Form, Home)>,
    nothing: Arc<Layout>,
    /// Made before the first run.
    native: OnceLock<Option<Native>>,
}

impl Program {
    /// Compiles a loop whose inputs have these forms, as far as they are known.
    pub fn compile(test: &Graph, body: &Graph, carried: usize, seeds: &[Option<Form>]) -> Option<Self> {
        let mut forms = Forms::default();
        let mut ids = Vec::new();
        for (ty, seed) in body.param_types().zip(seeds) {
            let id = forms.of_type(ty)?;
            if let Some(form) = seed {
                let seed = forms.of_form(form);
                forms.unify(id, seed)?;
            }
            ids.push(id);
        }
        let test = forms.enter(test, &ids, 0)?;
        let body = forms.enter(body, &ids, 0)?;
        for (i, &id) in ids.iter().enumerate().take(carried) {
            forms.unify(id, body.result(i)?)?;
        }
        forms.finish()?;
        let inputs = ids.iter().map(|&id| forms.form(id)).collect::<Option<Vec<Form>>>()?;
        let mut emitter = Emitter::new(&forms);
        let operands: Vec<Regs> = inputs.iter().map(|form| emitter.registers(form)).collect();
        let results = emitter.repeat(&test, &body, operands.clone(), carried, &inputs[..carried])?;
        Self::assemble(emitter, inputs, operands, results)
    }

    fn assemble(emitter: Emitter<'_>, forms: Vec<Form>, operands: Vec<Regs>, results: Vec<Regs>) -> Option<Self> {
        let Emitter { mut code, roles, constants, labels, loops, layouts, places, .. } = emitter;
        code.push(Ins { op: Opcode::Halt, to: 0, a: 0, b: 0, c: 0, imm: 0, place: u32::MAX });
        let flat = results.iter().flatten().copied().collect();
        let homes = (0..roles.len() as u32).collect();
        let mut flow = Flow { code, labels, roles, results: flat, homes };
        flow.drop_dead();
        fuse::pairs(&mut flow);
        flow.simplify();
        fuse::counters(&mut flow);
        let mut numbers = Numbers { of: vec![None; flow.roles.len()], words: 0, lists: 0 };
        let mut home = |values: &[Regs]| -> Option<Vec<Home>> {
            let mut one = |&r: &u32| {
                let r = flow.homes[r as usize];
                Some((flow.roles[r as usize], numbers.number(flow.roles[r as usize], r)?))
            };
            values.iter().map(|regs| regs.iter().map(&mut one).collect()).collect()
        };
        let (operands, results) = (home(&operands)?, home(&results)?);
        let outputs = forms.iter().cloned().zip(results).collect();
        let inputs = forms.into_iter().zip(operands).collect();
        let mut program = Self {
            code: Vec::new(),
            registers: 0,
            lists: 0,
            constants: Vec::new(),
            loops,
            layouts,
            places: Vec::new(),
            inputs,
            outputs,
            nothing: Layout::new(Form::Number(DType::F32)),
            native: OnceLock::new(),
        };
        for ins in &flow.code {
            let shape = ins.op.shape();
            let mut of = |role: Role, r: u32| match role {
                Role::None => Some(0),
                _ => numbers.number(role, r),
            };
            let c = of(shape.c, ins.c)?;
            let imm = if shape.jumps { flow.labels[ins.imm as usize] as u32 } else { ins.imm };
            if let Some(place) = places.get(ins.place as usize) {
                program.places.push((program.code.len() as u32, *place));
            }
            let (to, a, b) = (of(shape.to, ins.to)?, of(shape.a, ins.a)?, of(shape.b, ins.b)?);
            program.code.push(Instr { op: ins.op, to, a, b, c, imm });
        }
        for (register, bits) in constants {
            // Those that nobody reads have no register.
            let register = flow.homes[register as usize];
            program.constants.extend(numbers.of[register as usize].map(|n| (n, bits)));
        }
        (program.registers, program.lists) = (numbers.words as usize, numbers.lists as usize);
        Some(program)
    }

    /// Whether these operands have the forms it was compiled for.
    pub fn takes(&self, inputs: &[Tensor]) -> bool {
        inputs.len() == self.inputs.len() && inputs.iter().zip(&self.inputs).all(|(t, (form, _))| fits(form, Some(t)))
    }

    /// The instructions as machine code, where there is some.
    fn native(&self) -> Option<&Native> {
        let make = || {
            let homes = self.outputs.iter().flat_map(|(_, home)| home);
            let results: Vec<u16> = homes.filter(|(role, _)| *role == Role::Word).map(|(_, at)| *at).collect();
            Native::new(&self.code, self.registers, self.lists, &results, &self.loops)
        };
        self.native.get_or_init(make).as_ref().filter(|_| switches::loops_as_code())
    }

    /// Runs the loop on operands that it [takes](Self::takes). Few results lie in the answer itself, without a list.
    pub fn run(&self, inputs: Operands) -> Result<Operands> {
        let mut registers: SmallVec<[u64; 64]> = SmallVec::new();
        let native = self.native();
        registers.resize(native.map_or(self.registers, Native::words), 0);
        let mut lists: SmallVec<[Rows; 2]> = SmallVec::new();
        (0..self.lists).for_each(|_| lists.push(Rows::new(self.nothing.clone(), true)));
        for &(register, bits) in &self.constants {
            registers[register as usize] = bits;
        }
        let mut cells = Vec::new();
        for ((form, home), input) in self.inputs.iter().zip(inputs) {
            if let (Form::Number(dtype), [(_, register)]) = (form, &home[..]) {
                // SAFETY: a scalar of this dtype, as `takes` saw.
                registers[*register as usize] = unsafe { vector::load_bits(dtype.size(), input.data()) };
                continue;
            }
            cells_from(form, Some(input), &mut cells)?;
            for (&(role, at), cell) in home.iter().zip(cells.drain(..)) {
                match (role, cell) {
                    (Role::List, Cell::List(rows)) => lists[at as usize] = rows,
                    (_, Cell::Word(bits)) => registers[at as usize] = bits,
                    _ => return Err(Error::internal("while", "a list in a register")),
                }
            }
        }
        let mut machine =
            Machine { registers: &mut registers, lists: &mut lists, loops: &self.loops, layouts: &self.layouts };
        let end = match native {
            // SAFETY: the code was made for these tables; operands have the forms it expects.
            Some(native) => unsafe {
                switches::note_code();
                native.run(&mut machine, &self.code)
            },
            // SAFETY: as above.
            None => unsafe { machine.run(&self.code) },
        };
        end.map_err(|at| self.fault(at))?;
        let mut outputs = Operands::with_capacity(self.outputs.len());
        for (i, (form, home)) in self.outputs.iter().enumerate() {
            outputs.push(match (form, &home[..]) {
                (Form::Number(dtype), [(_, register)]) => number(*dtype, registers[*register as usize])?,
                _ => {
                    let later = |at: u16| self.outputs[i + 1..].iter().any(|(_, h)| h.contains(&(Role::List, at)));
                    let cells: Vec<Cell> = home
                        .iter()
                        .map(|&(role, at)| match role {
                            Role::List if later(at) => Cell::List(lists[at as usize].clone()),
                            Role::List => Cell::List(lists[at as usize].give_up()),
                            _ => Cell::Word(registers[at as usize]),
                        })
                        .collect();
                    let nothing = || crate::lists::nothing();
                    tensor_of(form, &mut cells.into_iter())?.unwrap_or_else(nothing)
                }
            });
        }
        Ok(outputs)
    }

    #[cold]
    fn fault(&self, at: usize) -> Error {
        let Some((_, place)) = self.places.iter().find(|(n, _)| *n as usize == at) else {
            return Error::internal("while", "an instruction without faults faulted");
        };
        let error = match &place.step {
            Some(step) => fault_error(place.op, step),
            None => empty(),
        };
        error.at(place.location)
    }
}

/// The final numbers of registers and lists, in the order of their first use.
struct Numbers {
    of: Vec<Option<u16>>,
    words: u16,
    lists: u16,
}

impl Numbers {
    fn number(&mut self, role: Role, register: u32) -> Option<u16> {
        if let Some(number) = self.of[register as usize] {
            return Some(number);
        }
        let counter = if role == Role::List { &mut self.lists } else { &mut self.words };
        let number = *counter;
        *counter = counter.checked_add(1)?;
        self.of[register as usize] = Some(number);
        Some(number)
    }
}
