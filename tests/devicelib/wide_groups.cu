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

// Tiles of tiles, all of several warps: each level exchanges values between those of the others, in
// different orders from warp to warp.
template <int OUTER, int INNER> __global__ void nest_wide(int *ints, int turns) {
    cg::thread_block block = cg::this_thread_block();
    auto outer = cg::tiled_partition<OUTER>(block);
    cg::thread_block_tile<INNER, cg::thread_block_tile<OUTER, cg::thread_block>> inner =
        cg::tiled_partition<INNER>(outer);
    int t = (int)block.thread_rank(), sum = 0;
    for (int i = 0; i < turns; i++) {
        sum += outer.shfl(t + i, OUTER - 1) - inner.shfl(t + i, INNER / 2 + 1);
        sum += cg::reduce(outer, t, cg::plus<int>()) -
               OUTER / INNER * cg::reduce(inner, t, cg::plus<int>());
        if (inner.meta_group_rank() % 2)
            sum += inner.any(t % INNER == i) + inner.shfl(i, 0);
        sum += cg::exclusive_scan(outer, 1) - (int)(inner.meta_group_rank() * INNER);
    }
    ints[t] = sum;
}

template <int OUTER, int INNER> int check_wide(int *ints, int threads) {
    const int turns = 5;
    nest_wide<OUTER, INNER><<<1, threads>>>(ints, turns);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    for (int t = 0; t < threads; t++) {
        int outer = t / OUTER * OUTER, inner = t / INNER * INNER, sum = 0;
        for (int i = 0; i < turns; i++) {
            sum += outer + OUTER - 1 - (inner + INNER / 2 + 1);
            sum += OUTER * outer + OUTER * (OUTER - 1) / 2 -
                   OUTER / INNER * (INNER * inner + INNER * (INNER - 1) / 2);
            sum += t % OUTER / INNER % 2 ? 1 + i : 0;
            sum += t % INNER;
        }
        bad += ints[t] != sum;
    }
    printf("wide tiles of %d in tiles of %d: %s\n", INNER, OUTER, bad ? "wrong" : "right");
    return bad;
}

// Tiles of five sizes wait at the same time, for different numbers of turns.
template <unsigned int SIZE>
__device__ int turns_of(const cg::thread_block_tile<SIZE> &tile, int turns) {
    int sum = 0;
    for (int i = 0; i < turns; i++)
        sum += cg::reduce(tile, (int)tile.thread_rank() + i, cg::plus<int>());
    return sum;
}

__global__ void all_sizes(int *ints) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<512> by512 = cg::tiled_partition<512>(block);
    cg::thread_block_tile<256> by256 = cg::tiled_partition<256>(block);
    cg::thread_block_tile<128> by128 = cg::tiled_partition<128>(block);
    cg::thread_block_tile<64> by64 = cg::tiled_partition<64>(block);
    cg::thread_block_tile<32> by32 = cg::tiled_partition<32>(block);
    int t = (int)block.thread_rank();
    ints[t] = t < 512   ? turns_of(by512, 3)
              : t < 768 ? turns_of(by256, 5)
              : t < 896 ? turns_of(by128, 7)
              : t < 960 ? turns_of(by64, 11)
                        : turns_of(by32, 13);
    block.sync();
    ints[t] += cg::reduce(by64, 1, cg::plus<int>());
}

int check_all_sizes(int *ints) {
    all_sizes<<<1, 1024>>>(ints);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    for (int t = 0; t < 1024; t++) {
        int size = t < 512 ? 512 : t < 768 ? 256 : t < 896 ? 128 : t < 960 ? 64 : 32;
        int turns = t < 512 ? 3 : t < 768 ? 5 : t < 896 ? 7 : t < 960 ? 11 : 13;
        bad += ints[t] != turns * size * (size - 1) / 2 + size * turns * (turns - 1) / 2 + 64;
    }
    printf("tiles of all sizes: %s\n", bad ? "wrong" : "right");
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
              check_nested<1024, 32>(ints, 1024) + check_named(ints) +
              check_wide<128, 64>(ints, 1024) + check_wide<512, 64>(ints, 512) +
              check_wide<512, 128>(ints, 1024) + check_wide<1024, 256>(ints, 1024) +
              check_all_sizes(ints);
    return bad != 0;
}
