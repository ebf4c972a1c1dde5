// Producer and consumers with two cuda::barriers of shared memory for each buffer, arrived at
// apart from the wait. Guide, 10.26.
#include "../programs/suite.h"
#include <cuda/barrier>
#include <utility>
using barrier = cuda::barrier<cuda::thread_scope_block>;
enum { T = 64, N = 32, STEPS = 5 };
__global__ void work(int *out) {
    __shared__ int buffer[2][N];
    __shared__ barrier ready[2], filled[2];
    if (threadIdx.x < 2) {
        init(&ready[threadIdx.x], T);
        init(&filled[threadIdx.x], T);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; k < STEPS; k++) {
            ready[k % 2].arrive_and_wait();
            buffer[k % 2][threadIdx.x] = k * 100 + threadIdx.x;
            (void)filled[k % 2].arrive();
        }
    } else {
        int s = 0;
        (void)ready[0].arrive();
        (void)ready[1].arrive();
        for (int k = 0; k < STEPS; k++) {
            filled[k % 2].arrive_and_wait();
            s += buffer[k % 2][(threadIdx.x + 7) % 32];
            if (k + 2 < STEPS)
                (void)ready[k % 2].arrive();
        }
        out[threadIdx.x - 32] = s;
    }
}
int main() {
    int r[32], *out;
    OK(cudaMalloc(&out, sizeof r));
    work<<<1, T>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < 32; i++)
        right &= r[i] == 1000 + 5 * ((i + 32 + 7) % 32);
    OK(cudaFree(out));
    return verdict(right);
}
