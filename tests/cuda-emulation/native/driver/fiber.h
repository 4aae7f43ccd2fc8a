// Fibers: stacks that emulated threads run on, and the switch between them. On x86-64 a switch is fifteen instructions
// and no system call; elsewhere, and with EAGERFLOW_UCONTEXT, it is `swapcontext`.
#pragma once
#include <cstddef>

#if !defined(__x86_64__) && !defined(EAGERFLOW_UCONTEXT)
#define EAGERFLOW_UCONTEXT
#endif
#if defined(EAGERFLOW_UCONTEXT)
#include <ucontext.h>
#endif

namespace eagerflow {

struct Fiber {
#if !defined(EAGERFLOW_UCONTEXT)
    void* stack_pointer = nullptr;
#else
    ucontext_t context;
#endif
    char* stack = nullptr;  // with an inaccessible page at its lower end
    void (*main)() = nullptr;
};

constexpr size_t STACK_BYTES = 256 * 1024;

// A fiber from the pool, ready to begin `main` when it is switched to.
Fiber* take_fiber(void (*main)());
void give_fiber(Fiber* fiber);
// Saves the running fiber (or the thread's own stack) in `from`, goes on with `to`.
void switch_fiber(Fiber* from, Fiber* to);
// Whether an address lies in the guard page of a fiber's stack.
bool is_stack_guard(const void* address);

}  // namespace eagerflow
