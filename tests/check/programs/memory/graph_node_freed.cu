// A kernel node behind the node that frees the memory it writes to. Guide, 16.3: what accesses a
// graph's memory is ordered before the operation that frees it.
#include "../suite.h"

__global__ void fill(int *a, int x) {
    a[threadIdx.x] = x; // bug: memory.graph
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
    cudaGraphNode_t alloc, free, last;
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 32 * sizeof(int);
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p));
    last = kernel(g, alloc, (int *)p.dptr, 1);
#ifdef BUG
    OK(cudaGraphAddMemFreeNode(&free, g, &last, 1, p.dptr));
    kernel(g, free, (int *)p.dptr, 2);
#else
    last = kernel(g, last, (int *)p.dptr, 2);
    OK(cudaGraphAddMemFreeNode(&free, g, &last, 1, p.dptr));
#endif
    OK(cudaGraphInstantiate(&e, g, 0));
    for (int k = 0; k < 3; k++)
        OK(cudaGraphLaunch(e, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    return verdict(true);
}
