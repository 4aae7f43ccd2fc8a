// Convolutions by depth and their gradients, behind sums.cuh, divided.cuh and image.cuh: a thread has VECTOR neighbouring channels, which
// neighbouring threads continue, and COLUMNS results side by side, which read most of their inputs together.
// The host writes K_H, K_W, STRIDE_W, PAD_LEFT and VECTOR in front of it. `T0` are images and filters, `T1` what is written.

enum { COLUMNS = 4 };
typedef Pack<T0, VECTOR> Few;
struct Wide { A0 of[VECTOR]; };

__device__ inline Wide wide_of(const T0* from) {
  const Few few = *(const Few*)from;
  Wide all;
  #pragma unroll
  for (int v = 0; v < VECTOR; ++v) all.of[v] = (A0)wide(few.of[v]);
  return all;
}

__device__ inline void store(T1* to, const A0* all) {
  Pack<T1, VECTOR> few;
  #pragma unroll
  for (int v = 0; v < VECTOR; ++v) few.of[v] = narrow<T1>(all[v]);
  *(Pack<T1, VECTOR>*)to = few;
}

__device__ inline void multiply(A0* sums, const Wide& a, const Wide& b) {
  #pragma unroll
  for (int v = 0; v < VECTOR; ++v) sums[v] = fused(a.of[v], b.of[v], sums[v]);
}

// SPAN pixels of a line from `first` on, and a bit for each of them that lies in the image.
template <int SPAN> __device__ inline unsigned line_of(const T0* line, int first, int width, index_t channels, Wide* of) {
  unsigned there = 0;
  #pragma unroll
  for (int i = 0; i < SPAN; ++i)
    if ((unsigned)(first + i) < (unsigned)width) {
      of[i] = wide_of(line + (first + i) * channels);
      there |= 1u << i;
    }
  return there;
}

// Where a thread's results lie: a pixel of `h` x `w` in runs of COLUMNS, and its first channel.
struct Run { Pixel at; index_t channel; };
__device__ inline Run run_of(index_t i, index_t h, index_t w, index_t channels) {
  Run run;
  const index_t pixel = divided(i, channels / VECTOR, run.channel);
  run.channel *= VECTOR;
  run.at = pixel_of(pixel, h, (w + COLUMNS - 1) / COLUMNS);
  run.at.column *= COLUMNS;
  return run;
}

extern "C" __global__ void depthwise_forward(index_t count, Conv g, const T0* x, const T0* w, T1* y) {
  enum { SPAN = (COLUMNS - 1) * STRIDE_W + K_W };
  ELEMENTS(i, count) {
    const Run run = run_of(i, g.out_h, g.out_w, g.in_c);
    const T0* image = x + run.at.image * g.in_h * g.in_w * g.in_c + run.channel;
    A0 sums[COLUMNS][VECTOR] = {};
    #pragma unroll 1
    for (int a = 0; a < K_H; ++a) {
      const int row = run.at.row * g.stride_h - g.pad_top + a * g.dilation_h;
      if ((unsigned)row >= (unsigned)g.in_h) continue;
      Wide seen[SPAN];
      const unsigned there =
          line_of<SPAN>(image + row * g.in_w * g.in_c, run.at.column * STRIDE_W - PAD_LEFT, (int)g.in_w, g.in_c, seen);
      #pragma unroll
      for (int b = 0; b < K_W; ++b) {
        const Wide filter = wide_of(w + (a * K_W + b) * g.out_c + run.channel);
        #pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
          if (there >> (j * STRIDE_W + b) & 1) multiply(sums[j], seen[j * STRIDE_W + b], filter);
      }
    }
    T1* to = y + ((run.at.image * g.out_h + run.at.row) * g.out_w + run.at.column) * g.out_c + run.channel;
    #pragma unroll
    for (int j = 0; j < COLUMNS; ++j)
      if (run.at.column + j < g.out_w) store(to + j * g.out_c, sums[j]);
  }
}

