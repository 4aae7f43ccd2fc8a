// What each kind of work does when its turn comes.
#include "work.h"

#include <cstring>

#include "conditional.h"
#include "driver.h"
#include "graph.h"
#include "memory.h"

namespace eagerflow {

Work Work::clone() const {
    Work copy;
    copy.kind = kind;
    copy.kernel = kernel == nullptr ? nullptr : std::make_unique<KernelCall>(*kernel);
    copy.copy = this->copy;
    copy.fill = fill;
    copy.event = event;
    copy.ticket = ticket;
    copy.address = address;
    copy.call = call;
    copy.graph = graph;
    return copy;
}

int run_kernel(const KernelCall& call) {
    if (!is_function(call.function)) return lose(LAUNCH_FAILED, "a kernel's module was unloaded before the kernel ran");
    driver().counters.launches++;
    driver().launches_by_kernel[call.function->name]++;
    // Each argument at an address that fits its type.
    alignas(64) static thread_local unsigned char storage[33 * 1024];
    void* arguments[1024];
    memcpy(storage, call.bytes.data(), call.bytes.size());
    for (size_t i = 0; i < call.offsets.size(); i++) arguments[i] = storage + call.offsets[i];
    std::string what;
    const int code = run_grid(call.function->module->program, *call.function->kernel, call.grid, arguments, what);
    return code == SUCCESS ? SUCCESS : lose(code, "kernel `" + call.function->name + "`, " + what);
}

int run_copy(const Copy& copy) {
    OpenMemory open;
    Counters& c = driver().counters;
    const uint64_t bytes = (uint64_t)copy.width * copy.height;
    const unsigned char* from = copy.staged != nullptr ? copy.staged->data() : (const unsigned char*)copy.from;
    const size_t from_pitch = copy.staged != nullptr ? copy.width : copy.from_pitch;
    switch (copy.direction) {
        case Direction::HostToDevice: c.host_to_device++, c.host_to_device_bytes += bytes; break;
        case Direction::DeviceToHost: c.device_to_host++, c.device_to_host_bytes += bytes; break;
        case Direction::DeviceToDevice: c.device_to_device++, c.device_to_device_bytes += bytes; break;
        case Direction::HostToHost: break;
    }
    for (size_t row = 0; row < copy.height; row++)
        memmove((void*)(copy.to + row * copy.to_pitch), from + row * from_pitch, copy.width);
    return SUCCESS;
}

int run_fill(const Fill& fill) {
    OpenMemory open;
    driver().counters.memsets++;
    for (size_t row = 0; row < fill.height; row++) {
        unsigned char* to = (unsigned char*)(fill.to + row * fill.pitch);
        if (fill.element == 1) memset(to, (int)fill.value, fill.width);
        else
            for (size_t i = 0; i < fill.width; i++) memcpy(to + i * fill.element, &fill.value, fill.element);
    }
    return SUCCESS;
}

int run_work(const Work& work) {
    switch (work.kind) {
        case WorkKind::Kernel: return run_kernel(*work.kernel);
        case WorkKind::Copy: return run_copy(work.copy);
        case WorkKind::Fill: return run_fill(work.fill);
        case WorkKind::Free: return free_device(work.address);
        case WorkKind::Call: return work.call();
        case WorkKind::Library: {
            OpenMemory open;
            return work.call();
        }
        case WorkKind::Graph: driver().counters.graph_launches++; return launch_graph(*work.graph);
        default: return SUCCESS;
    }
}

}  // namespace eagerflow
