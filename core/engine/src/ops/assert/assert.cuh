// Whether a condition holds everywhere, and if not, what the word of faults says of it: two kernels, one after the other.
// `device.rs` launches them.

// How many elements are not true.
extern "C" __global__ void count_wrong(index_t count, const T0* condition, Strided layout, unsigned long long* wrong) {
  unsigned long long own = 0;
  ELEMENTS(i, count) own += !wide(condition[place(layout, i)]);
  if (own > 0) atomicAdd(wrong, own);
}

// Elements of any type by their bits, `count` of them in row-major order.
struct Elements { const unsigned char* at; index_t size; index_t count; Strided layout; };

__device__ inline unsigned long long bits_of(const Elements& elements, index_t i) {
  const unsigned char* at = elements.at + place(elements.layout, i) * elements.size;
  unsigned long long bits = 0;
  for (int k = 0; k < (int)elements.size; ++k) bits |= (unsigned long long)at[k] << 8 * k;
  return bits;
}

// The tensors that are shown of each place, of the condition's shape, and those of the message; those that are not there have
// no elements.
struct Told { Elements shown[2]; Elements message[4]; };

// One block, which looks for the first places if there are any.
extern "C" __global__ void tell_wrong(Faults* faults, unsigned site, const T0* condition, Strided layout, index_t count,
                                      const unsigned long long* wrong, Told told) {
  __shared__ index_t places[3];
  __shared__ int found;
  __shared__ bool holds[256];
  if (*wrong == 0) return;
  if (threadIdx.x < 3) places[threadIdx.x] = -1;
  if (threadIdx.x == 0) found = 0;
  for (index_t first = 0; first < count; first += 256) {
    __syncthreads();
    if (found == 3) break;
    const index_t i = first + threadIdx.x;
    holds[threadIdx.x] = i >= count || wide(condition[place(layout, i)]);
    __syncthreads();
    if (threadIdx.x == 0)
      for (int k = 0; k < 256 && found < 3; ++k)
        if (!holds[k]) places[found++] = first + k;
  }
  __syncthreads();
  if (threadIdx.x != 0 || atomicCAS(&faults->code, 0u, (unsigned)ASSERTION_FAULT) != 0u) return;
  faults->site = site;
  faults->value = (long long)*wrong;
  faults->limit = count;
  for (int k = 0; k < 3; ++k) {
    faults->places[k] = places[k];
    for (int x = 0; x < 2; ++x)
      faults->shown[k][x] = places[k] >= 0 && told.shown[x].count > 0 ? bits_of(told.shown[x], places[k]) : 0;
  }
  int at = 0;
  for (int m = 0; m < 4; ++m)
    for (index_t i = 0; i < told.message[m].count; ++i) faults->message[at++] = bits_of(told.message[m], i);
}
