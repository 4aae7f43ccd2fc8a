// The row of its segment for each id; zeros for an id of none. Neighbouring threads read neighbouring units of a row.

extern "C" __global__ void segment_rows(index_t count, const unit_t* from, const T1* ids, unit_t* to, index_t row, index_t size) {
  ELEMENTS(i, count) {
    index_t column;
    const index_t id = (index_t)wide(ids[divided(i, row, column)]);
    to[i] = id >= 0 && id < size ? from[id * row + column] : unit_t{};
  }
}
