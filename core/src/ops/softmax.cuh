// Softmax and its gradient, row by row, behind rows.cuh.

extern "C" __global__ void softmax(index_t rows, index_t n, const T0* x, T0* y) {
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = y + row * n;
    A0 kept[KEPT], top;
    const A0 scale = (A0)1 / exponentials(n, from, kept, top);
    walk(n, [&](int k, index_t i) { store(to + i, [&](int e) { return exponential(kept[k + e]) * scale; }); },
         [&](index_t i) {
           const Some x = load(from + i);
           store(to + i, [&](int e) { return exponential(x.of[e] - top) * scale; });
         });
  }
}

extern "C" __global__ void softmax_gradient(index_t rows, index_t n, const T0* y, const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const T0 *out = y + row * n, *owed = dy + row * n;
    T0* to = dx + row * n;
    A0 ys[KEPT], dys[KEPT], sum = 0;
    walk(n,
         [&](int k, index_t i) {
           const Some y = load(out + i), dy = load(owed + i);
           NEIGHBOURS(e) sum += (ys[k + e] = y.of[e]) * (dys[k + e] = dy.of[e]);
         },
         [&](index_t i) {
           const Some y = load(out + i), dy = load(owed + i);
           NEIGHBOURS(e) sum += y.of[e] * dy.of[e];
         });
    sum = all<Sum>(sum);
    walk(n, [&](int k, index_t i) { store(to + i, [&](int e) { return (dys[k + e] - sum) * ys[k + e]; }); },
         [&](index_t i) {
           const Some y = load(out + i), dy = load(owed + i);
           store(to + i, [&](int e) { return (dy.of[e] - sum) * y.of[e]; });
         });
  }
}
