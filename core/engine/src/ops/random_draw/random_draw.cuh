// TensorFlow's random numbers, those of `backend/cpu/philox` bit for bit: each thread draws groups of 4 elements (2 of 8
// bytes) from the counters of each group. `device.rs` gives the stream, or the seed from which it is made.

// ---- numbers from words --------------------------------------------------------------------------------------------

__device__ inline double unit(unsigned high, unsigned low) {
  const unsigned long long mantissa = (unsigned long long)(high & 0x000FFFFFu) << 32 | low;
  return __longlong_as_double((long long)(0x3FF0000000000000ull | mantissa)) - 1.0;
}

// Bits of the mantissa, and with them of a uniform number.
template <class T> struct Mantissa { static const int bits = 23; };
template <> struct Mantissa<f16> { static const int bits = 10; };
template <> struct Mantissa<bf16> { static const int bits = 7; };

// The reciprocal and the logarithm of a number in each sixteenth of [0.7, 1.4).
__device__ const double LN[16][2] = {
    {1.398907162146528, -0.33569133332882284},   {1.3403141896637998, -0.2929040563774074},
    {1.286432210124115, -0.2518726580937369},    {1.2367150214269895, -0.21245868807117255},
    {1.1906977166711752, -0.17453945183745634},  {1.1479821020556429, -0.1380057072319758},
    {1.1082251448272158, -0.10275976698545139},  {1.0711297413057381, -0.06871392447020525},
    {1.036437278977283, -0.0357891387398228},    {1.0, 0.0},
    {0.9492859795739057, 0.05204517742929496},   {0.8951049428609004, 0.11081431298787942},
    {0.8476821620351103, 0.1652495223695143},    {0.8050314851692001, 0.21687389031699977},
    {0.7664671008843108, 0.2659635028121397},    {0.731428603316328, 0.3127556664073557},
};

// Logarithm, sine and cosine as the CPU has them: the same steps in double precision, none of them contracted.
__device__ inline float own_log(float x) {
  const unsigned bits = __float_as_uint(x), offset = bits - 0x3F330000u;
  const int exponent = (int)offset >> 23;
  const double reciprocal = LN[offset >> 19 & 15][0], ln_c = LN[offset >> 19 & 15][1];
  const double z = (double)__uint_as_float(bits - (offset & 0xFF800000u));
  const double r = __dsub_rn(__dmul_rn(z, reciprocal), 1.0);
  const double base = __dadd_rn(ln_c, __dmul_rn((double)exponent, 0.69314718055994530942));
  const double r2 = __dmul_rn(r, r);
  const double tail = __dadd_rn(__dmul_rn(-0.25089342214237154, r2),
                                __dadd_rn(__dmul_rn(0.333456765744066, r), -0.4999997485802103));
  return (float)__dadd_rn(__dmul_rn(tail, r2), __dadd_rn(base, r));
}

__device__ inline double flipped(double x, unsigned long long sign) {
  return __longlong_as_double((long long)((unsigned long long)__double_as_longlong(x) ^ sign));
}

__device__ inline void own_sin_cos(float angle, float& sine, float& cosine) {
  const double ROUND = 6755399441055744.0, x = (double)angle;
  const double rounded = __dadd_rn(__dmul_rn(x, 0.63661977236758134308), ROUND);
  const unsigned long long quadrant = (unsigned long long)__double_as_longlong(rounded);
  const double r = __dsub_rn(x, __dmul_rn(__dsub_rn(rounded, ROUND), 1.57079632679489661923));
  const double z = __dmul_rn(r, r), z2 = __dmul_rn(z, z), zr = __dmul_rn(z, r);
  const double s = __dadd_rn(__dadd_rn(r, __dmul_rn(zr, -0.16666654943701084)),
                             __dmul_rn(__dmul_rn(zr, z), __dadd_rn(0.008332178146138854, __dmul_rn(z, -0.00019517298981385725))));
  const double c = __dadd_rn(__dadd_rn(__dadd_rn(1.0, __dmul_rn(z, -0.49999999725108224)), __dmul_rn(z2, 0.041666623324344516)),
                             __dmul_rn(__dmul_rn(z2, z), __dadd_rn(-0.001388676379437604, __dmul_rn(z, 2.4390450703564542e-05))));
  const bool odd = quadrant & 1;
  sine = (float)flipped(odd ? c : s, (quadrant & 2) << 62);
  cosine = (float)flipped(odd ? s : c, ((quadrant + 1) & 2) << 62);
}

