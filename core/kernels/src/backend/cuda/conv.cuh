// Convolutions as products by tiles that read images as they need them, behind image.cuh and runs.cuh. `T0` are images and
// filters, `T1` is what is written: the result, or the sums of parts of the steps. No thread adds to what another one writes.
// A group of channels is a product of its own, all of them in one launch.

// A row of the filters seen as a matrix, from the window's first cell.
struct Tap { int row, column, channel; };
__device__ inline Tap tap_of(const Conv& g, unsigned own, unsigned k) {
  const unsigned tap = k / own;
  return Tap{(int)(tap / (unsigned)g.k_w) * g.dilation_h, (int)(tap % (unsigned)g.k_w) * g.dilation_w, (int)(k - tap * own)};
}

// Rows are output pixels, columns a group's output channels, steps the rows of its filters.
extern "C" __global__ void conv_forward(Conv g, index_t part, index_t parts, const T0* x, const T0* w, T1* y) {
  const int own = (int)g.in_c / g.groups, outs = (int)g.out_c / g.groups;
  const index_t pixels = g.batch * g.out_h * g.out_w, depth = (index_t)g.k_h * g.k_w * own;
  const Task t = task(pixels, outs, parts);
  const index_t begin = t.part * part, end = begin + part < depth ? begin + part : depth;
  const index_t row = t.row + left_row(), column = t.column + right_column();
  const bool there = row < pixels;
  const Pixel at = pixel_of(there ? row : 0, g.out_h, g.out_w);
  const int top = at.row * g.stride_h - g.pad_top, side = at.column * g.stride_w - g.pad_left;
  const T0* image = x + at.image * g.in_h * g.in_w * g.in_c + t.batch * own;
  auto seen = [&](const Tap& tap) -> const T0* {
    const int i = top + tap.row, j = side + tap.column;
    const bool inside = there && i >= 0 && i < (int)g.in_h && j >= 0 && j < (int)g.in_w;
    return inside ? image + ((index_t)i * (int)g.in_w + j) * g.in_c + tap.channel : nullptr;
  };
  const bool whole = own % LEFTS == 0, aligned = fours(x, g.in_c) && own % 4 == 0;
  Sums sums = no_sums();
  multiply(
      begin, end,
      [&](index_t k, A0* to) {
        Tap tap = tap_of(g, (unsigned)own, (unsigned)k);
        if (whole) {
          const T0* from = k < end ? seen(tap) : nullptr;
          if (from) neighbours<LEFTS>(from, aligned, to);
          else nothing<LEFTS>(to);
          return;
        }
        #pragma unroll
        for (int j = 0; j < LEFTS; ++j) {
          const T0* from = k + j < end ? seen(tap) : nullptr;
          to[j] = from ? (A0)wide(*from) : (A0)0;
          if (++tap.channel < own) continue;
          tap.channel = 0;
          tap.column += g.dilation_w;
          if (tap.column < g.k_w * g.dilation_w) continue;
          tap.column = 0;
          tap.row += g.dilation_h;
        }
      },
      [&](index_t k, A0* to) {
        const T0* from = w + k * g.out_c + t.batch * outs + column;
        #pragma unroll
        for (int j = 0; j < RIGHTS; ++j) to[j] = column < outs && k + j < end ? (A0)wide(from[j * g.out_c]) : (A0)0;
      },
      sums);
  y += (t.part * pixels + t.row) * g.out_c + t.batch * outs + t.column;
  results(sums, pixels - t.row, outs - t.column, [&](int i) { return y + i * g.out_c; });
}

// Rows are the rows of a group's filters, columns its output channels, steps the output pixels.
extern "C" __global__ void conv_filter_gradient(Conv g, index_t part, index_t parts, const T0* x, const T0* dy, T1* dw) {
  const int own = (int)g.in_c / g.groups, outs = (int)g.out_c / g.groups;
  const index_t pixels = g.batch * g.out_h * g.out_w, depth = (index_t)g.k_h * g.k_w * own;
  const Task t = task(depth, outs, parts);
  const index_t begin = t.part * part, end = begin + part < pixels ? begin + part : pixels;
  const index_t row = t.row + left_row(), column = t.column + right_column();
  const bool there = row < depth;
  const Tap tap = tap_of(g, (unsigned)own, there ? (unsigned)row : 0);
  const int top = tap.row - g.pad_top, side = tap.column - g.pad_left;
  x += t.batch * own + tap.channel;
  Sums sums = no_sums();
  multiply(
      begin, end,
      [&](index_t k, A0* to) {
        Pixel at = pixel_of(k, g.out_h, g.out_w);
        #pragma unroll
        for (int s = 0; s < LEFTS; ++s) {
          const int i = at.row * g.stride_h + top, j = at.column * g.stride_w + side;
          const bool inside = there && k + s < end && i >= 0 && i < (int)g.in_h && j >= 0 && j < (int)g.in_w;
          to[s] = inside ? (A0)wide(x[((at.image * g.in_h + i) * g.in_w + j) * g.in_c]) : (A0)0;
          advance(at, g.out_h, g.out_w);
        }
      },
      [&](index_t k, A0* to) {
        const T0* from = dy + k * g.out_c + t.batch * outs + column;
        #pragma unroll
        for (int j = 0; j < RIGHTS; ++j) to[j] = column < outs && k + j < end ? (A0)wide(from[j * g.out_c]) : (A0)0;
      },
      sums);
  dw += (t.part * depth + t.row) * g.out_c + t.batch * outs + t.column;
  results(sums, depth - t.row, outs - t.column, [&](int i) { return dw + i * g.out_c; });
}

