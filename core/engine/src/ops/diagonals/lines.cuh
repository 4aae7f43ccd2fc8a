// The diagonals of a band in matrices: `band.rs` has the same in Rust, and says what the words are.

struct Lines { index_t rows, cols, low, high, longest, right; };

__device__ inline index_t length_of(const Lines& lines, index_t d) {
  const index_t across = lines.cols - (d > 0 ? d : 0), down = lines.rows + (d < 0 ? d : 0);
  const index_t least = across < down ? across : down;
  return least > 0 ? least : 0;
}

// The places before a diagonal in its row.
__device__ inline index_t before(const Lines& lines, index_t d) {
  const bool right = (d >= 0 && (lines.right & 1)) || (d <= 0 && (lines.right & 2));
  return right ? lines.longest - length_of(lines, d) : 0;
}
