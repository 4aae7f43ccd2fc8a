// A thread for each place of a band, which is filled up where its diagonal is shorter than the longest.

extern "C" __global__ void diagonals_part(index_t count, const unit_t* from, unit_t* to, Strided x, Lines lines,
                                          unsigned long long low, unsigned long long high, const unit_t* on_device) {
  const Pack<unsigned long long, 2> bits = {{low, high}};
  const unit_t padding = on_device ? *on_device : *(const unit_t*)&bits;
  ELEMENTS(i, count) {
    index_t at, number;
    const index_t row = divided(i, lines.longest, at);
    const index_t batch = divided(row, lines.high - lines.low + 1, number);
    const index_t d = lines.high - number, n = at - before(lines, d);
    const bool within = n >= 0 && n < length_of(lines, d);
    const index_t r = n + (d < 0 ? -d : 0), c = n + (d > 0 ? d : 0);
    to[i] = within ? from[place(x, (batch * lines.rows + r) * lines.cols + c)] : padding;
  }
}
