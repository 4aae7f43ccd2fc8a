// The gradient of a convolution by its filters where results are few, behind tensor.cuh, sums.cuh and few_channels.cuh: a block keeps sums of
// all results in registers while it walks over its tiles. `conv_filter_few.rs` launches it, and adds what the blocks have.
//
// Rows are the rows of the filters seen as a matrix, in tiles of 16, columns the output channels, in tiles of 16, and steps the output
// pixels. Each of GROUPS groups of warps has OWN_ROWS x OWN_COLUMNS tiles of 16 x 16, ROW_GROUPS of them one below the other; the
// warps of a group share the pixels of a tile, eight at a time. Neighbouring rows, 2g and 2g + 1, are rows g and g + 8 of the
// instruction, so that neighbours in memory are loaded at once.

enum { GROUPS = ROW_GROUPS * COLUMN_GROUPS, SHARES = WARPS / GROUPS, DEPTH = K_H * K_W * IN_C };

// Where a row of the filters reads in a tile, in bytes from an output pixel's first input on.
__device__ inline int place_of_row(int row, int columns) {
  if (row >= DEPTH) return 0;
  const int tap = row / IN_C;
  return ((tap / K_W * DILATION_H * columns + tap % K_W * DILATION_W) * X_PITCH + row % IN_C) * (int)sizeof(float);
}

struct Results { float of[OWN_ROWS][OWN_COLUMNS][2][4]; };

// The rows 2g and 2g + 1 at a pixel.
struct Two { int places[OWN_ROWS][IN_C % 2 + 1]; };
__device__ inline Pack<float, 2> two_rows(const char* pixel, const Two& rows, int m) {
  if (IN_C % 2 == 0) return *(const Pack<float, 2>*)(pixel + rows.places[m][0]);
  return Pack<float, 2>{{*(const float*)(pixel + rows.places[m][0]), *(const float*)(pixel + rows.places[m][IN_C % 2])}};
}

#if TENSOR
// Eight pixels: lane `l` has l / 4 in `g` and l % 4 in `t`.
__device__ inline void add_pixels(const char* x, const float* dy, const int* places, const Two& rows, int g, int t, Results& sums) {
  const char *near = x + places[t], *far = x + places[t + 4];
  float b[OWN_COLUMNS][2][2];
  #pragma unroll
  for (int n = 0; n < OWN_COLUMNS; ++n) {
    #pragma unroll
    for (int j = 0; j < 2; ++j) {
      b[n][j][0] = rounded(dy[t * Y_PITCH + 16 * n + 8 * j + g]);
      b[n][j][1] = rounded(dy[(t + 4) * Y_PITCH + 16 * n + 8 * j + g]);
    }
  }
  #pragma unroll
  for (int m = 0; m < OWN_ROWS; ++m) {
    const Pack<float, 2> first = two_rows(near, rows, m), second = two_rows(far, rows, m);
    const float a[4] = {rounded(first.of[0]), rounded(first.of[1]), rounded(second.of[0]), rounded(second.of[1])};
    #pragma unroll
    for (int n = 0; n < OWN_COLUMNS; ++n) {
      multiply_by_warp(sums.of[m][n][0], a, b[n][0]);
      multiply_by_warp(sums.of[m][n][1], a, b[n][1]);
    }
  }
}
#else
__device__ inline void add_pixels(const char* x, const float* dy, const int* places, const Two& rows, int, int t, Results& sums) {
  #pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    const char* pixel = x + places[k];
    Pack<float, 2> b[2 * OWN_COLUMNS];
    #pragma unroll
    for (int n = 0; n < 2 * OWN_COLUMNS; ++n) b[n] = *(const Pack<float, 2>*)(dy + k * Y_PITCH + 8 * n + 2 * t);
    #pragma unroll
    for (int m = 0; m < OWN_ROWS; ++m) {
      const Pack<float, 2> a = two_rows(pixel, rows, m);
      #pragma unroll
      for (int n = 0; n < OWN_COLUMNS; ++n)
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          float& sum = sums.of[m][n][i / 4][i % 4];
          sum = fused(a.of[i % 4 / 2], b[2 * n + i / 4].of[i % 2], sum);
        }
    }
  }
}
#endif

