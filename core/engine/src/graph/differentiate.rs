//! The gradient of a graph: its operations are recorded anew under a tape, and the walk backwards is recorded as a second
//! graph, whose captures are what the first must save. Calls, branches and loops are all differentiated by it.

use crate::autodiff::staged;
use crate::builder::{Builder, current};
use crate::execute::{InGradient, NameScope, execute_at};
use crate::ir::{Graph, Node, Value};
use crate::lists::list_op::ListOp;
use crate::lists::whole::NothingLike;
use crate::ops;
use crate::tape::{self, Cotangent, Unseen};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape, Symbol, as_symbol};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// A graph that also gives what its gradient reads, and the gradient.
pub(crate) struct Pair {
    /// The results of the graph, then the saved values.
    pub forward: Arc<Graph>,
    /// How many results the graph has without the saved values.
    pub results: usize,
    /// The results that have a cotangent, by number.
    pub dys: Vec<usize>,
    /// From the cotangents `dys` and the saved values: the cotangents of the parameters in `given`.
    pub first: Backward,
    /// As `first`, with cotangents of the saved values too (those in `saved_dys`, after `dys`): for higher orders.
    pub second: Backward,
    pub saved_dys: Vec<usize>,
    pub saved: Arc<[TensorType]>,
}

/// A graph backwards.
pub(crate) struct Backward {
    /// Parameters: cotangents, then saved values.
    pub graph: Arc<Graph>,
    /// For each parameter of the forward graph, which result is its cotangent.
    pub given: Vec<Option<usize>>,
}

/// Records the operations of a graph anew with the builder or kernels in force, on other operands.
pub(crate) fn replay(graph: &Graph, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
    let mut values: Vec<Option<Tensor>> = vec![None; graph.types.len()];
    for (&param, argument) in graph.params.iter().zip(arguments) {
        values[param.index()] = Some(argument.clone());
    }
    for (value, constant) in &graph.constants {
        values[value.index()] = Some(constant.clone());
    }
    for node in &graph.nodes {
        let inputs: SmallVec<[&Tensor; 4]> = node.inputs.iter().filter_map(|v| values[v.index()].as_ref()).collect();
        if let Some(builder) = current() {
            builder.expect(Some(node.outputs.iter().map(|&v| *graph.ty(v)).collect()));
        }
        let _there = node.device.map(crate::device::place_on);
        let _gradient = node.gradient_of.map(|of| InGradient::of(Some(of)));
        let _scope = NameScope::of(node.scope);
        let outputs = execute_at(&*node.op, &inputs, node.location)?;
        drop(inputs);
        for (&value, output) in node.outputs.iter().zip(outputs) {
            values[value.index()] = Some(output);
        }
    }
    Ok(graph.results.iter().filter_map(|v| values[v.index()].clone()).collect())
}

/// Symbols for the parameters of a graph in a new builder.
pub(crate) fn params_like(builder: &Builder, graph: &Graph) -> Vec<Tensor> {
    let params = graph.params.iter();
    params
        .map(|&v| match graph.resource(v) {
            Some(resource) => builder.resource_param(resource),
            None => builder.param(graph.ty(v)),
        })
        .collect()
}

