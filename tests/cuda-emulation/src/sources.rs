//! The C++ sources, carried inside the library so that a test binary needs no source folder where it runs.
//! `build.rs` writes them out and compiles them.

macro_rules! sources {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../native/", $path)))),*]
    };
}

/// Paths below `native/`, with their texts.
pub(crate) const SOURCES: &[(&str, &str)] = sources![
    "abi.h"
    "kernel/atomics.h"
    "kernel/device.h"
    "kernel/export.h"
    "kernel/math.h"
    "kernel/threads.h"
    "kernel/vectors.h"
    "cublaslt/api.cpp"
    "cublaslt/check.cpp"
    "cublaslt/hooks.h"
    "cublaslt/matmul.h"
    "cublaslt/product.cpp"
    "driver/api_device.cpp"
    "driver/api_graph.cpp"
    "driver/api_graph_exec.cpp"
    "driver/api_memory.cpp"
    "driver/api_module.cpp"
    "driver/api_stream.cpp"
    "driver/block.cpp"
    "driver/block.h"
    "driver/conditional.cpp"
    "driver/conditional.h"
    "driver/driver.cpp"
    "driver/driver.h"
    "driver/fault.cpp"
    "driver/fault.h"
    "driver/fiber.cpp"
    "driver/fiber.h"
    "driver/graph.cpp"
    "driver/graph.h"
    "driver/hooks.cpp"
    "driver/image.h"
    "driver/launch.cpp"
    "driver/launch.h"
    "driver/memory.cpp"
    "driver/memory.h"
    "driver/module.cpp"
    "driver/module.h"
    "driver/node_parameters.cpp"
    "driver/node_parameters.h"
    "driver/shared_memory.cpp"
    "driver/shared_memory.h"
    "driver/stream.cpp"
    "driver/stream.h"
    "driver/warp.cpp"
    "driver/warp.h"
    "driver/work.cpp"
    "driver/work.h"
    "nvrtc/api.cpp"
    "nvrtc/compile.cpp"
    "nvrtc/program.h"
    "nvrtc/rewrite.cpp"
];
