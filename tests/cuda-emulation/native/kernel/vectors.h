// The vector types of CUDA with their alignments. A misaligned load of one is an error on the device, and here: kernels
// are compiled with the compiler's alignment checks (`export.h` reports them).
#pragma once

#define EAGERFLOW_VECTORS(T, name, a1, a2, a3, a4)                                                                  \
    struct alignas(a1) name##1 { T x; };                                                                           \
    struct alignas(a2) name##2 { T x, y; };                                                                        \
    struct alignas(a3) name##3 { T x, y, z; };                                                                     \
    struct alignas(a4) name##4 { T x, y, z, w; };                                                                  \
    static inline name##1 make_##name##1(T x) { return {x}; }                                                      \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                              \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                      \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

EAGERFLOW_VECTORS(signed char, char, 1, 2, 1, 4)
EAGERFLOW_VECTORS(unsigned char, uchar, 1, 2, 1, 4)
EAGERFLOW_VECTORS(short, short, 2, 4, 2, 8)
EAGERFLOW_VECTORS(unsigned short, ushort, 2, 4, 2, 8)
EAGERFLOW_VECTORS(int, int, 4, 8, 4, 16)
EAGERFLOW_VECTORS(unsigned int, uint, 4, 8, 4, 16)
EAGERFLOW_VECTORS(long, long, 8, 16, 8, 16)
EAGERFLOW_VECTORS(unsigned long, ulong, 8, 16, 8, 16)
EAGERFLOW_VECTORS(long long, longlong, 8, 16, 8, 16)
EAGERFLOW_VECTORS(unsigned long long, ulonglong, 8, 16, 8, 16)
EAGERFLOW_VECTORS(float, float, 4, 8, 4, 16)
EAGERFLOW_VECTORS(double, double, 8, 16, 8, 16)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
