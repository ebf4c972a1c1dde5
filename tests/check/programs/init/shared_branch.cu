// The last element of a static shared array is not set, and decides a branch. Guide, 10.2.3: it has
// no initial value.
#include "../suite.h"

__global__ void count(int n, int *out) {
    __shared__ int flags[64];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        flags[i] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        int set = 0;
        for (int i = 0; i < 64; ++i)
            if (flags[i] != 0) // bug: init.shared
                ++set;
        *out = set;
    }
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
#ifdef BUG
    count<<<1, 32>>>(63, out);
#else
    count<<<1, 32>>>(64, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 64);
}
