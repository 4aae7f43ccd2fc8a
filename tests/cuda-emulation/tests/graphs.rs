//! Captured and built graphs: replay, changed parameters, updates, branches between streams, conditional nodes, and what
//! a capture refuses.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each block calls the driver with handles and addresses of this test, or with wrong ones on purpose"
)]

mod support;

use cudarc::driver::sys::{self, CUstreamCaptureMode, CUstreamCaptureStatus};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DriverError, LaunchConfig, PushKernelArg, result};
use std::ffi::c_void;
use std::sync::Arc;

const SOURCE: &str = r#"
    extern "C" __global__ void scale(float* x, float by, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= by;
    }
    extern "C" __global__ void shift(float* x, float by, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] += by;
    }
"#;

fn config() -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 }
}

/// What is captured into a graph.
unsafe fn captured(stream: &Arc<CudaStream>, work: impl FnOnce()) -> sys::CUgraph {
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    work();
    unsafe { result::stream::end_capture(stream.cu_stream()) }.unwrap()
}

unsafe fn instantiated(graph: sys::CUgraph) -> sys::CUgraphExec {
    let mut exec = std::ptr::null_mut();
    unsafe { sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0) }.result().unwrap();
    exec
}

#[test]
fn a_captured_graph_runs_at_each_launch_and_takes_new_parameters() {
    let Some(d) = support::device() else { return };
    let (scale, shift) = (d.kernel(SOURCE, "scale"), d.kernel(SOURCE, "shift"));
    let mut x = d.stream.clone_htod(&[1.0f32, 2.0, 3.0]).unwrap();
    d.stream.synchronize().unwrap();
    d.emulation.reset_counters();
    let graph = unsafe {
        captured(&d.stream, || {
            d.stream.launch_builder(&scale).arg(&mut x).arg(&2.0f32).arg(&3i32).launch(config()).unwrap();
            d.stream.launch_builder(&shift).arg(&mut x).arg(&1.0f32).arg(&3i32).launch(config()).unwrap();
        })
    };
    assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [1.0, 2.0, 3.0], "a capture runs nothing");
    unsafe {
        let exec = instantiated(graph);
        result::graph::launch(exec, d.stream.cu_stream()).unwrap();
        result::graph::launch(exec, d.stream.cu_stream()).unwrap();

        // The launches above wait in the stream and keep their numbers.
        let mut count = 0;
        sys::cuGraphGetNodes(graph, std::ptr::null_mut(), &mut count).result().unwrap();
        let mut nodes = vec![std::ptr::null_mut(); count];
        sys::cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count).result().unwrap();
        assert_eq!(count, 2);
        let mut parameters = std::mem::zeroed();
        sys::cuGraphKernelNodeGetParams_v2(nodes[1], &mut parameters).result().unwrap();
        let (by, address) = (100.0f32, x.device_ptr(&d.stream).0);
        let mut arguments: [*mut c_void; 3] =
            [&raw const address as _, &raw const by as _, *parameters.kernelParams.add(2)];
        parameters.kernelParams = arguments.as_mut_ptr();
        sys::cuGraphExecKernelNodeSetParams_v2(exec, nodes[1], &parameters).result().unwrap();
        assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [7.0, 11.0, 15.0]);
        result::graph::launch(exec, d.stream.cu_stream()).unwrap();
        assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [114.0, 122.0, 130.0]);

        let c = d.emulation.counters();
        assert_eq!((c.graph_launches, c.launches), (3, 6));
        result::graph::exec_destroy(exec).unwrap();
        result::graph::destroy(graph).unwrap();
        assert!(result::graph::launch(exec, d.stream.cu_stream()).is_err(), "a destroyed graph does not run");
    }
}

