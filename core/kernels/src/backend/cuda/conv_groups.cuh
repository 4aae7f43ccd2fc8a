// Convolutions with few channels in a group, as those by depth, behind image.cuh and sums.cuh: a thread for each result, all groups
// in one launch. Neighbouring threads have neighbouring channels. `T0` are images and filters, `T1` what is written.

extern "C" __global__ void grouped_forward(index_t count, Conv g, const T0* x, const T0* w, T1* y) {
  const unsigned own = (unsigned)g.in_c / g.groups, outs = (unsigned)g.out_c / g.groups;
  ELEMENTS(i, count) {
    index_t channel;
    const Pixel at = pixel_of(divided(i, g.out_c, channel), g.out_h, g.out_w);
    const T0* image = x + at.image * g.in_h * g.in_w * g.in_c + (unsigned)channel / outs * own;
    A0 sum = 0;
    for (int a = 0; a < g.k_h; ++a) {
      const int row = at.row * g.stride_h - g.pad_top + a * g.dilation_h;
      if (row < 0 || row >= g.in_h) continue;
      for (int b = 0; b < g.k_w; ++b) {
        const int column = at.column * g.stride_w - g.pad_left + b * g.dilation_w;
        if (column < 0 || column >= g.in_w) continue;
        const T0* from = image + (row * g.in_w + column) * g.in_c;
        const T0* filter = w + (index_t)(a * g.k_w + b) * own * g.out_c + channel;
        for (unsigned c = 0; c < own; ++c) sum = fused((A0)wide(from[c]), (A0)wide(filter[c * g.out_c]), sum);
      }
    }
    y[i] = narrow<T1>(sum);
  }
}

extern "C" __global__ void grouped_input_gradient(index_t count, Conv g, const T0* w, const T0* dy, T1* dx) {
  const unsigned own = (unsigned)g.in_c / g.groups, outs = (unsigned)g.out_c / g.groups;
  ELEMENTS(i, count) {
    index_t channel;
    const Pixel at = pixel_of(divided(i, g.in_c, channel), g.in_h, g.in_w);
    const unsigned group = (unsigned)channel / own, of_group = (unsigned)channel % own;
    const T0* image = dy + at.image * g.out_h * g.out_w * g.out_c + group * outs;
    A0 sum = 0;
    for (int a = 0; a < g.k_h; ++a) {
      const int over = at.row + g.pad_top - a * g.dilation_h, row = over / g.stride_h;
      if (over < 0 || row * g.stride_h != over || row >= g.out_h) continue;
      for (int b = 0; b < g.k_w; ++b) {
        const int beside = at.column + g.pad_left - b * g.dilation_w, column = beside / g.stride_w;
        if (beside < 0 || column * g.stride_w != beside || column >= g.out_w) continue;
        const T0* owed = image + (row * g.out_w + column) * g.out_c;
        const T0* filter = w + ((index_t)(a * g.k_w + b) * own + of_group) * g.out_c + group * outs;
        for (unsigned o = 0; o < outs; ++o) sum = fused((A0)wide(owed[o]), (A0)wide(filter[o]), sum);
      }
    }
    dx[i] = narrow<T1>(sum);
  }
}

// Parts of the pixels have sums of their own, one list of filters after the other.
extern "C" __global__ void grouped_filter_gradient(index_t count, Conv g, index_t part, const T0* x, const T0* dy, T1* dw) {
  const unsigned own = (unsigned)g.in_c / g.groups, outs = (unsigned)g.out_c / g.groups;
  const index_t pixels = g.batch * g.out_h * g.out_w, filters = (index_t)g.k_h * g.k_w * own * g.out_c;
  ELEMENTS(t, count) {
    index_t i, channel, c, b;
    const index_t begin = divided(t, filters, i) * part;
    const index_t end = begin + part < pixels ? begin + part : pixels;
    const index_t a = divided(divided(divided(i, g.out_c, channel), own, c), g.k_w, b);
    const int top = (int)a * g.dilation_h - g.pad_top, side = (int)b * g.dilation_w - g.pad_left;
    const T0* from = x + (unsigned)channel / outs * own + c;
    Pixel at = pixel_of(begin, g.out_h, g.out_w);
    A0 sum = 0;
    for (index_t k = begin; k < end; ++k) {
      const int row = at.row * g.stride_h + top, column = at.column * g.stride_w + side;
      if (row >= 0 && row < g.in_h && column >= 0 && column < g.in_w) {
        const A0 seen = (A0)wide(from[((at.image * g.in_h + row) * g.in_w + column) * g.in_c]);
        sum = fused(seen, (A0)wide(dy[k * g.out_c + channel]), sum);
      }
      advance(at, g.out_h, g.out_w);
    }
    dw[t] = narrow<T1>(sum);
  }
}
