//! Conditional nodes spliced into a captured stream: branches with one and two bodies, loops in branches, and what the driver
//! refuses of them.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each block calls the driver with handles and addresses of this test, or with wrong ones on purpose"
)]

mod support;

use cudarc::driver::sys::{self, CUresult, CUstreamCaptureMode};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg, result};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use support::Device;

const SOURCE: &str = r#"
    #ifndef EAGERFLOW_EMULATED
    typedef unsigned long long cudaGraphConditionalHandle;
    extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
    #endif
    extern "C" __global__ void decide(const float* x, float limit, cudaGraphConditionalHandle handle) {
        cudaGraphSetConditional(handle, x[0] > limit);
    }
    extern "C" __global__ void add(float* x, float by) { x[0] += by; }
"#;

const MODE: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
const IF: sys::CUgraphConditionalNodeType = sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF;
const WHILE: sys::CUgraphConditionalNodeType = sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE;

fn one() -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 }
}

/// The kernels, one number on the device, and a second stream.
struct Setup {
    device: Device,
    decide: CudaFunction,
    add: CudaFunction,
    x: CudaSlice<f32>,
    side: Arc<CudaStream>,
}

fn setup() -> Option<Setup> {
    let device = support::device()?;
    let (decide, add) = (device.kernel(SOURCE, "decide"), device.kernel(SOURCE, "add"));
    let x = device.stream.alloc_zeros::<f32>(1).unwrap();
    let side = device.context.new_stream().unwrap();
    device.stream.synchronize().unwrap();
    Some(Setup { device, decide, add, x, side })
}

impl Setup {
    fn stream(&self) -> &Arc<CudaStream> {
        &self.device.stream
    }

    fn decide(&self, stream: &Arc<CudaStream>, limit: f32, handle: u64) {
        unsafe { stream.launch_builder(&self.decide).arg(&self.x).arg(&limit).arg(&handle).launch(one()) }.unwrap();
    }

    fn add(&self, stream: &Arc<CudaStream>, by: f32) {
        unsafe { stream.launch_builder(&self.add).arg(&self.x).arg(&by).launch(one()) }.unwrap();
    }

    /// The number after a launch from `start`.
    fn run(&mut self, exec: sys::CUgraphExec, start: f32) -> f32 {
        let stream = self.device.stream.clone();
        stream.memcpy_htod(&[start], &mut self.x).unwrap();
        unsafe { result::graph::launch(exec, stream.cu_stream()) }.unwrap();
        stream.clone_dtoh(&self.x).unwrap()[0]
    }
}

/// The graph that a stream records, and its last nodes.
unsafe fn recorded(stream: &CudaStream) -> (sys::CUgraph, Vec<sys::CUgraphNode>) {
    let (mut status, mut graph) = (sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE, null_mut());
    let (mut nodes, mut edges, mut count) = (null(), null(), 0);
    unsafe {
        sys::cuStreamGetCaptureInfo_v3(
            stream.cu_stream(),
            &mut status,
            null_mut(),
            &mut graph,
            &mut nodes,
            &mut edges,
            &mut count,
        )
        .result()
        .unwrap();
        let all = if count == 0 { Vec::new() } else { std::slice::from_raw_parts(nodes, count).to_vec() };
        (graph, all)
    }
}

unsafe fn handle(graph: sys::CUgraph) -> u64 {
    let mut handle = 0;
    unsafe { sys::cuGraphConditionalHandleCreate(&mut handle, graph, null_mut(), 0, 0) }.result().unwrap();
    handle
}

/// Adds a conditional node behind what the stream recorded; its bodies.
unsafe fn splice(
    stream: &CudaStream,
    handle: u64,
    kind: sys::CUgraphConditionalNodeType,
    bodies: u32,
) -> Result<Vec<sys::CUgraph>, CUresult> {
    let refused = |code: CUresult| code.result().map_err(|e| e.0);
    unsafe {
        let (graph, behind) = recorded(stream);
        let mut parameters: sys::CUgraphNodeParams = std::mem::zeroed();
        parameters.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        parameters.__bindgen_anon_1.conditional = sys::CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: kind,
            size: bodies,
            phGraph_out: null_mut(),
            ctx: null_mut(),
        };
        let mut node = null_mut();
        refused(sys::cuGraphAddNode_v2(&mut node, graph, behind.as_ptr(), null(), behind.len(), &mut parameters))?;
        let only = sys::CUstreamUpdateCaptureDependencies_flags::CU_STREAM_SET_CAPTURE_DEPENDENCIES as u32;
        refused(sys::cuStreamUpdateCaptureDependencies_v2(stream.cu_stream(), &mut node, null(), 1, only))?;
        let given = parameters.__bindgen_anon_1.conditional.phGraph_out;
        Ok(std::slice::from_raw_parts(given, bodies as usize).to_vec())
    }
}

