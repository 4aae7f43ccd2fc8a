// Attention by blocks and its gradient for any operands, behind pairs.cuh: a block of threads takes ROWS queries (or keys) past all keys (or
// queries), TILE at a time, and keeps scores in shared memory alone.

enum { ROWS = 16, TILE = 32, AT_WORK = 128 };

__device__ inline const T0* row_of(const T0* all, const Strided& at, index_t row, index_t width) {
  return width == 0 ? all : all + place(at, row * width);
}
__device__ inline index_t step_of(const Strided& at) { return at.strides[at.rank - 1]; }

__device__ inline A0 dot(const T0* a, index_t a_step, const T0* b, index_t b_step, index_t n) {
  A0 sum = 0;
  for (index_t i = 0; i < n; ++i) sum += (A0)wide(a[i * a_step]) * (A0)wide(b[i * b_step]);
  return sum;
}

__device__ inline A0 score(const Sizes& s, const Operands& o, A0 scale, index_t head, index_t query, index_t key) {
  const T0* a = row_of(o.q, o.q_at, head * s.queries + query, s.depth);
  const T0* b = row_of(o.k, o.k_at, head / s.group * s.keys + key, s.depth);
  return masked(s, o, dot(a, step_of(o.q_at), b, step_of(o.k_at), s.depth) * scale, head, query, key);
}

#define INDICES(i, count) for (index_t i = threadIdx.x; i < (count); i += AT_WORK)

extern "C" __global__ void __launch_bounds__(128) attention(Sizes s, Options options, Operands o, const T1* seed, Stream given,
                                                                T0* out, A0* logs, A0* sums) {
  __shared__ A0 scores[ROWS][TILE + 1], top[ROWS], total[ROWS], shrink[ROWS];
  const Stream stream = stream_of(seed, s.step, false, given);
  const index_t blocks = (s.queries + ROWS - 1) / ROWS;
  for (index_t b = blockIdx.x; b < s.heads * blocks; b += gridDim.x) {
    const index_t head = b / blocks, first = b % blocks * ROWS;
    const index_t n = s.queries - first < ROWS ? s.queries - first : ROWS;
    A0* sum = sums + (head * s.queries + first) * s.width;
    INDICES(e, n * s.width) sum[e] = 0;
    if (threadIdx.x < ROWS) top[threadIdx.x] = Limits<A0>::lowest(), total[threadIdx.x] = 0;
    __syncthreads();
    const index_t seen = s.causal && first + n < s.keys ? first + n : s.keys;
    for (index_t from = 0; from < seen; from += TILE) {
      const index_t m = s.keys - from < TILE ? s.keys - from : TILE;
      INDICES(e, n * m) scores[e / m][e % m] = score(s, o, (A0)options.scale, head, first + e / m, from + e % m);
      __syncthreads();
      if (threadIdx.x < n) {
        const int r = threadIdx.x;
        A0 best = top[r], all = 0;
        for (index_t j = 0; j < m; ++j) best = scores[r][j] > best ? scores[r][j] : best;
        const A0 base = best > Limits<A0>::lowest() ? best : (A0)0;
        for (index_t j = 0; j < m; ++j) {
          const A0 p = exponential(scores[r][j] - base);
          all += p;
          scores[r][j] = p * kept(s, options, stream, head, first + r, from + j);
        }
        shrink[r] = exponential(top[r] - base);
        total[r] = total[r] * shrink[r] + all;
        top[r] = best;
      }
      __syncthreads();
      INDICES(e, n * s.width) {
        const index_t r = e / s.width, d = e % s.width;
        A0 more = sum[e] * shrink[r];
        for (index_t j = 0; j < m; ++j) {
          const T0* v = row_of(o.v, o.v_at, head / s.group * s.keys + from + j, s.width);
          more += scores[r][j] * (A0)wide(v[d * step_of(o.v_at)]);
        }
        sum[e] = more;
      }
      __syncthreads();
    }
    T0* to = out + (head * s.queries + first) * s.width;
    INDICES(e, n * s.width) {
      const index_t r = e / s.width;
      to[e] = narrow<T0>(top[r] == Limits<A0>::lowest() ? (A0)0 : sum[e] / total[r]);
    }
    if (threadIdx.x < n) {
      const int r = threadIdx.x;
      const bool hidden = top[r] == Limits<A0>::lowest();
      logs[head * s.queries + first + r] = hidden ? Limits<A0>::highest() : top[r] + logarithm(total[r]);
    }
    __syncthreads();
  }
}

// The probability of a pair, and the cotangent of its score; `used` is the probability unless it is dropped.
struct Slope { A0 used, slope; };
__device__ inline Slope slope(const Sizes& s, const Options& options, const Operands& o, const Saved& saved, const Stream& stream,
                              index_t head, index_t query, index_t key) {
  const index_t row = head * s.queries + query;
  const A0 p = exponential(score(s, o, (A0)options.scale, head, query, key) - saved.logs[row]);
  const A0 factor = kept(s, options, stream, head, query, key);
  const T0* owed = row_of(saved.owed, saved.owed_at, row, s.width);
  const T0* v = row_of(o.v, o.v_at, head / s.group * s.keys + key, s.width);
  const A0 dp = dot(owed, step_of(saved.owed_at), v, step_of(o.v_at), s.width) * factor;
  return Slope{p * factor, p * (dp - saved.deltas[row])};
}

