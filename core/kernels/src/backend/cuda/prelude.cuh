// Types, conversions and helpers that all kernels share; it stands in front of every text that is compiled.
// No header is included: 16-bit floats and truth values are small structs, and conversions are instructions by name.

typedef long long index_t;

struct f16 { unsigned short bits; };
struct bf16 { unsigned short bits; };
// A truth value in memory may be any byte; it is true unless it is 0.
struct truth { unsigned char byte; };
// Complex numbers; arithmetic on them is `plus` and `times` below, all else is done part by part.
struct alignas(8) complex64 { float re, im; };
struct alignas(16) complex128 { double re, im; };

// ---- 16-bit floats -------------------------------------------------------------------------------------------------

#ifdef EAGERFLOW_EMULATED
__device__ inline float wide(f16 x) {
  unsigned sign = (unsigned)(x.bits & 0x8000) << 16, magnitude = (unsigned)(x.bits & 0x7fff) << 13;
  unsigned value;
  if (magnitude < 0x00800000) value = __float_as_uint(__uint_as_float(magnitude | 113u << 23) - __uint_as_float(113u << 23));
  else if (magnitude >= 0x0f800000) value = magnitude + (224u << 23);
  else value = magnitude + (112u << 23);
  return __uint_as_float(sign | value);
}
__device__ inline f16 narrow_f16(float x) {
  unsigned all = __float_as_uint(x), sign = all >> 16 & 0x8000, bits = all & 0x7fffffff, magnitude;
  if (bits < 0x38800000) magnitude = __float_as_uint(__uint_as_float(bits) + 0.5f) - 0x3f000000;
  else if (bits >= 0x47800000) magnitude = bits > 0x7f800000 ? 0x7e00 : 0x7c00;
  else magnitude = (bits + 0xc8000000u + 0xfff + (bits >> 13 & 1)) >> 13;
  return f16{(unsigned short)(sign | magnitude)};
}
#else
__device__ inline float wide(f16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
__device__ inline f16 narrow_f16(float x) {
  unsigned short y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return f16{y};
}
#endif

__device__ inline float wide(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }
#if !defined(EAGERFLOW_EMULATED) && __CUDA_ARCH__ >= 800
__device__ inline bf16 narrow_bf16(float x) {
  unsigned short y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return bf16{y};
}
#else
__device__ inline bf16 narrow_bf16(float x) {
  unsigned bits = __float_as_uint(x);
  // To nearest, ties to even; a NaN keeps its upper bits and stays one.
  unsigned rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return bf16{(unsigned short)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded)};
}
#endif

// ---- between memory and arithmetic ---------------------------------------------------------------------------------

// What a value of memory is computed with.
__device__ inline bool wide(truth x) { return x.byte != 0; }
__device__ inline float wide(float x) { return x; }
__device__ inline double wide(double x) { return x; }
__device__ inline signed char wide(signed char x) { return x; }
__device__ inline short wide(short x) { return x; }
__device__ inline int wide(int x) { return x; }
__device__ inline long long wide(long long x) { return x; }
__device__ inline unsigned char wide(unsigned char x) { return x; }
__device__ inline unsigned short wide(unsigned short x) { return x; }
__device__ inline unsigned int wide(unsigned int x) { return x; }
__device__ inline unsigned long long wide(unsigned long long x) { return x; }
__device__ inline complex64 wide(complex64 x) { return x; }
__device__ inline complex128 wide(complex128 x) { return x; }

