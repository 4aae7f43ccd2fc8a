// Softmax and its gradient, row by row, behind rows.cuh.

extern "C" __global__ void __launch_bounds__(BLOCK, 1) softmax(index_t rows, index_t n, const T0* x, T0* y) {
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = y + row * n;
    A0 kept[KEPT], top;
    const A0 scale = (A0)1 / exponentials(n, from, kept, top);
    walk(from, n, [&](int k, index_t i) { store(to, i, n, [&](int e) { return exponential(kept[k + e]) * scale; }); },
         [&](index_t i) {
           const Some x = load(from, i, n);
           store(to, i, n, [&](int e) { return exponential(x.of[e] - top) * scale; });
         });
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) softmax_gradient(index_t rows, index_t n, const T0* y, const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const T0 *out = y + row * n, *owed = dy + row * n;
    T0* to = dx + row * n;
    A0 ys[KEPT], dys[KEPT], sum = 0;
    walk(out, n,
         [&](int k, index_t i) {
           const Some y = load(out, i, n), dy = load(owed, i, n);
           NEIGHBOURS(e, i, n) sum += (ys[k + e] = y.of[e]) * (dys[k + e] = dy.of[e]);
         },
         [&](index_t i) {
           const Some y = load(out, i, n), dy = load(owed, i, n);
           NEIGHBOURS(e, i, n) sum += y.of[e] * dy.of[e];
         });
    sum = all<Sum>(sum);
    walk(out, n, [&](int k, index_t i) { store(to, i, n, [&](int e) { return (dys[k + e] - sum) * ys[k + e]; }); },
         [&](index_t i) {
           const Some y = load(out, i, n), dy = load(owed, i, n);
           store(to, i, n, [&](int e) { return (dy.of[e] - sum) * y.of[e]; });
         });
  }
}
