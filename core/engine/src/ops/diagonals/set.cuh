// A thread for each element of the matrices, which takes it from the band or leaves it as it is.

extern "C" __global__ void diagonals_set(index_t count, const unit_t* from, const unit_t* band, unit_t* to, Strided x,
                                         Strided diagonals, Lines lines, index_t in_place) {
  ELEMENTS(i, count) {
    index_t c, r;
    const index_t row = divided(i, lines.cols, c);
    const index_t batch = divided(row, lines.rows, r);
    const index_t d = c - r;
    if (d < lines.low || d > lines.high) {
      if (!in_place) to[i] = from[place(x, i)];
      continue;
    }
    const index_t at = before(lines, d) + c - (d > 0 ? d : 0);
    to[i] = band[place(diagonals, (batch * (lines.high - lines.low + 1) + lines.high - d) * lines.longest + at)];
  }
}
