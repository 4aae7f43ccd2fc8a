// Entry points: making graphs by hand and looking into them. Captured graphs come from `api_stream.cpp`.
#include <algorithm>
#include <cstring>
#include <set>

#include "conditional.h"
#include "driver.h"
#include "graph.h"
#include "launch.h"
#include "memory.h"
#include "node_parameters.h"

using namespace eagerflow;

namespace {

std::map<const void*, std::shared_ptr<Graph>>& graphs() {
    static auto* map = new std::map<const void*, std::shared_ptr<Graph>>;
    return *map;
}

// The graph that holds a node; null: no such node.
std::shared_ptr<Graph> holder_of(const Node* node) {
    for (auto& [handle, graph] : graphs())
        for (auto& own : graph->nodes)
            if (own.get() == node) return graph;
    return nullptr;
}

// Bodies go with the graph of their node.
void forget_bodies(const Graph& graph) {
    for (auto& node : graph.nodes) {
        if (node->conditional == nullptr) continue;
        for (auto& body : node->conditional->bodies) {
            forget_bodies(*body);
            graphs().erase(body.get());
        }
    }
}

int insert(void** out, void* handle, Node* const* after, size_t count, Work work, Node** made = nullptr) {
    auto graph = graph_of(handle);
    if (graph == nullptr || out == nullptr) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (holder_of(after[i]) != graph) return INVALID_VALUE;
    Node* node = add_node(*graph, std::move(work), std::vector<Node*>(after, after + count));
    *out = node;
    if (made != nullptr) *made = node;
    return SUCCESS;
}

// `CUgraphNodeType`.
int type_of(const Work& work) {
    switch (work.kind) {
        case WorkKind::Kernel: case WorkKind::Library: return 0;
        case WorkKind::Copy: return 1;
        case WorkKind::Fill: return 2;
        case WorkKind::Call: return 3;
        case WorkKind::Graph: return 4;
        case WorkKind::Wait: return 6;
        case WorkKind::Record: return 7;
        case WorkKind::Conditional: return 13;
        default: return 5;
    }
}

// Copies a list out: the number alone where there is no room asked for.
int list(const std::vector<Node*>& all, void** out, size_t* count) {
    if (count == nullptr) return INVALID_VALUE;
    if (out != nullptr)
        for (size_t i = 0; i < *count; i++) out[i] = i < all.size() ? all[i] : nullptr;
    *count = out == nullptr ? all.size() : std::min(*count, all.size());
    return SUCCESS;
}

}  // namespace

namespace eagerflow {

std::shared_ptr<Graph> graph_of(const void* handle) {
    auto found = graphs().find(handle);
    return found == graphs().end() ? nullptr : found->second;
}

void* register_graph(std::shared_ptr<Graph> graph) {
    void* handle = graph.get();
    graphs()[handle] = std::move(graph);
    return handle;
}

}  // namespace eagerflow

