//! One restore of a checkpoint: which node of the file each part of the program is, what was read, and what still waits to be.
//! `Checkpoint` makes one, its status asks it, and layers and optimizers that make variables later take their values from it.

mod matching;
mod states;

use super::file_graph::{FileGraph, GRAPH_KEY};
use super::fitting::{SHOWN, all_fit, fits, listed};
use super::latest;
use super::slots::{self, WaitingSlots};
use engine::library::{
    DeferredValue, End, ObjectGraph, Prepared, SlotTable, commit_states, defer, overwrite, prepare_states,
    tensor_of_bytes,
};
use engine::{LazyVariable, Module, Tensor, TensorType, Variable};
use formats::bundle::{Bundle, Stored};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was and will be read of a checkpoint.
pub(super) struct Restoration {
    bundle: Bundle,
    pub graph: FileGraph,
    /// By node: whether a variable took its value.
    used: Vec<AtomicBool>,
    /// By the number of a variable that took a value: the value's node.
    nodes: Mutex<HashMap<u64, usize>>,
    /// The numbers of the objects of the host that took a state.
    states: HashSet<u64>,
    /// Whether the program knows that it does not use all.
    pub partial: AtomicBool,
}

/// A value that was found for a variable that is there.
struct Found {
    variable: Variable,
    node: usize,
    key: String,
    path: String,
}

/// What a restore goes over.
#[derive(Default)]
struct Parts {
    /// Values for variables that are there.
    found: Vec<Found>,
    /// Places of variables that are not, with the nodes of their values.
    places: Vec<(LazyVariable, usize)>,
    /// Tables of slots, with what the file has for them.
    tables: Vec<(Arc<dyn SlotTable>, WaitingSlots)>,
}

