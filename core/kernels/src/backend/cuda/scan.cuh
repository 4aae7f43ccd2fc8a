// Running sums and products along an axis. COMBINE and IDENTITY come first; `T0` are elements and results, `A0` is what
// runs. Elements of a lane lie `stride` apart; `reverse` walks from the last, `exclusive` leaves the own element out.
// Long lanes are cut into parts: their totals first, then what comes before each part, then the parts once more. Results are
// memory of their own, so loads need not wait for stores.

// log(exp(a) + exp(b)), from the greater one, so that nothing overflows; of floats alone.
template <class T> __device__ inline T log_add(T a, T b) {
  const T high = a < b ? b : a, low = a < b ? a : b;
  return high == high && high - high != (T)0 ? high : (T)(high + log1p(exp(low - high)));
}

__device__ inline index_t lane_start(index_t lane, index_t length, index_t stride) {
  const index_t outer = lane / stride;
  return outer * length * stride + (lane - outer * stride);
}

// A thread for each lane and part, where neighbouring lanes lie side by side. With `totals` only those are written.
extern "C" __global__ void scan_columns(index_t count, const T0* __restrict__ x, T0* __restrict__ y, index_t lanes,
                                        index_t length, index_t stride, index_t part, int exclusive, int reverse, const A0* starts, A0* totals) {
  ELEMENTS(t, count) {
    const index_t lane = t % lanes, begin = t / lanes * part, base = lane_start(lane, length, stride);
    const index_t end = begin + part < length ? begin + part : length;
    A0 running = starts ? starts[t] : IDENTITY;
    for (index_t i = begin; i < end; ++i) {
      const index_t at = base + (reverse ? length - 1 - i : i) * stride;
      const A0 before = running;
      running = COMBINE(running, wide(x[at]));
      if (!totals) y[at] = narrow<T0>(exclusive ? before : running);
    }
    if (totals) totals[t] = running;
  }
}

// What runs at the end of each thread's four elements, from the threads before it in its warp.
__device__ inline A0 over_warp(A0 running, int rank) {
  #pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const A0 before = (A0)__shfl_up_sync(0xffffffffu, running, step);
    if (rank >= step) running = COMBINE(before, running);
  }
  return running;
}

// A block for each lane and part, 1024 elements at a time: four neighbours of each thread, then its warp, then the block.
extern "C" __global__ void scan_rows(const T0* __restrict__ x, T0* __restrict__ y, index_t lanes, index_t length, index_t stride,
                                     index_t part, int exclusive, int reverse, const A0* starts, A0* totals) {
  __shared__ A0 warps[8];
  const int rank = threadIdx.x % 32, warp = threadIdx.x / 32;
  const index_t lane = blockIdx.x % lanes, begin = blockIdx.x / lanes * part, base = lane_start(lane, length, stride);
  const index_t end = begin + part < length ? begin + part : length;
  A0 carried = starts ? starts[blockIdx.x] : IDENTITY;
  const unsigned long long wide_by = 4 * sizeof(T0) > 16 ? 16 : 4 * sizeof(T0);
  const bool packs = stride == 1 && !reverse && base % 4 == 0 && begin % 4 == 0 && ((unsigned long long)x | (unsigned long long)y) % wide_by == 0;
  for (index_t first = begin + threadIdx.x * 4; first - threadIdx.x * 4 < end; first += 1024) {
    A0 own[4];
    const bool packed = packs && first + 4 <= end;
    if (packed) {
      const Pack<T0, 4> four = *(const Pack<T0, 4>*)(x + base + first);
      #pragma unroll
      for (int k = 0; k < 4; ++k) own[k] = (A0)wide(four.of[k]);
    } else {
      #pragma unroll
      for (int k = 0; k < 4; ++k) {
        const index_t i = first + k;
        own[k] = i < end ? (A0)wide(x[base + (reverse ? length - 1 - i : i) * stride]) : (A0)IDENTITY;
      }
    }
    const A0 four = COMBINE(COMBINE(own[0], own[1]), COMBINE(own[2], own[3]));
    const A0 within = over_warp(four, rank), left = (A0)__shfl_up_sync(0xffffffffu, within, 1);
    if (rank == 31) warps[warp] = within;
    __syncthreads();
    A0 before = carried;
    #pragma unroll
    for (int w = 0; w < 8; ++w) {
      if (w == warp) before = carried;
      carried = COMBINE(carried, warps[w]);
    }
    if (rank > 0) before = COMBINE(before, left);
    Pack<T0, 4> results;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
      const A0 after = COMBINE(before, own[k]);
      results.of[k] = narrow<T0>(exclusive ? before : after);
      before = after;
    }
    if (!totals && packed) *(Pack<T0, 4>*)(y + base + first) = results;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
      const index_t i = first + k;
      if (!totals && !packed && i < end) y[base + (reverse ? length - 1 - i : i) * stride] = results.of[k];
    }
    // The next ones are written where these are read.
    __syncthreads();
  }
  if (totals && threadIdx.x == 0) totals[blockIdx.x] = carried;
}

// From the totals of the parts to what comes before each, where they are few; many are scanned themselves.
extern "C" __global__ void scan_totals(index_t lanes, index_t parts, A0* totals) {
  ELEMENTS(lane, lanes) {
    A0 running = IDENTITY;
    for (index_t p = 0; p < parts; ++p) {
      const A0 own = totals[p * lanes + lane];
      totals[p * lanes + lane] = running;
      running = COMBINE(running, own);
    }
  }
}
