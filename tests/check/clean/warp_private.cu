// Each warp transposes, sorts and reduces in its own part of shared memory with __syncwarp alone;
// masks of halves where a branch parts the warp. Guide, 5.4.4.1.
#include "../programs/suite.h"
enum { WARPS = 4 };
__global__ void work(const int *in, int *out) {
    __shared__ int s[WARPS][32][33];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int r = 0; r < 32; r++)
        s[w][r][l] = in[r * 32 + l] + w;
    __syncwarp();
    int sum = 0;
    for (int c = 0; c < 32; c++)
        sum += s[w][l][c] * (c + 1);
    __syncwarp();
    s[w][0][l] = sum;
    for (int d = 16; d; d /= 2) {
        __syncwarp();
        int x = l < d ? s[w][0][l + d] : 0;
        __syncwarp();
        if (l < d)
            s[w][0][l] += x;
    }
    __syncwarp();
    int total = s[w][0][0];
    unsigned half = l < 16 ? 0xffffu : 0xffff0000u;
    int part;
    if (l < 16) {
        s[w][1][l] = l;
        __syncwarp(half);
        part = s[w][1][15 - l];
    } else {
        s[w][2][l] = 2 * l;
        __syncwarp(half);
        part = s[w][2][47 - l];
    }
    unsigned who = __ballot_sync(~0u, part > 15);
    part += __shfl_xor_sync(half, part, 1) + __reduce_add_sync(half, l) +
            __popc(__match_any_sync(~0u, l / 8));
    out[threadIdx.x] = total + part + __popc(who);
}
int main() {
    int h[1024], r[32 * WARPS], *in, *out;
    for (int i = 0; i < 1024; i++)
        h[i] = i % 13;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    work<<<1, 32 * WARPS>>>(in, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    int total = 0;
    for (int i = 0; i < 1024; i++)
        total += h[i] * (i % 32 + 1);
    bool right = r[0] == total + 15 + 14 + 120 + 8 + 16;
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(right);
}
