// Poisons what a kernel must write before it reads: 0xFF is NaN for floats and -1 for integers.
#include "shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "driver.h"

namespace eagerflow {

static char* dynamic_end() {
    static char* end = [] {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (MAX_SHARED_OPTIN + page - 1) / page * page;
        char* memory = (char*)mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) abort();
        mprotect(memory + bytes, page, PROT_NONE);
        return memory + bytes;
    }();
    return end;
}

SharedMemory::SharedMemory(const Program& program, unsigned dynamic_bytes) : dynamic_bytes_(dynamic_bytes) {
    fixed_ = (char*)program.shared_probe() - program.probe_offset;
    fixed_bytes_ = program.shared_bytes;
    padded_bytes_ = (dynamic_bytes + 15) / 16 * 16;
    dynamic_ = dynamic_end() - padded_bytes_;
    program.state->dynamic_shared = dynamic_;
    program.state->dynamic_bytes = dynamic_bytes;
}

void SharedMemory::poison() {
    memset(fixed_, 0xFF, fixed_bytes_);
    memset(dynamic_, 0xFF, padded_bytes_);
}

bool SharedMemory::margins_hold() const {
    return std::all_of(dynamic_ + dynamic_bytes_, dynamic_ + padded_bytes_, [](char c) { return (unsigned char)c == 0xFF; });
}

BlockOrder::BlockOrder(uint64_t count, int order, std::mt19937_64& random) : count_(count), reverse_(order == 1) {
    if (order != 2 || count < 2) return;
    start_ = random() % count;
    do step_ = 1 + random() % (count - 1);
    while (std::gcd(step_, count) != 1);
}

uint64_t BlockOrder::at(uint64_t i) const {
    if (reverse_) return count_ - 1 - i;
    return (uint64_t)(((unsigned __int128)i * step_ + start_) % count_);
}

void shuffle_order(std::vector<unsigned>& order, int kind, std::mt19937_64& random) {
    if (kind == 2) {
        std::shuffle(order.begin(), order.end(), random);
        return;
    }
    for (size_t i = 0; i < order.size(); i++) order[i] = (unsigned)(kind == 1 ? order.size() - 1 - i : i);
}

}  // namespace eagerflow
