// CUDA C++ for g++: included before every kernel text, it gives the language's words, variables and functions a meaning
// on emulated threads. It includes nothing of the standard library, so that a kernel which leans on it does not compile.
#pragma once
#include "abi.h"

#define __global__ __attribute__((used, visibility("default")))
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// Thread-local storage is one piece that the driver can find and poison before each block, templates included.
// `used`: the compiler must not conclude from this text alone that nobody writes it.
#define __shared__ __attribute__((used)) thread_local

typedef unsigned long size_t;

extern "C" __attribute__((visibility("hidden"))) eagerflow::State eagerflow_state;
extern "C" __attribute__((visibility("hidden"))) const eagerflow::Services* eagerflow_services;

// What the emulated NVRTC puts in place of `extern __shared__ T name[]`.
#define EAGERFLOW_DYNAMIC_SHARED(T) ((T*)eagerflow_state.dynamic_shared)

#include "vectors.h"

struct EagerflowIndex {
    unsigned x, y, z;
    operator uint3() const { return uint3{x, y, z}; }
    operator dim3() const { return dim3(x, y, z); }
};
static_assert(sizeof(EagerflowIndex) == sizeof(eagerflow::Triple), "one layout on both sides");
#define threadIdx (*(const EagerflowIndex*)&eagerflow_state.thread)
#define blockIdx (*(const EagerflowIndex*)&eagerflow_state.block)
#define blockDim (*(const EagerflowIndex*)&eagerflow_state.block_size)
#define gridDim (*(const EagerflowIndex*)&eagerflow_state.grid_size)
#define warpSize 32

#include "threads.h"
#include "atomics.h"
#include "math.h"
#include "export.h"
