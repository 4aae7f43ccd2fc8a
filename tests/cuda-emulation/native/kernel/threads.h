// What threads of a block and lanes of a warp do together: barriers, shuffles, votes. Each is a request to the driver,
// which lets other threads run until all that must take part have asked.
#pragma once

#define EAGERFLOW_LINE int line = __builtin_LINE()

static inline int eagerflow_block(eagerflow::BlockKind kind, int predicate, int line) {
    eagerflow::BlockRequest request = {kind, predicate, line, 0};
    eagerflow_services->block(&request);
    return request.result;
}
static inline void __syncthreads(EAGERFLOW_LINE) { eagerflow_block(eagerflow::BLOCK_SYNC, 0, line); }
static inline int __syncthreads_count(int predicate, EAGERFLOW_LINE) { return eagerflow_block(eagerflow::BLOCK_COUNT, predicate, line); }
static inline int __syncthreads_and(int predicate, EAGERFLOW_LINE) { return eagerflow_block(eagerflow::BLOCK_AND, predicate, line); }
static inline int __syncthreads_or(int predicate, EAGERFLOW_LINE) { return eagerflow_block(eagerflow::BLOCK_OR, predicate, line); }

static inline unsigned long long eagerflow_warp(eagerflow::WarpKind kind, unsigned mask, unsigned long long value, int source, int line) {
    eagerflow::WarpRequest request = {kind, mask, source, line, value, 0};
    eagerflow_services->warp(&request);
    return request.result;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, EAGERFLOW_LINE) { eagerflow_warp(eagerflow::WARP_SYNC, mask, 0, -1, line); }
static inline unsigned __activemask() { return eagerflow_services->active_mask(); }
static inline unsigned __ballot_sync(unsigned mask, int predicate, EAGERFLOW_LINE) {
    return (unsigned)eagerflow_warp(eagerflow::WARP_BALLOT, mask, predicate != 0, -1, line);
}
static inline int __any_sync(unsigned mask, int predicate, EAGERFLOW_LINE) {
    return eagerflow_warp(eagerflow::WARP_BALLOT, mask, predicate != 0, -1, line) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, EAGERFLOW_LINE) {
    return eagerflow_warp(eagerflow::WARP_BALLOT, mask, predicate == 0, -1, line) == 0;
}

// The bits of a value that travels between lanes, and back.
template <class T>
static inline unsigned long long eagerflow_bits(T value) {
    static_assert(sizeof(T) <= 8, "a shuffle takes at most 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
static inline T eagerflow_value(unsigned long long bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
// The lane asked for inside the own segment of `width` lanes.
static inline int eagerflow_segment(int width, int line) {
    if (width < 1 || width > 32 || (width & (width - 1)) != 0)
        eagerflow_services->fail(eagerflow::FAIL_LAUNCH, "the width of a shuffle must be a power of two up to 32", line);
    return (int)eagerflow_services->lane() & ~(width - 1);
}

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, EAGERFLOW_LINE) {
    const int source = eagerflow_segment(width, line) + (lane & (width - 1));
    return eagerflow_value<T>(eagerflow_warp(eagerflow::WARP_SHUFFLE, mask, eagerflow_bits(value), source, line));
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EAGERFLOW_LINE) {
    const int source = (int)eagerflow_services->lane() - (int)delta;
    const bool own = source < eagerflow_segment(width, line);
    return eagerflow_value<T>(eagerflow_warp(eagerflow::WARP_SHUFFLE, mask, eagerflow_bits(value), own ? -1 : source, line));
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EAGERFLOW_LINE) {
    const int source = (int)eagerflow_services->lane() + (int)delta;
    const bool own = source >= eagerflow_segment(width, line) + width;
    return eagerflow_value<T>(eagerflow_warp(eagerflow::WARP_SHUFFLE, mask, eagerflow_bits(value), own ? -1 : source, line));
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, EAGERFLOW_LINE) {
    const int source = (int)eagerflow_services->lane() ^ lanes;
    const bool own = source >= eagerflow_segment(width, line) + width;
    return eagerflow_value<T>(eagerflow_warp(eagerflow::WARP_SHUFFLE, mask, eagerflow_bits(value), own ? -1 : source, line));
}
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value, EAGERFLOW_LINE) {
    return (unsigned)eagerflow_warp(eagerflow::WARP_MATCH, mask, eagerflow_bits(value), -1, line);
}
#define EAGERFLOW_REDUCE(name, kind, T)                                                                             \
    static inline T name(unsigned mask, T value, EAGERFLOW_LINE) {                                                 \
        return (T)eagerflow_warp(eagerflow::kind, mask, (unsigned long long)(long long)value, -1, line);           \
    }
EAGERFLOW_REDUCE(__reduce_add_sync, WARP_ADD, int)
EAGERFLOW_REDUCE(__reduce_add_sync, WARP_ADD, unsigned)
EAGERFLOW_REDUCE(__reduce_min_sync, WARP_MIN, int)
EAGERFLOW_REDUCE(__reduce_min_sync, WARP_MIN, unsigned)
EAGERFLOW_REDUCE(__reduce_max_sync, WARP_MAX, int)
EAGERFLOW_REDUCE(__reduce_max_sync, WARP_MAX, unsigned)
EAGERFLOW_REDUCE(__reduce_and_sync, WARP_AND, unsigned)
EAGERFLOW_REDUCE(__reduce_or_sync, WARP_OR, unsigned)
EAGERFLOW_REDUCE(__reduce_xor_sync, WARP_XOR, unsigned)

// One processor runs all threads, in order: fences have nothing to do but to stop the compiler.
static inline void __threadfence() { __asm__ __volatile__("" ::: "memory"); }
static inline void __threadfence_block() { __asm__ __volatile__("" ::: "memory"); }
static inline void __threadfence_system() { __asm__ __volatile__("" ::: "memory"); }
static inline void __nanosleep(unsigned) {}
static inline void __trap(EAGERFLOW_LINE) { eagerflow_services->fail(eagerflow::FAIL_ILLEGAL_INSTRUCTION, "__trap()", line); }
static inline void eagerflow_assert(bool holds, const char* text, EAGERFLOW_LINE) {
    if (!holds) eagerflow_services->fail(eagerflow::FAIL_ASSERT, text, line);
}
#define assert(condition) eagerflow_assert(!!(condition), "assertion failed: " #condition)
extern "C" int printf(const char*, ...);
static inline long long clock64() {
    static long long ticks = 0;
    return ++ticks;
}

typedef unsigned long long cudaGraphConditionalHandle;
static inline void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
    eagerflow_services->set_conditional(handle, value);
}
