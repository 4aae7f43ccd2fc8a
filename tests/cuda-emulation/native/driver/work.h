// A piece of work as a stream keeps it until someone waits, and as a node of a graph. Made by `launch.cpp`, `copy.cpp`,
// `event.cpp` and the emulated cublasLt; run by `stream.cpp` and `graph.cpp`.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "module.h"

namespace eagerflow {

struct Event;
struct GraphExec;

// A launch with its arguments copied, as they are when `cuLaunchKernel` is called.
struct KernelCall {
    Function* function = nullptr;
    Grid grid{};
    std::vector<unsigned char> bytes;
    std::vector<size_t> offsets;
};

enum class Direction { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost };

// `height` rows of `width` bytes.
struct Copy {
    Direction direction{};
    uint64_t to = 0, from = 0;
    size_t width = 0, height = 1, to_pitch = 0, from_pitch = 0;
    // The source, where it was pageable memory of the host: the driver takes it at the call.
    std::shared_ptr<std::vector<unsigned char>> staged;
};

struct Fill {
    uint64_t to = 0;
    size_t width = 0, height = 1, pitch = 0;
    unsigned value = 0, element = 1;
};

enum class WorkKind { Kernel, Copy, Fill, Record, Wait, Free, Call, Library, Graph, Empty, Conditional };

struct Work {
    WorkKind kind = WorkKind::Empty;
    uint64_t sequence = 0;
    std::unique_ptr<KernelCall> kernel;
    Copy copy;
    Fill fill;
    std::shared_ptr<Event> event;
    uint64_t ticket = 0;  // of the record that a wait is for
    uint64_t address = 0;
    // Gives a result code: functions of the host (`Call`), and what libraries run as kernels (`Library`).
    std::function<int()> call;
    std::shared_ptr<GraphExec> graph;

    Work clone() const;
};

int run_kernel(const KernelCall& call);
int run_copy(const Copy& copy);
int run_fill(const Fill& fill);
// Everything but records and waits, which belong to streams.
int run_work(const Work& work);

}  // namespace eagerflow
