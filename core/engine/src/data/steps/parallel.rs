//! `map` with several calls at a time: threads pull elements in order and compute them side by side.
//! Results come in the elements' order, or as they are ready where that is asked for; a bounded number waits.

use super::map::result_types;
use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::function::{Calls, StepFunction};
use crate::data::order::SharedOrder;
use crate::data::stage::{Item, Pass, Stage, Values, guarded};
use crate::data::state::{Saved, save_result, saved_result};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::{Error, OrFail, Result};
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Lets the library choose: TensorFlow's `tf.data.AUTOTUNE`. As many calls at a time as the machine has processors, unless the first calls
/// of a pass show that they are so short that threads would only be in each other's way; buffers grow while they run dry, up to 512
/// elements and 256 MiB.
pub const AUTOTUNE: usize = usize::MAX;

/// How many calls of a function run at a time: a plain number, [`AUTOTUNE`], or with options.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{AUTOTUNE, Dataset, Parallel};
/// let squares = Dataset::range(100).map_with(AUTOTUNE, |n| &n * &n).batch(100);
/// assert_eq!(squares.iter().next().unwrap().at(9).item::<i64>(), 81);
/// // In any order, as they are ready.
/// let free = Dataset::range(100).map_with(Parallel::calls(2).deterministic(false), |n| &n * &n);
/// assert_eq!(free.iter().count(), 100);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parallel {
    /// None: in the thread that asks.
    pub(in crate::data) calls: usize,
    pub(in crate::data) deterministic: bool,
    pub(in crate::data) seed: Option<i64>,
}

impl Parallel {
    /// So many calls at a time, or [`AUTOTUNE`].
    ///
    /// # Panics
    /// For no calls at a time, at the caller's line.
    #[track_caller]
    pub fn calls(calls: usize) -> Self {
        let calls = crate::options::count("map", "num_parallel_calls", calls).or_fail();
        Self { calls, deterministic: true, seed: None }
    }

    /// One call after the other, in the thread that asks for elements.
    pub fn in_turn() -> Self {
        Self { calls: 0, deterministic: true, seed: None }
    }

    /// What the function's random numbers follow from; without it the seed that `tf::random::set_seed` sets. The numbers of an element do
    /// not depend on how many calls run at a time.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{Dataset, Parallel};
    /// let noise = |how: Parallel| {
    ///     let set = Dataset::range(5).map_with(how.seed(7), |_| tf::random::normal((), 0.0, 1.0));
    ///     set.iter().map(|x| x.item::<f32>()).collect::<Vec<_>>()
    /// };
    /// assert_eq!(noise(Parallel::in_turn()), noise(Parallel::calls(2)));
    /// ```
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Whether results come in the order of the elements: they do, unless this says otherwise.
    pub fn deterministic(mut self, deterministic: bool) -> Self {
        self.deterministic = deterministic;
        self
    }

    /// The number of threads.
    pub(in crate::data) fn threads(self) -> usize {
        match self.calls {
            AUTOTUNE => std::thread::available_parallelism().map_or(1, usize::from),
            calls => calls,
        }
    }
}

/// A plain number of calls.
impl From<usize> for Parallel {
    #[track_caller]
    fn from(calls: usize) -> Self {
        Self::calls(calls)
    }
}

pub(in crate::data) struct ParallelMap {
    pub before: Arc<dyn Stage>,
    pub function: StepFunction,
    pub how: Parallel,
    /// Of the results, found when somebody asks.
    pub types: OnceLock<Option<Vec<TensorType>>>,
}

impl Stage for ParallelMap {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let calls = self.function.calls(from.as_deref_mut())?;
        let mut slots = VecDeque::new();
        let mut ended = false;
        if let Some(from) = from.as_deref_mut() {
            for _ in 0..from.count()? {
                slots.push_back(Slot::Ready(saved_result(from)?));
            }
            ended = from.flag()?;
        }
        let threads = self.how.threads();
        let shared = Shared {
            pull: Mutex::new(Pull { before: Values::begin(&self.before, from)?, calls: calls.clone() }),
            out: Mutex::new(Out { slots, first: 0, ended, stop: false, paused: false }),
            changed: Condvar::new(),
            calls,
            window: threads.saturating_mul(2),
        };
        let (deterministic, location) = (self.how.deterministic, self.function.location);
        let way =
            if self.how.calls == AUTOTUNE { Way::Trial { calls: 0, spent: Duration::ZERO } } else { Way::Threads };
        Ok(Box::new(Mapping { shared: Arc::new(shared), threads, running: Vec::new(), deterministic, location, way }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.types.get_or_init(|| result_types(&self.function.function, &self.before.types()?)).clone()
    }

    one_input!();

    fn describe(&self) -> String {
        // However many calls there are at a time, the state fits.
        format!("map(function, in parallel{})", if self.how.deterministic { "" } else { ", in any order" })
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.function.order]
    }
}

