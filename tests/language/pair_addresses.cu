// Bit 24 of an address in a cluster's shared memory is the lowest one of the block's rank: programs
// clear it to name an object in the even block of a pair, of their own address and of a mapped one.
#include <cooperative_groups.h>
#include <cuda/ptx>

#include "check.h"

enum { BLOCKS = 4, THREADS = 64 };

__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ unsigned mapped(unsigned address, unsigned rank) {
    unsigned r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
    return r;
}

__device__ void arrive(unsigned address) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address)
                 : "memory");
}

// An object of each even block gets four arrivals, those of odd blocks none.
__global__ void __cluster_dims__(BLOCKS) arrivals(int *ended) {
    __shared__ uint64_t barriers[2];
    uint64_t &barrier = barriers[1];
    auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank(), even = 0xFEFFFFFF;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&barrier, rank % 2 ? 1 : 4);
    cluster.sync();
    if (threadIdx.x == 32) {
        arrive(shared_address(&barrier) & even);
        arrive(mapped(shared_address(&barrier), (rank + 2) % BLOCKS) & even);
    }
    cluster.sync();
    if (threadIdx.x == 0)
        ended[blockIdx.x] = cuda::ptx::mbarrier_test_wait_parity(&barrier, 0);
}

// Each block of a pair loads for itself; the even one is told of both.
__global__ void __cluster_dims__(BLOCKS) loads(const char *from, char *to) {
    __shared__ alignas(128) char data[128];
    __shared__ uint64_t barrier;
    auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&barrier, 1);
    cluster.sync();
    if (threadIdx.x == 0) {
        if (rank % 2 == 0)
            cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                                 cuda::ptx::space_shared, &barrier, 256);
        unsigned bar = mapped(shared_address(&barrier), rank) & ~(1u << 24);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], 128, [%2];" ::"r"(mapped(shared_address(data), rank & ~1u)),
                     "l"(from + blockIdx.x * 128), "r"(bar)
                     : "memory");
    }
    if (rank % 2 == 0)
        while (!cuda::ptx::mbarrier_try_wait_parity(&barrier, 0))
            ;
    cluster.sync();
    for (int k = threadIdx.x; k < 128 && rank % 2 == 0; k += THREADS)
        to[blockIdx.x * 128 + k] = data[k];
}

int main() {
    enum { GRID = 3 * BLOCKS };
    int *ended;
    char *from, *to;
    CHECK(cudaMallocManaged(&ended, GRID * sizeof *ended) == cudaSuccess);
    CHECK(cudaMallocManaged(&from, GRID * 128) == cudaSuccess);
    CHECK(cudaMallocManaged(&to, GRID * 128) == cudaSuccess);
    for (int k = 0; k < GRID * 128; k++)
        from[k] = (char)(1 + k % 100);
    arrivals<<<GRID, THREADS>>>(ended);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int k = 0; k < GRID; k++)
        CHECK(ended[k] == (k % 2 == 0));
    loads<<<GRID, THREADS>>>(from, to);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int k = 0; k < GRID * 128; k++)
        if (k / 128 % 2 == 0) // the data of one of the two
            CHECK(to[k] == from[k] || to[k] == from[k + 128]);
    return failures != 0;
}
