//! The part of a cluster that the host computes although the rest belongs on a GPU: integers and truth values that follow from
//! numbers of the host alone. `run_cluster` asks, so that fusion does not take a loop's counter away from who reads it.

use super::on_device::run_cluster;
use super::run;
use crate::device;
use crate::execute::{is_number, run_at};
use crate::ir::sizes::Sizes;
use crate::ir::{Graph, Node, Value};
use crate::op::{Kind, Operands, Outputs};
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::collections::HashMap;

/// A cluster in two parts.
pub(super) struct Split {
    /// For each result the number that it is, if the host knows it.
    known: Vec<Option<Tensor>>,
    /// What is left, with those numbers as constants.
    rest: Graph,
}

fn is_count(tensor: &Tensor) -> bool {
    is_number(tensor) && tensor.num_elements() == 1 && !tensor.dtype().is_differentiable()
}

impl Split {
    /// The parts, if the host has one.
    pub fn of(body: &Graph, inputs: &[Tensor]) -> Option<Self> {
        if !inputs.iter().any(is_count) {
            return None;
        }
        let mut numbers: HashMap<Value, Tensor> = HashMap::new();
        let given = body.params.iter().zip(inputs).chain(body.constants.iter().map(|(v, t)| (v, t)));
        numbers.extend(given.filter(|(_, t)| is_count(t)).map(|(&value, t)| (value, t.clone())));
        let mut found: Vec<(usize, Value)> = Vec::new();
        for (at, node) in body.nodes.iter().enumerate() {
            if let Some(number) = number_of(body, node, &numbers) {
                numbers.insert(node.outputs[0], number);
                found.push((at, node.outputs[0]));
            }
        }
        if found.is_empty() {
            return None;
        }
        let is_found = |value: &Value| found.iter().any(|(_, other)| other == value);
        let known = body.results.iter().map(|v| numbers.get(v).filter(|_| is_found(v)).cloned()).collect();
        let mut rest = body.clone();
        rest.nodes.retain(|node| !is_found(&node.outputs[0]));
        rest.results.retain(|value| !is_found(value));
        let is_read = |v: &Value| rest.nodes.iter().any(|node| node.inputs.contains(v));
        let constants =
            found.iter().filter(|(_, v)| is_read(v)).filter_map(|(_, v)| Some((*v, numbers.get(v)?.clone())));
        rest.constants.extend(constants);
        // The same nodes make the same kernel: its numbers are operands.
        let mix = |id: u64, at: u64| (id.rotate_left(7) ^ at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        rest.id = found.iter().fold(mix(body.id, u64::MAX), |id, (at, _)| mix(id, *at as u64));
        Some(Self { known, rest })
    }

    pub fn run(self, inputs: &[Tensor], sizes: &Sizes<'_>) -> Result<Outputs> {
        let mut others = Outputs::new();
        if !self.rest.results.is_empty() {
            others = match run_cluster(&self.rest, inputs, sizes)? {
                Some(outputs) => outputs,
                None => run::run(&self.rest, inputs.iter().cloned().collect::<Operands>(), sizes)?,
            };
        }
        let mut others = others.into_iter();
        let missing = || Error::internal("fused", "a result is missing");
        self.known.into_iter().map(|number| number.or_else(|| others.next()).ok_or_else(missing)).collect()
    }
}

/// What a node computes, if that is an integer or truth value that follows from numbers.
fn number_of(body: &Graph, node: &Node, numbers: &HashMap<Value, Tensor>) -> Option<Tensor> {
    let ty = body.ty(node.outputs[0]);
    if ty.dtype.is_differentiable() || !matches!(node.op.kind(), Kind::Elementwise { .. }) {
        return None;
    }
    let inputs: SmallVec<[&Tensor; 4]> = node.inputs.iter().map(|v| numbers.get(v)).collect::<Option<_>>()?;
    let _here = device::on_cpu();
    run_at(&*node.op, &inputs, 0, node.location).ok()?.pop()
}
