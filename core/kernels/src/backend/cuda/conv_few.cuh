// Convolutions with few channels by tensor cores, behind tensor.cuh and few_channels.cuh: a warp keeps the filters of its output channels
// in registers while its block walks over tiles. `conv_few_forward.rs` launches it, for gradients by the images, too: TURNED says that
// filters are those of the convolution whose gradient this is.
//
// Rows are output pixels, sixteen at a time, columns output channels, in OWN_COLUMNS tiles of 16 for each of COLUMN_GROUPS groups of
// warps, and steps the rows of the filters seen as a matrix. Neighbouring steps, 2t and 2t + 1, are steps t and t + 4 of the
// instruction, and neighbouring columns are of two instructions, so that neighbours in memory are loaded and stored at once.

enum { TAPS = K_H * K_W, DEPTH = TAPS * IN_C, STEPS = (DEPTH + 7) / 8 };

__device__ inline float filter_at(const float* w, int k, int column) {
  if (k >= DEPTH || column >= OUT_C) return 0.0f;
  return rounded(TURNED ? w[((TAPS - 1 - k / IN_C) * OUT_C + column) * IN_C + k % IN_C] : w[k * OUT_C + column]);
}

// What each thread keeps of the filters: for steps and columns of the instructions, two steps each.
struct Filters { float of[STEPS][OWN_COLUMNS][2][2]; };
enum { KEPT = sizeof(Filters) / sizeof(float) };

// Writes them to shared memory first: to find all of them at once would take a thread more registers than it has.
__device__ inline Filters filters_of(const float* w, float* room, int group, int lane) {
  #pragma unroll 1
  for (int i = threadIdx.x; i < KEPT * COLUMN_GROUPS * 32; i += THREADS) {
    const int of_lane = i % 32, of_group = i / 32 % COLUMN_GROUPS, at = i / 32 / COLUMN_GROUPS;
    const int step = at / 4 / OWN_COLUMNS, n = at / 4 % OWN_COLUMNS, j = at / 2 % 2;
    const int column = (of_group * OWN_COLUMNS + n) * 16 + of_lane / 4 * 2 + j;
    room[i] = filter_at(w, 8 * step + of_lane % 4 * 2 + at % 2, column);
  }
  __syncthreads();
  Filters filters;
  #pragma unroll
  for (int i = 0; i < KEPT; ++i)
    filters.of[i / 4 / OWN_COLUMNS][i / 4 % OWN_COLUMNS][i / 2 % 2][i % 2] = room[(i * COLUMN_GROUPS + group) * 32 + lane];
  __syncthreads();
  return filters;
}

// Where step `k` reads in a tile, in bytes from an output pixel's first input on.
__device__ inline int place_of_step(int k, int columns) {
  const int tap = k < DEPTH ? k / IN_C : 0, channel = k < DEPTH ? k % IN_C : 0;
  return ((tap / K_W * DILATION_H * columns + tap % K_W * DILATION_W) * X_PITCH + channel) * (int)sizeof(float);
}

// The inputs of two steps at a pixel.
__device__ inline Pack<float, 2> two_steps(const char* pixel, const int* at) {
  if (IN_C % 2 == 0) return *(const Pack<float, 2>*)(pixel + at[0]);
  return Pack<float, 2>{{*(const float*)(pixel + at[0]), *(const float*)(pixel + at[1])}};
}

