//! Captured work: what a stretch of operations queues becomes one graph of the driver's, which is started by one call.
//! Traced functions capture their kernels; buffers that are made meanwhile belong to the capture and stay where they are.

use super::arena::Arena;
use super::capture_session::{Choices, Held, Nodes, Session, capturing, within};
use super::driver::{self, Address, Graph, Recorded, Stream};
use super::gpu::Gpu;
use super::kernel_warm_up;
use super::moves::{Kept, Moves, Noted, Place};
use crate::error::{Error, Result};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// How much work was queued so far while it was only tried.
pub fn tried() -> usize {
    driver::forgotten()
}

/// A graph of the driver's, with the memory that its kernels use.
pub struct Captured {
    gpu: &'static Gpu,
    recorded: Recorded,
    arena: Arc<Arena>,
    asserts: bool,
    work: usize,
    nodes: Nodes,
    moves: Mutex<Moves>,
    /// Whose nodes `moves` changes.
    _graph: Option<Kept>,
    _held: Held,
}

impl Captured {
    /// Queues all captured work. Places that move lie at these addresses, one for each place that [`capture`] was asked for.
    ///
    /// # Safety
    /// Those addresses are aligned to 16, and hold what the places are for in the order of the stream.
    pub unsafe fn start(&self, places: &[Address]) -> Result<()> {
        self.gpu.bind()?;
        let mut moves = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: by the caller's promise.
        unsafe { moves.set(self.recorded, places) }.map_err(|e| self.gpu.failed("graph", &e))?;
        // SAFETY: the arena lives as long as this does; whoever captured keeps the other addresses valid.
        let start = || unsafe { driver::start(self.recorded, self.gpu.stream()) };
        // The driver may want memory for a graph that starts the first time.
        self.gpu.with_room(start).map_err(|e| self.gpu.failed("graph", &e))?;
        // Behind the start: who waits counts first, and must not count work which it does not wait for.
        if self.asserts {
            self.gpu.asserted[0].fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Whether a place, of those that [`capture`] was asked for, may lie elsewhere in each call. Others stay where they lay.
    pub fn moves(&self, place: usize) -> bool {
        self.moves.lock().unwrap_or_else(PoisonError::into_inner).moves(place)
    }

    /// Kernels and copies that one start queues, those in bodies counted once.
    pub fn work(&self) -> usize {
        self.work
    }

    /// What was captured, in words.
    pub fn report(&self) -> String {
        let several = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let mut text = several(self.work, "kernel or copy", "kernels and copies");
        for (n, one, many) in [(self.nodes.branches, "branch", "branches"), (self.nodes.loops, "loop", "loops")] {
            if n > 0 {
                text += &format!(", {}", several(n, one, many));
            }
        }
        format!("{text}; {} KiB of memory", self.arena.bytes() >> 10)
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        // Work of the graph may still be under way; only then may its memory go.
        let _ = self.gpu.bind().and_then(|()| self.gpu.synchronize_quietly());
        // SAFETY: nobody starts it again.
        let _ = unsafe { driver::destroy(self.recorded) };
    }
}

/// Times that work is tried until it goes as before, and that a capture is begun anew because its memory did not suffice.
const TRIES: usize = 4;

/// Runs `work`, whose operations are queued on one GPU, into a graph instead of the device.
///
/// It runs several times: first with nothing behind it, which compiles all kernels and tells what memory it will take, since
/// neither can be had while a stream captures. So it must have no effect but through the device.
///
/// `places` says, from what the work gave, which memory would better lie elsewhere in each call, the first so many of which were there
/// before, and nobody else's than the work's.
///
/// # Errors
/// Those of the work; a wait or a read of elements while capturing is one.
pub fn capture<T>(
    gpu: &'static Gpu,
    work: impl Fn() -> Result<T>,
    places: impl Fn(&T) -> (Vec<Place>, usize),
) -> Result<(T, Captured)> {
    if capturing() {
        return Err(Error::failed_precondition("capture", "work is captured within captured work"));
    }
    gpu.bind()?;
    // What the compiler refuses, and why work cannot be captured, comes out of the attempts.
    let _ = kernel_warm_up::collect(|| drop(as_captured(gpu, &work)));
    let (mut session, mut queued) = attempt(gpu, Choices::default(), &work)?;
    // With all decided beforehand it may take other memory, and meet other operations.
    for _ in 0..TRIES {
        if session.choices.settled() {
            break;
        }
        (session, queued) = attempt(gpu, session.choices.again(), &work)?;
    }
    let mut sizes = session.arena.wanted();
    for _ in 0..TRIES {
        let arena = Arc::new(Arena::reserve(gpu, &sizes)?);
        match record(gpu, &arena, &session, &work) {
            Err(_) if arena.is_short() => sizes = arena.wanted_and_left(),
            Err(error) => return Err(error),
            Ok((value, recorded, graph, ended)) => {
                let Session { asserts, nodes, .. } = session;
                let (all, before) = places(&value);
                let moves = Moves::new(ended.noted, &all, before);
                let graph = moves.any().then_some(graph);
                let (work, moves, held) = (queued, Mutex::new(moves), ended.held);
                let captured =
                    Captured { gpu, recorded, arena, asserts, work, nodes, moves, _graph: graph, _held: held };
                return Ok((value, captured));
            }
        }
    }
    Err(Error::internal("capture", "the work wants other memory each time it runs"))
}

/// Runs the work as when it is captured, for the kernels that it needs then: within [`kernel_warm_up::collect`].
pub fn as_captured<T>(gpu: &'static Gpu, work: &impl Fn() -> Result<T>) -> Result<()> {
    let (session, _) = attempt(gpu, Choices::default(), work)?;
    // What a decision leaves to do may need other kernels.
    attempt(gpu, session.choices.again(), work).map(drop)
}

/// Runs the work with nothing behind it; what it wanted, and how many pieces it queued.
fn attempt<T>(gpu: &'static Gpu, choices: Choices, work: &impl Fn() -> Result<T>) -> Result<(Session, usize)> {
    let (arena, nodes, before) = (Arc::new(Arena::trial()), Nodes::default(), tried());
    let stream = Stream::NOWHERE;
    let (value, session) = within(
        Session {
            gpu,
            stream,
            arena,
            choices,
            spare: Vec::new(),
            nodes,
            asserts: false,
            held: Vec::new(),
            noted: Noted::default(),
        },
        work,
    );
    value.map(|_| (session, tried() - before))
}

/// Runs the work into a graph, in memory that is there.
fn record<T>(
    gpu: &'static Gpu,
    arena: &Arc<Arena>,
    tried: &Session,
    work: &impl Fn() -> Result<T>,
) -> Result<(T, Recorded, Kept, Session)> {
    let failed = |e: driver::Failure| gpu.failed("graph", &e);
    // One for each depth of branches and loops.
    let mut streams = Streams(Vec::new());
    for _ in 0..=tried.nodes.deepest {
        streams.0.push(driver::new_stream().map_err(failed)?);
    }
    let (stream, spare) = (streams.0[0], streams.0[1..].to_vec());
    driver::begin_capture(stream).map_err(failed)?;
    let recording = Recording(stream);
    let (choices, nodes) = (tried.choices.again(), Nodes::default());
    let session = Session {
        gpu,
        stream,
        arena: arena.clone(),
        choices,
        spare,
        nodes,
        asserts: false,
        held: Vec::new(),
        noted: Noted::default(),
    };
    let (value, session) = within(session, work);
    match (value, recording.end().map_err(failed)) {
        (Ok(value), Ok(graph)) if session.choices.settled() => {
            let graph = Kept(graph);
            let recorded = gpu.with_room(|| driver::instantiate(graph.0));
            recorded.map_err(failed).map(|recorded| (value, recorded, graph, session))
        }
        (value, graph) => {
            let _ = graph.as_ref().map(|&graph| driver::discard(graph));
            Err(value
                .err()
                .or(graph.err())
                .unwrap_or_else(|| Error::internal("capture", "the work goes another way each time")))
        }
    }
}

/// Streams of one recording, which go with it.
struct Streams(Vec<Stream>);

impl Drop for Streams {
    fn drop(&mut self) {
        for stream in self.0.drain(..) {
            let _ = driver::destroy_stream(stream);
        }
    }
}

/// A stream that records; also when the work panics it stops.
struct Recording(Stream);

impl Recording {
    fn end(self) -> driver::Answer<Graph> {
        let graph = driver::end_capture(self.0);
        std::mem::forget(self);
        graph
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = driver::end_capture(self.0).map(driver::discard);
    }
}
