//! Writes branches and loops: where their values live, and how all of them are brought there at once. Continues `emit`.

use super::code::Opcode;
use super::emit::{Emitter, Regs};
use super::scope::Scope;
use crate::ir::Node;
use crate::lists::layout::{Form, Leaf};

/// Nodes of a loop's test that is written twice.
const MOST_COPIED: usize = 16;

impl Emitter<'_> {
    pub(super) fn branch(
        &mut self,
        scope: &Scope<'_>,
        node: &Node,
        inner: &[Scope<'_>],
        inputs: Vec<Regs>,
    ) -> Option<Vec<Regs>> {
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
}
