// From the arguments of a launch to a piece of work that owns them; used by launches and by nodes of graphs.
#pragma once
#include <memory>

#include "work.h"

namespace eagerflow {

unsigned max_threads(const Function& function);
// Room for the arguments, with their offsets.
KernelCall empty_call(const Function& function);
// Checks the sizes as the device does, copies the arguments.
int make_call(Function& function, const Grid& grid, void** arguments, void** extra, std::unique_ptr<KernelCall>& out);
// Of a symbol table entry.
size_t symbol_size(const void* entry);

}  // namespace eagerflow
