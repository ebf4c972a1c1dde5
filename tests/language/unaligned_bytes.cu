// Sixteen neighbouring bytes that a thread reads at an odd address, as sorting small keys does: the
// compiler may not make one access of them.
#include "check.h"

constexpr int threads = 256, each = 19, bytes = threads * each;

__device__ __host__ static int place(int p, int turn) {
    return (p * 5 + turn) % bytes;
}

__global__ void permute(const signed char *in, signed char *out, int turns) {
    __shared__ signed char keys[bytes];
    signed char v[each];
#pragma unroll
    for (int i = 0; i < each; ++i)
        v[i] = in[threadIdx.x * each + i];
    for (int t = 0;; ++t) {
#pragma unroll
        for (int i = 0; i < each; ++i)
            keys[place(threadIdx.x * each + i, t)] = v[i];
        __syncthreads();
        if (t == turns)
            break;
#pragma unroll
        for (int i = 0; i < each; ++i)
            v[i] = keys[threadIdx.x * each + i];
        __syncthreads();
    }
    for (int i = 0; i < each; ++i)
        out[i * threads + threadIdx.x] = keys[i * threads + threadIdx.x];
}

int main() {
    signed char *in = shared_array<signed char>(bytes), *out = shared_array<signed char>(bytes);
    static signed char expected[2][bytes];
    random_words random;
    for (int i = 0; i < bytes; ++i)
        expected[0][i] = in[i] = (signed char)random();
    const int turns = 3;
    permute<<<1, threads>>>(in, out, turns);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t <= turns; ++t)
        for (int i = 0; i < bytes; ++i)
            expected[(t + 1) % 2][place(i, t)] = expected[t % 2][i];
    for (int i = 0; i < bytes; ++i)
        CHECK(out[i] == expected[(turns + 1) % 2][i]);
    return failures != 0;
}
