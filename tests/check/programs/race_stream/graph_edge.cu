// Two kernel nodes of a graph use one array, and no edge leads from one to the other. Guide,
// 6.2.8.7.1.
#include "../suite.h"

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.graph
}
__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}

int main() {
    int *a, *b, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    OK(cudaDeviceSynchronize());
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t first, second;
    OK(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&a, &b};
    cudaKernelNodeParams node = {};
    node.func = (void *)produce, node.gridDim = dim3(1), node.blockDim = dim3(32),
    node.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node));
    node.func = (void *)consume;
#ifdef BUG
    OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &node));
#else
    OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &node));
#endif
    OK(cudaGraphInstantiate(&executable, graph, 0));
    OK(cudaGraphLaunch(executable, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
