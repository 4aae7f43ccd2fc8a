// Running sums and products of complex numbers along an axis: a thread for each lane.

extern "C" __global__ void scan_complex(index_t lanes, const T0* x, T0* y, index_t length, index_t stride, int product, int exclusive,
                                        int reverse) {
  ELEMENTS(lane, lanes) {
    const index_t outer = lane / stride, base = outer * length * stride + (lane - outer * stride);
    T0 running = T0();
    running.re = product;
    for (index_t i = 0; i < length; ++i) {
      const index_t at = base + (reverse ? length - 1 - i : i) * stride;
      const T0 before = running;
      running = product ? times(running, x[at]) : plus(running, x[at]);
      y[at] = exclusive ? before : running;
    }
  }
}
