//! Traced functions as plain values for whoever shows them: what a graph computes, and what the steps of its plan cost.
//! The library's summaries and pictures read these by way of [`FunctionInfo`](super::FunctionInfo).

use super::trace::Source;
use super::{FunctionInfo, Trace};
use crate::graph::plan::Plan;
use crate::graph::plan::profile::StepCost;
use crate::ir::{Graph, Node, Value};
use crate::op::Attr;
use crate::tensor::TensorType;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

/// A graph, or the body of a branch or loop.
#[derive(Clone, Debug)]
pub struct DescribedGraph {
    /// The function, or what the body is of its operation.
    pub name: String,
    /// What it is given.
    pub params: Vec<DescribedParam>,
    /// What it computes, in program order.
    pub nodes: Vec<DescribedNode>,
    /// What it gives.
    pub results: Vec<DescribedInput>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct DescribedParam {
    /// The user's name of it, where there is one.
    pub name: Option<String>,
    /// Of a variable, that of its value.
    pub ty: TensorType,
    /// Whether it is a variable.
    pub is_variable: bool,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct DescribedNode {
    /// The operation's name.
    pub op: String,
    /// Names and values of its attributes.
    pub attributes: Vec<(&'static str, String)>,
    /// Its operands.
    pub inputs: Vec<DescribedInput>,
    /// The types of its results.
    pub outputs: Vec<TensorType>,
    /// The name scope in which it was recorded.
    pub scope: Option<&'static str>,
    /// The operation of whose gradient it is a part.
    pub gradient_of: Option<&'static str>,
    /// The user's line.
    pub location: &'static Location<'static>,
    /// The device that a guard asked for.
    pub device: Option<String>,
    /// Branches, or the test and the body of a loop.
    pub bodies: Vec<DescribedGraph>,
}

/// Where an operand or a result comes from.
#[derive(Clone, Debug)]
pub enum DescribedInput {
    /// The parameter of this number.
    Param(usize),
    /// An output of a node: their numbers.
    Node(usize, usize),
    /// A number of the program: its type, and its value if it is short.
    Constant(TensorType, Option<String>),
}

impl FunctionInfo {
    fn last(&self) -> Option<Arc<Trace>> {
        self.traces().into_iter().next()
    }

    /// The graph of the trace used last, as it was recorded.
    #[doc(hidden)]
    pub fn described(&self) -> Option<DescribedGraph> {
        let trace = self.last()?;
        let mut graph = described(&trace.recorded);
        for (param, source) in graph.params.iter_mut().zip(&trace.sources) {
            if let Source::Leaf(at) = source {
                param.name = trace.pattern.leaves.get(*at).map(|leaf| leaf.name.clone());
            }
        }
        Some(graph)
    }

    /// The graph that the last call ran by a plan, with the costs of the plan's steps; `None` if it ran without one.
    #[doc(hidden)]
    pub fn described_plan(&self) -> Option<(DescribedGraph, Vec<StepCost>)> {
        let trace = self.last()?;
        let plan = trace.callable.planned()?;
        let graph = Plan::optimised(&trace.callable.graph, &plan.param_types()).ok()??;
        Some((described(&graph), plan.step_costs()))
    }
}

/// A graph as plain values.
fn described(graph: &Graph) -> DescribedGraph {
    let mut places: HashMap<Value, DescribedInput> = HashMap::new();
    for (i, &param) in graph.params.iter().enumerate() {
        places.insert(param, DescribedInput::Param(i));
    }
    for (i, node) in graph.nodes.iter().enumerate() {
        for (j, &output) in node.outputs.iter().enumerate() {
            places.insert(output, DescribedInput::Node(i, j));
        }
    }
    let place = |value: &Value| places.get(value).cloned().unwrap_or_else(|| constant(graph, *value));
    DescribedGraph {
        name: graph.name.clone(),
        params: graph.params.iter().map(|&value| param(graph, value)).collect(),
        nodes: graph.nodes.iter().map(|n| node(graph, n, n.inputs.iter().map(place).collect())).collect(),
        results: graph.results.iter().map(place).collect(),
    }
}

fn param(graph: &Graph, value: Value) -> DescribedParam {
    match graph.resource(value) {
        Some(resource) => DescribedParam { name: None, ty: resource.value, is_variable: true },
        None => DescribedParam { name: None, ty: *graph.ty(value), is_variable: false },
    }
}

fn constant(graph: &Graph, value: Value) -> DescribedInput {
    let short = graph.constant(value).filter(|t| t.dtype().size() > 0 && t.num_elements() <= 4);
    DescribedInput::Constant(*graph.ty(value), short.map(|t| t.to_string()))
}

fn node(graph: &Graph, node: &Node, inputs: Vec<DescribedInput>) -> DescribedNode {
    DescribedNode {
        op: node.op.name().to_owned(),
        attributes: attributes(node),
        inputs,
        outputs: node.outputs.iter().map(|&value| *graph.ty(value)).collect(),
        scope: node.scope,
        gradient_of: node.gradient_of,
        location: node.location,
        device: node.device.map(|id| id.device().to_string()),
        bodies: node.op.bodies().into_iter().map(|body| described(body)).collect(),
    }
}

/// Attributes as text, without the numbers of bodies.
fn attributes(node: &Node) -> Vec<(&'static str, String)> {
    let bodies: Vec<i64> = node.op.bodies().iter().map(|body| body.id as i64).collect();
    let mut all = Vec::new();
    node.op.attributes(&mut |name, attr| match attr {
        Attr::Int(number) if bodies.contains(&number) => {}
        Attr::Int(number) => all.push((name, number.to_string())),
        Attr::Float(number) => all.push((name, number.to_string())),
        Attr::Bool(value) => all.push((name, value.to_string())),
        Attr::DType(dtype) => all.push((name, dtype.to_string())),
        Attr::Ints(numbers) => all.push((name, format!("{numbers:?}"))),
        Attr::Shape(shape) => all.push((name, shape.to_string())),
        Attr::Text(text) => all.push((name, text.to_owned())),
    });
    all
}
