//! What a legal graph is: values are computed before they are used, each once, and each node's types are those that its
//! operation infers. Tests check it after every recording and between passes.

use crate::execute::view_of;
use crate::ir::print::print_around;
use crate::ir::{Graph, Value};
use crate::op::{Facts, Infer};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::backend::cpu::View;
use kernels::error::{Error, Result};
use kernels::shape::Shape;

struct Known<'a>(&'a Graph, &'a [Value]);

impl Known<'_> {
    fn constant(&self, index: usize) -> Option<&Tensor> {
        self.0.constant(self.1[index])
    }
}

impl Facts for Known<'_> {
    fn value(&self, index: usize) -> Option<View> {
        let constant = self.constant(index)?;
        (constant.dtype().size() > 0 && !constant.is_away()).then(|| view_of(constant))
    }

    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)> {
        if let Some(resource) = self.constant(index).and_then(|t| t.as_object::<Resource>()) {
            return Some((resource.ty(), resource.shape));
        }
        self.0.resource(self.1[index]).map(|r| (r.value, r.shape))
    }
}

/// An error that shows the surroundings of the first illegal node, if there is one.
pub(crate) fn verify(graph: &Graph) -> Result<()> {
    let mut defined = vec![false; graph.types.len()];
    let mut define = |value: Value, at: usize| match defined.get_mut(value.index()) {
        Some(slot) if !*slot => {
            *slot = true;
            Ok(())
        }
        _ => Err(illegal(graph, at, format!("v{} is computed twice or has no type", value.0))),
    };
    for &value in graph.params.iter().chain(graph.constants.iter().map(|(v, _)| v)) {
        define(value, 0)?;
    }
    for (at, node) in graph.nodes.iter().enumerate() {
        for &output in &node.outputs {
            define(output, at)?;
        }
    }
    let mut ready = vec![false; graph.types.len()];
    graph.params.iter().chain(graph.constants.iter().map(|(v, _)| v)).for_each(|v| ready[v.index()] = true);
    for (at, node) in graph.nodes.iter().enumerate() {
        if let Some(early) = node.inputs.iter().find(|v| !ready.get(v.index()).copied().unwrap_or(false)) {
            return Err(illegal(graph, at, format!("v{} is used before it is computed", early.0)));
        }
        types(graph, at)?;
        node.outputs.iter().for_each(|v| ready[v.index()] = true);
        for body in node.op.bodies() {
            verify(body)?;
        }
    }
    match graph.results.iter().find(|v| !ready.get(v.index()).copied().unwrap_or(false)) {
        Some(missing) => Err(illegal(graph, graph.nodes.len(), format!("the result v{} is not computed", missing.0))),
        None => Ok(()),
    }
}

/// The types of a node must be those that its operation infers; sizes known only at run time may have other numbers.
fn types(graph: &Graph, at: usize) -> Result<()> {
    let node = &graph.nodes[at];
    let inputs: Vec<&TensorType> = node.inputs.iter().map(|&v| graph.ty(v)).collect();
    let facts = Known(graph, &node.inputs);
    let mut cx = Infer::new(node.op.name(), &inputs, &facts);
    node.op.infer(&mut cx).map_err(|e| illegal(graph, at, e.to_string()))?;
    if cx.outputs.len() != node.outputs.len() {
        return Err(illegal(graph, at, format!("{} outputs instead of {}", node.outputs.len(), cx.outputs.len())));
    }
    for (inferred, &output) in cx.outputs.iter().zip(&node.outputs) {
        let ty = graph.ty(output);
        let fits = ty.dtype == inferred.dtype
            && ty.shape.rank() == inferred.shape.rank()
            && ty.shape.iter().zip(inferred.shape.iter()).all(|(a, b)| a == b || !a.is_known() || !b.is_known());
        if !fits {
            return Err(illegal(graph, at, format!("v{} is {ty}, but the operation gives {inferred}", output.0)));
        }
    }
    Ok(())
}

fn illegal(graph: &Graph, at: usize, what: String) -> Error {
    Error::internal("verify", format!("`{}` is not a legal graph: {what}", graph.name)).got(print_around(graph, at))
}

/// In tests every graph is verified where it is made.
pub(crate) fn check_in_tests(graph: &Graph) {
    if cfg!(any(test, debug_assertions))
        && let Err(error) = verify(graph)
    {
        panic!("{error}");
    }
}