/// The gradient of a graph by the parameters in `needs`. Those from `fixed` on stay for as long as the graph is run again and again.
pub(crate) fn differentiate(graph: &Graph, needs: &[bool], fixed: usize) -> Result<Pair> {
    let _unseen = Unseen::start();
    // The way forth is nobody's gradient, whoever asks for it.
    let _gradient = InGradient::of(None);
    let forward = Builder::standalone(&graph.name);
    let params = params_like(&forward, graph);
    forward.record_in(|| {
        let tape = staged::StagedTape::start(params.iter().zip(needs).filter(|(_, n)| **n).map(|(p, _)| p));
        let results = replay(graph, &params)?;
        let walk = tape.stop();
        let sources: Vec<Option<&Tensor>> = params.iter().zip(needs).map(|(p, &n)| n.then_some(p)).collect();
        let dys: Vec<usize> = (0..results.len()).filter(|&i| tape::carries(&results[i])).collect();
        let targets: Vec<&Tensor> = dys.iter().map(|&i| &results[i]).collect();
        let mut saved: Vec<Tensor> = Vec::new();
        let mut first = backwards(&forward, &walk, &targets, &sources, &mut saved)?;
        // What is saved has cotangents in higher orders, and their way back may need further values.
        let mut second = loop {
            let before = saved.len();
            let mut targets = targets.clone();
            let kept = saved.clone();
            targets.extend(kept.iter().filter(|t| tape::carries(t)));
            let second = backwards(&forward, &walk, &targets, &sources, &mut saved)?;
            if saved.len() == before {
                break second;
            }
        };
        let recorded = forward.checkpoint();
        for list in saved.iter_mut().filter(|t| t.dtype() == DType::Variant) {
            let stays = params[fixed.min(params.len())..].iter().any(|p| p.id() == list.id());
            if !stays && [&first, &second].iter().all(|walked| walked.asks_for_length_only(list)) {
                let length = crate::execute::execute1(&NothingLike, &[list])?;
                [&mut first, &mut second].into_iter().for_each(|walked| walked.replace(list, &length));
                *list = length;
            }
        }
        saved.extend(open_sizes(&forward, [&first.graph, &second.graph], &saved)?);
        let saved_dys = (0..saved.len()).filter(|&i| tape::carries(&saved[i])).collect();
        let types = saved.iter().map(|t| forward.type_of(t)).collect::<Result<_>>()?;
        let all: Vec<Tensor> = results.iter().chain(&saved).cloned().collect();
        let first = first.complete(&saved)?;
        let second = second.complete(&saved)?;
        let mut closed = forward.finish(&all)?;
        ask_lengths_early(&mut closed.graph, recorded);
        Ok(Pair {
            forward: Arc::new(closed.graph),
            results: results.len(),
            dys,
            first,
            second,
            saved_dys,
            saved: types,
        })
    })
}

/// Moves questions for the length of a list, among the nodes from `recorded` on, to where the list is made, so that whoever changes
/// it next is its last user.
fn ask_lengths_early(graph: &mut Graph, recorded: usize) {
    let asks = |node: &Node| matches!(ListOp::of(&*node.op), Some(ListOp::NothingLike(_)));
    let (asking, rest): (Vec<Node>, Vec<Node>) = graph.nodes.split_off(recorded).into_iter().partition(asks);
    let mut by_list: HashMap<Value, Vec<Node>> = HashMap::new();
    asking.into_iter().for_each(|node| by_list.entry(node.inputs[0]).or_default().push(node));
    let mut nodes: Vec<Node> = Vec::new();
    let outside = graph.params.iter().chain(graph.constants.iter().map(|(value, _)| value));
    outside.for_each(|list| nodes.extend(by_list.remove(list).into_iter().flatten()));
    for node in graph.nodes.drain(..).chain(rest) {
        let made = node.outputs.clone();
        nodes.push(node);
        made.iter().for_each(|list| nodes.extend(by_list.remove(list).into_iter().flatten()));
    }
    graph.nodes = nodes;
}

/// Values without elements whose shapes tell the way back the sizes that are known only when the way forth runs.
fn open_sizes(forward: &Rc<Builder>, walks: [&Graph; 2], saved: &[Tensor]) -> Result<Vec<Tensor>> {
    let mut types = forward.param_types();
    walks.iter().for_each(|walk| all_types(walk, &mut types));
    let mut open: Vec<Symbol> = types.iter().flat_map(|ty| ty.shape.iter()).flat_map(Dim::symbols).collect();
    open.sort_unstable();
    open.dedup();
    let shown = forward.shown();
    let kept: HashSet<Symbol> = saved.iter().flat_map(|t| t.shape().iter().filter_map(as_symbol)).collect();
    let mut told = Vec::new();
    for size in open {
        let Symbol::Unbacked(index) = size else { continue };
        if shown.contains(&size) && !kept.contains(&size) {
            let shape = Shape::from_dims(&[Dim::unbacked(index), Dim::ZERO])?;
            told.push(ops::zeros_of(&TensorType::new(DType::I32, shape))?);
        }
    }
    Ok(told)
}

/// The types of all values, those in bodies inside too: a size may be named in a branch alone.
fn all_types(graph: &Graph, types: &mut Vec<TensorType>) {
    types.extend(&graph.types);
    graph.nodes.iter().flat_map(|node| node.op.bodies()).for_each(|body| all_types(body, types));
}