// Adds what the warps of a group have to what its first one has, in their order.
__device__ inline void add_shares(Results& sums, float* room, int group, int share) {
  enum { COUNT = sizeof(Results) / sizeof(float) };
  float* own = room + group * 32 + threadIdx.x % 32;
  for (int s = 1; s < SHARES; ++s) {
    if (share == s)
      #pragma unroll
      for (int i = 0; i < COUNT; ++i) own[i * GROUPS * 32] = sums.of[i / 8 / OWN_COLUMNS][i / 8 % OWN_COLUMNS][i / 4 % 2][i % 4];
    __syncthreads();
    if (share == 0)
      #pragma unroll
      for (int i = 0; i < COUNT; ++i) {
        float& sum = sums.of[i / 8 / OWN_COLUMNS][i / 8 % OWN_COLUMNS][i / 4 % 2][i % 4];
        sum = __fadd_rn(sum, own[i * GROUPS * 32]);
      }
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(256, BLOCKS) conv_filter_few(Walk walk, const float* x, const float* dy, float* dw) {
  __shared__ Pack<float, 4> shared[ROOM / 4];
  const int across = reached(walk.columns, STRIDE_W, K_W, DILATION_W);
  const int reached_pixels = reached(walk.rows, STRIDE_H, K_H, DILATION_H) * across;
  const int pixels = walk.rows * walk.columns, steps = (pixels + 7) / 8;
  // Twice a tile's inputs and what lies at its outputs, and behind them where each output's window begins.
  const int inputs = whole(reached_pixels * X_PITCH, 4), tile_room = inputs + steps * 8 * Y_PITCH;
  float* room = (float*)shared;
  int* places = (int*)(room + 2 * tile_room);
  for (int i = threadIdx.x; i < steps * 8; i += THREADS)
    places[i] = i < pixels ? (i / walk.columns * STRIDE_H * across + i % walk.columns * STRIDE_W) * X_PITCH * (int)sizeof(float) : 0;

  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int group = threadIdx.x / 32 % GROUPS, share = threadIdx.x / 32 / GROUPS;
  const int first_row = group % ROW_GROUPS * OWN_ROWS * 16 + 2 * g, first_column = group / ROW_GROUPS * OWN_COLUMNS * 16;
  Two rows;
  Results sums;
  #pragma unroll
  for (int m = 0; m < OWN_ROWS; ++m) {
    #pragma unroll
    for (int i = 0; i <= IN_C % 2; ++i) rows.places[m][i] = place_of_row(first_row + 16 * m + i, across);
    #pragma unroll
    for (int i = 0; i < 8 * OWN_COLUMNS; ++i) sums.of[m][i / 8][i / 4 % 2][i % 4] = 0.0f;
  }

  auto bring_tile = [&](index_t tile, float* to) {
    const Place at = place_of(walk, tile);
    const float* image = x + at.image * walk.in_h * walk.in_w * IN_C;
    bring<IN_C, X_PITCH, X_VECTOR>(image, walk.in_h, walk.in_w, at.row * STRIDE_H - walk.pad_top, at.column * STRIDE_W - walk.pad_left,
                                   across, reached_pixels, to);
    // Pixels of the last step that the tile does not have lie below it.
    const int below = at.row + walk.rows, bottom = below < walk.out_h ? below : walk.out_h;
    bring<OUT_C, Y_PITCH, Y_VECTOR>(dy + at.image * walk.out_h * walk.out_w * OUT_C, bottom, walk.out_w, at.row, at.column, walk.columns,
                                    steps * 8, to + inputs);
  };
  index_t tile = blockIdx.x * walk.each;
  const index_t end = tile + walk.each < walk.tiles ? tile + walk.each : walk.tiles;
  float *now = room, *next = room + tile_room;
  if (tile < end) bring_tile(tile, now);
  end_of_copies();
  for (; tile < end; ++tile) {
    if (tile + 1 < end) bring_tile(tile + 1, next);
    end_of_copies();
    await_all_but<1>();
    __syncthreads();
    for (int step = share; step < steps; step += SHARES)
      add_pixels((const char*)now, now + inputs + step * 8 * Y_PITCH + first_column, places + step * 8, rows, g, t, sums);
    __syncthreads();
    float* other = now;
    now = next, next = other;
  }

  if (SHARES > 1) add_shares(sums, room, group, share);
  if (share > 0) return;
  dw += blockIdx.x * (index_t)(DEPTH * OUT_C);
  #pragma unroll
  for (int m = 0; m < OWN_ROWS; ++m)
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = first_row + 16 * m + i;
      if (row >= DEPTH) continue;
      #pragma unroll
      for (int j = 0; j < 4 * OWN_COLUMNS; ++j) {
        const int column = first_column + j / 2 * 8 + 2 * t + j % 2;
        if (column < OUT_C) dw[row * OUT_C + column] = sums.of[m][j / 4][j / 2 % 2][i * 2 + j % 2];
      }
    }
}
