// The quotient, and what is left. Most numbers fit 32 bits, in which the device divides several times faster.
__device__ inline index_t divided(index_t number, index_t by, index_t& rest) {
  if (((unsigned long long)(number | by) >> 32) == 0) {
    unsigned quotient = (unsigned)number / (unsigned)by;
    rest = (unsigned)number - quotient * (unsigned)by;
    return quotient;
  }
  index_t quotient = number / by;
  rest = number - quotient * by;
  return quotient;
}
