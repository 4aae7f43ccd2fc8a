//! Writes the instructions of a loop over virtual registers, bodies inside bodies in line: one register per number, one per
//! list, none for packs. Each value is written once per round; `moves` and `fuse` make it short afterwards.

use super::code::{Ins, Opcode, Role, move_of, typed};
use super::forms::Forms;
use super::scope::Scope;
use crate::ir::{Graph, Node, Value};
use crate::lists::List;
use crate::lists::ListOp;
use crate::lists::layout::{Form, Layout, Leaf, Parts};
use crate::meaning::program_of;
use crate::op::{Flow, Kind};
use kernels::backend::cpu::{Isa, vector};
use kernels::dtype::DType;
use kernels::scalar::{Program, Slot, Step};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

/// What an error of an instruction names.
#[derive(Clone, Copy)]
pub(super) struct SourceOp {
    pub op: &'static str,
    /// The step that faulted; none where a list was empty.
    pub step: Option<Step>,
    pub location: &'static Location<'static>,
}

/// The virtual registers of a value, one per leaf of its form.
pub(super) type Regs = SmallVec<[u32; 2]>;

/// The code while it is written. A jump's `imm` is the number of a label.
pub(super) struct Emitter<'f> {
    pub(super) forms: &'f Forms,
    pub code: Vec<Ins>,
    pub roles: Vec<Role>,
    /// Registers with a value from the start.
    pub constants: Vec<(u32, u64)>,
    known: HashMap<u64, u32>,
    /// For each label, the instruction it stands before.
    pub labels: Vec<usize>,
    pub loops: Vec<vector::Loop>,
    pub layouts: Vec<Arc<Layout>>,
    pub places: Vec<SourceOp>,
}

pub(super) const NO_PLACE: u32 = u32::MAX;
/// Registers have 16 bits in an instruction; compiling takes quadratic time in them.
const MOST_REGISTERS: usize = 6000;

impl<'f> Emitter<'f> {
    pub fn new(forms: &'f Forms) -> Self {
        Self {
            forms,
            code: Vec::new(),
            roles: Vec::new(),
            constants: Vec::new(),
            known: HashMap::new(),
            labels: Vec::new(),
            loops: Vec::new(),
            layouts: Vec::new(),
            places: Vec::new(),
        }
    }

    pub(super) fn register(&mut self, role: Role) -> u32 {
        self.roles.push(role);
        self.roles.len() as u32 - 1
    }

    /// Registers for a value of this form.
    pub fn registers(&mut self, form: &Form) -> Regs {
        let roles = form.leaves().into_iter().map(|leaf| match leaf {
            Leaf::Word(_) => Role::Word,
            Leaf::List(_) => Role::List,
        });
        roles.collect::<SmallVec<[Role; 4]>>().into_iter().map(|role| self.register(role)).collect()
    }

    pub(super) fn constant(&mut self, bits: u64) -> u32 {
        if let Some(&known) = self.known.get(&bits) {
            return known;
        }
        let register = self.register(Role::Word);
        self.constants.push((register, bits));
        self.known.insert(bits, register);
        register
    }

    pub(super) fn push(&mut self, op: Opcode, to: u32, [a, b, c]: [u32; 3], imm: u32) {
        self.code.push(Ins { op, to, a, b, c, imm, place: NO_PLACE });
    }

    pub(super) fn push_at(&mut self, ins: Ins, place: SourceOp) {
        self.places.push(place);
        self.code.push(Ins { place: self.places.len() as u32 - 1, ..ins });
    }

    pub(super) fn label(&mut self) -> u32 {
        self.labels.push(usize::MAX);
        self.labels.len() as u32 - 1
    }

    pub(super) fn put(&mut self, label: u32) {
        self.labels[label as usize] = self.code.len();
    }

    fn new_list(&mut self, layout: &Arc<Layout>, open: bool) -> u32 {
        let at = match self.layouts.iter().position(|known| known == layout) {
            Some(at) => at,
            None => {
                self.layouts.push(layout.clone());
                self.layouts.len() - 1
            }
        };
        let to = self.register(Role::List);
        self.push(Opcode::NewList, to, [0; 3], at as u32 * 2 + u32::from(open));
        to
    }

    /// A value that is missing: zeros, and lists without end of missing items.
    pub(super) fn missing(&mut self, form: &Form) -> Regs {
        let mut regs = Regs::new();
        for leaf in form.leaves() {
            regs.push(match &leaf {
                Leaf::Word(_) => self.constant(0),
                Leaf::List(layout) => self.new_list(layout, true),
            });
        }
        regs
    }

    pub(super) fn move_one(&mut self, leaf: &Leaf, to: u32, from: u32) {
        match leaf {
            Leaf::Word(dtype) => self.push(move_of(dtype.size()), to, [from, 0, 0], 0),
            Leaf::List(_) => self.push(Opcode::MoveList, to, [from, 0, 0], 0),
        }
    }

    pub(super) fn moved(&mut self, leaf: &Leaf, from: u32) -> u32 {
        let to = self.register(match leaf {
            Leaf::Word(_) => Role::Word,
            Leaf::List(_) => Role::List,
        });
        self.move_one(leaf, to, from);
        to
    }

    pub(super) fn form(&self, scope: &Scope<'_>, value: Value) -> Option<Form> {
        self.forms.form(scope.ids[value.index()])
    }

