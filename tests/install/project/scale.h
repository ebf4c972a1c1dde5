#include <cuda_runtime.h>

// x[i] *= factor, for n numbers that lie on the device.
cudaError_t scale(float *x, float factor, int n);
