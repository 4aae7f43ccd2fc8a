// Convolutions of images (batch, rows, columns, channels) with filters (rows, columns, channels, output channels) as
// products by tiles, behind tiles.cuh: factors are read from images as they are needed. `T0` are images and filters, `T1` is
// what is written: the result, or the sums of parts of the steps. No thread adds to what another one writes.

struct Conv {
  index_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int k_h, k_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
};

// A pixel of images of `h` x `w`.
struct Pixel { index_t image; int row, column; };
__device__ inline Pixel pixel_of(index_t i, index_t h, index_t w) {
  if (i <= 0x7fffffff) {
    const unsigned n = (unsigned)i, line = n / (unsigned)w;
    return Pixel{line / (unsigned)h, (int)(line % (unsigned)h), (int)(n % (unsigned)w)};
  }
  const index_t line = i / w;
  return Pixel{line / h, (int)(line % h), (int)(i % w)};
}

// A row of the filters seen as a matrix: where it reads, from the window's first cell.
struct Tap { int row, column, channel; };
__device__ inline Tap tap_of(const Conv& g, index_t k) {
  const unsigned n = (unsigned)k, tap = n / (unsigned)g.in_c;
  return Tap{(int)(tap / g.k_w) * g.dilation_h, (int)(tap % g.k_w) * g.dilation_w, (int)(n - tap * (unsigned)g.in_c)};
}

// What a window at an output pixel reads by a tap; 0 outside of the image.
__device__ inline A0 cell(const Conv& g, const T0* x, const Pixel& at, const Tap& tap) {
  const int row = at.row * g.stride_h - g.pad_top + tap.row, column = at.column * g.stride_w - g.pad_left + tap.column;
  if (row < 0 || row >= g.in_h || column < 0 || column >= g.in_w) return (A0)0;
  return (A0)wide(x[((at.image * g.in_h + row) * g.in_w + column) * g.in_c + tap.channel]);
}

// Rows are output pixels, columns output channels, steps the rows of the filters.
extern "C" __global__ void conv_forward(Conv g, index_t part, index_t parts, const T0* x, const T0* w, T1* y) {
  const index_t pixels = g.batch * g.out_h * g.out_w, depth = (index_t)g.k_h * g.k_w * g.in_c;
  const Task t = task(pixels, g.out_c, parts);
  const index_t begin = t.part * part, end = begin + part < depth ? begin + part : depth;
  Pixel at[4];
  #pragma unroll
  for (int j = 0; j < 4; ++j) at[j] = pixel_of(t.row + line_of<true>(j), g.out_h, g.out_w);
  Sums sums = no_sums();
  multiply<true, false>(
      begin, end,
      [&](int j, int line, index_t k) { return t.row + line < pixels ? cell(g, x, at[j], tap_of(g, k)) : (A0)0; },
      [&](int, int line, index_t k) {
        const index_t column = t.column + line;
        return column < g.out_c ? (A0)wide(w[k * g.out_c + column]) : (A0)0;
      },
      sums);
  y += t.part * pixels * g.out_c;
  results(sums, [&](int i, int j, A0 sum) {
    const index_t row = t.row + i, column = t.column + j;
    if (row < pixels && column < g.out_c) y[row * g.out_c + column] = narrow<T1>(sum);
  });
}

// Rows are the rows of the filters, columns output channels, steps the output pixels.
extern "C" __global__ void conv_filter_gradient(Conv g, index_t part, index_t parts, const T0* x, const T0* dy, T1* dw) {
  const index_t pixels = g.batch * g.out_h * g.out_w, depth = (index_t)g.k_h * g.k_w * g.in_c;
  const Task t = task(depth, g.out_c, parts);
  const index_t begin = t.part * part, end = begin + part < pixels ? begin + part : pixels;
  const Tap tap = tap_of(g, t.row + line_of<false>(0));
  Sums sums = no_sums();
  multiply<false, false>(
      begin, end,
      [&](int, int line, index_t k) {
        return t.row + line < depth ? cell(g, x, pixel_of(k, g.out_h, g.out_w), tap) : (A0)0;
      },
      [&](int, int line, index_t k) {
        const index_t column = t.column + line;
        return column < g.out_c ? (A0)wide(dy[k * g.out_c + column]) : (A0)0;
      },
      sums);
  dw += t.part * depth * g.out_c;
  results(sums, [&](int i, int j, A0 sum) {
    const index_t row = t.row + i, column = t.column + j;
    if (row < depth && column < g.out_c) dw[row * g.out_c + column] = narrow<T1>(sum);
  });
}

// Rows are input pixels of one class, columns input channels, steps the output channels, tap by tap. Pixels are of one class
// if they lie equally far from where windows begin: the same taps reach all of them, and the others are left out.
extern "C" __global__ void conv_input_gradient(Conv g, const T0* w, const T0* dy, T1* dx) {
  const index_t most_h = (g.in_h + g.stride_h - 1) / g.stride_h, most_w = (g.in_w + g.stride_w - 1) / g.stride_w;
  const Task t = task(g.batch * most_h * most_w, g.in_c, 1);
  const int from_h = (int)(t.batch / g.stride_w), from_w = (int)(t.batch % g.stride_w);
  const index_t pixels = g.batch * most_h * most_w;
  // Rows and columns of the input; those behind its end are left out at the end.
  Pixel at[4];
  #pragma unroll
  for (int j = 0; j < 4; ++j) {
    at[j] = pixel_of(t.row + line_of<true>(j), most_h, most_w);
    at[j].row = at[j].row * g.stride_h + from_h + g.pad_top;
    at[j].column = at[j].column * g.stride_w + from_w + g.pad_left;
  }
  Sums sums = no_sums();
  for (int tap = 0; tap < g.k_h * g.k_w; ++tap) {
    const int over = tap / g.k_w * g.dilation_h, beside = tap % g.k_w * g.dilation_w;
    if ((from_h + g.pad_top - over) % g.stride_h != 0 || (from_w + g.pad_left - beside) % g.stride_w != 0) continue;
    const T0* filter = w + tap * g.in_c * g.out_c;
    multiply<true, true>(
        0, g.out_c,
        [&](int j, int line, index_t k) {
          const int row = at[j].row - over, column = at[j].column - beside;
          if (t.row + line >= pixels || row < 0 || column < 0) return (A0)0;
          const index_t out_row = row / g.stride_h, out_column = column / g.stride_w;
          if (out_row >= g.out_h || out_column >= g.out_w) return (A0)0;
          return (A0)wide(dy[((at[j].image * g.out_h + out_row) * g.out_w + out_column) * g.out_c + k]);
        },
        [&](int, int line, index_t k) {
          const index_t column = t.column + line;
          return column < g.in_c ? (A0)wide(filter[column * g.out_c + k]) : (A0)0;
        },
        sums);
  }
  results(sums, [&](int i, int j, A0 sum) {
    const index_t row = t.row + i, column = t.column + j;
    if (row >= pixels || column >= g.in_c) return;
    const Pixel to = pixel_of(row, most_h, most_w);
    const index_t h = (index_t)to.row * g.stride_h + from_h, w = (index_t)to.column * g.stride_w + from_w;
    if (h < g.in_h && w < g.in_w) dx[((to.image * g.in_h + h) * g.in_w + w) * g.in_c + column] = narrow<T1>(sum);
  });
}
