// Counts of the block are cleared and then added to, with nothing between. Guide, 10.6.
#include "../suite.h"

template <int Bins> __global__ void histogram(const unsigned char *in, int n, unsigned *out) {
    __shared__ unsigned count[Bins];
    for (int b = threadIdx.x; b < Bins; b += blockDim.x)
        count[b] = 0; // bug: race.block
#ifndef BUG
    __syncthreads();
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[in[i] % Bins], 1); // with
    __syncthreads();
    for (int b = threadIdx.x; b < Bins; b += blockDim.x)
        atomicAdd(&out[b], count[b]);
}

int main() {
    const int n = 3000;
    unsigned char *in, h[n];
    unsigned *out, r[64];
    for (int i = 0; i < n; ++i)
        h[i] = (unsigned char)(i * 7);
    OK(cudaMalloc(&in, n));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemcpy(in, h, n, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof r));
    histogram<64><<<3, 96>>>(in, n, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    unsigned all = 0;
    for (unsigned c : r)
        all += c;
    return verdict(all == n);
}
