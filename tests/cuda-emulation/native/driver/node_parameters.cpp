// From the description of a node to checked work; called by `api_graph.cpp` and `api_graph_exec.cpp`.
#include "node_parameters.h"

#include "driver.h"
#include "launch.h"
#include "memory.h"

namespace eagerflow {

int kernel_work(const KernelParameters* p, Work& out) {
    if (p == nullptr || !is_function((Function*)p->function)) return INVALID_VALUE;
    out.kind = WorkKind::Kernel;
    const Grid grid{{p->gx, p->gy, p->gz}, {p->bx, p->by, p->bz}, p->shared};
    return make_call(*(Function*)p->function, grid, p->arguments, p->extra, out.kernel);
}

int fill_work(const FillParameters* p, Work& out) {
    if (p == nullptr || (p->element != 1 && p->element != 2 && p->element != 4) || p->width == 0 || p->height == 0) return INVALID_VALUE;
    if (p->to % p->element != 0 || !owns_device(p->to, p->pitch * (p->height - 1) + p->width * p->element)) return INVALID_VALUE;
    out.kind = WorkKind::Fill;
    out.fill = Fill{p->to, p->width, p->height, p->pitch, p->value, p->element};
    return SUCCESS;
}

int copy_work(const CopyParameters* p, Work& out) {
    if (p == nullptr || p->depth > 1 || p->width == 0 || p->height == 0) return INVALID_VALUE;
    const uint64_t from = p->from_type == 1 ? (uint64_t)p->from_host : p->from_device;
    const uint64_t to = p->to_type == 1 ? (uint64_t)p->to_host : p->to_device;
    Copy& copy = out.copy;
    const bool a = is_device_address(from), b = is_device_address(to);
    copy.direction = a ? (b ? Direction::DeviceToDevice : Direction::DeviceToHost) : b ? Direction::HostToDevice : Direction::HostToHost;
    copy.from_pitch = p->from_pitch != 0 ? p->from_pitch : p->width;
    copy.to_pitch = p->to_pitch != 0 ? p->to_pitch : p->width;
    copy.from = from + p->from_y * copy.from_pitch + p->from_x;
    copy.to = to + p->to_y * copy.to_pitch + p->to_x;
    copy.width = p->width, copy.height = p->height;
    if (a && !owns_device(copy.from, copy.from_pitch * (copy.height - 1) + copy.width)) return INVALID_VALUE;
    if (b && !owns_device(copy.to, copy.to_pitch * (copy.height - 1) + copy.width)) return INVALID_VALUE;
    out.kind = WorkKind::Copy;
    return SUCCESS;
}

}  // namespace eagerflow
