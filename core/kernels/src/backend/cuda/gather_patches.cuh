// The gradient by images from that by their patches, behind image.cuh: each element gathers what the patches hold of it, tap by tap.

extern "C" __global__ void gather_patches(index_t count, Conv g, const T0* patches, T0* x) {
  const index_t depth = (index_t)g.k_h * g.k_w * g.in_c;
  ELEMENTS(i, count) {
    index_t channel, column, row;
    const index_t image = divided(divided(divided(i, g.in_c, channel), g.in_w, column), g.in_h, row);
    A0 sum = 0;
    for (int a = 0; a < g.k_h; ++a) {
      const int over = (int)(row + g.pad_top) - a * g.dilation_h, out_row = over / g.stride_h;
      if (over < 0 || over % g.stride_h != 0 || out_row >= g.out_h) continue;
      for (int b = 0; b < g.k_w; ++b) {
        const int beside = (int)(column + g.pad_left) - b * g.dilation_w, out_column = beside / g.stride_w;
        if (beside < 0 || beside % g.stride_w != 0 || out_column >= g.out_w) continue;
        const index_t pixel = (image * g.out_h + out_row) * g.out_w + out_column;
        sum += wide(patches[pixel * depth + (a * g.k_w + b) * g.in_c + channel]);
      }
    }
    x[i] = narrow<T0>(sum);
  }
}
