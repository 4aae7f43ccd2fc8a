// Making, pooling and switching fibers; `block.cpp` decides which one runs.
#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace eagerflow {

static std::vector<Fiber*>& pool() {
    static auto* fibers = new std::vector<Fiber*>;
    return *fibers;
}
static std::vector<Fiber*>& all() {
    static auto* fibers = new std::vector<Fiber*>;
    return *fibers;
}
static size_t page() {
    static const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

#if !defined(EAGERFLOW_UCONTEXT)
// Callee-saved registers go on the old stack, then come from the new one.
extern "C" void eagerflow_switch(void** save, void* load);
asm(R"(
    .text
    .type eagerflow_switch, @function
    .hidden eagerflow_switch
    .globl eagerflow_switch
eagerflow_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size eagerflow_switch, . - eagerflow_switch
)");

static void prepare(Fiber* fiber) {
    // What the first switch pops: six registers, then `main` as the address to return to. Its caller, which does not exist,
    // lies behind, so that the stack is aligned as it is behind a call: to 16 bytes and 8 more.
    uintptr_t* top = (uintptr_t*)(fiber->stack + STACK_BYTES);
    *--top = 0;
    *--top = (uintptr_t)fiber->main;
    for (int i = 0; i < 6; i++) *--top = 0;
    fiber->stack_pointer = top;
}

void switch_fiber(Fiber* from, Fiber* to) { eagerflow_switch(&from->stack_pointer, to->stack_pointer); }
#else
static void prepare(Fiber* fiber) {
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, fiber->main, 0);
}

void switch_fiber(Fiber* from, Fiber* to) { swapcontext(&from->context, &to->context); }
#endif

Fiber* take_fiber(void (*main)()) {
    Fiber* fiber;
    if (!pool().empty()) {
        fiber = pool().back();
        pool().pop_back();
    } else {
        fiber = new Fiber;
        void* memory = mmap(nullptr, STACK_BYTES + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) abort();
        mprotect(memory, page(), PROT_NONE);
        fiber->stack = (char*)memory + page();
        all().push_back(fiber);
    }
    fiber->main = main;
    prepare(fiber);
    return fiber;
}

void give_fiber(Fiber* fiber) { pool().push_back(fiber); }

bool is_stack_guard(const void* address) {
    for (const Fiber* fiber : all())
        if ((const char*)address >= fiber->stack - page() && (const char*)address < fiber->stack) return true;
    return false;
}

}  // namespace eagerflow
