// Maximum and average pooling of images (batch, rows, columns, channels), and their gradients in gather form: each element
// of a result is written once, by one thread, in a fixed order of additions. With AT_ONCE, which comes first, a thread takes as many
// neighbouring channels as make 16 bytes: tensors are then seen as units of so many, and `channels` counts those.

enum { EACH = AT_ONCE ? 16 / sizeof(T0) : 1 };
typedef Pack<T0, EACH> Unit;
#define CHANNELS(e) _Pragma("unroll") for (int e = 0; e < EACH; ++e)

struct Pool {
  int in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, pad_top, pad_left;
};

// The numbers of a unit of images of `h` x `w`: image, row, column, channel.
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

// Calls `f` with each unit of the input in a window of the output, in row-major order, and with the number of its cell in the image.
template <class F> __device__ inline void window(const Pool& g, const Place& at, F f) {
  const Cells rows = cells(at.row, g.stride_h, g.k_h, g.pad_top, g.in_h);
  const Cells columns = cells(at.column, g.stride_w, g.k_w, g.pad_left, g.in_w);
  for (int row = rows.begin; row < rows.end; ++row)
    for (int column = columns.begin; column < columns.end; ++column)
      f(((at.image * g.in_h + row) * g.in_w + column) * g.channels + at.channel, row * g.in_w + column);
}

// Calls `f` with each unit of the output whose window holds a unit of the input, in row-major order.
template <class F> __device__ inline void covering(const Pool& g, const Place& at, F f) {
  const Cells rows = windows(at.row, g.stride_h, g.k_h, g.pad_top, g.out_h);
  const Cells columns = windows(at.column, g.stride_w, g.k_w, g.pad_left, g.out_w);
  for (int row = rows.begin; row < rows.end; ++row)
    for (int column = columns.begin; column < columns.end; ++column)
      f(((at.image * g.out_h + row) * g.out_w + column) * g.channels + at.channel, row, column);
}

// The first maximum of a window and its cell, for each channel; NaN wins over numbers, and the first NaN over later ones. The cell is -1
// where there are none.
struct Best { int cell[EACH]; A0 most[EACH]; };
__device__ inline Best best_of(const Pool& g, const Place& at, const Unit* x) {
  Best best;
  CHANNELS(e) best.cell[e] = -1, best.most[e] = A0();
  window(g, at, [&](index_t i, int cell) {
    const Unit unit = x[i];
    CHANNELS(e) {
      const A0 here = wide(unit.of[e]), most = best.most[e];
      if (best.cell[e] < 0 || here > most || (here != here && most == most)) {
        best.cell[e] = cell;
        best.most[e] = here;
      }
    }
  });
  return best;
}

extern "C" __global__ void max_pool(index_t count, Pool g, T0 lowest, const Unit* x, Unit* y) {
  ELEMENTS(i, count) {
    const Best best = best_of(g, place_of(i, g.out_h, g.out_w, g.channels), x);
    Unit unit;
    CHANNELS(e) unit.of[e] = best.cell[e] < 0 ? lowest : narrow<T0>(best.most[e]);
    y[i] = unit;
  }
}

// The element of `v` where each window of `x` has its maximum.
extern "C" __global__ void max_pool_pick(index_t count, Pool g, const Unit* x, const Unit* v, Unit* y) {
  ELEMENTS(i, count) {
    const Place at = place_of(i, g.out_h, g.out_w, g.channels);
    const Best best = best_of(g, at, x);
    const Unit* image = v + at.image * g.in_h * g.in_w * g.channels + at.channel;
    Unit unit;
    CHANNELS(e)
      unit.of[e] = best.cell[e] < 0 ? narrow<T0>((A0)0) : image[(index_t)best.cell[e] * g.channels].of[e];
    y[i] = unit;
  }
}

// The cell in which each window has its maximum.
typedef Pack<int, EACH> Found;
extern "C" __global__ void max_pool_places(index_t count, Pool g, const Unit* x, Found* places) {
  ELEMENTS(i, count) {
    const Best best = best_of(g, place_of(i, g.out_h, g.out_w, g.channels), x);
    Found found;
    CHANNELS(e) found.of[e] = best.cell[e];
    places[i] = found;
  }
}

// The same as elements of the image, or of the batch.
typedef Pack<index_t, EACH> Elements;
extern "C" __global__ void max_pool_elements(index_t count, Pool g, index_t batch, const Unit* x, Elements* places) {
  ELEMENTS(i, count) {
    const Place at = place_of(i, g.out_h, g.out_w, g.channels);
    const Best best = best_of(g, at, x);
    const index_t first = batch ? at.image * g.in_h * g.in_w : 0;
    Elements found;
    CHANNELS(e)
      found.of[e] = best.cell[e] < 0 ? -1 : ((first + best.cell[e]) * g.channels + at.channel) * EACH + e;
    places[i] = found;
  }
}

extern "C" __global__ void max_pool_gradient(index_t count, Pool g, const Found* places, const Unit* dy, Unit* dx) {
  ELEMENTS(i, count) {
    const Place at = place_of(i, g.in_h, g.in_w, g.channels);
    const int cell = at.row * g.in_w + at.column;
    A0 sums[EACH];
    CHANNELS(e) sums[e] = 0;
    covering(g, at, [&](index_t o, int, int) {
      const Found found = places[o];
      const Unit owed = dy[o];
      CHANNELS(e) if (found.of[e] == cell) sums[e] += wide(owed.of[e]);
    });
    Unit unit;
    CHANNELS(e) unit.of[e] = narrow<T0>(sums[e]);
    dx[i] = unit;
  }
}

__device__ inline A0 cells_of(const Pool& g, int row, int column) {
  const Cells rows = cells(row, g.stride_h, g.k_h, g.pad_top, g.in_h);
  const Cells columns = cells(column, g.stride_w, g.k_w, g.pad_left, g.in_w);
  return (A0)((rows.end - rows.begin) * (columns.end - columns.begin));
}

extern "C" __global__ void avg_pool(index_t count, Pool g, const Unit* x, Unit* y) {
  ELEMENTS(i, count) {
    const Place at = place_of(i, g.out_h, g.out_w, g.channels);
    A0 sums[EACH];
    CHANNELS(e) sums[e] = 0;
    window(g, at, [&](index_t from, int) {
      const Unit unit = x[from];
      CHANNELS(e) sums[e] += wide(unit.of[e]);
    });
    const A0 number = cells_of(g, at.row, at.column);
    Unit unit;
    CHANNELS(e) unit.of[e] = narrow<T0>(number > (A0)0 ? sums[e] / number : (A0)0);
    y[i] = unit;
  }
}

extern "C" __global__ void avg_pool_gradient(index_t count, Pool g, const Unit* dy, Unit* dx) {
  ELEMENTS(i, count) {
    A0 sums[EACH];
    CHANNELS(e) sums[e] = 0;
    covering(g, place_of(i, g.in_h, g.in_w, g.channels), [&](index_t o, int row, int column) {
      const Unit owed = dy[o];
      const A0 number = cells_of(g, row, column);
      CHANNELS(e) sums[e] += wide(owed.of[e]) / number;
    });
    Unit unit;
    CHANNELS(e) unit.of[e] = narrow<T0>(sums[e]);
    dx[i] = unit;
  }
}
