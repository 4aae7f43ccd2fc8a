// The place of the best element along an axis. BETTER(a, b) comes first; `T0` are the elements, `T1` the results.
// Elements of a row lie `stride` apart. NaN is never better, and -1 says that a part has nothing but NaN.

__device__ inline bool counts(A0 x) { return x == x; }

// Whether the element `a` at `i` comes before `b` at `j`; -1 is nowhere.
__device__ inline bool wins(A0 a, index_t i, A0 b, index_t j) {
  if (i < 0 || j < 0) return j < 0 && i >= 0;
  return BETTER(a, b) || (!BETTER(b, a) && i < j);
}

__device__ inline void take(const T0* row, index_t stride, index_t i, A0& best, index_t& at) {
  const A0 x = wide(row[i * stride]);
  if (counts(x) && wins(x, i, best, at)) { best = x; at = i; }
}

// A thread for each row: neighbouring ones lie side by side.
extern "C" __global__ void best_of_columns(index_t count, const T0* x, index_t length, index_t stride, T1* y) {
  ELEMENTS(column, count) {
    const index_t outer = column / stride;
    const T0* row = x + outer * length * stride + (column - outer * stride);
    A0 best = A0();
    index_t at = -1;
    for (index_t i = 0; i < length; ++i) take(row, stride, i, best, at);
    y[column] = (T1)(at < 0 ? 0 : at);
  }
}

// A block for each part of a row; the place goes to `found`.
extern "C" __global__ void best_of_parts(const T0* x, index_t length, index_t stride, index_t part, index_t parts,
                                         index_t* found) {
  __shared__ A0 values[256];
  __shared__ index_t places[256];
  const index_t column = blockIdx.x / parts, begin = blockIdx.x % parts * part;
  const index_t end = begin + part < length ? begin + part : length, outer = column / stride;
  const T0* row = x + outer * length * stride + (column - outer * stride);
  A0 best = A0();
  index_t at = -1;
  for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x) take(row, stride, i, best, at);
  values[threadIdx.x] = best;
  places[threadIdx.x] = at;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      const int other = threadIdx.x + half;
      if (wins(values[other], places[other], values[threadIdx.x], places[threadIdx.x])) {
        values[threadIdx.x] = values[other];
        places[threadIdx.x] = places[other];
      }
    }
  }
  if (threadIdx.x == 0) found[blockIdx.x] = places[0];
}

// The best of the parts' places, a thread for each row.
extern "C" __global__ void best_of_found(index_t count, const T0* x, index_t length, index_t stride, index_t parts,
                                         const index_t* found, T1* y) {
  ELEMENTS(column, count) {
    const index_t outer = column / stride;
    const T0* row = x + outer * length * stride + (column - outer * stride);
    A0 best = A0();
    index_t at = -1;
    for (index_t p = 0; p < parts; ++p) {
      const index_t i = found[column * parts + p];
      if (i >= 0) take(row, stride, i, best, at);
    }
    y[column] = (T1)(at < 0 ? 0 : at);
  }
}
