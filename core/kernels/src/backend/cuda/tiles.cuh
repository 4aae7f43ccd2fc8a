// Products by tiles, behind sums.cuh: a block of 256 threads makes 64 x 64 results, each thread 4 x 4 of them, 16 steps at a time through
// shared memory, while the next 16 are on their way. `T0` are the factors, and sums are kept in A0.

enum { TILE = 64, DEPTH = 16 };

// Where this thread's piece `j` of 4 lies in a slice of 64 x 16: with BY_K neighbouring threads take neighbouring steps,
// else neighbouring rows (or columns), as the factor lies in memory.
template <bool BY_K> __device__ inline int step_of(int j) {
  return BY_K ? threadIdx.x % DEPTH : threadIdx.x / TILE + 4 * j;
}
template <bool BY_K> __device__ inline int line_of(int j) {
  return BY_K ? threadIdx.x / DEPTH + 16 * j : threadIdx.x % TILE;
}

// Adds the products of steps begin..end: `left(j, row, k)` and `right(j, column, k)` give the factors of this tile. Pieces
// `j` of a thread keep their lines, so that what depends on those alone can be computed before.
template <bool LEFT_BY_K, bool RIGHT_BY_K, class Left, class Right>
__device__ inline void multiply(index_t begin, index_t end, Left left, Right right, Sums& sums) {
  __shared__ Pack<A0, 4> lefts[DEPTH][TILE / 4 + 1], rights[DEPTH][TILE / 4 + 1];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  A0 next_left[4], next_right[4];
  auto load = [&](index_t first) {
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
      const index_t k = first + step_of<LEFT_BY_K>(j), l = first + step_of<RIGHT_BY_K>(j);
      next_left[j] = k < end ? left(j, line_of<LEFT_BY_K>(j), k) : (A0)0;
      next_right[j] = l < end ? right(j, line_of<RIGHT_BY_K>(j), l) : (A0)0;
    }
  };
  load(begin);
  for (index_t first = begin; first < end; first += DEPTH) {
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
      ((A0*)&lefts[step_of<LEFT_BY_K>(j)])[line_of<LEFT_BY_K>(j)] = next_left[j];
      ((A0*)&rights[step_of<RIGHT_BY_K>(j)])[line_of<RIGHT_BY_K>(j)] = next_right[j];
    }
    __syncthreads();
    load(first + DEPTH);
    #pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      const Pack<A0, 4> a = lefts[k][y], b = rights[k][x];
      #pragma unroll
      for (int i = 0; i < 16; ++i) sums.of[i / 4][i % 4] = fused(a.of[i / 4], b.of[i % 4], sums.of[i / 4][i % 4]);
    }
    __syncthreads();
  }
}

// Calls `f(row, column, sum)` for this thread's results.
template <class F> __device__ inline void results(const Sums& sums, F f) {
  #pragma unroll
  for (int i = 0; i < 16; ++i) f(threadIdx.x / 16 * 4 + i / 4, threadIdx.x % 16 * 4 + i % 4, sums.of[i / 4][i % 4]);
}

// The tile and the part of the steps that a block has; neighbouring blocks share rows.
struct Task { index_t row, column, part, batch; };
__device__ inline Task task(index_t rows, index_t columns, index_t parts) {
  const index_t across = (columns + TILE - 1) / TILE, down = (rows + TILE - 1) / TILE;
  index_t b = blockIdx.x;
  Task t;
  t.column = b % across * TILE;
  b /= across;
  t.row = b % down * TILE;
  b /= down;
  t.part = b % parts;
  t.batch = b / parts;
  return t;
}
