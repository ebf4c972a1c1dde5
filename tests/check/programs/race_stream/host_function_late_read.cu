// A host function in one stream fills page-locked memory that a kernel in another stream reads
// late. Guide, 6.2.8.5.6.
#include "../suite.h"

static void fill(void *data) {
    *(volatile int *)data = 8;
} // with

__global__ void read(const int *data, int *out) {
    for (int i = 0; i < 100; ++i)
        __nanosleep(1000000);
    *out = *data; // bug: race.host
}

int main() {
    cudaStream_t s, t;
    int *data, *out, h;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaMallocHost((void **)&data, sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    *data = 0;
    OK(cudaLaunchHostFunc(s, fill, data)); // or
#ifdef BUG
    read<<<1, 1, 0, t>>>(data, out);
#else
    read<<<1, 1, 0, s>>>(data, out);
#endif
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFreeHost(data));
    OK(cudaFree(out));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    return verdict(h == 8);
}
