// The gradients of scale and offset of normalised rows, which are sums of columns. A block has `across` threads side by side for as many
// columns, which the rest of it repeats for further rows; parts of the rows have sums of their own, which a second kernel adds up.

// Adds up what the threads of a column have, in a tree; the first line of threads knows the sum.
__device__ inline A0 sum_of_lines(A0 sum, A0* shared, int across) {
  const int line = threadIdx.x / across;
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 256 / across / 2; step > 0; step /= 2) {
    if (line < step) shared[threadIdx.x] = sum += shared[threadIdx.x + step * across];
    __syncthreads();
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(256) normalize_rows_columns(index_t columns, index_t rows, index_t part, int across, const T0* x,
                                                                        const A0* means, const A0* roots, const T0* dy, A0* sums) {
  __shared__ A0 shared[256];
  const index_t pieces = (columns + across - 1) / across, own = blockIdx.x / pieces;
  const index_t column = blockIdx.x % pieces * across + threadIdx.x % across;
  const index_t begin = own * part, end = begin + part < rows ? begin + part : rows;
  const int line = threadIdx.x / across, down = 256 / across;
  A0 scale = 0, offset = 0;
  if (column < columns) {
    #pragma unroll 4
    for (index_t row = begin + line; row < end; row += down) {
      const A0 owed = (A0)wide(dy[row * columns + column]);
      scale += owed * (((A0)wide(x[row * columns + column]) - means[row]) * roots[row]);
      offset += owed;
    }
  }
  scale = sum_of_lines(scale, shared, across);
  offset = sum_of_lines(offset, shared, across);
  if (line > 0 || column >= columns) return;
  sums[2 * own * columns + column] = scale;
  sums[(2 * own + 1) * columns + column] = offset;
}

extern "C" __global__ void __launch_bounds__(256) normalize_rows_parts(index_t columns, index_t parts, int across, const A0* sums, T0* dscale,
                                                                      T0* doffset) {
  __shared__ A0 shared[256];
  const index_t column = (index_t)blockIdx.x * across + threadIdx.x % across;
  const int line = threadIdx.x / across, down = 256 / across;
  A0 scale = 0, offset = 0;
  if (column < columns) {
    #pragma unroll 4
    for (index_t part = line; part < parts; part += down) {
      scale += sums[2 * part * columns + column];
      offset += sums[(2 * part + 1) * columns + column];
    }
  }
  scale = sum_of_lines(scale, shared, across);
  offset = sum_of_lines(offset, shared, across);
  if (line > 0 || column >= columns) return;
  if (dscale) dscale[column] = narrow<T0>(scale);
  if (doffset) doffset[column] = narrow<T0>(offset);
}