EXPORT cuGraphCreate(void** out, unsigned flags) {
    ENTER();
    if (out == nullptr || flags != 0) return INVALID_VALUE;
    *out = register_graph(std::make_shared<Graph>());
    return SUCCESS;
}
EXPORT cuGraphDestroy(void* graph) {
    ENTER(true);
    auto g = graph_of(graph);
    // A body belongs to its node.
    if (g == nullptr || g->parent != nullptr) return INVALID_VALUE;
    forget_bodies(*g);
    graphs().erase(graph);
    return SUCCESS;
}
EXPORT cuGraphGetNodes(void* graph, void** out, size_t* count) {
    ENTER();
    auto g = graph_of(graph);
    if (g == nullptr) return INVALID_VALUE;
    std::vector<Node*> all;
    for (auto& node : g->nodes) all.push_back(node.get());
    return list(all, out, count);
}
EXPORT cuGraphGetRootNodes(void* graph, void** out, size_t* count) {
    ENTER();
    auto g = graph_of(graph);
    if (g == nullptr) return INVALID_VALUE;
    std::vector<Node*> roots;
    for (auto& node : g->nodes)
        if (node->dependencies.empty()) roots.push_back(node.get());
    return list(roots, out, count);
}
EXPORT cuGraphGetEdges_v2(void* graph, void** from, void** to, void*, size_t* count) {
    ENTER();
    auto g = graph_of(graph);
    if (g == nullptr || count == nullptr) return INVALID_VALUE;
    std::vector<Node*> starts, ends;
    for (auto& node : g->nodes)
        for (Node* dependency : node->dependencies) starts.push_back(dependency), ends.push_back(node.get());
    size_t room = *count;
    if (const int code = list(starts, from, &room)) return code;
    return list(ends, to, count);
}
EXPORT cuGraphNodeGetDependencies_v2(void* handle, void** out, void*, size_t* count) {
    ENTER();
    Node* node = (Node*)handle;
    return holder_of(node) == nullptr ? INVALID_VALUE : list(node->dependencies, out, count);
}
EXPORT cuGraphNodeGetType(void* handle, int* type) {
    ENTER();
    Node* node = (Node*)handle;
    if (holder_of(node) == nullptr) return INVALID_VALUE;
    *type = type_of(node->work);
    return SUCCESS;
}
EXPORT cuGraphAddDependencies_v2(void* graph, Node* const* from, Node* const* to, const void*, size_t count) {
    ENTER();
    auto g = graph_of(graph);
    if (g == nullptr) return INVALID_VALUE;
    auto place = [&](Node* node) {
        return std::find_if(g->nodes.begin(), g->nodes.end(), [&](auto& own) { return own.get() == node; }) - g->nodes.begin();
    };
    for (size_t i = 0; i < count; i++) {
        // Nodes run in the order in which they were made; an edge against it would need another.
        if (place(from[i]) >= place(to[i]) || (size_t)place(to[i]) >= g->nodes.size()) return NOT_SUPPORTED;
        to[i]->dependencies.push_back(from[i]);
    }
    return SUCCESS;
}

EXPORT cuGraphAddEmptyNode(void** out, void* graph, Node* const* after, size_t count) {
    ENTER();
    return insert(out, graph, after, count, Work{});
}
EXPORT cuGraphAddKernelNode_v2(void** out, void* graph, Node* const* after, size_t count, const KernelParameters* parameters) {
    ENTER();
    Work work;
    if (const int code = kernel_work(parameters, work)) return code;
    return insert(out, graph, after, count, std::move(work));
}
EXPORT cuGraphAddMemsetNode(void** out, void* graph, Node* const* after, size_t count, const FillParameters* parameters, void*) {
    ENTER();
    Work work;
    if (const int code = fill_work(parameters, work)) return code;
    return insert(out, graph, after, count, std::move(work));
}
EXPORT cuGraphAddMemcpyNode(void** out, void* graph, Node* const* after, size_t count, const CopyParameters* parameters, void*) {
    ENTER();
    Work work;
    if (const int code = copy_work(parameters, work)) return code;
    return insert(out, graph, after, count, std::move(work));
}
EXPORT cuGraphAddChildGraphNode(void** out, void* graph, Node* const* after, size_t count, void* child) {
    ENTER();
    auto c = graph_of(child);
    if (c == nullptr) return INVALID_VALUE;
    Work work;
    work.kind = WorkKind::Graph;
    Node* node = nullptr;
    if (const int code = insert(out, graph, after, count, std::move(work), &node)) return code;
    node->child = c;
    return SUCCESS;
}

