//! The values that an optimizer keeps for each variable, such as its momentum: variables themselves, by the id of theirs.
//! Optimizers look them up at every step and make them at the first.

use engine::TensorType;
use engine::library::{DeferredSlots, IdMap, SlotName, SlotTable};
use engine::{Copies, Duplicate, Fields, Module};
use engine::{Differentiable, Tensor, Variable};
use kernels::error::Result;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Slots by the ids of their variables.
struct List<const N: usize> {
    all: Vec<(u64, [Variable; N])>,
    /// Where the slots of each variable are in the list, by its id, and where each slot is, by its own.
    places: IdMap<usize>,
    slots: IdMap<usize>,
    /// What a checkpoint has for slots to come.
    waiting: Option<Arc<dyn DeferredSlots>>,
}

impl<const N: usize> Default for List<N> {
    fn default() -> Self {
        Self { all: Vec::new(), places: IdMap::default(), slots: IdMap::default(), waiting: None }
    }
}

impl<const N: usize> fmt::Debug for List<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

impl<const N: usize> List<N> {
    /// The slots are for the copies of their variables from now on.
    fn turn_to_copies(&mut self, copies: &Copies) {
        self.all.iter_mut().for_each(|(id, _)| *id = copies.id_of_copy(*id));
        self.places = self.all.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    }
}

/// A list that its variables know.
#[derive(Debug)]
struct Shared<const N: usize> {
    names: [SlotName; N],
    list: Mutex<List<N>>,
}

impl<const N: usize> Shared<N> {
    fn lock(&self) -> MutexGuard<'_, List<N>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<const N: usize> SlotTable for Shared<N> {
    fn names(&self) -> &[SlotName] {
        &self.names
    }

    fn all(&self) -> Vec<(u64, Vec<Variable>)> {
        self.lock().all.iter().map(|(id, slots)| (*id, slots.to_vec())).collect()
    }

    fn defer(&self, values: Arc<dyn DeferredSlots>) {
        self.lock().waiting = Some(values);
    }

    fn waiting(&self) -> Option<Arc<dyn DeferredSlots>> {
        self.lock().waiting.clone()
    }
}

/// `N` slots for each variable, of its dtype and shape, which start at zero.
#[derive(Debug)]
pub(super) struct Slots<const N: usize> {
    /// Tells these slots from those of other optimizers in a signature, whatever has been made yet.
    id: u64,
    /// In the order of the variables' first steps, which is that of a checkpoint.
    list: Arc<Shared<N>>,
}

impl<const N: usize> Slots<N> {
    /// `names` are TensorFlow's name of each slot and that of Keras's list of them.
    pub fn new(names: [(&'static str, &'static str); N]) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1 << 62);
        let names = names.map(|(slot, list)| SlotName { slot, list });
        let list = Arc::new(Shared { names, list: Mutex::default() });
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), list }
    }

    /// The slots of each variable: `N` lists in the order of the variables.
    #[track_caller]
    pub fn of(&self, variables: &[Variable]) -> Result<[Vec<Variable>; N]> {
        let mut list = self.list.lock();
        let mut found: [Vec<Variable>; N] = std::array::from_fn(|_| Vec::with_capacity(variables.len()));
        for (place, variable) in variables.iter().enumerate() {
            let at = self.place(&mut list, variable, place)?;
            found.iter_mut().zip(&list.all[at].1).for_each(|(found, slot)| found.push(slot.clone()));
        }
        Ok(found)
    }

    /// Where the slots of `variable` are in the list; usually at `place`, as in the step before.
    #[track_caller]
    fn place(&self, list: &mut List<N>, variable: &Variable, place: usize) -> Result<usize> {
        let id = variable.id();
        if list.all.get(place).is_some_and(|(other, _)| *other == id) {
            return Ok(place);
        }
        if let Some(&at) = list.places.get(&id) {
            return Ok(at);
        }
        let at = list.all.len();
        let waiting = list.waiting.clone();
        // They are made once, also where the step is being traced.
        let slots = engine::init_scope(|| -> Result<_> {
            let saved = |slot| waiting.as_ref().map(|w| w.value(variable, at, slot)).transpose();
            let mut values = Vec::with_capacity(N);
            for slot in 0..N {
                values.push(saved(slot)?.flatten());
            }
            let zeros = engine::library::zeros_of(&TensorType::new(variable.dtype(), variable.shape()))?;
            Ok(std::array::from_fn(|slot| {
                let name = format!("{}/{}", variable.name(), self.list.names[slot].slot);
                let made = Variable::with(values[slot].as_ref().unwrap_or(&zeros), name, false);
                if let Some(waiting) = waiting.as_ref().filter(|_| values[slot].is_some()) {
                    waiting.taken(variable, at, slot, &made);
                }
                made
            }))
        })?;
        Ok(self.keep(list, id, slots))
    }

    /// Puts the slots of a variable at the end of the list; where they are there.
    fn keep(&self, list: &mut List<N>, id: u64, slots: [Variable; N]) -> usize {
        let at = list.all.len();
        for slot in &slots {
            list.slots.insert(slot.id(), at);
            let owner: Weak<Shared<N>> = Arc::downgrade(&self.list);
            engine::library::note_owner(slot, owner);
        }
        list.places.insert(id, at);
        list.all.push((id, slots));
        at
    }
}

/// The slots of a copy are for the copies of the variables, where these are copied with it, and for the same ones otherwise.
impl<const N: usize> Duplicate for Slots<N> {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let copy = Self::new(self.list.names.map(|name| (name.slot, name.list)));
        let own = self.list.lock();
        for (id, slots) in &own.all {
            let slots = slots.duplicate_in(copies);
            copy.keep(&mut copy.list.lock(), *id, slots);
        }
        copy.list.lock().waiting = own.waiting.clone();
        let list = copy.list.clone();
        copies.at_the_end(move |copies| list.lock().turn_to_copies(copies));
        copy
    }
}

impl<const N: usize> engine::library::Owner for Shared<N> {
    fn handle(&self, id: u64) -> Option<Tensor> {
        let list = self.lock();
        let (_, slots) = &list.all[*list.slots.get(&id)?];
        slots.iter().find(|slot| slot.id() == id).map(|slot| Differentiable::handle(slot).clone())
    }
}

impl<const N: usize> Module for Slots<N> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.id);
        let table: Arc<dyn SlotTable> = self.list.clone();
        engine::library::visit_slots(fields, &table);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
