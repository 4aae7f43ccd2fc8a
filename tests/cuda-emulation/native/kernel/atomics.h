// Atomic operations. Threads are switched at barriers and warp operations only, so plain reads and writes are atomic
// here; what differs from run to run on a device is the order of threads, which the driver can shuffle.
#pragma once

#define EAGERFLOW_ATOMIC(name, T, expression)                                                                       \
    static inline T name(T* address, T value) {                                                                    \
        const T old = *address;                                                                                    \
        *address = (T)(expression);                                                                                \
        return old;                                                                                                \
    }                                                                                                              \
    static inline T name##_block(T* address, T value) { return name(address, value); }
#define EAGERFLOW_ATOMIC_SUM(T) EAGERFLOW_ATOMIC(atomicAdd, T, old + value)
#define EAGERFLOW_ATOMIC_INTEGER(T)                                                                                 \
    EAGERFLOW_ATOMIC(atomicMin, T, value < old ? value : old)                                                      \
    EAGERFLOW_ATOMIC(atomicMax, T, value > old ? value : old)                                                      \
    EAGERFLOW_ATOMIC(atomicAnd, T, old & value)                                                                    \
    EAGERFLOW_ATOMIC(atomicOr, T, old | value)                                                                     \
    EAGERFLOW_ATOMIC(atomicXor, T, old ^ value)                                                                    \
    EAGERFLOW_ATOMIC(atomicExch, T, value)
#define EAGERFLOW_ATOMIC_CAS(T)                                                                                     \
    static inline T atomicCAS(T* address, T compare, T value) {                                                    \
        const T old = *address;                                                                                    \
        if (old == compare) *address = value;                                                                      \
        return old;                                                                                                \
    }

EAGERFLOW_ATOMIC_SUM(int)
EAGERFLOW_ATOMIC_SUM(unsigned)
EAGERFLOW_ATOMIC_SUM(unsigned long long)
EAGERFLOW_ATOMIC_SUM(float)
EAGERFLOW_ATOMIC_SUM(double)
EAGERFLOW_ATOMIC_INTEGER(int)
EAGERFLOW_ATOMIC_INTEGER(unsigned)
EAGERFLOW_ATOMIC_INTEGER(long long)
EAGERFLOW_ATOMIC_INTEGER(unsigned long long)
EAGERFLOW_ATOMIC(atomicExch, float, value)
EAGERFLOW_ATOMIC(atomicSub, int, old - value)
EAGERFLOW_ATOMIC(atomicSub, unsigned, old - value)
EAGERFLOW_ATOMIC(atomicInc, unsigned, old >= value ? 0u : old + 1u)
EAGERFLOW_ATOMIC(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u)
EAGERFLOW_ATOMIC_CAS(int)
EAGERFLOW_ATOMIC_CAS(unsigned)
EAGERFLOW_ATOMIC_CAS(unsigned long long)
EAGERFLOW_ATOMIC_CAS(unsigned short)
