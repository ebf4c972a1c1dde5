// An executable graph still has the pointer to a buffer that was freed to be made larger.
// Guide, 6.2.2.
#include "../suite.h"

__global__ void raise(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += 1; // bug: memory.freed
}

int main() {
    int *a, h = 0;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&a, 256 * sizeof(int)));
    OK(cudaMemset(a, 0, 256 * sizeof(int)));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    raise<<<1, 256, 0, s>>>(a, 256);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
#ifdef BUG
    OK(cudaFree(a));
    OK(cudaMalloc(&a, 512 * sizeof(int)));
    OK(cudaMemset(a, 0, 512 * sizeof(int)));
#endif
    OK(cudaGraphLaunch(e, s));
    OK(cudaMemcpyAsync(&h, a, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(a));
    return verdict(h == 2);
}
