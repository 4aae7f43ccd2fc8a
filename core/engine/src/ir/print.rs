//! Graphs as text, in one stable form: golden tests compare it, errors show parts of it, and users ask for it.
//! Values are numbered in the order in which they appear; bodies are indented under their node.

use crate::ir::{Graph, Node, Value};
use crate::op::Attr;
use crate::tensor::TensorType;
use kernels::shape::Symbol;
use std::collections::HashMap;
use std::fmt::Write;

/// The whole graph.
pub(crate) fn print(graph: &Graph) -> String {
    let mut printer = Printer::default();
    printer.graph(graph, 0);
    printer.text
}

/// The nodes around one, for error messages.
pub(crate) fn print_around(graph: &Graph, at: usize) -> String {
    let mut printer = Printer::default();
    let mut names = Names::default();
    graph.params.iter().for_each(|&v| drop(names.of(v)));
    for (i, node) in graph.nodes.iter().enumerate() {
        let before = printer.text.len();
        printer.node(graph, node, &mut names, 1);
        if i + 8 < at || i > at + 2 {
            printer.text.truncate(before);
        }
    }
    printer.text
}

/// Numbers of values by appearance.
#[derive(Default)]
struct Names(HashMap<Value, usize>);

impl Names {
    fn of(&mut self, value: Value) -> String {
        let next = self.0.len();
        format!("v{}", self.0.entry(value).or_insert(next))
    }
}

#[derive(Default)]
struct Printer {
    text: String,
    /// Numbers of sizes known only at run time, by appearance.
    sizes: HashMap<Symbol, usize>,
}

impl Printer {
    fn graph(&mut self, graph: &Graph, depth: usize) {
        let indent = "  ".repeat(depth);
        let mut names = Names::default();
        let params: Vec<String> = graph
            .params
            .iter()
            .map(|&v| match graph.resource(v) {
                Some(resource) => format!("{}: &{}", names.of(v), self.ty(&resource.value)),
                None => format!("{}: {}", names.of(v), self.ty(graph.ty(v))),
            })
            .collect();
        let _ = writeln!(self.text, "{indent}{}({}) {{", graph.name, params.join(", "));
        for node in &graph.nodes {
            self.node(graph, node, &mut names, depth + 1);
        }
        let results: Vec<String> = graph.results.iter().map(|&v| self.operand(graph, v, &mut names)).collect();
        let _ = writeln!(self.text, "{indent}  return {}\n{indent}}}", results.join(", "));
    }

    fn node(&mut self, graph: &Graph, node: &Node, names: &mut Names, depth: usize) {
        let indent = "  ".repeat(depth);
        let inputs: Vec<String> = node.inputs.iter().map(|&v| self.operand(graph, v, names)).collect();
        let outputs: Vec<String> =
            node.outputs.iter().map(|&v| format!("{}: {}", names.of(v), self.ty(graph.ty(v)))).collect();
        let equals = if outputs.is_empty() { "" } else { " = " };
        let attributes = self.attributes(node);
        let device = node.device.map_or(String::new(), |id| format!(" on {}", id.device()));
        let _ = writeln!(
            self.text,
            "{indent}{}{equals}{}{attributes}({}){device}",
            outputs.join(", "),
            node.op.name(),
            inputs.join(", ")
        );
        for body in node.op.bodies() {
            self.graph(body, depth + 1);
        }
    }

    /// Attributes other than the numbers of bodies, which differ from run to run.
    fn attributes(&mut self, node: &Node) -> String {
        let mut parts = Vec::new();
        let bodies: Vec<i64> = node.op.bodies().iter().map(|b| b.id as i64).collect();
        node.op.attributes(&mut |name, attr| match attr {
            Attr::Int(v) if bodies.contains(&v) => {}
            Attr::Int(v) => parts.push(format!("{name}={v}")),
            Attr::Float(v) => parts.push(format!("{name}={v}")),
            Attr::Bool(v) => parts.push(format!("{name}={v}")),
            Attr::DType(v) => parts.push(format!("{name}={v}")),
            Attr::Ints(v) => parts.push(format!("{name}={v:?}")),
            Attr::Shape(v) => parts.push(format!("{name}={}", self.rename(&v.to_string(), v))),
            Attr::Text(v) => parts.push(format!("{name}={v:?}")),
        });
        if parts.is_empty() { String::new() } else { format!("{{{}}}", parts.join(", ")) }
    }

