// The shared memory of the block that runs, and the order in which blocks and threads run. Used by `block.cpp`.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "block.h"

namespace eagerflow {

// Static shared memory is the program's thread-local storage; dynamic shared memory ends at an inaccessible page.
class SharedMemory {
  public:
    SharedMemory(const Program& program, unsigned dynamic_bytes);
    void poison();
    // Whether the few bytes between the end of the dynamic memory and the page are untouched.
    bool margins_hold() const;

  private:
    char* fixed_;
    size_t fixed_bytes_;
    char* dynamic_;
    size_t dynamic_bytes_, padded_bytes_;
};

// A permutation of block numbers without a list of them: forward, reverse, or by an odd step from a random start.
class BlockOrder {
  public:
    BlockOrder(uint64_t count, int order, std::mt19937_64& random);
    uint64_t at(uint64_t i) const;

  private:
    uint64_t count_, start_ = 0, step_ = 1;
    bool reverse_;
};

void shuffle_order(std::vector<unsigned>& order, int kind, std::mt19937_64& random);

}  // namespace eagerflow
