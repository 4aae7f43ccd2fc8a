//! What a part may be called in files of other libraries: Keras 3 keeps layers and variables under private names, older optimizers
//! and models under others. Restoring looks here where a checkpoint has no child of the part's own name; saving writes Keras's as well.

use super::file_graph::FileGraph;

/// Names that a file may have for a part of this library, by its name here. Keras's first, which saving writes too.
const NAMES: [(&str, &[&str]); 9] = [
    ("kernel", &["_kernel"]),
    ("embeddings", &["_embeddings"]),
    ("iterations", &["_iterations", "iter"]),
    ("learning_rate", &["_learning_rate"]),
    ("query_dense", &["_query_dense"]),
    ("key_dense", &["_key_dense"]),
    ("value_dense", &["_value_dense"]),
    ("output_dense", &["_output_dense"]),
    ("gate_dense", &["_gate_dense"]),
];

/// Where a model that is a list keeps its layers in Keras, and what number its first one has: graphs of layers begin with the input.
const LISTS: [(&str, usize); 4] = [("_functional/_operations", 1), ("_operations", 1), ("_layers", 0), ("layers", 0)];

/// Keras's name for a part, which is written beside its own.
pub(super) fn written(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(own, _)| *own == name).map(|(_, others)| others[0])
}

/// The child of node `at` that is meant by `name`, or by one of the names it had before.
pub(super) fn child(graph: &FileGraph, at: usize, name: &str, former: &[String]) -> Option<usize> {
    let own = graph.child(at, name);
    let before = || former.iter().find_map(|former| descend(graph, at, former));
    own.or_else(before).or_else(|| foreign(graph, at, name))
}

/// A name with slashes leads through several nodes, unless a child is called so.
fn descend(graph: &FileGraph, at: usize, path: &str) -> Option<usize> {
    graph.child(at, path).or_else(|| path.split('/').try_fold(at, |at, name| graph.child(at, name)))
}

/// Keras's child for a part: by its name, or by its number where the part is in a list. Keras 2 has layers as `layer-0` and so on, and
/// only in graphs of layers counts the input among them.
fn foreign(graph: &FileGraph, at: usize, name: &str) -> Option<usize> {
    if let Some((_, others)) = NAMES.iter().find(|(own, _)| *own == name) {
        return others.iter().find_map(|other| graph.child(at, other));
    }
    let number: usize = name.parse().ok()?;
    if let Some(first) = graph.child(at, "layer-0") {
        let input = graph.child(first, "_init_input_shape").is_some();
        return graph.child(at, &format!("layer-{}", number.checked_add(input.into())?));
    }
    let (list, first) = LISTS.iter().find_map(|(path, first)| Some((descend(graph, at, path)?, first)))?;
    graph.child(list, &number.checked_add(*first)?.to_string())
}
