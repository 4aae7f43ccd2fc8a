//! `graph`: a traced function as TensorBoard's page of graphs draws it, with its name scopes, sizes and dtypes.
//! Programs call it once, after the function's first call.

use super::encode::{event, now, shape};
use super::state::with_writer;
use engine::library::{DescribedGraph, DescribedInput, DescribedNode, OrFail};
use engine::{FunctionInfo, TensorType};
use formats::events::{AttrList, AttrValue, AttrValueKind, Event, EventKind, GraphDef, NodeDef};
use formats::messages::{Dim, Message, TensorShapeProto, VersionDef};
use kernels::error::{Error, Result};
use std::collections::{BTreeMap, HashSet};
use std::panic::Location;

/// The version of graphs that TensorFlow 2.21 writes.
const PRODUCER: i32 = 2599;

/// Writes the graph of a traced function, of the trace used last, at step 0 of the default writer; without one it does nothing. Layers and
/// [`name_scope`](crate::name_scope)s are boxes within boxes. TensorFlow's `tf.summary.graph`.
///
/// ```
/// use eagerflow as tf;
/// #[tf::tf_function]
/// fn double(x: &tf::Tensor) -> tf::Tensor {
///     let _scope = tf::name_scope("twice");
///     x * 2.0
/// }
/// # let folder = std::env::temp_dir().join(format!("eagerflow-graph-page-{}", std::process::id()));
/// double(&tf::ones([3]));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// tf::summary::graph(tf::function(double));
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_graph`] fails, at the caller's line.
#[track_caller]
pub fn graph(function: FunctionInfo) {
    try_graph(function).or_fail();
}

/// Writes the graph of a traced function.
///
/// # Errors
/// FailedPrecondition for a function that was not called yet or is none of `#[tf_function]`, and for a writer that is closed.
#[track_caller]
pub fn try_graph(function: FunctionInfo) -> Result<()> {
    let here = Location::caller();
    let written = with_writer(|writer, _| {
        let Some(queue) = writer.queue() else { return Ok(()) };
        let described = function.described().ok_or_else(|| {
            Error::failed_precondition("summary.graph", "the function has no trace")
                .help("call the function once before; it must have `#[tf_function]`")
        })?;
        let (wall_time, bytes) = (now(), 256 * described.nodes.len());
        let make = move |frames: &mut Vec<u8>| -> Result<(), Error> {
            let graph = graph_def(&described).encode_to_vec();
            event(frames, &Event { wall_time, step: 0, what: Some(EventKind::GraphDef(graph)) });
            Ok(())
        };
        queue.push_later(bytes, Box::new(make))
    });
    written.map(drop).map_err(|e: Error| e.at(here))
}

/// The graph as TensorFlow's message.
pub fn graph_def(graph: &DescribedGraph) -> GraphDef {
    let mut nodes = Nodes::default();
    nodes.body(graph, "", None);
    let versions = VersionDef { producer: PRODUCER, min_consumer: 0, bad_consumers: Vec::new() };
    GraphDef { node: nodes.all, versions: Some(versions) }
}

/// The nodes so far, and their names.
#[derive(Default)]
struct Nodes {
    all: Vec<NodeDef>,
    names: HashSet<String>,
}

impl Nodes {
    /// A name that no other node has, below a scope.
    fn name(&mut self, scope: &str, name: &str) -> String {
        let path = if scope.is_empty() { clean(name) } else { format!("{}/{}", clean(scope), clean(name)) };
        let candidates = std::iter::once(path.clone()).chain((1..).map(|number| format!("{path}_{number}")));
        for candidate in candidates {
            if self.names.insert(candidate.clone()) {
                return candidate;
            }
        }
        path
    }

    fn push(&mut self, name: &str, op: &str, input: Vec<String>, outputs: &[TensorType]) -> &mut NodeDef {
        let mut attr = BTreeMap::new();
        if let Some(first) = outputs.first() {
            attr.insert("T".to_owned(), attribute(AttrValueKind::Type(first.dtype as i32)));
            let shapes = outputs.iter().map(sizes).collect();
            let list = AttrList { shape: shapes, ..AttrList::default() };
            attr.insert("_output_shapes".to_owned(), attribute(AttrValueKind::List(list)));
        }
        self.all.push(NodeDef { name: name.to_owned(), op: op.to_owned(), input, device: String::new(), attr });
        let last = self.all.len() - 1;
        &mut self.all[last]
    }

