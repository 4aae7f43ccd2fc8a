// Sums over parts that lie one after the other, and a matrix with rows of `n` elements added: what ends split products.
// `T0` is what the sums are kept in, `T1` what is written; rows of the addend lie `plus_row` apart, 0 repeats one row.

__device__ inline A0 plus_of(A0 a, A0 b) { return plus(a, b); }

extern "C" __global__ void add_parts(index_t count, const T0* sums, index_t parts, index_t n, const T1* plus,
                                     index_t plus_row, T1* y) {
  ELEMENTS(i, count) {
    A0 sum = sums[i];
    for (index_t p = 1; p < parts; ++p) sum = plus_of(sum, sums[p * count + i]);
    if (plus) sum = plus_of(sum, (A0)wide(plus[i / n * plus_row + i % n]));
    y[i] = narrow<T1>(sum);
  }
}
