// Mathematical functions and intrinsics, by the names and overloads that CUDA gives them without an `#include`.
// Rounding intrinsics are plain operations: kernels are compiled without contraction.
#pragma once

#define EAGERFLOW_UNARY(name)                                                                                       \
    extern "C" double name(double) noexcept;                                                                       \
    extern "C" float name##f(float) noexcept;                                                                      \
    static inline float name(float x) { return name##f(x); }
#define EAGERFLOW_BINARY(name)                                                                                      \
    extern "C" double name(double, double) noexcept;                                                               \
    extern "C" float name##f(float, float) noexcept;                                                               \
    static inline float name(float x, float y) { return name##f(x, y); }

EAGERFLOW_UNARY(sqrt) EAGERFLOW_UNARY(cbrt) EAGERFLOW_UNARY(fabs) EAGERFLOW_UNARY(exp) EAGERFLOW_UNARY(exp2)
EAGERFLOW_UNARY(expm1) EAGERFLOW_UNARY(log) EAGERFLOW_UNARY(log2) EAGERFLOW_UNARY(log10) EAGERFLOW_UNARY(log1p)
EAGERFLOW_UNARY(sin) EAGERFLOW_UNARY(cos) EAGERFLOW_UNARY(tan) EAGERFLOW_UNARY(asin) EAGERFLOW_UNARY(acos)
EAGERFLOW_UNARY(atan) EAGERFLOW_UNARY(sinh) EAGERFLOW_UNARY(cosh) EAGERFLOW_UNARY(tanh) EAGERFLOW_UNARY(asinh)
EAGERFLOW_UNARY(acosh) EAGERFLOW_UNARY(atanh) EAGERFLOW_UNARY(erf) EAGERFLOW_UNARY(erfc) EAGERFLOW_UNARY(tgamma)
EAGERFLOW_UNARY(lgamma) EAGERFLOW_UNARY(floor) EAGERFLOW_UNARY(ceil) EAGERFLOW_UNARY(trunc) EAGERFLOW_UNARY(round)
EAGERFLOW_UNARY(rint) EAGERFLOW_UNARY(nearbyint) EAGERFLOW_UNARY(logb)
EAGERFLOW_BINARY(pow) EAGERFLOW_BINARY(fmod) EAGERFLOW_BINARY(remainder) EAGERFLOW_BINARY(atan2)
EAGERFLOW_BINARY(hypot) EAGERFLOW_BINARY(copysign) EAGERFLOW_BINARY(nextafter) EAGERFLOW_BINARY(fmin)
EAGERFLOW_BINARY(fmax) EAGERFLOW_BINARY(fdim)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
extern "C" void* memcpy(void*, const void*, unsigned long) noexcept;
extern "C" void* memset(void*, int, unsigned long) noexcept;
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
static inline float ldexp(float x, int n) { return ldexpf(x, n); }
static inline float abs(float x) { return fabsf(x); }
static inline double abs(double x) { return fabs(x); }
static inline long abs(long x) { return labs(x); }
static inline long long abs(long long x) { return llabs(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float exp10f(float x) { return powf(10.0f, x); }
static inline double exp10(double x) { return pow(10.0, x); }
static inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
static inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf(x); }
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x); }

#define EAGERFLOW_EXTREMES(T)                                                                                       \
    static inline T min(T a, T b) { return b < a ? b : a; }                                                        \
    static inline T max(T a, T b) { return a < b ? b : a; }
EAGERFLOW_EXTREMES(int) EAGERFLOW_EXTREMES(unsigned) EAGERFLOW_EXTREMES(long) EAGERFLOW_EXTREMES(unsigned long)
EAGERFLOW_EXTREMES(long long) EAGERFLOW_EXTREMES(unsigned long long)
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }

