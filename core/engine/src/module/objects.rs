//! The object graph of a module: its parts, what they are called in each other, and the variables and states at the ends.
//! Checkpoints and `submodules` make one of a visit and walk it.

use super::fields::{Fields, Name, Path, Sink};
use super::{LazyVariable, Module, SavedState};
use crate::tensor::{Tensor, TensorType};
use crate::variable::Variable;
use kernels::error::Result;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The parts of a module; number 0 is the module itself, and the others follow level by level.
#[derive(Debug)]
pub struct ObjectGraph {
    /// Each part once, wherever it is reached from.
    pub objects: Vec<Object>,
}

/// A part of a module.
#[derive(Debug)]
pub struct Object {
    /// Rust's name of its type, for modules.
    pub type_name: &'static str,
    /// The path by which it is reached first.
    pub path: String,
    /// Its parts, in the order of the visit.
    pub children: Vec<Child>,
    /// What it is.
    pub end: End,
}

/// A part inside of another.
#[derive(Clone, Debug)]
pub struct Child {
    /// Its name there.
    pub name: String,
    /// Names that it had before.
    pub former: Vec<String>,
    /// Its number.
    pub object: usize,
}

/// What a part is.
#[derive(Clone)]
pub enum End {
    /// A structure of parts.
    Part,
    /// A variable.
    Variable(Variable),
    /// The place of a variable that is not made yet.
    Place(LazyVariable),
    /// An object on the host that can save its state, by its number.
    State(u64),
    /// What an optimizer keeps for each variable.
    Slots(Arc<dyn SlotTable>),
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part => f.write_str("Part"),
            Self::Variable(variable) => write!(f, "Variable({})", variable.id()),
            Self::Place(_) => f.write_str("Place"),
            Self::State(id) => write!(f, "State({id})"),
            Self::Slots(_) => f.write_str("Slots"),
        }
    }
}

/// What an optimizer keeps for each variable, such as its momentum.
pub trait SlotTable: Send + Sync {
    /// What the slots are called.
    fn names(&self) -> &[SlotName];
    /// The numbers of the variables that have slots, in the order in which these were made, with a slot for each name where the
    /// variable has it.
    fn all(&self) -> Vec<(u64, Vec<Option<Variable>>)>;
    /// Variables of the optimizer that belong to none of those it trains, by their names in it, beside its steps and rate.
    fn own(&self) -> &[&'static str] {
        &[]
    }
    /// Has slots that are made later start with the values of a checkpoint.
    fn defer(&self, values: Arc<dyn DeferredSlots>);
    /// The values with which slots that are made later start.
    fn waiting(&self) -> Option<Arc<dyn DeferredSlots>>;
}

/// The names of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotName {
    /// TensorFlow's, such as `m`.
    pub slot: &'static str,
    /// That of Keras's list of these slots, such as `_momentums`.
    pub list: &'static str,
    /// Keras makes the slots of one stage variable by variable, and those of the next behind them: so they are in its list of all.
    pub stage: u8,
}

/// First values of slots that are not made yet.
pub trait DeferredSlots: Any + Send + Sync {
    /// The value of slot number `slot` of a variable, which is number `place` among those that have slots; none where the
    /// checkpoint has none.
    ///
    /// # Errors
    /// InvalidArgument where the saved value has another dtype or shape than the slot, which is of type `ty`.
    fn value(&self, variable: &Variable, ty: &TensorType, place: usize, slot: usize) -> Result<Option<Tensor>>;

    /// The slot was made with that value.
    fn taken(&self, variable: &Variable, place: usize, slot: usize, made: &Variable);
}

impl ObjectGraph {
    /// The graph of a module.
    pub fn of(module: &dyn Module) -> Self {
        let root = Open::new(String::new(), Vec::new(), module.module_name());
        let mut builder = GraphBuilder { open: vec![root], ..GraphBuilder::default() };
        module.visit(&mut Fields { path: Path::ROOT, sink: &mut builder });
        builder.finish()
    }
}

/// A part whose visit is under way.
struct Open {
    name: String,
    former: Vec<String>,
    /// The name of its type, if it is a module.
    module: Option<&'static str>,
    children: Vec<Child>,
    end: End,
}

impl Open {
    fn new(name: String, former: Vec<String>, module: Option<&'static str>) -> Self {
        Self { name, former, module, children: Vec::new(), end: End::Part }
    }
}