extern "C" __global__ void __launch_bounds__(256, 2) conv_few(Walk walk, const float* x, const float* w, float* y) {
  __shared__ Pack<float, 4> shared[ROOM / 4];
  const int across = reached(walk.columns, STRIDE_W, K_W, DILATION_W);
  const int reached_pixels = reached(walk.rows, STRIDE_H, K_H, DILATION_H) * across;
  const int pixels = walk.rows * walk.columns, all_pixels = whole(pixels, 16);
  // Twice a tile's inputs; behind them, for each output, where its window begins, and its row and column; then the places of steps.
  const int inputs = whole(reached_pixels * X_PITCH, 4);
  float* room = (float*)shared;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int group = threadIdx.x / 32 % COLUMN_GROUPS, share = threadIdx.x / 32 / COLUMN_GROUPS;
  const int first_column = group * OWN_COLUMNS * 16;
  const Filters filters = filters_of(w, room, group, lane);
  int *places = (int*)(room + 2 * inputs), *outputs = places + all_pixels, *steps = outputs + all_pixels;
  for (int i = threadIdx.x; i < all_pixels; i += THREADS) {
    const int row = i / walk.columns, column = i % walk.columns;
    places[i] = i < pixels ? (row * STRIDE_H * across + column * STRIDE_W) * X_PITCH * (int)sizeof(float) : 0;
    outputs[i] = i < pixels ? row << 16 | column : 0x7fff << 16;
  }
  for (int i = threadIdx.x; i < STEPS * 8; i += THREADS) steps[i] = place_of_step(i, across);

  auto bring_tile = [&](index_t tile, float* to) {
    const Place at = place_of(walk, tile);
    bring<IN_C, X_PITCH, X_VECTOR>(x + at.image * walk.in_h * walk.in_w * IN_C, walk.in_h, walk.in_w, at.row * STRIDE_H - walk.pad_top,
                                   at.column * STRIDE_W - walk.pad_left, across, reached_pixels, to);
  };
  index_t tile = blockIdx.x * walk.each;
  const index_t end = tile + walk.each < walk.tiles ? tile + walk.each : walk.tiles;
  float *now = room, *next = room + inputs;
  if (tile < end) bring_tile(tile, now);
  end_of_copies();
  for (; tile < end; ++tile) {
    if (tile + 1 < end) bring_tile(tile + 1, next);
    end_of_copies();
    await_all_but<1>();
    __syncthreads();
    const Place at = place_of(walk, tile);
    float* image = y + at.image * walk.out_h * walk.out_w * OUT_C;
    for (int first = share * 16; first < all_pixels; first += WARPS / COLUMN_GROUPS * 16) {
      const char *near = (const char*)now + places[first + g], *far = (const char*)now + places[first + g + 8];
      float sums[OWN_COLUMNS][2][4];
      #pragma unroll
      for (int i = 0; i < 8 * OWN_COLUMNS; ++i) sums[i / 8][i / 4 % 2][i % 4] = 0.0f;
      #pragma unroll
      for (int step = 0; step < STEPS; ++step) {
        // Where steps are channels of one tap, its place needs no memory.
        int place[2];
        if (IN_C % 8 == 0) place[0] = place_of_step(8 * step, across) + t * 8;
        else place[0] = steps[8 * step + 2 * t];
        place[1] = IN_C % 2 == 0 ? 0 : steps[8 * step + 2 * t + 1];
        const Pack<float, 2> above = two_steps(near, place), below = two_steps(far, place);
        const float a[4] = {rounded(above.of[0]), rounded(below.of[0]), rounded(above.of[1]), rounded(below.of[1])};
        #pragma unroll
        for (int n = 0; n < OWN_COLUMNS; ++n) {
          multiply_by_warp(sums[n][0], a, filters.of[step][n][0]);
          multiply_by_warp(sums[n][1], a, filters.of[step][n][1]);
        }
      }
      #pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int output = outputs[first + g + 8 * i];
        const int row = at.row + (output >> 16), column = at.column + (output & 0xffff);
        if (row >= walk.out_h || column >= walk.out_w) continue;
        float* to = image + (row * walk.out_w + column) * OUT_C;
        #pragma unroll
        for (int n = 0; n < OWN_COLUMNS; ++n) {
          const float *even = sums[n][0] + 2 * i, *odd = sums[n][1] + 2 * i;
          const Pack<float, 4> four{{even[0], odd[0], even[1], odd[1]}};
          const int channel = first_column + 16 * n + 4 * t;
          if (Y_VECTOR == 4) {
            if (channel < OUT_C) *(Pack<float, 4>*)(to + channel) = four;
          } else {
            #pragma unroll
            for (int j = 0; j < 4; ++j)
              if (channel + j < OUT_C) to[channel + j] = four.of[j];
          }
        }
      }
    }
    __syncthreads();
    float* other = now;
    now = next, next = other;
  }
}
