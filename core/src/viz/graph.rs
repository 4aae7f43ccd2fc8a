//! A traced function as a picture in Graphviz' language: operations with sizes, dtypes and times, branches and loops as frames.
//! Programs write it to a file for `dot`, to see what a step computes and where its time goes.

use engine::library::{DescribedGraph, DescribedInput, DescribedNode, OrFail, StepCost};
use engine::{FunctionInfo, TensorType};
use kernels::error::{Error, Result};
use std::fmt::Write;
use std::panic::Location;

/// The share of the whole time from which on a node is red.
const HOT: f64 = 0.2;

/// A traced function in Graphviz' language, of the trace used last: as its plan runs it, after all passes, or as it was recorded where it runs
/// without a plan. Edges have dtypes and sizes, nodes the microseconds of a call where calls were measured by [`profile`](fn@crate::profile);
/// what takes most of them is red. `dot -Tsvg` draws it.
///
/// ```
/// use eagerflow as tf;
/// #[tf::tf_function]
/// fn norm(x: &tf::Tensor) -> tf::Tensor {
///     tf::sqrt(tf::reduce_sum(x * x, ()))
/// }
/// tf::profile(|| norm(&tf::ones([1000])));
/// let text = tf::viz::graph(tf::function(norm));
/// assert!(text.starts_with("digraph \"norm\"") && text.contains("float32[1000]") && text.contains(" us\""));
/// ```
///
/// # Panics
/// As [`try_graph`] fails, at the caller's line.
#[must_use]
#[track_caller]
pub fn graph(function: FunctionInfo) -> String {
    try_graph(function).or_fail()
}

/// A traced function in Graphviz' language.
///
/// # Errors
/// FailedPrecondition for a function that was not called yet or is none of `#[tf_function]`.
#[track_caller]
pub fn try_graph(function: FunctionInfo) -> Result<String> {
    let here = Location::caller();
    let (graph, costs) = match function.described_plan() {
        Some(plan) => plan,
        None => (function.described().ok_or_else(|| missing().at(here))?, Vec::new()),
    };
    let mut picture = Picture { text: String::new(), costs, total: 0.0 };
    picture.total = picture.costs.iter().map(|cost| cost.micros).sum();
    picture.text.push_str(&format!("digraph \"{}\" {{\n  rankdir=TB;\n", escaped(&graph.name)));
    picture.text.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\"];\n");
    picture.text.push_str("  edge [fontname=\"Helvetica\", fontsize=10];\n");
    picture.body(&graph, "g");
    picture.text.push_str("}\n");
    Ok(picture.text)
}

#[cold]
fn missing() -> Error {
    Error::failed_precondition("viz.graph", "the function has no trace")
        .help("call the function once before; it must have `#[tf_function]`")
}

/// The text so far, and the steps whose times no node has yet.
struct Picture {
    text: String,
    costs: Vec<StepCost>,
    total: f64,
}

