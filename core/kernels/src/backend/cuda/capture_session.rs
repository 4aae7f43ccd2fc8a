//! What a thread that captures is doing: where its work is queued, whose memory it takes, and what operations have decided on the way.
//! `capture.rs` opens a session around the work; whatever queues, allocates or decides asks here.

use super::arena::Arena;
use super::call::Arguments;
use super::driver::{Address, Function, Grid, Stream};
use super::gpu::Gpu;
use super::kernel_warm_up;
use super::moves::{Noted, last_node};
use crate::device::DeviceId;
use crate::error::{Error, Result};
use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

/// What this thread is doing.
pub(super) struct Session {
    pub gpu: &'static Gpu,
    /// Where work is queued now: nowhere while it is only tried.
    pub stream: Stream,
    pub arena: Arc<Arena>,
    pub choices: Choices,
    /// Streams for the bodies of branches and loops.
    pub spare: Vec<Stream>,
    pub nodes: Nodes,
    /// Whether an assertion was met.
    pub asserts: bool,
    /// What the work uses that belongs to nobody in it.
    pub held: Held,
    pub noted: Noted,
}

/// Owners of memory that captured work uses.
pub(super) type Held = Vec<Arc<dyn Any + Send + Sync>>;

/// The branches and loops of captured work.
#[derive(Clone, Copy, Default)]
pub(super) struct Nodes {
    pub branches: usize,
    pub loops: usize,
    /// How many bodies lie in each other here, and at most.
    pub depth: usize,
    pub deepest: usize,
}

/// What operations decided while the work was tried, in the order in which they were met: recording must decide the same.
#[derive(Clone, Default)]
pub(super) struct Choices {
    /// Who decided, and how.
    made: Vec<(u64, u32)>,
    next: usize,
    /// Whether somebody was met who had not decided before.
    changed: bool,
}

impl Choices {
    /// The same once more, from the start.
    pub fn again(&self) -> Self {
        Self { made: self.made.clone(), next: 0, changed: false }
    }

    /// Whether all went as it had been decided.
    pub fn settled(&self) -> bool {
        !self.changed && self.next == self.made.len()
    }
}

/// A place where an operation may go one way or another while work is captured.
pub struct Choice {
    at: usize,
    /// What was decided here before.
    pub made: Option<u32>,
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Works on what this thread is doing.
pub(super) fn with_session<T>(work: impl FnOnce(&mut Session) -> T) -> Result<T> {
    let none = || Error::internal("capture", "this thread captures nothing");
    SESSION.with_borrow_mut(|session| session.as_mut().map(work)).ok_or_else(none)
}

/// The stream and the memory of the capture under way on this thread, for this device.
pub(super) fn under_way(gpu: &Gpu) -> Option<(Stream, Arc<Arena>)> {
    SESSION.with_borrow(|session| {
        session.as_ref().filter(|s| std::ptr::eq(s.gpu, gpu)).map(|s| (s.stream, s.arena.clone()))
    })
}

/// The device whose work this thread captures: then nothing may wait for it or read from it.
pub fn captured_on() -> Option<&'static Gpu> {
    SESSION.with_borrow(|session| session.as_ref().map(|s| s.gpu))
}

/// Whether this thread captures.
pub fn capturing() -> bool {
    SESSION.with_borrow(Option::is_some)
}

/// Whether this thread runs operations for something else than their results: it captures them, or collects their kernels.
pub fn pretending() -> bool {
    capturing() || kernel_warm_up::collecting()
}

/// The device on which everything belongs while this thread captures.
pub fn all_on() -> Option<DeviceId> {
    captured_on().map(|gpu| gpu.id)
}

/// The next place where captured work may go one way or another: an operation that `who` tells apart.
pub fn choice(who: u64) -> Result<Choice> {
    with_session(|session| {
        let choices = &mut session.choices;
        let at = choices.next;
        let made = choices.made.get(at).filter(|(other, _)| *other == who).map(|(_, way)| *way);
        choices.next += 1;
        if made.is_none() {
            choices.made.truncate(at);
            choices.made.push((who, 0));
            choices.changed = true;
        }
        Choice { at, made }
    })
}

impl Choice {
    /// Decides; what was decided behind this place meanwhile is forgotten.
    pub fn decide(&self, way: u32, forget: bool) -> Result<()> {
        with_session(|session| {
            session.choices.made[self.at].1 = way;
            if forget {
                session.choices.made.truncate(self.at + 1);
                session.choices.next = self.at + 1;
            }
        })
    }
}

/// A kernel was queued: what it was given may lie elsewhere when the work is started.
pub(super) fn note_launch(gpu: &Gpu, function: Function, grid: Grid, arguments: &Arguments) -> Result<()> {
    let here = |session: &mut Session| (session.stream, session.nodes.depth);
    let (stream, depth) = with_session(here)?;
    if stream == Stream::NOWHERE {
        return Ok(());
    }
    let node = last_node(gpu, stream, depth)?;
    with_session(|session| session.noted.launch(node, function, grid, arguments))
}

/// Something else than a kernel was given addresses, if this thread captures.
pub(super) fn note_fixed(addresses: &[Address]) {
    if capturing() {
        let _ = with_session(|session| addresses.iter().for_each(|&address| session.noted.fix(address)));
    }
}

/// Memory of this capture was taken for so many bytes.
pub(super) fn note_taken(address: Address, bytes: usize) {
    let _ = with_session(|session| session.noted.take(address, bytes));
}

/// Keeps what captured work uses for as long as it may be started.
pub fn hold(owner: Arc<dyn Any + Send + Sync>) -> Result<()> {
    with_session(|session| session.held.push(owner))
}

/// Runs `work` as if this thread captured nothing. While a stream records it must want nothing of the driver.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    struct Back(Option<Session>);
    impl Drop for Back {
        fn drop(&mut self) {
            SESSION.set(self.0.take());
        }
    }
    let _back = Back(SESSION.take());
    // What is made here stays: it must be there.
    kernel_warm_up::not_collecting(work)
}

/// Runs the work as this session; also when it panics the thread is out of it afterwards.
pub(super) fn within<T>(session: Session, work: &impl Fn() -> Result<T>) -> (Result<T>, Session) {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            SESSION.take();
        }
    }
    SESSION.set(Some(session));
    let end = End;
    let value = work();
    let session = SESSION.take();
    drop(end);
    match session {
        Some(session) => (value, session),
        None => unreachable!("nobody else ends a session"),
    }
}
