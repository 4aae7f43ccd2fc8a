// Folds of a strided view: `T0` are the elements, `T1` what is written, `A1` what is added up. COMBINE and IDENTITY come first, and
// WAY, which says how: 0, by rows; 1 and 2, by columns, whose elements are taken one by one or 16 bytes at a time; 3, by a thread each.

__device__ inline A1 taken(T0 x) { return Into<A1>::of(wide(x)); }

__device__ inline T1 given(A1 all, index_t divisor) {
  return narrow<T1>(divisor >= 0 ? DIVIDE(all, divisor) : all);
}

// Elements that are loaded at once.
enum { EACH = 16 / sizeof(T0) };

#if WAY == 0
// What `lanes` threads fold of elements that lie side by side, the first of them at a multiple of 16 bytes. Four loads are
// under way at a time, and neighbours have folds of their own, so that no addition waits for the one before it.
__device__ inline A1 folded_run(const T0* x, index_t count, int rank, int lanes) {
  A1 sums[EACH];
  #pragma unroll
  for (int k = 0; k < EACH; ++k) sums[k] = IDENTITY;
  const Pack<T0, EACH>* packs = (const Pack<T0, EACH>*)x;
  const index_t whole = count / EACH;
  index_t p = rank;
  for (; p + 3 * lanes < whole; p += 4 * lanes) {
    Pack<T0, EACH> four[4];
    #pragma unroll
    for (int j = 0; j < 4; ++j) four[j] = packs[p + j * lanes];
    #pragma unroll
    for (int j = 0; j < 4; ++j)
      #pragma unroll
      for (int k = 0; k < EACH; ++k) sums[k] = COMBINE(sums[k], taken(four[j].of[k]));
  }
  for (; p < whole; p += lanes) {
    const Pack<T0, EACH> one = packs[p];
    #pragma unroll
    for (int k = 0; k < EACH; ++k) sums[k] = COMBINE(sums[k], taken(one.of[k]));
  }
  for (index_t i = whole * EACH + rank; i < count; i += lanes) sums[0] = COMBINE(sums[0], taken(x[i]));
  #pragma unroll
  for (int k = 1; k < EACH; ++k) sums[0] = COMBINE(sums[0], sums[k]);
  return sums[0];
}

// A block, a warp, or `lanes` threads of one, per output and part of what it folds: `units` of them.
extern "C" __global__ void reduce_rows(const T0* x, Strided kept, Strided folded, index_t outputs, index_t length,
                                       index_t part, T1* y, index_t divisor, index_t units, int lanes) {
  const index_t unit = (index_t)blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  const int rank = threadIdx.x % lanes;
  A1 all = IDENTITY;
  if (unit < units) {
    const index_t output = unit % outputs, begin = unit / outputs * part;
    const index_t end = begin + part < length ? begin + part : length;
    const T0* row = x + place(kept, output);
    const int last = (int)folded.rank - 1;
    const index_t run = last >= 0 ? folded.dims[last] : 1;
    if (last >= 0 && last <= 1 && folded.strides[last] == 1 && (last == 0 || run >= 4 * lanes * EACH)) {
      // Run by run; what lies before a multiple of 16 bytes goes one by one.
      for (index_t i = begin; i < end;) {
        const index_t line = last == 0 ? 0 : i / run, stop = last == 0 || (line + 1) * run > end ? end : (line + 1) * run;
        const T0* from = row + (last == 0 ? i : line * folded.strides[0] + i - line * run);
        const index_t beside = ((16 - ((unsigned long long)from & 15)) & 15) / sizeof(T0);
        const index_t first = beside < stop - i ? beside : stop - i;
        if (rank < first) all = COMBINE(all, taken(from[rank]));
        const A1 others = folded_run(from + first, stop - i - first, rank, lanes);
        all = COMBINE(all, others);
        i = stop;
      }
    } else
      for (index_t i = begin + rank; i < end; i += lanes) all = COMBINE(all, taken(row[place(folded, i)]));
  }
  for (int step = lanes < 32 ? lanes / 2 : 16; step > 0; step /= 2) {
    const A1 other = (A1)__shfl_xor_sync(0xffffffffu, all, step);
    all = COMBINE(all, other);
  }
  if (lanes > 32) {
    __shared__ A1 warps[8];
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = all;
    __syncthreads();
    if (rank == 0)
      for (int i = 1; i < 8; ++i) all = COMBINE(all, warps[i]);
  }
  if (rank == 0 && unit < units) y[unit] = given(all, divisor);
}

