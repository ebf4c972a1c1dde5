// One thread ends phases of mbarrier objects by copies and commits, and waits for each; others only
// watch them, and nothing holds that thread back. On a GPU a copy takes longer than to look; here
// it is done at once, and a watcher that came two phases late would wait for a parity for ever.
#include <cooperative_groups.h>
#include <cuda/ptx>

#include "check.h"

enum { PHASES = 65, BYTES = 128, THREADS = 128 };

__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void wait(const uint64_t *barrier, unsigned parity) {
    asm volatile("{ .reg .pred ended;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
                 "@ended bra done;\nbra again;\ndone: }" ::"r"(shared_address(barrier)),
                 "r"(parity));
}

__device__ void begin_load(uint64_t *barrier, void *to, const void *from) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, barrier, BYTES);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from, BYTES,
                             barrier);
}

__device__ void commit(uint64_t *barrier) {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            shared_address(barrier)));
}

__global__ void two_objects(const char *from, int *seen) {
    __shared__ alignas(128) char data[BYTES];
    __shared__ uint64_t loaded, used;
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&loaded, 1);
        cuda::ptx::mbarrier_init(&used, 1);
    }
    __syncthreads();
    int n = 0;
    for (int k = 0; k < PHASES; k++) {
        if (threadIdx.x == 0)
            begin_load(&loaded, data, from);
        wait(&loaded, k & 1);
        if (threadIdx.x == 0)
            commit(&used);
        wait(&used, k & 1);
        n++;
    }
    seen[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

__global__ void one_object(const char *from, int *seen) {
    __shared__ alignas(128) char data[BYTES];
    __shared__ uint64_t loaded;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&loaded, 1);
    __syncthreads();
    int n = 0;
    for (int k = 0; k < PHASES; k++) {
        if (threadIdx.x == 0)
            begin_load(&loaded, data, from);
        wait(&loaded, k & 1);
        n++;
    }
    seen[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// The first threads of two blocks hold each other back; the rest of both watches.
__global__ void __cluster_dims__(2) two_blocks(const char *from, int *seen) {
    __shared__ alignas(128) char data[BYTES];
    __shared__ uint64_t loaded, used;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&loaded, 1);
        cuda::ptx::mbarrier_init(&used, 2);
    }
    cluster.sync();
    int n = 0;
    for (int k = 0; k < PHASES; k++) {
        if (threadIdx.x == 0)
            begin_load(&loaded, data, from);
        wait(&loaded, k & 1);
        if (threadIdx.x == 0)
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
                         "multicast::cluster.b64 [%0], %1;" ::"r"(shared_address(&used)),
                         "h"((unsigned short)3));
        wait(&used, k & 1);
        n++;
    }
    seen[blockIdx.x * blockDim.x + threadIdx.x] = n;
    cluster.sync();
}

int main() {
    enum { BLOCKS = 4 };
    void (*const kernels[])(const char *, int *) = {two_objects, one_object, two_blocks};
    char *from;
    int *seen;
    CHECK(cudaMallocManaged(&from, BYTES) == cudaSuccess);
    CHECK(cudaMallocManaged(&seen, BLOCKS * THREADS * sizeof *seen) == cudaSuccess);
    for (auto kernel : kernels) {
        memset(seen, 0, BLOCKS * THREADS * sizeof *seen);
        kernel<<<BLOCKS, THREADS>>>(from, seen);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        if (failures)
            return 1;
        for (int k = 0; k < BLOCKS * THREADS; k++)
            CHECK(seen[k] == PHASES);
    }
    return failures != 0;
}