EXPORT cuGraphKernelNodeGetParams_v2(void* handle, KernelParameters* out) {
    ENTER();
    Node* node = (Node*)handle;
    if (holder_of(node) == nullptr || out == nullptr || node->work.kind != WorkKind::Kernel) return INVALID_VALUE;
    KernelCall& call = *node->work.kernel;
    node->arguments.clear();
    for (const size_t offset : call.offsets) node->arguments.push_back(call.bytes.data() + offset);
    const Triple grid = call.grid.grid, block = call.grid.block;
    *out = KernelParameters{call.function, grid.x, grid.y, grid.z, block.x, block.y, block.z, call.grid.dynamic_bytes, node->arguments.data(), nullptr, nullptr, nullptr};
    return SUCCESS;
}
EXPORT cuGraphKernelNodeSetParams_v2(void* handle, const KernelParameters* parameters) {
    ENTER();
    Node* node = (Node*)handle;
    if (holder_of(node) == nullptr || node->work.kind != WorkKind::Kernel) return INVALID_VALUE;
    Work work;
    if (const int code = kernel_work(parameters, work)) return code;
    node->work = std::move(work);
    return SUCCESS;
}

EXPORT cuGraphConditionalHandleCreate(unsigned long long* out, void* graph, void* context, unsigned initial, unsigned flags) {
    ENTER();
    static uint64_t ids = 0;
    if (driver().switches.version < 12030) return NOT_SUPPORTED;
    auto g = graph_of(graph);
    if (g == nullptr || out == nullptr || flags > 1 || !is_context(context)) return INVALID_VALUE;
    g->handles.push_back(Handle{++ids, initial, flags == 1});
    *out = ids;
    return SUCCESS;
}

// `CUgraphNodeParams`: a kernel, a copy, a fill, a child graph or a conditional node.
struct NodeParameters {
    int type;
    int reserved[3];
    union {
        KernelParameters kernel;
        FillParameters fill;
        struct {
            void* graph;
        } child;
        struct {
            unsigned long long handle;
            int kind;
            unsigned size;
            void** graphs;
            void* context;
        } conditional;
        long long room[29];
    };
};

EXPORT cuGraphAddNode_v2(void** out, void* graph, Node* const* after, const void*, size_t count, NodeParameters* p) {
    ENTER();
    if (p == nullptr) return INVALID_VALUE;
    switch (p->type) {
        case 0: return cuGraphAddKernelNode_v2(out, graph, after, count, &p->kernel);
        case 2: return cuGraphAddMemsetNode(out, graph, after, count, &p->fill, nullptr);
        case 4: return cuGraphAddChildGraphNode(out, graph, after, count, p->child.graph);
        case 5: return cuGraphAddEmptyNode(out, graph, after, count);
        case 13: break;
        default: return NOT_SUPPORTED;
    }
    auto g = graph_of(graph);
    if (g == nullptr || p->conditional.kind < 0 || p->conditional.kind > 2 || p->conditional.size < 1) return INVALID_VALUE;
    if (driver().switches.version < 12030) return NOT_SUPPORTED;
    const bool recent = driver().switches.version >= 12080;
    if (p->conditional.kind == 2 && !recent) return INVALID_VALUE;
    const unsigned most = p->conditional.kind == 0 ? (recent ? 2 : 1) : p->conditional.kind == 1 ? 1 : UINT32_MAX;
    if (p->conditional.size > most || !is_context(p->conditional.context)) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (holder_of(after[i]) != g) return INVALID_VALUE;
    if (const int code = use_handle(*g, p->conditional.handle)) return code;
    Work work;
    work.kind = WorkKind::Conditional;
    Node* node = nullptr;
    if (const int code = insert(out, graph, after, count, std::move(work), &node)) return code;
    node->conditional = std::make_unique<Conditional>();
    node->conditional->handle = p->conditional.handle;
    node->conditional->kind = (ConditionalKind)p->conditional.kind;
    for (unsigned i = 0; i < p->conditional.size; i++) {
        auto body = std::make_shared<Graph>();
        body->parent = g.get();
        node->conditional->handles.push_back(register_graph(body));
        node->conditional->bodies.push_back(std::move(body));
    }
    p->conditional.graphs = node->conditional->handles.data();
    return SUCCESS;
}
