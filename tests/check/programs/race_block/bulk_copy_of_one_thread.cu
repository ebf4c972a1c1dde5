// One thread issues a bulk copy (TMA) and uses what it brings without a wait for the mbarrier
// object. Guide, 10.29.1: the copy is asynchronous for its own thread as well.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void copy(const int *in, int *out) {
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t full;
    const auto to = ptx::space_cluster;
    const auto from = ptx::space_global;
    object_begin(&full, 1);
    expect(&full, sizeof tile);
    ptx::cp_async_bulk(to, from, tile, in, sizeof tile, &full); // bug: race.bulk
#ifndef BUG
    wait_for(&full, 0);
#endif
    int sum = 0;
    for (int k = 0; k < 64; k++)
        sum += tile[k]; // with
    *out = sum;
#ifdef BUG
    wait_for(&full, 0);
#endif
}

int main() {
    int h[64], *in, *out;
    for (int k = 0; k < 64; k++)
        h[k] = k;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    copy<<<1, 1>>>(in, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] == 64 * 63 / 2);
}
