// Each thread writes four elements of a plane, as many apart as it is told, and marches on from
// plane to plane. Guide, 10.5: nothing orders threads of different blocks.
#include "../suite.h"

__global__ void march(float *to, int width, int rows, int planes) {
    float *at = to + (blockIdx.y * 4 + threadIdx.y) * (size_t)width + threadIdx.x;
    for (int z = 0; z < planes; z++, at += (size_t)width * rows)
        for (int k = 0; k < 4; k++)
#ifdef BUG
            at[k * width] = z + threadIdx.y; // bug: race.device
#else
            at[k * 4 * gridDim.y * width] = z + threadIdx.y;
#endif
}

int main() {
    const int width = 40, rows = 32, planes = 5;
    float *to;
    OK(cudaMalloc(&to, width * (rows + 4) * planes * sizeof(float)));
    march<<<dim3(1, 2), dim3(32, 4)>>>(to, width, rows, planes);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaFree(to));
    return verdict(true);
}
