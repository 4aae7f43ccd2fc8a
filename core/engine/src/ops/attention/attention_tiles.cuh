// Attention and its gradient for rows of at most MOST numbers that lie side by side, behind pairs.cuh: a block takes ROWS queries (or keys)
// past all keys (or queries), TILE at a time. MOST is 32, 64 or 128 and stands in front; all is computed in f32.
//
// Threads are 8 groups of RR rows by 16 lanes, half a warp. A thread has CC scores of each of its rows, and CO of the results: what a row's
// lanes have together they find out by shuffles. Operands of a product that share their inner index are kept with it outermost
// ("turned"), so that a thread loads its rows, or columns, at once.

enum { RR = MOST > 64 ? 2 : 4, CC = MOST > 64 ? 2 : 4, CO = MOST / 16, ROWS = 8 * RR, TILE = 16 * CC, AT_WORK = 128 };
// From one inner index to the next: rows, and columns, of whole vectors, which begin in other banks.
enum { R_PITCH = ROWS + 4, C_PITCH = TILE + 4 };
enum { BUFFER = MOST * C_PITCH > TILE * MOST ? MOST * C_PITCH : TILE * MOST };

// A matrix of a head: its first row, and the way to the next.
struct Matrix { const T0* at; index_t step; };
__device__ inline Matrix matrix_of(const T0* all, const Strided& at, index_t head, index_t rows, index_t width) {
  return Matrix{width == 0 ? all : all + place(at, head * rows * width), at.strides[at.rank - 2]};
}

// Brings `n` of N rows from `first` on to shared memory, turned, with zeros where there are none. Eight numbers of four rows at a time: these
// are whole sectors of memory and all banks.
template <int N, int PITCH> __device__ inline void bring_turned(float* to, const Matrix& m, index_t first, index_t n, index_t width) {
  #pragma unroll 8
  for (int e = threadIdx.x; e < N * MOST; e += AT_WORK) {
    const int unit = e / 32, d = unit % (MOST / 8) * 8 + e % 8, r = unit / (MOST / 8) * 4 + e / 8 % 4;
    to[d * PITCH + r] = r < n && d < width ? (float)wide(m.at[(first + r) * m.step + d]) : 0.0f;
  }
}

// The same, as they are.
__device__ inline void bring(float* to, const Matrix& m, index_t first, index_t n, index_t width) {
  #pragma unroll 8
  for (int e = threadIdx.x; e < TILE * MOST; e += AT_WORK) {
    const int r = e / MOST, d = e % MOST;
    to[e] = r < n && d < width ? (float)wide(m.at[(first + r) * m.step + d]) : 0.0f;
  }
}

// One of a few registers, whose number is not known when they are given out.
template <int N> __device__ inline float pick(const float (&of)[N], int j) {
  float x = of[0];
  #pragma unroll
  for (int i = 1; i < N; ++i) x = i == j ? of[i] : x;
  return x;
}
template <int N> __device__ inline void put(float (&of)[N], int j, float x) {
  #pragma unroll
  for (int i = 0; i < N; ++i) of[i] = i == j ? x : of[i];
}

// Products of all pairs of rows and columns: both are turned.
__device__ inline void products(float (&sums)[RR][CC], const float* rows, const float* columns) {
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  #pragma unroll
  for (int i = 0; i < RR * CC; ++i) sums[i / CC][i % CC] = 0.0f;
  #pragma unroll 8
  for (int d = 0; d < MOST; ++d) {
    const Pack<float, RR> a = *(const Pack<float, RR>*)(rows + d * R_PITCH + group * RR);
    const Pack<float, CC> b = *(const Pack<float, CC>*)(columns + d * C_PITCH + lane * CC);
    #pragma unroll
    for (int i = 0; i < RR * CC; ++i) sums[i / CC][i % CC] = __fmaf_rn(a.of[i / CC], b.of[i % CC], sums[i / CC][i % CC]);
  }
}

// Writes a thread's share of a tile, turned.
__device__ inline void keep(float* tile, const float (&of)[RR][CC]) {
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  #pragma unroll
  for (int j = 0; j < CC; ++j) {
    Pack<float, RR> column;
    #pragma unroll
    for (int r = 0; r < RR; ++r) column.of[r] = of[r][j];
    *(Pack<float, RR>*)(tile + (lane * CC + j) * R_PITCH + group * RR) = column;
  }
}

