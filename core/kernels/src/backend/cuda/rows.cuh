// Rows that lie one after the other, each worked on by LANES threads: eight, a warp, or a block of 256 or 512.
// LANES and AT_ONCE come first. Softmax, its logarithm, the cross entropies and their gradients are made of it. `T0` lies in
// memory and may have 16 bits; all is computed in A0.

// Elements of a row that each thread keeps in registers. EACH neighbours are loaded and stored at once.
enum { KEPT = (LANES == 32 ? 128 : 64) / sizeof(A0), EACH = AT_ONCE ? 16 / sizeof(T0) : 1 };

// The threads of a block: a promise, without which the compiler might give each of 512 too many registers. A block at a time is enough:
// to fit more of them the compiler would keep numbers in memory.
#if LANES > 256
#define BLOCK LANES
#else
#define BLOCK 256
#endif

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
  __shared__ A0 warps[BLOCK / 32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  #pragma unroll
  for (int i = 1; i < BLOCK / 32; ++i) x = Combine::of(x, warps[i]);
  // The next sum writes where this one is read.
  __syncthreads();
  return x;
}

// The rows of this thread's group.
#define ROWS(row, rows)                                                                                     \
  for (index_t row = blockIdx.x * (index_t)(BLOCK / LANES) + threadIdx.x / LANES; row < (rows);               \
       row += gridDim.x * (index_t)(BLOCK / LANES))

// How many elements lie between the 16 bytes that a row begins in and its first element: those of a row of any length begin so. All
// rows that are walked together have one length, and tensors that begin at whole 16 bytes, if AT_ONCE.
__device__ inline int lead(const T0* row) { return EACH == 1 ? 0 : (int)((unsigned long long)row % 16 / sizeof(T0)); }

// Calls `kept(k, i)` for the elements of a row from i on that stay in registers from number k on, and `far(i)` for those behind. The
// first i may lie before the row, and the last neighbours behind it.
template <class Kept, class Far> __device__ inline void walk(const T0* row, index_t n, Kept kept, Far far) {
  const int first = (int)(threadIdx.x % LANES * EACH) - lead(row);
  #pragma unroll
  for (int k = 0; k < KEPT; k += EACH) {
    const int i = k * LANES + first;
    if (i < n) kept(k, i);
  }
  #pragma unroll 1
  for (index_t i = KEPT * LANES + first; i < n; i += LANES * EACH) far(i);
}

// Those of the neighbours from i on that are elements of the row.
#define NEIGHBOURS(e, i, n)                         \
  _Pragma("unroll") for (int e = 0; e < EACH; ++e)  \
    if (EACH == 1 || ((i) + e >= 0 && (i) + e < (n)))

// Neighbours of a row from memory, and what `f(e)` gives for each of them to it.
struct Some { A0 of[EACH]; };
__device__ inline Some load(const T0* row, index_t i, index_t n) {
  Some some;
  if (i >= 0 && i + EACH <= n) {
    const Pack<T0, EACH> all = *(const Pack<T0, EACH>*)(row + i);
    #pragma unroll
    for (int e = 0; e < EACH; ++e) some.of[e] = wide(all.of[e]);
  } else {
    NEIGHBOURS(e, i, n) some.of[e] = wide(row[i + e]);
  }
  return some;
}
template <class F> __device__ inline void store(T0* row, index_t i, index_t n, F f) {
  if (i >= 0 && i + EACH <= n) {
    Pack<T0, EACH> all;
    #pragma unroll
    for (int e = 0; e < EACH; ++e) all.of[e] = narrow<T0>(f(e));
    *(Pack<T0, EACH>*)(row + i) = all;
  } else {
    NEIGHBOURS(e, i, n) row[i + e] = narrow<T0>(f(e));
  }
}

// The greatest of a row, and the sum of the exponentials of what each element is below it; `x` holds those differences. Elements
// that are not kept are read once: their sum follows the greatest so far (Milakov and Gimelshein, 2018).
__device__ inline A0 exponentials(index_t n, const T0* from, A0* x, A0& top) {
  A0 mine = Limits<A0>::lowest(), far = 0;
  top = mine;
  walk(from, n,
       [&](int k, index_t i) {
         const Some some = load(from, i, n);
         NEIGHBOURS(e, i, n) top = Greatest::of(top, x[k + e] = some.of[e]);
       },
       [&](index_t i) {
         const Some some = load(from, i, n);
         A0 higher = mine;
         NEIGHBOURS(e, i, n) higher = Greatest::of(higher, some.of[e]);
         if (higher > mine) far *= exponential(mine - higher);
         mine = higher;
         // Nothing is below the lowest: what is -inf adds nothing then, and NaN stays one.
         const A0 from_here = mine > Limits<A0>::lowest() ? mine : (A0)0;
         NEIGHBOURS(e, i, n) far += exponential(some.of[e] - from_here);
       });
  top = all<Greatest>(Greatest::of(top, mine));
  A0 sum = far == 0 ? (A0)0 : far * exponential(mine - top);
  walk(from, n, [&](int k, index_t i) { NEIGHBOURS(e, i, n) sum += exponential(x[k + e] = x[k + e] - top); }, [](index_t) {});
  return all<Sum>(sum);
}
