// The logarithm of a softmax and its gradient, row by row, behind rows.cuh.

extern "C" __global__ void __launch_bounds__(BLOCK, 1) log_softmax(index_t rows, index_t n, const T0* x, T0* y) {
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = y + row * n;
    A0 kept[KEPT], top;
    const A0 log = logarithm(exponentials(n, from, kept, top));
    walk(from, n, [&](int k, index_t i) { store(to, i, n, [&](int e) { return kept[k + e] - log; }); },
         [&](index_t i) {
           const Some x = load(from, i, n);
           store(to, i, n, [&](int e) { return x.of[e] - top - log; });
         });
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) log_softmax_gradient(index_t rows, index_t n, const T0* y, const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const T0 *out = y + row * n, *owed = dy + row * n;
    T0* to = dx + row * n;
    A0 dys[KEPT], sum = 0;
    walk(out, n,
         [&](int k, index_t i) {
           const Some dy = load(owed, i, n);
           NEIGHBOURS(e, i, n) sum += dys[k + e] = dy.of[e];
         },
         [&](index_t i) {
           const Some dy = load(owed, i, n);
           NEIGHBOURS(e, i, n) sum += dy.of[e];
         });
    sum = all<Sum>(sum);
    walk(out, n,
         [&](int k, index_t i) {
           const Some y = load(out, i, n);
           store(to, i, n, [&](int e) { return dys[k + e] - exponential(y.of[e]) * sum; });
         },
         [&](index_t i) {
           const Some y = load(out, i, n), dy = load(owed, i, n);
           store(to, i, n, [&](int e) { return dy.of[e] - exponential(y.of[e]) * sum; });
         });
  }
}
