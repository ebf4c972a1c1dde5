// An exclusive scan in one pass, as CUB has it: a tile's sum and state in two words, states
// volatile with fences, tiles taken from a counter. Guide, 7.5 and 7.14.
#include "../programs/suite.h"
enum { T = 128, TILES = 24, N = T * TILES };
struct tile {
    volatile int state;
    volatile int aggregate, prefix;
};
__device__ int next_tile;
__global__ void scan(const int *in, int *out, tile *tiles) {
    __shared__ int s[T], which, before;
    if (threadIdx.x == 0)
        which = atomicAdd(&next_tile, 1);
    __syncthreads();
    int t = which, x = in[t * T + threadIdx.x];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int d = 1; d < T; d *= 2) {
        int y = (int)threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += y;
        __syncthreads();
    }
    if (threadIdx.x == T - 1) {
        int sum = s[T - 1];
        if (t == 0) {
            tiles[0].prefix = sum;
            __threadfence();
            tiles[0].state = 2;
            before = 0;
        } else {
            tiles[t].aggregate = sum;
            __threadfence();
            tiles[t].state = 1;
            int b = 0;
            for (int k = t - 1;;) {
                int st = tiles[k].state;
                __threadfence();
                if (st == 2) {
                    b += tiles[k].prefix;
                    break;
                }
                if (st == 1) {
                    b += tiles[k].aggregate;
                    k--;
                }
            }
            tiles[t].prefix = b + sum;
            __threadfence();
            tiles[t].state = 2;
            before = b;
        }
    }
    __syncthreads();
    out[t * T + threadIdx.x] = before + s[threadIdx.x] - x;
}
int main() {
    int *in, *out, *h = (int *)malloc(N * 4);
    tile *tiles;
    OK(cudaMalloc(&in, N * 4));
    OK(cudaMalloc(&out, N * 4));
    OK(cudaMalloc(&tiles, sizeof(tile) * TILES));
    for (int i = 0; i < N; i++)
        h[i] = i % 7;
    OK(cudaMemcpy(in, h, N * 4, cudaMemcpyHostToDevice));
    OK(cudaMemset(tiles, 0, sizeof(tile) * TILES));
    scan<<<TILES, T>>>(in, out, tiles);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, N * 4, cudaMemcpyDeviceToHost));
    bool right = true;
    int sum = 0;
    for (int i = 0; i < N; i++) {
        right &= h[i] == sum;
        sum += i % 7;
    }
    free(h);
    OK(cudaFree(in));
    OK(cudaFree(out));
    OK(cudaFree(tiles));
    return verdict(right);
}
