// What the kernels of attention are told, and what a pair of a query and a key comes to, behind philox.cuh. `T0` are the operands, `T1` the
// seed, `T2` the mask; all is computed in A0.

struct Sizes { index_t heads, group, queries, keys, depth, width, causal, masked, drops, step; };
struct Options { double scale, rate; };

// Operands with the strides of their views, and what tells one pair of a query and a key from others.
struct Operands {
  Strided q_at, k_at, v_at, mask_at;
  const T0 *q, *k, *v;
  const T2* mask;
};

__device__ inline A0 added(truth x) { return x.byte ? (A0)0 : Limits<A0>::lowest(); }
template <class T> __device__ inline A0 added(T x) { return (A0)wide(x); }

// The score of a pair whose scaled product is known.
__device__ inline A0 masked(const Sizes& s, const Operands& o, A0 product, index_t head, index_t query, index_t key) {
  if (s.causal && key > query) return Limits<A0>::lowest();
  if (s.masked) product += added(o.mask[place(o.mask_at, (head * s.queries + query) * s.keys + key)]);
  return product;
}

// 0 where the probability of a pair is dropped, else what makes up for those that are.
__device__ inline A0 kept(const Sizes& s, const Options& options, const Stream& stream, index_t head, index_t query, index_t key) {
  if (!s.drops) return 1;
  const unsigned long long pair = (unsigned long long)((head * s.queries + query) * s.keys + key);
  const unsigned word = words_at(ahead(stream, pair / 4)).of[pair % 4];
  return unit(word) >= (float)options.rate ? (A0)(1 / (1 - options.rate)) : (A0)0;
}

__device__ inline A0 exponential(float x) { return expf(x); }
__device__ inline A0 exponential(double x) { return exp(x); }
__device__ inline A0 logarithm(float x) { return logf(x); }
__device__ inline A0 logarithm(double x) { return log(x); }

// What the gradient reads beside the operands.
struct Saved {
  Strided out_at, owed_at;
  const T0 *out, *owed;
  const A0* logs;
  A0* deltas;
};
