// Streams that hand over by words in memory: written and waited for by streams, by kernels, by the
// host, and by nodes of a graph. Guide, 6.2.8.5: a stream's commands run in order.
// options: -lcuda
#include "../programs/suite.h"
#include <cuda.h>

#define DO(call)                                                                                   \
    do {                                                                                           \
        if ((call) != CUDA_SUCCESS) {                                                              \
            printf("line %d\n", __LINE__);                                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
enum { N = 64 };
__global__ void fill(int *a, int x) {
    a[threadIdx.x] = x + (int)threadIdx.x;
}
__global__ void add(const int *a, int *sum) {
    atomicAdd(sum, a[threadIdx.x]);
}
__global__ void wait_and_add(const unsigned *flag, unsigned value, const int *a, int *sum) {
    if (threadIdx.x == 0)
        while (*(const volatile unsigned *)flag != value)
            ;
    __threadfence();
    __syncthreads();
    atomicAdd(sum, a[threadIdx.x]);
}
__global__ void fill_and_set(int *a, int x, unsigned *flag, unsigned value) {
    a[threadIdx.x] = x + (int)threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile unsigned *)flag = value;
}
static CUstreamBatchMemOpParams op(CUstreamBatchMemOpType what, const void *at, unsigned value) {
    CUstreamBatchMemOpParams p = {};
    p.waitValue.operation = what; // both have their fields in the same places
    p.waitValue.address = (CUdeviceptr)at;
    p.waitValue.value = value;
    p.waitValue.flags = what == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? CU_STREAM_WAIT_VALUE_EQ : 0;
    return p;
}
int main() {
    int *a, *b, *sum, *managed, h;
    unsigned *flag, *back, *pinned;
    cudaStream_t s, t, u, v;
    OK(cudaMalloc(&a, N * sizeof(int)));
    OK(cudaMalloc(&b, N * sizeof(int)));
    OK(cudaMalloc(&sum, sizeof(int)));
    OK(cudaMalloc(&flag, 3 * sizeof *flag));
    OK(cudaMallocHost(&pinned, 2 * sizeof *pinned));
    OK(cudaMallocManaged(&managed, N * sizeof(int)));
    back = flag + 1;
    pinned[0] = pinned[1] = 0;
    OK(cudaMemset(sum, 0, sizeof(int)));
    OK(cudaMemset(flag, 0, 3 * sizeof *flag));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&v, cudaStreamNonBlocking));
    CUdeviceptr f = (CUdeviceptr)flag, r = (CUdeviceptr)back, w = (CUdeviceptr)(flag + 2);
    for (unsigned k = 1; k <= 3; k++) { // there and back, by counters
        fill<<<1, N, 0, s>>>(a, k);
        DO(cuStreamWriteValue32((CUstream)s, f, k, 0));
        DO(cuStreamWaitValue32((CUstream)t, f, k, CU_STREAM_WAIT_VALUE_GEQ));
        add<<<1, N, 0, t>>>(a, sum);
        DO(cuStreamWriteValue32((CUstream)t, r, k, 0));
        DO(cuStreamWaitValue32((CUstream)s, r, k, CU_STREAM_WAIT_VALUE_GEQ));
    }
    for (int k = 0; k < 3; k++) { // one value, which is set back by a set, a stream, and a copy
        if (k == 0)
            OK(cudaMemsetAsync(flag, 0, sizeof *flag, s));
        else if (k == 1)
            DO(cuStreamWriteValue32((CUstream)s, f, 0, 0));
        else
            OK(cudaMemcpyAsync(flag, pinned, sizeof *flag, cudaMemcpyHostToDevice, s));
        DO(cuStreamWriteValue32((CUstream)s, r, 10 + k, 0)); // the word is set back
        DO(cuStreamWaitValue32((CUstream)t, r, 10 + k, CU_STREAM_WAIT_VALUE_EQ));
        DO(cuStreamWaitValue32((CUstream)t, f, 9, CU_STREAM_WAIT_VALUE_EQ));
        add<<<1, N, 0, t>>>(a, sum);
        fill<<<1, N, 0, s>>>(a, 3);
        DO(cuStreamWriteValue32((CUstream)s, f, 9, 0));
        DO(cuStreamWriteValue32((CUstream)t, r, 20 + k, 0));
        DO(cuStreamWaitValue32((CUstream)s, r, 20 + k, CU_STREAM_WAIT_VALUE_EQ));
    }
    // What is behind an event behind the wait, and a kernel that looks at the word.
    cudaEvent_t e;
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    fill<<<1, N, 0, s>>>(a, 3);
    DO(cuStreamWriteValue32((CUstream)s, w, 30, 0));
    DO(cuStreamWaitValue32((CUstream)t, w, 30, CU_STREAM_WAIT_VALUE_EQ));
    OK(cudaEventRecord(e, t));
    OK(cudaStreamWaitEvent(u, e, 0));
    add<<<1, N, 0, u>>>(a, sum);
    wait_and_add<<<1, N, 0, v>>>(flag + 2, 30, a, sum);
    // A kernel sets the word.
    fill_and_set<<<1, N, 0, s>>>(b, 3, back, 31);
    DO(cuStreamWaitValue32((CUstream)u, r, 31, CU_STREAM_WAIT_VALUE_EQ));
    add<<<1, N, 0, u>>>(b, sum);
    OK(cudaDeviceSynchronize());
    // The host waits for a word, and sets one.
    fill<<<1, N, 0, s>>>(managed, 3);
    DO(cuStreamWriteValue32((CUstream)s, (CUdeviceptr)pinned, 1, 0));
    while (*(volatile unsigned *)pinned != 1)
        ;
    h = managed[0];
    DO(cuStreamWaitValue32((CUstream)t, (CUdeviceptr)(pinned + 1), 5, CU_STREAM_WAIT_VALUE_EQ));
    add<<<1, N, 0, t>>>(managed, sum);
    *(volatile unsigned *)(pinned + 1) = 5;
    OK(cudaDeviceSynchronize());
    // Nodes.
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fill<<<1, N, 0, s>>>(a, 3);
    CUstreamBatchMemOpParams p[2] = {op(CU_STREAM_MEM_OP_WRITE_VALUE_32, flag, 40),
                                     op(CU_STREAM_MEM_OP_WAIT_VALUE_32, flag, 41)};
    DO(cuStreamBatchMemOp((CUstream)s, 2, p, 0));
    add<<<1, N, 0, s>>>(b, sum);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int k = 0; k < 2; k++) {
        OK(cudaGraphLaunch(x, s));
        DO(cuStreamWaitValue32((CUstream)t, f, 40, CU_STREAM_WAIT_VALUE_EQ));
        add<<<1, N, 0, t>>>(a, sum);
        fill<<<1, N, 0, t>>>(b, 3);
        DO(cuStreamWriteValue32((CUstream)t, f, 41, 0));
        OK(cudaEventRecord(e, s));
        OK(cudaStreamWaitEvent(t, e, 0));
        OK(cudaEventRecord(e, t));
        OK(cudaStreamWaitEvent(s, e, 0));
    }
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaEventDestroy(e));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaStreamDestroy(u));
    OK(cudaStreamDestroy(v));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(sum));
    OK(cudaFree(flag));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    int one = N * (N - 1) / 2;
    return verdict(h == 14 * one + N * (1 + 2 + 3 * 12));
}