// The conversion `To::of(x)`: floats round to nearest even, floats to integers saturate (NaN is 0), integers wrap.
template <class To> struct Into {
  template <class From> __device__ static To of(From x) { return (To)x; }
};
template <> struct Into<f16> {
  __device__ static f16 of(float x) { return narrow_f16(x); }
  __device__ static f16 of(f16 x) { return x; }
};
template <> struct Into<bf16> {
  __device__ static bf16 of(float x) { return narrow_bf16(x); }
  __device__ static bf16 of(bf16 x) { return x; }
};
template <> struct Into<truth> {
  __device__ static truth of(bool x) { return truth{(unsigned char)x}; }
};
template <> struct Into<bool> {
  template <class From> __device__ static bool of(From x) { return x != 0; }
};
template <> struct Into<float> {
  __device__ static float of(f16 x) { return wide(x); }
  __device__ static float of(bf16 x) { return wide(x); }
  template <class From> __device__ static float of(From x) { return (float)x; }
};
#ifdef EAGERFLOW_EMULATED
template <class To> __device__ inline To cut(float x, To low, To high) {
  return x != x ? (To)0 : (double)x <= (double)low ? low : (double)x >= (double)high ? high : (To)x;
}
#else
// The device's own conversion to 32 bits saturates, and gives 0 for NaN.
template <class To> __device__ inline To cut(float x, To low, To high) {
  const int whole = __float2int_rz(x);
  return (To)(whole < (int)low ? (int)low : whole > (int)high ? (int)high : whole);
}
template <> __device__ inline unsigned int cut(float x, unsigned int, unsigned int) { return __float2uint_rz(x); }
template <> __device__ inline long long cut(float x, long long low, long long high) {
  return x != x ? 0 : x <= (float)low ? low : x >= (float)high ? high : (long long)x;
}
template <> __device__ inline unsigned long long cut(float x, unsigned long long, unsigned long long high) {
  return x != x || x <= 0.0f ? 0 : x >= (float)high ? high : (unsigned long long)x;
}
#endif
#define SATURATING(To, low, high)                                                                   \
  template <> struct Into<To> {                                                                     \
    template <class From> __device__ static To of(From x) { return (To)x; }                         \
    __device__ static To of(float x) { return cut<To>(x, low, high); }                              \
    __device__ static To of(double x) {                                                             \
      return x != x ? (To)0 : x <= (double)(low) ? (low) : x >= (double)(high) ? (high) : (To)x;    \
    }                                                                                               \
  };
SATURATING(signed char, (signed char)-128, (signed char)127)
SATURATING(short, (short)-32768, (short)32767)
SATURATING(int, (-2147483647 - 1), 2147483647)
SATURATING(long long, (-9223372036854775807ll - 1), 9223372036854775807ll)
SATURATING(unsigned char, (unsigned char)0, (unsigned char)255)
SATURATING(unsigned short, (unsigned short)0, (unsigned short)65535)
SATURATING(unsigned int, 0u, 4294967295u)
SATURATING(unsigned long long, 0ull, 18446744073709551615ull)

// A result of arithmetic as it lies in memory.
template <class To, class From> __device__ inline To narrow(From x) { return Into<To>::of(x); }

// ---- faults --------------------------------------------------------------------------------------------------------

// The first fault since the host last looked: which, at which line of the user's (a number), and with what value. Behind these an
// assertion writes where it does not hold, the elements that it shows of there, and those of its message.
struct Faults {
  unsigned code;
  unsigned site;
  long long value;
  long long limit;
  index_t places[3];
  unsigned long long shown[3][2];
  unsigned long long message[24];
};
enum { INDEX_FAULT = 1, DIVISION_FAULT = 2, POWER_FAULT = 3, ASSERTION_FAULT = 4, LABEL_FAULT = 5, PLACE_FAULT = 6, TWICE_FAULT = 7 };

__device__ inline void fault(Faults* faults, unsigned site, unsigned code, long long value, long long limit) {
  if (atomicCAS(&faults->code, 0u, code) == 0u) {
    faults->site = site;
    faults->value = value;
    faults->limit = limit;
  }
}

// Whether an index lies in 0..limit; a fault if not.
__device__ inline bool inside(index_t at, index_t limit, Faults* faults, unsigned site) {
  if (at >= 0 && at < limit) return true;
  fault(faults, site, INDEX_FAULT, at, limit);
  return false;
}

// Whether a label names one of `count` classes; a fault if not.
__device__ inline bool a_class(index_t label, index_t count, Faults* faults, unsigned site) {
  if (label >= 0 && label < count) return true;
  fault(faults, site, LABEL_FAULT, label, count);
  return false;
}

// ---- instructions of the scalar language ---------------------------------------------------------------------------

