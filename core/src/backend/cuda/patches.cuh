// The patches of images that filters see, as rows of a matrix, and back. A row is an output pixel; its columns are the
// filters' rows, columns and channels. `T0` are the elements; images and pixels count from the first of a group of images.

struct Conv {
  index_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int k_h, k_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
};

// Quotients of numbers that mostly fit 32 bits, whose division is much faster.
__device__ inline index_t quotient(index_t a, index_t b) {
  return a <= 0x7fffffff && b <= 0x7fffffff ? (index_t)((unsigned)a / (unsigned)b) : a / b;
}

// Neighbouring threads take neighbouring channels.
extern "C" __global__ void patches(index_t count, Conv g, const T0* x, T0* y) {
  const index_t depth = (index_t)g.k_h * g.k_w * g.in_c;
  ELEMENTS(i, count) {
    const index_t pixel = quotient(i, depth), line = quotient(pixel, g.out_w), image = quotient(line, g.out_h);
    const int k = (int)(i - pixel * depth), tap = k / (int)g.in_c;
    const index_t row = (line - image * g.out_h) * g.stride_h - g.pad_top + tap / g.k_w * g.dilation_h;
    const index_t column = (pixel - line * g.out_w) * g.stride_w - g.pad_left + tap % g.k_w * g.dilation_w;
    const bool inside = row >= 0 && row < g.in_h && column >= 0 && column < g.in_w;
    y[i] = inside ? x[((image * g.in_h + row) * g.in_w + column) * g.in_c + (k - tap * (int)g.in_c)] : (T0)0;
  }
}

// Each element of the images gathers what the patches hold of it, tap by tap.
extern "C" __global__ void gather_patches(index_t count, Conv g, const T0* patches, T0* x) {
  const index_t depth = (index_t)g.k_h * g.k_w * g.in_c;
  ELEMENTS(i, count) {
    const index_t pixel = quotient(i, g.in_c), line = quotient(pixel, g.in_w), image = quotient(line, g.in_h);
    const index_t channel = i - pixel * g.in_c, row = line - image * g.in_h, column = pixel - line * g.in_w;
    A0 sum = 0;
    for (int a = 0; a < g.k_h; ++a) {
      const int over = (int)(row + g.pad_top) - a * g.dilation_h, out_row = over / g.stride_h;
      if (over < 0 || over % g.stride_h != 0 || out_row >= g.out_h) continue;
      for (int b = 0; b < g.k_w; ++b) {
        const int beside = (int)(column + g.pad_left) - b * g.dilation_w, out_column = beside / g.stride_w;
        if (beside < 0 || beside % g.stride_w != 0 || out_column >= g.out_w) continue;
        sum += patches[((image * g.out_h + out_row) * g.out_w + out_column) * depth + (a * g.k_w + b) * g.in_c + channel];
      }
    }
    x[i] = sum;
  }
}
