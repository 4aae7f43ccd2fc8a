// What all files of the emulated driver share: result codes, the process-wide state with its lock, counters and
// switches. Every entry point opens an `Entry`, which takes the lock, counts the call and answers planted failures.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace eagerflow {

// The numbers of `CUresult`.
enum Result : int {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    ILLEGAL_STATE = 401,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    LAUNCH_FAILED = 719,
    COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURE_IMPLICIT = 906,
    CAPTURED_EVENT = 907,
    CAPTURE_WRONG_THREAD = 908,
    GRAPH_UPDATE_FAILURE = 910,
    UNKNOWN = 999,
};

// Limits of the emulated device, as those of compute capability 9.0.
constexpr unsigned MAX_THREADS = 1024, MAX_SHARED = 48 * 1024, MAX_SHARED_OPTIN = 227 * 1024, PROCESSORS = 8;

// Read by tests through `eagerflow_emulation_counters`; the order is that of the Rust struct.
struct Counters {
    uint64_t launches, graph_launches, host_to_device, host_to_device_bytes, device_to_host, device_to_host_bytes;
    uint64_t device_to_device, device_to_device_bytes, memsets, allocations, frees, live_allocations, bytes_in_use, peak_bytes;
    uint64_t synchronizations, module_loads, matmuls, host_allocations, calls, threads;
};

struct Switches {
    int order = 0;  // of threads and blocks: 0 forward, 1 reverse, 2 shuffled
    uint64_t seed = 1;
    uint64_t memory = 8ull << 30;
    int devices = 1;
    int version = 13000;
    bool protect = true;  // device memory is out of the host's reach between launches
    bool quiet = false;   // failures are not printed
};

// The next failures to answer: the n-th call from now of a function gives `code`.
struct Planted {
    uint64_t remaining;
    int code;
};

struct Driver {
    std::recursive_mutex lock;
    Counters counters{};
    Switches switches;
    std::map<std::string, Planted> planted;
    std::map<std::string, uint64_t> launches_by_kernel;
    bool initialized = false;
    // After a fault on the device every call fails, until the primary context is reset.
    int lost = 0;
    std::string failure;
    uint64_t sequence = 0;
};
Driver& driver();

// Whether a handle is that of a context; null stands for the current one.
bool is_context(const void* handle);

// Stores and prints what went wrong on the device, and loses the context.
int lose(int code, const std::string& what);

struct Entry {
    explicit Entry(const char* name, bool survives_loss = false, bool before_init = false);
    ~Entry() { driver().lock.unlock(); }
    Entry(const Entry&) = delete;
    int code = SUCCESS;
};

}  // namespace eagerflow

#define EXPORT extern "C" __attribute__((visibility("default"))) int
#define ENTER(...)                              \
    ::eagerflow::Entry entry(__func__, ##__VA_ARGS__); \
    if (entry.code != ::eagerflow::SUCCESS) return entry.code
