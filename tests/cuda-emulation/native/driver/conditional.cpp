// Conditional nodes: which bodies they run, the values by which kernels tell them, and what the device asks of graphs that
// hold such nodes. Called by `graph.cpp` and `api_graph.cpp`.
#include "conditional.h"

#include <map>
#include <string>

#include "driver.h"

namespace eagerflow {

namespace {

struct Value {
    unsigned value;
    bool set;
};

// Of the graph that runs: a handle means nothing before and after.
std::map<uint64_t, Value>& values() {
    static auto* map = new std::map<uint64_t, Value>;
    return *map;
}

void prepare(const GraphExec& exec) {
    for (const Handle& handle : exec.handles) values()[handle.id] = Value{handle.initial, handle.assign_at_launch};
    for (const GraphExec::Step& step : exec.steps)
        for (const auto& body : step.bodies) prepare(*body);
}

// Whether device memory, or memory of the host that the device reads itself, is on both sides.
bool copies_within_reach(const Copy& copy) { return copy.direction == Direction::DeviceToDevice || copy.staged == nullptr; }

int check_body(const Graph& graph) {
    for (const auto& node : graph.nodes) {
        const Work& work = node->work;
        switch (work.kind) {
            case WorkKind::Kernel: case WorkKind::Library: case WorkKind::Empty: case WorkKind::Conditional: break;
            case WorkKind::Graph:
                if (node->child == nullptr) return NOT_SUPPORTED;
                if (const int code = check_body(*node->child)) return code;
                break;
            case WorkKind::Copy: case WorkKind::Fill:
                if (driver().switches.version < 12040) return NOT_SUPPORTED;
                if (work.kind == WorkKind::Copy && !copies_within_reach(work.copy)) return NOT_SUPPORTED;
                break;
            default: return NOT_SUPPORTED;
        }
    }
    return SUCCESS;
}

}  // namespace

int use_handle(Graph& graph, uint64_t id) {
    // A handle belongs to the graph that it was made for and to those inside of it, and to one node.
    for (Graph* g = &graph; g != nullptr; g = g->parent) {
        for (Handle& handle : g->handles) {
            if (handle.id != id) continue;
            if (handle.used) return INVALID_VALUE;
            handle.used = true;
            return SUCCESS;
        }
    }
    return INVALID_VALUE;
}

int check_graph(const Graph& graph) {
    if (graph.recorded_into) return INVALID_VALUE;
    for (const Handle& handle : graph.handles)
        if (!handle.used) return INVALID_VALUE;
    for (const auto& node : graph.nodes) {
        if (node->child != nullptr)
            if (const int code = check_graph(*node->child)) return code;
        if (node->conditional == nullptr) continue;
        for (const auto& body : node->conditional->bodies) {
            if (const int code = check_graph(*body)) return code;
            if (const int code = check_body(*body)) return code;
        }
    }
    return SUCCESS;
}

int launch_graph(GraphExec& exec) {
    prepare(exec);
    const int code = run_graph(exec);
    values().clear();
    return code;
}

int run_conditional(GraphExec::Step& step) {
    // A node whose handle nobody has set does what it likes on a device.
    auto unset = [&] { return !values()[step.handle].set; };
    auto lost = [] { return lose(LAUNCH_FAILED, "a conditional node runs before its handle was set"); };
    // Real devices hang there.
    auto run = [](GraphExec& body) {
        if (body.steps.empty() && driver().switches.version < 12080)
            return lose(LAUNCH_FAILED, "a body of a conditional node is empty, which CUDA before 12.8 cannot run");
        return run_graph(body);
    };
    if (step.kind == ConditionalKind::While) {
        if (unset()) return lost();
        while (values()[step.handle].value != 0)
            if (const int code = run(*step.bodies[0])) return code;
        return SUCCESS;
    }
    if (unset()) return lost();
    // An `if` may have a second body, for zero; a `switch` has one for each value.
    const unsigned value = values()[step.handle].value;
    const size_t body = step.kind == ConditionalKind::Switch ? value : value != 0 ? 0 : 1;
    return body < step.bodies.size() ? run(*step.bodies[body]) : SUCCESS;
}

bool set_conditional(uint64_t handle, unsigned value) {
    auto found = values().find(handle);
    if (found == values().end()) return false;
    found->second = Value{value, true};
    return true;
}

}  // namespace eagerflow
