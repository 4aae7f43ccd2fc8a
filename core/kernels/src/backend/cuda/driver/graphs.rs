//! The driver's graphs through `cudarc`: streams that record, recorded work, and the nodes by which a device decides what runs.
//! `capture.rs` and `conditional.rs` call it.

use super::present::{driver, raw};
use super::{Answer, Body, Conditional, Failure, Function, Graph, Grid, Node, Recorded, Stream};
use cudarc::driver::{result, sys};

/// A stream of the current context, beside that of `open`.
pub fn new_stream() -> Answer<Stream> {
    let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
    driver("cuStreamCreate", stream).map(|s| Stream(s as usize))
}

/// Gives a stream of [`new_stream`] back.
pub fn destroy_stream(stream: Stream) -> Answer<()> {
    // SAFETY: a stream of `new_stream`; the driver finishes what is queued there first.
    driver("cuStreamDestroy", unsafe { result::stream::destroy(stream.0 as _) })
}

/// Other calls of the thread go on as ever while it records: libraries may load a kernel at its first launch, and the driver is
/// known to crash where a call that another mode forbids ends the recording of a body.
const MODE: sys::CUstreamCaptureMode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

/// From now on what is queued on the stream is recorded.
pub fn begin_capture(stream: Stream) -> Answer<()> {
    // SAFETY: a stream of `new_stream`.
    driver("cuStreamBeginCapture", unsafe { result::stream::begin_capture(stream.0 as _, MODE) })
}

/// The graph of what was recorded since [`begin_capture`].
pub fn end_capture(stream: Stream) -> Answer<Graph> {
    // SAFETY: a stream that captures.
    driver("cuStreamEndCapture", unsafe { result::stream::end_capture(stream.0 as _) }).map(|g| Graph(g as usize))
}

/// Makes a graph ready to start. The graph itself is not needed afterwards.
pub fn instantiate(graph: Graph) -> Answer<Recorded> {
    // SAFETY: a graph of `end_capture`.
    let ready = unsafe { result::graph::instantiate(graph.0 as _, sys::CUgraphInstantiate_flags(0)) };
    driver("cuGraphInstantiate", ready).map(|ready| Recorded(ready as usize))
}

/// Gives a graph back.
pub fn discard(graph: Graph) {
    // SAFETY: a graph of `end_capture`, which nobody else knows. A graph that is left over costs memory and nothing else.
    let _ = unsafe { result::graph::destroy(graph.0 as _) };
}

/// Queues recorded work.
///
/// # Safety
/// All addresses that the work uses are valid when the stream gets there.
pub unsafe fn start(recorded: Recorded, stream: Stream) -> Answer<()> {
    // SAFETY: by the caller's promise.
    driver("cuGraphLaunch", unsafe { result::graph::launch(recorded.0 as _, stream.0 as _) })
}

/// Gives recorded work back.
///
/// # Safety
/// It is not under way, and nobody starts it again.
pub unsafe fn destroy(recorded: Recorded) -> Answer<()> {
    // SAFETY: by the caller's promise.
    driver("cuGraphExecDestroy", unsafe { result::graph::exec_destroy(recorded.0 as _) })
}

/// A handle by which kernels tell a node of the graph that the stream records what to do. It has no value before one is set.
pub fn new_conditional(stream: Stream, context: usize) -> Answer<u64> {
    let (graph, _) = recording(stream)?;
    let mut handle = 0;
    // SAFETY: the graph is being recorded, and the context is the one of its stream.
    let code = unsafe { sys::cuGraphConditionalHandleCreate(&raw mut handle, graph, context as _, 0, 0) };
    raw("cuGraphConditionalHandleCreate", code)?;
    Ok(handle)
}

