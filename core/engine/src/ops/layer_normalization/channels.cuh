// Normalisation of channels and its gradient: the passes over elements. A channel of an example is summed in parts: spot s in part s modulo their
// number; what the sums come to is in channel_rows.cuh.

// The parts of sums forward: mean and squares around it; backward, where dy is there, the sums of dy and of dy (x - mean).
extern "C" __global__ void normalize_channels_sums(index_t count, index_t parts, index_t spots, index_t channels, index_t groups,
                                                   index_t last, index_t batch, const T0* x, const T0* dy, const A0* means, A0* sums) {
  ELEMENTS(i, count) {
    const index_t part = last ? i / channels % parts : i % parts;
    const index_t channel = last ? i % channels : i / parts % channels;
    const index_t example = i / (channels * parts);
    const index_t start = last ? example * spots * channels + channel : (example * channels + channel) * spots;
    const index_t step = last ? channels : 1;
    A0 first = 0, second = 0;
    if (dy) {
      const A0 mean = means[(batch ? 0 : example * groups) + channel / (channels / groups)];
      for (index_t spot = part; spot < spots; spot += parts) {
        const A0 owed = (A0)wide(dy[start + spot * step]);
        first += owed;
        second += owed * ((A0)wide(x[start + spot * step]) - mean);
      }
    } else if (part < spots) {
      // Around the first element: a far mean costs no digits.
      const A0 shift = (A0)wide(x[start + part * step]);
      index_t n = 0;
      for (index_t spot = part; spot < spots; spot += parts, ++n) {
        const A0 far = (A0)wide(x[start + spot * step]) - shift;
        first += far;
        second += far * far;
      }
      second -= first * first / (A0)n;
      if (second < 0) second = 0;
      first = shift + first / (A0)n;
    }
    const index_t to = (example * channels + channel) * parts + part;
    sums[to] = first;
    sums[count + to] = second;
  }
}

// The elements: forward, or backward where dy is there.
extern "C" __global__ void normalize_channels_write(index_t count, index_t spots, index_t channels, index_t groups, index_t last, index_t batch,
                                                    index_t rows, double epsilon, const T0* x, const T0* dy, const A0* means,
                                                    const A0* variances, const A0* slopes, const A0* scale, const A0* offset, T0* out) {
  ELEMENTS(i, count) {
    const index_t channel = last ? i % channels : i / spots % channels;
    const index_t row = (batch ? 0 : i / (spots * channels) * groups) + channel / (channels / groups);
    const A0 far = (A0)wide(x[i]) - means[row];
    A0 by = (A0)1 / (A0)sqrt(variances[row] + (A0)epsilon);
    if (scale) by *= scale[channel];
    A0 value;
    if (dy) value = (A0)wide(dy[i]) * by + (far * slopes[rows + row] + slopes[row]);
    else value = far * by + (offset ? offset[channel] : (A0)0);
    out[i] = narrow<T0>(value);
  }
}
