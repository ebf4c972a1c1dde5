// Two threads pack numbers of four bits into one byte, each by a read and a write of its own, not
// atomic. Guide, 5.4.4.
#include "../suite.h"

__global__ void pack(const int *a, unsigned char *out) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
#ifdef BUG
    out[i / 2] |= (unsigned char)((a[i] & 15) << i % 2 * 4); // bug: race.global
#else
    int other = __shfl_down_sync(~0u, a[i], 1);
    if (i % 2 == 0)
        out[i / 2] |= (unsigned char)((a[i] & 15) | (other & 15) << 4);
#endif
}

int main() {
    int *a, in[64];
    unsigned char *out, h[32];
    for (int i = 0; i < 64; i++)
        in[i] = i;
    OK(cudaMalloc(&a, sizeof in));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof h));
    pack<<<1, 64>>>(a, out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[1] == 0x32);
}
