//! What a checkpoint will hold, taken in one moment: the object graph as the file has it, and handles of all values.
//! `Checkpoint::write` writes one at once, `save_async` on a thread of its own.

use super::aliases::written;
use super::fetched::Fetched;
use super::file_graph::{FileGraph, GRAPH_KEY, Node};
use super::restoration::{Restoration, WaitingValue};
use super::slots::{Left, WaitingSlots};
use engine::library::{End, Object, ObjectGraph, SlotTable, StateValue, save_states, value_of, waiting};
use engine::{LazyVariable, Module, Tensor, Variable};
use formats::bundle::{self, Entry, Source};
use formats::files::Options;
use formats::messages::DataType;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::any::Any;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A checkpoint that is not written yet.
pub(super) struct Snapshot {
    graph: Vec<Vec<u8>>,
    /// In the order of their nodes.
    values: Vec<(String, Value)>,
}

enum Value {
    Tensor(Fetched),
    /// A tensor of strings, which is small beside a model.
    Strings(Tensor),
    Bytes(Vec<Vec<u8>>),
    Int64([u8; 8]),
}

impl Value {
    fn of(tensor: Tensor) -> Self {
        match tensor.dtype() {
            DType::String => Self::Strings(tensor),
            _ => Self::Tensor(Fetched::of(tensor)),
        }
    }

    /// The value as it is written; `strings` are those of a tensor of strings.
    fn entry<'a>(&'a self, key: &'a str, strings: &'a [Vec<u8>]) -> Entry<'a> {
        let sizes = |shape: &Shape| shape.dims().iter().map(|&n| n as u64).collect();
        match self {
            Self::Strings(tensor) => entry(key, DataType::String, sizes(tensor.shape()), Source::Strings(strings)),
            Self::Tensor(fetched) => {
                let ty = &fetched.ty;
                entry(key, ty.dtype.into(), sizes(&ty.shape), Source::Pieces(fetched))
            }
            Self::Bytes(bytes) => entry(key, DataType::String, Vec::new(), Source::Strings(bytes)),
            Self::Int64(bytes) => entry(key, DataType::Int64, Vec::new(), Source::Bytes(bytes)),
        }
    }
}

impl Snapshot {
    /// Of a module, with its objects of the host.
    ///
    /// # Errors
    /// InvalidArgument where two parts of one module have the same name; what an object answers that cannot be saved.
    pub fn of(module: &dyn Module) -> Result<Self> {
        let states = save_states(module)?;
        let objects = ObjectGraph::of(module);
        let mut made = Made { graph: FileGraph::default(), contents: Vec::new(), places: Vec::new() };
        for object in &objects.objects {
            let node = Node::with(named(object, &objects)?);
            made.graph.nodes.push(node);
        }
        let mut variables = HashMap::new();
        for (at, object) in objects.objects.iter().enumerate() {
            match &object.end {
                End::Variable(variable) => {
                    variables.insert(variable.id(), at);
                    made.contents.push((at, Content::Variable(variable.clone())));
                }
                End::State(id) => match states.get(id) {
                    Some(StateValue::Int64(number)) => made.contents.push((at, Content::Int64(*number))),
                    Some(StateValue::Bytes(bytes)) => made.contents.push((at, Content::State(bytes.clone()))),
                    None => {}
                },
                End::Place(place) => made.place(at, place),
                End::Part | End::Slots(_) => {}
            }
        }
        for (at, object) in objects.objects.iter().enumerate() {
            match &object.end {
                End::Slots(table) => made.optimizer(at, table.as_ref(), &variables),
                End::Part if is_layers(object, &objects) => made.layers(at),
                _ => {}
            }
        }
        made.finish()
    }

    /// Writes the files of a prefix.
    ///
    /// # Errors
    /// What the system answers; then no file is there that was not there before, and those that were are as they were.
    pub fn write(&self, prefix: &Path, options: &Options<'_>) -> Result<()> {
        let strings = |(_, value): &(String, Value)| match value {
            Value::Strings(tensor) => tensor.try_to_byte_strings(),
            _ => Ok(Vec::new()),
        };
        let strings = self.values.iter().map(strings).collect::<Result<Vec<_>>>()?;
        let graph = entry(GRAPH_KEY, DataType::String, Vec::new(), Source::Strings(&self.graph));
        // In TensorFlow's order, so that the same objects are the same bytes.
        let entries: Vec<Entry<'_>> = self
            .values
            .iter()
            .zip(&strings)
            .map(|((key, value), strings)| value.entry(key, strings))
            .chain([graph])
            .collect();
        bundle::write(prefix, &entries, options)
    }
}

