// Rows that lie one after the other, each worked on by LANES threads: eight, a warp, or a block of 256.
// LANES and AT_ONCE come first. Softmax, its logarithm, the cross entropies and their gradients are made of it. `T0` lies in
// memory and may have 16 bits; all is computed in A0.

// Elements of a row that each thread keeps in registers: 64 bytes of them. EACH neighbours are loaded and stored at once.
enum { KEPT = 64 / sizeof(A0), EACH = AT_ONCE ? 16 / sizeof(T0) : 1 };

__device__ inline float exponential(float x) { return expf(x); }
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float logarithm(float x) { return logf(x); }
__device__ inline double logarithm(double x) { return log(x); }

struct Sum { __device__ static A0 of(A0 a, A0 b) { return a + b; } };
// NaN is passed over: it comes out again where the exponentials are added up.
struct Greatest { __device__ static A0 of(A0 a, A0 b) { return b > a ? b : a; } };

// What all threads of a row have, combined; each of them gets the answer.
template <class Combine> __device__ inline A0 all(A0 x) {
  enum { WITHIN = LANES < 32 ? LANES : 32 };
  // Groups of fewer threads than a warp may have no row left while others have.
  const unsigned group = 0xffffffffu >> (32 - WITHIN) << (threadIdx.x % 32 / WITHIN * WITHIN);
  #pragma unroll
  for (int step = WITHIN / 2; step > 0; step /= 2) x = Combine::of(x, __shfl_xor_sync(group, x, step));
  if (LANES <= 32) return x;
  __shared__ A0 warps[8];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  #pragma unroll
  for (int i = 1; i < 8; ++i) x = Combine::of(x, warps[i]);
  // The next sum writes where this one is read.
  __syncthreads();
  return x;
}

// The rows of this thread's group.
#define ROWS(row, rows)                                                                                     \
  for (index_t row = blockIdx.x * (index_t)(256 / LANES) + threadIdx.x / LANES; row < (rows);               \
       row += gridDim.x * (index_t)(256 / LANES))

// Calls `kept(k, i)` for the elements from i on that stay in registers from number k on, and `far(i)` for those behind.
template <class Kept, class Far> __device__ inline void walk(index_t n, Kept kept, Far far) {
  const int rank = threadIdx.x % LANES;
  #pragma unroll
  for (int k = 0; k < KEPT; k += EACH) {
    const int i = k * LANES + rank * EACH;
    if (i < n) kept(k, i);
  }
  for (index_t i = KEPT * LANES + rank * EACH; i < n; i += LANES * EACH) far(i);
}

// Neighbours from memory, and to it.
struct Some { A0 of[EACH]; };
__device__ inline Some load(const T0* from) {
  const Pack<T0, EACH> all = *(const Pack<T0, EACH>*)from;
  Some some;
  #pragma unroll
  for (int e = 0; e < EACH; ++e) some.of[e] = wide(all.of[e]);
  return some;
}
// Stores what `f(e)` gives for each neighbour.
template <class F> __device__ inline void store(T0* to, F f) {
  Pack<T0, EACH> all;
  #pragma unroll
  for (int e = 0; e < EACH; ++e) all.of[e] = narrow<T0>(f(e));
  *(Pack<T0, EACH>*)to = all;
}
#define NEIGHBOURS(e) _Pragma("unroll") for (int e = 0; e < EACH; ++e)

// The greatest of a row, and the sum of the exponentials of what each element is below it; `x` holds those differences.
__device__ inline A0 exponentials(index_t n, const T0* from, A0* x, A0& top) {
  top = Limits<A0>::lowest();
  walk(n,
       [&](int k, index_t i) {
         const Some some = load(from + i);
         NEIGHBOURS(e) top = Greatest::of(top, x[k + e] = some.of[e]);
       },
       [&](index_t i) {
         const Some some = load(from + i);
         NEIGHBOURS(e) top = Greatest::of(top, some.of[e]);
       });
  top = all<Greatest>(top);
  A0 sum = 0;
  walk(n, [&](int k, index_t) { NEIGHBOURS(e) sum += exponential(x[k + e] = x[k + e] - top); },
       [&](index_t i) {
         const Some some = load(from + i);
         NEIGHBOURS(e) sum += exponential(some.of[e] - top);
       });
  return all<Sum>(sum);
}