// Adds the product of a tile, turned, and the TILE rows that belong to its columns.
__device__ inline void add_product(float (&sums)[RR][CO], const float* tile, const float* rows) {
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  #pragma unroll 8
  for (int j = 0; j < TILE; ++j) {
    const Pack<float, RR> a = *(const Pack<float, RR>*)(tile + j * R_PITCH + group * RR);
    const Pack<float, CO> b = *(const Pack<float, CO>*)(rows + j * MOST + lane * CO);
    #pragma unroll
    for (int i = 0; i < RR * CO; ++i) sums[i / CO][i % CO] = __fmaf_rn(a.of[i / CO], b.of[i % CO], sums[i / CO][i % CO]);
  }
}

// Writes a thread's share of `n` rows of results.
__device__ inline void write(T0* to, const float (&sums)[RR][CO], index_t n, index_t width, float factor) {
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  #pragma unroll
  for (int i = 0; i < RR * CO; ++i) {
    const int r = group * RR + i / CO, d = lane * CO + i % CO;
    if (r < n && d < width) to[r * width + d] = narrow<T0>(sums[i / CO][i % CO] * factor);
  }
}

__device__ inline float greatest_of_row(float x) {
  #pragma unroll
  for (int step = 8; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, x, step);
    x = other > x ? other : x;
  }
  return x;
}

