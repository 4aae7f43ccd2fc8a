// u(i) = b(i) + a(i) u(i - 1) of complex numbers along an axis, computed in doubles: a thread for each lane.

__device__ inline complex128 in_doubles(T0 x) { return complex128{(double)x.re, (double)x.im}; }

extern "C" __global__ void recurrence_complex(index_t lanes, const T0* a, const T0* b, T0* y, index_t length, index_t stride,
                                              int exclusive, int reverse) {
  ELEMENTS(lane, lanes) {
    const index_t outer = lane / stride, base = outer * length * stride + (lane - outer * stride);
    complex128 u = complex128();
    for (index_t i = 0; i < length; ++i) {
      const index_t at = base + (reverse ? length - 1 - i : i) * stride;
      const complex128 next = plus(in_doubles(b[at]), times(in_doubles(a[at]), u)), now = exclusive ? u : next;
      T0 narrow_now;
      narrow_now.re = now.re;
      narrow_now.im = now.im;
      y[at] = narrow_now;
      u = next;
    }
  }
}
