// Making executable graphs and running them; the entry points are in `api_graph.cpp`.
#include "graph.h"

#include "conditional.h"
#include "driver.h"

namespace eagerflow {

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
    for (GraphExec::Step& step : exec.steps) {
        if (!step.enabled) continue;
        const bool child = step.work.kind == WorkKind::Graph && !step.bodies.empty();
        const int code = step.work.kind == WorkKind::Conditional ? run_conditional(step) : child ? run_graph(*step.bodies[0]) : run_work(step.work);
        if (code != SUCCESS) return code;
    }
    return SUCCESS;
}

}  // namespace eagerflow