extern "C" __global__ void depthwise_input_gradient(index_t count, Conv g, const T0* w, const T0* dy, T1* dx) {
  // Columns of the cotangent that a run's windows were: COLUMNS is a multiple of the stride, so they are the same for each run.
  enum { LEFT = PAD_LEFT - (K_W - 1), FIRST = LEFT >= 0 ? (LEFT + STRIDE_W - 1) / STRIDE_W : -(-LEFT / STRIDE_W) };
  enum { SPAN = (COLUMNS - 1 + PAD_LEFT) / STRIDE_W - FIRST + 1 };
  ELEMENTS(i, count) {
    const Run run = run_of(i, g.in_h, g.in_w, g.in_c);
    const T0* image = dy + run.at.image * g.out_h * g.out_w * g.out_c + run.channel;
    A0 sums[COLUMNS][VECTOR] = {};
    #pragma unroll 1
    for (int a = 0; a < K_H; ++a) {
      const int over = run.at.row + g.pad_top - a * g.dilation_h, row = over / g.stride_h;
      if (over < 0 || row * g.stride_h != over || row >= g.out_h) continue;
      Wide owed[SPAN];
      const unsigned there =
          line_of<SPAN>(image + row * g.out_w * g.out_c, run.at.column / STRIDE_W + FIRST, (int)g.out_w, g.out_c, owed);
      #pragma unroll
      for (int b = 0; b < K_W; ++b) {
        const Wide filter = wide_of(w + (a * K_W + b) * g.out_c + run.channel);
        #pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
          if ((j + PAD_LEFT - b - FIRST * STRIDE_W) % STRIDE_W == 0) {
            const int k = (j + PAD_LEFT - b - FIRST * STRIDE_W) / STRIDE_W;
            if (there >> k & 1) multiply(sums[j], owed[k], filter);
          }
      }
    }
    T1* to = dx + ((run.at.image * g.in_h + run.at.row) * g.in_w + run.at.column) * g.in_c + run.channel;
    #pragma unroll
    for (int j = 0; j < COLUMNS; ++j)
      if (run.at.column + j < g.in_w) store(to + j * g.in_c, sums[j]);
  }
}

// A block has `across` threads side by side, for so many packs of channels, which the rest of it repeats for further runs of outputs.
// Parts of `part` runs have sums of their own, one list of filters after the other.
extern "C" __global__ void __launch_bounds__(256) depthwise_filter_gradient(Conv g, int across, index_t part, const T0* x, const T0* dy,
                                                                           T1* dw) {
  enum { SPAN = (COLUMNS - 1) * STRIDE_W + K_W };
  __shared__ Wide shared[256];
  const index_t packs = g.in_c / VECTOR, pieces = (packs + across - 1) / across;
  index_t piece;
  const index_t own_part = divided(blockIdx.x, pieces, piece);
  const int down = 256 / across, line = threadIdx.x / across;
  const index_t pack = piece * across + threadIdx.x % across, channel = pack * VECTOR;
  const bool mine = pack < packs;
  const index_t across_image = (g.out_w + COLUMNS - 1) / COLUMNS, all = g.batch * g.out_h * across_image;
  const index_t begin = own_part * part, end = begin + part < all ? begin + part : all;
  Wide sums[K_H][K_W] = {};
  if (mine) {
    #pragma unroll 1
    for (index_t i = begin + line; i < end; i += down) {
      Pixel at = pixel_of(i, g.out_h, across_image);
      at.column *= COLUMNS;
      const T0* image = x + at.image * g.in_h * g.in_w * g.in_c + channel;
      Wide owed[COLUMNS], seen[SPAN];
      const unsigned owing =
          line_of<COLUMNS>(dy + (at.image * g.out_h + at.row) * g.out_w * g.out_c + channel, at.column, (int)g.out_w, g.out_c, owed);
      #pragma unroll
      for (int a = 0; a < K_H; ++a) {
        const int row = at.row * g.stride_h - g.pad_top + a * g.dilation_h;
        if ((unsigned)row >= (unsigned)g.in_h) continue;
        const unsigned there =
            line_of<SPAN>(image + row * g.in_w * g.in_c, at.column * STRIDE_W - PAD_LEFT, (int)g.in_w, g.in_c, seen);
        #pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
          #pragma unroll
          for (int b = 0; b < K_W; ++b)
            if (owing >> j & there >> (j * STRIDE_W + b) & 1) multiply(sums[a][b].of, seen[j * STRIDE_W + b], owed[j]);
      }
    }
  }
  #pragma unroll
  for (int tap = 0; tap < K_H * K_W; ++tap) {
    Wide sum = sums[tap / K_W][tap % K_W];
    if (down > 1) {
      shared[threadIdx.x] = sum;
      __syncthreads();
      for (int step = down / 2; step > 0; step /= 2) {
        if (line < step) {
          const Wide other = shared[threadIdx.x + step * across];
          #pragma unroll
          for (int v = 0; v < VECTOR; ++v) sum.of[v] += other.of[v];
          shared[threadIdx.x] = sum;
        }
        __syncthreads();
      }
    }
    if (mine && line == 0) store(dw + (own_part * K_H * K_W + tap) * g.out_c + channel, sum.of);
  }
}
