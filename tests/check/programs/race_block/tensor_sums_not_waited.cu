// Threads read a product's sums in tensor memory behind a barrier, which does not wait for it: the
// mbarrier object that its commit tells does. Guide, 10.29; PTX ISA, tcgen05.commit.
// options: -arch=sm_100a
#include "../tcgen05.h"

namespace ptx = cuda::ptx;
enum { ROWS = 128, COLUMNS = 32, K = 16 };

__global__ void multiply(float *out) {
    __shared__ alignas(1024) __half a[ROWS * K], b[COLUMNS * K];
    __shared__ uint64_t done;
    __shared__ uint32_t place;
    int t = threadIdx.x;
    float sum[COLUMNS];
    for (int k = 0; k < K; k++)
        a[piece_of(t, k)] = __half(1);
    if (t == 0)
        ptx::mbarrier_init(&done, 1);
    if (t < COLUMNS)
        for (int k = 0; k < K; k++)
            b[piece_of(t, k)] = __half(t);
    ptx::fence_proxy_async(ptx::space_shared);
    tensor_memory_begin(&place, 32);
    if (t == 0) {
        MULTIPLY(place, a, b, COLUMNS, false); // with
        ptx::tcgen05_commit(ptx::cta_group_1, &done);
    }
#ifdef BUG
    __syncthreads();
#else
    wait_for(&done, 0);
#endif
    LOAD_SUMS(sum, place); // bug: race.tensor
    for (int n = 0; n < COLUMNS; n++)
        out[t * COLUMNS + n] = sum[n];
    wait_for(&done, 0);
    tensor_memory_end(place, 32);
}

int main() {
    static float h[ROWS * COLUMNS];
    float *out;
    bool right = true;
    OK(cudaMalloc(&out, sizeof h));
    multiply<<<1, ROWS>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < ROWS * COLUMNS; k++)
        right &= h[k] == K * (k % COLUMNS);
    OK(cudaFree(out));
    return verdict(right);
}
