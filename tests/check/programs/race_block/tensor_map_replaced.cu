// A thread replaces a tensor map's address in shared memory (tensormap.replace), and threads of
// another warp copy the map to global memory without a barrier in between. Guide, 10.29.3.
// options: -arch=sm_90a
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void make(const __grid_constant__ CUtensorMap base, int *tensor, CUtensorMap *out) {
    __shared__ alignas(128) CUtensorMap map;
    if (threadIdx.x < 32)
        ((int *)&map)[threadIdx.x] = ((const int *)&base)[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        ptx::tensormap_replace_global_address(ptx::space_shared, &map, tensor); // with
#ifndef BUG
    __syncthreads();
#endif
    if (threadIdx.x >= 32)
        ((int *)out)[threadIdx.x - 32] = ((int *)&map)[threadIdx.x - 32]; // bug: race.map
}

int main() {
    CUtensorMap *out;
    int *one, *other;
    OK(cudaMalloc(&out, sizeof *out));
    OK(cudaMalloc(&one, 256));
    OK(cudaMalloc(&other, 256));
    CUtensorMap got, same = map_of(other, 8, 8, 8, 8);
    make<<<1, 64>>>(map_of(one, 8, 8, 8, 8), other, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    OK(cudaFree(one));
    OK(cudaFree(other));
    return verdict(!memcmp(&got, &same, sizeof got));
}