impl Picture {
    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {line}");
    }

    /// The nodes and edges of a graph or body, whose names begin with `prefix`.
    fn body(&mut self, graph: &DescribedGraph, prefix: &str) {
        for (i, param) in graph.params.iter().enumerate() {
            let kind = if param.is_variable { "variable" } else { "argument" };
            let name = param.name.as_deref().unwrap_or(kind);
            let label = format!("{}\\n{}", escaped(name), described(&param.ty));
            self.line(&format!("{prefix}_p{i} [shape=ellipse, fillcolor=\"#eef3fb\", label=\"{label}\"];"));
        }
        for (i, node) in graph.nodes.iter().enumerate() {
            self.node(node, &format!("{prefix}_n{i}"));
            for (at, input) in node.inputs.iter().enumerate() {
                self.edge(graph, input, prefix, &format!("{prefix}_n{i}"), at);
            }
        }
        for (i, result) in graph.results.iter().enumerate() {
            let name = format!("{prefix}_r{i}");
            self.line(&format!("{name} [shape=ellipse, fillcolor=\"#eefbf0\", label=\"result {i}\"];"));
            self.edge(graph, result, prefix, &name, 0);
        }
    }

    fn node(&mut self, node: &DescribedNode, name: &str) {
        let mut label = escaped(&node.op);
        if let Some(scope) = node.scope {
            label = format!("{}\\n{label}", escaped(scope));
        }
        if let Some(of) = node.gradient_of {
            let _ = write!(label, "\\ngradient of {}", escaped(of));
        }
        let mut color = "white";
        if let Some(cost) = self.cost(node) {
            let _ = write!(label, "\\n{cost:.2} us");
            if cost > HOT * self.total {
                color = "#f6c4bd";
            }
        }
        let line = escaped(&node.location.to_string());
        self.line(&format!("{name} [label=\"{label}\", tooltip=\"{line}\", fillcolor=\"{color}\"];"));
        for (i, body) in node.bodies.iter().enumerate().filter(|_| node.op != FUSED) {
            let inner = format!("{name}_{i}");
            self.line(&format!(
                "subgraph cluster_{inner} {{ label=\"{} of {}\";",
                escaped(&body.name),
                escaped(&node.op)
            ));
            self.body(body, &inner);
            self.line("}");
        }
    }

    /// The time of the node's step, which is then taken. Steps stand in the order of the nodes, but for some that plans add; a loop that is too
    /// long for one step has a step for each operation in it.
    fn cost(&mut self, node: &DescribedNode) -> Option<f64> {
        let is_its = |cost: &StepCost| cost.op == node.op && cost.location == Some(node.location);
        let micros = match self.costs.iter().position(is_its) {
            Some(at) => self.costs.remove(at).micros,
            None if node.op == FUSED => {
                node.bodies.iter().flat_map(|body| &body.nodes).filter_map(|n| self.cost(n)).sum()
            }
            None => return None,
        };
        (micros > 0.0).then_some(micros)
    }

    fn edge(&mut self, graph: &DescribedGraph, from: &DescribedInput, prefix: &str, to: &str, at: usize) {
        match from {
            DescribedInput::Param(i) => {
                let ty = graph.params.get(*i).map_or_else(String::new, |param| described(&param.ty));
                self.line(&format!("{prefix}_p{i} -> {to} [label=\"{ty}\"];"));
            }
            DescribedInput::Node(i, output) => {
                let ty = graph.nodes.get(*i).and_then(|node| node.outputs.get(*output));
                let ty = ty.map_or_else(String::new, described);
                self.line(&format!("{prefix}_n{i} -> {to} [label=\"{ty}\"];"));
            }
            DescribedInput::Constant(ty, value) => {
                let name = format!("{to}_c{at}");
                let value = value.as_ref().map_or_else(|| described(ty), |value| escaped(value));
                self.line(&format!("{name} [shape=plaintext, style=\"\", label=\"{value}\"];"));
                self.line(&format!("{name} -> {to} [label=\"{}\"];", described(ty)));
            }
        }
    }
}

/// The operation that stands for several in one loop.
const FUSED: &str = "fused";

/// Dtype and sizes.
fn described(ty: &TensorType) -> String {
    format!("{}{}", ty.dtype, ty.shape)
}

/// A text as a label may have it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "'").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;
    use engine::Tensor;

    #[tf::tf_function]
    fn work(x: &Tensor, w: &tf::Variable) -> Tensor {
        let _scope = tf::name_scope("block");
        let mut y = x.matmul(w).square() + 1.0;
        while tf::reduce_sum(&y, ()) < 1e6 {
            y = &y * 2.0;
        }
        y
    }

    #[test]
    fn nodes_have_sizes_dtypes_and_times() {
        assert!(try_graph(tf::function(described)).unwrap_err().to_string().contains("no trace"));
        let (x, w) = (tf::ones([8, 16]), tf::Variable::new(tf::ones([16, 4])));
        tf::profile(|| (0..3).for_each(|_| drop(work(&x, &w))));
        let text = graph(tf::function(work));
        for word in
            ["digraph \"work\"", "block\\nmatmul", "float32[8, 16]", "float32[16, 4]", " us\"", "subgraph cluster_"]
        {
            assert!(text.contains(word), "{word} in {text}");
        }
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }
}
