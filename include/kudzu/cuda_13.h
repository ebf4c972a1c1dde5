// Included by the headers in cuda-13/include, which are those of the other folder in the form of
// version 13.
#ifndef KUDZU_CUDA_13_H
#define KUDZU_CUDA_13_H

#ifndef KUDZU_CUDA_VERSION
#ifdef __CUDACC__
#error "cuda-13/include is for CUDA 13: compile with cuda-13/bin/nvcc, or KUDZU_CUDA_VERSION=13.0"
#endif
#define KUDZU_CUDA_VERSION 13000
#elif KUDZU_CUDA_VERSION < 13000
#error "headers of CUDA 12 and of CUDA 13 (cuda-13/include) do not mix"
#endif

#endif
