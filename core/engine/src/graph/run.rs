//! Running a graph operation by operation on the kernels of eager mode: the executor for sizes that are not known
//! beforehand, and the one that says what the planned executor must give.

use super::control::captured;
use super::passes::pure::writes;
use super::size_mismatch;
use super::views::{RESULT, UNUSED, Views, changed_in_place, last_uses};
use crate::device::place_on;
use crate::execute::{check_numerics, checks_numerics, copied, run_at};
use crate::ir::sizes::Sizes;
use crate::ir::{Graph, Node, Value};
use crate::op::{Kind, OpRef, Operands, Outputs};
use crate::tensor::Tensor;
use kernels::backend::cuda;
use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// Runs a graph on operands, which it may overwrite where nobody else holds them.
pub(crate) fn run(graph: &Graph, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
    if inputs.len() != graph.params.len() {
        return Err(Error::internal("run", format!("{} operands for {} parameters", inputs.len(), graph.params.len())));
    }
    let symbolic = graph.is_symbolic();
    let mut values: Vec<Option<Tensor>> = vec![None; graph.types.len()];
    for (&param, input) in graph.params.iter().zip(inputs) {
        if symbolic {
            sizes.learn(graph.ty(param), input.shape());
        }
        values[param.index()] = Some(input);
    }
    for (value, constant) in &graph.constants {
        values[value.index()] = Some(constant.clone());
    }
    if symbolic {
        let types = || graph.params.iter().filter_map(|v| values[v.index()].as_ref()).map(|t| *t.ty()).collect();
        size_mismatch::check(graph, sizes, &types)?;
    }
    let uses = last_uses(graph);
    let mut views = graph.nodes.iter().any(changes_parts).then(|| Views::of(graph));
    for (position, node) in graph.nodes.iter().enumerate() {
        let bound;
        // An operation may name a size that no value of this body shows, but one around it.
        let op = match sizes.any() {
            false => &node.op,
            true => {
                bound = sizes.bind(&node.op).map_err(|e| e.at(node.location))?;
                &bound
            }
        };
        if let Some(views) = &mut views {
            take_views_apart(views, node, position, &uses, &mut values).map_err(|e| e.at(node.location))?;
        }
        let mut outputs =
            step(graph, op, node, position, &uses, &mut values, sizes).map_err(|e| e.at(node.location))?;
        if let Kind::Read = op.kind()
            && cuda::capturing()
            && outlives_a_write(graph, position, uses[node.outputs[0].index()])
        {
            outputs[0] = captured::kept(&outputs[0]).map_err(|e| e.at(node.location))?;
        }
        for (&value, output) in node.outputs.iter().zip(outputs) {
            if symbolic {
                sizes.learn(graph.ty(value), output.shape());
            }
            if uses[value.index()] != UNUSED {
                values[value.index()] = Some(output);
            }
        }
    }
    let mut results = Outputs::new();
    for (i, &value) in graph.results.iter().enumerate() {
        let result = values[value.index()].take().or_else(|| again(&graph.results[..i], value, &results));
        results.push(result.ok_or_else(|| missing(graph))?);
    }
    Ok(results)
}

/// A value that was taken before, as one of these.
fn again(before: &[Value], value: Value, taken: &[Tensor]) -> Option<Tensor> {
    before.iter().position(|v| *v == value).map(|at| taken[at].clone())
}

fn step(
    graph: &Graph,
    op: &OpRef,
    node: &Node,
    position: usize,
    uses: &[usize],
    values: &mut [Option<Tensor>],
    sizes: &Sizes<'_>,
) -> Result<Outputs> {
    let mut inputs = Operands::new();
    let mut owned = 0u32;
    for (i, &value) in node.inputs.iter().enumerate() {
        let last = uses[value.index()] == position;
        let slot = &mut values[value.index()];
        let input = if last { slot.take().or_else(|| again(&node.inputs[..i], value, &inputs)) } else { slot.clone() };
        inputs.push(input.ok_or_else(|| missing(graph))?);
        if last && i < 32 {
            owned |= 1 << i;
        }
    }
    let _there = node.device.map(place_on);
    if checks_numerics() {
        return checked_step(op, node, &inputs, sizes);
    }
    if let Kind::Host = op.kind() {
        return op.host(inputs, sizes);
    }
    let refs: SmallVec<[&Tensor; 4]> = inputs.iter().collect();
    run_at(&**op, &refs, owned, node.location)
}

