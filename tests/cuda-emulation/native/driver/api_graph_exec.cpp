// Entry points: executable graphs. Launches are lazy, so a change of parameters makes a copy for launches to come while
// one that is queued keeps what it was launched with.
#include <map>

#include "conditional.h"
#include "driver.h"
#include "graph.h"
#include "node_parameters.h"
#include "stream.h"

using namespace eagerflow;

namespace {

std::map<const void*, std::shared_ptr<GraphExec>>& execs() {
    static auto* map = new std::map<const void*, std::shared_ptr<GraphExec>>;
    return *map;
}

// A copy of all that launches look at.
std::shared_ptr<GraphExec> copy_of(const GraphExec& exec) {
    auto copy = std::make_shared<GraphExec>();
    copy->index = exec.index;
    copy->handles = exec.handles;
    for (const GraphExec::Step& step : exec.steps) {
        GraphExec::Step s;
        s.origin = step.origin;
        s.work = step.work.clone();
        s.dependencies = step.dependencies;
        s.enabled = step.enabled;
        s.handle = step.handle;
        s.kind = step.kind;
        for (auto& body : step.bodies) s.bodies.push_back(copy_of(*body));
        copy->steps.push_back(std::move(s));
    }
    return copy;
}

// The step of a node, in a graph that no queued launch holds.
GraphExec::Step* step_to_change(void* handle, const Node* node) {
    auto found = execs().find(handle);
    if (found == execs().end()) return nullptr;
    auto index = found->second->index.find(node);
    if (index == found->second->index.end()) return nullptr;
    if (found->second.use_count() > 1) found->second = copy_of(*found->second);
    return &found->second->steps[index->second];
}

int change(void* handle, const Node* node, WorkKind kind, Work work) {
    GraphExec::Step* step = step_to_change(handle, node);
    if (step == nullptr || step->work.kind != kind) return INVALID_VALUE;
    // The device allows another function only of the same context; any of ours is.
    step->work = std::move(work);
    return SUCCESS;
}

// `CUgraphExecUpdateResult`.
enum Update : int { UPDATED = 0, TOPOLOGY_CHANGED = 2, NODE_TYPE_CHANGED = 3 };

Update compare(const GraphExec& old, const GraphExec& fresh, size_t& where) {
    if (old.steps.size() != fresh.steps.size()) return TOPOLOGY_CHANGED;
    for (where = 0; where < old.steps.size(); where++) {
        const GraphExec::Step &a = old.steps[where], &b = fresh.steps[where];
        if (a.work.kind != b.work.kind) return NODE_TYPE_CHANGED;
        if (a.dependencies != b.dependencies || a.bodies.size() != b.bodies.size()) return TOPOLOGY_CHANGED;
        for (size_t i = 0; i < a.bodies.size(); i++) {
            size_t inner;
            if (const Update result = compare(*a.bodies[i], *b.bodies[i], inner)) return result;
        }
    }
    return UPDATED;
}

}  // namespace

namespace eagerflow {

std::shared_ptr<GraphExec> exec_of(const void* handle) {
    auto found = execs().find(handle);
    return found == execs().end() ? nullptr : found->second;
}

}  // namespace eagerflow

EXPORT cuGraphInstantiateWithFlags(void** out, void* graph, unsigned long long) {
    ENTER();
    auto g = graph_of(graph);
    if (g == nullptr || out == nullptr) return INVALID_VALUE;
    if (const int code = check_graph(*g)) return code;
    // The handle outlives copies of what it stands for.
    static uint64_t ids = 0x1000;
    *out = (void*)(ids += 16);
    execs()[*out] = instantiate(*g);
    return SUCCESS;
}
struct InstantiateParameters {
    unsigned long long flags;
    void* upload_stream;
    void* error_node;
    int result;
};
EXPORT cuGraphInstantiateWithParams(void** out, void* graph, InstantiateParameters* parameters) {
    if (parameters == nullptr) return INVALID_VALUE;
    const int code = cuGraphInstantiateWithFlags(out, graph, parameters->flags);
    parameters->error_node = nullptr;
    parameters->result = code == SUCCESS ? 0 : 1;
    return code;
}
EXPORT cuGraphExecDestroy(void* handle) {
    ENTER(true);
    return execs().erase(handle) == 1 ? SUCCESS : INVALID_VALUE;
}
EXPORT cuGraphUpload(void* handle, void* stream) {
    ENTER();
    return exec_of(handle) == nullptr || stream_of(stream) == nullptr ? INVALID_VALUE : SUCCESS;
}
EXPORT cuGraphLaunch(void* handle, void* stream) {
    ENTER();
    auto exec = exec_of(handle);
    Stream* s = stream_of(stream);
    if (exec == nullptr || s == nullptr) return INVALID_VALUE;
    Work work;
    work.kind = WorkKind::Graph;
    work.graph = std::move(exec);
    return submit(s, std::move(work));
}
EXPORT cuGraphExecKernelNodeSetParams_v2(void* handle, const Node* node, const KernelParameters* parameters) {
    ENTER();
    Work work;
    if (const int code = kernel_work(parameters, work)) return code;
    return change(handle, node, WorkKind::Kernel, std::move(work));
}
EXPORT cuGraphExecMemsetNodeSetParams(void* handle, const Node* node, const FillParameters* parameters, void*) {
    ENTER();
    Work work;
    if (const int code = fill_work(parameters, work)) return code;
    return change(handle, node, WorkKind::Fill, std::move(work));
}
EXPORT cuGraphExecMemcpyNodeSetParams(void* handle, const Node* node, const CopyParameters* parameters, void*) {
    ENTER();
    Work work;
    if (const int code = copy_work(parameters, work)) return code;
    return change(handle, node, WorkKind::Copy, std::move(work));
}
EXPORT cuGraphNodeSetEnabled(void* handle, const Node* node, unsigned enabled) {
    ENTER();
    GraphExec::Step* step = step_to_change(handle, node);
    if (step == nullptr) return INVALID_VALUE;
    step->enabled = enabled != 0;
    return SUCCESS;
}
EXPORT cuGraphNodeGetEnabled(void* handle, const Node* node, unsigned* enabled) {
    ENTER();
    auto exec = exec_of(handle);
    if (exec == nullptr || exec->index.count(node) == 0) return INVALID_VALUE;
    *enabled = exec->steps[exec->index[node]].enabled;
    return SUCCESS;
}
struct UpdateInfo {
    int result;
    const void* node;
    const void* from;
};
EXPORT cuGraphExecUpdate_v2(void* handle, void* graph, UpdateInfo* info) {
    ENTER();
    auto g = graph_of(graph);
    auto exec = exec_of(handle);
    if (g == nullptr || exec == nullptr || info == nullptr) return INVALID_VALUE;
    if (const int code = check_graph(*g)) return code;
    auto fresh = instantiate(*g);
    size_t where = 0;
    info->result = compare(*exec, *fresh, where);
    info->node = info->from = nullptr;
    if (info->result != UPDATED) {
        if (where < exec->steps.size()) info->node = exec->steps[where].origin;
        return GRAPH_UPDATE_FAILURE;
    }
    // Nodes keep their old names: later changes may come by those of the graph first instantiated.
    for (auto& [node, index] : exec->index) fresh->index.emplace(node, index);
    execs()[handle] = std::move(fresh);
    return SUCCESS;
}
