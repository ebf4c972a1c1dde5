// Ways in which real kernels order copies of tensors: a warp that loads boxes into a ring of tiles
// and warps that give them back, sums that go out by way of shared memory, boxes for all blocks of
// a cluster, partial sums that are added in the tensor, and a tile that is loaded, changed in place
// and stored. Guide, 10.29.2.
#include "../programs/tensor.h"
#include <cooperative_groups.h>

namespace ptx = cuda::ptx;

enum { WIDTH = 32, HEIGHT = 8, TILE = WIDTH * HEIGHT, STAGES = 3, CONSUMERS = 128 };

__device__ void give_back(uint64_t *object) {
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        ptx::mbarrier_arrive(object);
}

__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ unsigned mapped(unsigned address, unsigned rank) {
    unsigned r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
    return r;
}

__device__ void load_for_both(void *to, const CUtensorMap *map, int x, int y, uint64_t *object) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(object)), "h"((short)3)
                 : "memory");
}

// The last warp loads, the others add 1 to each element and store by boxes, of which two may be on
// their way.
__global__ void __launch_bounds__(CONSUMERS + 32)
    ring(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
         int boxes) {
    __shared__ alignas(128) int in[STAGES][TILE], out[2][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int k = 0; k < STAGES; k++) {
            object_begin(&full[k], 1);
            object_begin(&empty[k], CONSUMERS / 32);
        }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x == CONSUMERS)
            for (int n = 0; n < boxes; n++) {
                int stage = n % STAGES, round = n / STAGES;
                if (round)
                    wait_for(&empty[stage], (round - 1) & 1);
                const int at[] = {WIDTH * (int)blockIdx.x, HEIGHT * n};
                expect(&full[stage], sizeof in[stage]);
                LOAD_BOX(in[stage], &from, at, &full[stage]);
            }
        return;
    }
    for (int n = 0; n < boxes; n++) {
        int stage = n % STAGES;
        wait_for(&full[stage], n / STAGES & 1);
        int x = in[stage][threadIdx.x], y = in[stage][threadIdx.x + CONSUMERS];
        give_back(&empty[stage]);
        if (threadIdx.x == 0)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[n % 2][threadIdx.x] = x + 1;
        out[n % 2][threadIdx.x + CONSUMERS] = y + 1;
        ptx::fence_proxy_async(ptx::space_shared);
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (threadIdx.x == 0) {
            const int at[] = {WIDTH * (int)blockIdx.x, HEIGHT * n};
            STORE_BOX(&to, at, out[n % 2]);
            ptx::cp_async_bulk_commit_group();
        }
    }
}

// Each block of a pair loads half of what both get; a stage is given back to both.
__global__ void __cluster_dims__(2)
    shared_boxes(const __grid_constant__ CUtensorMap from, int *sums, int boxes) {
    __shared__ alignas(128) int in[2][TILE];
    __shared__ uint64_t full[2], empty[2];
    auto cluster = cooperative_groups::this_cluster();
    int rank = cluster.block_rank(), sum = 0;
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++) {
            object_begin(&full[k], 1);
            object_begin(&empty[k], 2);
        }
    cluster.sync();
    for (int n = 0; n < boxes; n++) {
        int stage = n % 2;
        if (threadIdx.x == 0) {
            if (n >= 2)
                wait_for(&empty[stage], (n / 2 - 1) & 1);
            expect(&full[stage], sizeof in[stage]);
            const int at[] = {0, HEIGHT * n + HEIGHT / 2 * rank};
            load_for_both(&in[stage][TILE / 2 * rank], &from, at[0], at[1], &full[stage]);
        }
        wait_for(&full[stage], n / 2 & 1);
        sum += in[stage][threadIdx.x];
        __syncthreads();
        if (threadIdx.x < 2) {
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                             mapped(shared_address(&empty[stage]), threadIdx.x))
                         : "memory");
        }
    }
    cluster.sync();
    sums[blockIdx.x * TILE + threadIdx.x] = sum;
}

// All blocks add to one box of the tensor.
__global__ void partial_sums(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) int tile[TILE];
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
                     "[%0, {%1, %1}], [%2];" ::"l"(&to),
                     "r"(0), "r"(shared_address(tile))
                     : "memory");
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// Boxes of a grid-stride loop are changed in place.
__global__ void in_place(const __grid_constant__ CUtensorMap map, int boxes) {
    __shared__ alignas(128) int tile[TILE];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        object_begin(&full, 1);
    __syncthreads();
    int round = 0;
    for (int n = blockIdx.x; n < boxes; n += gridDim.x, round++) {
        const int at[] = {WIDTH, HEIGHT * n};
        if (threadIdx.x == 0) {
            expect(&full, sizeof tile);
            LOAD_BOX(tile, &map, at, &full);
        }
        wait_for(&full, round & 1);
        tile[threadIdx.x] *= 2;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            STORE_BOX(&map, at, tile);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
}

enum { COLUMNS = 2 * WIDTH, BOXES = 7, ROWS = BOXES * HEIGHT };

int main() {
    static int h[ROWS * COLUMNS], sums[2 * TILE];
    int *a, *b, *c;
    bool right = true;
    for (int k = 0; k < ROWS * COLUMNS; k++)
        h[k] = k;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMalloc(&c, sizeof sums));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    CUtensorMap from = map_of(a, COLUMNS, ROWS, WIDTH, HEIGHT),
                to = map_of(b, COLUMNS, ROWS, WIDTH, HEIGHT);
    ring<<<2, CONSUMERS + 32>>>(from, to, BOXES);
    partial_sums<<<4, TILE>>>(to);
    in_place<<<2, TILE>>>(to, BOXES);
    shared_boxes<<<2, TILE>>>(map_of(a, COLUMNS, ROWS, WIDTH, HEIGHT / 2), c, BOXES);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(sums, c, sizeof sums, cudaMemcpyDeviceToHost));
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        int x = k % COLUMNS, y = k / COLUMNS, value = k + 1;
        if (x < WIDTH && y < HEIGHT)
            value += 4 * (y * WIDTH + x);
        right &= h[k] == (x < WIDTH ? value : 2 * value);
    }
    for (int k = 0; k < 2 * TILE; k++) {
        int sum = 0, at = k % TILE;
        for (int n = 0; n < BOXES; n++)
            sum += (n * HEIGHT + at / WIDTH) * COLUMNS + at % WIDTH;
        right &= sums[k] == sum;
    }
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(c));
    return verdict(right);
}
