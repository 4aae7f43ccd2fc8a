//! Writes the instructions of a loop over virtual registers, bodies inside bodies in line: one register per number, one per
//! list, none for packs. Each value is written once per round; `moves` and `fuse` make it short afterwards.

use super::code::{Ins, Opcode, Role, load_of, move_of, store_of, typed};
use super::forms::{Forms, Id, Scope};
use super::layout::{Form, Layout, Leaf, Parts};
use crate::backend::cpu::{Isa, vector};
use crate::dtype::DType;
use crate::graph::control::list::List;
use crate::graph::control::list_ops::ListOp;
use crate::graph::ir::{Graph, Node, Value};
use crate::op::{Flow, Kind};
use crate::scalar::{Program, Slot, Step, program_of};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

/// What an error of an instruction names.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub op: &'static str,
    /// The step that faulted; none where a list was empty.
    pub step: Option<Step>,
    pub location: &'static Location<'static>,
}

/// The virtual registers of a value, one per leaf of its form.
pub(super) type Regs = SmallVec<[u32; 2]>;

/// The code while it is written. A jump's `imm` is the number of a label.
pub(super) struct Emitter<'f> {
    forms: &'f Forms,
    pub code: Vec<Ins>,
    pub roles: Vec<Role>,
    /// Registers with a value from the start.
    pub constants: Vec<(u32, u64)>,
    known: HashMap<u64, u32>,
    /// For each label, the instruction it stands before.
    pub labels: Vec<usize>,
    pub loops: Vec<vector::Loop>,
    pub layouts: Vec<Arc<Layout>>,
    pub places: Vec<Place>,
}

