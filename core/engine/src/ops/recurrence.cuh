// u(i) = b(i) + a(i) u(i - 1) along an axis, computed in doubles: a thread for each lane and part. The parts' products of a
// and what they make of u = 0 come first, then what each starts from, then the parts once more.

extern "C" __global__ void recurrence(index_t count, const T0* a, const T0* b, T0* y, index_t lanes, index_t length,
                                      index_t stride, index_t part, int exclusive, int reverse, double* parts, int totals) {
  ELEMENTS(t, count) {
    const index_t lane = t % lanes, begin = t / lanes * part, outer = lane / stride;
    const index_t base = outer * length * stride + (lane - outer * stride);
    const index_t end = begin + part < length ? begin + part : length;
    double u = parts && !totals ? parts[2 * t] : 0.0, product = 1.0;
    for (index_t i = begin; i < end; ++i) {
      const index_t at = base + (reverse ? length - 1 - i : i) * stride;
      const double factor = (double)wide(a[at]), next = (double)wide(b[at]) + factor * u;
      product *= factor;
      if (!totals) y[at] = narrow<T0>((A0)(exclusive ? u : next));
      u = next;
    }
    if (totals) {
      parts[2 * t] = u;
      parts[2 * t + 1] = product;
    }
  }
}

extern "C" __global__ void recurrence_starts(index_t lanes, index_t count, double* parts) {
  ELEMENTS(lane, lanes) {
    double u = 0.0;
    // Some are loaded before the first of them is written over.
    enum { SOME = 8 };
    for (index_t first = 0; first < count; first += SOME) {
      double own[SOME], product[SOME];
      #pragma unroll
      for (int k = 0; k < SOME; ++k) {
        const double* part = parts + 2 * ((first + k) * lanes + lane);
        own[k] = first + k < count ? part[0] : 0.0;
        product[k] = first + k < count ? part[1] : 0.0;
      }
      #pragma unroll
      for (int k = 0; k < SOME; ++k) {
        if (first + k < count) parts[2 * ((first + k) * lanes + lane)] = u;
        // A product beyond all numbers does not touch a zero.
        u = own[k] + (u == 0.0 ? 0.0 : product[k] * u);
      }
    }
  }
}
