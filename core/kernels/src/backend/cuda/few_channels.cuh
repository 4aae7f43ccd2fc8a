// Tiles of images with few channels, brought to shared memory while the tile before is computed with; convolutions come here.
// The host writes IN_C, OUT_C, K_H, K_W, STRIDE_H, STRIDE_W, DILATION_H, DILATION_W and TENSOR in front of it; all is in f32.

enum { THREADS = 256, WARPS = THREADS / 32, ROOM = 12288 };

// Images, and how they are cut: tiles of `rows` x `columns` output pixels, `down` x `across` of them for each image. A block has
// `each` tiles that follow each other.
struct Walk { int in_h, in_w, out_h, out_w, pad_top, pad_left, rows, columns, down, across; index_t tiles, each; };

// The first output pixel of a tile.
struct Place { index_t image; int row, column; };
__device__ inline Place place_of(const Walk& walk, index_t tile) {
  const index_t line = tile / walk.across;
  return Place{line / walk.down, (int)(line % walk.down) * walk.rows, (int)(tile % walk.across) * walk.columns};
}

// Input pixels that a tile's windows reach, down and across.
__device__ inline int reached(int outputs, int stride, int taps, int dilation) { return (outputs - 1) * stride + (taps - 1) * dilation + 1; }

__device__ inline int whole(int n, int of) { return (n + of - 1) / of * of; }

// Copies N numbers to shared memory, or zeros where nothing is `there`, without waiting for them.
#ifdef EAGERFLOW_EMULATED
template <int N> __device__ inline void copy_ahead(float* to, const float* from, bool there) {
  for (int i = 0; i < N; ++i) to[i] = there ? from[i] : 0.0f;
}
__device__ inline void end_of_copies() {}
template <int N> __device__ inline void await_all_but() {}
#else
template <int N> __device__ inline void copy_ahead(float* to, const float* from, bool there) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  const int bytes = there ? 4 * N : 0;
  // Whole 16 bytes need not pass through the cache of the first level.
  if (N == 4) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(4 * N), "r"(bytes) : "memory");
}
// Ends a group of copies, which are awaited together: all groups but the last N.
__device__ inline void end_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ inline void await_all_but() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
#endif

// Copies `pixels` pixels, line by line of `columns`, from a row and a column of an image on, to pixels that lie PITCH numbers apart.
// Those outside of the `h` x `w` pixels are 0. VECTOR numbers are copied at once.
template <int CHANNELS, int PITCH, int VECTOR>
__device__ inline void bring(const float* image, int h, int w, int row, int column, int columns, int pixels, float* to) {
  enum { UNITS = CHANNELS / VECTOR };
  // A division for each unit would cost more than the copy: a thread counts lines on instead.
  const unsigned line = columns * UNITS;
  const int lines_on = THREADS / line, units_on = THREADS % line;
  int y = row + (int)(threadIdx.x / line), unit = (int)(threadIdx.x % line);
  // Nothing is awaited here, so an unrolled loop would only take registers.
  #pragma unroll 1
  for (int i = threadIdx.x; i < pixels * UNITS; i += THREADS) {
    const int x = column + unit / UNITS, channel = i % UNITS * VECTOR;
    const bool there = (unsigned)y < (unsigned)h && (unsigned)x < (unsigned)w;
    copy_ahead<VECTOR>(to + i / UNITS * PITCH + channel, image + (there ? (y * w + x) * CHANNELS + channel : 0), there);
    y += lines_on, unit += units_on;
    if (unit >= (int)line) unit -= (int)line, ++y;
  }
}
