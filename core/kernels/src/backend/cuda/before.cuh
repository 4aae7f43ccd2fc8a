// What the threads of a block have before each of them, added up. Sorting, compaction and where parts begin are made of it.

// `sums` is shared, with a place for each of `THREADS` threads; behind the call it holds the sums up to each of them.
template <int THREADS, class T> __device__ inline T before_in_block(T own, T* sums) {
  sums[threadIdx.x] = own;
  __syncthreads();
  for (unsigned step = 1; step < THREADS; step *= 2) {
    const T before = threadIdx.x >= step ? sums[threadIdx.x - step] : (T)0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  return sums[threadIdx.x] - own;
}