// Box and Muller's transform.
__device__ inline void normal_pair(unsigned x0, unsigned x1, float& a, float& b) {
  const float u = fmaxf(unit(x0), 1.0e-7f);
  const float angle = (float)__dmul_rn(6.28318530717958647692, (double)unit(x1));
  const float radius = sqrtf(__fmul_rn(-2.0f, own_log(u)));
  own_sin_cos(angle, a, b);
  a = __fmul_rn(a, radius);
  b = __fmul_rn(b, radius);
}

// `double` asks the device's library, whose last bit is its own.
__device__ inline void normal_pair(const Words& words, double& a, double& b) {
  const double u = fmax(unit(words.of[0], words.of[1]), 1.0e-7);
  const double angle = __dmul_rn(6.28318530717958647692, unit(words.of[2], words.of[3]));
  const double radius = sqrt(__dmul_rn(-2.0, log(u)));
  a = __dmul_rn(sin(angle), radius);
  b = __dmul_rn(cos(angle), radius);
}

// ---- a group of each distribution --------------------------------------------------------------------------------------

template <class A> struct Group;
template <> struct Group<float> {
  static const int size = 4;
  float of[4];
};
template <> struct Group<double> {
  static const int size = 2;
  double of[2];
};

__device__ inline void uniform_group(const Stream& stream, Group<float>& group) {
  const Words words = words_at(stream);
  for (int k = 0; k < 4; ++k) group.of[k] = unit(words.of[k] << (23 - Mantissa<T0>::bits));
}
__device__ inline void uniform_group(const Stream& stream, Group<double>& group) {
  const Words words = words_at(stream);
  group.of[0] = unit(words.of[0], words.of[1]);
  group.of[1] = unit(words.of[2], words.of[3]);
}

__device__ inline void normal_group(const Stream& stream, Group<float>& group) {
  const Words words = words_at(stream);
  normal_pair(words.of[0], words.of[1], group.of[0], group.of[1]);
  normal_pair(words.of[2], words.of[3], group.of[2], group.of[3]);
}
__device__ inline void normal_group(const Stream& stream, Group<double>& group) {
  normal_pair(words_at(stream), group.of[0], group.of[1]);
}

// Numbers of magnitude 2 and more are left out; what is missing comes from the blocks that follow.
template <class A> __device__ inline void truncated_group(Stream stream, Group<A>& group) {
  int kept = 0;
  for (;; stream = ahead(stream, 1)) {
    Group<A> drawn;
    normal_group(stream, drawn);
    for (int k = 0; k < Group<A>::size; ++k) {
      const A number = drawn.of[k];
      // Written so that every place of the group is known when the code is made.
      if (number < (A)2 && number > (A)-2) {
        for (int to = 0; to < Group<A>::size; ++to)
          if (to == kept) group.of[to] = number;
        ++kept;
      }
    }
    if (kept >= Group<A>::size) return;
  }
}

// ---- kernels -----------------------------------------------------------------------------------------------------------

// The elements of a group where they belong, at once where all are there.
template <int N> __device__ inline void store(T0* to, index_t group, index_t total, const Pack<T0, N>& elements) {
  const index_t first = group * N;
  if (first + N <= total && ((unsigned long long)to & (sizeof(T0) * N - 1)) == 0) {
    ((Pack<T0, N>*)to)[group] = elements;
    return;
  }
  for (int k = 0; k < N; ++k)
    if (first + k < total) to[first + k] = elements.of[k];
}

