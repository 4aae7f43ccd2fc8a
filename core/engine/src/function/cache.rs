//! [`Function`]: the traces of one definition, found by signature, bounded and freed when they are not used.
//! The lock is held for the search alone, never while the user's code runs.

use super::arguments::{Arguments, Given};
use super::declared::{self, Declared};
use super::identity::Identity;
use super::in_flight::InFlight;
use super::last_trace::{Found, LastTrace, LastTraceSlot};
use super::storm::{Storm, TRACES};
use super::trace::Trace;
use crate::tensor::TensorType;
use std::any::TypeId;
use std::collections::HashSet;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The attributes of a traced function.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most traces that are kept.
    pub max_traces: Option<usize>,
    /// Whether a changed dimension becomes a symbol.
    pub relax_shapes: bool,
}

/// How many traces a function keeps unless it says otherwise.
const MAX_TRACES: usize = 32;

/// A function that can be traced: one per definition.
pub struct Function {
    pub(crate) name: &'static str,
    pub(crate) options: Options,
    /// What `input_signature` says of the arguments.
    pub(crate) declared: &'static [Declared],
    pub(crate) location: &'static Location<'static>,
    traces: Mutex<Vec<Arc<Trace>>>,
    /// In front of them the one used last.
    front: LastTraceSlot,
    pub(super) making: InFlight,
    made: AtomicU64,
    storm: Mutex<Storm>,
    registered: AtomicBool,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Function({} at {})", self.name, self.location)
    }
}

impl Function {
    /// A function without traces.
    #[track_caller]
    pub const fn new(name: &'static str, options: Options) -> Self {
        Self {
            name,
            options,
            declared: &[],
            location: Location::caller(),
            traces: Mutex::new(Vec::new()),
            front: LastTraceSlot::new(),
            making: InFlight::new(),
            made: AtomicU64::new(0),
            storm: Mutex::new(Storm::new()),
            registered: AtomicBool::new(false),
        }
    }

    /// The same function, of whose tensors something is declared.
    #[must_use]
    pub const fn declaring(self, declared: &'static [Declared]) -> Self {
        let mut function = self;
        function.declared = declared;
        function
    }

    /// Makes the function known by the path of its item.
    pub(crate) fn register(&'static self, path: &'static str) {
        if !self.registered.load(Ordering::Relaxed) && !self.registered.swap(true, Ordering::Relaxed) {
            self.register_instance(path);
        }
    }

    /// As [`register`](Self::register) for an instance of a generic function that may be another one than was called first.
    pub(crate) fn register_instance(&'static self, path: &'static str) {
        super::info::register(path, self);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Trace>>> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A trace that serves a call; it is then the first to be tried.
    #[inline]
    pub(crate) fn find(&self, instance: TypeId, words: &[u64], tensors: &[Given]) -> Option<Found<'_>> {
        let front = self.front.take();
        match front {
            Some(mut front) if front.trace.serves(instance, words, tensors) => {
                front.served += 1;
                Some(Found::front(&self.front, front))
            }
            front => self.find_listed(front, instance, words, tensors),
        }
    }

