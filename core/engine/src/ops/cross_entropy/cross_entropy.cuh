// The cross entropies and the gradient of the one with class numbers, row by row, behind rows.cuh.
// T1 is the dtype of class numbers; with labels that are distributions it is T0.

// The loss -sum(labels log(p)) and the softmax p of each row.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) cross_entropy(index_t rows, index_t n, const T0* labels, const T0* x, T0* loss, T0* p) {
  ROWS(row, rows) {
    const T0 *from = x + row * n, *label = labels + row * n;
    T0* to = p + row * n;
    A0 kept[KEPT], top;
    const A0 sum = exponentials(n, from, kept, top), scale = (A0)1 / sum, log = logarithm(sum);
    A0 lost = 0;
    walk(from, n,
         [&](int k, index_t i) {
           const Some shares = load(label, i, n);
           NEIGHBOURS(e, i, n) lost += shares.of[e] * (log - kept[k + e]);
           store(to, i, n, [&](int e) { return exponential(kept[k + e]) * scale; });
         },
         [&](index_t i) {
           const Some shares = load(label, i, n), x = load(from, i, n);
           NEIGHBOURS(e, i, n) lost += shares.of[e] * (log - (x.of[e] - top));
           store(to, i, n, [&](int e) { return exponential(x.of[e] - top) * scale; });
         });
    lost = all<Sum>(lost);
    if (threadIdx.x % LANES == 0) loss[row] = narrow<T0>(lost);
  }
}

// The loss -log(p[label]) and the softmax p of each row.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) sparse_cross_entropy(Faults* faults, unsigned site, index_t rows, index_t n, const T1* labels,
                                                const T0* x, T0* loss, T0* p) {
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = p + row * n;
    A0 kept[KEPT], top;
    const A0 sum = exponentials(n, from, kept, top), scale = (A0)1 / sum;
    walk(from, n, [&](int k, index_t i) { store(to, i, n, [&](int e) { return exponential(kept[k + e]) * scale; }); },
         [&](index_t i) {
           const Some x = load(from, i, n);
           store(to, i, n, [&](int e) { return exponential(x.of[e] - top) * scale; });
         });
    if (threadIdx.x % LANES == 0) {
      const index_t label = labels[row];
      loss[row] = narrow<T0>(a_class(label, n, faults, site) ? logarithm(sum) - (wide(from[label]) - top) : (A0)0);
    }
  }
}

// (p - one_hot(labels)) * dy.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) sparse_cross_entropy_gradient(Faults* faults, unsigned site, index_t rows, index_t n,
                                                         const T0* p, const T1* labels, const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const index_t label = labels[row];
    const A0 owed = wide(dy[row]);
    if (threadIdx.x % LANES == 0) a_class(label, n, faults, site);
    const T0* from = p + row * n;
    T0* to = dx + row * n;
    for (index_t i = (int)(threadIdx.x % LANES * EACH) - lead(from); i < n; i += LANES * EACH) {
      const Some own = load(from, i, n);
      store(to, i, n, [&](int e) { return (i + e == label ? own.of[e] - (A0)1 : own.of[e]) * owed; });
    }
  }
}
