// What the three sides of the benchmark share: the same jobs as native C with OpenMP
// (native.c) and as OpenCL C on pocl (opencl.c), called from bench.cu.
#ifndef KUDZU_BENCH_H
#define KUDZU_BENCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// native.c: how an expert would write it for this machine's vectors.
void native_saxpy(float a, const float *x, float *y, size_t n);
void native_nbody(const float *pos, float *acc, int n); // x, y, z, mass; accelerations
float native_sum(const float *x, size_t n);
void native_transpose(const float *in, float *out, int n);
void native_matmul(const float *a, const float *b, float *c, int n);
void native_stencil(const float *in, float *out, int w, int h);
void native_mandelbrot(int *out, int w, int h, int limit);
void native_histogram(const unsigned char *in, unsigned *bins, size_t n);
void native_black_scholes(const float *s, const float *k, const float *t, float *call, float *put,
                          int n);

// opencl.c: false when there is no OpenCL CPU device.
int opencl_open(void);
const char *opencl_device(void);
void *opencl_alloc(size_t bytes); // a cl_mem
void opencl_write(void *mem, const void *src, size_t bytes);
void opencl_read(void *dst, void *mem, size_t bytes);
// Runs a kernel of kernels.cl: sizes in work-items; args: pairs (size, pointer), local memory as
// (size, NULL), ended by size 0. Waits for the end.
void opencl_run(const char *kernel, const size_t global[2], const size_t local[2], ...);

#ifdef __cplusplus
}
#endif

#endif
