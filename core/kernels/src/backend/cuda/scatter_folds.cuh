// Products, greatest and least of updates: the first of a row's sorted updates has a thread for each column, which takes all of the row
// in their order. `scatter.rs` launches it; the bits are those of the loop on the host.

// The last two are NaN where an update is, and the last of equal ones.
enum { PRODUCT = 0, MAX = 1, MIN = 2, GREATEST = 3, LEAST = 4 };
template <class T> __device__ inline T folded(T old, T update, index_t how) {
  if (how == PRODUCT) return times(old, update);
  if (how >= GREATEST) return old != old || (how == GREATEST ? update < old : update > old) ? old : update;
  return (how == MAX ? update > old : update < old) ? update : old;
}
// Complex numbers have no order, and are multiplied only.
__device__ inline complex64 folded(complex64 old, complex64 update, index_t) { return times(old, update); }
__device__ inline complex128 folded(complex128 old, complex128 update, index_t) { return times(old, update); }

extern "C" __global__ void fold_rows(index_t count, const row_t* keys, const index_t* order, const T0* updates, T0* to,
                                     const unsigned* refused, index_t updates_count, index_t rows, index_t row, index_t how,
                                     index_t fresh) {
  if (refused && *refused) return;
  ELEMENTS(i, count) {
    index_t column;
    index_t k = divided(i, row, column);
    const index_t number = (index_t)keys[k];
    if (number >= rows || (k > 0 && (index_t)keys[k - 1] == number)) continue;
    // A fresh row begins with its first update.
    auto value = wide(fresh ? updates[(order ? order[k] : k) * row + column] : to[number * row + column]);
    for (; k < updates_count && (index_t)keys[k] == number; ++k)
      value = wide(narrow<T0>(folded(value, wide(updates[(order ? order[k] : k) * row + column]), how)));
    to[number * row + column] = narrow<T0>(value);
  }
}