    /// An operand: a small constant as its value, anything else by name.
    fn operand(&mut self, graph: &Graph, value: Value, names: &mut Names) -> String {
        match graph.constant(value) {
            Some(t) if t.dtype().size() == 0 => format!("<{}>", t.dtype()),
            Some(t) if t.num_elements() <= 4 => {
                let text: String = t.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
                format!("{text}:{}", t.dtype())
            }
            Some(t) => format!("<{}>", t.ty()),
            None => names.of(value),
        }
    }

    fn ty(&mut self, ty: &TensorType) -> String {
        format!("{}{}", ty.dtype, self.rename(&ty.shape.to_string(), &ty.shape))
    }

    /// Numbers sizes known only at run time by their first appearance.
    fn rename(&mut self, text: &str, shape: &kernels::shape::Shape) -> String {
        let mut text = text.to_owned();
        let mut symbols: Vec<Symbol> = shape.iter().flat_map(|d| d.symbols()).collect();
        // Longer numbers first, so that `u12` is not taken for `u1`.
        symbols.sort_by_key(|s| std::cmp::Reverse(s.to_string().len()));
        for symbol in symbols {
            if let Symbol::Unbacked(_) = symbol {
                let next = self.sizes.len();
                let number = *self.sizes.entry(symbol).or_insert(next);
                text = text.replace(&symbol.to_string(), &format!("?{number}"));
            }
        }
        text
    }
}

/// The graph in Graphviz' language: operations are boxes, bodies of branches and loops are frames.
pub(crate) fn dot(graph: &Graph) -> String {
    let mut text = String::from("digraph {\n  node [shape=box, fontname=\"monospace\"];\n");
    dot_body(graph, "g", &mut text);
    text.push_str("}\n");
    text
}

fn dot_body(graph: &Graph, prefix: &str, text: &mut String) {
    let mut made: HashMap<Value, String> = HashMap::new();
    for (i, &param) in graph.params.iter().enumerate() {
        let name = format!("{prefix}_p{i}");
        let _ = writeln!(text, "  {name} [shape=ellipse, label=\"{}\"];", graph.ty(param));
        made.insert(param, name);
    }
    for (i, node) in graph.nodes.iter().enumerate() {
        let name = format!("{prefix}_n{i}");
        let label = format!("{:?}", &*node.op).replace('"', "'");
        let _ = writeln!(text, "  {name} [label=\"{label}\", tooltip=\"{}\"];", node.location);
        for input in &node.inputs {
            if let Some(from) = made.get(input) {
                let _ = writeln!(text, "  {from} -> {name} [label=\"{}\"];", graph.ty(*input));
            }
        }
        node.outputs.iter().for_each(|&v| drop(made.insert(v, name.clone())));
        for (j, body) in node.op.bodies().into_iter().enumerate() {
            let inner = format!("{name}_{j}");
            let _ = writeln!(text, "  subgraph cluster_{inner} {{ label=\"{} of {}\";", body.name, node.op.name());
            dot_body(body, &inner, text);
            text.push_str("  }\n");
        }
    }
    for (i, result) in graph.results.iter().enumerate() {
        let name = format!("{prefix}_r{i}");
        let _ = writeln!(text, "  {name} [shape=ellipse, style=bold, label=\"result {i}\"];");
        if let Some(from) = made.get(result) {
            let _ = writeln!(text, "  {from} -> {name};");
        }
    }
}
