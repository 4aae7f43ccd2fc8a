// How a program shows its kernels to the driver, and what the compiler's own checks call when a kernel fails them.
// The emulated NVRTC ends each text with `EAGERFLOW_PROGRAM` and one `EAGERFLOW_KERNEL` for each `__global__` function.
#pragma once

namespace eagerflow {

template <int... I> struct Indices {};
template <int N, int... I> struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I> struct MakeIndices<0, I...> { typedef Indices<I...> type; };

// The function is a template argument, so that its call is direct.
template <auto F, class> struct Caller;
template <auto F, class... A> struct Caller<F, void (*)(A...)> {
    static_assert((__is_trivially_copyable(A) && ...), "kernel parameters travel as bytes");
    static constexpr unsigned sizes[] = {sizeof(A)..., 0}, alignments[] = {alignof(A)..., 0};
    template <int... I>
    static void unpack(void** arguments, Indices<I...>) { F(*(A*)arguments[I]...); }
    static void call(void** arguments) { unpack(arguments, typename MakeIndices<sizeof...(A)>::type()); }
    static constexpr int count = sizeof...(A);
};

}  // namespace eagerflow

#define EAGERFLOW_KERNEL(symbol, function, max_threads)                                                             \
    extern "C" __attribute__((used, visibility("default"))) const eagerflow::Kernel eagerflow_kernel_##symbol = {   \
        eagerflow::Caller<&function, decltype(&function)>::count, eagerflow::Caller<&function, decltype(&function)>::sizes, \
        eagerflow::Caller<&function, decltype(&function)>::alignments, eagerflow::Caller<&function, decltype(&function)>::call, max_threads};

// The layouts are those of the compiler's undefined behaviour checks.
struct EagerflowPlace {
    const char* file;
    unsigned line, column;
};
#define EAGERFLOW_CHECK(name, code, text)                                                                           \
    extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_##name##_abort(void* place, void*) { \
        eagerflow_services->fail(code, text, (int)((const EagerflowPlace*)place)->line);                           \
    }

#define EAGERFLOW_PROGRAM                                                                                           \
    extern "C" {                                                                                                    \
    eagerflow::State eagerflow_state = {};                                                                          \
    const eagerflow::Services* eagerflow_services = nullptr;                                                        \
    static thread_local char eagerflow_probe;                                                                       \
    static void* eagerflow_shared_probe() { return (void*)&eagerflow_probe; }                                       \
    __attribute__((used, visibility("default"))) void eagerflow_attach(const eagerflow::Services* services, eagerflow::Attachment* out) { \
        eagerflow_services = services;                                                                              \
        out->state = &eagerflow_state;                                                                              \
        out->shared_probe = eagerflow_shared_probe;                                                                 \
    }                                                                                                               \
    }                                                                                                               \
    EAGERFLOW_CHECK(type_mismatch_v1, eagerflow::FAIL_MISALIGNED, "a load or store at an address that its type's alignment forbids") \
    EAGERFLOW_CHECK(out_of_bounds, eagerflow::FAIL_ILLEGAL_ADDRESS, "an index outside of an array")