    /// The code of a graph on these parameters, and where its results are.
    pub(super) fn body(&mut self, scope: &Scope<'_>, params: &[Regs]) -> Option<Vec<Regs>> {
        if self.roles.len() > MOST_REGISTERS {
            return None;
        }
        let graph = scope.graph;
        let mut values: Vec<Option<Regs>> = vec![None; graph.types.len()];
        graph.params.iter().zip(params).for_each(|(v, regs)| values[v.index()] = Some(regs.clone()));
        for (value, constant) in &graph.constants {
            let regs = match constant.as_object::<List>() {
                None if constant.is_away() => return None,
                None => {
                    // SAFETY: a scalar of this dtype, as `Forms::enter` saw.
                    let bits = unsafe { vector::load_bits(constant.dtype().size(), constant.data()) };
                    [self.constant(bits)].into_iter().collect()
                }
                Some(list) => {
                    let form = self.form(scope, *value)?;
                    let mut regs = self.missing(&form);
                    if let (Form::Variant(parts), List::Full(_)) = (&form, list) {
                        self.tag(parts, &mut regs, parts.list_tag());
                        let layout = parts.list.as_ref()?;
                        regs[parts.list_start()] = self.new_list(layout, false);
                    }
                    regs
                }
            };
            values[value.index()] = Some(regs);
        }
        for (node, inner) in graph.nodes.iter().zip(&scope.inner) {
            let inputs = node.inputs.iter().map(|v| values[v.index()].clone()).collect::<Option<Vec<Regs>>>()?;
            let outputs = self.node(scope, node, inner, inputs)?;
            node.outputs.iter().zip(outputs).for_each(|(v, regs)| values[v.index()] = Some(regs));
        }
        graph.results.iter().map(|v| values[v.index()].clone()).collect()
    }

    pub(super) fn tag(&mut self, parts: &Parts, regs: &mut Regs, tag: u64) {
        if parts.tagged() {
            regs[0] = self.constant(tag);
        }
    }

    fn node(&mut self, scope: &Scope<'_>, node: &Node, inner: &[Scope<'_>], inputs: Vec<Regs>) -> Option<Vec<Regs>> {
        if let Some(op) = ListOp::of(&*node.op) {
            return self.list_op(op, scope, node, inputs);
        }
        match node.op.flow() {
            None if inner.is_empty() => Some(vec![self.number(scope.graph, node, &inputs)?]),
            None | Some(Flow::Call) => self.body(&inner[0], &inputs),
            Some(Flow::Branch) => self.branch(scope, node, inner, inputs),
            Some(Flow::Loop { carried }) => {
                let forms = node.outputs.iter().map(|&v| self.form(scope, v)).collect::<Option<Vec<Form>>>()?;
                self.repeat(&inner[0], &inner[1], inputs, carried, &forms)
            }
        }
    }

    /// An operation on numbers.
    fn number(&mut self, graph: &Graph, node: &Node, inputs: &[Regs]) -> Option<Regs> {
        let only = |register| Some([register].into_iter().collect());
        match node.op.kind() {
            Kind::Elementwise { .. } => {
                let dtypes: SmallVec<[DType; 4]> = node.inputs.iter().map(|&v| graph.ty(v).dtype).collect();
                let program = program_of(&*node.op, &dtypes);
                only(self.program(&program, node, inputs)?)
            }
            Kind::View => only(inputs[0][0]),
            _ => only(self.constant(node.op.repeats()?)),
        }
    }

    fn program(&mut self, program: &Program, node: &Node, inputs: &[Regs]) -> Option<u32> {
        let mut temps = vec![0; program.temps as usize];
        let mut output = 0;
        for step in &program.steps {
            let mut args = [0; 3];
            for (arg, slot) in args.iter_mut().zip(&step.args[..step.code.arity()]) {
                *arg = match *slot {
                    Slot::Input(n) => inputs[n as usize][0],
                    Slot::Const(n) => self.constant(program.constants[n as usize].1),
                    Slot::Temp(n) => temps[n as usize],
                    Slot::Output(_) => output,
                };
            }
            let result = self.step(step, args, node)?;
            match step.to {
                Slot::Temp(n) => temps[n as usize] = result,
                _ => output = result,
            }
        }
        Some(output)
    }

    /// One instruction of the scalar language.
    fn step(&mut self, step: &Step, mut args: [u32; 3], node: &Node) -> Option<u32> {
        if step.code == kernels::scalar::Code::Cast && step.operand == step.result {
            return Some(args[0]);
        }
        // Instructions of one form read three operands, wanted or not.
        let arity = step.code.arity();
        (arity..3).for_each(|i| args[i] = args[0]);
        let faults = step.code.fault().is_some() && !step.operand.is_floating();
        let mut imm = 0;
        let op = match typed(step.code, step.operand, step.result) {
            Some(op) => op,
            None => {
                self.loops.push(vector::lookup(step.code, step.operand, step.result, Isa::Portable)?);
                imm = self.loops.len() as u32 - 1;
                if faults { Opcode::CallFaulty } else { Opcode::Call }
            }
        };
        let to = self.register(Role::Word);
        let [a, b, c] = args;
        let ins = Ins { op, to, a, b, c, imm, place: NO_PLACE };
        match faults {
            true => self.push_at(ins, SourceOp { op: node.op.name(), step: Some(*step), location: node.location }),
            false => self.code.push(ins),
        }
        Some(to)
    }
}
