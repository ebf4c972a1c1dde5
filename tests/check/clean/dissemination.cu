// Blocks of a cooperative launch meet by a dissemination barrier of flags, and exchange rows of a
// stencil between rounds. Guide, 7.5.
#include "../programs/suite.h"
enum { BLOCKS = 4, T = 64, ROUNDS = 5, LOG = 2 };
__device__ volatile int flags[LOG][BLOCKS];
__device__ void meet(int round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        for (int k = 0; k < LOG; k++) {
            flags[k][(blockIdx.x + (1 << k)) % BLOCKS] = round;
            while (flags[k][blockIdx.x] < round) {
            }
            __threadfence();
        }
    }
    __syncthreads();
}
__global__ void smooth(int *a, int *b) {
    int n = BLOCKS * T, i = blockIdx.x * T + threadIdx.x;
    for (int r = 1; r <= ROUNDS; r++) {
        int *from = r % 2 ? a : b, *to = r % 2 ? b : a;
        to[i] = from[(i + 1) % n] + from[(i + n - 1) % n] - from[i];
        meet(r);
    }
}
int main() {
    enum { N = BLOCKS * T };
    int h[2][N], *a, *b;
    for (int i = 0; i < N; i++)
        h[0][i] = i % 9;
    OK(cudaMalloc(&a, sizeof h[0]));
    OK(cudaMalloc(&b, sizeof h[0]));
    OK(cudaMemcpy(a, h[0], sizeof h[0], cudaMemcpyHostToDevice));
    void *args[] = {&a, &b};
    OK(cudaLaunchCooperativeKernel((void *)smooth, dim3(BLOCKS), dim3(T), args, 0, 0));
    for (int r = 1; r <= ROUNDS; r++)
        for (int i = 0; i < N; i++) {
            int *f = h[(r + 1) % 2];
            h[r % 2][i] = f[(i + 1) % N] + f[(i + N - 1) % N] - f[i];
        }
    int got[N];
    OK(cudaMemcpy(got, ROUNDS % 2 ? b : a, sizeof got, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < N; i++)
        right &= got[i] == h[ROUNDS % 2][i];
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(right);
}
