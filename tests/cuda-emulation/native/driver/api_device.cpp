// Entry points: start, devices, contexts, error names.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "driver.h"
#include "fault.h"
#include "image.h"
#include "stream.h"

using namespace eagerflow;

namespace {

// The one context there is: the primary one.
struct Context {
    int retained = 0;
} context;
thread_local Context* current = nullptr;
uint64_t pool;  // its address is the handle of the default memory pool
uint64_t release_threshold = 0;

const std::pair<int, const char*> NAMES[] = {
    {SUCCESS, "CUDA_SUCCESS"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {NOT_READY, "CUDA_ERROR_NOT_READY"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {710, "CUDA_ERROR_ASSERT"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
    {COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    {CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
    {CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
    {CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
    {CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT"},
    {CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
    {GRAPH_UPDATE_FAILURE, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
    {UNKNOWN, "CUDA_ERROR_UNKNOWN"},
};

// `CUdevice_attribute` and its value for the emulated device.
const std::pair<int, int> ATTRIBUTES[] = {
    {1, MAX_THREADS},      // threads per block
    {2, 1024}, {3, 1024}, {4, 64},  // block dimensions
    {5, 2147483647}, {6, 65535}, {7, 65535},  // grid dimensions
    {8, MAX_SHARED},       // shared memory per block
    {9, 65536},            // constant memory
    {10, 32},              // warp size
    {11, 2147483647},      // pitch
    {12, 65536},           // registers per block
    {13, 1980000},         // clock, kHz
    {14, 512},             // texture alignment
    {15, 1},               // overlap
    {16, PROCESSORS},
    {17, 0},               // no timeout of kernels
    {18, 0},               // not integrated
    {19, 1},               // host memory can be mapped
    {20, 0},               // compute mode: default
    {31, 1},               // concurrent kernels
    {32, 0},               // no error correction
    {33, 0}, {34, 0}, {50, 0},  // bus, device, domain
    {35, 0},
    {36, 2619000},         // memory clock, kHz
    {37, 6144},            // memory bus, bits
    {38, 50 * 1024 * 1024},  // second level cache
    {39, 2048},            // threads per processor
    {40, 1},               // copy engines
    {41, 1},               // unified addresses
    {75, 9}, {76, 0},      // compute capability
    {78, 1},               // stream priorities
    {79, 1}, {80, 1},
    {81, 233472},          // shared memory per processor
    {82, 65536},           // registers per processor
    {83, 0},               // no managed memory
    {84, 0}, {85, 0}, {86, 0}, {87, 2}, {88, 0}, {89, 0}, {90, 0}, {91, 0},
    {95, 0},               // no cooperative launches
    {97, MAX_SHARED_OPTIN},
    {99, 1}, {100, 0}, {101, 0}, {102, 0},
    {106, 32},             // blocks per processor
    {111, 1024},           // reserved shared memory per block
    {115, 1},              // memory pools
    {121, 0},              // no clusters
};

}  // namespace

bool eagerflow::is_context(const void* handle) { return handle == nullptr || handle == &context; }

EXPORT cuInit(unsigned flags) {
    ENTER(true, true);
    if (flags != 0) return INVALID_VALUE;
    if (driver().switches.devices < 1) return NO_DEVICE;
    install_fault_handlers();
    driver().initialized = true;
    return SUCCESS;
}

EXPORT cuDriverGetVersion(int* version) {
    ENTER(true, true);
    *version = driver().switches.version;
    return SUCCESS;
}

EXPORT cuGetErrorName(int code, const char** name) {
    for (auto& [number, text] : NAMES) {
        if (number != code) continue;
        *name = text;
        return SUCCESS;
    }
    *name = nullptr;
    return INVALID_VALUE;
}

EXPORT cuGetErrorString(int code, const char** text) {
    // With the emulation's own words where it has them.
    static thread_local std::string message;
    const int result = cuGetErrorName(code, text);
    std::lock_guard hold(driver().lock);
    if (result == SUCCESS && code == driver().lost && code != SUCCESS) {
        message = std::string(*text) + ": " + driver().failure;
        *text = message.c_str();
    }
    return result;
}

EXPORT cuDeviceGetCount(int* count) {
    ENTER(true);
    *count = driver().switches.devices;
    return SUCCESS;
}
EXPORT cuDeviceGet(int* device, int ordinal) {
    ENTER(true);
    if (ordinal < 0 || ordinal >= driver().switches.devices) return INVALID_DEVICE;
    *device = ordinal;
    return SUCCESS;
}
EXPORT cuDeviceGetName(char* name, int length, int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    if (length <= 0) return INVALID_VALUE;
    // With the build: whoever keeps binaries by the name of the device must not take those of another build.
    snprintf(name, (size_t)length, "CUDA emulation (%.8s)", EAGERFLOW_BUILD);
    return SUCCESS;
}
EXPORT cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    memcpy(uuid, "eagerflow-emulat", 16);
    return SUCCESS;
}
EXPORT cuDeviceGetUuid(unsigned char* uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
EXPORT cuDeviceTotalMem_v2(size_t* bytes, int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    *bytes = driver().switches.memory;
    return SUCCESS;
}
EXPORT cuDeviceGetAttribute(int* value, int attribute, int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    if (attribute < 1 || attribute > 200) return INVALID_VALUE;
    *value = 0;  // what the emulated device does not have
    for (auto& [number, known] : ATTRIBUTES)
        if (number == attribute) *value = known;
    return SUCCESS;
}
EXPORT cuDeviceGetPCIBusId(char* id, int length, int device) {
    ENTER(true);
    if (device != 0 || length < 13) return INVALID_VALUE;
    strcpy(id, "0000:00:00.0");
    return SUCCESS;
}
EXPORT cuDeviceComputeCapability(int* major, int* minor, int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    *major = 9, *minor = 0;
    return SUCCESS;
}
EXPORT cuDeviceCanAccessPeer(int* can, int, int) {
    ENTER();
    *can = 0;
    return SUCCESS;
}

EXPORT cuDevicePrimaryCtxRetain(void** out, int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    context.retained++;
    *out = &context;
    return SUCCESS;
}
EXPORT cuDevicePrimaryCtxRelease_v2(int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    if (context.retained == 0) return INVALID_CONTEXT;
    context.retained--;
    return SUCCESS;
}
EXPORT cuDevicePrimaryCtxReset_v2(int device) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    drop_pending_work();
    driver().lost = SUCCESS;
    driver().failure.clear();
    return SUCCESS;
}
EXPORT cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
    ENTER(true);
    if (device != 0) return INVALID_DEVICE;
    *flags = 0, *active = context.retained > 0;
    return SUCCESS;
}
EXPORT cuDevicePrimaryCtxSetFlags_v2(int device, unsigned) {
    ENTER(true);
    return device == 0 ? SUCCESS : INVALID_DEVICE;
}
EXPORT cuCtxGetCurrent(void** out) {
    ENTER(true);
    *out = current;
    return SUCCESS;
}
EXPORT cuCtxSetCurrent(void* next) {
    ENTER(true);
    if (next != nullptr && next != &context) return INVALID_CONTEXT;
    current = (Context*)next;
    return SUCCESS;
}
EXPORT cuCtxPushCurrent_v2(void* next) { return cuCtxSetCurrent(next); }
EXPORT cuCtxPopCurrent_v2(void** out) {
    ENTER(true);
    if (out != nullptr) *out = current;
    current = nullptr;
    return SUCCESS;
}
EXPORT cuCtxGetDevice(int* device) {
    ENTER(true);
    if (current == nullptr) return INVALID_CONTEXT;
    *device = 0;
    return SUCCESS;
}
EXPORT cuCtxSynchronize() {
    ENTER();
    if (current == nullptr) return INVALID_CONTEXT;
    if (const int code = refuse_while_capturing()) return code;
    driver().counters.synchronizations++;
    return drain_all();
}
EXPORT cuCtxSetFlags(unsigned) {
    ENTER();
    return current == nullptr ? INVALID_CONTEXT : SUCCESS;
}
EXPORT cuCtxGetFlags(unsigned* flags) {
    ENTER();
    *flags = 0;
    return SUCCESS;
}
EXPORT cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    ENTER();
    *least = 0, *greatest = -5;
    return SUCCESS;
}
EXPORT cuCtxGetLimit(size_t* value, int) {
    ENTER();
    *value = 1024;
    return SUCCESS;
}
EXPORT cuCtxSetLimit(int, size_t) {
    ENTER();
    return SUCCESS;
}
EXPORT cuCtxGetCacheConfig(int* config) {
    ENTER();
    *config = 0;
    return SUCCESS;
}
EXPORT cuCtxSetCacheConfig(int) {
    ENTER();
    return SUCCESS;
}
EXPORT cuProfilerStart() { return SUCCESS; }
EXPORT cuProfilerStop() { return SUCCESS; }

EXPORT cuDeviceGetDefaultMemPool(void** out, int device) {
    ENTER();
    if (device != 0) return INVALID_DEVICE;
    *out = &pool;
    return SUCCESS;
}
EXPORT cuDeviceGetMemPool(void** out, int device) { return cuDeviceGetDefaultMemPool(out, device); }
EXPORT cuDeviceSetMemPool(int device, void* which) {
    ENTER();
    return device == 0 && which == &pool ? SUCCESS : INVALID_VALUE;
}
EXPORT cuMemPoolTrimTo(void*, size_t) {
    ENTER();
    return SUCCESS;
}
EXPORT cuMemPoolSetAttribute(void* which, int attribute, void* value) {
    ENTER();
    if (which != &pool || value == nullptr) return INVALID_VALUE;
    if (attribute == 4) release_threshold = *(uint64_t*)value;
    return SUCCESS;
}
EXPORT cuMemPoolGetAttribute(void* which, int attribute, void* value) {
    ENTER();
    if (which != &pool || value == nullptr) return INVALID_VALUE;
    const Counters& c = driver().counters;
    switch (attribute) {
        case 4: *(uint64_t*)value = release_threshold; return SUCCESS;
        case 5: case 7: *(uint64_t*)value = c.bytes_in_use; return SUCCESS;
        case 6: case 8: *(uint64_t*)value = c.peak_bytes; return SUCCESS;
        case 1: case 2: case 3: *(int*)value = 1; return SUCCESS;
        default: return INVALID_VALUE;
    }
}
