// What two nodes of a graph leave depends on which comes first, and no edge orders them. Guide,
// 6.2.8.7.1.
// check: --schedules 2
#include "../suite.h"

__global__ void put(int *place, int value) {
    atomicExch(place, value); // bug: schedule.order
}

int main() {
    int *place, h, one = 1, two = 2;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t first, second;
    OK(cudaMalloc(&place, sizeof(int)));
    OK(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&place, &one}, *others[] = {&place, &two};
    cudaKernelNodeParams node = {};
    node.func = (void *)put;
    node.gridDim = node.blockDim = dim3(1);
    node.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node));
    node.kernelParams = others;
#ifdef BUG
    OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &node));
#else
    OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &node));
#endif
    OK(cudaGraphInstantiate(&executable, graph, 0));
    OK(cudaGraphLaunch(executable, 0));
    OK(cudaMemcpy(&h, place, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(place));
    return verdict(h == 2);
}
