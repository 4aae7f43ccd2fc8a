// Normalisation of rows and its gradient, row by row, behind rows.cuh; a null scale or offset is none.

extern "C" __global__ void __launch_bounds__(BLOCK, 1) normalize_rows(index_t rows, index_t n, index_t centred, double epsilon, const T0* x,
                                                                      const T0* scale, const T0* offset, T0* y, A0* means, A0* roots) {
  const int lane = threadIdx.x % LANES;
  ROWS(row, rows) {
    const T0* from = x + row * n;
    T0* to = y + row * n;
    A0 sum = 0, mean = 0;
    if (centred) {
      for (index_t i = lane; i < n; i += LANES) sum += (A0)wide(from[i]);
      mean = all<Sum>(sum) / n;
    }
    A0 squares = 0;
    for (index_t i = lane; i < n; i += LANES) {
      const A0 far = (A0)wide(from[i]) - mean;
      squares += far * far;
    }
    const A0 variance = all<Sum>(squares) / n;
    const A0 root = (A0)1 / (A0)sqrt(variance + (A0)epsilon);
    for (index_t i = lane; i < n; i += LANES) {
      A0 value = ((A0)wide(from[i]) - mean) * root;
      if (scale) value *= (A0)wide(scale[i]);
      if (offset) value += (A0)wide(offset[i]);
      to[i] = narrow<T0>(value);
    }
    if (lane == 0) means[row] = mean, roots[row] = root;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) normalize_rows_gradient(index_t rows, index_t n, index_t centred, const T0* x,
                                                                               const A0* means, const A0* roots, const T0* scale,
                                                                               const T0* dy, T0* dx) {
  const int lane = threadIdx.x % LANES;
  ROWS(row, rows) {
    const T0 *from = x + row * n, *owed = dy + row * n;
    const A0 mean = means[row], root = roots[row];
    A0 middle = 0, along = 0;
    for (index_t i = lane; i < n; i += LANES) {
      const A0 g = (A0)wide(owed[i]) * (scale ? (A0)wide(scale[i]) : (A0)1);
      middle += g;
      along += g * ((A0)wide(from[i]) - mean);
    }
    middle = all<Sum>(middle) / n;
    if (!centred) middle = 0;
    along = all<Sum>(along) * root / n;
    for (index_t i = lane; i < n; i += LANES) {
      const A0 g = (A0)wide(owed[i]) * (scale ? (A0)wide(scale[i]) : (A0)1);
      dx[row * n + i] = narrow<T0>((g - middle - ((A0)wide(from[i]) - mean) * root * along) * root);
    }
  }
}
