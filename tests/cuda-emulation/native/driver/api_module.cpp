// Entry points: modules, functions, occupancy and launches.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "driver.h"
#include "launch.h"
#include "memory.h"
#include "module.h"
#include "stream.h"

using namespace eagerflow;

EXPORT cuModuleLoadData(void** out, const void* image) {
    ENTER();
    if (const int code = refuse_while_capturing()) return code;
    return load_module(image, (Module**)out);
}
EXPORT cuModuleLoadDataEx(void** out, const void* image, unsigned, int*, void**) { return cuModuleLoadData(out, image); }
EXPORT cuModuleLoad(void** out, const char* name) {
    std::ifstream file(name, std::ios::binary);
    if (!file) return 301;  // file not found
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.push_back(0);
    return cuModuleLoadData(out, bytes.data());
}
EXPORT cuModuleUnload(void* handle) {
    ENTER(true);
    Module* module = (Module*)handle;
    if (!is_module(module)) return INVALID_HANDLE;
    if (driver().lost == SUCCESS) drain_all();
    unload_module(module);
    return SUCCESS;
}
EXPORT cuModuleGetFunction(void** out, void* handle, const char* name) {
    ENTER();
    if (!is_module((Module*)handle) || name == nullptr || out == nullptr) return INVALID_HANDLE;
    return find_function((Module*)handle, name, (Function**)out);
}
EXPORT cuModuleGetGlobal_v2(uint64_t* address, size_t* size, void* handle, const char* name) {
    ENTER();
    Module* module = (Module*)handle;
    if (!is_module(module)) return INVALID_HANDLE;
    void* symbol = dlsym(module->library, name);
    Dl_info info;
    void* entry_of_symbol = nullptr;
    if (symbol == nullptr || dladdr1(symbol, &info, &entry_of_symbol, RTLD_DL_SYMENT) == 0 || entry_of_symbol == nullptr) return NOT_FOUND;
    const size_t bytes = symbol_size(entry_of_symbol);
    if (address != nullptr) *address = (uint64_t)symbol;
    if (size != nullptr) *size = bytes;
    register_global((uint64_t)symbol, bytes);
    module->globals.push_back((uint64_t)symbol);
    return SUCCESS;
}

EXPORT cuFuncLoad(void* handle) {
    ENTER();
    if (const int code = refuse_while_capturing()) return code;
    return is_function((Function*)handle) ? SUCCESS : INVALID_HANDLE;
}
EXPORT cuFuncGetAttribute(int* value, int attribute, void* handle) {
    ENTER();
    Function* function = (Function*)handle;
    if (!is_function(function) || value == nullptr) return INVALID_HANDLE;
    switch (attribute) {
        case 0: *value = (int)max_threads(*function); return SUCCESS;
        case 1: *value = (int)function->module->program.shared_bytes; return SUCCESS;
        case 2: case 3: *value = 0; return SUCCESS;   // constant and local memory
        case 4: *value = 32; return SUCCESS;          // registers: not known here
        case 5: case 6: *value = 90; return SUCCESS;  // versions
        case 8: *value = (int)function->max_dynamic_shared; return SUCCESS;
        default: *value = 0; return attribute < 16 ? SUCCESS : INVALID_VALUE;
    }
}
EXPORT cuFuncSetAttribute(void* handle, int attribute, int value) {
    ENTER();
    Function* function = (Function*)handle;
    if (!is_function(function)) return INVALID_HANDLE;
    if (attribute == 9) return SUCCESS;  // a wish for the carve-out
    if (attribute != 8) return INVALID_VALUE;
    if (value < 0 || value + function->module->program.shared_bytes > MAX_SHARED_OPTIN) return INVALID_VALUE;
    function->max_dynamic_shared = (unsigned)value;
    return SUCCESS;
}
EXPORT cuFuncSetCacheConfig(void* handle, int) {
    ENTER();
    return is_function((Function*)handle) ? SUCCESS : INVALID_HANDLE;
}
EXPORT cuFuncGetName(const char** name, void* handle) {
    ENTER();
    if (!is_function((Function*)handle)) return INVALID_HANDLE;
    *name = ((Function*)handle)->name.c_str();
    return SUCCESS;
}
EXPORT cuFuncGetParamInfo(void* handle, size_t index, size_t* offset, size_t* size) {
    ENTER();
    Function* function = (Function*)handle;
    if (!is_function(function)) return INVALID_HANDLE;
    if (index >= (size_t)function->kernel->parameters) return INVALID_VALUE;
    const KernelCall layout = empty_call(*function);
    *offset = layout.offsets[index];
    if (size != nullptr) *size = function->kernel->sizes[index];
    return SUCCESS;
}

static int occupancy(Function* function, int block, size_t dynamic) {
    const size_t shared = function->module->program.shared_bytes + dynamic + 1024;
    return block < 1 || block > (int)max_threads(*function) ? 0 : (int)std::min<size_t>({(size_t)32, (size_t)2048 / block, 233472 / shared});
}
EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int block, size_t dynamic) {
    ENTER();
    if (!is_function((Function*)handle)) return INVALID_HANDLE;
    *blocks = occupancy((Function*)handle, block, dynamic);
    return SUCCESS;
}
EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* handle, int block, size_t dynamic, unsigned) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, block, dynamic);
}
EXPORT cuOccupancyMaxPotentialBlockSize(int* grid, int* block, void* handle, size_t (*dynamic_of)(int), size_t dynamic, int limit) {
    ENTER();
    Function* function = (Function*)handle;
    if (!is_function(function)) return INVALID_HANDLE;
    *block = (int)max_threads(*function);
    if (limit > 0) *block = std::min(*block, limit);
    *grid = (int)PROCESSORS * occupancy(function, *block, dynamic_of != nullptr ? dynamic_of(*block) : dynamic);
    return SUCCESS;
}
EXPORT cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, void* handle, size_t (*dynamic_of)(int), size_t dynamic, int limit, unsigned) {
    return cuOccupancyMaxPotentialBlockSize(grid, block, handle, dynamic_of, dynamic, limit);
}
EXPORT cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, void* handle, int blocks, int) {
    ENTER();
    Function* function = (Function*)handle;
    if (!is_function(function) || blocks < 1) return INVALID_VALUE;
    const size_t whole = 233472 / (size_t)blocks, taken = function->module->program.shared_bytes + 1024;
    *bytes = whole > taken ? std::min<size_t>(whole - taken, MAX_SHARED_OPTIN) : 0;
    return SUCCESS;
}

EXPORT cuLaunchKernel(void* handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void* stream,
                      void** arguments, void** extra) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr || !is_function((Function*)handle)) return INVALID_HANDLE;
    Work work;
    work.kind = WorkKind::Kernel;
    if (const int code = make_call(*(Function*)handle, Grid{{gx, gy, gz}, {bx, by, bz}, shared}, arguments, extra, work.kernel)) return code;
    return submit(s, std::move(work));
}
struct LaunchConfig {
    unsigned gx, gy, gz, bx, by, bz, shared;
    void* stream;
    void* attributes;
    unsigned attribute_count;
};
EXPORT cuLaunchKernelEx(const LaunchConfig* c, void* function, void** arguments, void** extra) {
    if (c == nullptr || c->attribute_count != 0) return c == nullptr ? INVALID_VALUE : NOT_SUPPORTED;
    return cuLaunchKernel(function, c->gx, c->gy, c->gz, c->bx, c->by, c->bz, c->shared, c->stream, arguments, extra);
}