fn entry<'a>(key: &'a str, dtype: DataType, shape: Vec<u64>, source: Source<'a>) -> Entry<'a> {
    Entry { key, dtype, shape, source }
}

/// The children of a part as the file names them, each with Keras's name as well.
fn named(object: &Object, objects: &ObjectGraph) -> Result<Vec<(String, usize)>> {
    let mut children: Vec<(String, usize)> = Vec::with_capacity(object.children.len());
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(object.children.len());
    for child in &object.children {
        if let Some(other) = seen.insert(&child.name, child.object) {
            return Err(one_name(object, &child.name, [&objects.objects[other], &objects.objects[child.object]]));
        }
        children.push((child.name.clone(), child.object));
    }
    for child in &object.children {
        if let Some(name) = written(&child.name).filter(|name| !seen.contains_key(name)) {
            children.push((name.to_owned(), child.object));
        }
    }
    Ok(children)
}

/// Whether an object is a list with layers of this library in it, which as a model is Keras's `Sequential`.
fn is_layers(object: &Object, objects: &ObjectGraph) -> bool {
    let in_order = object.children.iter().enumerate().all(|(i, child)| child.name == i.to_string());
    let is_layer = |object: &Object| object.type_name.starts_with("eagerflow::layers::");
    in_order && object.children.iter().any(|child| is_layer(&objects.objects[child.object]))
}

#[cold]
fn one_name(object: &Object, name: &str, parts: [&Object; 2]) -> Error {
    let place = if object.path.is_empty() { "the checkpoint" } else { &object.path };
    Error::invalid_argument(
        "save",
        format!("two parts of `{place}` have the same name, so that only one could be restored"),
    )
    .got(format!("`{name}` for {} and for {}", spoken(parts[0]), spoken(parts[1])))
    .expected("a name of its own for each field")
    .help("give one of them another name, in a derived module by `#[module(name = \"..\")]`")
}

fn spoken(object: &Object) -> &str {
    match &object.end {
        End::Variable(_) | End::Place(_) => "a variable",
        _ => object.type_name,
    }
}

/// What a node holds.
enum Content {
    Variable(Variable),
    /// A value of a checkpoint that was restored, by its node there: its variable is not made yet.
    Waiting(Arc<Restoration>, usize),
    Int64(i64),
    State(Vec<u8>),
}

/// A graph under way, whose nodes are numbered as the parts are at first.
struct Made {
    graph: FileGraph,
    contents: Vec<(usize, Content)>,
    /// The places of variables for which values wait: the restore, the node of the value there, and the node here.
    places: Vec<(Arc<Restoration>, usize, usize)>,
}

impl Made {
    /// What waits for a variable that is not made yet is saved as it is: a program that restores and saves before it has called its
    /// layers loses nothing.
    fn place(&mut self, at: usize, place: &LazyVariable) {
        let Some(value) = waiting(place) else { return };
        let value: &dyn Any = &*value;
        if let Some(WaitingValue { restoration, node }) = value.downcast_ref() {
            self.contents.push((at, Content::Waiting(restoration.clone(), *node)));
            self.places.push((restoration.clone(), *node, at));
        }
    }

    fn node(&mut self, children: Vec<(String, usize)>) -> usize {
        self.graph.nodes.push(Node::with(children));
        self.graph.nodes.len() - 1
    }

    /// Adds what Keras 3 keeps in an optimizer: the list of all its variables, the list of those that it trains, and one list for each
    /// kind of slot, in the order of those. So slots are found by variable, whatever their order.
    fn optimizer(&mut self, at: usize, table: &dyn SlotTable, variables: &HashMap<u64, usize>) {
        let mut all: Vec<usize> = Vec::new();
        for name in ["iterations", "learning_rate"] {
            all.extend(self.graph.child(at, name));
        }
        let made = table.all();
        let mut rows: Vec<(Option<usize>, Vec<Option<Content>>)> = Vec::with_capacity(made.len());
        rows.extend(made.iter().map(|(variable, slots)| {
            let slots = slots.iter().map(|slot| Some(Content::Variable(slot.clone()?))).collect();
            (variables.get(variable).copied(), slots)
        }));
        rows.extend(self.waiting_slots(table, &made.iter().map(|(id, _)| *id).collect::<Vec<_>>(), variables));
        let mut trained = Vec::new();
        let mut lists: Vec<Vec<(String, usize)>> = vec![Vec::new(); table.names().len()];
        let mut stages: Vec<(u8, usize)> = Vec::new();
        for (i, (variable, slots)) in rows.into_iter().enumerate() {
            trained.extend(variable.map(|node| (i.to_string(), node)));
            for ((list, name), content) in lists.iter_mut().zip(table.names()).zip(slots) {
                let Some(content) = content else { continue };
                let node = self.node(Vec::new());
                self.contents.push((node, content));
                list.push((i.to_string(), node));
                stages.push((name.stage, node));
            }
        }
        stages.sort_by_key(|(stage, _)| *stage);
        all.extend(stages.into_iter().map(|(_, node)| node));
        all.extend(table.own().iter().filter_map(|name| self.graph.child(at, name)));
        let all = all.into_iter().enumerate().map(|(i, node)| (i.to_string(), node)).collect();
        let mut children = std::mem::take(&mut self.graph.nodes[at].children);
        children.push(("_variables".into(), self.node(all)));
        children.push(("_trainable_variables".into(), self.node(trained)));
        for (name, list) in table.names().iter().zip(lists).filter(|(_, list)| !list.is_empty()) {
            children.push((name.list.into(), self.node(list)));
        }
        self.graph.nodes[at] = Node::with(children);
    }

