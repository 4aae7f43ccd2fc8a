// What an emulated kernel and the emulated driver know of each other: the state of the running thread, which the driver
// writes before it runs a thread, and the services that a thread asks of the driver. Included by both sides.
#pragma once

namespace eagerflow {

struct Triple {
    unsigned x, y, z;
};

// The built-in variables of the thread that runs; one object in every compiled program.
struct State {
    Triple thread, block, block_size, grid_size;
    void* dynamic_shared;
    unsigned dynamic_bytes;
};

// What the lanes of a warp do together.
enum WarpKind : int { WARP_SYNC, WARP_BALLOT, WARP_SHUFFLE, WARP_MATCH, WARP_ADD, WARP_MIN, WARP_MAX, WARP_AND, WARP_OR, WARP_XOR };

// What `__syncthreads` and its relatives compute.
enum BlockKind : int { BLOCK_SYNC, BLOCK_COUNT, BLOCK_AND, BLOCK_OR };

struct WarpRequest {
    WarpKind kind;
    unsigned mask;
    // The lane a shuffle reads from; -1: its own value, because the source lies outside of the segment.
    int source;
    int line;
    unsigned long long value;
    unsigned long long result;
};

struct BlockRequest {
    BlockKind kind;
    int predicate;
    int line;
    int result;
};

// Codes are the driver's (`CUresult`).
enum FailureCode : int { FAIL_ILLEGAL_ADDRESS = 700, FAIL_ASSERT = 710, FAIL_ILLEGAL_INSTRUCTION = 715, FAIL_MISALIGNED = 716, FAIL_LAUNCH = 719 };

struct Services {
    void (*block)(BlockRequest*);
    void (*warp)(WarpRequest*);
    // Ends the launch; does not return.
    void (*fail)(int code, const char* what, int line);
    unsigned (*active_mask)();
    unsigned (*lane)();
    void (*set_conditional)(unsigned long long handle, unsigned value);
};

// One `__global__` function of a program. The driver finds it as `eagerflow_kernel_<name>`.
struct Kernel {
    int parameters;
    const unsigned* sizes;
    const unsigned* alignments;
    void (*call)(void** arguments);
    // Of `__launch_bounds__`, 0 where there are none.
    unsigned max_threads;
};

// `eagerflow_attach`, which every program exports: takes the services, gives its state and where its static shared
// memory (its thread-local storage) can be found.
struct Attachment {
    State* state;
    void* (*shared_probe)();
};

}  // namespace eagerflow
