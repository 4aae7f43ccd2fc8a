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
    for (index_t p = 0; p < count; ++p) {
      double* own = parts + 2 * (p * lanes + lane);
      // A product beyond all numbers does not touch a zero.
      const double next = own[0] + (u == 0.0 ? 0.0 : own[1] * u);
      own[0] = u;
      u = next;
    }
  }
}
