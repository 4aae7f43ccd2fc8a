// The signal handlers. Faults that are neither a kernel's nor a touch of device memory go to whoever was there before.
#include "fault.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "block.h"
#include "driver.h"
#include "fiber.h"
#include "memory.h"

namespace eagerflow {

constexpr int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction previous[64];

static void say(const std::string& text) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    (void)written;
}

static void on_fault(int signal, siginfo_t* info, void* context) {
    const void* address = info->si_addr;
    if (in_kernel()) {
        // The launch is abandoned, this handler never returns: the signal must not stay blocked (`SA_NODEFER`).
        if (signal == SIGFPE) abandon_launch(LAUNCH_FAILED, "an integer division by zero");
        if (signal == SIGILL) abandon_launch(FAIL_ILLEGAL_INSTRUCTION, "an illegal instruction");
        if (is_stack_guard(address)) abandon_launch(LAUNCH_FAILED, "the stack of an emulated thread is full");
        abandon_launch(ILLEGAL_ADDRESS, "illegal memory access, " + describe_address((uint64_t)address));
    }
    if ((signal == SIGSEGV || signal == SIGBUS) && is_device_address((uint64_t)address)) {
        say("CUDA emulation: the host touched device memory, " + describe_address((uint64_t)address) +
            ". Only kernels and copies may do that; the process ends here.\n");
        ::signal(signal, SIG_DFL);
        return;
    }
    struct sigaction& before = previous[signal];
    if (before.sa_flags & SA_SIGINFO && before.sa_sigaction != nullptr) before.sa_sigaction(signal, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(signal);
    else ::signal(signal, SIG_DFL);
}

void install_fault_handlers() {
    static bool done = false;
    if (done) return;
    done = true;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (const int signal : SIGNALS) sigaction(signal, &action, &previous[signal]);
}

void prepare_thread_for_faults() {
    static thread_local bool ready = false;
    if (ready) return;
    ready = true;
    stack_t stack;
    if (sigaltstack(nullptr, &stack) != 0 || !(stack.ss_flags & SS_DISABLE)) return;
    constexpr size_t BYTES = 256 * 1024;
    // Kept for the life of the process: a thread that calls the driver without a stack for signals is rare.
    void* memory = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack.ss_sp = memory;
    stack.ss_size = BYTES;
    stack.ss_flags = 0;
    sigaltstack(&stack, nullptr);
}

}  // namespace eagerflow
