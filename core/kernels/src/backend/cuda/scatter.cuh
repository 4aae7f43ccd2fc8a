// Rows that are changed by updates, whose rows are sorted: then each row has its updates side by side, in their order.
// Sums are taken in that order, in parts whose lengths depend on sizes alone: no atomic addition, the same bits each time.

typedef unsigned long long row_t;

// ---- which row each update names; `rows`, which is behind the last, for none ----------------------------------------

extern "C" __global__ void rows_of_tuples(index_t count, Faults* faults, unsigned site, const T0* indices, row_t* keys,
                                          unsigned* refused, index_t rows, Strided sizes) {
  const int depth = (int)sizes.rank;
  ELEMENTS(i, count) {
    index_t number = 0;
    bool there = true;
    for (int axis = 0; axis < depth; ++axis) {
      const index_t index = (index_t)wide(indices[i * depth + axis]);
      there = inside(index, sizes.dims[axis], faults, site) && there;
      number = number * sizes.dims[axis] + index;
    }
    keys[i] = (row_t)(there ? number : rows);
    if (!there) *refused = 1;
  }
}

extern "C" __global__ void rows_of_axis(index_t count, Faults* faults, unsigned site, const T0* indices, row_t* keys,
                                        unsigned* refused, index_t rows, index_t each, index_t inner_groups, index_t size) {
  ELEMENTS(i, count) {
    const index_t group = i / each;
    const index_t number = (index_t)wide(indices[group / inner_groups * each + i % each]);
    const bool there = inside(number, size, faults, site);
    keys[i] = (row_t)(there ? group * size + number : rows);
    if (!there) *refused = 1;
  }
}

// Segments: a negative id names none, unless the ids are sorted.
extern "C" __global__ void rows_of_segments(index_t count, Faults* faults, unsigned site, const T0* ids, row_t* keys, index_t rows,
                                            index_t sorted) {
  ELEMENTS(i, count) {
    const index_t id = (index_t)wide(ids[i]);
    const bool falls = sorted && (id < 0 || (i > 0 && id < (index_t)wide(ids[i - 1])));
    const bool there = !falls && id < rows;
    if (!there) fault(faults, site, PLACE_FAULT, id, rows);
    keys[i] = (row_t)(there && id >= 0 ? id : rows);
  }
}

// Updates that integers are divided by: a zero among them refuses all.
extern "C" __global__ void refuse_zeros(index_t count, Faults* faults, unsigned site, const T0* updates, unsigned* refused) {
  ELEMENTS(i, count) {
    if (updates[i] != 0) continue;
    fault(faults, site, DIVISION_FAULT, 0, 0);
    *refused = 1;
  }
}
