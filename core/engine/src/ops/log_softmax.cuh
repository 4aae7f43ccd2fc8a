// The logarithm of a softmax and its gradient, row by row, behind rows.cuh.

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(1)) log_softmax(index_t rows, index_t n, const T0* x, T0* y) {
  int turn = 0;
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = y + row * n;
    const Part part(from, n, narrow<T0>(Limits<A0>::lowest()));
    A0 kept[KEPT], top;
    const A0 log = logarithm(exponentials<DIFFERENCES>(from, n, part, kept, top, turn));
    part.put(to, [&](int k) { return kept[k] - log; });
    beyond(from, n, [&](index_t i) {
      const Some x = load(from, i, n, T0());
      store(to, i, n, [&](int e) { return wide(x.of[e]) - top - log; });
    });
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(2)) log_softmax_gradient(index_t rows, index_t n, const T0* y, const T0* dy,
                                                                                      T0* dx) {
  int turn = 0;
  ROWS(row, rows) {
    const T0 *out = y + row * n, *owed = dy + row * n;
    T0* to = dx + row * n;
    const Part ys(out, n, T0()), dys(owed, n, T0());
    A0 sum = folded<Sum>([&](int k) { return dys[k]; });
    beyond(out, n, [&](index_t i) {
      const Some dy = load(owed, i, n, T0());
      #pragma unroll
      for (int e = 0; e < EACH; ++e) sum += wide(dy.of[e]);
    });
    sum = all<Sum>(sum, turn);
    ys.put(to, [&](int k) { return dys[k] - exponential(ys[k]) * sum; });
    beyond(out, n, [&](index_t i) {
      const Some y = load(out, i, n, T0()), dy = load(owed, i, n, T0());
      store(to, i, n, [&](int e) { return wide(dy.of[e]) - exponential(wide(y.of[e])) * sum; });
    });
  }
}
