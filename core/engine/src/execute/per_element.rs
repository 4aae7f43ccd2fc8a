//! Random numbers that depend on an element's number alone: what is drawn while a data set's function runs for one element.
//! The calls of data sets' functions hold a guard; `execute` and the global streams ask for states that stand in for the shared ones.

use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use kernels::dtype::DType;
use smallvec::SmallVec;
use std::cell::RefCell;

/// Whose numbers are drawn.
#[derive(Clone, Copy)]
pub(crate) struct ElementSeed {
    pub seed: i64,
    pub pass: u64,
    pub element: u64,
}

/// The states that stand in for those of streams and generators while the function runs for an element: the first one that it draws
/// from has the first, and so on, whatever was drawn elsewhere. So threads do not wait for each other's numbers, and a pass that is
/// resumed draws those that it would have drawn.
struct StandIns {
    of: ElementSeed,
    states: Vec<(u64, Tensor)>,
}

thread_local! {
    static STAND_INS: RefCell<Option<StandIns>> = const { RefCell::new(None) };
}

/// While it lives, this thread draws the numbers of an element.
pub(crate) struct OfElement {
    before: Option<StandIns>,
    marked: bool,
}

impl OfElement {
    pub fn enter(of: ElementSeed) -> Self {
        let before = STAND_INS.replace(Some(StandIns { of, states: Vec::new() }));
        let marked = LOCAL.with(|local| {
            let set = local.mode.get();
            local.mode.set(set | mode::ELEMENT);
            set & mode::ELEMENT != 0
        });
        Self { before, marked }
    }
}

impl Drop for OfElement {
    fn drop(&mut self) {
        STAND_INS.set(self.before.take());
        if !self.marked {
            LOCAL.with(|local| local.mode.set(local.mode.get() & !mode::ELEMENT));
        }
    }
}

/// What splitmix adds for each number: 2^64 by the golden ratio.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The word that splitmix makes of a state: Steele et al. 2014.
pub(crate) fn mixed(word: u64) -> u64 {
    let mut word = word.wrapping_add(GOLDEN);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl StandIns {
    /// The state of the stream with a number. Elements have counters of their own under the pass' key.
    fn nth(&self, number: usize) -> Tensor {
        let ElementSeed { seed, pass, element } = self.of;
        let key = mixed(seed as u64 ^ mixed(pass ^ mixed(number as u64)));
        generator_state([0, element as i64, key as i64])
    }
}

/// A state for a draw from the global stream, if an element's numbers are drawn.
pub(crate) fn element_state() -> Option<Tensor> {
    if !LOCAL.with(|local| local.has(mode::ELEMENT)) {
        return None;
    }
    STAND_INS.with_borrow_mut(|all| {
        let all = all.as_mut()?;
        let own = all.nth(all.states.len());
        all.states.push((own.id(), own.clone()));
        Some(own)
    })
}

/// A seed that follows from the element, if an element's numbers are drawn.
pub(crate) fn element_seed() -> Option<i64> {
    let state = element_state()?;
    let words = Resource::of(&state, "data").ok()?.read().try_to_vec::<i64>().ok()?;
    Some(mixed(words[2] as u64 ^ mixed(words[1] as u64)) as i64)
}

/// The operands with a state of the element's in place of each generator's, if there is one among them.
pub(crate) fn with_stand_ins(inputs: &[&Tensor]) -> Option<SmallVec<[Tensor; 4]>> {
    let is_generator = |t: &Tensor| {
        let is_state = |resource: &Resource| {
            resource.name == GENERATOR && resource.dtype == DType::I64 && !resource.made_trainable()
        };
        t.as_object::<Resource>().is_some_and(is_state)
    };
    if !inputs.iter().any(|t| is_generator(t)) {
        return None;
    }
    STAND_INS.with_borrow_mut(|all| {
        let all = all.as_mut()?;
        let mut changed = false;
        let mut one = |input: &Tensor| {
            if !is_generator(input) {
                return input.clone();
            }
            if let Some((_, own)) = all.states.iter().find(|(id, _)| *id == input.id()) {
                changed |= own.id() != input.id();
                return own.clone();
            }
            let own = all.nth(all.states.len());
            all.states.push((input.id(), own.clone()));
            changed = true;
            own
        };
        let inputs = inputs.iter().map(|&input| one(input)).collect();
        changed.then_some(inputs)
    })
}

/// The name of generators' states.
const GENERATOR: &str = "generator";

/// A handle of a generator's state.
#[track_caller]
pub(crate) fn generator_state(words: [i64; 3]) -> Tensor {
    let words = Tensor::from(words);
    let shape = *words.shape();
    Resource::handle(GENERATOR.into(), words, Some(shape), false)
}