    #[inline(never)]
    fn find_listed(
        &self,
        front: Option<Box<LastTrace>>,
        instance: TypeId,
        words: &[u64],
        tensors: &[Given],
    ) -> Option<Found<'_>> {
        let mut traces = self.lock();
        let version = self.front.version();
        let at = traces.iter().position(|trace| trace.serves(instance, words, tensors));
        if let Some(at) = at {
            traces[..=at].rotate_right(1);
        }
        let trace = at.and_then(|_| traces.first().cloned());
        drop(traces);
        match (trace, front) {
            (Some(trace), Some(mut front)) => {
                front.turn_to(trace, version);
                Some(Found::front(&self.front, front))
            }
            (Some(trace), None) => Some(Found::Listed(trace)),
            (None, front) => {
                front.into_iter().for_each(|front| self.front.put(front));
                None
            }
        }
    }

    /// The types with which a call should be traced, and the reason why it has to be.
    pub(crate) fn plan_trace(&self, instance: TypeId, arguments: &Arguments) -> (Vec<TensorType>, String) {
        let (mut types, reason) = self.plan_by_need(instance, arguments);
        declared::open(self.declared, arguments, &mut types);
        // The body sees the tensors of modules themselves, with their sizes.
        for (i, ty) in types.iter_mut().enumerate().filter(|(i, _)| arguments.in_module[*i]) {
            *ty = *arguments.tensors[i].ty();
        }
        (types, reason)
    }

    /// As if nothing were declared: exact sizes at first, then those that differ open.
    fn plan_by_need(&self, instance: TypeId, arguments: &Arguments) -> (Vec<TensorType>, String) {
        let types = arguments.types();
        let traces = self.lock();
        let own: Vec<&Arc<Trace>> = traces.iter().filter(|t| t.instance == instance).collect();
        if let Some((name, ty)) = arguments.unknown {
            let help =
                "pass what it holds as arguments, derive `Nest` or `Module` for it, or make it a `tf::Closure` once";
            return (types.to_vec(), format!("nothing is known of `{name}`, a `{ty}`, from call to call: {help}"));
        }
        let Some(last) = own.first() else { return (types.to_vec(), "the first call".to_owned()) };
        let near = own.iter().filter_map(|t| Some((t.pattern.distance(&arguments.words, &types)?, t)));
        let near = near.min_by_key(|(distance, _)| *distance);
        match near {
            Some((_, trace)) => {
                let sizes = trace.pattern.fits(&arguments.words, &types);
                let other = sizes.as_ref().and_then(|_| trace.identity.difference(arguments, &trace.sources));
                let pinned = sizes.and_then(|sizes| trace.pins.iter().find(|pin| !pin.holds(&sizes)).cloned());
                let reason = match (pinned, other) {
                    (Some(pin), _) => {
                        format!("{} reads the size {} as a number, {}", pin.location, pin.size, pin.number)
                    }
                    (None, Some(other)) => other,
                    (None, None) => trace.pattern.difference(arguments),
                };
                let wide = if self.options.relax_shapes { trace.pattern.widened(&types) } else { types.to_vec() };
                (wide, reason)
            }
            None => (types.to_vec(), last.pattern.difference(arguments)),
        }
    }

    /// What a trace for a call takes for granted of its tensors.
    pub(crate) fn identity(&self, instance: TypeId, arguments: &Arguments) -> Identity {
        let traces = self.lock();
        let others: Vec<Arc<Trace>> = traces.iter().filter(|t| t.instance == instance).cloned().collect();
        drop(traces);
        Identity::of(arguments, &others)
    }

    /// Keeps a trace, and drops the one longest out of use where there are too many.
    pub(crate) fn keep(&self, trace: Trace) -> Arc<Trace> {
        let trace = Arc::new(trace);
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let served = self.front.served();
        let alike = trace.once || 1 + self.alike(&trace) >= u64::from(TRACES);
        if self.storm.lock().unwrap_or_else(PoisonError::into_inner).trace(served, alike) {
            let advice = if trace.once { "" } else { ". Pass changing numbers as tensors." };
            eprintln!(
                "warning: `{}` ({}) was traced {made} times; the last time because {}{advice}",
                self.name, self.location, trace.reason
            );
        }
        let mut dropped = Vec::new();
        let mut traces = self.lock();
        // One for a single call is kept for those who look at its graph.
        let old = traces.iter().position(|old| trace.once && old.once && old.instance == trace.instance);
        dropped.extend(old.map(|old| traces.remove(old)));
        traces.insert(0, trace.clone());
        let most = self.options.max_traces.unwrap_or(MAX_TRACES).max(1);
        while traces.len() > most {
            dropped.extend(traces.pop());
        }
        let old = if dropped.is_empty() { None } else { self.front.clear() };
        let version = self.front.version();
        drop(traces);
        // Freeing a trace may run destructors of captured tensors: not under the lock.
        drop((dropped, old));
        self.front.put(Box::new(LastTrace { trace: trace.clone(), seat: None, served, version }));
        trace
    }

    /// How many traces there are for the same types and the same model. Traces for one model after the other, as `fit` makes them, are no
    /// sign of a program that passes numbers where it should pass tensors.
    fn alike(&self, trace: &Trace) -> u64 {
        let own: HashSet<u64> = trace.variables().collect();
        let meets = |old: &Trace| own.is_empty() || old.variables().any(|id| own.contains(&id));
        self.lock().iter().filter(|old| old.instance == trace.instance && meets(old)).count() as u64
    }

    /// The traces, the last one used first.
    pub(crate) fn all(&self) -> Vec<Arc<Trace>> {
        self.lock().clone()
    }

    pub(crate) fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Frees all traces.
    pub(crate) fn clear(&self) {
        let mut list = self.lock();
        let freed = (std::mem::take(&mut *list), self.front.clear());
        drop(list);
        drop(freed);
    }
}
