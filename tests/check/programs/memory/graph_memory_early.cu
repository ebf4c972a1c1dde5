// A kernel of a graph that is launched before the graph which allocates the memory. Guide, 16.3:
// what accesses a graph's memory is ordered after the allocation node.
#include "../suite.h"

__global__ void fill(int *a, int x) {
    a[threadIdx.x] = x; // bug: memory.graph
}

int main() {
    int *a;
    cudaStream_t s;
    cudaGraph_t g, u;
    cudaGraphExec_t makes, uses;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&a, 32 * sizeof(int), s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, s>>>(a, 1);
    OK(cudaStreamEndCapture(s, &u));
    OK(cudaGraphInstantiate(&makes, g, 0));
    OK(cudaGraphInstantiate(&uses, u, 0));
#ifdef BUG
    OK(cudaGraphLaunch(uses, s));
    OK(cudaGraphLaunch(makes, s));
#else
    OK(cudaGraphLaunch(makes, s));
    OK(cudaGraphLaunch(uses, s));
#endif
    OK(cudaFreeAsync(a, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(makes));
    OK(cudaGraphExecDestroy(uses));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphDestroy(u));
    OK(cudaStreamDestroy(s));
    return verdict(true);
}
