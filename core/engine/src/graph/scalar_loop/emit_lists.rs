//! Writes the instructions of operations on lists and packs: packs are only names for registers, lists are changed in place
//! after a move that mostly disappears. Continues `emit`.

use super::code::{Ins, Opcode, Role, load_of, store_of};
use super::emit::{Emitter, NO_PLACE, Regs, SourceOp};
use super::forms::Id;
use super::scope::Scope;
use crate::ir::{Node, Value};
use crate::lists::layout::{Form, Layout, Leaf, Parts};
use crate::lists::list_op::ListOp;
use kernels::dtype::DType;
use std::sync::Arc;

impl Emitter<'_> {
    /// The code of an operation on lists.
    pub(super) fn list_op(
        &mut self,
        op: ListOp<'_>,
        scope: &Scope<'_>,
        node: &Node,
        mut inputs: Vec<Regs>,
    ) -> Option<Vec<Regs>> {
        let id = |value: Value| -> Id { scope.ids[value.index()] };
        match op {
            ListOp::Pack(op) => {
                let Form::Variant(parts) = self.form(scope, node.outputs[0])? else { return None };
                let index = self.forms.pack_index(id(node.outputs[0]), &op.dtypes)?;
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
                let key: Vec<DType> = op.types.iter().map(|ty| ty.dtype).collect();
                let index = self.forms.pack_index(id(node.inputs[0]), &key)?;
                let Form::Variant(parts) = self.form(scope, node.inputs[0])? else { return None };
                let start = parts.pack_start(index);
                let items = parts.packs[index].iter().zip(starts(&parts.packs[index]));
                Some(items.map(|(f, at)| inputs[0][start + at..start + at + f.width()].into()).collect())
            }
            ListOp::Nth(op) => {
                let at = op.index as usize;
                let Form::Variant(parts) = self.form(scope, node.inputs[0])? else { return None };
                if parts.list.is_some() {
                    // An item of a list, as of one that was made of several items at once.
                    return None;
                }
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
        let place = SourceOp { op: node.op.name(), step: None, location: node.location };
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
