// Sums over parts that lie one after the other, and a matrix with rows of `n` elements added: what ends split products.
// `T0` is what the sums are kept in, `T1` what is written; rows of the addend lie `plus_row` apart, 0 repeats one row.

__device__ inline A0 plus_of(A0 a, A0 b) { return plus(a, b); }

// `shares` threads of a block, a power of two, take turns at the parts of each result: where results are few, a thread alone would wait
// for one part after the other. Which thread adds which parts depends on their numbers alone.
extern "C" __global__ void add_parts(index_t count, index_t shares, const T0* sums, index_t parts, index_t n, const T1* plus,
                                     index_t plus_row, T1* y) {
  __shared__ A0 shared[256];
  const int results = 256 / (int)shares, share = (int)threadIdx.x / results;
  for (index_t first = blockIdx.x * (index_t)results; first < count; first += gridDim.x * (index_t)results) {
    const index_t i = first + threadIdx.x % results;
    A0 sum = (A0)0;
    if (i < count && share < parts) {
      sum = sums[share * count + i];
      #pragma unroll 4
      for (index_t p = share + shares; p < parts; p += shares) sum = plus_of(sum, sums[p * count + i]);
    }
    if (shares > 1) {
      shared[threadIdx.x] = sum;
      __syncthreads();
      for (int step = (int)shares / 2; step > 0; step /= 2) {
        if (share < step) shared[threadIdx.x] = plus_of(shared[threadIdx.x], shared[threadIdx.x + step * results]);
        __syncthreads();
      }
      sum = shared[threadIdx.x];
    }
    if (share > 0 || i >= count) continue;
    if (plus) sum = plus_of(sum, (A0)wide(plus[i / n * plus_row + i % n]));
    y[i] = narrow<T1>(sum);
  }
}