// One rounding each, to nearest even.
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
// The fast forms: here as exact as the library.
static inline float __expf(float x) { return expf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __log10f(float x) { return log10f(x); }
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __tanf(float x) { return tanf(x); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

template <class To, class From>
static inline To eagerflow_reinterpret(From from) {
    static_assert(sizeof(To) == sizeof(From), "reinterpreting keeps the size");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}
static inline float __int_as_float(int x) { return eagerflow_reinterpret<float>(x); }
static inline int __float_as_int(float x) { return eagerflow_reinterpret<int>(x); }
static inline float __uint_as_float(unsigned x) { return eagerflow_reinterpret<float>(x); }
static inline unsigned __float_as_uint(float x) { return eagerflow_reinterpret<unsigned>(x); }
static inline double __longlong_as_double(long long x) { return eagerflow_reinterpret<double>(x); }
static inline long long __double_as_longlong(double x) { return eagerflow_reinterpret<long long>(x); }
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((long long)(((unsigned long long)(unsigned)hi << 32) | (unsigned)lo));
}

// Conversions saturate, and take NaN for 0 (of doubles the device gives the lowest number; nobody should lean on it).
template <class To, class From>
static inline To eagerflow_saturate(From x) {
    constexpr bool is_signed = (To)-1 < (To)0;
    constexpr int bits = sizeof(To) * 8;
    constexpr To highest = is_signed ? (To)((((To)1 << (bits - 2)) - 1) * 2 + 1) : (To)-1;
    constexpr To lowest = is_signed ? (To)(-highest - 1) : (To)0;
    constexpr From above = (From)((To)1 << (bits - 2)) * (is_signed ? (From)2 : (From)4);
    if (x != x) return 0;
    if (x >= above) return highest;
    if (x < (is_signed ? -above : (From)0)) return lowest;
    return (To)x;
}
#define EAGERFLOW_CONVERSIONS(from, From, to, To)                                                                   \
    static inline To __##from##2##to##_rz(From x) { return eagerflow_saturate<To>(trunc(x)); }                     \
    static inline To __##from##2##to##_rn(From x) { return eagerflow_saturate<To>(rint(x)); }                      \
    static inline To __##from##2##to##_rd(From x) { return eagerflow_saturate<To>(floor(x)); }                     \
    static inline To __##from##2##to##_ru(From x) { return eagerflow_saturate<To>(ceil(x)); }
EAGERFLOW_CONVERSIONS(float, float, int, int) EAGERFLOW_CONVERSIONS(float, float, uint, unsigned)
EAGERFLOW_CONVERSIONS(float, float, ll, long long) EAGERFLOW_CONVERSIONS(float, float, ull, unsigned long long)
EAGERFLOW_CONVERSIONS(double, double, int, int) EAGERFLOW_CONVERSIONS(double, double, uint, unsigned)
EAGERFLOW_CONVERSIONS(double, double, ll, long long) EAGERFLOW_CONVERSIONS(double, double, ull, unsigned long long)
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline float __ull2float_rn(unsigned long long x) { return (float)x; }
static inline double __int2double_rn(int x) { return (double)x; }
static inline double __uint2double_rn(unsigned x) { return (double)x; }
static inline double __ll2double_rn(long long x) { return (double)x; }
static inline double __ull2double_rn(unsigned long long x) { return (double)x; }
static inline float __double2float_rn(double x) { return (float)x; }

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
static inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)(((unsigned __int128)a * b) >> 64); }
static inline long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
static inline int __mul24(int a, int b) { return (int)(((unsigned)a << 8 >> 8) * ((unsigned)b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline unsigned __brev(unsigned x) {
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++) reversed |= ((x >> i) & 1u) << (31 - i);
    return reversed;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return (unsigned)(((((unsigned long long)hi << 32) | lo) << (n & 31)) >> 32); }
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return (unsigned)((((unsigned long long)hi << 32) | lo) >> (n & 31)); }
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = ((unsigned long long)y << 32) | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= (unsigned)((both >> (((selector >> (4 * i)) & 7) * 8)) & 0xff) << (8 * i);
    return result;
}

template <class T> static inline T __ldg(const T* p) { return *p; }
template <class T> static inline T __ldcg(const T* p) { return *p; }
template <class T> static inline T __ldcs(const T* p) { return *p; }
template <class T> static inline T __ldca(const T* p) { return *p; }
template <class T> static inline void __stcs(T* p, T v) { *p = v; }
template <class T> static inline void __stcg(T* p, T v) { *p = v; }
template <class T> static inline void __stwt(T* p, T v) { *p = v; }
