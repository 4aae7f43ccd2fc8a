//! What each step of a plan costs: the bytes that it touches, and its time where calls were measured.
//! `FunctionInfo::plan` prints it; the executor adds times while a [`Profiling`] lives, and spans while they are traced.

use super::{Plan, Step};
use kernels::backend::cpu::{View, denormals};
use std::fmt::Write;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

static LIVING: AtomicUsize = AtomicUsize::new(0);

/// While it lives, plans measure their steps.
pub struct Profiling {
    _denormals: denormals::Watch,
}

impl Profiling {
    /// Begins.
    pub fn start() -> Self {
        LIVING.fetch_add(1, Ordering::Relaxed);
        Self { _denormals: denormals::Watch::start() }
    }
}

impl Drop for Profiling {
    fn drop(&mut self) {
        LIVING.fetch_sub(1, Ordering::Relaxed);
    }
}

#[inline]
pub(super) fn is_on() -> bool {
    LIVING.load(Ordering::Relaxed) > 0
}

#[derive(Default)]
struct Cost {
    nanos: AtomicU64,
    runs: AtomicU64,
    /// Runs that met denormal numbers.
    denormal: AtomicU64,
}

/// The times of all steps by number, kept from the first measured call on.
#[derive(Default)]
pub(super) struct Costs {
    steps: OnceLock<Box<[Cost]>>,
    calls: AtomicU64,
}

impl Costs {
    pub fn call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub fn add(&self, plan: &Plan, step: u32, start: Instant) {
        let time = start.elapsed();
        if TRACED.load(Ordering::Relaxed) {
            note_span(plan, step, start, time);
        }
        let steps = self.steps.get_or_init(|| (0..plan.step_count).map(|_| Cost::default()).collect());
        if let Some(cost) = steps.get(step as usize) {
            cost.nanos.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
            cost.runs.fetch_add(1, Ordering::Relaxed);
            cost.denormal.fetch_add(denormals::met().into(), Ordering::Relaxed);
        }
    }
}

/// What a step of a plan costs.
#[derive(Clone, Debug)]
pub struct StepCost {
    /// The operation.
    pub op: String,
    /// The user's line.
    pub location: Option<&'static Location<'static>>,
    /// Microseconds for a call, of the calls that were measured.
    pub micros: f64,
}

/// The run of a step, for a timeline.
#[derive(Clone, Debug)]
pub struct Span {
    /// The function.
    pub function: String,
    /// The operation and its types.
    pub what: String,
    /// The user's line.
    pub location: Option<&'static Location<'static>>,
    /// A number of the thread.
    pub thread: u64,
    /// When it began, and how long it took.
    pub start: Instant,
    /// How long it took.
    pub time: Duration,
}

static TRACED: AtomicBool = AtomicBool::new(false);
static SPANS: Mutex<Vec<Span>> = Mutex::new(Vec::new());
/// No timeline is longer, so that one that is forgotten does not fill the memory.
const MOST_SPANS: usize = 1_000_000;

/// Whether the steps of plans that are measured are noted one by one.
pub fn trace_spans(on: bool) {
    TRACED.store(on, Ordering::Relaxed);
}

/// The spans that were noted since the last time, at most a million.
pub fn take_spans() -> Vec<Span> {
    std::mem::take(&mut SPANS.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cold]
fn note_span(plan: &Plan, step: u32, start: Instant, time: Duration) {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static THREAD: u64 = THREADS.fetch_add(1, Ordering::Relaxed);
    }
    let Some((_, what, location)) = plan.find(&plan.steps, 0, step).map(|step| plan.describe(step)) else { return };
    let span = Span { function: plan.name.clone(), what, location, thread: THREAD.with(|own| *own), start, time };
    let mut spans = SPANS.lock().unwrap_or_else(PoisonError::into_inner);
    if spans.len() < MOST_SPANS {
        spans.push(span);
    }
}

/// Numbers the steps, those of bodies behind their branch or loop.
pub(super) fn number(steps: &mut [Step], next: &mut u32) {
    *next += steps.len() as u32;
    for step in steps {
        let (bodies, first) = match step {
            Step::Branch { then, otherwise, first, .. } => ([then, otherwise], first),
            Step::Loop { test, body, first, .. } => ([test, body], first),
            _ => continue,
        };
        for (body, first) in bodies.into_iter().zip(first) {
            *first = *next;
            number(body, next);
        }
    }
}

impl Plan {
    /// One line per step: time, runs, bytes, operation, line of the user. Times are those of measured calls.
    pub fn report(&self) -> String {
        let calls = self.costs.calls.load(Ordering::Relaxed);
        let mut text = format!("plan of {}: arena of {} bytes, {calls} calls measured\n", self.name, self.arena);
        let _ = writeln!(text, "{:>10} {:>8} {:>11}  step", "us/call", "runs", "bytes");
        self.lines(&mut text, &self.steps, 0, 0, calls.max(1));
        let some = |cost: &Cost| cost.denormal.load(Ordering::Relaxed) > 0;
        if self.costs.steps.get().is_some_and(|steps| steps.iter().any(some)) {
            text.push_str(
                "Denormal numbers (below 1.2e-38 in float32) were met. Many processors are slow with them: see whether values fade.\n",
            );
        }
        text
    }

