//! The slots of an optimizer in a checkpoint: found by the variable that they belong to, as Keras 3 and older optimizers of
//! TensorFlow write them, and by their place where the file does not tell the variables. A restore looks here for slots that are
//! there, and optimizers for those that they make later.

use super::aliases;
use super::file_graph::FileGraph;
use super::restoration::Restoration;
use engine::library::{DeferredSlots, SlotName};
use engine::{Tensor, TensorType, Variable};
use kernels::error::Result;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Children of older optimizers whose values are settings of the program here, as they are in Keras 3: they are not restored.
const SETTINGS: [&str; 8] = ["beta_1", "beta_2", "beta1_power", "beta2_power", "decay", "epsilon", "momentum", "rho"];

/// The nodes of an optimizer that have no counterpart, and need none.
pub(super) fn settings(graph: &FileGraph, optimizer: usize) -> impl Iterator<Item = usize> {
    SETTINGS.iter().filter_map(move |name| graph.child(optimizer, name))
}

/// The slots of one optimizer in a file.
pub(super) struct WaitingSlots {
    restoration: Arc<Restoration>,
    names: Vec<SlotName>,
    /// For each slot's name: its nodes by the place of their variable, and by the node of it.
    by_place: Vec<HashMap<usize, usize>>,
    by_variable: Vec<HashMap<usize, usize>>,
    /// Whether the file tells which variables the optimizer trains, and the program has one of them: then a variable that the file
    /// does not know has no slots there. Else, as where an optimizer is restored alone, places count.
    tells_variables: bool,
    /// The nodes of the variables, by place.
    trained: HashMap<usize, usize>,
}

/// The slots of one variable in the file, which no optimizer took yet.
pub(super) struct Left {
    /// The variable's own node, if the file tells it.
    pub variable: Option<usize>,
    /// For each slot's name, the node of its value.
    pub slots: Vec<Option<usize>>,
}

impl WaitingSlots {
    /// Of the optimizer at a node; `matched` are the nodes that the program has parts for.
    pub fn new(
        restoration: Arc<Restoration>,
        optimizer: usize,
        names: Vec<SlotName>,
        matched: &HashSet<usize>,
    ) -> Self {
        let graph = &restoration.graph;
        let children = |node: Option<usize>| node.map_or(&[][..], |node| &graph.nodes[node].children);
        let places = |node| {
            let numbered = children(node).iter().filter_map(|(name, child)| Some((name.parse().ok()?, *child)));
            numbered.collect::<HashMap<usize, usize>>()
        };
        let trained = places(graph.child(optimizer, "_trainable_variables"));
        let by_place: Vec<_> = names.iter().map(|name| places(graph.child(optimizer, name.list))).collect();
        let of_trained = |slots: &HashMap<usize, usize>| {
            let pairs = trained.iter().filter_map(|(place, variable)| Some((*variable, *slots.get(place)?)));
            pairs.collect::<HashMap<_, _>>()
        };
        let mut by_variable: Vec<_> = by_place.iter().map(of_trained).collect();
        // `MomentumOptimizer` of TensorFlow 1, which counts no steps, sums up gradients where all others sum up changes.
        let of_gradients = aliases::child(graph, optimizer, "iterations", &[]).is_none();
        let same = |(_, slot, _): &&(usize, String, usize)| slot != "momentum" || !of_gradients;
        let older: Vec<_> = graph.nodes[optimizer].slots.iter().filter(same).collect();
        for (variable, slot, node) in &older {
            let at = names.iter().position(|name| name.slot == slot);
            at.map(|at| by_variable[at].insert(*variable, *node));
        }
        let told = trained.values().chain(older.iter().map(|(variable, ..)| variable));
        let tells_variables = told.into_iter().any(|variable| matched.contains(variable));
        Self { restoration, names, by_place, by_variable, tells_variables, trained }
    }

    /// The node of slot number `slot` of a variable, by the variable's own node, or else by its place among those with slots.
    pub fn node(&self, variable: Option<usize>, place: usize, slot: usize) -> Option<usize> {
        match variable {
            Some(variable) if self.tells_variables => self.by_variable.get(slot)?.get(&variable).copied(),
            _ => self.by_place.get(slot)?.get(&place).copied(),
        }
    }

    /// The restore that they are of.
    pub fn restoration(&self) -> &Arc<Restoration> {
        &self.restoration
    }

    /// What was not taken, in the order of the places, where the optimizer has slots for `made` variables.
    pub fn left(&self, made: &[u64]) -> Vec<Left> {
        let all = |slots: &[HashMap<usize, usize>]| slots.iter().flat_map(HashMap::keys).copied().collect::<Vec<_>>();
        let one = |slots: &[HashMap<usize, usize>], at| slots.iter().map(|slots| slots.get(&at).copied()).collect();
        let (mut order, taken) = if self.tells_variables {
            let taken: HashSet<usize> = made.iter().filter_map(|&id| self.restoration.node_of_id(id)).collect();
            (all(&self.by_variable), taken)
        } else {
            (all(&self.by_place), (0..made.len()).collect())
        };
        let places: HashMap<usize, usize> = self.trained.iter().map(|(&place, &variable)| (variable, place)).collect();
        order.sort_unstable_by_key(|at| (self.tells_variables.then(|| places.get(at)), *at));
        order.dedup();
        let left = order.into_iter().filter(|at| !taken.contains(at));
        if self.tells_variables {
            return left.map(|at| Left { variable: Some(at), slots: one(&self.by_variable, at) }).collect();
        }
        left.map(|at| Left { variable: None, slots: one(&self.by_place, at) }).collect()
    }

    /// The keys of all values.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let nodes = self.by_place.iter().chain(&self.by_variable).flat_map(HashMap::values);
        nodes.filter_map(|&node| Some(self.restoration.stored(node).ok()??.key()))
    }
}

impl DeferredSlots for WaitingSlots {
    fn value(&self, variable: &Variable, ty: &TensorType, place: usize, slot: usize) -> Result<Option<Tensor>> {
        let Some(node) = self.node(self.restoration.node_of(variable), place, slot) else { return Ok(None) };
        let label = format!("{} of {}", self.names[slot].slot, variable.name());
        self.restoration.read(node, &label, ty)
    }

    fn taken(&self, variable: &Variable, place: usize, slot: usize, made: &Variable) {
        if let Some(node) = self.node(self.restoration.node_of(variable), place, slot) {
            self.restoration.note(made, node);
        }
    }
}