// The cotangents of queries; `deltas` are left for the kernel below.
extern "C" __global__ void __launch_bounds__(128) attention_queries(Sizes s, Options options, Operands o, const T1* seed, Stream given,
                                                                        Saved saved, T0* dq, A0* sums) {
  __shared__ A0 slopes[ROWS][TILE + 1];
  const Stream stream = stream_of(seed, s.step, false, given);
  const index_t blocks = (s.queries + ROWS - 1) / ROWS;
  for (index_t b = blockIdx.x; b < s.heads * blocks; b += gridDim.x) {
    const index_t head = b / blocks, first = b % blocks * ROWS;
    const index_t n = s.queries - first < ROWS ? s.queries - first : ROWS;
    A0* sum = sums + (head * s.queries + first) * s.depth;
    INDICES(e, n * s.depth) sum[e] = 0;
    if (threadIdx.x < n) {
      const index_t row = head * s.queries + first + threadIdx.x;
      saved.deltas[row] = dot(row_of(saved.out, saved.out_at, row, s.width), step_of(saved.out_at),
                              row_of(saved.owed, saved.owed_at, row, s.width), step_of(saved.owed_at), s.width);
    }
    __syncthreads();
    const index_t seen = s.causal && first + n < s.keys ? first + n : s.keys;
    for (index_t from = 0; from < seen; from += TILE) {
      const index_t m = s.keys - from < TILE ? s.keys - from : TILE;
      INDICES(e, n * m) slopes[e / m][e % m] = slope(s, options, o, saved, stream, head, first + e / m, from + e % m).slope;
      __syncthreads();
      INDICES(e, n * s.depth) {
        const index_t r = e / s.depth, d = e % s.depth;
        A0 more = sum[e];
        for (index_t j = 0; j < m; ++j) {
          const T0* k = row_of(o.k, o.k_at, head / s.group * s.keys + from + j, s.depth);
          more += slopes[r][j] * (A0)wide(k[d * step_of(o.k_at)]);
        }
        sum[e] = more;
      }
      __syncthreads();
    }
    INDICES(e, n * s.depth) dq[(head * s.queries + first) * s.depth + e] = narrow<T0>(sum[e] * (A0)options.scale);
    __syncthreads();
  }
}

// The cotangents of keys and values, over all heads of queries that share them.
extern "C" __global__ void __launch_bounds__(128) attention_keys(Sizes s, Options options, Operands o, const T1* seed, Stream given,
                                                                     Saved saved, T0* dk, T0* dv, A0* sums) {
  __shared__ A0 slopes[ROWS][TILE + 1], used[ROWS][TILE + 1];
  const Stream stream = stream_of(seed, s.step, false, given);
  const index_t blocks = (s.keys + ROWS - 1) / ROWS, heads = s.heads / s.group;
  for (index_t b = blockIdx.x; b < heads * blocks; b += gridDim.x) {
    const index_t own = b / blocks, first = b % blocks * ROWS;
    const index_t n = s.keys - first < ROWS ? s.keys - first : ROWS;
    A0* keys = sums + (own * s.keys + first) * s.depth;
    A0* values = sums + heads * s.keys * s.depth + (own * s.keys + first) * s.width;
    INDICES(e, n * s.depth) keys[e] = 0;
    INDICES(e, n * s.width) values[e] = 0;
    for (index_t head = own * s.group; head < (own + 1) * s.group; ++head) {
      for (index_t from = s.causal ? first / TILE * TILE : 0; from < s.queries; from += TILE) {
        const index_t m = s.queries - from < TILE ? s.queries - from : TILE;
        INDICES(e, n * m) {
          const Slope both = slope(s, options, o, saved, stream, head, from + e % m, first + e / m);
          slopes[e / m][e % m] = both.slope;
          used[e / m][e % m] = both.used;
        }
        __syncthreads();
        INDICES(e, n * s.depth) {
          const index_t r = e / s.depth, d = e % s.depth;
          A0 more = keys[e];
          for (index_t j = 0; j < m; ++j) {
            const T0* q = row_of(o.q, o.q_at, head * s.queries + from + j, s.depth);
            more += slopes[r][j] * (A0)wide(q[d * step_of(o.q_at)]);
          }
          keys[e] = more;
        }
        INDICES(e, n * s.width) {
          const index_t r = e / s.width, d = e % s.width;
          A0 more = values[e];
          for (index_t j = 0; j < m; ++j) {
            const T0* owed = row_of(saved.owed, saved.owed_at, head * s.queries + from + j, s.width);
            more += used[r][j] * (A0)wide(owed[d * step_of(saved.owed_at)]);
          }
          values[e] = more;
        }
        __syncthreads();
      }
    }
    INDICES(e, n * s.depth) dk[(own * s.keys + first) * s.depth + e] = narrow<T0>(keys[e] * (A0)options.scale);
    INDICES(e, n * s.width) dv[(own * s.keys + first) * s.width + e] = narrow<T0>(values[e]);
    __syncthreads();
  }
}
