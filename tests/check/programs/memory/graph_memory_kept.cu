// A kernel behind the graph that has taken and freed the memory. Guide, 16.3: a graph's allocation
// ends where execution reaches the node that frees it.
#include "../suite.h"

__global__ void count(int *a, int *sum) {
    atomicAdd(sum, atomicAdd(a + threadIdx.x, 1)); // bug: memory.graph
}

int main() {
    int *a, *sum, h;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&sum, sizeof(int)));
    OK(cudaMemset(sum, 0, sizeof(int)));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&a, 32 * sizeof(int), s));
    OK(cudaMemsetAsync(a, 0, 32 * sizeof(int), s));
    count<<<1, 32, 0, s>>>(a, sum);
#ifdef BUG
    OK(cudaFreeAsync(a, s));
#endif
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, s));
    count<<<1, 32, 0, s>>>(a, sum);
    OK(cudaGetLastError());
#ifndef BUG
    OK(cudaFreeAsync(a, s));
#endif
    OK(cudaMemcpyAsync(&h, sum, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(sum));
    return verdict(h == 32);
}
