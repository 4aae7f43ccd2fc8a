// A stable sort of numbered rows: few by counting, for each, those that come before; many by digits of four bits.
// `scatter.rs` sorts the rows that updates name, so that updates of one row lie side by side in their order.

typedef unsigned long long row_t;

// Each of 32 neighbours is compared with all, an eighth of them by each of 8 threads.
extern "C" __global__ void rank(index_t count, const row_t* keys, row_t* keys_to, index_t* order_to) {
  __shared__ unsigned ranks[32];
  if (threadIdx.x < 32) ranks[threadIdx.x] = 0;
  __syncthreads();
  const index_t own = blockIdx.x * (index_t)32 + threadIdx.x % 32, part = (count + 7) / 8;
  const index_t first = threadIdx.x / 32 * part, end = first + part < count ? first + part : count;
  if (own < count) {
    const row_t key = keys[own];
    unsigned before = 0;
    for (index_t i = first; i < end; ++i) {
      const row_t other = keys[i];
      before += other < key || (other == key && i < own);
    }
    atomicAdd(&ranks[threadIdx.x % 32], before);
  }
  __syncthreads();
  if (threadIdx.x < 32 && own < count) {
    const unsigned to = ranks[threadIdx.x];
    keys_to[to] = keys[own];
    order_to[to] = own;
  }
}

// A block's share of the keys: 8 neighbours for each of 256 threads.
#define SHARE 2048

// How often each digit occurs in each share, digit by digit.
extern "C" __global__ void count_digits(const row_t* keys, index_t* counts, index_t count, index_t shares, index_t shift) {
  __shared__ unsigned found[16];
  if (threadIdx.x < 16) found[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    const index_t i = blockIdx.x * (index_t)SHARE + k * 256 + threadIdx.x;
    if (i < count) atomicAdd(&found[keys[i] >> shift & 15], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * shares + blockIdx.x] = found[threadIdx.x];
}

// Places the keys of a share behind those of the shares before it, digit by digit, in their order.
extern "C" __global__ void place_digits(const row_t* keys, const index_t* order, row_t* keys_to, index_t* order_to,
                                        const index_t* begins, index_t count, index_t shares, index_t shift) {
  __shared__ unsigned found[16 * 256];
  __shared__ unsigned sums[256];
  __shared__ unsigned first_of[16];
  const unsigned own = threadIdx.x;
  const index_t first = blockIdx.x * (index_t)SHARE + own * 8;
  for (int digit = 0; digit < 16; ++digit) found[digit * 256 + own] = 0;
  for (int k = 0; k < 8; ++k)
    if (first + k < count) ++found[(keys[first + k] >> shift & 15) * 256 + own];
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < 16; ++k) sum += found[own * 16 + k];
  unsigned at = before_in_block<256>(sum, sums);
  for (int k = 0; k < 16; ++k) {
    const unsigned length = found[own * 16 + k];
    found[own * 16 + k] = at;
    at += length;
  }
  __syncthreads();
  if (own < 16) first_of[own] = found[own * 256];
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    if (first + k >= count) break;
    const row_t key = keys[first + k];
    const unsigned digit = (unsigned)(key >> shift & 15);
    const index_t to = begins[digit * shares + blockIdx.x] + (found[digit * 256 + own]++ - first_of[digit]);
    keys_to[to] = key;
    order_to[to] = order ? order[first + k] : first + k;
  }
}
