// Tiles of several warps: reductions, exchange and votes against sums that the host works out.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;
const int THREADS = 256;

template <int SIZE> __global__ void use_tiles(int *ints, double *doubles) {
    __shared__ cg::block_tile_memory<THREADS> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<SIZE>(block);
    int t = (int)block.thread_rank();
    int sum = cg::reduce(tile, t, cg::plus<int>());
    ints[t] = sum + tile.shfl(2 * t, 5) * 100000;
    doubles[t] = cg::reduce(tile, (double)t, cg::plus<double>()) + tile.any(t == 70) * 0.5 +
                 tile.all(t < THREADS - 1) * 0.25;
}

template <int SIZE> int check(int *ints, double *doubles) {
    use_tiles<SIZE><<<1, THREADS>>>(ints, doubles);
    cudaError_t e = cudaDeviceSynchronize();
    int bad = e != cudaSuccess;
    for (int t = 0; t < THREADS; t++) {
        int first = t / SIZE * SIZE, sum = SIZE * first + SIZE * (SIZE - 1) / 2;
        double votes = (first <= 70 && 70 < first + SIZE) * 0.5 +
                       (first + SIZE < THREADS) * 0.25;
        bad += ints[t] != sum + 2 * (first + 5) * 100000;
        bad += doubles[t] != sum + votes;
    }
    printf("tiles of %d: %s\n", SIZE, bad ? "wrong" : "right");
    return bad;
}

int main() {
    int *ints;
    double *doubles;
    cudaMallocManaged(&ints, THREADS * sizeof *ints);
    cudaMallocManaged(&doubles, THREADS * sizeof *doubles);
    int bad = check<16>(ints, doubles) + check<32>(ints, doubles) + check<64>(ints, doubles) +
              check<128>(ints, doubles) + check<256>(ints, doubles);
    return bad != 0;
}