unsafe fn begin_body(stream: &CudaStream, body: sys::CUgraph) -> Result<(), CUresult> {
    unsafe { sys::cuStreamBeginCaptureToGraph(stream.cu_stream(), body, null(), null(), 0, MODE) }
        .result()
        .map_err(|e| e.0)
}

unsafe fn end(stream: &CudaStream) -> sys::CUgraph {
    unsafe { result::stream::end_capture(stream.cu_stream()) }.unwrap()
}

unsafe fn instantiated(graph: sys::CUgraph) -> Result<sys::CUgraphExec, CUresult> {
    let mut exec = null_mut();
    unsafe { sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0) }.result().map_err(|e| e.0)?;
    Ok(exec)
}

#[test]
fn a_branch_has_a_body_for_either_value() {
    let Some(mut s) = setup() else { return };
    let exec = unsafe {
        s.stream().begin_capture(MODE).unwrap();
        s.add(s.stream(), 1.0);
        let handle = handle(recorded(s.stream()).0);
        s.decide(s.stream(), 10.0, handle);
        let bodies = splice(s.stream(), handle, IF, 2).unwrap();
        for (body, by) in bodies.into_iter().zip([100.0, 200.0]) {
            begin_body(&s.side, body).unwrap();
            s.add(&s.side, by);
            assert_eq!(end(&s.side), body);
        }
        s.add(s.stream(), 0.5);
        let graph = end(s.stream());
        let exec = instantiated(graph).unwrap();
        result::graph::destroy(graph).unwrap();
        exec
    };
    assert_eq!(s.run(exec, 20.0), 121.5);
    assert_eq!(s.run(exec, 2.0), 203.5);
    assert_eq!(s.run(exec, 10.0), 111.5);
}

#[test]
fn a_loop_lies_in_a_branch() {
    let Some(mut s) = setup() else { return };
    let deeper = s.device.context.new_stream().unwrap();
    let exec = unsafe {
        s.stream().begin_capture(MODE).unwrap();
        let chosen = handle(recorded(s.stream()).0);
        s.decide(s.stream(), 0.0, chosen);
        let bodies = splice(s.stream(), chosen, IF, 1).unwrap();
        begin_body(&s.side, bodies[0]).unwrap();
        let again = handle(recorded(&s.side).0);
        s.decide(&s.side, 5.0, again);
        let inner = splice(&s.side, again, WHILE, 1).unwrap();
        begin_body(&deeper, inner[0]).unwrap();
        s.add(&deeper, -2.0);
        s.decide(&deeper, 5.0, again);
        end(&deeper);
        s.add(&s.side, 0.25);
        end(&s.side);
        instantiated(end(s.stream())).unwrap()
    };
    assert_eq!(s.run(exec, 12.0), 4.25, "four rounds");
    assert_eq!(s.run(exec, 3.0), 3.25, "no round");
    assert_eq!(s.run(exec, -3.0), -3.0, "not taken");
    s.device.emulation.reset_counters();
    s.run(exec, 9.0);
    let counted = s.device.emulation.counters();
    assert_eq!((counted.graph_launches, counted.launches), (1, 2 + 2 * 2 + 1));
}

#[test]
fn handles_belong_to_their_graph_and_to_one_node() {
    let Some(s) = setup() else { return };
    unsafe {
        let mut other = null_mut();
        sys::cuGraphCreate(&mut other, 0).result().unwrap();
        let foreign = handle(other);
        assert_eq!(instantiated(other).unwrap_err(), CUresult::CUDA_ERROR_INVALID_VALUE, "a handle without a node");
        s.stream().begin_capture(MODE).unwrap();
        let own = handle(recorded(s.stream()).0);
        assert_eq!(splice(s.stream(), foreign, IF, 1).unwrap_err(), CUresult::CUDA_ERROR_INVALID_VALUE);
        let bodies = splice(s.stream(), own, IF, 1).unwrap();
        assert_eq!(splice(s.stream(), own, IF, 1).unwrap_err(), CUresult::CUDA_ERROR_INVALID_VALUE, "used already");
        begin_body(&s.side, bodies[0]).unwrap();
        assert_eq!(begin_body(&s.side, bodies[0]).unwrap_err(), CUresult::CUDA_ERROR_INVALID_VALUE, "recorded into");
        let of_body = handle(recorded(&s.side).0);
        assert_eq!(splice(s.stream(), of_body, IF, 1).unwrap_err(), CUresult::CUDA_ERROR_INVALID_VALUE, "of a body");
        splice(&s.side, of_body, WHILE, 1).unwrap();
        end(&s.side);
        assert!(result::graph::destroy(bodies[0]).is_err(), "a body belongs to its node");
        instantiated(end(s.stream())).unwrap();
    }
}

