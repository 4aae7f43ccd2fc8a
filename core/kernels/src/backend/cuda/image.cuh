// Images (batch, rows, columns, channels) and filters (rows, columns, channels of a group, output channels) that move over them.

struct Conv {
  index_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int k_h, k_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left, groups, unused;
};

// A pixel of images of `h` x `w`.
struct Pixel { index_t image; int row, column; };
__device__ inline Pixel pixel_of(index_t i, index_t h, index_t w) {
  if (i <= 0x7fffffff) {
    const unsigned n = (unsigned)i, line = n / (unsigned)w;
    return Pixel{line / (unsigned)h, (int)(line % (unsigned)h), (int)(n % (unsigned)w)};
  }
  const index_t line = i / w;
  return Pixel{line / h, (int)(line % h), (int)(i % w)};
}

// The next pixel in row-major order.
__device__ inline void advance(Pixel& at, index_t h, index_t w) {
  if (++at.column < w) return;
  at.column = 0;
  if (++at.row < h) return;
  at.row = 0;
  ++at.image;
}
