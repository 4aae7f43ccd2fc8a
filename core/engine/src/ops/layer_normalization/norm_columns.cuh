// The gradients of scale and offset of normalised rows: each thread adds up a column.

extern "C" __global__ void normalize_rows_columns(index_t columns, index_t rows, const T0* x, const A0* means, const A0* roots, const T0* dy,
                                                  T0* dscale, T0* doffset) {
  ELEMENTS(i, columns) {
    A0 scale = 0, offset = 0;
    for (index_t row = 0; row < rows; ++row) {
      const A0 owed = (A0)wide(dy[row * columns + i]);
      scale += owed * (((A0)wide(x[row * columns + i]) - means[row]) * roots[row]);
      offset += owed;
    }
    if (dscale) dscale[i] = narrow<T0>(scale);
    if (doffset) doffset[i] = narrow<T0>(offset);
  }
}
