// Products, quotients, greatest and least of updates: the first of a row's sorted updates has a thread for each column, which takes all of the row
// in their order. `scatter.rs` launches it; the bits are those of the loop on the host.

// The two before the last are NaN where an update is, and the last of equal ones.
enum { PRODUCT = 0, MAX = 1, MIN = 2, GREATEST = 3, LEAST = 4, QUOTIENT = 5 };
// The lowest integer divided by -1 wraps; zeros were refused.
template <class T> __device__ inline T quotient(T a, T b) {
  return b == (T)0 ? (T)0 : b < (T)0 && b == (T)-1 ? wrap_neg(a) : (T)(a / b);
}
__device__ inline float quotient(float a, float b) { return __fdiv_rn(a, b); }
__device__ inline double quotient(double a, double b) { return __ddiv_rn(a, b); }
__device__ inline float less(float a, float b) { return __fsub_rn(a, b); }
__device__ inline double less(double a, double b) { return __dsub_rn(a, b); }
// Smith's way: the divisor's parts are never squared.
template <class C> __device__ inline C smith(C a, C b) {
  const bool wide = magnitude(b.re) >= magnitude(b.im);
  const auto large = wide ? b.re : b.im, small = wide ? b.im : b.re;
  const auto along = wide ? a.re : a.im, across = wide ? a.im : a.re;
  const auto ratio = quotient(small, large), under = plus(large, times(small, ratio));
  const auto im = quotient(less(across, times(along, ratio)), under);
  return C{quotient(plus(along, times(across, ratio)), under), wide ? im : -im};
}
template <class T> __device__ inline T folded(T old, T update, index_t how) {
  if (how == PRODUCT) return times(old, update);
  if (how == QUOTIENT) return quotient(old, update);
  if (how >= GREATEST) return old != old || (how == GREATEST ? update < old : update > old) ? old : update;
  return (how == MAX ? update > old : update < old) ? update : old;
}
// Complex numbers have no order, and are multiplied and divided only.
__device__ inline complex64 folded(complex64 old, complex64 update, index_t how) {
  return how == QUOTIENT ? smith(old, update) : times(old, update);
}
__device__ inline complex128 folded(complex128 old, complex128 update, index_t how) {
  return how == QUOTIENT ? smith(old, update) : times(old, update);
}

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
