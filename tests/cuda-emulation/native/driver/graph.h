// Graphs: lists of nodes in an order that respects their dependencies, as captured or built, and their executable
// copies, whose parameters can be changed between launches.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "work.h"

namespace eagerflow {

struct Graph;

enum class ConditionalKind : int { If = 0, While = 1, Switch = 2 };

struct Conditional {
    uint64_t handle = 0;
    ConditionalKind kind{};
    std::vector<std::shared_ptr<Graph>> bodies;
    std::vector<void*> handles;  // of the bodies, as the caller is given them
};

struct Node {
    Work work;
    std::shared_ptr<Graph> child;
    std::vector<void*> arguments;  // as `cuGraphKernelNodeGetParams` lends them
    std::vector<Node*> dependencies;
    std::unique_ptr<Conditional> conditional;
};

struct Handle {
    uint64_t id;
    unsigned initial;
    bool assign_at_launch;
    bool used = false;
};

struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;
    std::vector<Handle> handles;
    // Of a body: the graph of its node.
    Graph* parent = nullptr;
    // Whether a stream records into it now.
    bool recorded_into = false;
};

struct GraphExec {
    struct Step {
        const Node* origin;
        Work work;
        std::vector<size_t> dependencies;
        bool enabled = true;
        uint64_t handle = 0;
        ConditionalKind kind{};
        std::vector<std::shared_ptr<GraphExec>> bodies;
    };
    // Executable graphs of child graphs lie in `bodies` of their step, with the kind of work `Graph`.
    std::vector<Step> steps;
    std::map<const Node*, size_t> index;
    std::vector<Handle> handles;
};

Node* add_node(Graph& graph, Work work, std::vector<Node*> dependencies);
std::shared_ptr<GraphExec> instantiate(const Graph& graph);
int run_graph(GraphExec& exec);

// The graph or executable graph behind a handle; null: no such thing.
std::shared_ptr<Graph> graph_of(const void* handle);
void* register_graph(std::shared_ptr<Graph> graph);
std::shared_ptr<GraphExec> exec_of(const void* handle);

}  // namespace eagerflow
