//! The global random state: the seed, and the streams from which calls without a generator draw.
//! The functions of `tf::random` ask for a stream at each call; checkpoints read the state and put it back by way of [`Snapshot`].

use super::generator::{Generator, entropy, shared};
use crate::execute::{
    GOLDEN, element_seed, element_state, generator_state as state, listener, mixed, on_host, recording,
};
use crate::ops::Law;
use crate::tensor::{Resource, Tensor};
use kernels::backend::cpu::philox::OpSeeds;
use kernels::dtype::DType;
use kernels::error::Result;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::Location;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The three words of a stream's state.
pub(crate) type Words = [i64; 3];

/// Which stream a call with a seed of its own goes on with: TensorFlow keeps one per operation, dtype and seed.
type Key = (&'static str, DType, i64);

#[derive(Default)]
struct Global {
    seed: Option<i64>,
    /// The seeds of calls without one, after `set_seed`.
    seeds: Option<OpSeeds>,
    /// The streams of calls with a seed.
    streams: HashMap<Key, Tensor>,
    /// The stream of calls without a seed, before `set_seed`.
    unseeded: Option<Tensor>,
    /// The streams of draws without a seed in traced functions, after `set_seed`: each draw of a graph has one, which graphs share.
    traced: BTreeMap<String, Traced>,
    /// How many seeds were given to layers since the last `set_seed`.
    layers: u64,
    /// How many seeds were given to steps of data sets.
    steps: u64,
}

/// The streams of traced draws of one line, law and dtype: the first such draw of every trace goes on with the first, and so on. So it
/// does not matter to the numbers for which sizes a function was traced first, and which of several traces serves a call: a process
/// that goes on from a checkpoint traces in another order.
#[derive(Default)]
struct Traced {
    streams: Vec<Tensor>,
    /// States of a checkpoint for those that this process has yet to trace.
    waiting: VecDeque<Words>,
    /// Streams of before the last `set_seed`, with which graphs of before go on.
    former: Vec<Tensor>,
}

impl Traced {
    /// Begins anew, as there is another seed.
    fn retire(&mut self) {
        self.waiting.clear();
        self.former.append(&mut self.streams);
        // Those that no graph holds are gone.
        self.former.retain(|stream| stream.handles() > 1);
    }

    /// The streams that are saved and put back.
    fn live(&self) -> &[Tensor] {
        if self.streams.is_empty() && self.waiting.is_empty() { &self.former } else { &self.streams }
    }
}

static GLOBAL: LazyLock<Mutex<Global>> = LazyLock::new(Mutex::default);

fn locked() -> MutexGuard<'static, Global> {
    GLOBAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state behind `set_seed`. Graphs go on with the streams that they hold.
pub(super) fn set_seed(seed: i64) {
    let mut global = locked();
    let mut traced = std::mem::take(&mut global.traced);
    traced.values_mut().for_each(Traced::retire);
    traced.retain(|_, traced| !traced.former.is_empty());
    *global = Global { seed: Some(seed), seeds: Some(OpSeeds::new(seed)), traced, ..Global::default() };
}

/// A seed for a layer that draws numbers and was given none: the same ones in the same order after `set_seed`, and nobody knows which
/// before. Draws have streams of their own, which it leaves alone.
pub fn layer_seed() -> i64 {
    let mut global = locked();
    global.layers += 1;
    global.seed.map_or_else(|| entropy()[2], |seed| nth_seed(seed, global.layers))
}

/// A seed for a step of a data set whose function may draw numbers; as [`layer_seed`], with a count of its own.
pub(crate) fn data_seed() -> i64 {
    // A step of a data set that a function makes for an element.
    if let Some(own) = element_seed() {
        return own;
    }
    let mut global = locked();
    global.steps += 1;
    global.seed.map_or_else(|| entropy()[2], |seed| nth_seed(!seed, global.steps))
}

/// The word of splitmix with a number, from 1 on, behind a seed.
fn nth_seed(seed: i64, number: u64) -> i64 {
    mixed((seed as u64).wrapping_add((number - 1).wrapping_mul(GOLDEN))) as i64
}

/// What is drawn where: tells a draw of a trace from others, also in another process.
fn traced_key(law: Law, dtype: DType, at: &Location<'_>) -> String {
    format!("{} {dtype} {at}", law.label())
}

/// The state from which the next call draws, at a line of the user's.
#[track_caller]
pub(super) fn stream(law: Law, dtype: DType, seed: Option<i64>, at: &Location<'_>) -> Tensor {
    if let (None, false) = (seed, recording())
        && let Some(own) = element_state()
    {
        return own;
    }
    let mut global = locked();
    let Global { seed: whole, seeds, streams, unseeded, traced, .. } = &mut *global;
    match (seed, seeds) {
        (Some(seed), _) => {
            let made = || state(OpSeeds::seeded_stream(*whole, seed).words());
            streams.entry((law.label(), dtype, seed)).or_insert_with(made).clone()
        }
        (None, Some(seeds)) if recording() => {
            let key = traced_key(law, dtype, at);
            let nth = listener().and_then(|listener| listener.nth_draw(&key));
            let traced = traced.entry(key).or_default();
            if let Some(stream) = nth.and_then(|nth| traced.streams.get(nth)) {
                return stream.clone();
            }
            let words = traced.waiting.pop_front().unwrap_or_else(|| seeds.next_stream().words());
            let stream = state(words);
            traced.streams.push(stream.clone());
            stream
        }
        (None, Some(seeds)) => state(seeds.next_stream().words()),
        (None, None) => unseeded.get_or_insert_with(|| state(entropy())).clone(),
    }
}

/// The whole random state of the process as values.
pub(crate) struct Snapshot {
    pub seed: Option<i64>,
    pub seeds: Option<OpSeeds>,
    pub streams: Vec<(Key, Words)>,
    pub unseeded: Option<Words>,
    pub traced: Vec<(String, Vec<Words>)>,
    /// Of the process' generator.
    pub generator: Words,
}

/// The present words of a stream.
fn words(stream: &Tensor) -> Result<Words> {
    let words = on_host(&Resource::of(stream, "save")?.read())?.try_to_vec::<i64>()?;
    Ok([words[0], words[1], words[2]])
}

/// Changes a stream where it lies, for those too that hold it.
fn put(stream: &Tensor, words: Words) {
    // All streams are resources.
    if let Ok(resource) = Resource::of(stream, "restore") {
        *resource.lock() = Tensor::from(words).alias();
    }
}

impl Snapshot {
    /// The state as it is now. Streams that nobody can foresee are made if need be: they, too, will be the same after it is put back.
    pub fn take() -> Result<Self> {
        let generator = words(shared().get_or_insert_with(Generator::from_non_deterministic_state).handle())?;
        let mut global = locked();
        let Global { seed, seeds, streams, unseeded, traced, .. } = &mut *global;
        let mut of_calls =
            streams.iter().map(|(key, stream)| Ok((*key, words(stream)?))).collect::<Result<Vec<_>>>()?;
        of_calls.sort_unstable();
        let mut of_traces = Vec::new();
        for (key, traced) in traced {
            let mut all = traced.live().iter().map(words).collect::<Result<Vec<_>>>()?;
            all.extend(&traced.waiting);
            of_traces.push((key.clone(), all));
        }
        if seeds.is_none() {
            unseeded.get_or_insert_with(|| state(entropy()));
        }
        let unseeded = unseeded.as_ref().map(words).transpose()?;
        Ok(Self { seed: *seed, seeds: seeds.clone(), streams: of_calls, unseeded, traced: of_traces, generator })
    }

    /// Makes it the state. Streams that graphs hold change in place.
    pub fn put_back(self) {
        let mut global = locked();
        global.seed = self.seed;
        global.seeds = self.seeds;
        // Those that the saved state knows nothing of had not begun.
        for ((.., seed), stream) in &global.streams {
            put(stream, OpSeeds::seeded_stream(self.seed, *seed).words());
        }
        for (key, words) in self.streams {
            put(global.streams.entry(key).or_insert_with(|| state(words)), words);
        }
        if let Some(words) = self.unseeded {
            put(global.unseeded.get_or_insert_with(|| state(words)), words);
        }
        global.traced.values_mut().for_each(|traced| traced.waiting.clear());
        for (key, mut all) in self.traced {
            let traced = global.traced.entry(key).or_default();
            let live = traced.live();
            let waiting = all.split_off(all.len().min(live.len()));
            live.iter().zip(all).for_each(|(stream, words)| put(stream, words));
            traced.waiting = waiting.into();
        }
        drop(global);
        put(shared().get_or_insert_with(|| Generator::from_state(self.generator)).handle(), self.generator);
    }
}

/// The random state of the process as a module, for checkpoints; see [`global`].
#[derive(Clone, Copy, Debug)]
pub struct GlobalState(());

/// The random state of the process, so that a checkpoint can hold it: the seed of [`set_seed`](super::set_seed), the streams of calls
/// with and without a seed, and the [process' generator](super::get_global_generator).
///
/// After it is restored the same calls draw the same numbers. A stream that a traced function draws from goes on where it was saved,
/// also in another process, where draws of the same line and dtype take the streams in the order in which the function makes them. One
/// of a function that was traced after the state was saved is left as it is.
///
/// ```
/// use eagerflow as tf;
/// #[derive(tf::Module)]
/// struct Training {
///     weights: tf::Variable,
///     random: tf::random::GlobalState,
/// }
/// let training = Training { weights: tf::Variable::new([1.0]), random: tf::random::global() };
/// # let _ = (&training.weights, &training.random);
/// ```
pub fn global() -> GlobalState {
    GlobalState(())
}