    /// The nodes of a graph or body below a scope; answers the names of its results. The body of an operation that was recorded `within` a
    /// scope stands in that already.
    fn body(&mut self, graph: &DescribedGraph, scope: &str, within: Option<&str>) -> Vec<String> {
        let params: Vec<String> = (0..graph.params.len()).map(|at| self.param(graph, scope, within, at)).collect();
        let mut names: Vec<String> = Vec::new();
        for node in &graph.nodes {
            let scope = scope_of(scope, within, node);
            let input: Vec<String> = node.inputs.iter().map(|i| self.source(i, &params, &names, &scope)).collect();
            names.push(self.node(node, &scope, input));
        }
        graph.results.iter().map(|result| self.source(result, &params, &names, scope)).collect()
    }

    /// A variable stands in the scope of whatever reads it first, which is its layer's; another parameter in that of the body.
    fn param(&mut self, graph: &DescribedGraph, scope: &str, within: Option<&str>, at: usize) -> String {
        let param = &graph.params[at];
        let reads = |node: &&DescribedNode| {
            node.inputs.iter().any(|input| matches!(input, DescribedInput::Param(number) if *number == at))
        };
        let (scope, op, other) = match param.is_variable {
            true => {
                let reader = graph.nodes.iter().find(reads);
                let scope = reader.map_or_else(|| scope.to_owned(), |node| scope_of(scope, within, node));
                (scope, "VarHandleOp", "variable")
            }
            false => (scope.to_owned(), "Placeholder", "argument"),
        };
        let name = self.name(&scope, param.name.as_deref().unwrap_or(other));
        self.push(&name, op, Vec::new(), &[param.ty]);
        name
    }

    /// The name of an operand; a constant is a node of its own.
    fn source(&mut self, input: &DescribedInput, params: &[String], nodes: &[String], scope: &str) -> String {
        match input {
            DescribedInput::Param(at) => params.get(*at).cloned().unwrap_or_default(),
            DescribedInput::Node(at, 0) => nodes.get(*at).cloned().unwrap_or_default(),
            DescribedInput::Node(at, output) => nodes.get(*at).map_or_else(String::new, |n| format!("{n}:{output}")),
            DescribedInput::Constant(ty, value) => {
                let name = self.name(scope, "Const");
                let node = self.push(&name, "Const", Vec::new(), &[*ty]);
                if let Some(value) = value {
                    node.attr.insert("value".to_owned(), attribute(AttrValueKind::S(value.clone().into_bytes())));
                }
                name
            }
        }
    }

    /// An operation, with its bodies below its name.
    fn node(&mut self, node: &DescribedNode, scope: &str, mut input: Vec<String>) -> String {
        let name = self.name(scope, &node.op);
        for body in &node.bodies {
            let below = self.name(&name, &body.name);
            input.extend(self.body(body, &below, node.scope));
        }
        let made = self.push(&name, &node.op, input, &node.outputs);
        made.device = node.device.clone().unwrap_or_default();
        for (key, value) in &node.attributes {
            made.attr.insert((*key).to_owned(), attribute(AttrValueKind::S(value.clone().into_bytes())));
        }
        let line = node.location.to_string().into_bytes();
        made.attr.insert("_line".to_owned(), attribute(AttrValueKind::S(line)));
        name
    }
}

/// Where a node stands: in the scope of its line, and what a gradient needs among the gradients.
fn scope_of(body: &str, within: Option<&str>, node: &DescribedNode) -> String {
    let scope = node.scope.unwrap_or_default();
    let inner = within.and_then(|within| scope.strip_prefix(within)).map(|rest| rest.trim_start_matches('/'));
    let scope = inner.unwrap_or(scope);
    let gradient = node.gradient_of.map(|of| format!("gradient_tape/{of}"));
    let parts = [body, gradient.as_deref().unwrap_or_default(), scope];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// A name as TensorFlow's graphs may have it.
fn clean(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_./\\-".contains(c);
    name.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

fn attribute(value: AttrValueKind) -> AttrValue {
    AttrValue { value: Some(value) }
}

fn sizes(ty: &TensorType) -> TensorShapeProto {
    let known: Vec<usize> = ty.shape.iter().map(|dim| dim.known_value().unwrap_or(usize::MAX)).collect();
    let mut message = shape(&known);
    for (dim, known) in message.dim.iter_mut().zip(known) {
        if known == usize::MAX {
            *dim = Dim { size: -1, name: String::new() };
        }
    }
    message
}
