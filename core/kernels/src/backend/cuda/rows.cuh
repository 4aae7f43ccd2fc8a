// Rows that lie one after the other, each worked on by LANES threads: a part of a warp, a warp, or a block. Softmax, its logarithm, the
// cross entropies and their gradients are made of it; `rows.rs` chooses by the rows' length what LANES, KEPT_WORDS, FAR and PACKED are.

// `T0` lies in memory and may have 16 bits; all is computed in A0. A thread keeps KEPT elements of a row, 32-bit words of KEPT_WORDS; only
// FAR kernels see rows that have more. PACKED: 0 elements one by one, 1 neighbours in 16 bytes at once, 2 the same, and rows are whole.
enum { EACH = PACKED ? 16 / sizeof(T0) : 1, WORDS = KEPT_WORDS * 4 / sizeof(A0), KEPT = WORDS < EACH ? EACH : WORDS, PACKS = KEPT / EACH };

// The threads of a block, and how many blocks a multiprocessor should hold where `arrays` numbers are kept for each element; what its
// registers hold besides is an estimate, which keeps numbers out of memory. Without this promise the compiler takes more of them, and
// fewer loads are on their way.
#if LANES > 32
#define BLOCK LANES
#else
#define BLOCK 256
#endif
#define REGISTERS(arrays)                                                                                            \
  (((arrays) + (sizeof(A0) > 4 ? 1 : 0)) * KEPT * (int)sizeof(A0) / 4 + (PACKED == 2 ? 24 : 32) + (FAR ? 24 : 0) +   \
   (sizeof(A0) > 4 ? 48 : 0))
#define FITTING(registers) \
  ((registers) <= 32 ? 2048 : (registers) <= 40 ? 1536 : (registers) <= 64 ? 1024 : (registers) <= 80 ? 768 : (registers) <= 128 ? 512 : 256)
#define RESIDENT(arrays) (FITTING(REGISTERS(arrays)) < BLOCK ? 1 : FITTING(REGISTERS(arrays)) / BLOCK)

// The exponential of what is to be rounded to 16 bits needs no more than the device's own power of two: its error grows with the argument,
// and is less than a hundredth of such a rounding for all results that are not 0; what is below 2^-126 is 0 here.
#ifdef EAGERFLOW_EMULATED
__device__ inline float exponential(float x) { return expf(x); }
#else
__device__ inline float exponential(float x) {
  if (sizeof(T0) == sizeof(float)) return expf(x);
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
  return y;
}
#endif
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float logarithm(float x) { return logf(x); }
__device__ inline double logarithm(double x) { return log(x); }

struct Sum {
  __device__ static A0 of(A0 a, A0 b) { return a + b; }
  __device__ static A0 none() { return 0; }
};
// NaN is passed over: it comes out again where the exponentials are added up.
struct Greatest {
  __device__ static float of(float a, float b) { return fmaxf(a, b); }
  __device__ static double of(double a, double b) { return b > a ? b : a; }
  __device__ static A0 none() { return Limits<A0>::lowest(); }
};

