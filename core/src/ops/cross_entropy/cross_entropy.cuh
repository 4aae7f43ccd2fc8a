// The cross entropies and the gradient of the one with class numbers, row by row, behind rows.cuh.
// T1 is the dtype of class numbers; with labels that are distributions it is T0.

// The loss -sum(labels log(p)) and the softmax p of each row.
extern "C" __global__ void cross_entropy(index_t rows, index_t n, const T0* labels, const T0* x, T0* loss, T0* p) {
  ROWS(row, rows) {
    const T0 *from = x + row * n, *label = labels + row * n;
    T0* to = p + row * n;
    A0 kept[KEPT], top;
    const A0 sum = exponentials(n, from, kept, top), scale = (A0)1 / sum, log = logarithm(sum);
    A0 lost = 0;
    walk(n, [&](int k, int i) {
           lost += label[i] * (log - kept[k]);
           to[i] = exponential(kept[k]) * scale;
         },
         [&](index_t i) {
           const A0 x = from[i] - top;
           lost += label[i] * (log - x);
           to[i] = exponential(x) * scale;
         });
    lost = all<Sum>(lost);
    if (threadIdx.x % LANES == 0) loss[row] = lost;
  }
}

// The loss -log(p[label]) and the softmax p of each row.
extern "C" __global__ void sparse_cross_entropy(Faults* faults, unsigned site, index_t rows, index_t n, const T1* labels,
                                                const T0* x, T0* loss, T0* p) {
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = p + row * n;
    A0 kept[KEPT], top;
    const A0 sum = exponentials(n, from, kept, top), scale = (A0)1 / sum;
    walk(n, [&](int k, int i) { to[i] = exponential(kept[k]) * scale; },
         [&](index_t i) { to[i] = exponential(from[i] - top) * scale; });
    if (threadIdx.x % LANES == 0) {
      const index_t label = labels[row];
      loss[row] = a_class(label, n, faults, site) ? logarithm(sum) - (from[label] - top) : (A0)0;
    }
  }
}

// (p - one_hot(labels)) * dy.
extern "C" __global__ void sparse_cross_entropy_gradient(Faults* faults, unsigned site, index_t rows, index_t n,
                                                         const T0* p, const T1* labels, const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const index_t label = labels[row];
    const A0 owed = dy[row];
    if (threadIdx.x % LANES == 0) a_class(label, n, faults, site);
    for (index_t i = threadIdx.x % LANES; i < n; i += LANES) {
      const A0 own = p[row * n + i];
      dx[row * n + i] = (i == label ? own - (A0)1 : own) * owed;
    }
  }
}
