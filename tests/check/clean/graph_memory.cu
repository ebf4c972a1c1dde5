// A graph with nodes that take and free memory, captured from two streams, run three times.
// Guide, 6.2.8.7.
#include "../programs/suite.h"
__global__ void fill(int *a, int x) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = x + (int)threadIdx.x;
}
__global__ void add(const int *a, const int *b, int *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] += a[i] + b[i];
}
int main() {
    enum { N = 256 };
    int *c, h[N], *a, *b;
    cudaStream_t s, t;
    cudaEvent_t e, f;
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaMalloc(&c, sizeof h));
    OK(cudaMemset(c, 0, sizeof h));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&f));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&a, sizeof h, s));
    OK(cudaMallocAsync(&b, sizeof h, s));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    fill<<<2, N / 2, 0, s>>>(a, 1);
    fill<<<2, N / 2, 0, t>>>(b, 2);
    OK(cudaEventRecord(f, t));
    OK(cudaStreamWaitEvent(s, f, 0));
    add<<<2, N / 2, 0, s>>>(a, b, c);
    OK(cudaFreeAsync(a, s));
    OK(cudaFreeAsync(b, s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int k = 0; k < 3; k++)
        OK(cudaGraphLaunch(x, s));
    OK(cudaMemcpyAsync(h, c, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    bool right = true;
    for (int i = 0; i < N; i++)
        right &= h[i] == 3 * (3 + 2 * (i % (N / 2)));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaEventDestroy(e));
    OK(cudaEventDestroy(f));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFree(c));
    return verdict(right);
}