#elif WAY < 3
enum { N = WAY == 2 ? EACH : 1 };

// What a thread folds of N neighbouring outputs: every `down`th of the elements from begin on.
__device__ inline void folded_beside(const T0* x, const Strided& folded, index_t begin, index_t end, int down, A1* sums) {
  if (folded.rank == 1) {
    const index_t step = folded.strides[0];
    const T0* at = x + begin * step;
    #pragma unroll 4
    for (index_t i = begin; i < end; i += down, at += down * step) {
      const Pack<T0, N> some = *(const Pack<T0, N>*)at;
      #pragma unroll
      for (int k = 0; k < N; ++k) sums[k] = COMBINE(sums[k], taken(some.of[k]));
    }
  } else {
    #pragma unroll 1
    for (index_t i = begin; i < end; i += down) {
      const Pack<T0, N> some = *(const Pack<T0, N>*)(x + place(folded, i));
      #pragma unroll
      for (int k = 0; k < N; ++k) sums[k] = COMBINE(sums[k], taken(some.of[k]));
    }
  }
}

// Outputs whose elements lie side by side: `across` times `down` threads for N `across` outputs and a part of what they fold.
// Threads of one column fold what they have in shared memory, in a tree.
extern "C" __global__ void reduce_columns(const T0* x, Strided kept, Strided folded, index_t outputs, index_t length,
                                          index_t part, T1* y, index_t divisor, index_t units, int across, int down) {
  __shared__ A1 all[256 * N];
  const index_t pieces = (outputs + N * across - 1) / (N * across);
  const int threads = across * down, mine = threadIdx.x % threads, beside = 256 / threads;
  const int column = mine % across, line = mine / across;
  for (index_t from = (index_t)blockIdx.x * beside; from < units; from += (index_t)gridDim.x * beside) {
    const index_t unit = from + threadIdx.x / threads, begin = unit / pieces * part;
    const index_t end = begin + part < length ? begin + part : length;
    const index_t output = (unit % pieces * across + column) * N;
    const bool there = unit < units && output < outputs;
    A1 sums[N];
    #pragma unroll
    for (int k = 0; k < N; ++k) sums[k] = IDENTITY;
    if (there) folded_beside(x + place(kept, output), folded, begin + line, end, down, sums);
    if (down > 1) {
      #pragma unroll
      for (int k = 0; k < N; ++k) all[k * 256 + threadIdx.x] = sums[k];
      __syncthreads();
      for (int step = down / 2; step > 0; step /= 2) {
        if (line < step) {
          #pragma unroll
          for (int k = 0; k < N; ++k) {
            const A1 other = all[k * 256 + threadIdx.x + step * across];
            sums[k] = COMBINE(sums[k], other);
            all[k * 256 + threadIdx.x] = sums[k];
          }
        }
        __syncthreads();
      }
    }
    if (there && line == 0) {
      #pragma unroll
      for (int k = 0; k < N; ++k) y[unit / pieces * outputs + output + k] = given(sums[k], divisor);
    }
  }
}

#else
// A thread per output and part of what it folds.
extern "C" __global__ void reduce_alone(index_t count, const T0* x, Strided kept, Strided folded, index_t outputs,
                                        index_t length, index_t part, T1* y, index_t divisor) {
  ELEMENTS(t, count) {
    const index_t output = t % outputs, begin = t / outputs * part;
    const index_t end = begin + part < length ? begin + part : length;
    const T0* column = x + place(kept, output);
    A1 all = IDENTITY;
    if (folded.rank == 1) {
      const index_t step = folded.strides[0];
      const T0* at = column + begin * step;
      #pragma unroll 8
      for (index_t i = begin; i < end; ++i, at += step) all = COMBINE(all, taken(*at));
    } else {
      for (index_t i = begin; i < end; ++i) all = COMBINE(all, taken(column[place(folded, i)]));
    }
    y[t] = given(all, divisor);
  }
}
#endif
