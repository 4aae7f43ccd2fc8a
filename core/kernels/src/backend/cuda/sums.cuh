// What products by tiles share: sixteen sums of a thread, each a chain of fused multiply-adds in A0.

// a b + c, rounded once; integers wrap.
__device__ inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
template <class T> __device__ inline T fused(T a, T b, T c) { return wrap_add(wrap_mul(a, b), c); }

struct Sums { A0 of[4][4]; };
__device__ inline Sums no_sums() {
  Sums sums;
  #pragma unroll
  for (int i = 0; i < 16; ++i) sums.of[i / 4][i % 4] = (A0)0;
  return sums;
}
