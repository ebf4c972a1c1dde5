// needs: protection keys
// The host reads memory of the device by its pointer. Guide, 6.2.2: such memory is reached from the
// host by copies.
#include "../suite.h"

__global__ void fill(int *a) {
    a[threadIdx.x] = (int)threadIdx.x;
}

int main() {
    int *a, value;
    OK(cudaMalloc((void **)&a, 32 * sizeof(int)));
    fill<<<1, 32>>>(a);
    OK(cudaDeviceSynchronize());
#ifdef BUG
    value = *(volatile int *)&a[7]; // bug: memory.host
#else
    OK(cudaMemcpy(&value, &a[7], sizeof value, cudaMemcpyDeviceToHost));
#endif
    OK(cudaFree(a));
    return verdict(value == 7);
}
