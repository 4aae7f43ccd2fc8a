// Running one launch: its blocks one after the other, the threads of a block as fibers. Called by `launch.cpp`.
#pragma once
#include <cstddef>
#include <string>

#include "../abi.h"

namespace eagerflow {

struct Grid {
    Triple grid, block;
    unsigned dynamic_bytes;
};

struct Program {
    State* state;
    void* (*shared_probe)();
    // Where the probe lies in the program's thread-local storage, and its size: the static shared memory.
    size_t probe_offset, shared_bytes;
};

// SUCCESS, or the code of what went wrong, with the text of it in `what`.
int run_grid(const Program& program, const Kernel& kernel, const Grid& grid, void** arguments, std::string& what);

const Services& services();

// Called by the signal handler: whether this thread runs a kernel; ends the launch and does not return.
bool in_kernel();
[[noreturn]] void abandon_launch(int code, const std::string& what);

}  // namespace eagerflow
