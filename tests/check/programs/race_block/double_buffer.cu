// A loop over two tiles in turn fills the one that slower threads still read: one barrier an
// iteration is not enough there. Guide, 10.6 and 6.2.4.
#include "../suite.h"

__global__ void chain(const int *in, int *out, int rounds) {
    __shared__ int tile[2][64];
    int t = threadIdx.x, v = 0;
    for (int r = 0; r < rounds; ++r) {
#ifdef BUG
        int now = r / 2 % 2;
#else
        int now = r % 2;
#endif
        tile[now][t] = in[r * 64 + t]; // bug: race.block
        __syncthreads();
        v += tile[now][(t + 33) % 64]; // with
    }
    out[t] = v;
}

int main() {
    const int rounds = 6;
    int *in, *out, h[rounds * 64];
    for (int i = 0; i < rounds * 64; ++i)
        h[i] = i;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, 64 * sizeof(int)));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    chain<<<1, 64>>>(in, out, rounds);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] == 33 * rounds + 64 * 15);
}