#[test]
fn an_update_takes_the_same_shape_and_refuses_another() {
    let Some(d) = support::device() else { return };
    let (scale, shift) = (d.kernel(SOURCE, "scale"), d.kernel(SOURCE, "shift"));
    let mut x = d.stream.clone_htod(&[1.0f32]).unwrap();
    d.stream.synchronize().unwrap();
    unsafe {
        let mut one = |by: f32, twice: bool| {
            captured(&d.stream, || {
                d.stream.launch_builder(&scale).arg(&mut x).arg(&by).arg(&1i32).launch(config()).unwrap();
                if twice {
                    d.stream.launch_builder(&shift).arg(&mut x).arg(&by).arg(&1i32).launch(config()).unwrap();
                }
            })
        };
        let (first, same, other) = (one(2.0, false), one(5.0, false), one(7.0, true));
        let exec = instantiated(first);
        let mut info = std::mem::zeroed();
        sys::cuGraphExecUpdate_v2(exec, same, &mut info).result().unwrap();
        let refused = sys::cuGraphExecUpdate_v2(exec, other, &mut info);
        assert_eq!(refused, sys::CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
        assert_eq!(info.result, sys::CUgraphExecUpdateResult::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
        result::graph::launch(exec, d.stream.cu_stream()).unwrap();
        assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [5.0]);
    }
}

#[test]
fn a_capture_follows_events_to_other_streams_and_wants_them_back() {
    let Some(d) = support::device() else { return };
    let shift = d.kernel(SOURCE, "shift");
    let side = d.context.new_stream().unwrap();
    let (mut x, mut y) = (d.stream.alloc_zeros::<f32>(1).unwrap(), d.stream.alloc_zeros::<f32>(1).unwrap());
    d.stream.synchronize().unwrap();
    unsafe {
        let graph = captured(&d.stream, || {
            d.stream.launch_builder(&shift).arg(&mut x).arg(&1.0f32).arg(&1i32).launch(config()).unwrap();
            side.join(&d.stream).unwrap();
            side.launch_builder(&shift).arg(&mut y).arg(&2.0f32).arg(&1i32).launch(config()).unwrap();
            d.stream.launch_builder(&shift).arg(&mut x).arg(&4.0f32).arg(&1i32).launch(config()).unwrap();
            d.stream.join(&side).unwrap();
        });
        let exec = instantiated(graph);
        let mut edges = 0;
        sys::cuGraphGetEdges_v2(graph, std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut(), &mut edges)
            .result()
            .unwrap();
        assert_eq!(edges, 2, "two branches from the first node");
        result::graph::launch(exec, d.stream.cu_stream()).unwrap();
        assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [5.0]);
        assert_eq!(d.stream.clone_dtoh(&y).unwrap(), [2.0]);

        d.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        d.stream.launch_builder(&shift).arg(&mut x).arg(&1.0f32).arg(&1i32).launch(config()).unwrap();
        side.join(&d.stream).unwrap();
        side.launch_builder(&shift).arg(&mut y).arg(&2.0f32).arg(&1i32).launch(config()).unwrap();
        let lost = result::stream::end_capture(d.stream.cu_stream()).unwrap_err();
        assert_eq!(lost.0, sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    }
}

#[test]
fn a_capture_refuses_to_wait_to_allocate_and_to_read_pageable_memory() {
    let Some(d) = support::device() else { return };
    let mut x = d.stream.alloc_zeros::<f32>(4).unwrap();
    d.stream.synchronize().unwrap();
    let unsupported = sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    type Attempt<'a> = &'a dyn Fn(&mut CudaSlice<f32>) -> Result<(), DriverError>;
    let attempts: [Attempt<'_>; 3] =
        [&|_| d.stream.synchronize(), &|_| unsafe { result::malloc_sync(64) }.map(|_| ()), &|x| {
            d.stream.memcpy_htod(&[1.0f32; 4], x)
        }];
    for attempt in attempts {
        d.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        assert_eq!(attempt(&mut x).unwrap_err().0, unsupported);
        assert_eq!(d.stream.capture_status().unwrap(), CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        let lost = unsafe { result::stream::end_capture(d.stream.cu_stream()) }.unwrap_err();
        assert_eq!(lost.0, sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [0.0; 4]);
}

#[test]
fn a_conditional_node_repeats_its_body_on_the_device() {
    let Some(d) = support::device() else { return };
    let source = r#"
        #ifndef EAGERFLOW_EMULATED
        typedef unsigned long long cudaGraphConditionalHandle;
        extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
        #endif
        extern "C" __global__ void halve(float* x, cudaGraphConditionalHandle again) {
            x[0] *= 0.5f;
            x[1] += 1.0f;
            cudaGraphSetConditional(again, x[0] > 1.0f);
        }"#;
    let halve = d.kernel(source, "halve");
    let mut x = d.stream.clone_htod(&[100.0f32, 0.0]).unwrap();
    d.stream.synchronize().unwrap();
    unsafe {
        let (mut graph, mut handle, mut node) = (std::ptr::null_mut(), 0, std::ptr::null_mut());
        sys::cuGraphCreate(&mut graph, 0).result().unwrap();
        sys::cuGraphConditionalHandleCreate(
            &mut handle,
            graph,
            std::ptr::null_mut(),
            1,
            sys::CU_GRAPH_COND_ASSIGN_DEFAULT,
        )
        .result()
        .unwrap();
        let mut parameters: sys::CUgraphNodeParams = std::mem::zeroed();
        parameters.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        parameters.__bindgen_anon_1.conditional = sys::CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE,
            size: 1,
            phGraph_out: std::ptr::null_mut(),
            ctx: d.context.cu_ctx(),
        };
        sys::cuGraphAddNode_v2(&mut node, graph, std::ptr::null(), std::ptr::null(), 0, &mut parameters)
            .result()
            .unwrap();
        let body = *parameters.__bindgen_anon_1.conditional.phGraph_out;
        sys::cuStreamBeginCaptureToGraph(
            d.stream.cu_stream(),
            body,
            std::ptr::null(),
            std::ptr::null(),
            0,
            CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        )
        .result()
        .unwrap();
        let one = LaunchConfig { block_dim: (1, 1, 1), ..config() };
        d.stream.launch_builder(&halve).arg(&mut x).arg(&handle).launch(one).unwrap();
        assert_eq!(result::stream::end_capture(d.stream.cu_stream()).unwrap(), body);
        let exec = instantiated(graph);
        result::graph::launch(exec, d.stream.cu_stream()).unwrap();
        assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [100.0 / 128.0, 7.0]);
        // Again: the handle starts at its default, and the body runs once at least.
        result::graph::launch(exec, d.stream.cu_stream()).unwrap();
        assert_eq!(d.stream.clone_dtoh(&x).unwrap(), [100.0 / 256.0, 8.0]);
    }
}
