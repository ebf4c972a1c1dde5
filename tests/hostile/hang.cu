// Launches that never end, for hang.py: `hang lock|flag|barrier|slow|fine`.
#include <cstdio>
#include <cstring>

__device__ unsigned flag;
__device__ int held = 1;

__global__ void waits_for_flag(int *out) {
    if (threadIdx.x >= 3)
        while (*(volatile unsigned *)&flag == 0) { // line 10
        }
    out[threadIdx.x] = 1;
}

__global__ void waits_for_lock(int *out) {
    if (threadIdx.x == 0)
        while (atomicCAS(&held, 0, 1) != 0) { // line 17
        }
    out[blockIdx.x] = 1;
}

__global__ void waits_for_shared(int *out) {
    __shared__ volatile int ready[4];
    ready[threadIdx.x & 3] = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        while (ready[2] == 0) { // line 27
        }
    __syncthreads();
    out[threadIdx.x] = ready[0];
}

__global__ void computes(int *out, int n) {
    int x = threadIdx.x;
    for (int i = 0; i < n; i++)
        x = x * 5 + i;
    out[threadIdx.x] = x;
}

// Block 1 computes for seconds before it sets what block 0 waits for.
__global__ void waits_for_slow(int *out, unsigned n) {
    unsigned x = blockIdx.x;
    for (unsigned i = 0; blockIdx.x == 1 && i < n; i++)
        x = x * 5 + i;
    if (blockIdx.x == 1)
        atomicExch(&flag, x | 1);
    else
        while (*(volatile unsigned *)&flag == 0) {
        }
    out[blockIdx.x] = x;
}

int main(int argc, char **argv) {
    int *d;
    const char *what = argc > 1 ? argv[1] : "";
    cudaMalloc(&d, 4096);
    if (!strcmp(what, "flag"))
        waits_for_flag<<<2, 40>>>(d);
    else if (!strcmp(what, "lock"))
        waits_for_lock<<<3, 32>>>(d);
    else if (!strcmp(what, "slow"))
        waits_for_slow<<<2, 1>>>(d, 2000000000u);
    else if (!strcmp(what, "shared"))
        waits_for_shared<<<1, 64>>>(d);
    else
        computes<<<1, 32>>>(d, 1000000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
