// A graph frees memory without waiting for the kernel node that writes to it. Guide, 16.3.1: free
// nodes must be ordered after all uses of the allocation within the graph.
#include "../suite.h"

__global__ void fill(int *a, int x) {
    a[threadIdx.x] = x; // bug: race.graph
}

static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t behind, int *a, int x) {
    cudaGraphNode_t n;
    void *args[] = {&a, &x};
    cudaKernelNodeParams p = {};
    p.func = (void *)fill;
    p.gridDim = dim3(1);
    p.blockDim = dim3(32);
    p.kernelParams = args;
    OK(cudaGraphAddKernelNode(&n, g, &behind, 1, &p));
    return n;
}

int main() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t alloc, free, uses[2];
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 64 * sizeof(int);
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p));
    for (int k = 0; k < 2; k++)
        uses[k] = kernel(g, alloc, (int *)p.dptr + 32 * k, k);
#ifdef BUG
    OK(cudaGraphAddMemFreeNode(&free, g, uses, 1, p.dptr));
#else
    OK(cudaGraphAddMemFreeNode(&free, g, uses, 2, p.dptr));
#endif
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    return verdict(true);
}