/// Where elements come from, one thread at a time.
struct Pull {
    before: Values,
    /// Which number the next element has.
    calls: Calls,
}

/// The place of an element that was pulled.
enum Slot {
    Computing,
    Ready(Result<Outputs>),
    /// Given before one in front of it.
    Given,
}

/// Where results go.
struct Out {
    /// In the order of the elements; the first one was not given.
    slots: VecDeque<Slot>,
    /// The number of the first place, from the beginning of the pass in this process.
    first: usize,
    ended: bool,
    stop: bool,
    /// Nobody pulls while a state is written.
    paused: bool,
}

impl Out {
    fn may_pull(&self, window: usize) -> bool {
        let waiting = || self.slots.iter().filter(|slot| !matches!(slot, Slot::Given)).count();
        !self.stop && !self.paused && !self.ended && (self.slots.len() < window || waiting() < window)
    }
}

struct Shared {
    /// Locked before `out`, by who needs both.
    pull: Mutex<Pull>,
    out: Mutex<Out>,
    changed: Condvar,
    calls: Calls,
    window: usize,
}

impl Shared {
    fn out(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, out: MutexGuard<'a, Out>) -> MutexGuard<'a, Out> {
        self.changed.wait(out).unwrap_or_else(PoisonError::into_inner)
    }

    fn fill(&self, place: usize, result: Result<Outputs>) {
        let mut out = self.out();
        if let Some(at) = place.checked_sub(out.first)
            && let Some(slot) = out.slots.get_mut(at)
        {
            *slot = Slot::Ready(result);
        }
        drop(out);
        self.changed.notify_all();
    }

    /// An element with its number and its place, or nothing if there is none to be had now.
    fn pull(&self) -> Option<(u64, usize, Outputs)> {
        let mut pull = self.pull.lock().unwrap_or_else(PoisonError::into_inner);
        let place = {
            let mut out = self.out();
            if !out.may_pull(self.window) {
                return None;
            }
            out.slots.push_back(Slot::Computing);
            out.first + out.slots.len() - 1
        };
        match guarded("map", || pull.before.next()) {
            Ok(Some(element)) => Some((pull.calls.number(), place, element)),
            Ok(None) => {
                let mut out = self.out();
                out.slots.pop_back();
                out.ended = true;
                drop(out);
                self.changed.notify_all();
                None
            }
            Err(error) => {
                self.fill(place, Err(error));
                None
            }
        }
    }

    /// What each thread does, until the end or until it is told to stop.
    fn work(&self) {
        loop {
            let mut out = self.out();
            while !out.stop && !out.ended && !out.may_pull(self.window) {
                out = self.wait(out);
            }
            if out.stop || out.ended {
                return;
            }
            drop(out);
            if let Some((number, place, element)) = self.pull() {
                let result = self.calls.call_for(number, element);
                self.fill(place, result);
            }
        }
    }
}

/// How elements are computed.
#[derive(Clone, Copy)]
enum Way {
    /// In the thread that asks, so many calls so far, which took so long.
    Trial {
        calls: u32,
        spent: Duration,
    },
    /// In the thread that asks, for good.
    InTurn,
    Threads,
}

/// So many calls tell how long they take.
const TRIAL: u32 = 32;
/// Threads pay from here on: handing an element over and back costs several microseconds.
const WORTH_A_THREAD: Duration = Duration::from_micros(20);

impl Way {
    /// After one more call.
    fn after(self, took: Duration) -> Self {
        let Self::Trial { calls, spent } = self else { return self };
        match (calls + 1, spent + took) {
            (calls, spent) if calls < TRIAL => Self::Trial { calls, spent },
            (calls, spent) if spent / calls < WORTH_A_THREAD => Self::InTurn,
            _ => Self::Threads,
        }
    }
}

struct Mapping {
    way: Way,
    shared: Arc<Shared>,
    threads: usize,
    running: Vec<JoinHandle<()>>,
    deterministic: bool,
    location: &'static Location<'static>,
}

impl Mapping {
    /// An element that is computed here. Results that a state had brought along come first.
    fn in_turn(&mut self) -> Result<Option<Item>> {
        let mut pull = self.shared.pull.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = self.shared.out();
        if let Some(Slot::Ready(result)) = out.slots.pop_front() {
            out.first += 1;
            return result.map(|values| Some(Item::Values(values)));
        }
        if out.ended {
            return Ok(None);
        }
        let Some(element) = pull.before.next()? else {
            out.ended = true;
            return Ok(None);
        };
        let number = pull.calls.number();
        drop((out, pull));
        let start = Instant::now();
        let result = self.shared.calls.call_for(number, element);
        self.way = self.way.after(start.elapsed());
        result.map(|values| Some(Item::Values(values)))
    }