impl Parts {
    /// The keys of all values, each once.
    fn keys<'a>(&'a self, restoration: &'a Restoration) -> Vec<&'a str> {
        let mut keys: Vec<&str> = self.found.iter().map(|f| f.key.as_str()).collect();
        keys.extend(self.places.iter().filter_map(|(_, node)| restoration.key(*node)));
        keys.extend(self.tables.iter().flat_map(|(_, slots)| slots.keys()));
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

impl Restoration {
    /// Restores a module whole or not at all; what it does not have yet waits for it.
    ///
    /// # Errors
    /// As `Checkpoint::restore`.
    pub fn run(prefix: &Path, module: &dyn Module) -> Result<Arc<Self>> {
        let mut this = Self::open(prefix)?;
        let objects = ObjectGraph::of(module);
        let matched = this.matched(&objects)?;
        let states = this.states_for(&objects, &matched)?;
        this.states.extend(states.keys());
        let this = Arc::new(this);
        let parts = this.parts(&objects, &matched)?;
        this.check(&parts.found)?;
        this.bundle.verify(&parts.keys(&this), 0)?;
        let prepared = prepare_states(module, &states)?;
        // From here on nothing fails on account of the program or of a damaged file.
        this.take(&parts.found, module, prepared)?;
        this.leave(parts)?;
        this.partial.store(false, Ordering::Relaxed);
        Ok(this)
    }

    /// What there is to restore, and what has to wait.
    fn parts(self: &Arc<Self>, objects: &ObjectGraph, matched: &[Option<usize>]) -> Result<Parts> {
        let (mut parts, mut tables) = (Parts::default(), Vec::new());
        for (object, node) in objects.objects.iter().zip(matched) {
            let Some(node) = *node else { continue };
            match &object.end {
                End::Variable(variable) => parts.found.extend(self.value_for(variable, node, &object.path)?),
                End::Place(place) if self.graph.nodes[node].value.is_some() => parts.places.push((place.clone(), node)),
                End::Slots(table) => {
                    slots::settings(&self.graph, node).for_each(|node| self.used[node].store(true, Ordering::Relaxed));
                    tables.push((table, node, &object.path));
                }
                End::Place(_) | End::State(_) | End::Part => {}
            }
        }
        let node_of: HashMap<u64, usize> = parts.found.iter().map(|f| (f.variable.id(), f.node)).collect();
        let known: HashSet<usize> = matched.iter().copied().flatten().collect();
        for (table, node, path) in tables {
            let slots = WaitingSlots::new(self.clone(), node, table.names().to_vec(), &known);
            for (place, (variable, values)) in table.all().into_iter().enumerate() {
                for (slot, value) in values.iter().enumerate() {
                    if let Some(value) = value
                        && let Some(node) = slots.node(node_of.get(&variable).copied(), place, slot)
                    {
                        let path = format!("{path}/slots/{place}/{}", table.names()[slot].slot);
                        parts.found.extend(self.value_for(value, node, &path)?);
                    }
                }
            }
            parts.tables.push((table.clone(), slots));
        }
        Ok(parts)
    }

    /// Leaves values for what is made later.
    fn leave(self: &Arc<Self>, parts: Parts) -> Result<()> {
        for (place, node) in parts.places {
            let value = Arc::new(WaitingValue { restoration: self.clone(), node });
            // Another thread may have made it meanwhile.
            if let Some(variable) = defer(&place, value.clone()) {
                let ty = TensorType::new(variable.dtype(), variable.shape());
                variable.try_assign(value.value(variable.name(), &ty)?)?;
                value.taken(variable);
            }
        }
        parts.tables.into_iter().for_each(|(table, slots)| table.defer(Arc::new(slots)));
        Ok(())
    }

    fn open(prefix: &Path) -> Result<Self> {
        let bundle = latest::open(prefix)?;
        let file = prefix.display().to_string();
        if bundle.get(GRAPH_KEY).is_none() {
            return Err(Error::failed_precondition(
                file,
                "the checkpoint has no object graph: its values are known by names alone",
            )
            .expected("a checkpoint of TensorFlow 2 or of this library")
            .help("read its values one by one with `tf::train::load_checkpoint`, and assign them"));
        }
        let graph = match &bundle.read_strings(GRAPH_KEY)?[..] {
            [bytes] => {
                let sizes = bundle.entries().iter().map(|entry| entry.size());
                FileGraph::decode(bytes, sizes.fold(0, u64::saturating_add), &file)?
            }
            other => {
                return Err(Error::data_loss(file, "the object graph of the checkpoint is damaged")
                    .got(format!("{} messages", other.len()))
                    .expected("one"));
            }
        };
        let used = graph.nodes.iter().map(|_| AtomicBool::new(false)).collect();
        // What is not restored in the end tells of nothing.
        let partial = AtomicBool::new(true);
        Ok(Self { bundle, graph, used, nodes: Mutex::default(), states: HashSet::new(), partial })
    }

    /// The checkpoint's name.
    pub fn file(&self) -> String {
        self.bundle.prefix().display().to_string()
    }

    fn key(&self, node: usize) -> Option<&str> {
        self.graph.nodes[node].value.as_ref().map(|(key, _)| key.as_str())
    }

    /// The value of a node in the file, if it has one.
    pub fn stored(&self, node: usize) -> Result<Option<&Stored>> {
        let Some(key) = self.key(node) else { return Ok(None) };
        let stored = self.bundle.get(key).ok_or_else(|| {
            Error::data_loss(self.file(), "the object graph names a value that the checkpoint does not have").got(key)
        });
        stored.map(Some)
    }

    fn value_for(&self, variable: &Variable, node: usize, path: &str) -> Result<Option<Found>> {
        let stored = self.stored(node)?;
        Ok(stored.map(|stored| Found {
            variable: variable.clone(),
            node,
            key: stored.key().to_owned(),
            path: path.to_owned(),
        }))
    }

    /// Nothing is taken unless all fits.
    fn check(&self, found: &[Found]) -> Result<()> {
        let values = found.iter().filter_map(|Found { variable, path, key, .. }| {
            let ty = TensorType::new(variable.dtype(), variable.shape());
            Some((path.as_str(), self.bundle.get(key)?, ty))
        });
        all_fit(&self.file(), values)
    }

    /// Reads all values, and takes over the states: nothing here fails on account of the program or a damaged file.
    fn take(&self, found: &[Found], module: &dyn Module, states: HashMap<u64, Prepared>) -> Result<()> {
        let (strings, numbers): (Vec<&Found>, Vec<&Found>) =
            found.iter().partition(|f| f.variable.dtype() == DType::String);
        let read = |f: &&Found| self.strings(&f.key, f.variable.shape());
        let read = strings.iter().map(read).collect::<Result<Vec<Tensor>>>()?;
        let variables: Vec<Variable> = numbers.iter().map(|f| f.variable.clone()).collect();
        overwrite(&variables, |memory| {
            let keys = numbers.iter().map(|f| f.key.as_str());
            let mut targets: Vec<(&str, &mut [u8])> = keys.zip(memory.iter_mut().map(|bytes| &mut **bytes)).collect();
            self.bundle.read_into(&mut targets, 0)
        })?;
        for (f, value) in strings.iter().zip(read) {
            f.variable.try_assign(value)?;
        }
        commit_states(module, states);
        found.iter().for_each(|f| self.note(&f.variable, f.node));
        Ok(())
    }

    /// The strings of a key, which has so many of them.
    fn strings(&self, key: &str, shape: Shape) -> Result<Tensor> {
        Tensor::try_from_byte_strings(&self.bundle.read_strings(key)?, shape)
    }

    fn nodes(&self) -> MutexGuard<'_, HashMap<u64, usize>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The node of the value that a variable took.
    pub fn node_of(&self, variable: &Variable) -> Option<usize> {
        self.node_of_id(variable.id())
    }

    /// As `node_of`, by the variable's number.
    pub fn node_of_id(&self, id: u64) -> Option<usize> {
        self.nodes().get(&id).copied()
    }

    /// A variable took the value of a node.
    pub fn note(&self, variable: &Variable, node: usize) {
        self.used[node].store(true, Ordering::Relaxed);
        self.nodes().insert(variable.id(), node);
    }

    /// The value of a node for a variable that is being made.
    pub fn read(&self, node: usize, label: &str, ty: &TensorType) -> Result<Option<Tensor>> {
        let Some(stored) = self.stored(node)? else { return Ok(None) };
        fits(&self.file(), stored, ty).map_err(|e| e.variable(label))?;
        if ty.dtype == DType::String {
            return self.strings(stored.key(), ty.shape).map(Some);
        }
        tensor_of_bytes(ty, |bytes| self.bundle.read_into(&mut [(stored.key(), bytes)], 0)).map(Some)
    }

    /// The type of a node's value in the file, and what its variable was called; none of a value of no type of this library's.
    pub fn type_of(&self, node: usize) -> Result<Option<(TensorType, &str)>> {
        let Some(stored) = self.stored(node)? else { return Ok(None) };
        let sizes: Vec<usize> = stored.shape().iter().map(|&size| size as usize).collect();
        let name = self.graph.nodes[node].value.as_ref().map_or("", |(_, name)| name.as_str());
        let ty = stored.dtype().dtype().map(|dtype| Ok(TensorType::new(dtype, Shape::new(&sizes)?)));
        Ok(ty.transpose()?.map(|ty| (ty, name)))
    }

    /// The nodes of values that no variable took.
    pub fn unused(&self) -> Vec<usize> {
        let nodes = self.graph.nodes.iter().zip(&self.used).enumerate();
        let unused = nodes.filter(|(_, (node, used))| node.value.is_some() && !used.load(Ordering::Relaxed));
        unused.map(|(at, _)| at).collect()
    }

    /// The paths of some nodes, for a message.
    pub fn listed(&self, nodes: &[usize]) -> String {
        let paths: Vec<String> = nodes.iter().take(SHOWN).map(|&at| format!("`{}`", self.graph.spoken(at))).collect();
        listed(&paths, nodes.len())
    }

    /// How many values were taken.
    pub fn taken(&self) -> usize {
        self.used.iter().filter(|used| used.load(Ordering::Relaxed)).count()
    }
}

impl Drop for Restoration {
    fn drop(&mut self) {
        if self.partial.load(Ordering::Relaxed) {
            return;
        }
        let counter = self.graph.child(0, "save_counter");
        let unused: Vec<usize> = self.unused().into_iter().filter(|&at| Some(at) != counter).collect();
        if !unused.is_empty() {
            eprintln!(
                "warning: restore: {} values of the checkpoint `{}` were not used: {}\n  help: call `expect_partial()` on what \
                 `restore` gives where that is meant, `assert_consumed()` where it is not",
                unused.len(),
                self.file(),
                self.listed(&unused)
            );
        }
    }
}

/// The value of a node, for a variable that a layer will make.
pub(super) struct WaitingValue {
    pub restoration: Arc<Restoration>,
    pub node: usize,
}

impl DeferredValue for WaitingValue {
    fn value(&self, label: &str, ty: &TensorType) -> Result<Tensor> {
        let read = self.restoration.read(self.node, label, ty)?;
        read.ok_or_else(|| Error::internal("restore", "a node without a value waits"))
    }

    fn taken(&self, variable: &Variable) {
        self.restoration.note(variable, self.node);
    }
}
