// A spin lock with back-off, a ticket lock and a reader-writer count guard plain counters of
// several blocks. Guide, 7.14 and 10.14.
#include "../programs/suite.h"
struct guarded {
    int lock;
    unsigned next, serving;
    int a, b[3], c;
};
__device__ void take(int *lock) {
    unsigned ns = 8;
    while (atomicCAS(lock, 0, 1)) {
        __nanosleep(ns);
        if (ns < 256)
            ns *= 2;
    }
    __threadfence();
}
__device__ void give(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}
__global__ void work(guarded *g) {
    if (threadIdx.x == 0) {
        take(&g->lock);
        g->a++;
        for (int k = 0; k < 3; k++)
            g->b[k] += k + g->a % 2;
        give(&g->lock);
    }
    if (threadIdx.x == 32) {
        unsigned t = atomicAdd(&g->next, 1);
        while (*(volatile unsigned *)&g->serving != t)
            __nanosleep(20);
        __threadfence();
        g->c = g->c * 3 % 1000 + (int)t;
        __threadfence();
        *(volatile unsigned *)&g->serving = t + 1;
    }
}
int main() {
    guarded *g, h;
    OK(cudaMalloc(&g, sizeof h));
    OK(cudaMemset(g, 0, sizeof h));
    work<<<20, 64>>>(g);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, g, sizeof h, cudaMemcpyDeviceToHost));
    int c = 0;
    for (int t = 0; t < 20; t++)
        c = c * 3 % 1000 + t;
    OK(cudaFree(g));
    return verdict(h.a == 20 && h.b[2] == 50 && h.c == c);
}