/// Adds a node to the graph that the stream records, behind all that was recorded; its bodies, which the graph owns.
pub fn add_conditional(
    stream: Stream,
    context: usize,
    handle: u64,
    kind: Conditional,
    bodies: u32,
) -> Answer<Vec<Body>> {
    let (graph, behind) = recording(stream)?;
    // SAFETY: all fields of the description may be zero.
    let mut node: sys::CUgraphNodeParams = unsafe { std::mem::zeroed() };
    node.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
    node.__bindgen_anon_1.conditional = sys::CUDA_CONDITIONAL_NODE_PARAMS {
        handle,
        type_: match kind {
            Conditional::If => sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF,
            Conditional::While => sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE,
        },
        size: bodies,
        phGraph_out: std::ptr::null_mut(),
        ctx: context as _,
    };
    let mut made = std::ptr::null_mut();
    // SAFETY: the nodes are those of the graph; the driver fills in the bodies, as many as were asked for, which live as long
    // as the node. The stream then goes on behind the node.
    unsafe {
        let (count, all) = (behind.len(), behind.as_ptr());
        let code = sys::cuGraphAddNode_v2(&raw mut made, graph, all, std::ptr::null(), count, &raw mut node);
        raw("cuGraphAddNode", code)?;
        let given = std::slice::from_raw_parts(node.__bindgen_anon_1.conditional.phGraph_out, bodies as usize);
        let given = given.iter().map(|&body| Body(body as usize)).collect();
        let only = sys::CUstreamUpdateCaptureDependencies_flags::CU_STREAM_SET_CAPTURE_DEPENDENCIES as u32;
        let (to, none) = (stream.0 as sys::CUstream, std::ptr::null());
        let code = sys::cuStreamUpdateCaptureDependencies_v2(to, &raw mut made, none, 1, only);
        raw("cuStreamUpdateCaptureDependencies", code)?;
        Ok(given)
    }
}

/// From now on what is queued on the stream is recorded into a body, until [`end_capture`].
pub fn begin_body(stream: Stream, body: Body) -> Answer<()> {
    let (nodes, edges) = (std::ptr::null(), std::ptr::null());
    // SAFETY: a stream of `new_stream`, and a body of `add_conditional`, in which there is nothing yet.
    raw("cuStreamBeginCaptureToGraph", unsafe {
        sys::cuStreamBeginCaptureToGraph(stream.0 as _, body.0 as _, nodes, edges, 0, MODE)
    })
}

/// The node of what a stream recorded last.
pub fn last_node(stream: Stream) -> Answer<Node> {
    match recording(stream)?.1[..] {
        [node] => Ok(Node(node as usize)),
        _ => {
            Err(Failure { call: "cuStreamGetCaptureInfo", said: "the stream has recorded no single last node".into() })
        }
    }
}

/// Gives a kernel of recorded work other arguments, from the next start on.
///
/// # Safety
/// The node is a kernel of the graph that the work was made of, which still is there. Function and grid are those it was
/// recorded with, and the arguments are the kernel's.
pub unsafe fn set_launch(
    recorded: Recorded,
    node: Node,
    function: Function,
    grid: Grid,
    arguments: &mut [*mut std::ffi::c_void],
) -> Answer<()> {
    // SAFETY: all fields of the description may be zero.
    let mut launch: sys::CUDA_KERNEL_NODE_PARAMS = unsafe { std::mem::zeroed() };
    let ([bx, by, bz], [tx, ty, tz]) = (grid.blocks, grid.threads);
    launch.func = function.0 as _;
    (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (bx, by, bz);
    (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (tx, ty, tz);
    launch.sharedMemBytes = grid.shared;
    launch.kernelParams = arguments.as_mut_ptr();
    // SAFETY: by the caller's promise; the driver copies the arguments.
    raw("cuGraphExecKernelNodeSetParams", unsafe {
        sys::cuGraphExecKernelNodeSetParams_v2(recorded.0 as _, node.0 as _, &raw const launch)
    })
}

/// Whether a stream has recorded nothing since it began.
pub fn records_nothing(stream: Stream) -> Answer<bool> {
    recording(stream).map(|(_, nodes)| nodes.is_empty())
}

/// The graph that a stream records, and the nodes behind which the next one comes.
fn recording(stream: Stream) -> Answer<(sys::CUgraph, Vec<sys::CUgraphNode>)> {
    let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    let (mut graph, mut nodes, mut count) = (std::ptr::null_mut(), std::ptr::null(), 0);
    let (id, mut edges) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: places to write to; the nodes are copied before anything else is recorded.
    unsafe {
        raw(
            "cuStreamGetCaptureInfo",
            sys::cuStreamGetCaptureInfo_v3(
                stream.0 as _,
                &raw mut status,
                id,
                &raw mut graph,
                &raw mut nodes,
                &raw mut edges,
                &raw mut count,
            ),
        )?;
        let all = if count == 0 { Vec::new() } else { std::slice::from_raw_parts(nodes, count).to_vec() };
        match status {
            sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE => Ok((graph, all)),
            _ => Err(Failure { call: "cuStreamGetCaptureInfo", said: "the stream does not record".into() }),
        }
    }
}
