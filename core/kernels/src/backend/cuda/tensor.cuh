// The instruction that multiplies a 16 x 8 matrix by an 8 x 8 one in a warp, for f32 rounded to TF32. Factors of 16 bits are exact
// in it. Lane `l` has, with g = l / 4 and t = l % 4, of the left factor (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4), of the
// right one (t, g), (t + 4, g), and of the sums (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).

#ifdef EAGERFLOW_EMULATED
__device__ inline float rounded(float x) {
  const unsigned bits = __float_as_uint(x);
  return (bits & 0x7f800000) == 0x7f800000 ? x : __uint_as_float((bits + 0x1000) & 0xffffe000);
}
__device__ inline void multiply_by_warp(float* c, const float* a, const float* b) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 4; ++i) {
      const float left = __shfl_sync(0xffffffffu, a[i / 2 + 2 * (k / 4)], g * 4 + k % 4);
      const float right = __shfl_sync(0xffffffffu, b[k / 4], (2 * t + i % 2) * 4 + k % 4);
      c[i] += left * right;
    }
}
#else
__device__ inline float rounded(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}
__device__ inline void multiply_by_warp(float* c, const float* a, const float* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
#endif
