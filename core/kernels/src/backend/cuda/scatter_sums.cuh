// Sums of updates. The sorted updates are cut into pieces, each summed by one thread for each column. A row whose updates
// lie within a piece is written at once; the parts of others go to `parts`: what a piece adds to a row that began before
// it, then what it has of a row that goes on. The latter's sum begins with the row's old value.

template <class T> __device__ inline T joined(T a, T b) { return plus(a, b); }
__device__ inline bool joined(bool a, bool b) { return a || b; }
template <class T> __device__ inline T less(T a, T b) { return wrap_sub(a, b); }
__device__ inline float less(float a, float b) { return __fsub_rn(a, b); }
__device__ inline double less(double a, double b) { return __dsub_rn(a, b); }
__device__ inline bool less(bool a, bool b) { return a && !b; }

extern "C" __global__ void sum_rows(index_t count, const row_t* keys, const index_t* order, const T0* updates, T0* to, A0* parts,
                                    const unsigned* refused, index_t updates_count, index_t rows, index_t row, index_t piece,
                                    index_t minus) {
  if (refused && *refused) return;
  ELEMENTS(i, count) {
    index_t column;
    const index_t own = divided(i, row, column), begin = own * piece;
    const index_t end = begin + piece < updates_count ? begin + piece : updates_count;
    for (index_t k = begin; k < end;) {
      const index_t number = (index_t)keys[k];
      if (number >= rows) break;
      const bool began_before = k == begin && begin > 0 && (index_t)keys[begin - 1] == number;
      A0 sum = began_before ? (A0)0 : wide(to[number * row + column]);
      for (; k < end && (index_t)keys[k] == number; ++k) {
        const A0 update = wide(updates[(order ? order[k] : k) * row + column]);
        sum = minus ? less(sum, update) : joined(sum, update);
      }
      const bool goes_on = k == end && end < updates_count && (index_t)keys[end] == number;
      if (began_before) parts[2 * own * row + column] = sum;
      else if (goes_on) parts[(2 * own + 1) * row + column] = sum;
      else to[number * row + column] = narrow<T0>(sum);
    }
  }
}

// Rows whose updates lie in several pieces: the piece in which one begins adds what the next ones have.
extern "C" __global__ void join_pieces(index_t count, const row_t* keys, T0* to, const A0* parts, const unsigned* refused,
                                       index_t updates_count, index_t rows, index_t row, index_t piece) {
  if (refused && *refused) return;
  ELEMENTS(i, count) {
    index_t column;
    const index_t own = divided(i, row, column), begin = own * piece;
    index_t end = begin + piece;
    if (end >= updates_count) continue;
    const index_t number = (index_t)keys[end];
    if (number >= rows || (index_t)keys[end - 1] != number) continue;
    if (begin > 0 && (index_t)keys[begin - 1] == number) continue;
    A0 sum = parts[(2 * own + 1) * row + column];
    for (index_t next = own + 1;; ++next) {
      sum = joined(sum, parts[2 * next * row + column]);
      end += piece;
      if (end >= updates_count || (index_t)keys[end] != number) break;
    }
    to[number * row + column] = narrow<T0>(sum);
  }
}
