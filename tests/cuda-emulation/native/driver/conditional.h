// Nodes of graphs that run their bodies as a value says which kernels set.
#pragma once
#include "graph.h"

namespace eagerflow {

// Gives the handle to a node of the graph; an error unless it is one of this graph's, or of one around it, and free.
int use_handle(Graph& graph, uint64_t id);
// What instantiating asks of a graph: finished bodies, handles that all have a node, and in bodies only work that a device can
// start by itself.
int check_graph(const Graph& graph);
// Runs a graph from its start: no handle has a value but those that have one at every launch.
int launch_graph(GraphExec& exec);
int run_conditional(GraphExec::Step& step);
bool set_conditional(uint64_t handle, unsigned value);

}  // namespace eagerflow
