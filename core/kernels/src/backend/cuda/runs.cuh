// Products by tiles for convolutions, behind sums.cuh: a block of 256 threads makes ROWS x WIDTH results, each thread 4 x 4 of
// them, 16 steps at a time through shared memory, while the next 16 are on their way. A thread brings factors of one row, and of
// one column, for steps that follow each other: what depends on the row alone is computed once. WIDTH, 16, 32 or 64, and TENSOR
// come first; with TENSOR factors are rounded to TF32, and each warp makes 32 x 16 results by tensor.cuh.

enum { ROWS = 4096 / WIDTH, DEPTH = 16, LEFTS = ROWS / 16, RIGHTS = WIDTH / 16 };

// The row and the column of a tile whose factors this thread brings, and the first of their steps in a slice.
__device__ inline int left_row() { return threadIdx.x % ROWS; }
__device__ inline int right_column() { return threadIdx.x % WIDTH; }

// Rows of slices are padded so that the threads of a warp read from all banks.
enum { PADDING = TENSOR ? 2 : 1 };
struct Slice { Pack<A0, 4> lefts[DEPTH][ROWS / 4 + PADDING], rights[DEPTH][WIDTH / 4 + PADDING]; };

#if TENSOR
__device__ inline A0 factor(A0 x) { return rounded(x); }
// The first row and column of this thread's warp.
__device__ inline int warp_row() { return threadIdx.x / 32 / (WIDTH / 16) * 32; }
__device__ inline int warp_column() { return threadIdx.x / 32 % (WIDTH / 16) * 16; }

// Sums of a thread: for each of two times 16 rows, for each of two times 8 columns, four.
__device__ inline void multiply_slice(const Slice& slice, Sums& sums) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  #pragma unroll
  for (int k = 0; k < DEPTH; k += 8) {
    const A0 *near = (const A0*)slice.lefts[k + t], *far = (const A0*)slice.lefts[k + t + 4];
    const A0 *above = (const A0*)slice.rights[k + t], *below = (const A0*)slice.rights[k + t + 4];
    A0 a[2][4], b[2][2];
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = warp_row() + 16 * i + g, column = warp_column() + 8 * i + g;
      a[i][0] = near[row], a[i][1] = near[row + 8], a[i][2] = far[row], a[i][3] = far[row + 8];
      b[i][0] = above[column], b[i][1] = below[column];
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i) multiply_by_warp(sums.of[i], a[i / 2], b[i % 2]);
  }
}
#else
__device__ inline A0 factor(A0 x) { return x; }

__device__ inline void multiply_slice(const Slice& slice, Sums& sums) {
  const int x = threadIdx.x % (WIDTH / 4), y = threadIdx.x / (WIDTH / 4);
  #pragma unroll
  for (int k = 0; k < DEPTH; ++k) {
    const Pack<A0, 4> a = slice.lefts[k][y], b = slice.rights[k][x];
    #pragma unroll
    for (int i = 0; i < 16; ++i) sums.of[i / 4][i % 4] = fused(a.of[i / 4], b.of[i % 4], sums.of[i / 4][i % 4]);
  }
}
#endif

// Adds the products of steps begin..end: `left(k, to)` and `right(k, to)` bring LEFTS and RIGHTS factors from step k on; those of
// steps behind `end` are 0.
template <class Left, class Right>
__device__ inline void multiply(index_t begin, index_t end, Left left, Right right, Sums& sums) {
  if (begin >= end) return;
  __shared__ Slice slice;
  const int left_step = threadIdx.x / ROWS * LEFTS, right_step = threadIdx.x / WIDTH * RIGHTS;
  A0 next_left[LEFTS], next_right[RIGHTS];
  left(begin + left_step, next_left);
  right(begin + right_step, next_right);
  for (index_t first = begin; first < end; first += DEPTH) {
    #pragma unroll
    for (int j = 0; j < LEFTS; ++j) ((A0*)slice.lefts[left_step + j])[left_row()] = factor(next_left[j]);
    #pragma unroll
    for (int j = 0; j < RIGHTS; ++j) ((A0*)slice.rights[right_step + j])[right_column()] = factor(next_right[j]);
    __syncthreads();
    if (first + DEPTH < end) {
      left(first + DEPTH + left_step, next_left);
      right(first + DEPTH + right_step, next_right);
    }
    // The warp multiplies as one; loads may have led its threads apart.
    if (TENSOR) __syncwarp();
    multiply_slice(slice, sums);
    __syncthreads();
  }
}

