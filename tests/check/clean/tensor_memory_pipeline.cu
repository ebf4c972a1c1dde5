// A warp loads tiles of two matrices into a ring (bulk copies), a thread multiplies them into
// tensor memory (tcgen05), and four warps read the sums, in two halves of the columns of tensor
// memory in turn, as products of matrices for compute capability 10.0 do.
// options: -arch=sm_100a
#include "../programs/tcgen05.h"

namespace ptx = cuda::ptx;
enum { ROWS = 128, COLUMNS = 32, K = 16, STAGES = 2, STEPS = 5, TILES = 3, READERS = 128 };

struct alignas(1024) tiles {
    __half a[ROWS * K], b[COLUMNS * K];
};

__global__ void __launch_bounds__(READERS + 64) multiply(const tiles *in, float *out) {
    __shared__ tiles ring[STAGES];
    __shared__ uint64_t full[STAGES], empty[STAGES], ready[2], taken[2];
    __shared__ uint32_t place;
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++) {
            object_begin(&full[k], 1);
            object_begin(&empty[k], 1);
            object_begin(&ready[k], 1);
            object_begin(&taken[k], READERS);
        }
    if (warp == 0) {
        ptx::tcgen05_alloc(ptx::cta_group_1, &place, 2u * COLUMNS);
        ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
    }
    ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    ptx::tcgen05_fence_after_thread_sync();
    if (warp == 4 && threadIdx.x % 32 == 0) {
        for (int n = 0; n < TILES * STEPS; n++) {
            tiles &t = ring[n % STAGES];
            if (n >= STAGES)
                wait_for(&empty[n % STAGES], (n / STAGES - 1) & 1);
            expect(&full[n % STAGES], sizeof t);
            LOAD_TILE(t.a, in[n].a, sizeof t.a, &full[n % STAGES]);
            LOAD_TILE(t.b, in[n].b, sizeof t.b, &full[n % STAGES]);
        }
    } else if (warp == 5 && threadIdx.x % 32 == 0) {
        for (int tile = 0, n = 0; tile < TILES; tile++) {
            if (tile >= 2)
                wait_for(&taken[tile % 2], (tile / 2 - 1) & 1);
            ptx::tcgen05_fence_after_thread_sync();
            for (int step = 0; step < STEPS; step++, n++) {
                tiles &t = ring[n % STAGES];
                wait_for(&full[n % STAGES], n / STAGES & 1);
                ptx::tcgen05_fence_after_thread_sync();
                MULTIPLY(place + tile % 2 * COLUMNS, t.a, t.b, COLUMNS, step > 0);
                ptx::tcgen05_commit(ptx::cta_group_1, &empty[n % STAGES]);
            }
            ptx::tcgen05_commit(ptx::cta_group_1, &ready[tile % 2]);
        }
    } else if (warp < 4) {
        for (int tile = 0; tile < TILES; tile++) {
            float sum[COLUMNS];
            wait_for(&ready[tile % 2], tile / 2 & 1);
            ptx::tcgen05_fence_after_thread_sync();
            ptx::tcgen05_ld_32x32b(sum, place + tile % 2 * COLUMNS + (warp << 21));
            ptx::tcgen05_wait_ld();
            ptx::tcgen05_fence_before_thread_sync();
            ptx::mbarrier_arrive(&taken[tile % 2]);
            for (int n = 0; n < COLUMNS; n++)
                out[(tile * ROWS + threadIdx.x) * COLUMNS + n] = sum[n];
        }
    }
    __syncthreads();
    if (warp == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_1, place, 2u * COLUMNS);
}

int main() {
    tiles *in;
    float *out;
    bool right = true;
    OK(cudaMallocManaged(&in, TILES * STEPS * sizeof *in));
    OK(cudaMallocManaged(&out, TILES * ROWS * COLUMNS * sizeof *out));
    for (int n = 0; n < TILES * STEPS; n++)
        for (int k = 0; k < K; k++) {
            for (int row = 0; row < ROWS; row++)
                in[n].a[piece_of(row, k)] = __half(row % 4);
            for (int column = 0; column < COLUMNS; column++)
                in[n].b[piece_of(column, k)] = __half(column + n / STEPS);
        }
    multiply<<<1, READERS + 64>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int k = 0; k < TILES * ROWS * COLUMNS; k++) {
        int tile = k / (ROWS * COLUMNS), row = k / COLUMNS % ROWS, column = k % COLUMNS;
        right &= out[k] == STEPS * K * (row % 4) * (column + tile);
    }
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(right);
}