template <class T> __device__ inline T sign(T x) { return x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x; }
// NaN if either is.
template <class T> __device__ inline T minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T> __device__ inline T maximum(T a, T b) { return a > b || a != a ? a : b; }
template <class T> __device__ inline T magnitude(T x) { return x < (T)0 ? (T)(0 - (unsigned long long)x) : x; }
__device__ inline float magnitude(float x) { return fabsf(x); }
__device__ inline double magnitude(double x) { return fabs(x); }
// Smaller integers are widened by the language; sums and products of unsigned words wrap, those of signed ones must too.
template <class T> __device__ inline T wrap_add(T a, T b) { return (T)((unsigned long long)a + (unsigned long long)b); }
template <class T> __device__ inline T wrap_sub(T a, T b) { return (T)((unsigned long long)a - (unsigned long long)b); }
template <class T> __device__ inline T wrap_mul(T a, T b) { return (T)((unsigned long long)a * (unsigned long long)b); }
template <class T> __device__ inline T wrap_neg(T a) { return (T)(0 - (unsigned long long)a); }

__device__ inline float sigmoid(float x) { return __fdiv_rn(1.0f, 1.0f + expf(-x)); }
__device__ inline double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

// The same where the result is rounded to 16 bits at once: the device's own power of two and reciprocal are off by less than a
// thirtieth of such a rounding.
#ifdef EAGERFLOW_EMULATED
__device__ inline float exp_16(float x) { return expf(x); }
__device__ inline float inverse_16(float x) { return 1.0f / x; }
#else
__device__ inline float exp_16(float x) {
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
  return y;
}
__device__ inline float inverse_16(float x) {
  float y;
  asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif
__device__ inline float sigmoid_16(float x) { return inverse_16(1.0f + exp_16(-x)); }
// Near zero the difference below loses digits, and two terms of the series are enough.
__device__ inline float tanh_16(float x) {
  const float far = 1.0f - 2.0f * inverse_16(exp_16(2.0f * x) + 1.0f);
  return fabsf(x) < 0.03f ? x * (1.0f - x * x * 0.33333334f) : far;
}
__device__ inline float floor_divide(float a, float b) { return floorf(__fdiv_rn(a, b)); }
__device__ inline double floor_divide(double a, double b) { return floor(__ddiv_rn(a, b)); }
__device__ inline float floor_modulo(float a, float b) {
  float r = fmodf(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
__device__ inline double floor_modulo(double a, double b) {
  double r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <class T> __device__ inline T divide(T a, T b, Faults* faults, unsigned site) {
  if (b == (T)0) { fault(faults, site, DIVISION_FAULT, 0, 0); return (T)0; }
  // The lowest value divided by -1 wraps.
  return b < (T)0 && b == (T)-1 ? wrap_neg(a) : (T)(a / b);
}
template <class T> __device__ inline T remainder(T a, T b, Faults* faults, unsigned site) {
  if (b == (T)0) { fault(faults, site, DIVISION_FAULT, 0, 0); return (T)0; }
  return b < (T)0 && b == (T)-1 ? (T)0 : (T)(a % b);
}
template <class T> __device__ inline T floor_divide(T a, T b, Faults* faults, unsigned site) {
  T q = divide(a, b, faults, site), r = b == (T)0 ? (T)0 : remainder(a, b, faults, site);
  return (T)(q - (T)(r != (T)0 && (r < (T)0) != (b < (T)0)));
}
template <class T> __device__ inline T floor_modulo(T a, T b, Faults* faults, unsigned site) {
  T r = remainder(a, b, faults, site);
  return r != (T)0 && (r < (T)0) != (b < (T)0) ? (T)(r + b) : r;
}
template <class T> __device__ inline T power(T a, T b, Faults* faults, unsigned site) {
  if (b < (T)0) { fault(faults, site, POWER_FAULT, (long long)b, 0); return (T)0; }
  unsigned long long base = (unsigned long long)a, exponent = (unsigned long long)b, result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return (T)result;
}
// By no less than 0 and no more than all bits but one.
template <class T> __device__ inline int shift_of(T by) {
  return by < (T)0 ? 0 : by > (T)(8 * sizeof(T) - 1) ? (int)(8 * sizeof(T) - 1) : (int)by;
}
template <class T> __device__ inline T shift_left(T a, T by) { return (T)((unsigned long long)a << shift_of(by)); }
template <class T> __device__ inline T shift_right(T a, T by) { return (T)(a >> shift_of(by)); }
__device__ inline float power(float a, float b) { return powf(a, b); }
__device__ inline double power(double a, double b) { return pow(a, b); }

// ---- places --------------------------------------------------------------------------------------------------------

// Sizes and strides of a view, outermost dimension first, in elements.
struct Strided { index_t rank; index_t dims[8]; index_t strides[8]; };

// Where element `i` of the row-major order lies.
__device__ inline index_t place(const Strided& view, index_t i) {
  index_t at = 0;
  // Not unrolled: divisions of 64 bits are long, and compiling them again and again takes longer than anything else.
  #pragma unroll 1
  for (int axis = (int)view.rank - 1; axis > 0; --axis) {
    const index_t dim = view.dims[axis];
    index_t next, here;
    // Nearly all fit 32 bits, in which the device divides several times faster.
    if (((unsigned long long)(i | dim) >> 32) == 0) {
      const unsigned quotient = (unsigned)i / (unsigned)dim;
      next = quotient, here = (unsigned)i - quotient * (unsigned)dim;
    } else {
      next = i / dim, here = i - next * dim;
    }
    at += here * view.strides[axis];
    i = next;
  }
  return view.rank > 0 ? at + i * view.strides[0] : at;
}

// Every element that this thread takes of `count`, one after the other: an unrolled loop would begin with a long division, and could
// not move its loads before the stores of others anyway.
#define ELEMENTS(i, count)                                                                          \
  _Pragma("unroll 1") for (index_t i = blockIdx.x * (index_t)blockDim.x + threadIdx.x; i < (count); \
                           i += (index_t)gridDim.x * blockDim.x)

// Neighbouring elements that are loaded and stored together.
template <class T, int N> struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Pack { T of[N]; };

// The least and the greatest value of a type.
template <class T> struct Limits;
#define LIMITS(T, low, high)                                \
  template <> struct Limits<T> {                            \
    __device__ static T lowest() { return (low); }          \
    __device__ static T highest() { return (high); }        \
  };
LIMITS(float, __uint_as_float(0xff800000u), __uint_as_float(0x7f800000u))
LIMITS(double, __longlong_as_double(0xfff0000000000000ll), __longlong_as_double(0x7ff0000000000000ll))
LIMITS(signed char, -128, 127)
LIMITS(short, -32768, 32767)
LIMITS(int, -2147483647 - 1, 2147483647)
LIMITS(long long, -9223372036854775807ll - 1, 9223372036854775807ll)
LIMITS(unsigned char, 0, 255)
LIMITS(unsigned short, 0, 65535)
LIMITS(unsigned int, 0u, 4294967295u)
LIMITS(unsigned long long, 0ull, 18446744073709551615ull)
LIMITS(bool, false, true)

// Sums and products that wrap for integers.
template <class T> __device__ inline T plus(T a, T b) { return wrap_add(a, b); }
__device__ inline float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double plus(double a, double b) { return __dadd_rn(a, b); }
template <class T> __device__ inline T times(T a, T b) { return wrap_mul(a, b); }
__device__ inline float times(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double times(double a, double b) { return __dmul_rn(a, b); }
__device__ inline complex64 plus(complex64 a, complex64 b) { return complex64{plus(a.re, b.re), plus(a.im, b.im)}; }
__device__ inline complex128 plus(complex128 a, complex128 b) { return complex128{plus(a.re, b.re), plus(a.im, b.im)}; }
__device__ inline complex64 times(complex64 a, complex64 b) {
  return complex64{__fsub_rn(times(a.re, b.re), times(a.im, b.im)), plus(times(a.re, b.im), times(a.im, b.re))};
}
__device__ inline complex128 times(complex128 a, complex128 b) {
  return complex128{__dsub_rn(times(a.re, b.re), times(a.im, b.im)), plus(times(a.re, b.im), times(a.im, b.re))};
}
