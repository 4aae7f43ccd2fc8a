#ifndef EAGERFLOW_EMULATED
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
#endif
// Tells conditional nodes of the running graph what a truth value says; `no` is told the opposite, if there are two.
extern "C" __global__ void set_conditions(const unsigned char* condition, unsigned long long yes, unsigned long long no, int both) {
  const unsigned value = condition[0] != 0;
  cudaGraphSetConditional(yes, value);
  if (both) cudaGraphSetConditional(no, !value);
}
