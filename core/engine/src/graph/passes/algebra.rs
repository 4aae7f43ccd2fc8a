//! Algebra: rules that are exact in IEEE arithmetic, and only those: not `x * 0`, not `x - x`, nothing that rounds
//! otherwise. Views that change nothing go, and so do operations with their neutral element.

use super::rewrite::{Rewriter, with_bodies};
use crate::ir::{Graph, Node, Value};
use crate::meaning::{Join, Parts};
use crate::op::Kind;
use crate::ops::PartView;
use crate::tensor::Tensor;
use kernels::error::Result;
use kernels::scalar::Code;
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;

pub(super) fn algebra(graph: &Graph) -> Result<Graph> {
    let mut new = Rewriter::new(graph);
    let viewed = views(graph);
    let mut made = OfParts::default();
    for node in &graph.nodes {
        // What is placed is a copy where its operand lies elsewhere.
        if node.device.is_some() {
            let op = with_bodies(node, algebra)?;
            new.copy(node, op);
            continue;
        }
        // Operations that only carry a gradient are their operands.
        if !node.outputs.is_empty() && (0..node.outputs.len()).all(|i| node.op.same_as(i).is_some()) {
            for (i, &output) in node.outputs.iter().enumerate() {
                if let Some(&input) = node.op.same_as(i).and_then(|at| node.inputs.get(at)) {
                    let value = new.value(input);
                    new.set(output, value);
                }
            }
            continue;
        }
        if let Some(values) = through_parts(&made, &mut new, node) {
            node.outputs.iter().zip(values).for_each(|(&output, value)| new.set(output, value));
            continue;
        }
        match itself(graph, &viewed, &mut new, node) {
            Some(value) => new.set(node.outputs[0], value),
            None => {
                let op = with_bodies(node, algebra)?;
                new.copy(node, op);
                made.note(node, &mut new);
            }
        }
    }
    Ok(new.finish())
}

/// Complex numbers and parts of them in the new graph, by value.
#[derive(Default)]
struct OfParts {
    /// The parts of which complex numbers were made.
    joined: HashMap<Value, [Value; 2]>,
    /// The complex numbers of which something is a part, and which one.
    parts: HashMap<Value, (Value, usize)>,
}

impl OfParts {
    fn note(&mut self, node: &Node, new: &mut Rewriter<'_>) {
        if node.op.is::<Join>() {
            let [re, im] = [0, 1].map(|i| new.value(node.inputs[i]));
            self.joined.insert(new.value(node.outputs[0]), [re, im]);
        } else if node.op.is::<Parts>() {
            let whole = new.value(node.inputs[0]);
            for (i, &part) in node.outputs.iter().enumerate() {
                self.parts.insert(new.value(part), (whole, i));
            }
        }
    }
}

/// What the results of a node are that takes complex numbers apart which were just put together, or the other way round.
fn through_parts(made: &OfParts, new: &mut Rewriter<'_>, node: &Node) -> Option<SmallVec<[Value; 2]>> {
    if node.op.is::<Parts>() {
        return made.joined.get(&new.value(node.inputs[0])).map(|both| SmallVec::from_slice(both));
    }
    if let Some(PartView { imaginary }) = node.op.downcast() {
        return made.joined.get(&new.value(node.inputs[0])).map(|both| smallvec![both[usize::from(*imaginary)]]);
    }
    if node.op.is::<Join>() {
        let [(re, 0), (im, 1)] =
            [*made.parts.get(&new.value(node.inputs[0]))?, *made.parts.get(&new.value(node.inputs[1]))?]
        else {
            return None;
        };
        return (re == im).then(|| smallvec![re]);
    }
    None
}

/// By value whether it is a view.
fn views(graph: &Graph) -> Vec<bool> {
    let mut views = vec![false; graph.types.len()];
    let nodes = graph.nodes.iter().filter(|node| matches!(node.op.kind(), Kind::View));
    nodes.flat_map(|node| &node.outputs).for_each(|v| views[v.index()] = true);
    views
}

/// The operand that a node's result equals, bit for bit.
fn itself(graph: &Graph, viewed: &[bool], new: &mut Rewriter<'_>, node: &Node) -> Option<Value> {
    let [output] = node.outputs[..] else { return None };
    let ty = graph.ty(output);
    let same = |i: usize| node.inputs.get(i).is_some_and(|&v| graph.ty(v) == ty);
    match node.op.kind() {
        // A view of the same type with its elements in order is the operand. Handles keep their identity.
        Kind::View if same(0) && ty.dtype.size() > 0 && node.op.keeps_order() => Some(new.value(node.inputs[0])),
        Kind::Elementwise { direct: Some(code), .. } => {
            let scalar = |i: usize, new: &mut Rewriter<'_>| {
                let value = new.value(*node.inputs.get(i)?);
                neutral(new.graph.constant(value)?)
            };
            let neutral = |i: usize, wanted: Neutral, new: &mut Rewriter<'_>| scalar(i, new) == Some(wanted);
            // The result lies dense and a view may not: a reduction of it would add up in another order.
            let same = |i: usize| same(i) && !viewed[node.inputs[i].index()];
            let operand = match code {
                Code::Mul if same(0) && neutral(1, Neutral::One, new) => 0,
                Code::Mul if same(1) && neutral(0, Neutral::One, new) => 1,
                Code::Div if same(0) && neutral(1, Neutral::One, new) && ty.dtype.is_floating() => 0,
                Code::Sub if same(0) && neutral(1, Neutral::Zero, new) => 0,
                // Adding 0 turns -0 into 0 unless it is -0 itself; integers have one zero.
                Code::Add if same(0) && neutral(1, Neutral::Zero, new) && ty.dtype.is_integer() => 0,
                Code::Add if same(1) && neutral(0, Neutral::Zero, new) && ty.dtype.is_integer() => 1,
                _ => return None,
            };
            Some(new.value(node.inputs[operand]))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Neutral {
    One,
    Zero,
}

/// Whether a constant is a scalar 1, or a scalar 0 (not -0).
fn neutral(tensor: &Tensor) -> Option<Neutral> {
    if tensor.num_elements() != 1 || tensor.dtype().size() == 0 || tensor.is_away() {
        return None;
    }
    // SAFETY: one element of this size.
    let bits = unsafe { kernels::backend::cpu::vector::load_bits(tensor.dtype().size(), tensor.data()) };
    let encode = |value| kernels::backend::cpu::vector::encode(tensor.dtype(), value);
    match bits {
        0 => Some(Neutral::Zero),
        bits if bits == encode(1.0) => Some(Neutral::One),
        _ => None,
    }
}