// The taps along one axis that reach the inputs of a class: the first, from one to the next, and their number.
struct Reach { int first, step, count; };
__device__ inline Reach reach(int from, int k, int stride, int dilation) {
  Reach r{k, 1, 0};
  for (int a = 0; a < k; ++a) {
    if ((from - a * dilation) % stride != 0) continue;
    if (r.count == 0) r.first = a;
    if (r.count == 1) r.step = a - r.first;
    ++r.count;
  }
  return r;
}

// Rows are input pixels of one class, columns a group's input channels, steps its output channels, tap by tap. Pixels are of one
// class if they lie equally far from where windows begin: the same taps reach all of them, and the others are left out.
extern "C" __global__ void conv_input_gradient(Conv g, const T0* w, const T0* dy, T1* dx) {
  const int own = (int)g.in_c / g.groups, outs = (int)g.out_c / g.groups;
  const index_t most_h = (g.in_h + g.stride_h - 1) / g.stride_h, most_w = (g.in_w + g.stride_w - 1) / g.stride_w;
  const index_t pixels = g.batch * most_h * most_w;
  const Task t = task(pixels, own, 1);
  const int group = (int)(t.batch % g.groups), of_class = (int)(t.batch / g.groups);
  const int from_h = of_class / g.stride_w, from_w = of_class % g.stride_w;
  const Reach down = reach(from_h + g.pad_top, g.k_h, g.stride_h, g.dilation_h);
  const Reach across = reach(from_w + g.pad_left, g.k_w, g.stride_w, g.dilation_w);
  const index_t end = (index_t)down.count * across.count * outs;
  const index_t row = t.row + left_row(), column = t.column + right_column();
  const bool there = row < pixels;
  const Pixel at = pixel_of(there ? row : 0, most_h, most_w);
  const int top = at.row * g.stride_h + from_h + g.pad_top, side = at.column * g.stride_w + from_w + g.pad_left;
  const T0* image = dy + at.image * g.out_h * g.out_w * g.out_c + group * outs;
  // A step: which of the taps that reach, and which output channel.
  struct Step { int over, beside, channel; };
  auto step_of = [&](unsigned k) {
    const unsigned tap = k / (unsigned)outs, line = tap / (unsigned)across.count;
    return Step{(int)line, (int)(tap - line * across.count), (int)(k - tap * outs)};
  };
  auto next = [&](Step& step) {
    if (++step.channel < outs) return;
    step.channel = 0;
    if (++step.beside < across.count) return;
    step.beside = 0;
    ++step.over;
  };
  auto owing = [&](const Step& step) -> const T0* {
    const int i = top - (down.first + step.over * down.step) * g.dilation_h;
    const int j = side - (across.first + step.beside * across.step) * g.dilation_w;
    if (!there || i < 0 || j < 0) return nullptr;
    const int out_row = i / g.stride_h, out_column = j / g.stride_w;
    if (out_row >= (int)g.out_h || out_column >= (int)g.out_w) return nullptr;
    return image + ((index_t)out_row * (int)g.out_w + out_column) * g.out_c + step.channel;
  };
  const bool whole = outs % LEFTS == 0, aligned = fours(dy, g.out_c) && outs % 4 == 0;
  Sums sums = no_sums();
  multiply(
      0, end,
      [&](index_t k, A0* to) {
        Step step = step_of((unsigned)k);
        if (whole) {
          const T0* from = k < end ? owing(step) : nullptr;
          if (from) neighbours<LEFTS>(from, aligned, to);
          else nothing<LEFTS>(to);
          return;
        }
        #pragma unroll
        for (int j = 0; j < LEFTS; ++j) {
          const T0* from = k + j < end ? owing(step) : nullptr;
          to[j] = from ? (A0)wide(*from) : (A0)0;
          next(step);
        }
      },
      [&](index_t k, A0* to) {
        Step step = step_of((unsigned)k);
        #pragma unroll
        for (int j = 0; j < RIGHTS; ++j) {
          const int a = down.first + step.over * down.step, b = across.first + step.beside * across.step;
          const index_t filter = ((index_t)(a * g.k_w + b) * own + column) * g.out_c + group * outs + step.channel;
          to[j] = column < own && k + j < end ? (A0)wide(w[filter]) : (A0)0;
          next(step);
        }
      },
      sums);
  results(sums, pixels - t.row, own - t.column, [&](int i) -> T1* {
    const Pixel to = pixel_of(t.row + i, most_h, most_w);
    const index_t h = (index_t)to.row * g.stride_h + from_h, w = (index_t)to.column * g.stride_w + from_w;
    if (h >= g.in_h || w >= g.in_w) return nullptr;
    return dx + ((to.image * g.in_h + h) * g.in_w + w) * g.in_c + group * own + t.column;
  });
}