#[test]
fn a_body_takes_only_what_a_device_starts_by_itself() {
    let Some(s) = setup() else { return };
    unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}
    unsafe {
        s.stream().begin_capture(MODE).unwrap();
        let own = handle(recorded(s.stream()).0);
        let bodies = splice(s.stream(), own, IF, 1).unwrap();
        begin_body(&s.side, bodies[0]).unwrap();
        sys::cuLaunchHostFunc(s.side.cu_stream(), Some(nothing), null_mut()).result().unwrap();
        end(&s.side);
        assert_eq!(instantiated(end(s.stream())).unwrap_err(), CUresult::CUDA_ERROR_NOT_SUPPORTED);

        // Memory is refused while a body is recorded as everywhere, and both captures are lost.
        s.stream().begin_capture(MODE).unwrap();
        let own = handle(recorded(s.stream()).0);
        let bodies = splice(s.stream(), own, IF, 1).unwrap();
        begin_body(&s.side, bodies[0]).unwrap();
        let refused = result::malloc_sync(64).unwrap_err().0;
        assert_eq!(refused, CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        let lost = result::stream::end_capture(s.side.cu_stream()).unwrap_err().0;
        assert_eq!(lost, CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        let lost = result::stream::end_capture(s.stream().cu_stream()).unwrap_err().0;
        assert_eq!(lost, CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
}

#[test]
fn a_handle_has_no_value_before_it_is_set() {
    let Some(mut s) = setup() else { return };
    let exec = unsafe {
        s.stream().begin_capture(MODE).unwrap();
        let own = handle(recorded(s.stream()).0);
        splice(s.stream(), own, IF, 1).unwrap();
        instantiated(end(s.stream())).unwrap()
    };
    s.device.emulation.set_quiet(true);
    let stream = s.device.stream.clone();
    stream.memcpy_htod(&[1.0], &mut s.x).unwrap();
    unsafe { result::graph::launch(exec, stream.cu_stream()) }.unwrap();
    assert_eq!(stream.synchronize().unwrap_err().0, CUresult::CUDA_ERROR_LAUNCH_FAILED);
    assert!(s.device.emulation.last_failure().unwrap().contains("before its handle was set"));
    s.device.emulation.recover();
    s.device.emulation.set_quiet(false);
}

#[test]
fn an_empty_body_is_lost_before_12_8() {
    let Some(mut s) = setup() else { return };
    let exec = unsafe {
        s.stream().begin_capture(MODE).unwrap();
        let own = handle(recorded(s.stream()).0);
        s.decide(s.stream(), 0.0, own);
        splice(s.stream(), own, IF, 1).unwrap();
        instantiated(end(s.stream())).unwrap()
    };
    assert_eq!(s.run(exec, 1.0), 1.0);
    s.device.emulation.set_version((12, 6));
    s.device.emulation.set_quiet(true);
    assert_eq!(s.run(exec, -1.0), -1.0);
    let stream = s.device.stream.clone();
    stream.memcpy_htod(&[1.0], &mut s.x).unwrap();
    unsafe { result::graph::launch(exec, stream.cu_stream()) }.unwrap();
    assert_eq!(stream.synchronize().unwrap_err().0, CUresult::CUDA_ERROR_LAUNCH_FAILED);
    assert!(s.device.emulation.last_failure().unwrap().contains("is empty"));
    s.device.emulation.recover();
    s.device.emulation.set_quiet(false);
    s.device.emulation.set_version((13, 0));
}

#[test]
fn older_drivers_have_less() {
    let Some(s) = setup() else { return };
    let nodes = |version: (i32, i32), bodies: u32| unsafe {
        s.device.emulation.set_version(version);
        s.stream().begin_capture(MODE).unwrap();
        let mut handle = 0;
        let code = sys::cuGraphConditionalHandleCreate(&mut handle, recorded(s.stream()).0, null_mut(), 0, 0);
        let made = code.result().map_err(|e| e.0).and_then(|()| splice(s.stream(), handle, IF, bodies).map(drop));
        end(s.stream());
        made
    };
    assert_eq!(nodes((12, 2), 1), Err(CUresult::CUDA_ERROR_NOT_SUPPORTED));
    assert_eq!(nodes((12, 4), 1), Ok(()));
    assert_eq!(nodes((12, 4), 2), Err(CUresult::CUDA_ERROR_INVALID_VALUE));
    assert_eq!(nodes((12, 8), 2), Ok(()));
    s.device.emulation.set_version((13, 0));
}
