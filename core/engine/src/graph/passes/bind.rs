//! Binding: the numbers of a call in place of symbolic sizes, in types and attributes, bodies included.
//! The plan's compiler runs it first, which also follows the lengths of lists; where a size depends on values, it says so.

use super::fold::evaluated;
use super::rewrite::Rewriter;
use crate::execute::view_of;
use crate::graph::control::{Cond, While};
use crate::ir::sizes::Sizes;
use crate::ir::{Graph, Node, Value};
use crate::lists::list_op::ListOp;
use crate::op::{Attr, Facts, Flow, Infer, Op, OpRef, Outputs};
use crate::ops::BroadcastTo;
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::View;
use kernels::backend::cpu::reduce::Monoid;
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;
use std::sync::Arc;

/// The graph with all sizes known, for parameters of these types; `None` if some depend on values.
pub(crate) fn bind(graph: &Graph, params: &[TensorType], outer: &Sizes<'_>) -> Result<Option<Graph>> {
    let lengths = vec![None; params.len()];
    Ok(Body { graph, sizes: Sizes::within(outer) }.bind(params, &lengths)?.map(|(graph, _)| graph))
}

/// How many items a list has, where that is known.
type Length = Option<usize>;

/// A graph or body that is being bound.
struct Body<'a> {
    graph: &'a Graph,
    sizes: Sizes<'a>,
}

/// An operation with its types and the lengths of its results.
struct Bound {
    op: OpRef,
    outputs: SmallVec<[TensorType; 1]>,
    lengths: SmallVec<[Length; 1]>,
}

impl Body<'_> {
    /// The bound graph, and the lengths of its results.
    fn bind(&self, params: &[TensorType], lengths: &[Length]) -> Result<Option<(Graph, Vec<Length>)>> {
        let graph = self.graph;
        for (&param, ty) in graph.params.iter().zip(params) {
            self.sizes.learn(graph.ty(param), &ty.shape);
        }
        // Sizes that do not fit are an error where the operation that wants them equal runs, if it does.
        if graph.constraints.check(&|s| self.sizes.get(s)).is_err() {
            return Ok(None);
        }
        let mut new = Rewriter::new(graph);
        let mut long: HashMap<Value, usize> = HashMap::new();
        // By the result of a `broadcast_to` what it repeats.
        let mut repeats: HashMap<Value, Value> = HashMap::new();
        for (i, ty) in params.iter().enumerate() {
            let value = new.graph.params[i];
            if !ty.shape.is_known() {
                return Ok(None);
            }
            new.graph.types[value.index()] = *ty;
            long.extend(lengths[i].map(|n| (value, n)));
        }
        new.graph.constraints = Default::default();
        for node in &graph.nodes {
            let inputs: SmallVec<[Value; 3]> = node.inputs.iter().map(|&v| new.value(v)).collect();
            let Some(bound) = self.node(&new.graph, node, &inputs, &long)? else { return Ok(None) };
            let outputs = &bound.outputs;
            if outputs.len() != node.outputs.len() || outputs.iter().any(|ty| !ty.shape.is_known()) {
                return Ok(None);
            }
            for (&old, ty) in node.outputs.iter().zip(outputs) {
                self.sizes.learn(graph.ty(old), &ty.shape);
            }
            // Sizes that were computed as values become numbers here, for the sizes that follow from them.
            // What a guard placed stays an operation, unless sizes may follow from it.
            let placed = node.device.is_some() && outputs.iter().any(|ty| ty.dtype.is_differentiable());
            let results = match placed {
                true => None,
                false => evaluated(&new.graph, &bound.op, &inputs, outputs, node.location),
            };
            if let Some(results) = results.or_else(|| counted(&new.graph, &bound, &inputs, &repeats)) {
                for (&old, result) in node.outputs.iter().zip(&results) {
                    let value = new.constant(result);
                    new.set(old, value);
                }
                continue;
            }
            let repeated = inputs.first().copied().filter(|_| bound.op.is::<BroadcastTo>());
            let values = new.emit(bound.op, inputs, outputs, node.at());
            repeats.extend(repeated.map(|input| (values[0], input)));
            for ((&old, value), length) in node.outputs.iter().zip(values).zip(bound.lengths) {
                new.set(old, value);
                long.extend(length.map(|n| (value, n)));
            }
        }
        let finished = new.finish();
        let lengths = finished.results.iter().map(|v| long.get(v).copied()).collect();
        Ok(Some((finished, lengths)))
    }

    fn node(&self, new: &Graph, node: &Node, inputs: &[Value], long: &HashMap<Value, usize>) -> Result<Option<Bound>> {
        let types: Vec<TensorType> = inputs.iter().map(|&v| *new.ty(v)).collect();
        let lengths: Vec<Length> = inputs.iter().map(|v| long.get(v).copied()).collect();
        match node.op.flow() {
            Some(Flow::Branch) => self.branch(node, &types, &lengths),
            Some(Flow::Loop { carried }) => self.repeat(node, &types, lengths, carried),
            Some(Flow::Call) => Ok(None),
            None => self.operation(new, node, inputs, &types, &lengths),
        }
    }

    fn inner<'a>(&'a self, body: &'a Graph) -> Body<'a> {
        Body { graph: body, sizes: Sizes::within(&self.sizes) }
    }

    fn branch(&self, node: &Node, types: &[TensorType], lengths: &[Length]) -> Result<Option<Bound>> {
        let bodies = node.op.bodies();
        let [then, otherwise] = [0, 1].map(|i| self.inner(bodies[i]).bind(&types[1..], &lengths[1..]));
        let (Some((then, one)), Some((otherwise, other))) = (then?, otherwise?) else { return Ok(None) };
        let outputs: SmallVec<[TensorType; 1]> = then.result_types().copied().collect();
        if !otherwise.result_types().eq(outputs.iter()) {
            return Ok(None);
        }
        let lengths = one.into_iter().zip(other).map(|(a, b)| a.filter(|_| a == b)).collect();
        let op = Cond { then: Arc::new(then), otherwise: Arc::new(otherwise) };
        Ok(Some(Bound { op: OpRef::Shared(Arc::new(op)), outputs, lengths }))
    }

    fn repeat(
        &self,
        node: &Node,
        types: &[TensorType],
        mut lengths: Vec<Length>,
        carried: usize,
    ) -> Result<Option<Bound>> {
        let bodies = node.op.bodies();
        // A list whose length a round changes has none; what relied on it is bound again without.
        let body = loop {
            let Some((body, after)) = self.inner(bodies[1]).bind(types, &lengths)? else { return Ok(None) };
            let changed: Vec<usize> =
                (0..carried).filter(|&i| lengths[i].is_some() && after[i] != lengths[i]).collect();
            if changed.is_empty() {
                break body;
            }
            changed.into_iter().for_each(|i| lengths[i] = None);
        };
        let Some((cond, _)) = self.inner(bodies[0]).bind(types, &lengths)? else { return Ok(None) };
        let outputs: SmallVec<[TensorType; 1]> = body.result_types().copied().collect();
        // A value that changes its shape from round to round.
        if outputs.iter().ne(&types[..carried]) {
            return Ok(None);
        }
        let op = While::new(Arc::new(cond), Arc::new(body), carried);
        let lengths = lengths[..carried].iter().copied().collect();
        Ok(Some(Bound { op: OpRef::Shared(Arc::new(op)), outputs, lengths }))
    }

    fn operation(
        &self,
        new: &Graph,
        node: &Node,
        inputs: &[Value],
        types: &[TensorType],
        lengths: &[Length],
    ) -> Result<Option<Bound>> {
        let op = self.sizes.bind(&node.op)?;
        // A loop may have lost the value that showed a size, where that alone is still read.
        if ListOp::of(&*op).is_none() && has_open_sizes(&*op) {
            return Ok(None);
        }
        let mut outputs = {
            let types: SmallVec<[&TensorType; 4]> = types.iter().collect();
            let facts = Known { graph: new, inputs };
            let mut cx = Infer::new(op.name(), &types, &facts);
            // Types that are wrong with these numbers are an error of the call, which running it will say in its place.
            if op.infer(&mut cx).is_err() {
                return Ok(None);
            }
            cx.outputs
        };
        let mut length = None;
        match ListOp::of(&*op) {
            Some(ListOp::Reserve(_)) => length = new.constant(inputs[0]).and_then(number),
            Some(ListOp::UnstackList(_)) => length = types[0].shape.known_dims().map(|sizes| sizes[0]),
            Some(ListOp::Set(set)) if !set.grows => length = lengths[0],
            Some(ListOp::NothingLike(_) | ListOp::Len(_)) => length = lengths[0],
            Some(ListOp::StackList(_)) => {
                if let (Some(n), Some(ty)) = (lengths[0], outputs.first_mut()) {
                    let rows: SmallVec<[Dim; 8]> =
                        std::iter::once(Dim::known(n)).chain(ty.shape.iter().skip(1)).collect();
                    *ty = TensorType::new(ty.dtype, Shape::from_dims(&rows)?);
                }
            }
            _ => {}
        }
        let lengths = outputs.iter().map(|_| length).collect();
        Ok(Some(Bound { op, outputs, lengths }))
    }
}