__device__ inline float sum_of_row(float x) {
  #pragma unroll
  for (int step = 8; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

extern "C" __global__ void __launch_bounds__(128) attention_by_tiles(Sizes s, Options options, Operands o, const T1* seed, Stream given, T0* out,
                                                                    A0* logs) {
  __shared__ Pack<float, 4> turned_queries[MOST * R_PITCH / 4], room[BUFFER / 4], turned_scores[TILE * R_PITCH / 4];
  float *queries = (float*)turned_queries, *buffer = (float*)room, *scores = (float*)turned_scores;
  const Stream stream = stream_of(seed, s.step, false, given);
  const index_t blocks = (s.queries + ROWS - 1) / ROWS;
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  for (index_t b = blockIdx.x; b < s.heads * blocks; b += gridDim.x) {
    const index_t head = b / blocks, first = b % blocks * ROWS;
    const index_t n = s.queries - first < ROWS ? s.queries - first : ROWS;
    const Matrix q = matrix_of(o.q, o.q_at, head, s.queries, s.depth);
    const Matrix k = matrix_of(o.k, o.k_at, head / s.group, s.keys, s.depth);
    const Matrix v = matrix_of(o.v, o.v_at, head / s.group, s.keys, s.width);
    bring_turned<ROWS, R_PITCH>(queries, q, first, n, s.depth);
    float sums[RR][CO] = {}, top[RR], total[RR];
    #pragma unroll
    for (int r = 0; r < RR; ++r) top[r] = Limits<float>::lowest(), total[r] = 0.0f;
    const index_t seen = s.causal && first + n < s.keys ? first + n : s.keys;
    for (index_t from = 0; from < seen; from += TILE) {
      const index_t m = s.keys - from < TILE ? s.keys - from : TILE;
      bring_turned<TILE, C_PITCH>(buffer, k, from, m, s.depth);
      __syncthreads();
      float share[RR][CC];
      products(share, queries, buffer);
      #pragma unroll 1
      for (int j = 0; j < CC; ++j) {
        const index_t column = lane * CC + j;
        #pragma unroll
        for (int r = 0; r < RR; ++r) {
          const index_t query = first + group * RR + r;
          const float product = pick(share[r], j) * (float)options.scale;
          const bool there = column < m && query < s.queries;
          put(share[r], j, there ? masked(s, o, product, head, query, from + column) : Limits<float>::lowest());
        }
      }
      #pragma unroll
      for (int r = 0; r < RR; ++r) {
        float best = top[r], all = 0.0f;
        #pragma unroll
        for (int j = 0; j < CC; ++j) best = share[r][j] > best ? share[r][j] : best;
        best = greatest_of_row(best);
        const float base = best > Limits<float>::lowest() ? best : 0.0f;
        #pragma unroll
        for (int j = 0; j < CC; ++j) {
          const float p = exponential(share[r][j] - base);
          all += p;
          share[r][j] = p;
        }
        const float shrink = exponential(top[r] - base);
        total[r] = total[r] * shrink + sum_of_row(all);
        top[r] = best;
        #pragma unroll
        for (int d = 0; d < CO; ++d) sums[r][d] *= shrink;
      }
      if (s.drops) {
        #pragma unroll 1
        for (int j = 0; j < CC; ++j)
          #pragma unroll
          for (int r = 0; r < RR; ++r)
            put(share[r], j, pick(share[r], j) * kept(s, options, stream, head, first + group * RR + r, from + lane * CC + j));
      }
      keep(scores, share);
      __syncthreads();
      bring(buffer, v, from, m, s.width);
      __syncthreads();
      add_product(sums, scores, buffer);
      __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < RR; ++r) {
      const bool hidden = top[r] == Limits<float>::lowest();
      const index_t row = group * RR + r;
      if (lane == 0 && row < n) logs[head * s.queries + first + row] = hidden ? Limits<float>::highest() : top[r] + logf(total[r]);
      #pragma unroll
      for (int d = 0; d < CO; ++d) sums[r][d] = hidden ? 0.0f : sums[r][d] / total[r];
    }
    write(out + (head * s.queries + first) * s.width, sums, n, s.width, 1.0f);
    __syncthreads();
  }
}

// The cotangents of queries; `deltas` are left for the kernel below.
extern "C" __global__ void __launch_bounds__(128) attention_queries_by_tiles(Sizes s, Options options, Operands o, const T1* seed, Stream given,
                                                                            Saved saved, T0* dq) {
  __shared__ Pack<float, 4> turned_queries[MOST * R_PITCH / 4], turned_owed[MOST * R_PITCH / 4], room[BUFFER / 4],
      turned_slopes[TILE * R_PITCH / 4];
  float *queries = (float*)turned_queries, *owed = (float*)turned_owed, *buffer = (float*)room, *slopes = (float*)turned_slopes;
  const Stream stream = stream_of(seed, s.step, false, given);
  const index_t blocks = (s.queries + ROWS - 1) / ROWS;
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  for (index_t b = blockIdx.x; b < s.heads * blocks; b += gridDim.x) {
    const index_t head = b / blocks, first = b % blocks * ROWS;
    const index_t n = s.queries - first < ROWS ? s.queries - first : ROWS;
    const Matrix q = matrix_of(o.q, o.q_at, head, s.queries, s.depth), k = matrix_of(o.k, o.k_at, head / s.group, s.keys, s.depth);
    const Matrix v = matrix_of(o.v, o.v_at, head / s.group, s.keys, s.width);
    const Matrix out = matrix_of(saved.out, saved.out_at, head, s.queries, s.width);
    const Matrix due = matrix_of(saved.owed, saved.owed_at, head, s.queries, s.width);
    bring_turned<ROWS, R_PITCH>(queries, q, first, n, s.depth);
    bring_turned<ROWS, R_PITCH>(owed, due, first, n, s.width);
    float sums[RR][CO] = {}, deltas[RR], logs[RR];
    #pragma unroll
    for (int r = 0; r < RR; ++r) {
      const index_t row = first + group * RR + r;
      float delta = 0.0f;
      if (row < s.queries)
        for (index_t d = lane; d < s.width; d += 16) delta += (float)wide(out.at[row * out.step + d]) * (float)wide(due.at[row * due.step + d]);
      deltas[r] = sum_of_row(delta);
      logs[r] = row < s.queries ? saved.logs[head * s.queries + row] : Limits<float>::highest();
      if (lane == 0 && row < s.queries) saved.deltas[head * s.queries + row] = deltas[r];
    }
    const index_t seen = s.causal && first + n < s.keys ? first + n : s.keys;
    for (index_t from = 0; from < seen; from += TILE) {
      const index_t m = s.keys - from < TILE ? s.keys - from : TILE;
      bring_turned<TILE, C_PITCH>(buffer, k, from, m, s.depth);
      __syncthreads();
      float share[RR][CC], dp[RR][CC];
      products(share, queries, buffer);
      __syncthreads();
      bring_turned<TILE, C_PITCH>(buffer, v, from, m, s.width);
      __syncthreads();
      products(dp, owed, buffer);
      #pragma unroll 1
      for (int j = 0; j < CC; ++j) {
        const index_t column = lane * CC + j;
        #pragma unroll
        for (int r = 0; r < RR; ++r) {
          const index_t query = first + group * RR + r;
          float slope = 0.0f;
          if (column < m && query < s.queries) {
            const float score = masked(s, o, pick(share[r], j) * (float)options.scale, head, query, from + column);
            slope = exponential(score - logs[r]) * (pick(dp[r], j) * kept(s, options, stream, head, query, from + column) - deltas[r]);
          }
          put(share[r], j, slope);
        }
      }
      keep(slopes, share);
      __syncthreads();
      bring(buffer, k, from, m, s.depth);
      __syncthreads();
      add_product(sums, slopes, buffer);
      __syncthreads();
    }
    write(dq + (head * s.queries + first) * s.depth, sums, n, s.depth, (float)options.scale);
    __syncthreads();
  }
}

// The cotangents of keys and values, over all heads of queries that share them.
extern "C" __global__ void __launch_bounds__(128) attention_keys_by_tiles(Sizes s, Options options, Operands o, const T1* seed, Stream given,
                                                                         Saved saved, T0* dk, T0* dv) {
  __shared__ Pack<float, 4> turned_keys[MOST * R_PITCH / 4], turned_values[MOST * R_PITCH / 4], room[BUFFER / 4],
      turned_tile[TILE * R_PITCH / 4];
  float *keys = (float*)turned_keys, *values = (float*)turned_values, *buffer = (float*)room, *tile = (float*)turned_tile;
  const Stream stream = stream_of(seed, s.step, false, given);
  const index_t blocks = (s.keys + ROWS - 1) / ROWS, heads = s.heads / s.group;
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  for (index_t b = blockIdx.x; b < heads * blocks; b += gridDim.x) {
    const index_t own = b / blocks, first = b % blocks * ROWS;
    const index_t n = s.keys - first < ROWS ? s.keys - first : ROWS;
    bring_turned<ROWS, R_PITCH>(keys, matrix_of(o.k, o.k_at, own, s.keys, s.depth), first, n, s.depth);
    bring_turned<ROWS, R_PITCH>(values, matrix_of(o.v, o.v_at, own, s.keys, s.width), first, n, s.width);
    float of_keys[RR][CO] = {}, of_values[RR][CO] = {};
    for (index_t head = own * s.group; head < (own + 1) * s.group; ++head) {
      const Matrix q = matrix_of(o.q, o.q_at, head, s.queries, s.depth);
      const Matrix due = matrix_of(saved.owed, saved.owed_at, head, s.queries, s.width);
      for (index_t from = s.causal ? first / TILE * TILE : 0; from < s.queries; from += TILE) {
        const index_t m = s.queries - from < TILE ? s.queries - from : TILE;
        float share[RR][CC], dp[RR][CC];
        bring_turned<TILE, C_PITCH>(buffer, q, from, m, s.depth);
        __syncthreads();
        products(share, keys, buffer);
        __syncthreads();
        bring_turned<TILE, C_PITCH>(buffer, due, from, m, s.width);
        __syncthreads();
        products(dp, values, buffer);
        #pragma unroll 1
        for (int j = 0; j < CC; ++j) {
          const index_t column = lane * CC + j, query = from + column, row = head * s.queries + query;
          const bool known = column < m;
          const float total = known ? saved.logs[row] : Limits<float>::highest(), delta = known ? saved.deltas[row] : 0.0f;
          #pragma unroll
          for (int r = 0; r < RR; ++r) {
            const index_t key = first + group * RR + r;
            float used = 0.0f, slope = 0.0f;
            if (known && key < s.keys) {
              const float factor = kept(s, options, stream, head, query, key);
              const float p = exponential(masked(s, o, pick(share[r], j) * (float)options.scale, head, query, key) - total);
              used = p * factor, slope = p * (pick(dp[r], j) * factor - delta);
            }
            put(share[r], j, used);
            put(dp[r], j, slope);
          }
        }
        keep(tile, share);
        __syncthreads();
        bring(buffer, due, from, m, s.width);
        __syncthreads();
        add_product(of_values, tile, buffer);
        __syncthreads();
        keep(tile, dp);
        bring(buffer, q, from, m, s.depth);
        __syncthreads();
        add_product(of_keys, tile, buffer);
        __syncthreads();
      }
    }
    write(dk + (own * s.keys + first) * s.depth, of_keys, n, s.depth, (float)options.scale);
    write(dv + (own * s.keys + first) * s.width, of_values, n, s.width, 1.0f);
    __syncthreads();
  }
}
