// The cross entropies and the gradient of the one with class numbers, row by row, behind rows.cuh.
// T1 is the dtype of class numbers; with labels that are distributions it is T0.

// The loss -sum(labels log(p)) and the softmax p of each row.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(2)) cross_entropy(index_t rows, index_t n, const T0* labels, const T0* x,
                                                                               T0* loss, T0* p) {
  int turn = 0;
  ROWS(row, rows) {
    const T0 *from = x + row * n, *label = labels + row * n;
    T0* to = p + row * n;
    const Part part(from, n, narrow<T0>(Limits<A0>::lowest())), shares(label, n, T0());
    A0 kept[KEPT], top;
    const A0 sum = exponentials<DIFFERENCES>(from, n, part, kept, top, turn), scale = (A0)1 / sum, log = logarithm(sum);
    A0 lost = folded<Sum>([&](int k) { return part.has(k) ? shares[k] * (log - kept[k]) : (A0)0; });
    part.put(to, [&](int k) { return exponential(kept[k]) * scale; });
    beyond(from, n, [&](index_t i) {
      const Some shares = load(label, i, n, T0()), x = load(from, i, n, T0());
      #pragma unroll
      for (int e = 0; e < EACH; ++e) lost += wide(shares.of[e]) * (log - (wide(x.of[e]) - top));
      store(to, i, n, [&](int e) { return exponential(wide(x.of[e]) - top) * scale; });
    });
    lost = all<Sum>(lost, turn);
    if (threadIdx.x % LANES == 0) loss[row] = narrow<T0>(lost);
  }
}

// The loss -log(p[label]) and the softmax p of each row.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(1)) sparse_cross_entropy(Faults* faults, unsigned site, index_t rows, index_t n,
                                                                                      const T1* labels, const T0* x, T0* loss, T0* p) {
  int turn = 0;
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = p + row * n;
    const Part part(from, n, narrow<T0>(Limits<A0>::lowest()));
    A0 kept[KEPT], top;
    const A0 sum = exponentials<EXPONENTIALS>(from, n, part, kept, top, turn), scale = (A0)1 / sum;
    part.put(to, [&](int k) { return kept[k] * scale; });
    beyond(from, n, [&](index_t i) {
      const Some x = load(from, i, n, T0());
      store(to, i, n, [&](int e) { return exponential(wide(x.of[e]) - top) * scale; });
    });
    if (threadIdx.x % LANES == 0) {
      const index_t label = labels[row];
      loss[row] = narrow<T0>(a_class(label, n, faults, site) ? logarithm(sum) - (wide(from[label]) - top) : (A0)0);
    }
  }
}

// (p - one_hot(labels)) * dy.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(2)) sparse_cross_entropy_gradient(Faults* faults, unsigned site, index_t rows,
                                                                                               index_t n, const T0* p, const T1* labels,
                                                                                               const T0* dy, T0* dx) {
  ROWS(row, rows) {
    const T0* from = p + row * n;
    T0* to = dx + row * n;
    const Part part(from, n, T0());
    const index_t label = labels[row];
    const A0 owed = wide(dy[row]);
    if (threadIdx.x % LANES == 0) a_class(label, n, faults, site);
    const int one = label >= 0 && label < part.end ? (int)label : -1;
    part.put(to, [&](int k) { return (part.index(k) == one ? part[k] - (A0)1 : part[k]) * owed; });
    beyond(from, n, [&](index_t i) {
      const Some own = load(from, i, n, T0());
      store(to, i, n, [&](int e) { return (i + e == label ? wide(own.of[e]) - (A0)1 : wide(own.of[e])) * owed; });
    });
  }
}
