// Folds of a strided view: `T0` are the elements, `T1` what is written, `A1` what is added up. COMBINE and IDENTITY come first.

__device__ inline A1 taken(T0 x) { return Into<A1>::of(wide(x)); }

__device__ inline T1 given(A1 all, index_t divisor) {
  return narrow<T1>(divisor >= 0 ? DIVIDE(all, divisor) : all);
}

// A block per output and part of what it folds.
extern "C" __global__ void reduce_rows(const T0* x, Strided kept, Strided folded, index_t outputs, index_t length,
                                       index_t part, T1* y, index_t divisor) {
  __shared__ A1 sums[256];
  const index_t output = blockIdx.x % outputs, begin = blockIdx.x / outputs * part;
  const index_t end = begin + part < length ? begin + part : length;
  const T0* row = x + place(kept, output);
  A1 all = IDENTITY;
  for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x) all = COMBINE(all, taken(row[place(folded, i)]));
  sums[threadIdx.x] = all;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] = COMBINE(sums[threadIdx.x], sums[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = given(sums[0], divisor);
}

// A thread per output and part of what it folds.
extern "C" __global__ void reduce_columns(index_t count, const T0* x, Strided kept, Strided folded, index_t outputs,
                                          index_t length, index_t part, T1* y, index_t divisor) {
  ELEMENTS(t, count) {
    const index_t output = t % outputs, begin = t / outputs * part;
    const index_t end = begin + part < length ? begin + part : length;
    const T0* column = x + place(kept, output);
    A1 all = IDENTITY;
    for (index_t i = begin; i < end; ++i) all = COMBINE(all, taken(column[place(folded, i)]));
    y[t] = given(all, divisor);
  }
}