    fn lines(&self, text: &mut String, steps: &[Step], first: u32, depth: usize, calls: u64) {
        for (i, step) in steps.iter().enumerate() {
            let cost = self.costs.steps.get().and_then(|steps| steps.get(first as usize + i));
            let read = |of: fn(&Cost) -> &AtomicU64| cost.map_or(0, |cost| of(cost).load(Ordering::Relaxed));
            let (time, runs, denormal) =
                (read(|cost| &cost.nanos), read(|cost| &cost.runs), read(|cost| &cost.denormal));
            let (bytes, what, location) = self.describe(step);
            let time = time as f64 / calls as f64 / 1e3;
            let mut place = location.map_or(String::new(), |l| format!("  {l}"));
            // Steps of bodies tell for themselves.
            if denormal > 0 && !matches!(step, Step::Branch { .. } | Step::Loop { .. }) {
                let _ = write!(place, "  [denormal numbers in {denormal} of {runs} runs]");
            }
            let indent = "  ".repeat(depth);
            let _ = writeln!(text, "{time:>10.2} {:>8} {bytes:>11}  {indent}{what}{place}", runs / calls);
            let bodies = match step {
                Step::Branch { then, otherwise, first, .. } => {
                    [("then", then, first[0]), ("else", otherwise, first[1])]
                }
                Step::Loop { test, body, first, .. } => [("while", test, first[0]), ("do", body, first[1])],
                _ => continue,
            };
            for (title, body, first) in bodies {
                let _ = writeln!(text, "{:>33}{indent}{title}", "");
                self.lines(text, body, first, depth + 1, calls);
            }
        }
    }

    /// What each step costs, those of bodies behind their branch or loop.
    pub fn step_costs(&self) -> Vec<StepCost> {
        let calls = self.costs.calls.load(Ordering::Relaxed).max(1) as f64;
        let cost = |number: u32| {
            let step = self.find(&self.steps, 0, number)?;
            let nanos = self.costs.steps.get().and_then(|steps| steps.get(number as usize));
            let nanos = nanos.map_or(0, |cost| cost.nanos.load(Ordering::Relaxed));
            let (_, what, location) = self.describe(step);
            let op = match step {
                Step::FusedLoop { op, .. } => (*op).to_owned(),
                Step::Kernel { op, .. } | Step::Tensors { op, .. } => op.name().to_owned(),
                _ => what,
            };
            Some(StepCost { op, location, micros: nanos as f64 / calls / 1e3 })
        };
        (0..self.step_count).filter_map(cost).collect()
    }

    /// The step with a number, among steps of which the first has number `first`.
    fn find<'a>(&self, steps: &'a [Step], first: u32, number: u32) -> Option<&'a Step> {
        if let Some(step) = number.checked_sub(first).and_then(|at| steps.get(at as usize)) {
            return Some(step);
        }
        steps.iter().find_map(|step| match step {
            Step::Branch { then, otherwise, first, .. } => {
                self.find(then, first[0], number).or_else(|| self.find(otherwise, first[1], number))
            }
            Step::Loop { test, body, first, .. } => {
                self.find(test, first[0], number).or_else(|| self.find(body, first[1], number))
            }
            _ => None,
        })
    }

    /// Bytes of the operands, name and types, and where the user wrote it.
    fn describe(&self, step: &Step) -> (usize, String, Option<&'static Location<'static>>) {
        let of = |refs: &super::Refs| self.views[refs.start as usize..refs.end as usize].iter().map(|(view, ..)| *view);
        let bytes = |view: &View| view.dims().iter().product::<usize>() * view.dtype.size();
        match step {
            Step::FusedLoop { fused, op, location, .. } => {
                let what = format!("{op}: {} instructions over {} elements", fused.instructions(), fused.len);
                (fused.bytes(), what, Some(location))
            }
            Step::Kernel { op, inputs, outputs, location, .. } => {
                let all: usize = of(inputs).chain(of(outputs)).map(|v| bytes(&v)).sum();
                let shapes =
                    |refs| of(refs).map(|v| format!("{}{:?}", v.dtype, v.dims())).collect::<Vec<_>>().join(", ");
                let what = format!("{}({}) -> {}", op.name(), shapes(inputs), shapes(outputs));
                (all, what, Some(location))
            }
            Step::Copy { from, .. } => {
                let view = &self.views[*from as usize].0;
                (2 * bytes(view), format!("copy {}{:?}", view.dtype, view.dims()), None)
            }
            Step::Allocate { ty, location, .. } => (0, format!("allocate {ty}"), Some(location)),
            Step::Tensors { op, location, .. } => (0, op.name().to_owned(), Some(location)),
            Step::Move { .. } => (0, "move".to_owned(), None),
            Step::Own { location, .. } => (0, "own".to_owned(), Some(location)),
            Step::Branch { .. } => (0, "branch".to_owned(), None),
            Step::Loop { .. } => (0, "loop".to_owned(), None),
        }
    }
}
