// A lock that each thread of a warp takes for itself. On machines that run a warp in lock step
// this hangs: the thread that holds the lock waits for those that spin. CUDA promises since
// compute capability 7.0 that every thread makes progress, and so does kudzu.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

struct Account {
    int lock;
    int balance;   // changed without atomics: the lock protects it
    int last_user;
};

__global__ void deposit(Account *a, int times) {
    for (int k = 0; k < times; k++) {
        while (atomicCAS(&a->lock, 0, 1) != 0)
            ; // somebody else has it
        __threadfence();
        a->balance = a->balance + 1;
        a->last_user = threadIdx.x;
        __threadfence();
        atomicExch(&a->lock, 0);
    }
}

int main() {
    const int blocks = 4, threads = 64, times = 20;
    Account *a, got;
    CHECK(cudaMalloc(&a, sizeof *a));
    CHECK(cudaMemset(a, 0, sizeof *a));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    deposit<<<blocks, threads>>>(a, times);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaMemcpy(&got, a, sizeof got, cudaMemcpyDeviceToHost));
    if (got.balance != blocks * threads * times || got.lock != 0) {
        printf("FAILED: balance %d, not %d\n", got.balance, blocks * threads * times);
        return 1;
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %d deposits under one lock by %d threads\n", got.balance, blocks * threads);
    printf("speed: %.1f thousand critical sections/s\n", got.balance / ms);
    return 0;
}
