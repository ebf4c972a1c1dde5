// The host adds to a managed array while the kernel that it has launched uses it. Guide, 19.2.2.
#include "../suite.h"

__managed__ __align__(4096) int numbers[1024];

__global__ void work() {
    numbers[threadIdx.x] += 1; // or
}

int main() {
    for (int i = 0; i < 1024; ++i)
        numbers[i] = i;
    work<<<1, 1024>>>();
    OK(cudaGetLastError());
#ifdef BUG
    numbers[5] += 1; // bug: race.host
    OK(cudaDeviceSynchronize());
#else
    OK(cudaDeviceSynchronize());
    numbers[5] += 1;
#endif
    return verdict(numbers[5] == 7 || numbers[5] == 6);
}
