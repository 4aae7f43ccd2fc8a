// What the emulated driver does for the emulated cublasLt: running work in the order of a stream, and knowing memory.
// Defined in `driver/hooks.cpp`, found by linking against the driver.
#pragma once
#include <cstdint>

extern "C" {
// Queues (or captures) a copyable piece of work: `run(data)` when the stream comes to it; `release(data)` once, when
// the last copy is gone. Gives a code of the driver.
int eagerflow_hook_submit(void* stream, int (*run)(void*), void* data, void (*release)(void*));
int eagerflow_hook_owns(uint64_t address, uint64_t bytes);
int eagerflow_hook_ready();
void eagerflow_hook_count_matmul();
// The code of a failure that a test has planted for this call of the library, 0 if there is none.
int eagerflow_hook_planted(const char* function);
}

namespace eagerflow {
inline bool hook_owns(uint64_t address, uint64_t bytes) { return eagerflow_hook_owns(address, bytes) != 0; }
}  // namespace eagerflow