/// A walk backwards that was recorded, with the values it reads.
struct Walked {
    graph: Graph,
    cotangents: usize,
    captures: Vec<Tensor>,
    given: Vec<Option<usize>>,
}

fn backwards(
    forward: &Rc<Builder>,
    walk: &staged::RecordedTape,
    targets: &[&Tensor],
    sources: &[Option<&Tensor>],
    saved: &mut Vec<Tensor>,
) -> Result<Walked> {
    let builder = forward.inside("gradient");
    builder.record_in(|| {
        let mut seeds = Vec::new();
        for target in targets {
            seeds.push(builder.param(&forward.type_of(target)?));
        }
        let answers = walk.gradient(targets.iter().copied().zip(&seeds), sources)?;
        let mut given = Vec::new();
        let mut results = Vec::new();
        for answer in answers {
            given.push(answer.is_some().then_some(results.len()));
            results.extend(answer.map(Cotangent::into_dense).transpose()?);
        }
        let closed = builder.finish(&results)?;
        let mut known: HashSet<u64> = saved.iter().map(Tensor::id).collect();
        saved.extend(closed.captures.iter().filter(|capture| known.insert(capture.id())).cloned());
        Ok(Walked { graph: closed.graph, cotangents: seeds.len(), captures: closed.captures, given })
    })
}

impl Walked {
    /// Whether nothing is read of a captured list but how long it is. The list is then free to change in place in the way forth.
    fn asks_for_length_only(&self, list: &Tensor) -> bool {
        let Some(at) = self.captures.iter().position(|c| c.id() == list.id()) else { return true };
        let param = self.graph.params[self.cotangents + at];
        let asks = |node: &Node| {
            !node.inputs.contains(&param) || matches!(ListOp::of(&*node.op), Some(ListOp::NothingLike(_)))
        };
        !self.graph.results.contains(&param) && self.graph.nodes.iter().all(asks)
    }

    fn replace(&mut self, old: &Tensor, new: &Tensor) {
        self.captures.iter_mut().filter(|c| c.id() == old.id()).for_each(|c| *c = new.clone());
    }

    /// The graph with all saved values as parameters, in their order, whether it reads them or not.
    fn complete(self, saved: &[Tensor]) -> Result<Backward> {
        let mut graph = self.graph;
        let own = graph.params.split_off(self.cotangents);
        let own: HashMap<u64, Value> = self.captures.iter().map(Tensor::id).zip(own).collect();
        for tensor in saved {
            match own.get(&tensor.id()) {
                Some(&value) => graph.params.push(value),
                None => {
                    graph.types.push(*tensor.ty());
                    graph.params.push(Value(graph.types.len() as u32 - 1));
                }
            }
        }
        Ok(Backward { graph: Arc::new(graph), given: self.given })
    }
}

/// Whether each result depends on one of the parameters in `needs`, through operations that have a gradient.
pub(crate) fn dependent(graph: &Graph, needs: &[bool]) -> Vec<bool> {
    let mut depends = vec![false; graph.types.len()];
    graph.params.iter().zip(needs).for_each(|(p, &need)| depends[p.index()] = need);
    for node in &graph.nodes {
        let flows = node.inputs.iter().any(|v| depends[v.index()])
            && !matches!(node.op.gradient(), crate::op::Gradient::Stops(_));
        for output in &node.outputs {
            let dtype = graph.ty(*output).dtype;
            depends[output.index()] = flows && (dtype.is_differentiable() || dtype == kernels::dtype::DType::Variant);
        }
    }
    graph.results.iter().map(|v| depends[v.index()]).collect()
}

/// The dims of a type as numbers only where `known` says that all their symbols are; others are open.
pub(crate) fn seen_outside(
    ty: &TensorType,
    inputs: &[TensorType],
    fresh: &mut dyn FnMut() -> kernels::shape::Dim,
) -> Result<TensorType> {
    let seen = |symbol| inputs.iter().any(|i| i.shape.iter().any(|d| !d.is_known() && d.symbols().contains(&symbol)));
    let mut sizes: SmallVec<[kernels::shape::Dim; 8]> = SmallVec::new();
    for size in ty.shape.iter() {
        sizes.push(if size.is_known() || size.symbols().into_iter().all(seen) { size } else { fresh() });
    }
    Ok(TensorType::new(ty.dtype, Shape::from_dims(&sizes)?))
}
