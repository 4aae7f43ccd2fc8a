//! The values that an optimizer keeps for each variable, such as its momentum: variables themselves, by the id of theirs.
//! Optimizers look them up at every step and make them at the first.

use engine::TensorType;
use engine::library::{DeferredSlots, IdMap, SlotName, SlotTable, fill_with, value_of};
use engine::{Copies, Duplicate, Fields, Module};
use engine::{Differentiable, Tensor, Variable};
use kernels::error::Result;
use kernels::shape::Shape;
use smallvec::SmallVec;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Two kinds that every optimizer has: the mean of a variable's values, and the sum of its gradients.
pub(super) const AVERAGE: usize = 0;
pub(super) const ACCUMULATOR: usize = 1;

/// The names of an optimizer's kinds of slots: those two, and its own behind them.
macro_rules! slot_names {
    ($($slot:literal $list:literal $stage:literal),* $(,)?) => {
        &[
            engine::library::SlotName { slot: "average", list: "_model_variables_moving_average", stage: 0 },
            engine::library::SlotName { slot: "gradient_accumulator", list: "_accumulated_gradients", stage: 1 },
            $(engine::library::SlotName { slot: $slot, list: $list, stage: $stage },)*
        ]
    };
}
pub(super) use slot_names;

/// What a slot starts with.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// One number for all elements.
    Filled(f64),
    /// Zeros of another shape than the variable's.
    Shaped(fn(&Shape) -> Shape),
    /// The value that the variable has.
    Value,
}

/// What starts at zero.
pub(super) const ZEROS: Start = Start::Filled(0.0);

impl Start {
    fn ty(self, variable: &Variable) -> TensorType {
        let shape = variable.shape();
        TensorType::new(variable.dtype(), if let Self::Shaped(of) = self { of(&shape) } else { shape })
    }

    #[track_caller]
    fn value(self, variable: &Variable, ty: &TensorType) -> Result<Tensor> {
        match self {
            Self::Filled(number) => fill_with(ty, number),
            Self::Shaped(_) => fill_with(ty, 0.0),
            Self::Value => Ok(value_of(variable)),
        }
    }
}

/// The slots of one variable, by kind.
type Row = SmallVec<[Option<Variable>; 5]>;

/// Slots by the ids of their variables.
#[derive(Default)]
struct List {
    all: Vec<(u64, Row)>,
    /// Where the slots of each variable are in the list, by its id, and where each slot is, by its own.
    places: IdMap<usize>,
    slots: IdMap<usize>,
    /// What a checkpoint has for slots to come.
    waiting: Option<Arc<dyn DeferredSlots>>,
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

impl List {
    /// The slots are for the copies of their variables from now on.
    fn turn_to_copies(&mut self, copies: &Copies) {
        self.all.iter_mut().for_each(|(id, _)| *id = copies.id_of_copy(*id));
        self.places = self.all.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    }

    /// Where the slots of the variable are in the list; usually at `place`, as in the step before.
    fn find(&self, id: u64, place: usize) -> Option<usize> {
        match self.all.get(place) {
            Some((other, _)) if *other == id => Some(place),
            _ => self.places.get(&id).copied(),
        }
    }
}

/// A list that its variables know.
#[derive(Debug)]
struct Shared {
    names: &'static [SlotName],
    own: &'static [&'static str],
    list: Mutex<List>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlotTable for Shared {
    fn names(&self) -> &[SlotName] {
        self.names
    }

    fn own(&self) -> &[&'static str] {
        self.own
    }

    fn all(&self) -> Vec<(u64, Vec<Option<Variable>>)> {
        self.lock().all.iter().map(|(id, slots)| (*id, slots.to_vec())).collect()
    }

    fn defer(&self, values: Arc<dyn DeferredSlots>) {
        self.lock().waiting = Some(values);
    }

    fn waiting(&self) -> Option<Arc<dyn DeferredSlots>> {
        self.lock().waiting.clone()
    }
}

/// Slots of several kinds for each variable, made when they are asked for.
#[derive(Debug)]
pub(super) struct Slots {
    /// Tells these slots from those of other optimizers in a signature, whatever has been made yet.
    id: u64,
    /// In the order of the variables' first steps, which is that of a checkpoint.
    list: Arc<Shared>,
}

impl Slots {
    /// `names` are the kinds of slots, see [`slot_names`]; `own` the names of the optimizer's variables that belong to no other.
    pub fn new(names: &'static [SlotName], own: &'static [&'static str]) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1 << 62);
        let list = Arc::new(Shared { names, own, list: Mutex::default() });
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), list }
    }

