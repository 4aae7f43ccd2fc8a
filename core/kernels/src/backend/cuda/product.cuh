// Products of matrices of any strides, batch by batch, behind tiles.cuh. `T0` are the factors; `T1` is what is written: the
// result, or with several parts the sums of each. A_BY_K and B_BY_K say along which dimension the factors are dense.

struct Product {
  index_t m, n, k, a_row, a_column, b_row, b_column, part, parts, batches;
};

extern "C" __global__ void product(Product p, Strided a_batches, Strided b_batches, const T0* a, const T0* b,
                                   const T1* plus, index_t plus_row, T1* c) {
  const Task t = task(p.m, p.n, p.parts);
  a += place(a_batches, t.batch);
  b += place(b_batches, t.batch);
  c += (t.part * p.batches + t.batch) * p.m * p.n;
  const index_t begin = t.part * p.part, end = begin + p.part < p.k ? begin + p.part : p.k;
  Sums sums = no_sums();
  multiply<A_BY_K, B_BY_K>(
      begin, end,
      [&](int, int line, index_t k) {
        const index_t row = t.row + line;
        return row < p.m ? (A0)wide(a[row * p.a_row + k * p.a_column]) : (A0)0;
      },
      [&](int, int line, index_t k) {
        const index_t column = t.column + line;
        return column < p.n ? (A0)wide(b[k * p.b_row + column * p.b_column]) : (A0)0;
      },
      sums);
  results(sums, [&](int i, int j, A0 sum) {
    const index_t row = t.row + i, column = t.column + j;
    if (row >= p.m || column >= p.n) return;
    if (plus) sum = sum + (A0)wide(plus[row * plus_row + column]);
    c[row * p.n + column] = narrow<T1>(sum);
  });
}
