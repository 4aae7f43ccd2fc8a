//! The object graph of a checkpoint file: nodes, their children by name, and the keys of their values.
//! Saving makes one of a module's graph; restoring reads one and walks it beside the module's.

use super::demand;
use formats::messages::{
    BoolValue, Message, ObjectReference, SerializedTensor, SlotVariableReference, TrackableObject, TrackableObjectGraph,
};
use kernels::error::{Error, Result};
use std::collections::HashMap;

/// The key under which a checkpoint has its object graph.
pub(super) const GRAPH_KEY: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// TensorFlow's name for what a variable holds.
const VALUE: &str = "VARIABLE_VALUE";

/// Nodes by number; node 0 is the root.
#[derive(Default)]
pub(super) struct FileGraph {
    pub nodes: Vec<Node>,
}

/// A node.
#[derive(Default)]
pub(super) struct Node {
    /// Children by name, in the order of the file.
    pub children: Vec<(String, usize)>,
    names: HashMap<String, usize>,
    /// The key of the variable's value, and the variable's name.
    pub value: Option<(String, String)>,
    /// Slots of older optimizers: the number of the variable, the slot's name, and the number of the slot.
    pub slots: Vec<(usize, String, usize)>,
    /// The node from which it is reached first, level by level, and its name there.
    above: Option<(usize, String)>,
}

impl Node {
    /// A node with children.
    pub fn with(children: Vec<(String, usize)>) -> Self {
        let names = children.iter().rev().cloned().collect();
        Self { children, names, ..Self::default() }
    }
}

/// A character of a name in a key, where slashes and points have a meaning.
fn escaped(c: char) -> impl Iterator<Item = char> {
    let [first, second] = match c {
        '.' => [Some('.'), Some('.')],
        '/' => [Some('.'), Some('S')],
        c => [Some(c), None],
    };
    first.into_iter().chain(second)
}

impl FileGraph {
    /// The names that lead to a node. They are looked up, since a file may have paths as long as it has nodes.
    fn path(&self, at: usize) -> Vec<&str> {
        let steps =
            std::iter::successors(self.nodes[at].above.as_ref(), |(above, _)| self.nodes[*above].above.as_ref());
        let mut names: Vec<&str> = steps.map(|(_, name)| name.as_str()).collect();
        names.reverse();
        names
    }

    /// The path of a node as messages have it.
    pub fn spoken(&self, at: usize) -> String {
        self.path(at).join("/")
    }

    /// The key of something that belongs to a node.
    fn key(&self, at: usize, what: &str) -> String {
        let mut key = String::new();
        for name in self.path(at) {
            key.extend(name.chars().flat_map(escaped));
            key.push('/');
        }
        key + what
    }

    /// The key of a variable's value.
    pub fn value_key(&self, at: usize) -> String {
        self.key(at, ".ATTRIBUTES/VARIABLE_VALUE")
    }

    /// The key of the state of an object on the host, which no node names: TensorFlow passes it over.
    pub fn state_key(&self, at: usize) -> String {
        self.key(at, ".EAGERFLOW/STATE")
    }

    /// The child of a node by its name.
    pub fn child(&self, at: usize, name: &str) -> Option<usize> {
        self.nodes.get(at)?.names.get(name).copied()
    }

