// Adam's rate of step number `step`, counted from 1. `T0` is the rate's dtype, `T1` the step's.
__device__ inline double corrected(double rate, double step, double beta_1, double beta_2) {
  return rate * sqrt(1.0 - pow(beta_2, step)) / (1.0 - pow(beta_1, step));
}

extern "C" __global__ void effective_rate(index_t count, const T0* rate, const T1* step, double beta_1, double beta_2,
                                          double* y) {
  ELEMENTS(i, count) y[i] = corrected((double)rate[i], (double)step[i], beta_1, beta_2);
}
