// A graph with a copy out of memory that another graph has freed before. Guide, 16.3: a free node
// of another graph ends the allocation.
#include "../suite.h"

__global__ void fill(int *a) {
    a[threadIdx.x] = threadIdx.x;
}

static cudaGraphExec_t ended(cudaStream_t s) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&e, g, 0)); // bug: memory.graph
    OK(cudaGraphDestroy(g));
    return e;
}

int main() {
    int *a, *out, h = 0;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&out, 32 * sizeof(int)));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&a, 32 * sizeof(int), s));
    fill<<<1, 32, 0, s>>>(a);
    cudaGraphExec_t makes = ended(s);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyAsync(out, a, 32 * sizeof(int), cudaMemcpyDeviceToDevice, s));
    cudaGraphExec_t copies = ended(s);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaFreeAsync(a, s));
    cudaGraphExec_t frees = ended(s);
    for (int k = 0; k < 2; k++) {
        OK(cudaGraphLaunch(makes, s));
#ifdef BUG
        OK(cudaGraphLaunch(frees, s));
        OK(cudaGraphLaunch(copies, s));
#else
        OK(cudaGraphLaunch(copies, s));
        OK(cudaGraphLaunch(frees, s));
#endif
    }
    OK(cudaMemcpyAsync(&h, out + 31, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    for (cudaGraphExec_t e : {makes, copies, frees})
        OK(cudaGraphExecDestroy(e));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(out));
    return verdict(h == 31);
}
