// The changes themselves. Nothing is changed where `refused` is given and set: then some update named no row.
// `order` says which update stands at each place among the sorted `keys`; without it they were sorted.

// ---- the last update of each row -------------------------------------------------------------------------------------

extern "C" __global__ void set_rows(index_t count, const row_t* keys, const index_t* order, const unit_t* updates, unit_t* to,
                                    const unsigned* refused, index_t updates_count, index_t rows, index_t row) {
  if (refused && *refused) return;
  ELEMENTS(i, count) {
    index_t column;
    const index_t k = divided(i, row, column), number = (index_t)keys[k];
    if (number >= rows || (k + 1 < updates_count && (index_t)keys[k + 1] == number)) continue;
    to[number * row + column] = updates[(order ? order[k] : k) * row + column];
  }
}
