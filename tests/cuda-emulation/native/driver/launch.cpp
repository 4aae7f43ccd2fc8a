// Checking launches and copying their arguments.
#include "launch.h"

#include <elf.h>
#include <link.h>

#include <cstring>

#include "driver.h"

namespace eagerflow {

unsigned max_threads(const Function& function) { return function.kernel->max_threads != 0 ? function.kernel->max_threads : MAX_THREADS; }

KernelCall empty_call(const Function& function) {
    KernelCall call;
    call.function = const_cast<Function*>(&function);
    size_t end = 0;
    for (int i = 0; i < function.kernel->parameters; i++) {
        const size_t alignment = function.kernel->alignments[i];
        end = (end + alignment - 1) / alignment * alignment;
        call.offsets.push_back(end);
        end += function.kernel->sizes[i];
    }
    call.bytes.resize(end);
    return call;
}

int make_call(Function& function, const Grid& grid, void** arguments, void** extra, std::unique_ptr<KernelCall>& out) {
    const uint64_t threads = (uint64_t)grid.block.x * grid.block.y * grid.block.z;
    if (grid.grid.x == 0 || grid.grid.y == 0 || grid.grid.z == 0 || threads == 0) return INVALID_VALUE;
    if (grid.grid.x > 2147483647u || grid.grid.y > 65535 || grid.grid.z > 65535) return INVALID_VALUE;
    if (grid.block.x > MAX_THREADS || grid.block.y > MAX_THREADS || grid.block.z > 64 || threads > MAX_THREADS) return INVALID_VALUE;
    // More threads than `__launch_bounds__` promised would need registers that the compiler gave away.
    if (threads > max_threads(function)) return LAUNCH_OUT_OF_RESOURCES;
    if (grid.dynamic_bytes > function.max_dynamic_shared) return INVALID_VALUE;
    auto call = std::make_unique<KernelCall>(empty_call(function));
    if (call->bytes.size() > 32764) return INVALID_VALUE;
    call->grid = grid;
    if (call->offsets.empty()) {
        out = std::move(call);
        return SUCCESS;
    }
    if (arguments != nullptr) {
        for (size_t i = 0; i < call->offsets.size(); i++) {
            if (arguments[i] == nullptr) return INVALID_VALUE;
            memcpy(call->bytes.data() + call->offsets[i], arguments[i], function.kernel->sizes[i]);
        }
    } else if (extra != nullptr && (uint64_t)extra[0] == 1 && (uint64_t)extra[2] == 2) {
        // CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE, in this order.
        if (*(size_t*)extra[3] < call->bytes.size()) return INVALID_VALUE;
        memcpy(call->bytes.data(), extra[1], call->bytes.size());
    } else {
        return INVALID_VALUE;
    }
    out = std::move(call);
    return SUCCESS;
}

size_t symbol_size(const void* entry) { return ((const ElfW(Sym)*)entry)->st_size; }

}  // namespace eagerflow
