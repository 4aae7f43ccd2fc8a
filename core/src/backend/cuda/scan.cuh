// Running sums and products along an axis. COMBINE and IDENTITY come first; `T0` are elements and results, `A0` is what
// runs. Elements of a lane lie `stride` apart; `reverse` walks from the last, `exclusive` leaves the own element out.
// Long lanes are cut into parts: their totals first, then what comes before each part, then the parts once more. Results are
// memory of their own, so loads need not wait for stores.

__device__ inline index_t lane_start(index_t lane, index_t length, index_t stride) {
  const index_t outer = lane / stride;
  return outer * length * stride + (lane - outer * stride);
}

// A thread for each lane and part, where neighbouring lanes lie side by side. With `totals` only those are written.
extern "C" __global__ void scan_columns(index_t count, const T0* __restrict__ x, T0* __restrict__ y, index_t lanes, index_t length, index_t stride,
                                        index_t part, int exclusive, int reverse, const A0* starts, A0* totals) {
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

// A block for each lane and part, 256 elements at a time.
extern "C" __global__ void scan_rows(const T0* __restrict__ x, T0* __restrict__ y, index_t lanes, index_t length, index_t stride, index_t part,
                                     int exclusive, int reverse, const A0* starts, A0* totals) {
  __shared__ A0 sums[2][256];
  const index_t lane = blockIdx.x % lanes, begin = blockIdx.x / lanes * part, base = lane_start(lane, length, stride);
  const index_t end = begin + part < length ? begin + part : length;
  A0 carried = starts ? starts[blockIdx.x] : IDENTITY;
  for (index_t first = begin; first < end; first += 256) {
    const index_t i = first + threadIdx.x, at = base + (reverse ? length - 1 - i : i) * stride;
    int from = 0;
    sums[0][threadIdx.x] = i < end ? (A0)wide(x[at]) : (A0)IDENTITY;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2, from ^= 1) {
      const A0 own = sums[from][threadIdx.x];
      sums[from ^ 1][threadIdx.x] = threadIdx.x >= step ? COMBINE(sums[from][threadIdx.x - step], own) : own;
      __syncthreads();
    }
    if (i < end && !totals) {
      const A0 within = exclusive ? (threadIdx.x > 0 ? sums[from][threadIdx.x - 1] : (A0)IDENTITY) : sums[from][threadIdx.x];
      y[at] = narrow<T0>(COMBINE(carried, within));
    }
    carried = COMBINE(carried, sums[from][255]);
    __syncthreads();
  }
  if (totals && threadIdx.x == 0) totals[blockIdx.x] = carried;
}

// From the totals of the parts to what comes before each.
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
