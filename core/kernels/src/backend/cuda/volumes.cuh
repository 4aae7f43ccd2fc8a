// Convolutions of volumes (batch, planes, rows, columns, channels), behind sums.cuh: a thread for each result, all groups of channels in
// one launch. Neighbouring threads have neighbouring channels. `T0` are volumes and filters, `T1` what is written.

struct Volumes {
  index_t batch, in_d, in_h, in_w, in_c, out_d, out_h, out_w, out_c;
  int k_d, k_h, k_w, stride_d, stride_h, stride_w, dilation_d, dilation_h, dilation_w, pad_front, pad_top, pad_left, groups, unused;
};

// A cell of volumes of `d` x `h` x `w`.
struct Cell { index_t volume; int plane, row, column; };
__device__ inline Cell cell_of(index_t i, index_t d, index_t h, index_t w) {
  index_t plane, row, column;
  const index_t volume = divided(divided(divided(i, w, column), h, row), d, plane);
  return Cell{volume, (int)plane, (int)row, (int)column};
}

// What output `over` - `tap` steps of `dilation` stands for: false where no output reads so, or it is none of `outputs`.
__device__ inline bool reads(int over, int stride, index_t outputs, int& output) {
  output = over / stride;
  return over >= 0 && output * stride == over && output < outputs;
}

extern "C" __global__ void volumes_forward(index_t count, Volumes g, const T0* x, const T0* w, T1* y) {
  const unsigned own = (unsigned)g.in_c / g.groups, outs = (unsigned)g.out_c / g.groups;
  ELEMENTS(i, count) {
    index_t channel;
    const Cell at = cell_of(divided(i, g.out_c, channel), g.out_d, g.out_h, g.out_w);
    const T0* volume = x + at.volume * g.in_d * g.in_h * g.in_w * g.in_c + (unsigned)channel / outs * own;
    A0 sum = 0;
    for (int a = 0; a < g.k_d; ++a) {
      const int plane = at.plane * g.stride_d - g.pad_front + a * g.dilation_d;
      if (plane < 0 || plane >= g.in_d) continue;
      for (int b = 0; b < g.k_h; ++b) {
        const int row = at.row * g.stride_h - g.pad_top + b * g.dilation_h;
        if (row < 0 || row >= g.in_h) continue;
        for (int c = 0; c < g.k_w; ++c) {
          const int column = at.column * g.stride_w - g.pad_left + c * g.dilation_w;
          if (column < 0 || column >= g.in_w) continue;
          const T0* from = volume + ((plane * g.in_h + row) * g.in_w + column) * g.in_c;
          const T0* filter = w + (index_t)((a * g.k_h + b) * g.k_w + c) * own * g.out_c + channel;
          for (unsigned k = 0; k < own; ++k) sum = fused((A0)wide(from[k]), (A0)wide(filter[k * g.out_c]), sum);
        }
      }
    }
    y[i] = narrow<T1>(sum);
  }
}

extern "C" __global__ void volumes_input_gradient(index_t count, Volumes g, const T0* w, const T0* dy, T1* dx) {
  const unsigned own = (unsigned)g.in_c / g.groups, outs = (unsigned)g.out_c / g.groups;
  ELEMENTS(i, count) {
    index_t channel;
    const Cell at = cell_of(divided(i, g.in_c, channel), g.in_d, g.in_h, g.in_w);
    const unsigned group = (unsigned)channel / own, of_group = (unsigned)channel % own;
    const T0* volume = dy + at.volume * g.out_d * g.out_h * g.out_w * g.out_c + group * outs;
    A0 sum = 0;
    int plane, row, column;
    for (int a = 0; a < g.k_d; ++a) {
      if (!reads(at.plane + g.pad_front - a * g.dilation_d, g.stride_d, g.out_d, plane)) continue;
      for (int b = 0; b < g.k_h; ++b) {
        if (!reads(at.row + g.pad_top - b * g.dilation_h, g.stride_h, g.out_h, row)) continue;
        for (int c = 0; c < g.k_w; ++c) {
          if (!reads(at.column + g.pad_left - c * g.dilation_w, g.stride_w, g.out_w, column)) continue;
          const T0* owed = volume + ((plane * g.out_h + row) * g.out_w + column) * g.out_c;
          const T0* filter = w + ((index_t)((a * g.k_h + b) * g.k_w + c) * own + of_group) * g.out_c + group * outs;
          for (unsigned k = 0; k < outs; ++k) sum = fused((A0)wide(owed[k]), (A0)wide(filter[k]), sum);
        }
      }
    }
    dx[i] = narrow<T1>(sum);
  }
}

// Parts of the cells of the output have sums of their own, one list of filters after the other.
extern "C" __global__ void volumes_filter_gradient(index_t count, Volumes g, index_t part, const T0* x, const T0* dy, T1* dw) {
  const unsigned own = (unsigned)g.in_c / g.groups, outs = (unsigned)g.out_c / g.groups;
  const index_t cells = g.batch * g.out_d * g.out_h * g.out_w;
  const index_t filters = (index_t)g.k_d * g.k_h * g.k_w * own * g.out_c;
  ELEMENTS(t, count) {
    index_t i, channel, k, a, b, c;
    const index_t begin = divided(t, filters, i) * part;
    const index_t end = begin + part < cells ? begin + part : cells;
    a = divided(divided(divided(divided(i, g.out_c, channel), own, k), g.k_w, c), g.k_h, b);
    const int front = (int)a * g.dilation_d - g.pad_front, top = (int)b * g.dilation_h - g.pad_top;
    const int side = (int)c * g.dilation_w - g.pad_left;
    const T0* from = x + (unsigned)channel / outs * own + k;
    A0 sum = 0;
    for (index_t n = begin; n < end; ++n) {
      const Cell at = cell_of(n, g.out_d, g.out_h, g.out_w);
      const int plane = at.plane * g.stride_d + front, row = at.row * g.stride_h + top;
      const int column = at.column * g.stride_w + side;
      const bool inside = plane >= 0 && plane < g.in_d && row >= 0 && row < g.in_h && column >= 0 && column < g.in_w;
      if (!inside) continue;
      const index_t cell = ((at.volume * g.in_d + plane) * g.in_h + row) * g.in_w + column;
      sum = fused((A0)wide(from[cell * g.in_c]), (A0)wide(dy[n * g.out_c + channel]), sum);
    }
    dw[t] = narrow<T1>(sum);
  }
}
