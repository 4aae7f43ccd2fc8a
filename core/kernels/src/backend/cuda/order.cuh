// Keys that order as elements do, where rows are sorted by digits, and what is written of the order that comes out.
// `order.rs` launches them for `sort`, `argsort` and `top_k`, and other operations that put elements in order.

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

// The rows of elements in an order: keys of the last pass, behind which rows lie side by side.
extern "C" __global__ void rows_in_order(index_t count, const index_t* order, row_t* keys, index_t length) {
  ELEMENTS(i, count) keys[i] = (row_t)(order[i] / length);
}

// The first `kept` elements of each row, and their places in it; what is not wanted has no address.
extern "C" __global__ void write_in_order(index_t count, const T0* x, const index_t* order, T0* values, T1* places,
                                          index_t length, index_t kept) {
  ELEMENTS(i, count) {
    const index_t row = i / kept, from = order[row * length + (i - row * kept)];
    if (values) values[i] = x[from];
    if (places) places[i] = (T1)(from - row * length);
  }
}