/// What tells whether two parts are one: the same type over the same variables by the same names.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Variable(u64),
    State(u64),
    Part(Option<&'static str>, Vec<(String, usize)>),
}

#[derive(Default)]
struct GraphBuilder {
    open: Vec<Open>,
    objects: Vec<Object>,
    /// Whether a part has variables or states; parts without are never one.
    filled: Vec<bool>,
    known: HashMap<Identity, usize>,
}

impl GraphBuilder {
    fn top(&mut self) -> &mut Open {
        match self.open.last_mut() {
            Some(top) => top,
            // The root is taken by `finish` alone.
            None => unreachable!("a part is open"),
        }
    }

    /// The number of a part that is closed.
    fn close(&mut self, part: Open) -> usize {
        let filled = !matches!(part.end, End::Part) || part.children.iter().any(|child| self.filled[child.object]);
        let identity = match &part.end {
            End::Variable(variable) => Some(Identity::Variable(variable.id())),
            End::Place(place) => Some(Identity::Variable(place.id())),
            End::State(id) => Some(Identity::State(*id)),
            // One table lies in one optimizer.
            End::Slots(slots) => Some(Identity::State(Arc::as_ptr(slots).addr() as u64)),
            End::Part => filled.then(|| {
                let children = part.children.iter().map(|child| (child.name.clone(), child.object)).collect();
                Identity::Part(part.module, children)
            }),
        };
        let number = self.objects.len();
        if let Some(identity) = identity
            && let known = *self.known.entry(identity).or_insert(number)
            && known != number
        {
            return known;
        }
        let Open { module, children, end, .. } = part;
        self.objects.push(Object { type_name: module.unwrap_or("a collection"), path: String::new(), children, end });
        self.filled.push(filled);
        number
    }

    /// The graph, with its parts in order from the root.
    fn finish(mut self) -> ObjectGraph {
        let root = match self.open.pop() {
            Some(root) => self.close(root),
            None => unreachable!("the root is open"),
        };
        let mut numbers: Vec<Option<usize>> = vec![None; self.objects.len()];
        let (mut order, mut paths) = (vec![root], vec![String::new()]);
        numbers[root] = Some(0);
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            for child in &self.objects[at].children {
                if numbers[child.object].is_none() {
                    numbers[child.object] = Some(order.len());
                    order.push(child.object);
                    paths.push(match paths[next].as_str() {
                        "" => child.name.clone(),
                        above => format!("{above}/{}", child.name),
                    });
                }
            }
            next += 1;
        }
        let mut taken: Vec<Option<Object>> = self.objects.into_iter().map(Some).collect();
        let renumbered = order.iter().zip(paths).filter_map(|(&at, path)| {
            let mut object = taken[at].take()?;
            object.path = path;
            for child in &mut object.children {
                child.object = numbers[child.object]?;
            }
            Some(object)
        });
        ObjectGraph { objects: renumbered.collect() }
    }
}

impl Sink for GraphBuilder {
    fn wants_parts(&self) -> bool {
        true
    }

    fn enter(&mut self, path: &Path<'_>, module: Option<&'static str>) {
        let name = match path.name {
            Name::Root => String::new(),
            Name::Field(name) => name.to_owned(),
            Name::Index(index) => index.to_string(),
        };
        let former = path.former.iter().map(|&name| name.to_owned()).collect();
        self.open.push(Open::new(name, former, module));
    }

    fn leave(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let Some(part) = self.open.pop() else { return };
        // A setting, or a collection of nothing.
        if part.module.is_none() && part.children.is_empty() && matches!(part.end, End::Part) {
            return;
        }
        let (name, former) = (part.name.clone(), part.former.clone());
        let object = self.close(part);
        self.top().children.push(Child { name, former, object });
    }

    fn variable(&mut self, _: &Path<'_>, _: u64, variable: Option<&Variable>) {
        if let Some(variable) = variable {
            self.top().end = End::Variable(variable.clone());
        }
    }

    fn lazy(&mut self, _: &Path<'_>, place: &LazyVariable) {
        self.top().end = match place.get() {
            Some(variable) => End::Variable(variable.clone()),
            None => End::Place(place.clone()),
        };
    }

    fn slots(&mut self, _: &Path<'_>, slots: &Arc<dyn SlotTable>) {
        self.top().end = End::Slots(slots.clone());
    }

    fn state(&mut self, _: &Path<'_>, state: &dyn SavedState) {
        self.top().end = End::State(state.id());
    }

    fn part(&mut self, _: &Path<'_>, _: &Variable) {}
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
}
