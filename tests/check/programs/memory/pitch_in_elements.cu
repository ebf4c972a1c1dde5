// A kernel takes a pitch of bytes for one of elements. Guide, 6.2.2 (cudaMallocPitch).
#include "../suite.h"

__global__ void fill(float *a, size_t pitch, int rows) {
    for (int y = 0; y < rows; ++y) {
#ifdef BUG
        float *row = a + y * pitch;
#else
        float *row = (float *)((char *)a + y * pitch);
#endif
        row[threadIdx.x] = 1; // bug: memory.access
    }
}

int main() {
    float *a, h[64];
    size_t pitch;
    OK(cudaMallocPitch(&a, &pitch, sizeof h, 16));
    fill<<<1, 64>>>(a, pitch, 16);
#ifdef BUG
    cudaDeviceSynchronize();
    return verdict(true);
#else
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, (char *)a + 15 * pitch, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h[63] == 1);
#endif
}