const NO_PLACE: u32 = u32::MAX;
/// Registers have 16 bits in an instruction; compiling takes quadratic time in them.
const MOST_REGISTERS: usize = 6000;
/// Nodes of a loop's test that is written twice.
const MOST_COPIED: usize = 16;

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

    fn register(&mut self, role: Role) -> u32 {
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

    fn constant(&mut self, bits: u64) -> u32 {
        if let Some(&known) = self.known.get(&bits) {
            return known;
        }
        let register = self.register(Role::Word);
        self.constants.push((register, bits));
        self.known.insert(bits, register);
        register
    }

    fn push(&mut self, op: Opcode, to: u32, [a, b, c]: [u32; 3], imm: u32) {
        self.code.push(Ins { op, to, a, b, c, imm, place: NO_PLACE });
    }

    fn push_at(&mut self, ins: Ins, place: Place) {
        self.places.push(place);
        self.code.push(Ins { place: self.places.len() as u32 - 1, ..ins });
    }

    fn label(&mut self) -> u32 {
        self.labels.push(usize::MAX);
        self.labels.len() as u32 - 1
    }

    fn put(&mut self, label: u32) {
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
    fn missing(&mut self, form: &Form) -> Regs {
        let mut regs = Regs::new();
        for leaf in form.leaves() {
            regs.push(match &leaf {
                Leaf::Word(_) => self.constant(0),
                Leaf::List(layout) => self.new_list(layout, true),
            });
        }
        regs
    }

    fn move_one(&mut self, leaf: &Leaf, to: u32, from: u32) {
        match leaf {
            Leaf::Word(dtype) => self.push(move_of(dtype.size()), to, [from, 0, 0], 0),
            Leaf::List(_) => self.push(Opcode::MoveList, to, [from, 0, 0], 0),
        }
    }

    fn moved(&mut self, leaf: &Leaf, from: u32) -> u32 {
        let to = self.register(match leaf {
            Leaf::Word(_) => Role::Word,
            Leaf::List(_) => Role::List,
        });
        self.move_one(leaf, to, from);
        to
    }

    fn form(&self, scope: &Scope<'_>, value: Value) -> Option<Form> {
        self.forms.form(scope.ids[value.index()])
    }

    /// The code of a graph on these parameters, and where its results are.
    fn body(&mut self, scope: &Scope<'_>, params: &[Regs]) -> Option<Vec<Regs>> {
        if self.roles.len() > MOST_REGISTERS {
            return None;
        }
        let graph = scope.graph;
        let mut values: Vec<Option<Regs>> = vec![None; graph.types.len()];
        graph.params.iter().zip(params).for_each(|(v, regs)| values[v.index()] = Some(regs.clone()));
        for (value, constant) in &graph.constants {
            let regs = match constant.as_object::<List>() {
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

    fn tag(&mut self, parts: &Parts, regs: &mut Regs, tag: u64) {
        if parts.tagged() {
            regs[0] = self.constant(tag);
        }
    }

    fn node(&mut self, scope: &Scope<'_>, node: &Node, inner: &[Scope<'_>], inputs: Vec<Regs>) -> Option<Vec<Regs>> {
        if let Some(op) = node.op.list_op() {
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
        if step.code == crate::scalar::Code::Cast && step.operand == step.result {
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
            true => self.push_at(ins, Place { op: node.op.name(), step: Some(*step), location: node.location }),
            false => self.code.push(ins),
        }
        Some(to)
    }

    fn branch(&mut self, scope: &Scope<'_>, node: &Node, inner: &[Scope<'_>], inputs: Vec<Regs>) -> Option<Vec<Regs>> {
        let forms = node.outputs.iter().map(|&v| self.form(scope, v)).collect::<Option<Vec<Form>>>()?;
        let homes: Vec<Regs> = forms.iter().map(|form| self.registers(form)).collect();
        let (otherwise, end) = (self.label(), self.label());
        self.push(Opcode::JumpUnless, 0, [inputs[0][0], 0, 0], otherwise);
        let results = self.body(&inner[0], &inputs[1..])?;
        self.bring(&forms, &homes, &results);
        self.push(Opcode::Jump, 0, [0; 3], end);
        self.put(otherwise);
        let results = self.body(&inner[1], &inputs[1..])?;
        self.bring(&forms, &homes, &results);
        self.put(end);
        Some(homes)
    }

    /// Moves values to their homes, all at once: one may be another's home.
    fn bring(&mut self, forms: &[Form], homes: &[Regs], values: &[Regs]) {
        let leaves: Vec<Leaf> = forms.iter().flat_map(Form::leaves).collect();
        let homes: Vec<u32> = homes.iter().flatten().copied().collect();
        let mut values: Vec<u32> = values.iter().flatten().copied().collect();
        for i in 0..homes.len() {
            if values[i] != homes[i] && homes.contains(&values[i]) {
                values[i] = self.moved(&leaves[i], values[i]);
            }
        }
        for i in 0..homes.len() {
            if values[i] != homes[i] {
                self.move_one(&leaves[i], homes[i], values[i]);
            }
        }
    }

    /// A loop; the test stands at its end, so that a round jumps once. A short test stands before it as well: the end of
    /// the body and the test are then straight code.
    pub fn repeat(
        &mut self,
        test: &Scope<'_>,
        body: &Scope<'_>,
        inputs: Vec<Regs>,
        carried: usize,
        forms: &[Form],
    ) -> Option<Vec<Regs>> {
        let homes: Vec<Regs> = forms.iter().map(|form| self.registers(form)).collect();
        self.bring(forms, &homes, &inputs[..carried]);
        let params: Vec<Regs> = homes.iter().chain(&inputs[carried..]).cloned().collect();
        let (again, end) = (self.label(), self.label());
        let first = (test.graph.node_count() > MOST_COPIED).then(|| self.label());
        match first {
            Some(first) => self.push(Opcode::Jump, 0, [0; 3], first),
            None => {
                let condition = self.body(test, &params)?;
                self.push(Opcode::JumpUnless, 0, [condition.first()?[0], 0, 0], end);
            }
        }
        self.put(again);
        let results = self.body(body, &params)?;
        self.bring(forms, &homes, &results);
        if let Some(first) = first {
            self.put(first);
        }
        let condition = self.body(test, &params)?;
        self.push(Opcode::JumpIf, 0, [condition.first()?[0], 0, 0], again);
        self.put(end);
        Some(homes)
    }

    fn list_op(&mut self, op: ListOp<'_>, scope: &Scope<'_>, node: &Node, mut inputs: Vec<Regs>) -> Option<Vec<Regs>> {
        let id = |value: Value| -> Id { scope.ids[value.index()] };
        match op {
            ListOp::Pack(op) => {
                let Form::Variant(parts) = self.form(scope, node.outputs[0])? else { return None };
                let mut key = vec![None; op.len as usize];
                let given = op.items.iter().zip(&node.inputs);
                given.for_each(|(&at, v)| key[at as usize] = Some(scope.graph.ty(*v).dtype));
                let index = self.forms.pack_index(id(node.outputs[0]), &key)?;
                let mut regs = self.missing(&Form::Variant(parts.clone()));
                self.tag(&parts, &mut regs, parts.pack_tag(index));
                let start = parts.pack_start(index);
                let starts = starts(&parts.packs[index]);
                for (&at, input) in op.items.iter().zip(inputs) {
                    let at = start + starts[at as usize];
                    regs[at..at + input.len()].copy_from_slice(&input);
                }
                Some(vec![regs])
            }
            ListOp::Unpack(op) => {
                let key: Vec<Option<DType>> = op.types.iter().map(|ty| Some(ty.dtype)).collect();
                let index = self.forms.pack_index(id(node.inputs[0]), &key)?;
                let Form::Variant(parts) = self.form(scope, node.inputs[0])? else { return None };
                let start = parts.pack_start(index);
                let items = parts.packs[index].iter().zip(starts(&parts.packs[index]));
                Some(items.map(|(f, at)| inputs[0][start + at..start + at + f.width()].into()).collect())
            }
            ListOp::Nth(op) => {
                let at = op.index as usize;
                let Form::Variant(parts) = self.form(scope, node.inputs[0])? else { return None };
                match self.forms.pack_with(id(node.inputs[0]), at, op.item.dtype) {
                    None => {
                        let form = self.form(scope, node.outputs[0])?;
                        Some(vec![self.missing(&form)])
                    }
                    Some(index) => {
                        let pack = &parts.packs[index];
                        let start = parts.pack_start(index) + starts(pack)[at];
                        Some(vec![inputs[0][start..start + pack[at].width()].into()])
                    }
                }
            }
            ListOp::NothingLike(_) => {
                let form = self.form(scope, node.outputs[0])?;
                Some(vec![self.missing(&form)])
            }
            ListOp::Push(op) => {
                let (parts, layout) = self.list_of(scope, node.inputs[0])?;
                let item = match op.present {
                    true => inputs.pop()?,
                    false => self.missing(&layout.item),
                };
                let mut regs = inputs.pop()?;
                let list = self.moved(&Leaf::List(layout.clone()), regs[parts.list_start()]);
                self.push_row(&layout, list, &item);
                self.tag(&parts, &mut regs, parts.list_tag());
                regs[parts.list_start()] = list;
                Some(vec![regs])
            }
            ListOp::Pop(_) => {
                let (parts, layout) = self.list_of(scope, node.inputs[0])?;
                let mut regs = inputs.pop()?;
                let list = self.moved(&Leaf::List(layout.clone()), regs[parts.list_start()]);
                let item = self.pop_row(&layout, list, node);
                self.tag(&parts, &mut regs, parts.list_tag());
                regs[parts.list_start()] = list;
                Some(vec![regs, item])
            }
            ListOp::Len(_) => {
                let (parts, _) = self.list_of(scope, node.inputs[0])?;
                let to = self.register(Role::Word);
                self.push(Opcode::Len, to, [inputs[0][parts.list_start()], 0, 0], 0);
                Some(vec![[to].into_iter().collect()])
            }
            _ => None,
        }
    }

    fn list_of(&self, scope: &Scope<'_>, value: Value) -> Option<(Parts, Arc<Layout>)> {
        let Form::Variant(parts) = self.form(scope, value)? else { return None };
        let layout = parts.list.clone()?;
        Some((parts, layout))
    }

    fn push_row(&mut self, layout: &Layout, list: u32, item: &[u32]) {
        if let ([Leaf::Word(dtype)], 4 | 8) = (&layout.leaves[..], layout.bytes) {
            let op = if dtype.size() == 4 { Opcode::Push4 } else { Opcode::Push8 };
            return self.push(op, list, [item[0], 0, 0], 0);
        }
        self.push(Opcode::PushRow, list, [0; 3], layout.bytes as u32);
        for ((leaf, &at), &from) in layout.leaves.iter().zip(&layout.places).zip(item) {
            match leaf {
                Leaf::Word(dtype) => self.push(store_of(dtype.size()), list, [from, 0, 0], (layout.bytes - at) as u32),
                Leaf::List(_) => {
                    let from = self.moved(leaf, from);
                    self.push(Opcode::StoreList, list, [from, 0, 0], 0);
                }
            }
        }
    }

    fn pop_row(&mut self, layout: &Layout, list: u32, node: &Node) -> Regs {
        let item = self.registers(&layout.item);
        let place = Place { op: node.op.name(), step: None, location: node.location };
        let ins = Ins { op: Opcode::PopRow, to: list, a: list, b: 0, c: 0, imm: layout.bytes as u32, place: NO_PLACE };
        if let ([Leaf::Word(dtype)], 4 | 8) = (&layout.leaves[..], layout.bytes) {
            let op = if dtype.size() == 4 { Opcode::Pop4 } else { Opcode::Pop8 };
            self.push_at(Ins { op, to: item[0], ..ins }, place);
            return item;
        }
        self.push_at(ins, place);
        let fields = layout.leaves.iter().zip(&layout.places).zip(&item);
        // Lists come off one by one, the last first.
        for ((leaf, &at), &to) in fields.rev() {
            match leaf {
                Leaf::Word(dtype) => self.push(load_of(dtype.size()), to, [list, 0, 0], at as u32),
                Leaf::List(_) => self.push(Opcode::LoadList, to, [list, 0, 0], 0),
            }
        }
        item
    }
}

/// Where the leaves of each item of a pack begin.
fn starts(pack: &[Form]) -> Vec<usize> {
    let mut next = 0;
    let start = |form: &Form| {
        let start = next;
        next += form.width();
        start
    };
    pack.iter().map(start).collect()
}
