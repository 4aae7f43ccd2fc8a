// Device memory: pages out of one reserved range, each allocation pushed against an inaccessible page, so that touching
// one element behind it faults. Addresses are not used again until the range is used up: a stale pointer faults too.
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "driver.h"

namespace eagerflow {

namespace {

constexpr size_t RANGE = 1ull << 40, ALIGNMENT = 256;
constexpr uint64_t PREFERRED_BASE = 0x300000000000;
constexpr unsigned char POISON = 0xFF;
// Protecting one huge page costs as much as one small one: large allocations begin at a multiple of it.
constexpr size_t HUGE_PAGE = 2 << 20;

struct Allocation {
    uint64_t begin;  // of its pages
    size_t pages_bytes;
    size_t size;
    bool leaving;
    uint64_t number;
};

struct Memory {
    uint64_t base = 0, next = 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    std::map<uint64_t, Allocation> live;
    std::map<uint64_t, size_t> globals;
    std::map<uint64_t, size_t> pinned;
    std::map<uint64_t, size_t> registered;
    int open = 0;
    uint64_t numbers = 0;
};

Memory& memory() {
    static Memory* m = new Memory;
    return *m;
}

bool reserve(Memory& m) {
    if (m.base != 0) return true;
    void* range = mmap((void*)PREFERRED_BASE, RANGE + (4 << 20), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) return false;
    m.base = m.next = ((uint64_t)range + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    return true;
}

// A place for `bytes` of pages and a guard page behind; from the start again when the range is used up.
uint64_t place(Memory& m, size_t bytes) {
    const size_t need = bytes + m.page;
    const uint64_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : m.page;
    auto align = [&] { m.next = (m.next + alignment - 1) / alignment * alignment; };
    align();
    if (m.next + need > m.base + RANGE) m.next = m.base;
    while (m.next + need <= m.base + RANGE) {
        bool free_here = true;
        for (auto& [address, a] : m.live) {
            if (a.begin < m.next + need && m.next < a.begin + a.pages_bytes + m.page) {
                m.next = a.begin + a.pages_bytes + m.page;
                align();
                free_here = false;
                break;
            }
            if (a.begin >= m.next + need) break;
        }
        if (free_here) {
            const uint64_t at = m.next;
            m.next += need;
            return at;
        }
    }
    return 0;
}

const std::pair<const uint64_t, Allocation>* find(uint64_t address) {
    Memory& m = memory();
    auto after = m.live.upper_bound(address);
    if (after == m.live.begin()) return nullptr;
    --after;
    return address < after->first + after->second.size ? &*after : nullptr;
}

bool inside(const std::map<uint64_t, size_t>& ranges, uint64_t address, size_t size) {
    auto after = ranges.upper_bound(address);
    if (after == ranges.begin()) return false;
    --after;
    return address + size <= after->first + after->second && address + size >= address;
}

}  // namespace

// Bytes of [from, to) that are no longer poison.
static int check_margin(uint64_t from, uint64_t to, const char* when) {
    for (uint64_t at = from; at < to; at++) {
        if (*(const unsigned char*)at == POISON) continue;
        memset((void*)from, POISON, to - from);
        return lose(ILLEGAL_ADDRESS, std::string("found ") + when + ": something wrote outside of an allocation, " + describe_address(at));
    }
    return SUCCESS;
}

static int check_allocation(uint64_t address, const Allocation& a, uint64_t before, const char* when) {
    const uint64_t begin = address - a.begin > before ? address - before : a.begin;
    const int front = check_margin(begin, address, when);
    return front != SUCCESS ? front : check_margin(address + a.size, a.begin + a.pages_bytes, when);
}

int allocate_device(uint64_t* address, size_t size) {
    Memory& m = memory();
    Driver& d = driver();
    if (size == 0) return INVALID_VALUE;
    if (size > d.switches.memory || d.counters.bytes_in_use + size > d.switches.memory || !reserve(m)) return OUT_OF_MEMORY;
    const size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t bytes = (rounded + m.page - 1) / m.page * m.page;
    const uint64_t begin = place(m, bytes);
    if (begin == 0) return OUT_OF_MEMORY;
    if (mmap((void*)begin, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return OUT_OF_MEMORY;
    if (bytes >= HUGE_PAGE) madvise((void*)begin, bytes, MADV_HUGEPAGE);
    memset((void*)begin, POISON, bytes);
    if (d.switches.protect && m.open == 0) mprotect((void*)begin, bytes, PROT_NONE);
    *address = begin + bytes - rounded;
    m.live[*address] = Allocation{begin, bytes, size, false, ++m.numbers};
    d.counters.allocations++;
    d.counters.live_allocations++;
    d.counters.bytes_in_use += size;
    if (d.counters.bytes_in_use > d.counters.peak_bytes) d.counters.peak_bytes = d.counters.bytes_in_use;
    return SUCCESS;
}

int begin_free(uint64_t address) {
    auto found = memory().live.find(address);
    if (found == memory().live.end() || found->second.leaving) return INVALID_VALUE;
    found->second.leaving = true;
    return SUCCESS;
}

int free_device(uint64_t address) {
    Memory& m = memory();
    auto found = m.live.find(address);
    if (found == m.live.end()) return INVALID_VALUE;
    const Allocation a = found->second;
    if (m.open == 0) mprotect((void*)a.begin, a.pages_bytes, PROT_READ | PROT_WRITE);
    const int margins = check_allocation(address, a, a.pages_bytes, "when it was freed");
    // Fresh inaccessible pages: the old ones go back to the system.
    mmap((void*)a.begin, a.pages_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    m.live.erase(found);
    Counters& c = driver().counters;
    c.frees++;
    c.live_allocations--;
    c.bytes_in_use -= a.size;
    return margins;
}

bool owns_device(uint64_t address, size_t size) {
    if (const auto* found = find(address))
        return !found->second.leaving && size <= found->first + found->second.size - address;
    return inside(memory().globals, address, size);
}

bool is_device_address(uint64_t address) {
    const Memory& m = memory();
    return (m.base != 0 && address >= m.base && address < m.base + RANGE) || inside(m.globals, address, 1);
}

bool allocation_of(uint64_t address, uint64_t* base, size_t* size) {
    const auto* found = find(address);
    if (found == nullptr) return false;
    *base = found->first;
    *size = found->second.size;
    return true;
}

void register_global(uint64_t address, size_t size) { memory().globals[address] = size; }
void unregister_global(uint64_t address) { memory().globals.erase(address); }

int allocate_host(void** pointer, size_t size) {
    Memory& m = memory();
    if (size == 0) return INVALID_VALUE;
    const size_t bytes = (size + m.page - 1) / m.page * m.page;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return OUT_OF_MEMORY;
    memset(p, POISON, size);
    m.pinned[(uint64_t)p] = size;
    driver().counters.host_allocations++;
    *pointer = p;
    return SUCCESS;
}

int free_host(void* pointer) {
    Memory& m = memory();
    auto found = m.pinned.find((uint64_t)pointer);
    if (found == m.pinned.end()) return INVALID_VALUE;
    munmap(pointer, (found->second + m.page - 1) / m.page * m.page);
    m.pinned.erase(found);
    return SUCCESS;
}

int register_host(void* pointer, size_t size) {
    if (pointer == nullptr || size == 0) return INVALID_VALUE;
    if (!memory().registered.emplace((uint64_t)pointer, size).second) return 712;  // already registered
    return SUCCESS;
}

int unregister_host(void* pointer) { return memory().registered.erase((uint64_t)pointer) == 1 ? SUCCESS : 713; }

bool is_pinned(const void* pointer, size_t size) {
    const Memory& m = memory();
    return inside(m.pinned, (uint64_t)pointer, size) || inside(m.registered, (uint64_t)pointer, size);
}

static void protect_all(int protection) {
    for (auto& [address, a] : memory().live) mprotect((void*)a.begin, a.pages_bytes, protection);
}

OpenMemory::OpenMemory() {
    if (memory().open++ == 0 && driver().switches.protect) protect_all(PROT_READ | PROT_WRITE);
}

OpenMemory::~OpenMemory() {
    if (--memory().open == 0 && driver().switches.protect) protect_all(PROT_NONE);
}

void set_protection(bool protect) {
    if (memory().open == 0) protect_all(protect ? PROT_NONE : PROT_READ | PROT_WRITE);
    driver().switches.protect = protect;
}

int check_margins(const char* when) {
    constexpr uint64_t NEAR = 64;  // all of it is looked at when the allocation is freed
    OpenMemory open;
    for (auto& [address, a] : memory().live)
        if (const int result = check_allocation(address, a, NEAR, when)) return result;
    return SUCCESS;
}

std::string describe_address(uint64_t address) {
    char text[256];
    const Memory& m = memory();
    auto after = m.live.upper_bound(address);
    if (after != m.live.begin()) {
        auto before = std::prev(after);
        const Allocation& a = before->second;
        if (address < before->first + a.size) {
            snprintf(text, sizeof text, "address %#lx: byte %lu of allocation %lu (%zu bytes)", address, address - before->first, a.number, a.size);
            return text;
        }
        if (address < a.begin + a.pages_bytes + m.page) {
            snprintf(text, sizeof text, "address %#lx: %lu bytes behind the end of allocation %lu (%zu bytes at %#lx)", address,
                     address - before->first - a.size, a.number, a.size, before->first);
            return text;
        }
    }
    if (after != m.live.end() && address >= after->second.begin) {
        snprintf(text, sizeof text, "address %#lx: %lu bytes before allocation %lu (%zu bytes at %#lx)", address, after->first - address,
                 after->second.number, after->second.size, after->first);
        return text;
    }
    snprintf(text, sizeof text, "address %#lx: %s", address, is_device_address(address) ? "device memory that is not allocated (freed?)" : "not device memory");
    return text;
}

}  // namespace eagerflow