// What all threads of a row have, combined; each of them gets the answer. A block writes in two places in turns: who writes in one again
// has passed the barrier of the other, before which all have read.
template <class Combine> __device__ inline A0 all(A0 x, int& turn) {
  enum { WITHIN = LANES < 32 ? LANES : 32 };
  // Groups of fewer threads than a warp may have no row left while others have.
  const unsigned group = 0xffffffffu >> (32 - WITHIN) << (threadIdx.x % 32 / WITHIN * WITHIN);
  #pragma unroll
  for (int step = WITHIN / 2; step > 0; step /= 2) x = Combine::of(x, __shfl_xor_sync(group, x, step));
  if (LANES <= 32) return x;
  __shared__ A0 warps[2][BLOCK / 32];
  if (threadIdx.x % 32 == 0) warps[turn][threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[turn][0];
  #pragma unroll
  for (int i = 1; i < BLOCK / 32; ++i) x = Combine::of(x, warps[turn][i]);
  turn ^= 1;
  return x;
}
// The same for kernels that keep no turn; one that does has no call of this.
template <class Combine> __device__ inline A0 all(A0 x) {
  int turn = 0;
  x = all<Combine>(x, turn);
  if (LANES > 32) __syncthreads();
  return x;
}

// The rows of this thread's group.
#define ROWS(row, rows)                                                                                     \
  for (index_t row = blockIdx.x * (index_t)(BLOCK / LANES) + threadIdx.x / LANES; row < (rows);               \
       row += gridDim.x * (index_t)(BLOCK / LANES))

// Neighbours that are loaded and stored at once.
typedef Pack<T0, EACH> Some;

// The first element of a row that is this thread's. Where rows are of any length they begin somewhere in 16 bytes, whose other elements
// belong to the row before: the first thread's neighbours may begin before the row, and the last ones end behind it.
__device__ inline int first_of(const T0* row) {
  return (int)(threadIdx.x % LANES * EACH) - (PACKED == 1 ? (int)((unsigned long long)row % 16 / sizeof(T0)) : 0);
}

// Neighbours of a row from memory, with something else for those outside of it, and what `f(e)` gives for each of them to memory.
template <class I> __device__ inline Some load(const T0* row, I i, I n, T0 outside) {
  Some some;
  #pragma unroll
  for (int e = 0; e < EACH; ++e) some.of[e] = outside;
  if (PACKED != 1) {
    if (i < n) some = *(const Some*)(row + i);
  } else if (i >= 0 && i + EACH <= n) {
    some = *(const Some*)(row + i);
  } else if (i < n) {
    #pragma unroll
    for (int e = 0; e < EACH; ++e)
      if (i + e >= 0 && i + e < n) some.of[e] = row[i + e];
  }
  return some;
}
template <class I, class F> __device__ inline void store(T0* row, I i, I n, F f) {
  if (i >= n) return;
  Some some;
  #pragma unroll
  for (int e = 0; e < EACH; ++e) some.of[e] = narrow<T0>(f(e));
  if (PACKED != 1 || (i >= 0 && i + EACH <= n)) {
    *(Some*)(row + i) = some;
  } else {
    #pragma unroll
    for (int e = 0; e < EACH; ++e)
      if (i + e >= 0 && i + e < n) row[i + e] = some.of[e];
  }
}

// The part of a row that a thread keeps: its element k is number `index(k)` of the row. All of it is loaded before any is used, so that
// the loads are on their way together, and nothing is asked about what lies outside of the row until results are stored.
struct Part {
  Some packs[PACKS];
  int first, end;

  __device__ Part(const T0* row, index_t n, T0 outside) : first(first_of(row)), end((int)(FAR && n > KEPT * LANES ? KEPT * LANES : n)) {
    #pragma unroll
    for (int p = 0; p < PACKS; ++p) packs[p] = load(row, first + p * EACH * LANES, end, outside);
  }
  __device__ A0 operator[](int k) const { return wide(packs[k / EACH].of[k % EACH]); }
  __device__ int index(int k) const { return first + k / EACH * (EACH * LANES) + k % EACH; }
  __device__ bool has(int k) const { return (PACKED != 1 || index(k) >= 0) && index(k) < end; }
  // Stores what `f(k)` gives for all k in a row that begins as far behind 16 bytes as this.
  template <class F> __device__ void put(T0* row, F f) const {
    #pragma unroll
    for (int p = 0; p < PACKS; ++p) store(row, first + p * EACH * LANES, end, [&](int e) { return f(p * EACH + e); });
  }
};

// `f(k)` for all elements that a thread keeps, combined: in four parts, which do not wait for each other.
template <class Combine, class F> __device__ inline A0 folded(F f) {
  enum { PARTS = KEPT < 4 ? KEPT : 4 };
  A0 parts[PARTS];
  #pragma unroll
  for (int k = 0; k < KEPT; ++k) parts[k % PARTS] = k < PARTS ? f(k) : Combine::of(parts[k % PARTS], f(k));
  #pragma unroll
  for (int k = 1; k < PARTS; ++k) parts[0] = Combine::of(parts[0], parts[k]);
  return parts[0];
}

// Calls `f(i)` for the first of each of this thread's neighbours behind those that are kept.
template <class F> __device__ inline void beyond(const T0* row, index_t n, F f) {
  if (!FAR) return;
  #pragma unroll 1
  for (index_t i = KEPT * LANES + first_of(row); i < n; i += LANES * EACH) f(i);
}

// What `exponentials` leaves of each element.
enum Left { DIFFERENCES, EXPONENTIALS };

// The greatest of a row, and the sum of the exponentials of what each element is below it; `x` is left with those differences, or with
// their exponentials. Elements that are not kept are read once: their sum follows the greatest so far (Milakov and Gimelshein, 2018).
template <Left left> __device__ inline A0 exponentials(const T0* from, index_t n, const Part& part, A0 (&x)[KEPT], A0& top, int& turn) {
  A0 mine = Limits<A0>::lowest(), far = 0;
  top = folded<Greatest>([&](int k) { return x[k] = part[k]; });
  beyond(from, n, [&](index_t i) {
    const Some some = load(from, i, n, narrow<T0>(Limits<A0>::lowest()));
    A0 higher = mine;
    #pragma unroll
    for (int e = 0; e < EACH; ++e) higher = Greatest::of(higher, wide(some.of[e]));
    if (higher > mine) far *= exponential(mine - higher);
    mine = higher;
    // Nothing is below the lowest: what is -inf adds nothing then, and NaN stays one.
    const A0 from_here = mine > Limits<A0>::lowest() ? mine : (A0)0;
    #pragma unroll
    for (int e = 0; e < EACH; ++e) far += exponential(wide(some.of[e]) - from_here);
  });
  top = all<Greatest>(Greatest::of(top, mine), turn);
  A0 sum = folded<Sum>([&](int k) {
    x[k] -= top;
    const A0 power = exponential(x[k]);
    if (left == EXPONENTIALS) x[k] = power;
    return power;
  });
  if (FAR && far != 0) sum += far * exponential(mine - top);
  return all<Sum>(sum, turn);
}
