// A copy that turns tiles in shared memory: the source is read along its neighbours, the target written along its own. Blocks of 256
// threads take tiles of ACROSS by INNER elements, which follow each other along the innermost dimension; `copies.rs` launches it.

// `turn` takes elements one by one, wherever they lie; `turn_whole` takes 16 bytes at once on both sides, which lie at whole 16 bytes.
enum {
  ACROSS = sizeof(T0) == 1 ? 128 : sizeof(T0) <= 4 ? 64 : 32,
  INNER = 16384 / sizeof(T0) / ACROSS,
  SIDE = sizeof(T0) <= 4 ? 64 : 32,
  // Neighbours in 16 bytes, and in the words that lie in shared memory: words of several elements, since a bank has 32 bits.
  EACH = 16 / sizeof(T0),
  WORD = sizeof(T0) < 4 ? 4 / sizeof(T0) : 1
};

// Where the tile of a number begins in its slice, and where that slice lies. The loop over the other dimensions, of which there are few or
// none, is not unrolled: eight divisions are more text than all else.
struct Tile { index_t across, inner; const T0* read; T0* write; };
__device__ inline Tile tile_at(index_t t, index_t tiles_across, index_t tiles_inner, index_t high, index_t wide, const T0* from, T0* to,
                               const Strided& source, const Strided& target) {
  Tile tile{0, 0, from, to};
  index_t slice = divided(divided(t, tiles_inner, tile.inner), tiles_across, tile.across);
  #pragma unroll 1
  for (int axis = (int)source.rank - 1; axis >= 0; --axis) {
    index_t at;
    slice = divided(slice, source.dims[axis], at);
    tile.read += at * source.strides[axis];
    tile.write += at * target.strides[axis];
  }
  tile.across *= high, tile.inner *= wide;
  return tile;
}

extern "C" __global__ void __launch_bounds__(256) turn(const T0* from, T0* to, index_t tiles, index_t tiles_across, index_t tiles_inner,
                                                       index_t across, index_t inner, index_t stride, index_t row, Strided source,
                                                       Strided target) {
  enum { ROWS = 256 / SIDE, HELD = SIDE / ROWS };
  // A word more in each row, so that a column does not lie in one bank.
  __shared__ T0 turned[SIDE][SIDE + WORD];
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  for (index_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Tile tile = tile_at(t, tiles_across, tiles_inner, SIDE, SIDE, from, to, source, target);
    // What is left of the source from here on, at most a tile.
    const int high = (int)min(across - tile.across, (index_t)SIDE), wide = (int)min(inner - tile.inner, (index_t)SIDE);
    const T0* read = tile.read + tile.across + x + (tile.inner + y) * stride;
    T0 held[HELD];
    #pragma unroll
    for (int k = 0; k < HELD; ++k, read += ROWS * stride)
      if (x < high && y + k * ROWS < wide) held[k] = *read;
    #pragma unroll
    for (int k = 0; k < HELD; ++k)
      if (x < high && y + k * ROWS < wide) turned[y + k * ROWS][x] = held[k];
    __syncthreads();
    T0* write = tile.write + (tile.across + y) * row + tile.inner + x;
    #pragma unroll
    for (int k = 0; k < HELD; ++k, write += ROWS * row)
      if (x < wide && y + k * ROWS < high) *write = turned[x][y + k * ROWS];
    __syncthreads();
  }
}

// A warp reads four groups of rows, eight threads along each, and writes four rows of the target in the same way. A word holds as many
// neighbours along the innermost dimension, from as many rows of the source. Every 32 words four are left out, and one at the end of a
// row: then neither the words of eight neighbouring vectors nor those of one column lie in one bank.
//
// How many blocks a multiprocessor holds is what registers allow without numbers in memory: words of four elements take many.
#define RESIDENT (sizeof(T0) == 1 ? 3 : sizeof(T0) == 8 ? 5 : 6)
extern "C" __global__ void __launch_bounds__(256, RESIDENT) turn_whole(const T0* from, T0* to, index_t tiles, index_t tiles_across,
                                                                       index_t tiles_inner, index_t across, index_t inner,
                                                                       index_t stride, index_t row, Strided source, Strided target) {
  typedef Pack<T0, EACH> Vector;
  typedef Pack<T0, WORD> Word;
  typedef Pack<Word, EACH / WORD> Words;
  // Groups of rows that a thread reads, vectors that it writes, and how many times eight vectors lie side by side.
  enum { READS = 4 / WORD, WRITES = 4, READ_BESIDE = ACROSS / EACH / 8, WRITTEN_BESIDE = INNER / EACH / 8 };
  __shared__ Word turned[INNER / WORD][ACROSS + ACROSS / 32 * 4 + 1];
  const int warp = threadIdx.x / 32, x = threadIdx.x % 8, y = threadIdx.x % 32 / 8;
  for (index_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Tile tile = tile_at(t, tiles_across, tiles_inner, ACROSS, INNER, from, to, source, target);
    const int high = (int)min(across - tile.across, (index_t)ACROSS), wide = (int)min(inner - tile.inner, (index_t)INNER);
    const T0* read = tile.read + tile.across + tile.inner * stride;
    T0* write = tile.write + tile.across * row + tile.inner;
    Vector held[READS][WORD];
    #pragma unroll
    for (int k = 0; k < READS; ++k) {
      const int step = warp + 8 * k, a = (step % READ_BESIDE * 8 + x) * EACH, i = (step / READ_BESIDE * 4 + y) * WORD;
      #pragma unroll
      for (int w = 0; w < WORD; ++w)
        if (a < high && i < wide) held[k][w] = *(const Vector*)(read + (i + w) * stride + a);
    }
    #pragma unroll
    for (int k = 0; k < READS; ++k) {
      const int step = warp + 8 * k, a = (step % READ_BESIDE * 8 + x) * EACH, i = (step / READ_BESIDE * 4 + y) * WORD;
      if (a >= high || i >= wide) continue;
      #pragma unroll
      for (int e = 0; e < EACH; ++e) {
        Word word;
        #pragma unroll
        for (int w = 0; w < WORD; ++w) word.of[w] = held[k][w].of[e];
        turned[i / WORD][a + a / 32 * 4 + e] = word;
      }
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < WRITES; ++k) {
      const int step = warp + 8 * k, i = (step % WRITTEN_BESIDE * 8 + x) * EACH, a = step / WRITTEN_BESIDE * 4 + y;
      if (a >= high || i >= wide) continue;
      Words words;
      #pragma unroll
      for (int e = 0; e < EACH / WORD; ++e) words.of[e] = turned[i / WORD + e][a + a / 32 * 4];
      *(Words*)(write + a * row + i) = words;
    }
    __syncthreads();
  }
}
