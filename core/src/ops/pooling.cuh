// Maximum and average pooling of images (batch, rows, columns, channels), and their gradients in gather form: each element
// of a result is written once, by one thread, in a fixed order of additions.

struct Pool {
  int in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, pad_top, pad_left;
};

// The numbers of an element of images of `h` x `w`: image, row, column, channel.
struct Place { index_t image; int row, column, channel; };
__device__ inline Place place_of(index_t i, index_t h, index_t w, index_t channels) {
  if (i <= 0x7fffffff) {
    const unsigned n = (unsigned)i, c = (unsigned)channels, pixel = n / c, line = pixel / (unsigned)w;
    return Place{line / (unsigned)h, (int)(line % (unsigned)h), (int)(pixel % (unsigned)w), (int)(n % c)};
  }
  const index_t pixel = i / channels, line = pixel / w;
  return Place{line / h, (int)(line % h), (int)(pixel % w), (int)(i % channels)};
}

// From the first cell of window `o` inside the image to behind the last.
struct Cells { int begin, end; };
__device__ inline Cells cells(int o, int stride, int k, int pad, int size) {
  const int low = o * stride - pad, high = low + k;
  return Cells{low > 0 ? low : 0, high < size ? high : size};
}

// The windows that cell `i` lies in.
__device__ inline Cells windows(int i, int stride, int k, int pad, int outputs) {
  const int at = i + pad, first = at < k ? 0 : (at - k) / stride + 1, last = at / stride + 1;
  return Cells{first, last < outputs ? last : outputs};
}

// Calls `f` with each element of the input in a window of the output, in row-major order.
template <class F> __device__ inline void window(const Pool& g, const Place& at, F f) {
  const Cells rows = cells(at.row, g.stride_h, g.k_h, g.pad_top, g.in_h);
  const Cells columns = cells(at.column, g.stride_w, g.k_w, g.pad_left, g.in_w);
  for (int row = rows.begin; row < rows.end; ++row)
    for (int column = columns.begin; column < columns.end; ++column)
      f(((at.image * g.in_h + row) * g.in_w + column) * g.channels + at.channel);
}

// Calls `f` with each element of the output whose window holds an element of the input, in row-major order.
template <class F> __device__ inline void covering(const Pool& g, const Place& at, F f) {
  const Cells rows = windows(at.row, g.stride_h, g.k_h, g.pad_top, g.out_h);
  const Cells columns = windows(at.column, g.stride_w, g.k_w, g.pad_left, g.out_w);
  for (int row = rows.begin; row < rows.end; ++row)
    for (int column = columns.begin; column < columns.end; ++column)
      f(((at.image * g.out_h + row) * g.out_w + column) * g.channels + at.channel, row, column);
}

// The first maximum of a window; NaN wins over numbers, and the first NaN over later ones. -1 where there are no cells.
__device__ inline index_t best_of(const Pool& g, const Place& at, const T0* x) {
  index_t best = -1;
  A0 most = A0();
  window(g, at, [&](index_t i) {
    const A0 here = wide(x[i]);
    if (best < 0 || here > most || (here != here && most == most)) {
      best = i;
      most = here;
    }
  });
  return best;
}

extern "C" __global__ void max_pool(index_t count, Pool g, T0 lowest, const T0* x, T0* y) {
  ELEMENTS(i, count) {
    const index_t best = best_of(g, place_of(i, g.out_h, g.out_w, g.channels), x);
    y[i] = best < 0 ? lowest : x[best];
  }
}

// The element of `v` where each window of `x` has its maximum.
extern "C" __global__ void max_pool_pick(index_t count, Pool g, const T0* x, const T0* v, T0* y) {
  ELEMENTS(i, count) {
    const index_t best = best_of(g, place_of(i, g.out_h, g.out_w, g.channels), x);
    y[i] = best < 0 ? narrow<T0>((A0)0) : v[best];
  }
}

// Where each window has its maximum.
extern "C" __global__ void max_pool_places(index_t count, Pool g, const T0* x, index_t* places) {
  ELEMENTS(i, count) places[i] = best_of(g, place_of(i, g.out_h, g.out_w, g.channels), x);
}

extern "C" __global__ void max_pool_gradient(index_t count, Pool g, const index_t* places, const T0* dy, T0* dx) {
  ELEMENTS(i, count) {
    A0 sum = 0;
    covering(g, place_of(i, g.in_h, g.in_w, g.channels), [&](index_t o, int, int) {
      if (places[o] == i) sum += wide(dy[o]);
    });
    dx[i] = narrow<T0>(sum);
  }
}

__device__ inline A0 cells_of(const Pool& g, int row, int column) {
  const Cells rows = cells(row, g.stride_h, g.k_h, g.pad_top, g.in_h);
  const Cells columns = cells(column, g.stride_w, g.k_w, g.pad_left, g.in_w);
  return (A0)((rows.end - rows.begin) * (columns.end - columns.begin));
}

extern "C" __global__ void avg_pool(index_t count, Pool g, const T0* x, T0* y) {
  ELEMENTS(i, count) {
    A0 sum = 0, number = 0;
    window(g, place_of(i, g.out_h, g.out_w, g.channels), [&](index_t at) {
      sum += wide(x[at]);
      number += (A0)1;
    });
    y[i] = narrow<T0>(number > (A0)0 ? sum / number : (A0)0);
  }
}

extern "C" __global__ void avg_pool_gradient(index_t count, Pool g, const T0* dy, T0* dx) {
  ELEMENTS(i, count) {
    A0 sum = 0;
    covering(g, place_of(i, g.in_h, g.in_w, g.channels),
             [&](index_t o, int row, int column) { sum += wide(dy[o]) / cells_of(g, row, column); });
    dx[i] = narrow<T0>(sum);
  }
}