    /// The slots of some kinds: for each a list in the order of the variables. What is not there is made.
    #[track_caller]
    pub fn of<const N: usize>(&self, kinds: [(usize, Start); N], variables: &[Variable]) -> Result<[Vec<Variable>; N]> {
        let mut list = self.list.lock();
        let mut found: [Vec<Variable>; N] = std::array::from_fn(|_| Vec::with_capacity(variables.len()));
        for (place, variable) in variables.iter().enumerate() {
            let at = list.find(variable.id(), place);
            let at = at.unwrap_or_else(|| self.keep(&mut list, variable.id(), Row::new()));
            for (found, (kind, start)) in found.iter_mut().zip(kinds) {
                let slot = match list.all[at].1.get(kind) {
                    Some(Some(slot)) => slot.clone(),
                    _ => self.make(&mut list, at, variable, kind, start)?,
                };
                found.push(slot);
            }
        }
        Ok(found)
    }

    /// Slots of one kind where they are there.
    pub fn existing(&self, kind: usize, variables: &[Variable]) -> Vec<Option<Variable>> {
        let list = self.list.lock();
        let find = |(place, variable): (usize, &Variable)| {
            let at = list.find(variable.id(), place)?;
            list.all[at].1.get(kind)?.clone()
        };
        variables.iter().enumerate().map(find).collect()
    }

    /// Makes a slot of the variable at a place, once, also where the step is being traced.
    #[track_caller]
    fn make(&self, list: &mut List, at: usize, variable: &Variable, kind: usize, start: Start) -> Result<Variable> {
        let waiting = list.waiting.clone();
        let made = engine::init_scope(|| -> Result<_> {
            let ty = start.ty(variable);
            let saved = waiting.as_ref().map(|w| w.value(variable, &ty, at, kind)).transpose()?.flatten();
            let name = format!("{}/{}", variable.name(), self.list.names[kind].slot);
            let value = match &saved {
                Some(saved) => saved.clone(),
                None => start.value(variable, &ty)?,
            };
            let made = Variable::with(value, name, false);
            if let Some(waiting) = waiting.as_ref().filter(|_| saved.is_some()) {
                waiting.taken(variable, at, kind, &made);
            }
            Ok(made)
        })?;
        self.note(list, at, &made);
        let row = &mut list.all[at].1;
        row.resize(row.len().max(self.list.names.len()), None);
        row[kind] = Some(made.clone());
        Ok(made)
    }

    /// Notes whose a slot is.
    fn note(&self, list: &mut List, at: usize, slot: &Variable) {
        list.slots.insert(slot.id(), at);
        let owner: Weak<Shared> = Arc::downgrade(&self.list);
        engine::library::note_owner(slot, owner);
    }

    /// Puts the slots of a variable at the end of the list; where they are there.
    fn keep(&self, list: &mut List, id: u64, slots: Row) -> usize {
        let at = list.all.len();
        slots.iter().flatten().for_each(|slot| self.note(list, at, slot));
        list.places.insert(id, at);
        list.all.push((id, slots));
        at
    }
}

/// The slots of a copy are for the copies of the variables, where these are copied with it, and for the same ones otherwise.
impl Duplicate for Slots {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let copy = Self::new(self.list.names, self.list.own);
        let own = self.list.lock();
        for (id, slots) in &own.all {
            let slots = slots.iter().map(|slot| slot.as_ref().map(|slot| slot.duplicate_in(copies))).collect();
            copy.keep(&mut copy.list.lock(), *id, slots);
        }
        copy.list.lock().waiting = own.waiting.clone();
        let list = copy.list.clone();
        copies.at_the_end(move |copies| list.lock().turn_to_copies(copies));
        copy
    }
}

impl engine::library::Owner for Shared {
    fn handle(&self, id: u64) -> Option<Tensor> {
        let list = self.lock();
        let (_, slots) = &list.all[*list.slots.get(&id)?];
        slots.iter().flatten().find(|slot| slot.id() == id).map(|slot| Differentiable::handle(slot).clone())
    }
}

impl Module for Slots {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.id);
        let table: Arc<dyn SlotTable> = self.list.clone();
        engine::library::visit_slots(fields, &table);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
