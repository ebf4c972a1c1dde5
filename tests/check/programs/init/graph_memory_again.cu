// A graph's second launch counts on what the first one has left in memory that the graph takes and
// frees. Guide, 16.3: what an allocation has does not stay beyond its end.
#include "../suite.h"

__global__ void count(int *a, int *out) {
    if (a[threadIdx.x] == 7) // bug: init.graph
        out[threadIdx.x]++;
    a[threadIdx.x] = 7;
}

int main() {
    int *a, *out, h;
    cudaStream_t s;
    cudaGraph_t g, other;
    cudaGraphExec_t makes, uses;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&out, 32 * sizeof(int)));
    OK(cudaMemset(out, 0, 32 * sizeof(int)));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&a, 32 * sizeof(int), s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&makes, g, 0));
    OK(cudaGraphLaunch(makes, s));
    OK(cudaMemsetAsync(a, 0, 32 * sizeof(int), s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    count<<<1, 32, 0, s>>>(a, out);
    OK(cudaStreamEndCapture(s, &other));
    OK(cudaGraphInstantiate(&uses, other, 0));
    OK(cudaGraphLaunch(uses, s));
#ifdef BUG
    OK(cudaFreeAsync(a, s));
    OK(cudaGraphLaunch(makes, s));
#endif
    OK(cudaGraphLaunch(uses, s));
    OK(cudaFreeAsync(a, s));
    OK(cudaMemcpyAsync(&h, out, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(makes));
    OK(cudaGraphExecDestroy(uses));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphDestroy(other));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(out));
    return verdict(h == 1);
}
