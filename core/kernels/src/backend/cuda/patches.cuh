// The patches of images that filters see, as rows of a matrix, behind image.cuh. A row is an output pixel; its columns are the
// filters' rows, columns and channels. Channels count in units of `unit_t`; pixels from the first of some images.

extern "C" __global__ void patches(index_t count, Conv g, const unit_t* x, unit_t* y) {
  const index_t depth = (index_t)g.k_h * g.k_w * g.in_c;
  ELEMENTS(i, count) {
    index_t k, column, row, channel;
    const index_t image = divided(divided(divided(i, depth, k), g.out_w, column), g.out_h, row);
    const int tap = (int)divided(k, g.in_c, channel);
    row = row * g.stride_h - g.pad_top + tap / g.k_w * g.dilation_h;
    column = column * g.stride_w - g.pad_left + tap % g.k_w * g.dilation_w;
    const bool inside = row >= 0 && row < g.in_h && column >= 0 && column < g.in_w;
    y[i] = inside ? x[((image * g.in_h + row) * g.in_w + column) * g.in_c + channel] : unit_t();
  }
}
