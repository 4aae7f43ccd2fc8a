//! Counters, and the fields that modules leave out of their state by `#[module(skip)]`, of the arguments of calls under way: a branch or loop of the
//! graph that changes a cell there would count once, while it is traced. [`Watch`](super::borrow_watch::Watch) asks; where nobody can see what
//! happens, a warning says so.

use super::borrow_watch::Hidden;
use super::call::Call;
use crate::function::WarnOnce;
use crate::module::{Module, Path, SavedState, Sink, visit};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::panic::Location;

/// A module that a call was lent.
struct LentModule {
    number: u64,
    name: &'static str,
    module: Box<dyn Module>,
}

thread_local! {
    static LENT: RefCell<Vec<LentModule>> = const { RefCell::new(Vec::new()) };
}

/// As long as it is there, the counters of a module and the fields that it leaves out are watched.
pub(super) struct Watching(u64);

impl Watching {
    /// Watches a module, if it has or leaves out anything that may change.
    ///
    /// # Safety
    /// What the module borrows is there as long as what this gives.
    unsafe fn new<'v>(name: &'static str, module: Box<dyn Module + 'v>) -> Option<Self> {
        thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
        let found = Found::of(name, &*module);
        if found.cells.is_empty() && found.unseen.is_empty() {
            return None;
        }
        let number = NEXT.replace(NEXT.get() + 1);
        // SAFETY: only the lifetime changes, and by the caller's promise what is borrowed outlives the list's entry.
        let module = unsafe { std::mem::transmute::<Box<dyn Module + 'v>, Box<dyn Module>>(module) };
        LENT.with_borrow_mut(|lent| lent.push(LentModule { number, name, module }));
        Some(Self(number))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // The thread may be ending.
        let _ = LENT.try_with(|lent| lent.borrow_mut().retain(|lent| lent.number != self.0));
    }
}

/// A number that may change behind a shared reference.
#[derive(PartialEq, Eq)]
struct Seen {
    path: String,
    word: u64,
    /// Whether it is a field of the module's state, not one that is left out.
    counter: bool,
}

/// The counters of a module, and the fields that it leaves out.
#[derive(Default)]
struct Found {
    name: &'static str,
    /// Those that can be looked at.
    cells: Vec<Seen>,
    /// The others.
    unseen: Vec<String>,
}

impl Found {
    fn of(name: &'static str, module: &dyn Module) -> Self {
        let mut found = Self { name, ..Self::default() };
        visit(module, &mut found);
        found
    }

    fn path(&self, path: &Path<'_>) -> String {
        format!("{}.{}", self.name, path.to_string().replace('/', "."))
    }
}

impl Sink for Found {
    fn variable(&mut self, _: &Path<'_>, _: u64, _: Option<&Variable>) {}
    fn part(&mut self, _: &Path<'_>, _: &Variable) {}
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
    fn wants_skipped(&self) -> bool {
        true
    }
    fn skipped(&mut self, path: &Path<'_>, word: u64) {
        self.cells.push(Seen { path: self.path(path), word, counter: false });
    }
    fn state(&mut self, path: &Path<'_>, state: &dyn SavedState) {
        if let Some(word) = state.number() {
            self.cells.push(Seen { path: self.path(path), word, counter: true });
        }
    }
    fn unseen(&mut self, path: &Path<'_>) {
        self.unseen.push(self.path(path));
    }
}

/// All of the calls under way.
fn found() -> Vec<Found> {
    LENT.with_borrow(|lent| {
        // Only read, by a shared reference as the body has one.
        lent.iter().map(|lent| Found::of(lent.name, &*lent.module)).collect()
    })
}

/// The cells as they were when the recording of a branch or loop began.
#[derive(Default)]
pub(super) struct Cells(Vec<Seen>);

impl Cells {
    pub fn now() -> Self {
        Self(found().into_iter().flat_map(|found| found.cells).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An error naming a cell that has changed since.
    pub fn check(&self, whose: Hidden, location: &'static Location<'static>) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let now = Self::now().0;
        let changed = self.0.iter().zip(&now).find(|(before, now)| before != now);
        let changed =
            changed.map(|(before, _)| before).or_else(|| self.0.get(now.len())).or_else(|| now.get(self.0.len()));
        changed.map_or(Ok(()), |seen| Err(counts_once(whose, seen, location)))
    }
}

#[cold]
fn counts_once(whose: Hidden, seen: &Seen, location: &'static Location<'static>) -> Error {
    let path = &seen.path;
    let field = if seen.counter { "a counter of the host" } else { "a field that `#[module(skip)]` leaves out" };
    let (op, what, known) = match whose {
        Hidden::Loop => ("while", "a loop", "how often the loop goes round"),
        Hidden::Branch | Hidden::Rest => ("if", "a branch", "whether the branch is taken"),
    };
    Error::failed_precondition(op, format!("{what} of the graph changes `{path}`, {field}"))
        .got("a cell with another value after it was recorded, which happens once and not in each call or round")
        .expected(format!("changes that the graph makes: {known} is known only when it runs"))
        .help(
            "count by a tensor, `let mut count = tf::constant(0)`, or by a `Variable` of the module, `count.assign_add(1)`; or change \
             the cell outside of the branch or loop",
        )
        .variable(path)
        .at(location)
}

/// Warns of fields that a loop may change unseen, once for each loop.
pub(super) fn warn_of_unseen(location: &'static Location<'static>) {
    static SAID: WarnOnce = WarnOnce::new();
    if LENT.with_borrow(Vec::is_empty) {
        return;
    }
    let unseen: Vec<String> =
        found().into_iter().flat_map(|found| found.unseen).map(|path| format!("`{path}`")).collect();
    if !unseen.is_empty() {
        SAID.warn(location, || text(location, &unseen.join(", ")));
    }
}

fn text(location: &Location<'_>, fields: &str) -> String {
    format!(
        "the loop of the graph at {location} is recorded once: what it changes in {fields}, left out by `#[module(skip)]` and of a \
         type that cannot be looked at, changes once while it is traced, not in each round. Keep what a loop changes in tensors or \
         variables."
    )
}

/// A reference among the arguments, asked about by generated code.
#[derive(Debug)]
pub struct Skips<'v, T: ?Sized>(pub &'v T);

/// Of modules.
pub trait WatchModule<'v> {
    /// Watches what the module leaves out, while the body is recorded.
    fn watch(&self, call: &Call<'v>, name: &'static str);
}

impl<'v, M: Module + ?Sized> WatchModule<'v> for Skips<'v, M> {
    fn watch(&self, call: &Call<'v>, name: &'static str) {
        if call.copies() {
            // SAFETY: the reference outlives the call, which drops what this gives.
            call.keep_watching(unsafe { Watching::new(name, Box::new(self.0)) });
        }
    }
}

/// Of everything else.
pub trait WatchNothing<'v> {
    /// There is nothing to watch.
    fn watch(&self, _: &Call<'v>, _: &'static str) {}
}

impl<'v, T: ?Sized> WatchNothing<'v> for &Skips<'v, T> {}
