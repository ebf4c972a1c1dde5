// A warp copies a tensor map to global memory (tensormap.cp_fenceproxy) that a thread of another
// warp sets up, without a barrier in between. Guide, 10.29.3; PTX ISA, tensormap.cp_fenceproxy.
// options: -arch=sm_90a
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void make(const __grid_constant__ CUtensorMap base, int *tensor, CUtensorMap *to) {
    __shared__ alignas(128) CUtensorMap map;
    const ptx::n32_t<sizeof map> bytes;
    const auto release = ptx::sem_release;
    if (threadIdx.x < 32)
        ((int *)&map)[threadIdx.x] = ((const int *)&base)[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 32)
        ptx::tensormap_replace_global_address(ptx::space_shared, &map, tensor); // with
#ifndef BUG
    __syncthreads();
#endif
    if (threadIdx.x < 32)
        ptx::tensormap_cp_fenceproxy(release, ptx::scope_gpu, to, &map, bytes); // bug: race.map
}

int main() {
    CUtensorMap *out, got, same;
    int *one, *other;
    OK(cudaMalloc(&out, sizeof *out));
    OK(cudaMalloc(&one, 256));
    OK(cudaMalloc(&other, 256));
    make<<<1, 64>>>(map_of(one, 8, 8, 8, 8), other, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    same = map_of(other, 8, 8, 8, 8);
    OK(cudaFree(out));
    OK(cudaFree(one));
    OK(cudaFree(other));
    return verdict(!memcmp(&got, &same, sizeof got));
}