    fn start(&mut self) -> Result<()> {
        for _ in 0..self.threads {
            let shared = self.shared.clone();
            let thread = std::thread::Builder::new().name("tf-data-map".to_owned()).spawn(move || shared.work());
            match thread {
                Ok(thread) => self.running.push(thread),
                // Fewer do as well.
                Err(_) if !self.running.is_empty() => break,
                Err(e) => {
                    return Err(Error::resource_exhausted("map", "no thread could be started")
                        .got(e)
                        .at(self.location));
                }
            }
        }
        Ok(())
    }

    /// Which place has a result that may be given now.
    fn ready(&self, out: &Out) -> Option<usize> {
        match self.deterministic {
            true => matches!(out.slots.front()?, Slot::Ready(_)).then_some(0),
            false => out.slots.iter().position(|slot| matches!(slot, Slot::Ready(_))),
        }
    }
}

impl Pass for Mapping {
    fn next(&mut self) -> Result<Option<Item>> {
        if let Way::Trial { .. } | Way::InTurn = self.way {
            return self.in_turn();
        }
        if self.running.is_empty() && !self.shared.out().ended {
            self.start()?;
        }
        let mut out = self.shared.out();
        let at = loop {
            match self.ready(&out) {
                Some(at) => break at,
                None if out.slots.is_empty() && out.ended => return Ok(None),
                None => out = self.shared.wait(out),
            }
        };
        let given = std::mem::replace(&mut out.slots[at], Slot::Given);
        while let Some(Slot::Given) = out.slots.front() {
            out.slots.pop_front();
            out.first += 1;
        }
        drop(out);
        self.shared.changed.notify_all();
        match given {
            Slot::Ready(result) => result.map(|values| Some(Item::Values(values))),
            _ => Err(Error::internal("map", "a place without a result")),
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.shared.out().paused = true;
        let saved = self.save_paused(to);
        self.shared.out().paused = false;
        self.shared.changed.notify_all();
        saved
    }
}

impl Mapping {
    fn save_paused(&self, to: &mut StateWriter) -> Result<()> {
        let pull = self.shared.pull.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = self.shared.out();
        while out.slots.iter().any(|slot| matches!(slot, Slot::Computing)) {
            out = self.shared.wait(out);
        }
        pull.calls.save(to);
        let ready = |slot: &Slot| matches!(slot, Slot::Ready(_));
        to.number(out.slots.iter().filter(|slot| ready(slot)).count() as u64);
        for slot in &out.slots {
            if let Slot::Ready(result) = slot {
                save_result(result, to)?;
            }
        }
        to.flag(out.ended);
        pull.before.save(to)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.shared.out().stop = true;
        self.shared.changed.notify_all();
        for thread in self.running.drain(..) {
            // It has no panics: functions of the user's are guarded.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a pass does after so many calls that took so long each.
    fn after(calls: u32, micros: u64) -> Way {
        let first = Way::Trial { calls: 0, spent: Duration::ZERO };
        (0..calls).fold(first, |way, _| way.after(Duration::from_micros(micros)))
    }

    #[test]
    fn short_calls_stay_and_long_ones_get_threads() {
        assert!(matches!(after(TRIAL - 1, 500), Way::Trial { .. }));
        assert!(matches!(after(TRIAL, 2), Way::InTurn));
        assert!(matches!(after(TRIAL, 50), Way::Threads));
        assert!(matches!(after(200, 2), Way::InTurn), "for good");
    }
}
