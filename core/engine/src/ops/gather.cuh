// Rows by number: of a group of rows along an axis (`gather`), or by tuples of indices (`gather_nd`).
// Neighbouring threads read neighbouring units of a row. A wrong index is a fault and gives zeros.

extern "C" __global__ void gather(index_t count, Faults* faults, unsigned site, const unit_t* from, const T1* indices,
                                  unit_t* to, index_t row, index_t each, index_t inner_groups, index_t size) {
  ELEMENTS(i, count) {
    index_t column, at;
    const index_t line = divided(i, row, column), group = divided(line, each, at);
    index_t within;
    const index_t batch = divided(group, inner_groups, within);
    const index_t number = (index_t)wide(indices[batch * each + at]);
    to[i] = inside(number, size, faults, site) ? from[(group * size + number) * row + column] : unit_t{};
  }
}

// `sizes` has the dimensions that a tuple names.
extern "C" __global__ void gather_nd(index_t count, Faults* faults, unsigned site, const unit_t* from, const T1* indices,
                                     unit_t* to, index_t row, Strided sizes) {
  const int depth = (int)sizes.rank;
  ELEMENTS(i, count) {
    index_t column;
    const index_t line = divided(i, row, column);
    index_t number = 0;
    bool there = true;
    for (int axis = 0; axis < depth; ++axis) {
      const index_t index = (index_t)wide(indices[line * depth + axis]);
      there = inside(index, sizes.dims[axis], faults, site) && there;
      number = number * sizes.dims[axis] + index;
    }
    to[i] = there ? from[number * row + column] : unit_t{};
  }
}
