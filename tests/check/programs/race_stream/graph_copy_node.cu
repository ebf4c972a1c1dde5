// A graph's copy to the host is not ordered behind the kernel node whose result it takes. Guide,
// 6.2.8.7.1.
#include "../suite.h"

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.graph
}

int main() {
    int *a, *h;
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMemset(a, 0, 32 * sizeof(int)));
    OK(cudaMallocHost((void **)&h, 32 * sizeof(int)));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t kernel, copy;
    const size_t bytes = 32 * sizeof(int);
    const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
    OK(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&a};
    cudaKernelNodeParams node = {};
    node.func = (void *)produce, node.gridDim = dim3(1), node.blockDim = dim3(32),
    node.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &node));
#ifdef BUG
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, h, a, bytes, kind)); // with
#else
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, h, a, bytes, kind));
#endif
    OK(cudaGraphInstantiate(&executable, graph, 0));
    OK(cudaGraphLaunch(executable, 0)); // or
    OK(cudaDeviceSynchronize());
    int last = h[31];
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(a));
    OK(cudaFreeHost(h));
    return verdict(last == 31);
}
