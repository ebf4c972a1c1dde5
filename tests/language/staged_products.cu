// A product of matrices as a user would write it (guide 10.24, 10.28, 11): operands kept in eight
// bits are widened on the device, tiles of them come into shared memory through a pipeline of two
// stages, warps multiply fragments, and the row sums of the result are reduced by tiles of threads.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

constexpr int side = 64, depth = 96, step = 16, tile = 32, warps = 4;

__global__ void widen(const __nv_fp8_e4m3 *from, half *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = half(from[i]);
}

// Each block makes a tile of C, each of its warps a quarter of that.
__global__ void __launch_bounds__(32 * warps)
    multiply(const __grid_constant__ dim3 sizes, const half *a, const half *b, float *c) {
    constexpr int stages = 2;
    __shared__ alignas(16) half left[stages][tile][step], right[stages][step][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int row = blockIdx.y * tile, column = blockIdx.x * tile, warp = threadIdx.x / 32;

    auto fetch = [&](int k, int stage) {
        pipe.producer_acquire();
        for (int r = block.thread_rank(); r < tile; r += block.size())
            cuda::memcpy_async(left[stage][r], a + (row + r) * sizes.z + k,
                               cuda::aligned_size_t<16>(step * sizeof(half)), pipe);
        for (int r = block.thread_rank(); r < step; r += block.size())
            cuda::memcpy_async(right[stage][r], b + (k + r) * sizes.y + column,
                               cuda::aligned_size_t<16>(tile * sizeof(half)), pipe);
        pipe.producer_commit();
    };

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    fetch(0, 0);
    for (int k = 0, stage = 0; k < sizes.z; k += step, stage ^= 1) {
        if (k + step < sizes.z)
            fetch(k + step, stage ^ 1);
        pipe.consumer_wait();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
        wmma::load_matrix_sync(x, &left[stage][warp / 2 * 16][0], step);
        wmma::load_matrix_sync(y, &right[stage][0][warp % 2 * 16], tile);
        wmma::mma_sync(sum, x, y, sum);
        pipe.consumer_release();
    }
    wmma::store_matrix_sync(c + (row + warp / 2 * 16) * sizes.y + column + warp % 2 * 16, sum,
                            sizes.y, wmma::mem_row_major);
}

// A tile of eight threads for each row; its first thread counts rows of a positive sum.
__global__ void sum_rows(const float *c, float *sums, int *positive) {
    auto group = cg::tiled_partition<8>(cg::this_thread_block());
    int row = blockIdx.x * group.meta_group_size() + group.meta_group_rank();
    float part = 0;
    for (int i = group.thread_rank(); i < side; i += group.size())
        part += c[row * side + i];
    float sum = cg::reduce(group, part, cg::plus<float>());
    cg::invoke_one(group, [&] {
        sums[row] = sum;
        if (sum > 0)
            atomicAdd(positive, 1);
    });
}

int main() {
    auto a8 = shared_array<__nv_fp8_e4m3>(side * depth),
         b8 = shared_array<__nv_fp8_e4m3>(side * depth);
    auto a = shared_array<half>(side * depth), b = shared_array<half>(side * depth);
    auto c = shared_array<float>(side * side), sums = shared_array<float>(side);
    auto positive = shared_array<int>(1);
    // Multiples of 1/4 below 4: all products and sums are exact in single precision.
    random_words random;
    auto small = [&] { return (int(random() % 31) - 15) * 0.25f; };
    static float x[side][depth], y[depth][side];
    for (int i = 0; i < side; i++)
        for (int k = 0; k < depth; k++) {
            x[i][k] = float(a8[i * depth + k] = __nv_fp8_e4m3(small()));
            y[k][i] = float(b8[k * side + i] = __nv_fp8_e4m3(small()));
        }

    widen<<<(side * depth + 127) / 128, 128>>>(a8, a, side * depth);
    widen<<<(side * depth + 127) / 128, 128>>>(b8, b, side * depth);
    multiply<<<dim3(side / tile, side / tile), 32 * warps>>>(dim3(side, side, depth), a, b, c);
    sum_rows<<<side / 16, 128>>>(c, sums, positive);
    CUDA(cudaDeviceSynchronize());

    int expected_positive = 0;
    for (int i = 0; i < side; i++) {
        double row = 0;
        for (int j = 0; j < side; j++) {
            double sum = 0;
            for (int k = 0; k < depth; k++)
                sum += double(x[i][k]) * y[k][j];
            CHECK(c[i * side + j] == sum);
            row += sum;
        }
        CHECK(sums[i] == row);
        expected_positive += row > 0;
    }
    CHECK(*positive == expected_positive);
    return failures;
}
