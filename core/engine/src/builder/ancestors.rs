//! Walks back over what was recorded so far: on which parameters and tensors a value depends in ways that carry gradients.
//! Gradients that are asked for inside of loops are looked at with it, and what a round hands on to the next one.

use super::{Builder, OPEN};
use crate::ir::Value;
use crate::op::Gradient;
use crate::tape::{Marks, carries};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use std::collections::HashSet;
use std::rc::{Rc, Weak};

/// A parameter of a body that values were found to depend on.
pub(crate) struct Reached {
    pub body: Weak<Builder>,
    /// Its place among the parameters.
    pub index: usize,
}

/// The parameters of open bodies inside of others on which `targets` depend, not by way of `sources`: of bodies of which
/// `before` is true, told what tapes had noted when the body was opened.
pub(crate) fn reached(
    targets: &[&Tensor],
    sources: &[&Tensor],
    before: &dyn Fn(&Rc<Builder>, &Marks) -> bool,
) -> Vec<Reached> {
    let mut found = Vec::new();
    let mut targets: Vec<Tensor> = targets.iter().map(|&t| t.clone()).collect();
    OPEN.with_borrow(|open| {
        for (body, marks) in open.iter().rev() {
            let behind = body.behind(&targets, sources);
            if body.outer.is_some() && before(body, marks) {
                let own = body.own_params(&behind);
                found.extend(own.into_iter().map(|index| Reached { body: Rc::downgrade(body), index }));
            }
            targets.extend(body.captured(&behind));
        }
    });
    found
}

impl Builder {
    /// The values of this body on which `targets` depend in ways that carry gradients, not by way of `sources`.
    pub fn behind(&self, targets: &[Tensor], sources: &[&Tensor]) -> HashSet<Value> {
        let state = self.state.borrow();
        let value = |t: &Tensor| state.values.get(&t.id()).copied();
        let stops: HashSet<Value> = sources.iter().filter_map(|t| value(t)).collect();
        let mut behind: HashSet<Value> = HashSet::new();
        behind.extend(targets.iter().filter(|t| carries(t)).filter_map(value).filter(|v| !stops.contains(v)));
        for node in state.graph.nodes.iter().rev() {
            if !node.outputs.iter().any(|v| behind.contains(v)) || matches!(node.op.gradient(), Gradient::Stops(_)) {
                continue;
            }
            for &input in &node.inputs {
                let dtype = state.graph.ty(input).dtype;
                let flows = dtype.is_differentiable() || matches!(dtype, DType::Resource | DType::Variant);
                if flows && !stops.contains(&input) {
                    behind.insert(input);
                }
            }
        }
        behind
    }

    /// Whether one of these values is that of a tensor, or a variable, of which `holds` is true by its id.
    pub fn any_tensor(&self, values: &HashSet<Value>, holds: &dyn Fn(u64) -> bool) -> bool {
        self.state.borrow().values.iter().any(|(&id, value)| values.contains(value) && holds(id))
    }

    /// The place of a parameter among these values, by its number.
    pub fn param_in(&self, values: &HashSet<Value>, index: usize) -> bool {
        self.state.borrow().graph.params.get(index).is_some_and(|v| values.contains(v))
    }

    /// The places of those parameters among these values that are no captures.
    fn own_params(&self, values: &HashSet<Value>) -> Vec<usize> {
        let state = self.state.borrow();
        let captured: HashSet<Value> = state.captures.iter().map(|(_, v)| *v).collect();
        let own = |v: &Value| values.contains(v) && !captured.contains(v);
        let params = state.graph.params.iter().enumerate();
        params.filter(|(_, v)| own(v)).map(|(index, _)| index).collect()
    }

    /// The tensors of the outside among these values.
    fn captured(&self, values: &HashSet<Value>) -> Vec<Tensor> {
        let state = self.state.borrow();
        state.captures.iter().filter(|(_, v)| values.contains(v)).map(|(t, _)| t.clone()).collect()
    }

    /// Whether this body is `other` or inside of it.
    pub fn is_within(&self, other: &Rc<Builder>) -> bool {
        std::ptr::eq(self, &raw const **other) || self.outer.as_ref().is_some_and(|outer| outer.is_within(other))
    }
}
