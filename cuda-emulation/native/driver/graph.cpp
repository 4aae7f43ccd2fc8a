// Making executable graphs and running them; the entry points are in `api_graph.cpp`.
#include "graph.h"

#include "driver.h"

namespace eagerflow {

namespace {

// Values of conditional handles while graphs run.
std::map<uint64_t, unsigned>& conditions() {
    static auto* values = new std::map<uint64_t, unsigned>;
    return *values;
}

int run_conditional(GraphExec::Step& step) {
    auto value = [&] { return conditions()[step.handle]; };
    if (step.kind == ConditionalKind::While) {
        while (value() != 0)
            if (const int code = run_graph(*step.bodies[0])) return code;
        return SUCCESS;
    }
    // An `if` may have a second body, for zero; a `switch` has one for each value.
    const size_t body = step.kind == ConditionalKind::Switch ? value() : value() != 0 ? 0 : 1;
    return body < step.bodies.size() ? run_graph(*step.bodies[body]) : SUCCESS;
}

}  // namespace

Node* add_node(Graph& graph, Work work, std::vector<Node*> dependencies) {
    graph.nodes.push_back(std::make_unique<Node>());
    Node* node = graph.nodes.back().get();
    node->work = std::move(work);
    node->dependencies = std::move(dependencies);
    return node;
}

std::shared_ptr<GraphExec> instantiate(const Graph& graph) {
    auto exec = std::make_shared<GraphExec>();
    exec->handles = graph.handles;
    for (const auto& node : graph.nodes) {
        GraphExec::Step step;
        step.origin = node.get();
        step.work = node->work.clone();
        for (const Node* dependency : node->dependencies)
            if (auto found = exec->index.find(dependency); found != exec->index.end()) step.dependencies.push_back(found->second);
        if (node->child != nullptr) step.bodies.push_back(instantiate(*node->child));
        if (node->conditional != nullptr) {
            step.handle = node->conditional->handle;
            step.kind = node->conditional->kind;
            for (const auto& body : node->conditional->bodies) step.bodies.push_back(instantiate(*body));
        }
        exec->index[node.get()] = exec->steps.size();
        exec->steps.push_back(std::move(step));
    }
    return exec;
}

int run_graph(GraphExec& exec) {
    for (const Handle& handle : exec.handles)
        if (handle.assign_at_launch || conditions().count(handle.id) == 0) conditions()[handle.id] = handle.initial;
    for (GraphExec::Step& step : exec.steps) {
        if (!step.enabled) continue;
        const bool child = step.work.kind == WorkKind::Graph && !step.bodies.empty();
        const int code = step.work.kind == WorkKind::Conditional ? run_conditional(step) : child ? run_graph(*step.bodies[0]) : run_work(step.work);
        if (code != SUCCESS) return code;
    }
    return SUCCESS;
}

bool set_conditional(uint64_t handle, unsigned value) {
    auto found = conditions().find(handle);
    if (found == conditions().end()) return false;
    found->second = value;
    return true;
}

}  // namespace eagerflow
