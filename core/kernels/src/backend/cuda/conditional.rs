//! Branches and loops of captured work: nodes of the driver's graphs whose bodies run or not, or again, as a truth value on the
//! device says. `graph/control/captured.rs` records bodies through here.

use super::call::{Arguments, grid};
use super::capture_session::{Session, with_session};
use super::driver::{self, Address, Body, Conditional, Stream};
use super::gpu::Gpu;
use super::program::Kernel;
use crate::error::{Error, Result};

static SET: Kernel = Kernel { name: "set_conditions", text: &[include_str!("conditions.cuh")] };
/// What a body does that has nothing to do.
static NOTHING: Kernel = Kernel { name: "nothing", text: &["extern \"C\" __global__ void nothing() {}\n"] };

/// The version of CUDA from which on bodies may hold copies and fills beside kernels.
const FIRST: (i32, i32) = (12, 4);
/// The version from which on one node has a body for either truth value.
const WITH_ELSE: (i32, i32) = (12, 8);

/// The version of the driver.
///
/// # Errors
/// The driver has no branches and loops in graphs, or the compiler does not know them.
fn version(gpu: &Gpu) -> Result<(i32, i32)> {
    let known = driver::driver_version().map_err(|e| gpu.failed("graph", &e))?;
    let compiler = driver::compiler_version().map_err(|e| gpu.failed("graph", &e))?;
    for (what, version) in [("driver", known), ("compiler", compiler)] {
        if version < FIRST {
            return Err(Error::unimplemented(
                "graph",
                format!("the {what} has no branches and loops in captured work"),
            )
            .got(format!("a {what} of CUDA {}.{}", version.0, version.1))
            .expected(format!("CUDA {}.{} or later", FIRST.0, FIRST.1)));
        }
    }
    Ok(known)
}

/// Records a branch: `body` is called for true, then for false, and what it queues runs if the truth value at `condition` is
/// that one.
///
/// # Errors
/// Those of the bodies; the driver has no such nodes.
pub fn branch(gpu: &'static Gpu, condition: Address, body: &mut dyn FnMut(bool) -> Result<()>) -> Result<()> {
    let one_node = version(gpu)? >= WITH_ELSE;
    with_session(|session| session.nodes.branches += 1)?;
    // Asked for while the work is tried, because it cannot be compiled later.
    gpu.kernel(&NOTHING, &[])?;
    let yes = Handle::new(gpu)?;
    if one_node {
        set(gpu, condition, yes, None)?;
        let bodies = yes.node(gpu, Conditional::If, 2)?;
        inside(gpu, bodies.first(), || body(true))?;
        return inside(gpu, bodies.get(1), || body(false));
    }
    let no = Handle::new(gpu)?;
    set(gpu, condition, yes, Some(no))?;
    for (handle, side) in [(yes, true), (no, false)] {
        let bodies = handle.node(gpu, Conditional::If, 1)?;
        inside(gpu, bodies.first(), || body(side))?;
    }
    Ok(())
}

/// Takes the address of a loop's next truth value.
type Tell<'a> = dyn Fn(Address) -> Result<()> + 'a;

/// Records a loop: what `body` queues runs as long as a truth value on the device says so, at first the one at `first`. The
/// body hands the address of the next one to what it is given.
///
/// # Errors
/// As [`branch`].
pub fn repeat(gpu: &'static Gpu, first: Address, body: &mut dyn FnMut(&Tell<'_>) -> Result<()>) -> Result<()> {
    version(gpu)?;
    with_session(|session| session.nodes.loops += 1)?;
    let again = Handle::new(gpu)?;
    set(gpu, first, again, None)?;
    let bodies = again.node(gpu, Conditional::While, 1)?;
    inside(gpu, bodies.first(), || body(&|condition| set(gpu, condition, again, None)))
}

/// By which kernels tell a node what to do; nothing while work is only tried.
#[derive(Clone, Copy)]
struct Handle(Option<u64>);

impl Handle {
    fn new(gpu: &Gpu) -> Result<Self> {
        let stream = gpu.stream();
        if stream == Stream::NOWHERE {
            return Ok(Self(None));
        }
        driver::new_conditional(stream, gpu.opened.context).map(|h| Self(Some(h))).map_err(|e| gpu.failed("graph", &e))
    }

    /// Adds its node behind what was recorded so far; the node's bodies, which are empty.
    fn node(self, gpu: &Gpu, kind: Conditional, bodies: u32) -> Result<Vec<Body>> {
        let Some(handle) = self.0 else { return Ok(Vec::new()) };
        driver::add_conditional(gpu.stream(), gpu.opened.context, handle, kind, bodies)
            .map_err(|e| gpu.failed("graph", &e))
    }
}

/// Queues the kernel that tells nodes what the truth value at an address says.
fn set(gpu: &'static Gpu, condition: Address, yes: Handle, no: Option<Handle>) -> Result<()> {
    let function = gpu.kernel(&SET, &[])?;
    let mut arguments = Arguments::new();
    arguments.address(condition);
    arguments.value(yes.0.unwrap_or(0));
    arguments.value(no.and_then(|handle| handle.0).unwrap_or(0));
    arguments.value(i32::from(no.is_some()));
    // SAFETY: the arguments are those of the text, and the truth value is one byte on the device, in the order of the stream.
    unsafe { arguments.launch(gpu, "graph", function, grid(1, 1)) }
}

/// Runs `work` so that what it queues is recorded into a body.
fn inside(gpu: &'static Gpu, body: Option<&Body>, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let deeper = |session: &mut Session| {
        session.nodes.depth += 1;
        session.nodes.deepest = session.nodes.deepest.max(session.nodes.depth);
    };
    with_session(deeper)?;
    let result = match body {
        None => work(),
        Some(body) => recorded(gpu, *body, work),
    };
    with_session(|session| session.nodes.depth -= 1)?;
    result
}

fn recorded(gpu: &'static Gpu, body: Body, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let failed = |e: driver::Failure| gpu.failed("graph", &e);
    let stream = with_session(|session| session.spare.pop())?;
    let stream = stream.ok_or_else(|| Error::internal("graph", "a body lies deeper than when the work was tried"))?;
    driver::begin_body(stream, body).map_err(failed)?;
    let recording =
        Recording { stream, outer: with_session(|session| std::mem::replace(&mut session.stream, stream))? };
    let result = work().and_then(|()| fill(gpu, stream));
    let ended = recording.end().map_err(failed);
    result.and(ended)
}

/// A stream that records a body. It ends with an error too, and when the work panics: a stream that records cannot be given
/// back.
struct Recording {
    stream: Stream,
    /// The stream that records what is around the body.
    outer: Stream,
}

impl Recording {
    fn end(self) -> driver::Answer<()> {
        let ended = self.stop();
        std::mem::forget(self);
        ended
    }

    fn stop(&self) -> driver::Answer<()> {
        let _ = with_session(|session| {
            session.stream = self.outer;
            session.spare.push(self.stream);
        });
        driver::end_capture(self.stream).map(drop)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// Queues a kernel that does nothing where a body has none: drivers before CUDA 12.8 hang in an empty one.
fn fill(gpu: &'static Gpu, stream: Stream) -> Result<()> {
    if !driver::records_nothing(stream).map_err(|e| gpu.failed("graph", &e))? {
        return Ok(());
    }
    let function = gpu.kernel(&NOTHING, &[])?;
    // SAFETY: the kernel takes nothing.
    unsafe { Arguments::new().launch(gpu, "graph", function, grid(1, 1)) }
}
