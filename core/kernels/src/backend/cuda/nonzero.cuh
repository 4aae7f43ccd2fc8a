// Which elements are not zero: how many in each share of the elements, and then their indices, in row-major order.
// A NaN is not zero. `nonzero.rs` launches both, with `starts` between them.

// A block's share: 16 elements for each of 256 threads.
#define SHARE 4096

__device__ inline bool is_set(const T0* from, const Strided& layout, index_t i) { return wide(from[place(layout, i)]) != 0; }

extern "C" __global__ void count_set(const T0* from, Strided layout, index_t* counts, index_t count) {
  __shared__ unsigned found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  unsigned own = 0;
  for (int k = 0; k < 16; ++k) {
    const index_t i = blockIdx.x * (index_t)SHARE + k * 256 + threadIdx.x;
    if (i < count && is_set(from, layout, i)) ++own;
  }
  if (own > 0) atomicAdd(&found, own);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

// `sizes` are the tensor's own dimensions. No more than `most` rows are written, whatever the elements are by now.
extern "C" __global__ void write_set(const T0* from, Strided layout, const index_t* begins, index_t count, Strided sizes,
                                     index_t* to, index_t most) {
  __shared__ unsigned sums[256];
  const unsigned own = threadIdx.x;
  const index_t first = blockIdx.x * (index_t)SHARE + own * 16;
  unsigned set = 0, found = 0;
  for (int k = 0; k < 16; ++k)
    if (first + k < count && is_set(from, layout, first + k)) set |= 1u << k, ++found;
  const int rank = (int)sizes.rank;
  index_t at = begins[blockIdx.x] + before_in_block<256>(found, sums);
  for (int k = 0; k < 16; ++k) {
    if (!(set >> k & 1) || at >= most) continue;
    index_t rest = first + k;
    for (int axis = rank - 1; axis >= 0; --axis) {
      index_t index;
      rest = divided(rest, sizes.dims[axis], index);
      to[at * rank + axis] = index;
    }
    ++at;
  }
}
