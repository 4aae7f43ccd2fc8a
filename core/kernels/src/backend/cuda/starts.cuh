// Where parts of several lengths begin, one after the other: sums of all before, by one block of 1024 threads.
// Sorting and compaction count first, then call it, then place; the total stands behind the last.

extern "C" __global__ void __launch_bounds__(1024) starts(index_t* values, index_t count) {
  __shared__ index_t sums[1024];
  const index_t each = (count + 1023) / 1024, first = threadIdx.x * each;
  const index_t end = first + each < count ? first + each : count;
  index_t own = 0;
  for (index_t i = first; i < end; ++i) own += values[i];
  index_t at = before_in_block<1024>(own, sums);
  for (index_t i = first; i < end; ++i) {
    const index_t length = values[i];
    values[i] = at;
    at += length;
  }
  if (threadIdx.x == 1023) values[count] = sums[1023];
}
