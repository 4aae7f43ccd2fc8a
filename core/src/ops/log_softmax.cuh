// The logarithm of a softmax and its gradient, row by row, behind rows.cuh.

extern "C" __global__ void log_softmax(index_t rows, index_t n, const T0* x, T0* y) {
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = y + row * n;
    A0 kept[KEPT], top;
    const A0 log = logarithm(exponentials(n, from, kept, top));
    walk(n, [&](int k, int i) { to[i] = kept[k] - log; }, [&](index_t i) { to[i] = from[i] - top - log; });
  }
}

extern "C" __global__ void log_softmax_gradient(index_t rows, index_t n, const T0* y, const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const T0 *out = y + row * n, *owed = dy + row * n;
    T0* to = dx + row * n;
    A0 dys[KEPT], sum = 0;
    walk(n, [&](int k, int i) { dys[k] = owed[i]; sum += dys[k]; }, [&](index_t i) { sum += owed[i]; });
    sum = all<Sum>(sum);
    walk(n, [&](int k, int i) { to[i] = dys[k] - exponential(out[i]) * sum; },
         [&](index_t i) { to[i] = owed[i] - exponential(out[i]) * sum; });
  }
}
