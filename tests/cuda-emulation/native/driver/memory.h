// The memory of the emulated device and pinned memory of the host: who owns which bytes, and who may touch them when.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace eagerflow {

// Gives SUCCESS and an address, or OUT_OF_MEMORY. The bytes are 0xFF: NaN as floats, -1 as integers.
int allocate_device(uint64_t* address, size_t size);
// INVALID_VALUE for what is no live allocation, or was already handed to a stream to be freed.
int free_device(uint64_t address);
// Marks an allocation as leaving: freed when its stream comes to `free_device`, refused for calls from now on.
int begin_free(uint64_t address);
// Whether these bytes lie in one live allocation (or a global variable of a module).
bool owns_device(uint64_t address, size_t size);
bool is_device_address(uint64_t address);
bool allocation_of(uint64_t address, uint64_t* base, size_t* size);
void register_global(uint64_t address, size_t size);
void unregister_global(uint64_t address);

int allocate_host(void** pointer, size_t size);
int free_host(void* pointer);
int register_host(void* pointer, size_t size);
int unregister_host(void* pointer);
bool is_pinned(const void* pointer, size_t size);

// While one exists, device memory can be read and written; otherwise a touch faults. Nests.
struct OpenMemory {
    OpenMemory();
    ~OpenMemory();
};
void set_protection(bool protect);

// Looks for writes beside allocations, where no page guards them; loses the context if it finds one.
int check_margins(const char* when);
// For the message of a fault: what lies at or near an address.
std::string describe_address(uint64_t address);

}  // namespace eagerflow
