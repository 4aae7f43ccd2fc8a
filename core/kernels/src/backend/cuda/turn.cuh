// A copy that turns tiles of 32 by 32 elements in shared memory: the source is read along its neighbours, the target written
// along its own. Eight rows of 32 threads take a tile; the tiles of a slice follow each other along the innermost dimension.

extern "C" __global__ void turn(const T0* from, T0* to, index_t tiles, index_t tiles_across, index_t tiles_inner, index_t across,
                                index_t inner, index_t stride, index_t row, Strided source, Strided target) {
  // One place more in each row, so that a column does not lie in one bank.
  __shared__ T0 tile[32][33];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (index_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    index_t a, i;
    const index_t slice = divided(divided(t, tiles_inner, i), tiles_across, a);
    const T0* read = from + place(source, slice);
    T0* write = to + place(target, slice);
    a *= 32, i *= 32;
    for (int r = y; r < 32; r += 8)
      if (a + x < across && i + r < inner) tile[r][x] = read[a + x + (i + r) * stride];
    __syncthreads();
    for (int r = y; r < 32; r += 8)
      if (a + r < across && i + x < inner) write[(a + r) * row + i + x] = tile[x][r];
    __syncthreads();
  }
}
