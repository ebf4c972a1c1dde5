// Included last where a source is only preprocessed, to see which specifiers its declarations have:
// the specifiers stay words.
#undef __host__
#undef __device__
#undef __global__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __inline_hint__
#undef __forceinline__
#define __host__ __host__
#define __device__ __device__
#define __global__ __global__
#define __shared__ __shared__
#define __constant__ __constant__
#define __managed__ __managed__
#define __forceinline__ __forceinline__
#define __inline_hint__ __inline_hint__
