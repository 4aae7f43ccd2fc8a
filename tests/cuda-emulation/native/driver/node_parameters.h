// The structs by which callers describe nodes of graphs, with the layouts of the driver's interface, and the work that
// they stand for.
#pragma once
#include "work.h"

namespace eagerflow {

// `CUDA_KERNEL_NODE_PARAMS_v2`.
struct KernelParameters {
    void* function;
    unsigned gx, gy, gz, bx, by, bz, shared;
    void** arguments;
    void** extra;
    void* kernel;
    void* context;
};

// `CUDA_MEMSET_NODE_PARAMS`.
struct FillParameters {
    uint64_t to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};

// `CUDA_MEMCPY3D`.
struct CopyParameters {
    size_t from_x, from_y, from_z, from_level;
    unsigned from_type;
    const void* from_host;
    uint64_t from_device;
    void* from_array;
    void* reserved0;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_level;
    unsigned to_type;
    void* to_host;
    uint64_t to_device;
    void* to_array;
    void* reserved1;
    size_t to_pitch, to_height;
    size_t width, height, depth;
};

int kernel_work(const KernelParameters* parameters, Work& out);
int fill_work(const FillParameters* parameters, Work& out);
int copy_work(const CopyParameters* parameters, Work& out);

}  // namespace eagerflow
