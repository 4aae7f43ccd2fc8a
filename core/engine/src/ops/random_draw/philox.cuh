// The Philox generator of `backend/cpu/philox`, bit for bit: words of a stream, and the uniform number of a word. `T1` is the type of seeds.
// The draws stand behind it, and attention for what it drops.

struct Stream { unsigned long long low, high, key; };
struct Words { unsigned of[4]; };

__device__ inline Stream ahead(Stream stream, unsigned long long groups) {
  stream.low += groups;
  stream.high += stream.low < groups;
  return stream;
}

__device__ inline Words words_at(const Stream& stream) {
  unsigned c0 = (unsigned)stream.low, c1 = (unsigned)(stream.low >> 32);
  unsigned c2 = (unsigned)stream.high, c3 = (unsigned)(stream.high >> 32);
  unsigned k0 = (unsigned)stream.key, k1 = (unsigned)(stream.key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = (unsigned long long)0xD2511F53u * c0, p1 = (unsigned long long)0xCD9E8D57u * c2;
    c0 = (unsigned)(p1 >> 32) ^ c1 ^ k0;
    c2 = (unsigned)(p0 >> 32) ^ c3 ^ k1;
    c1 = (unsigned)p1;
    c3 = (unsigned)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return Words{{c0, c1, c2, c3}};
}

// The stream that was given; or, on the device, that of a generator's state of three words, or of a seed of two integers,
// `step` elements apart: scrambled by a call under a fixed key.
__device__ inline Stream stream_of(const T1* seed, index_t step, bool state, Stream given) {
  if (!seed) return given;
  if (state)
    return Stream{(unsigned long long)wide(seed[0]), (unsigned long long)wide(seed[1]), (unsigned long long)wide(seed[2])};
  const Stream plain = {(unsigned long long)(long long)wide(seed[0]), (unsigned long long)(long long)wide(seed[step]),
                        0x02461e293ec8f720ull};
  const Words words = words_at(plain);
  return Stream{0, words.of[2] | (unsigned long long)words.of[3] << 32, words.of[0] | (unsigned long long)words.of[1] << 32};
}

__device__ inline float unit(unsigned word) { return __uint_as_float(0x3F800000u | (word & 0x007FFFFFu)) - 1.0f; }