    /// Adds to a list of layers where a model of Keras that is one has them: behind its input.
    fn layers(&mut self, at: usize) {
        let mut children = std::mem::take(&mut self.graph.nodes[at].children);
        let mut operations = vec![("0".to_owned(), self.node(Vec::new()))];
        operations.extend(children.iter().enumerate().map(|(i, (_, layer))| ((i + 1).to_string(), *layer)));
        let operations = ("_operations".to_owned(), self.node(operations));
        children.push(("_functional".into(), self.node(vec![operations.clone()])));
        children.push(operations);
        self.graph.nodes[at] = Node::with(children);
    }

    /// The slots of a checkpoint that was restored which no step has taken yet, of variables that the program has.
    fn waiting_slots(
        &self,
        table: &dyn SlotTable,
        made: &[u64],
        variables: &HashMap<u64, usize>,
    ) -> Vec<(Option<usize>, Vec<Option<Content>>)> {
        let Some(slots) = table.waiting() else { return Vec::new() };
        let slots: &dyn Any = &*slots;
        let Some(slots) = slots.downcast_ref::<WaitingSlots>() else { return Vec::new() };
        let restoration = slots.restoration();
        let places = self.places.iter().filter(|(of, ..)| Arc::ptr_eq(of, restoration));
        let mut here: HashMap<usize, usize> = places.map(|(_, there, here)| (*there, *here)).collect();
        here.extend(variables.iter().filter_map(|(&id, &at)| Some((restoration.node_of_id(id)?, at))));
        let contents = |Left { variable, slots }| {
            let at = match variable {
                Some(variable) => Some(*here.get(&variable)?),
                None => None,
            };
            let content = |node: Option<usize>| node.map(|node| Content::Waiting(restoration.clone(), node));
            Some((at, slots.into_iter().map(content).collect()))
        };
        slots.left(made).into_iter().filter_map(contents).collect()
    }

    fn finish(mut self) -> Result<Snapshot> {
        let numbers = self.graph.settle();
        let mut values = Vec::with_capacity(self.contents.len());
        let mut contents: Vec<(usize, Content)> =
            self.contents.into_iter().filter_map(|(at, content)| Some((numbers[at]?, content))).collect();
        contents.sort_by_key(|(at, _)| *at);
        for (at, content) in contents {
            let (key, name) =
                (self.graph.value_key(at), |name: &str| Some((self.graph.value_key(at), name.to_owned())));
            let (key, value, attribute) = match content {
                Content::Variable(variable) => (key, Value::of(value_of(&variable)), name(variable.name())),
                Content::Waiting(restoration, node) => {
                    let Some((ty, variable)) = restoration.type_of(node)? else { continue };
                    let attribute = name(variable);
                    if ty.dtype == DType::String {
                        let Some(value) = restoration.read(node, variable, &ty)? else { continue };
                        values.push((key, Value::Strings(value)));
                        self.graph.nodes[at].value = attribute;
                        continue;
                    }
                    (key, Value::Tensor(Fetched::of_file(restoration.clone(), node, ty)), attribute)
                }
                Content::Int64(number) => (key, Value::Int64(number.to_le_bytes()), name("counter")),
                Content::State(bytes) => (self.graph.state_key(at), Value::Bytes(vec![bytes]), None),
            };
            self.graph.nodes[at].value = attribute;
            values.push((key, value));
        }
        Ok(Snapshot { graph: vec![self.graph.encode()], values })
    }
}
