// Tiles of several warps: reductions, exchange and votes against sums that the host works out.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
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
        double votes = (first <= 70 && 70 < first + SIZE) * 0.5 + (first + SIZE < THREADS) * 0.25;
        bad += ints[t] != sum + 2 * (first + 5) * 100000;
        bad += doubles[t] != sum + votes;
    }
    printf("tiles of %d: %s\n", SIZE, bad ? "wrong" : "right");
    return bad;
}

// Without memory, as compute capability 8.0 and later allow; tiles of tiles; all of a large block.
template <int OUTER, int INNER> __global__ void nest_tiles(int *ints) {
    cg::thread_block block = cg::this_thread_block();
    auto outer = cg::tiled_partition<OUTER>(block);
    cg::thread_block_tile<INNER> inner = cg::tiled_partition<INNER>(outer);
    int t = (int)block.thread_rank();
    for (int turn = 0; turn < 3; turn++)
        outer.sync();
    int sum = cg::reduce(inner, t, cg::plus<int>());
    outer.sync();
    int below = cg::inclusive_scan(outer, 1);
    ints[t] = 1000 * sum + below * 8 + (int)(outer.meta_group_rank() + inner.meta_group_rank()) % 8;
}

template <int OUTER, int INNER> int check_nested(int *ints, int threads) {
    nest_tiles<OUTER, INNER><<<1, threads>>>(ints);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    for (int t = 0; t < threads; t++) {
        int first = t / INNER * INNER, sum = INNER * first + INNER * (INNER - 1) / 2;
        int ranks = t / OUTER + t % OUTER / INNER;
        bad += ints[t] != 1000 * sum + (t % OUTER + 1) * 8 + ranks % 8;
    }
    printf("tiles of %d in tiles of %d: %s\n", INNER, OUTER, bad ? "wrong" : "right");
    return bad;
}

// As the guide writes it: the block's type has no memory.
__global__ void name_the_type(int *ints) {
    __shared__ cg::block_tile_memory<THREADS> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    ints[block.thread_rank()] = cg::reduce(tile, 1, cg::plus<int>());
}

int check_named(int *ints) {
    name_the_type<<<1, THREADS>>>(ints);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    for (int t = 0; t < THREADS; t++)
        bad += ints[t] != 128;
    return bad;
}

int main() {
    int *ints;
    double *doubles;
    cudaMallocManaged(&ints, 1024 * sizeof *ints);
    cudaMallocManaged(&doubles, THREADS * sizeof *doubles);
    int bad = check<16>(ints, doubles) + check<32>(ints, doubles) + check<64>(ints, doubles) +
              check<128>(ints, doubles) + check<256>(ints, doubles) +
              check_nested<64, 16>(ints, 1024) + check_nested<128, 32>(ints, 512) +
              check_nested<1024, 32>(ints, 1024) + check_named(ints);
    return bad != 0;
}