// Stores neighbours of a row from column `x` on; `to` is the row from the tile on.
template <int N> __device__ inline void store_row(T1* to, int x, index_t columns, const A0* sums) {
  const int bytes = N * sizeof(T1) > 16 ? 16 : N * sizeof(T1);
  if (x + N <= columns && (unsigned long long)(to + x) % bytes == 0) {
    Pack<T1, N> all;
    #pragma unroll
    for (int j = 0; j < N; ++j) all.of[j] = narrow<T1>(sums[j]);
    *(Pack<T1, N>*)(to + x) = all;
  } else {
    #pragma unroll
    for (int j = 0; j < N; ++j)
      if (x + j < columns) to[x + j] = narrow<T1>(sums[j]);
  }
}

// Stores this thread's results: `to_row(row)` says where a row of the tile begins, or null for one that is left out. `rows` and
// `columns` are those of the matrix from the tile on.
template <class F>
__device__ inline void results(const Sums& sums, index_t rows, index_t columns, F to_row) {
#if TENSOR
  const int x = warp_column() + threadIdx.x % 4 * 2, y = warp_row() + threadIdx.x % 32 / 4;
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    // Eight rows each: two of the first sixteen, two of the next.
    if (y + 8 * i >= rows) continue;
    T1* to = to_row(y + 8 * i);
    if (!to) continue;
    store_row<2>(to, x, columns, sums.of[i / 2 * 2] + i % 2 * 2);
    store_row<2>(to, x + 8, columns, sums.of[i / 2 * 2 + 1] + i % 2 * 2);
  }
#else
  const int x = threadIdx.x % (WIDTH / 4) * 4, y = threadIdx.x / (WIDTH / 4) * 4;
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (y + i >= rows) continue;
    T1* to = to_row(y + i);
    if (to) store_row<4>(to, x, columns, sums.of[i]);
  }
#endif
}

// The tile and the part of the steps that a block has; neighbouring blocks share rows.
struct Task { index_t row, column, part, batch; };
__device__ inline Task task(index_t rows, index_t columns, index_t parts) {
  const unsigned across = (unsigned)((columns + WIDTH - 1) / WIDTH);
  const unsigned down = (unsigned)((rows + ROWS - 1) / ROWS);
  unsigned b = blockIdx.x;
  Task t;
  t.column = (index_t)(b % across) * WIDTH;
  b /= across;
  t.row = (index_t)(b % down) * ROWS;
  b /= down;
  t.part = b % (unsigned)parts;
  t.batch = b / (unsigned)parts;
  return t;
}

// Neighbours in memory as factors, four at a time where `aligned` says that they may be.
template <int N> __device__ inline void neighbours(const T0* from, bool aligned, A0* to) {
  if (N % 4 == 0 && aligned) {
    #pragma unroll
    for (int j = 0; j < N; j += 4) {
      const Pack<T0, 4> four = *(const Pack<T0, 4>*)(from + j);
      #pragma unroll
      for (int k = 0; k < 4; ++k)
        if (j + k < N) to[j + k] = (A0)wide(four.of[k]);
    }
  } else {
    #pragma unroll
    for (int j = 0; j < N; ++j) to[j] = (A0)wide(from[j]);
  }
}
template <int N> __device__ inline void nothing(A0* to) {
  #pragma unroll
  for (int j = 0; j < N; ++j) to[j] = (A0)0;
}
// Whether vectors of four begin at each multiple of `n` elements from here on.
__device__ inline bool fours(const T0* from, index_t n) {
  return n % 4 == 0 && (unsigned long long)from % (4 * sizeof(T0) > 16 ? 16 : 4 * sizeof(T0)) == 0;
}
