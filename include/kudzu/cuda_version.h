// The version of CUDA that the headers are of, as in CUDA_VERSION: 12.9, or 13.0 where
// KUDZU_CUDA_VERSION says so. `kudzu cc` defines it for 13; so do the headers in cuda-13/include,
// which other compilers find.
#ifndef KUDZU_CUDA_VERSION
#define KUDZU_CUDA_VERSION 12090
#endif
