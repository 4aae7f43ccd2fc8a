// The gradient of a gather of few slices: each element adds up the slices that were taken from it, in their order.
// `back.rs` launches it; a wrong index is a fault and adds nothing.

extern "C" __global__ void gather_back(index_t count, Faults* faults, unsigned site, const T0* given, const T1* indices, T0* to,
                                       index_t row, index_t each, index_t inner_groups, index_t size) {
  ELEMENTS(i, count) {
    index_t column, own, within;
    const index_t group = divided(divided(i, row, column), size, own), batch = divided(group, inner_groups, within);
    A0 sum = (A0)0;
    for (index_t at = 0; at < each; ++at) {
      const index_t number = (index_t)wide(indices[batch * each + at]);
      if (inside(number, size, faults, site) && number == own) sum = plus(sum, wide(given[(group * each + at) * row + column]));
    }
    to[i] = narrow<T0>(sum);
  }
}