/// Whether an attribute has a size without a number.
fn has_open_sizes(op: &dyn Op) -> bool {
    let mut open = false;
    op.attributes(&mut |_, attribute| {
        open |= matches!(attribute, Attr::Shape(shape) if !shape.is_known());
    });
    open
}

/// What an operation counts: the items of a list, or ones over all elements, which is how the size of an axis becomes a
/// value.
fn counted(graph: &Graph, bound: &Bound, inputs: &[Value], repeats: &HashMap<Value, Value>) -> Option<Outputs> {
    let ty = bound.outputs.first().filter(|ty| ty.shape.is_known() && ty.shape.num_elements() == 1)?;
    let (count, each) = match (ListOp::of(&*bound.op), bound.op.reduction()) {
        (Some(ListOp::Len(_)), _) => ((*bound.lengths.first()?)?, 1),
        (None, Some((Monoid::Sum, _, false))) if ty.dtype == DType::I32 => {
            let repeated = graph.constant(*repeats.get(&inputs[0])?)?;
            (graph.ty(inputs[0]).shape.num_elements(), i64::try_from(number(repeated)?).ok()?)
        }
        _ => return None,
    };
    let total = i32::try_from(i64::try_from(count).ok()?.checked_mul(each)?).ok()?;
    let total = crate::constant::try_constant_of(total, ty.dtype).ok()?;
    Some(smallvec![crate::ops::reshape_to(&total, &ty.shape).ok()?])
}

/// A constant that counts something.
fn number(tensor: &Tensor) -> Option<usize> {
    let count = crate::ops::cast_to(tensor, DType::I64).ok()?.try_item::<i64>().ok()?;
    usize::try_from(count).ok()
}

struct Known<'a> {
    graph: &'a Graph,
    inputs: &'a [Value],
}

impl Facts for Known<'_> {
    fn value(&self, index: usize) -> Option<View> {
        let constant: &Tensor = self.graph.constant(self.inputs[index])?;
        (constant.dtype().size() > 0 && !constant.is_away()).then(|| view_of(constant))
    }

    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)> {
        self.graph.resource(self.inputs[index]).map(|r| (r.value, r.shape))
    }
}
