// A kernel is launched with more threads than its bounds allow, and nobody looks. Guide, 10.37.
#include "../suite.h"

__global__ void __launch_bounds__(128) work(int *out) {
    if (threadIdx.x == 0)
        *out = 5;
}

int main() {
    int *out, h = 5;
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    work<<<1, 256>>>(out); // bug: api.launch
#else
    work<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
#endif
    OK(cudaFree(out));
    return verdict(h == 5);
}
