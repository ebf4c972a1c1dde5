// Memory of graphs that lives again: freed by nodes, by another graph, by streams, by a call, and
// by the next launch. Guide, 16.3: an allocation begins and ends with each run.
#include "../programs/suite.h"
__global__ void fill(int *a, int x) {
    a[threadIdx.x] = x + (int)threadIdx.x;
}
__global__ void add(const int *a, int *sum) {
    atomicAdd(sum, a[threadIdx.x]);
}
static cudaGraphExec_t ended(cudaStream_t s, unsigned long long flags) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&e, g, flags));
    OK(cudaGraphDestroy(g));
    return e;
}
int main() {
    int *sum, *kept, *freed, *again, h;
    cudaStream_t s, t;
    cudaEvent_t made, used;
    OK(cudaMalloc(&sum, sizeof h));
    OK(cudaMemset(sum, 0, sizeof h));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreate(&made));
    OK(cudaEventCreate(&used));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&kept, 32 * sizeof(int), s));
    OK(cudaMallocAsync(&freed, 32 * sizeof(int), s));
    fill<<<1, 32, 0, s>>>(freed, 1);
    add<<<1, 32, 0, s>>>(freed, sum);
    OK(cudaFreeAsync(freed, s));
    OK(cudaMallocAsync(&again, 32 * sizeof(int), s)); // it may be where `freed` was
    fill<<<1, 32, 0, s>>>(again, 2);
    add<<<1, 32, 0, s>>>(again, sum);
    OK(cudaFreeAsync(again, s));
    fill<<<1, 32, 0, s>>>(kept, 3);
    cudaGraphExec_t makes = ended(s, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, s>>>(kept, sum);
    OK(cudaFreeAsync(kept, s));
    cudaGraphExec_t takes = ended(s, 0);
    for (int round = 0; round < 2; round++) {
        OK(cudaGraphLaunch(makes, s)); // another graph
        OK(cudaGraphLaunch(takes, s));
        OK(cudaGraphLaunch(makes, s)); // the same stream
        add<<<1, 32, 0, s>>>(kept, sum);
        OK(cudaFreeAsync(kept, s));
        OK(cudaGraphLaunch(makes, s)); // another one, which the next launch waits for
        OK(cudaEventRecord(made, s));
        OK(cudaStreamWaitEvent(t, made, 0));
        add<<<1, 32, 0, t>>>(kept, sum);
        OK(cudaFreeAsync(kept, t));
        OK(cudaEventRecord(used, t));
        OK(cudaStreamWaitEvent(s, used, 0));
        OK(cudaGraphLaunch(makes, s)); // a call
        add<<<1, 32, 0, s>>>(kept, sum);
        OK(cudaFree(kept));
        OK(cudaGraphLaunch(makes, s)); // the next launch
        add<<<1, 32, 0, s>>>(kept, sum);
        OK(cudaGraphLaunch(makes, s));
        add<<<1, 32, 0, s>>>(kept, sum);
        OK(cudaMemsetAsync(kept, 0, 32 * sizeof(int), s));
        OK(cudaFreeAsync(kept, s));
    }
    OK(cudaMemcpyAsync(&h, sum, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(makes));
    OK(cudaGraphExecDestroy(takes));
    OK(cudaEventDestroy(made));
    OK(cudaEventDestroy(used));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFree(sum));
    return verdict(h == 12 * (3 * 496 + 32 * (1 + 2 + 3)));
}
