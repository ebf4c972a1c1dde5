// Two graphs that share a scratch buffer are launched to two streams at once. Guide, 6.2.8.7.
#include "../suite.h"

__global__ void half(const int *a, int *scratch) {
    scratch[threadIdx.x] = a[threadIdx.x] / 2; // bug: race.graph
}

__global__ void add(const int *scratch, int *sum) {
    sum[threadIdx.x] += scratch[threadIdx.x]; // with
}

static cudaGraphExec_t record(cudaStream_t s, const int *a, int *scratch, int *sum) {
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    half<<<1, 64, 0, s>>>(a, scratch);
    add<<<1, 64, 0, s>>>(scratch, sum);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphDestroy(g));
    return x;
}

int main() {
    int *p, h[64];
    cudaStream_t s[2];
    cudaGraphExec_t x[2];
    OK(cudaMalloc(&p, 6 * sizeof h));
    OK(cudaMemset(p, 0, 6 * sizeof h));
    OK(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++) {
        OK(cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking));
#ifdef BUG
        int *scratch = p + 256;
#else
        int *scratch = p + 256 + 64 * k;
#endif
        x[k] = record(s[k], p + 64 * k, scratch, p + 128 + 64 * k);
    }
    for (int k = 0; k < 2; k++)
        OK(cudaGraphLaunch(x[k], s[k]));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, p + 128, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 2; k++) {
        OK(cudaGraphExecDestroy(x[k]));
        OK(cudaStreamDestroy(s[k]));
    }
    OK(cudaFree(p));
    return verdict(h[5] == 0);
}
