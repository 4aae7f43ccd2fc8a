//! Sizes that nodes name in their attributes, and the values whose shapes show them: a value that nobody reads may still
//! be needed for its size. Dead code and hoisting ask.

use crate::ir::{Graph, Node, Value};
use crate::op::Attr;
use kernels::shape::{Symbol, as_symbol};
use std::collections::{HashMap, HashSet};

/// Finds the sizes without numbers that a node names, those in its bodies included.
fn visit(node: &Node, found: &mut HashSet<Symbol>) {
    node.op.attributes(&mut |_, attribute| {
        if let Attr::Shape(shape) = attribute
            && !shape.is_known()
        {
            shape.iter().for_each(|size| found.extend(size.symbols()));
        }
    });
    node.op.bodies().iter().flat_map(|body| &body.nodes).for_each(|node| visit(node, found));
}

/// The sizes without numbers that a node names.
pub(crate) fn named(node: &Node) -> HashSet<Symbol> {
    let mut found = HashSet::new();
    visit(node, &mut found);
    found
}

/// For each size without a number the first value that shows it, so that running the graph learns it there.
pub(super) struct Shown(HashMap<Symbol, Value>);

impl Shown {
    pub fn of(graph: &Graph) -> Self {
        let mut first = HashMap::new();
        if graph.is_symbolic() {
            for &value in graph.params.iter().chain(graph.nodes.iter().flat_map(|node| &node.outputs)) {
                for symbol in graph.ty(value).shape.iter().filter_map(as_symbol) {
                    first.entry(symbol).or_insert(value);
                }
            }
        }
        Self(first)
    }

    /// The values that a node needs for their sizes.
    pub fn by(&self, node: &Node) -> Vec<Value> {
        if self.0.is_empty() {
            return Vec::new();
        }
        named(node).iter().filter_map(|symbol| self.0.get(symbol).copied()).collect()
    }
}
