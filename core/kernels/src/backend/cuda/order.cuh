// Keys that order as elements do, by whose digits rows are sorted.
// `order.rs` launches it for `sort`, `argsort` and `top_k`, and other operations that put elements in order.

typedef unsigned long long row_t;

// -0 as 0, and all NaN as the greatest.
__device__ inline row_t order_key(float x) {
  if (x != x) return 0xffffffffull;
  const unsigned bits = x == 0.0f ? 0u : __float_as_uint(x);
  return bits >> 31 ? (unsigned)~bits : bits | 0x80000000u;
}
__device__ inline row_t order_key(double x) {
  if (x != x) return ~0ull;
  const row_t bits = x == 0.0 ? 0ull : (row_t)__double_as_longlong(x);
  return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}
template <class T> __device__ inline row_t order_key(T x) { return (row_t)x - (row_t)Limits<T>::lowest(); }

extern "C" __global__ void order_keys(index_t count, const T0* x, row_t* keys, int descending, row_t greatest) {
  ELEMENTS(i, count) {
    const row_t key = order_key(wide(x[i]));
    keys[i] = descending ? greatest - key : key;
  }
}
