// <assert.h>, included as often as the source asks: what its macro calls is there on both sides.
#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#include_next <assert.h>
#pragma clang force_cuda_host_device end
#else
#include_next <assert.h>
#endif
