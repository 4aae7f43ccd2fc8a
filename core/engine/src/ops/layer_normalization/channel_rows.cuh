// What sums of channels come to, statistic by statistic or channel by channel, behind rows.cuh. Sums lie by examples, channels and parts, those of
// the second kind `count` behind those of the first: the sums of a channel, and of a group, are neighbours.

// Where item t of a statistic lies: its examples, then its channels, then their parts.
__device__ inline index_t item(index_t t, index_t row, index_t parts, index_t channels, index_t groups, index_t batch) {
  const index_t own = channels / groups * parts;
  return batch ? t / own * channels * parts + row * own + t % own : row * own + t;
}

// The mean and variance of each statistic, one for each row, of `n` items.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) normalize_channels_moments(index_t rows, index_t n, index_t count, index_t parts,
                                                                                  index_t spots, index_t channels, index_t groups,
                                                                                  index_t batch, const A0* sums, A0* means, A0* variances) {
  const int lane = threadIdx.x % LANES;
  ROWS(row, rows) {
    A0 near = 0, elements = 0;
    for (index_t t = lane; t < n; t += LANES) {
      const A0 own = (A0)((spots - t % parts + parts - 1) / parts);
      near += own * sums[item(t, row, parts, channels, groups, batch)];
      elements += own;
    }
    const A0 total = all<Sum>(elements), mean = all<Sum>(near) / total;
    A0 squares = 0;
    for (index_t t = lane; t < n; t += LANES) {
      const index_t at = item(t, row, parts, channels, groups, batch);
      const A0 far = sums[at] - mean;
      squares += sums[count + at] + (A0)((spots - t % parts + parts - 1) / parts) * far * far;
    }
    const A0 variance = all<Sum>(squares) / total;
    if (lane == 0) means[row] = mean, variances[row] = variance;
  }
}

// The coefficients of the gradient that the elements of a statistic share.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) normalize_channels_slopes(index_t rows, index_t n, index_t count, index_t parts,
                                                                                 index_t channels, index_t groups, index_t batch,
                                                                                 double total, double epsilon, const A0* scale,
                                                                                 const A0* sums, const A0* variances, A0* slopes) {
  const int lane = threadIdx.x % LANES;
  ROWS(row, rows) {
    A0 owed = 0, along = 0;
    for (index_t t = lane; t < n; t += LANES) {
      const index_t at = item(t, row, parts, channels, groups, batch);
      const A0 by = scale ? scale[at / parts % channels] : (A0)1;
      owed += by * sums[at];
      along += by * sums[count + at];
    }
    owed = all<Sum>(owed) / (A0)total;
    along = all<Sum>(along) / (A0)total;
    const A0 root = (A0)1 / (A0)sqrt(variances[row] + (A0)epsilon);
    if (lane == 0) slopes[row] = -root * owed, slopes[rows + row] = -root * root * root * along;
  }
}

// The gradients of scale and offset: each row is a channel, of `n` parts of all examples.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) normalize_channels_columns(index_t rows, index_t n, index_t count, index_t parts,
                                                                                  index_t groups, index_t batch, double epsilon,
                                                                                  const A0* sums, const A0* variances, A0* dscale,
                                                                                  A0* doffset) {
  const int lane = threadIdx.x % LANES;
  ROWS(row, rows) {
    A0 scale = 0, offset = 0;
    for (index_t t = lane; t < n; t += LANES) {
      const index_t example = t / parts, at = (example * rows + row) * parts + t % parts;
      const A0 variance = variances[(batch ? 0 : example * groups) + row / (rows / groups)];
      scale += sums[count + at] / (A0)sqrt(variance + (A0)epsilon);
      offset += sums[at];
    }
    scale = all<Sum>(scale);
    offset = all<Sum>(offset);
    if (lane == 0) {
      if (dscale) dscale[row] = scale;
      if (doffset) doffset[row] = offset;
    }
  }
}
