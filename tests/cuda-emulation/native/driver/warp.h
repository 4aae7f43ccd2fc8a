// The threads of a block as the scheduler sees them, and the rules by which waiting ones go on. Used by `block.cpp`.
#pragma once
#include <string>
#include <vector>

#include "../abi.h"

namespace eagerflow {

struct Fiber;

enum class Phase : unsigned char { New, Running, Barrier, Warp, Done };

struct Thread {
    Phase phase = Phase::New;
    Fiber* fiber = nullptr;
    WarpRequest* warp = nullptr;
    BlockRequest* barrier = nullptr;
};

struct Block {
    std::vector<Thread> threads;
};

// Lanes of a warp that exist and have not ended.
unsigned alive_lanes(const Block& block, unsigned warp);

// Answers every warp operation whose lanes have all come, else the barrier if all threads have come. Threads that go on
// are listed in `ready`, in `order`. False if nothing can go on: all have ended, or `problem` says what is wrong.
bool release(Block& block, const std::vector<unsigned>& order, std::vector<unsigned>& ready, std::string& problem);

}  // namespace eagerflow
