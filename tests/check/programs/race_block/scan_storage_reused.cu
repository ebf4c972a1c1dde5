// A block's scan is called twice with the same shared storage, and no barrier stands between the
// last reads of the first call and the first writes of the second. Guide, 10.6.
#include "../suite.h"

template <int THREADS> struct BlockScan {
    struct Storage {
        int warps[THREADS / 32];
    };
    Storage &storage;
    __device__ int inclusive(int v) {
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffff, v, d);
            v += lane >= d ? other : 0;
        }
        if (lane == 31)
            storage.warps[warp] = v; // bug: race.shared
        __syncthreads();
        for (int w = 0; w < warp; ++w)
            v += storage.warps[w]; // with
        return v;
    }
};

__global__ void scan(int *out) {
    __shared__ BlockScan<128>::Storage storage;
    int once = BlockScan<128>{storage}.inclusive(1);
#ifndef BUG
    __syncthreads();
#endif
    out[threadIdx.x] = BlockScan<128>{storage}.inclusive(once);
}

int main() {
    int *out, h[128];
    OK(cudaMalloc(&out, sizeof h));
    scan<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[127] == 128 * 129 / 2);
}