/// Runs a node and looks at what it made. The operands are kept for the message, so that nothing is written over them.
#[cold]
fn checked_step(op: &OpRef, node: &Node, inputs: &Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
    let refs: SmallVec<[&Tensor; 4]> = inputs.iter().collect();
    let outputs = match op.kind() {
        Kind::Host => op.host(inputs.clone(), sizes)?,
        _ => run_at(&**op, &refs, 0, node.location)?,
    };
    check_numerics(&**op, &refs, &outputs, node.gradient_of, node.location)?;
    Ok(outputs)
}

/// Whether the value that the node reads from a variable is wanted, by the user at `last`, when the variable has changed.
/// Captured work changes variables where they lie.
fn outlives_a_write(graph: &Graph, position: usize, last: usize) -> bool {
    let variable = graph.nodes[position].inputs[0];
    let changes = |node: &Node| writes(node, variable);
    match last {
        UNUSED => false,
        RESULT => graph.nodes.iter().any(changes),
        last => graph.nodes[position..=last].iter().any(changes),
    }
}

fn changes_parts(node: &Node) -> bool {
    node.op.overwrites().is_some() || node.op.flow().is_some()
}

/// Gives small views of memory that node `position` is to write over, and that are used later or by it too, memory of their own.
fn take_views_apart(
    views: &mut Views,
    node: &Node,
    position: usize,
    uses: &[usize],
    values: &mut [Option<Tensor>],
) -> Result<()> {
    let wanted = |values: &[Option<Tensor>], v: Value| {
        uses[v.index()] != UNUSED && uses[v.index()] >= position && values[v.index()].is_some()
    };
    // Few nodes have such operands: only for them is it asked what their bodies change.
    let shown = |&i: &usize| views.beside(node.inputs[i]).any(|v| wanted(values, v));
    let is_last = |&i: &usize| uses[node.inputs[i].index()] == position;
    let over: SmallVec<[usize; 2]> = match node.op.overwrites() {
        Some(i) => Some(i).into_iter().filter(is_last).filter(shown).collect(),
        None if node.op.flow().is_some() && (0..node.inputs.len()).any(|i| shown(&i)) => {
            changed_in_place(&node.op).into_iter().flatten().filter(is_last).filter(shown).collect()
        }
        None => return Ok(()),
    };
    for v in over.into_iter().map(|i| node.inputs[i]) {
        let bytes = |v: Value| values[v.index()].as_ref().map_or(0, |tensor| tensor.ty().bytes());
        let beside: SmallVec<[Value; 4]> = views.beside(v).filter(|&v| wanted(values, v)).collect();
        // Lists have no elements of their own to copy.
        if bytes(v) == 0 || beside.iter().map(|&v| bytes(v)).sum::<usize>() * 2 > bytes(v) {
            continue;
        }
        for v in &beside {
            if let Some(view) = &values[v.index()] {
                values[v.index()] = Some(copied(view)?);
            }
        }
        views.part(&beside);
    }
    Ok(())
}

#[cold]
fn missing(graph: &Graph) -> Error {
    Error::internal("run", format!("a value of `{}` is used before it is computed", graph.name))
}

/// Whether a graph reads the variable that is its parameter `index`.
pub(crate) fn reads_param(graph: &Graph, index: usize) -> bool {
    let Some(&param) = graph.params.get(index) else { return false };
    let used = |node: &Node| -> SmallVec<[usize; 2]> {
        node.inputs.iter().enumerate().filter(|(_, v)| **v == param).map(|(i, _)| i).collect::<SmallVec<_>>()
    };
    graph.resource(param).is_some()
        && graph.nodes.iter().any(|node| match node.op.kind() {
            Kind::Read => node.inputs[0] == param,
            Kind::Host => used(node).into_iter().any(|i| node.op.reads(i)),
            _ => false,
        })
}
