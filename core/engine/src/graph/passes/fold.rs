//! Constant folding: a free node all of whose operands are constants is run once, here, by the kernels of eager mode.
//! Only small results are kept; a large constant that is one number repeated becomes a view of that number.

use super::pure::is_free;
use super::rewrite::{Rewriter, with_bodies};
use crate::execute::{dense, run_at};
use crate::ir::{Graph, Node, Value, names_sizes};
use crate::op::{Kind, OpRef, Outputs};
use crate::ops;
use crate::ops::BroadcastTo;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use smallvec::SmallVec;
use std::panic::Location;

/// Bytes up to which results are kept.
const MOST: usize = 4096;
/// And results that show a part of a constant.
const SMALL_VIEW: usize = 64;

pub(super) fn fold(graph: &Graph) -> Result<Graph> {
    let mut new = Rewriter::new(graph);
    for node in &graph.nodes {
        // A constant would lie where the graph was made.
        if node.device.is_some() {
            let op = with_bodies(node, fold)?;
            new.copy(node, op);
            continue;
        }
        if let Some((bits, ty)) = repeated(graph, node) {
            let number = new.constant(&ops::scalar_of(ty.dtype, bits)?);
            let op = ops::broadcast_op(&ty.shape);
            let view = new.emit(op, SmallVec::from_slice(&[number]), &[ty], node.at());
            new.set(node.outputs[0], view[0]);
            continue;
        }
        match constant(graph, &mut new, node) {
            Some(outputs) => {
                for (&old, output) in node.outputs.iter().zip(outputs) {
                    let value = new.constant(&output);
                    new.set(old, value);
                }
            }
            None => {
                let op = with_bodies(node, fold)?;
                new.copy(node, op);
            }
        }
    }
    Ok(new.finish())
}

/// The number that a node repeats over its result, where that is too large to be kept.
fn repeated(graph: &Graph, node: &Node) -> Option<(u64, TensorType)> {
    let bits = node.op.repeats()?;
    let ty = *graph.ty(node.outputs[0]);
    (!ty.shape.is_known() || ty.shape.num_elements() > 1).then_some((bits, ty))
}

fn constant(graph: &Graph, new: &mut Rewriter<'_>, node: &Node) -> Option<Outputs> {
    if !is_free(graph, node) {
        return None;
    }
    let types: SmallVec<[TensorType; 1]> = node.outputs.iter().map(|&v| *graph.ty(v)).collect();
    let inputs: SmallVec<[Value; 4]> = node.inputs.iter().map(|&v| new.value(v)).collect();
    evaluated(&new.graph, &node.op, &inputs, &types, node.location)
}

/// The results of a free operation on constants, if they are small.
pub(super) fn evaluated(
    graph: &Graph,
    op: &OpRef,
    inputs: &[Value],
    types: &[TensorType],
    location: &'static Location<'static>,
) -> Option<Outputs> {
    let is_view = match op.kind() {
        Kind::Host | Kind::Control | Kind::Read | Kind::Effect => return None,
        Kind::View => true,
        _ => false,
    };
    // A view of a constant costs nothing, and the constant may be large; a number is worth knowing.
    let most = if is_view { SMALL_VIEW } else { MOST };
    let known = |ty: &TensorType| ty.dtype.size() > 0 && ty.shape.is_known() && ty.bytes() <= most;
    if !types.iter().all(known) || names_sizes(&**op) {
        return None;
    }
    let repeats = |ty: &TensorType| op.is::<BroadcastTo>() && ty.shape.num_elements() > 1;
    if is_view && types.iter().any(repeats) {
        return None;
    }
    let inputs: Option<SmallVec<[&Tensor; 4]>> = inputs.iter().map(|&v| graph.constant(v)).collect();
    let inputs = inputs.filter(|list| list.iter().all(|t| t.dtype().size() > 0 && !t.is_away()))?;
    // An operation with sizes to be bound cannot run yet; its own error is not one of the program.
    // Constants are small and wanted by the compiler itself.
    let _here = crate::device::on_cpu();
    let outputs = run_at(&**op, &inputs, 0, location).ok().filter(|outputs| outputs.len() == types.len())?;
    outputs.into_iter().map(|output| dense(&output).ok()).collect()
}
