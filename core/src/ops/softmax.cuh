// Softmax and its gradient, row by row, behind rows.cuh.

extern "C" __global__ void softmax(index_t rows, index_t n, const T0* x, T0* y) {
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = y + row * n;
    A0 kept[KEPT], top;
    const A0 scale = (A0)1 / exponentials(n, from, kept, top);
    walk(n, [&](int k, int i) { to[i] = exponential(kept[k]) * scale; },
         [&](index_t i) { to[i] = exponential(from[i] - top) * scale; });
  }
}

extern "C" __global__ void softmax_gradient(index_t rows, index_t n, const T0* y, const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const T0 *out = y + row * n, *owed = dy + row * n;
    T0* to = dx + row * n;
    A0 ys[KEPT], dys[KEPT], sum = 0;
    walk(n, [&](int k, int i) { ys[k] = out[i]; dys[k] = owed[i]; sum += ys[k] * dys[k]; },
         [&](index_t i) { sum += out[i] * owed[i]; });
    sum = all<Sum>(sum);
    walk(n, [&](int k, int i) { to[i] = (dys[k] - sum) * ys[k]; },
         [&](index_t i) { to[i] = (owed[i] - sum) * out[i]; });
  }
}
