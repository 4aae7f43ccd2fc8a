// The scheduler of a block. Threads run one at a time until they wait; when all wait or have ended, the barriers and
// warp operations that are complete are released, and if none is, the launch has failed and the message says why.
#include "block.h"

#include <pthread.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "driver.h"
#include "fiber.h"
#include "conditional.h"
#include "shared_memory.h"
#include "warp.h"

namespace eagerflow {

namespace {

struct Running {
    Block block;
    const Program* program = nullptr;
    const Kernel* kernel = nullptr;
    void** arguments = nullptr;
    Fiber scheduler;
    Fiber* current = nullptr;
    std::vector<unsigned> order;  // in which threads begin
    size_t begun = 0;
    unsigned thread = 0;  // that runs now
    bool active = false;
    pthread_t processor_thread{};
    sigjmp_buf abandoned;
    int code = SUCCESS;
    std::string what;
};

// One launch runs at a time, under the driver's lock.
Running& running() {
    static auto* r = new Running;
    return *r;
}

void enter_thread(Running& r, unsigned index) {
    r.thread = index;
    const Triple size = r.program->state->block_size;
    r.program->state->thread = Triple{index % size.x, index / size.x % size.y, index / size.x / size.y};
}

// A fiber runs threads until one of them waits; whoever never waits costs no switch.
void fiber_main() {
    Running& r = running();
    while (r.begun < r.order.size()) {
        const unsigned index = r.order[r.begun++];
        enter_thread(r, index);
        r.kernel->call(r.arguments);
        r.block.threads[r.thread].phase = Phase::Done;
    }
    Fiber* self = r.current;
    r.current = nullptr;
    switch_fiber(self, &r.scheduler);
    __builtin_unreachable();
}

void wait_here(Phase phase, WarpRequest* warp, BlockRequest* block) {
    Running& r = running();
    Thread& thread = r.block.threads[r.thread];
    thread.phase = phase;
    thread.warp = warp;
    thread.barrier = block;
    thread.fiber = r.current;
    switch_fiber(r.current, &r.scheduler);
}

void service_block(BlockRequest* request) { wait_here(Phase::Barrier, nullptr, request); }
void service_warp(WarpRequest* request) { wait_here(Phase::Warp, request, nullptr); }
unsigned service_lane() { return running().thread % 32; }
unsigned service_active_mask() { return alive_lanes(running().block, running().thread / 32); }
void service_fail(int code, const char* what, int line) {
    abandon_launch(code, std::string(what) + (line > 0 ? " (line " + std::to_string(line) + " of the program)" : ""));
}
void service_set_conditional(unsigned long long handle, unsigned value) {
    if (!set_conditional(handle, value)) abandon_launch(FAIL_LAUNCH, "cudaGraphSetConditional: no such handle");
}

// Runs what can run; returns when every thread waits or is done.
void run_ready(Running& r, std::vector<unsigned>& ready) {
    for (const unsigned index : ready) {
        enter_thread(r, index);
        r.block.threads[index].phase = Phase::Running;
        r.current = r.block.threads[index].fiber;
        switch_fiber(&r.scheduler, r.current);
        if (r.current == nullptr) give_fiber(r.block.threads[index].fiber);
        r.current = nullptr;
    }
    ready.clear();
    while (r.begun < r.order.size()) {
        Fiber* fiber = r.current = take_fiber(fiber_main);
        switch_fiber(&r.scheduler, fiber);
        if (r.current == nullptr) give_fiber(fiber);
        r.current = nullptr;
    }
}

void run_block(Running& r, std::mt19937_64& random) {
    const Switches& s = driver().switches;
    const unsigned count = (unsigned)r.order.size();
    r.block.threads.assign(count, Thread{});
    r.begun = 0;
    shuffle_order(r.order, s.order, random);
    std::vector<unsigned> ready;
    for (;;) {
        run_ready(r, ready);
        std::string problem;
        if (release(r.block, r.order, ready, problem)) continue;
        if (problem.empty()) return;
        abandon_launch(FAIL_LAUNCH, problem);
    }
}

// Fibers of a launch that failed: their stacks are taken back as they are; kernels own nothing that must be released.
void take_back_fibers(Running& r) {
    for (Thread& thread : r.block.threads)
        if (thread.phase != Phase::Done && thread.fiber != nullptr && thread.fiber != r.current) give_fiber(thread.fiber);
    if (r.current != nullptr) give_fiber(r.current);
    r.current = nullptr;
}

}  // namespace

const Services& services() {
    static const Services table = {service_block, service_warp, service_fail, service_active_mask, service_lane, service_set_conditional};
    return table;
}

bool in_kernel() { return running().active && pthread_equal(running().processor_thread, pthread_self()); }

void abandon_launch(int code, const std::string& what) {
    Running& r = running();
    const State& s = *r.program->state;
    char where[128];
    snprintf(where, sizeof where, "block (%u, %u, %u), thread (%u, %u, %u): ", s.block.x, s.block.y, s.block.z, s.thread.x, s.thread.y, s.thread.z);
    r.code = code;
    r.what = where + what;
    siglongjmp(r.abandoned, 1);
}

int run_grid(const Program& program, const Kernel& kernel, const Grid& grid, void** arguments, std::string& what) {
    Running& r = running();
    r.program = &program;
    r.kernel = &kernel;
    r.arguments = arguments;
    r.code = SUCCESS;
    r.current = nullptr;
    State& state = *program.state;
    state.block_size = grid.block;
    state.grid_size = grid.grid;
    const uint64_t blocks = (uint64_t)grid.grid.x * grid.grid.y * grid.grid.z;
    const unsigned threads = grid.block.x * grid.block.y * grid.block.z;
    driver().counters.threads += blocks * threads;
    r.order.resize(threads);
    for (unsigned i = 0; i < threads; i++) r.order[i] = i;
    std::mt19937_64 random(driver().switches.seed ^ driver().counters.launches);
    const BlockOrder order(blocks, driver().switches.order, random);
    SharedMemory shared(program, grid.dynamic_bytes);
    if (sigsetjmp(r.abandoned, 0) == 0) {
        r.processor_thread = pthread_self();
        r.active = true;
        for (uint64_t i = 0; i < blocks; i++) {
            const uint64_t at = order.at(i);
            state.block = Triple{(unsigned)(at % grid.grid.x), (unsigned)(at / grid.grid.x % grid.grid.y), (unsigned)(at / grid.grid.x / grid.grid.y)};
            shared.poison();
            run_block(r, random);
            if (!shared.margins_hold()) abandon_launch(FAIL_ILLEGAL_ADDRESS, "a write behind the end of the dynamic shared memory");
        }
    } else {
        take_back_fibers(r);
    }
    r.active = false;
    what = r.what;
    return r.code;
}

}  // namespace eagerflow
