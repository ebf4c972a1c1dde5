// A program that looks at no error.
#include <cstdio>

__global__ void hello() { printf("hello from thread %d\n", threadIdx.x); }

int main() {
    hello<<<1, 2>>>();
    cudaDeviceSynchronize();
    hello<<<1, 1>>>();
    cudaDeviceSynchronize();
}
