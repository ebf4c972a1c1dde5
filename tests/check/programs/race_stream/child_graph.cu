// A graph's kernel node lacks the edge from the child graph whose kernel writes what it reads.
// Guide, 6.2.8.7.1.
#include "../suite.h"

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.stream
}
__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}

int main() {
    int *a, *b, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    cudaGraph_t inner, graph;
    cudaGraphNode_t first, child, second;
    OK(cudaGraphCreate(&inner, 0));
    OK(cudaGraphCreate(&graph, 0));
    void *of_first[] = {&a}, *of_second[] = {&a, &b};
    cudaKernelNodeParams p = {};
    p.func = (void *)produce;
    p.gridDim = dim3(1);
    p.blockDim = dim3(32);
    p.kernelParams = of_first;
    OK(cudaGraphAddKernelNode(&first, inner, nullptr, 0, &p));
    OK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
    p.func = (void *)consume;
    p.kernelParams = of_second;
#ifdef BUG
    OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &p));
#else
    OK(cudaGraphAddKernelNode(&second, graph, &child, 1, &p));
#endif
    cudaGraphExec_t ready;
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphLaunch(ready, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(ready));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(inner));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