#ifdef REALS
// Each step is rounded to the element's type.
#define DRAW(name, draw, stride)                                                                                      \
  extern "C" __global__ void name(index_t count, T0* to, index_t total, const T1* seed, index_t step, index_t state,     \
                                  Stream given, A0 scale, A0 shift) {                                               \
    const Stream stream = stream_of(seed, step, state != 0, given);                                                                     \
    ELEMENTS(i, count) {                                                                                              \
      Group<A0> group;                                                                                                \
      draw(ahead(stream, (unsigned long long)i * (stride)), group);                                                   \
      Pack<T0, Group<A0>::size> elements;                                                                             \
      for (int k = 0; k < Group<A0>::size; ++k) {                                                                     \
        const T0 scaled = narrow<T0>(times(wide(narrow<T0>(group.of[k])), scale));                                    \
        elements.of[k] = narrow<T0>(plus(wide(scaled), shift));                                                       \
      }                                                                                                               \
      store<Group<A0>::size>(to, i, total, elements);                                                                 \
    }                                                                                                                 \
  }
DRAW(draw_uniform, uniform_group, 1)
DRAW(draw_normal, normal_group, 1)
// TensorFlow sets 256 words aside for each element: 64 blocks of four.
DRAW(draw_truncated, truncated_group, 64 * Group<A0>::size)
#else
// Moves a generator's state on by so many counters, given in two halves.
extern "C" __global__ void move_state(T1* state, unsigned long long by_low, unsigned long long by_high) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const unsigned long long low = (unsigned long long)wide(state[0]), next = low + by_low;
  state[0] = (T1)next;
  state[1] = (T1)((unsigned long long)wide(state[1]) + by_high + (next < low));
}

// The numbers below n in random order: exchanges from the front, of each place with one behind it or itself, the partner by
// the remainder of a word. One block does as many exchanges at a time as it has threads. In each round all that are left
// reserve their two places for the earliest who asks, and those who hold both exchange them: whoever shares a place with an
// earlier one waits for it, so the order is that of exchanges one by one. `holders` are all ones before and behind.
extern "C" __global__ void __launch_bounds__(1024) draw_order(T0* order, index_t n, const T1* seed, index_t step, index_t state, Stream given,
                                      unsigned long long* holders) {
  const Stream stream = stream_of(seed, step, state != 0, given);
  for (index_t i = threadIdx.x; i < n; i += blockDim.x) order[i] = (T0)i;
  for (index_t first = 0; first < n - 1; first += blockDim.x) {
    const index_t own = first + threadIdx.x;
    bool waits = own < n - 1;
    index_t partner = own;
    if (waits) {
      // TensorFlow takes the number of places that are left as 32 bits; beyond 2^32 that is a zero at times.
      const unsigned left = (unsigned)(n - own);
      partner += words_at(ahead(stream, (unsigned long long)own / 4)).of[own % 4] % (left > 0 ? left : 1u);
    }
    while (__syncthreads_count(waits) > 0) {
      if (waits) {
        atomicMin(&holders[own], (unsigned long long)own);
        atomicMin(&holders[partner], (unsigned long long)own);
      }
      __syncthreads();
      const bool holds = waits && holders[own] == (unsigned long long)own && holders[partner] == (unsigned long long)own;
      __syncthreads();
      if (waits) holders[own] = holders[partner] = ~0ull;
      if (holds) {
        const T0 here = order[own];
        order[own] = order[partner];
        order[partner] = here;
        waits = false;
      }
    }
  }
}

// Whole numbers; a width of 0 stands for all there are.
extern "C" __global__ void draw_integers(index_t count, T0* to, index_t total, const T1* seed, index_t step, index_t state,
                                         Stream given, T0 low, T0 width) {
  const Stream stream = stream_of(seed, step, state != 0, given);
  const int size = 16 / sizeof(T0);
  ELEMENTS(i, count) {
    const Words words = words_at(ahead(stream, (unsigned long long)i));
    Pack<T0, size> elements;
    for (int k = 0; k < size; ++k) {
      const T0 bits = sizeof(T0) == 4 ? (T0)words.of[k] : (T0)(words.of[2 * k % 4] | (unsigned long long)words.of[(2 * k + 1) % 4] << 32);
      elements.of[k] = width == 0 ? bits : low + bits % width;
    }
    store<size>(to, i, total, elements);
  }
}
#endif
