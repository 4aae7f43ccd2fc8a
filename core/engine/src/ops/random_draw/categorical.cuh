// Categorical numbers: the running sums of each row's chances, then for each draw the class where its number falls among them.
// Of the sums `T0` are the logits. Of the draws `T0` are the classes and `T1` the seeds, and philox.cuh stands before them.

#ifdef CHANCES
// Logits that are not finite are never drawn.
__device__ inline bool counts(double x) { return x - x == 0.0; }

// A block of 256 threads for each row.
extern "C" __global__ void running_chances(const T0* logits, index_t classes, double* sums) {
  __shared__ double shared[256];
  const int rank = threadIdx.x;
  const T0* row = logits + blockIdx.x * classes;
  double* to = sums + blockIdx.x * classes;
  double top = Limits<double>::lowest();
  for (index_t i = rank; i < classes; i += 256) {
    const double x = (double)wide(row[i]);
    if (counts(x) && x > top) top = x;
  }
  shared[rank] = top;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (rank < half && shared[rank + half] > shared[rank]) shared[rank] = shared[rank + half];
  }
  __syncthreads();
  top = shared[0];
  __syncthreads();
  double before = 0.0;
  for (index_t first = 0; first < classes; first += 256) {
    const index_t i = first + rank;
    double own = 0.0;
    if (i < classes) {
      const double x = (double)wide(row[i]);
      if (counts(x)) own = exp(__dsub_rn(x, top));
    }
    shared[rank] = own;
    for (int step = 1; step < 256; step *= 2) {
      __syncthreads();
      const double left = rank >= step ? shared[rank - step] : 0.0;
      __syncthreads();
      shared[rank] = __dadd_rn(left, shared[rank]);
    }
    __syncthreads();
    if (i < classes) to[i] = __dadd_rn(before, shared[rank]);
    before = __dadd_rn(before, shared[255]);
    __syncthreads();
  }
}
#else
extern "C" __global__ void draw_classes(index_t count, T0* to, index_t samples, index_t classes, const double* sums, const T1* seed,
                                        index_t step, index_t state, Stream given) {
  const Stream stream = stream_of(seed, step, state != 0, given);
  ELEMENTS(i, count) {
    const double* row = sums + i / samples * classes;
    const Words words = words_at(ahead(stream, (unsigned long long)i / 2));
    const bool second = i % 2 != 0;
    const unsigned high = words.of[second ? 2 : 0], low = words.of[second ? 3 : 1];
    const unsigned long long mantissa = (unsigned long long)(high & 0x000FFFFFu) << 32 | low;
    const double part = __longlong_as_double((long long)(0x3FF0000000000000ull | mantissa)) - 1.0;
    const double wanted = __dmul_rn(part, row[classes - 1]);
    index_t begin = 0, end = classes;
    while (begin < end) {
      const index_t middle = begin + (end - begin) / 2;
      if (row[middle] <= wanted) begin = middle + 1;
      else end = middle;
    }
    to[i] = (T0)begin;
  }
}
#endif