    /// Numbers the nodes level by level, as TensorFlow does, and notes how each is reached first; slots of older optimizers come behind
    /// them. Nodes that the root does not reach go. Answers the new number of each.
    pub fn settle(&mut self) -> Vec<Option<usize>> {
        let mut numbers = vec![None; self.nodes.len()];
        let mut order: Vec<usize> = Vec::with_capacity(self.nodes.len());
        if !self.nodes.is_empty() {
            numbers[0] = Some(0);
            order.push(0);
        }
        let mut above = vec![None];
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            for (name, child) in &self.nodes[at].children {
                if numbers[*child].is_none() {
                    numbers[*child] = Some(order.len());
                    order.push(*child);
                    above.push(Some((next, name.clone())));
                }
            }
            next += 1;
        }
        for optimizer in 0..order.len() {
            for (variable, name, slot) in &self.nodes[order[optimizer]].slots {
                if let (Some(variable), None) = (numbers[*variable], numbers[*slot]) {
                    numbers[*slot] = Some(order.len());
                    order.push(*slot);
                    above.push(Some((variable, format!(".OPTIMIZER_SLOT/{name}"))));
                }
            }
        }
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        for (at, above) in order.into_iter().zip(above) {
            let Some(Node { children, value, slots, .. }) = old[at].take() else { continue };
            let children = children.into_iter().filter_map(|(name, child)| Some((name, numbers[child]?))).collect();
            let known =
                |(variable, name, slot): (usize, String, usize)| Some((numbers[variable]?, name, numbers[slot]?));
            let slots = slots.into_iter().filter_map(known).collect();
            self.nodes.push(Node { value, slots, above, ..Node::with(children) });
        }
        numbers
    }

    /// The message that a file holds.
    pub fn encode(&self) -> Vec<u8> {
        let filled = self.filled();
        let node = |(node, &filled): (&Node, &bool)| TrackableObject {
            children: node
                .children
                .iter()
                .map(|(name, child)| ObjectReference { node_id: *child as i32, local_name: name.clone() })
                .collect(),
            attributes: node
                .value
                .iter()
                .map(|(key, name)| SerializedTensor {
                    name: VALUE.into(),
                    full_name: name.clone(),
                    checkpoint_key: key.clone(),
                })
                .collect(),
            slot_variables: node
                .slots
                .iter()
                .map(|(variable, name, slot)| SlotVariableReference {
                    original_variable_node_id: *variable as i32,
                    slot_name: name.clone(),
                    slot_variable_node_id: *slot as i32,
                })
                .collect(),
            registered_saver: None,
            has_checkpoint_values: Some(BoolValue { value: filled }),
        };
        let nodes = self.nodes.iter().zip(&filled).map(node).collect();
        TrackableObjectGraph { nodes }.encode_to_vec()
    }

    /// Whether each node, or one below it, has a value.
    pub fn filled(&self) -> Vec<bool> {
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            node.children.iter().for_each(|(_, child)| above[*child].push(at));
        }
        let mut filled = vec![false; self.nodes.len()];
        let mut next: Vec<usize> = (0..self.nodes.len()).filter(|&at| self.nodes[at].value.is_some()).collect();
        while let Some(at) = next.pop() {
            if !std::mem::replace(&mut filled[at], true) {
                next.extend(&above[at]);
            }
        }
        filled
    }

    /// Reads the message of a file of `size` bytes in all; `file` is what errors call it.
    pub fn decode(bytes: &[u8], size: u64, file: &str) -> Result<Self> {
        let damaged = |what: String| {
            Error::data_loss(file, format!("the object graph of the checkpoint is damaged: {what}"))
                .help("restore an older checkpoint, or fetch the file again")
        };
        if demand::of(bytes) > size.saturating_add(demand::SPARE) {
            return Err(damaged("it has far more nodes than values".into()));
        }
        let message = TrackableObjectGraph::decode(bytes).map_err(|e| damaged(e.to_string()))?;
        let count = message.nodes.len();
        if count == 0 {
            return Err(damaged("it has no nodes".into()));
        }
        let number = |id: i32, of: usize| {
            let known = usize::try_from(id).ok().filter(|&id| id < count);
            known.ok_or_else(|| damaged(format!("node {of} of {count} refers to node {id}")))
        };
        let mut graph = Self::default();
        for (at, object) in message.nodes.into_iter().enumerate() {
            let children = object.children.into_iter().map(|c| Ok((c.local_name, number(c.node_id, at)?)));
            let mut node = Node::with(children.collect::<Result<_>>()?);
            let value = object.attributes.into_iter().find(|a| a.name == VALUE);
            node.value = value.map(|a| (a.checkpoint_key, a.full_name));
            for slot in object.slot_variables {
                let (variable, values) =
                    (number(slot.original_variable_node_id, at)?, number(slot.slot_variable_node_id, at)?);
                node.slots.push((variable, slot.slot_name, values));
            }
            graph.nodes.push(node);
        }
        graph.settle();
        Ok(graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[(&str, usize)]) -> Vec<(String, usize)> {
        list.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect()
    }

    #[test]
    fn nodes_are_numbered_level_by_level_and_named_by_their_first_path() {
        let mut graph = FileGraph {
            nodes: vec![
                Node::with(names(&[("b", 3), ("a", 2)])),
                Node::default(),
                Node::with(names(&[("x", 1), ("loop", 0)])),
                Node::with(names(&[("x.y", 1)])),
                Node::with(names(&[("nobody", 1)])),
            ],
        };
        let numbers = graph.settle();
        assert_eq!(numbers, [Some(0), Some(3), Some(2), Some(1), None]);
        let paths: Vec<String> = (0..4).map(|at| graph.spoken(at)).collect();
        assert_eq!(paths, ["", "b", "a", "b/x.y"]);
        assert_eq!(graph.value_key(3), "b/x..y/.ATTRIBUTES/VARIABLE_VALUE");
        assert_eq!(graph.child(2, "loop"), Some(0));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut graph =
            FileGraph { nodes: vec![Node::with(names(&[("a/b", 1), ("empty", 2)])), Node::default(), Node::default()] };
        graph.settle();
        graph.nodes[1].value = Some((graph.value_key(1), "name".into()));
        graph.nodes[2].slots.push((1, "m".into(), 1));
        let read = FileGraph::decode(&graph.encode(), 0, "file").unwrap();
        assert_eq!(read.nodes[1].value, Some(("a.Sb/.ATTRIBUTES/VARIABLE_VALUE".into(), "name".into())));
        assert_eq!(read.nodes[2].slots, [(1, "m".into(), 1)]);
        assert_eq!(graph.filled(), [true, true, false]);
    }

    #[test]
    fn slots_of_older_optimizers_are_reached_through_their_variables() {
        let list = names(&[("v", 3), ("optimizer", 1)]);
        let nodes = vec![Node::with(list), Node::default(), Node::default(), Node::default(), Node::default()];
        let mut graph = FileGraph { nodes };
        graph.nodes[1].slots = vec![(3, "m".into(), 2), (4, "m".into(), 4)];
        // The second is of a variable that nobody reaches.
        assert_eq!(graph.settle(), [Some(0), Some(2), Some(3), Some(1), None]);
        assert_eq!(
            (&graph.nodes[2].slots[..], graph.spoken(3)),
            (&[(1, "m".into(), 3)][..], "v/.OPTIMIZER_SLOT/m".into())
        );
    }

    #[test]
    fn a_graph_that_refers_to_nothing_is_damaged() {
        let reference = ObjectReference { node_id: 7, local_name: "a".into() };
        let node = TrackableObject { children: vec![reference], ..Default::default() };
        let bytes = TrackableObjectGraph { nodes: vec![node] }.encode_to_vec();
        let text = FileGraph::decode(&bytes, 0, "ckpt.index").err().map(|e| e.to_string()).unwrap_or_default();
        assert!(text.contains("node 0 of 1 refers to node 7") && text.contains("ckpt.index"), "{text}");
        assert!(FileGraph::decode(&[], 0, "f").is_err() && FileGraph::decode(&[0xFF; 9], 0, "f").is_err());
    }
}
