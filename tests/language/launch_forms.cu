// Launches in device code (guide 13.3.1.1) as parts of expressions and statements of all kinds,
// with converted arguments; order between blocks, streams, copies and the host (13.2.1).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void put(int *p, int v) {
    *p = v;
}
__global__ void add(int *p, int v) {
    atomicAdd(p, v);
}
template <typename T> __global__ void put_each(T *p, T v) {
    p[threadIdx.x] = v;
}

static void finish() {
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
}

// ---- Forms --------------------------------------------------------------------------------------

struct base {
    int x;
};
struct derived : base {
    int y;
};
__device__ derived object = {{5}, 6};
__global__ void convert(base *b, const void *v, long l, double d, bool f, int *to) {
    to[0] = b->x, to[1] = v == (const void *)to, to[2] = (int)(l >> 32);
    to[3] = (int)(d * 2), to[4] = f;
}
struct number {
    int v;
    __device__ operator int() const {
        return v;
    }
};
__device__ void returned(int *n) {
    return put<<<1, 1>>>(n, 77);
}
template <int N> struct chain {
    static __device__ void go(int *n) {
        put<<<1, 1>>>(n + N, N);
        chain<N - 1>::go(n);
    }
};
template <> struct chain<0> {
    static __device__ void go(int *n) {
        put<<<1, 1>>>(n, 100);
    }
};

// clang-format off
#define EITHER(c, a, b, ...) (c) ? a<<<1, 1>>>(__VA_ARGS__) : b<<<1, 1>>>(__VA_ARGS__)

__global__ void forms(int *n) {
    EITHER(n[0] == 0, put, add, n + 1, 11);
    n[0] ? put<<<1, 1>>>(n + 2, 1) : put<<<1, 1>>>(n + 2, 22);
    put<<<1, 1>>>(n + 3, 33), put<<<1, 1>>>(n + 4, 44);
    (put<<<1, 1>>>(n + 5, 55));
    for (int i = 0; i < 3; put<<<1, 1>>>(n + 6 + i, i + 60), i++);
    returned(n + 9);
    convert<<<1, 1>>>(&object, n + 10, 7ll << 32, 3, n, n + 10);
    put<<<1, 1>>>(n + 15, number{15});
    put<<<1, 1>>>(n + 16, 'a');
    put_each<<<1, 3>>>(n + 17, 17);
    put_each<int><<<1, 1>>>(n + 20, (short)20);
    switch (n[0]) { case 0: put<<<1, 1>>>(n + 21, 21); break; default: put<<<1, 1>>>(n + 21, 1); }
    do put<<<1, 1>>>(n + 22, 22); while (0);
    if (n[0]); else put<<<1, 1>>>(n + 23, 23);
    auto generic = [&](auto v) { put_each<<<1, 1>>>(n + 24, (int)v); };
    generic(24.5f);
    void (*pointer)(int *, int) = n[0] ? add : put;
    pointer<<<1, 1>>>(n + 25, 25);
    (*pointer)<<<1, 1>>>(n + 26, 26);
    unsigned one = 1;
    put<<<one, one, 0, 0>>>(n + 27, 27);
    put<<<dim3(one), one, one - 1, nullptr>>>(n + 28, 28);
    (void)(put<<<1, 1, 0, cudaStreamPerThread>>>(n + 29, 29));
    chain<3>::go(n + 30);
}
// clang-format on

static void check_forms() {
    static const int expected[] = {0,  11, 22, 33, 44, 55, 60,  61, 62, 77, 5,  1,
                                   7,  6,  1,  15, 97, 17, 17,  17, 20, 21, 22, 23,
                                   24, 25, 26, 27, 28, 29, 100, 1,  2,  3};
    int *n = shared_array<int>(34);
    forms<<<1, 1>>>(n);
    finish();
    for (int i = 0; i < 34; i++)
        CHECK(n[i] == expected[i]);
    CUDA(cudaFree(n));
}

// ---- Order --------------------------------------------------------------------------------------

__global__ void add_late(int *p, int v) {
    for (int i = 0; i < 20; i++)
        __nanosleep(20000);
    atomicAdd(p, v);
}

struct handles {
    cudaStream_t first, second;
    cudaEvent_t done;
    int ready;
};

// One block waits for what another one does in a stream of the grid; copies and sets are in order
// with launches, behind the grid too.
__global__ void across_blocks(int *n, handles *h) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        cudaStreamCreateWithFlags(&h->first, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&h->second, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&h->done, cudaEventDisableTiming);
        for (int i = 0; i < 5; i++)
            add_late<<<1, 1, 0, h->first>>>(n, 1);
        cudaEventRecord(h->done, h->first);
        __threadfence();
        atomicExch(&h->ready, 1);
        return;
    }
    while (atomicAdd(&h->ready, 0) == 0)
        ;
    __threadfence();
    cudaStreamWaitEvent(h->second, h->done, 0);
    cudaMemcpyAsync(n + 1, n, 4, cudaMemcpyDeviceToDevice, h->second);
    cudaMemsetAsync(n + 2, 1, 4, h->second);
    add<<<1, 1, 0, h->second>>>(n + 2, 1);
    cudaMemcpyAsync(n + 3, n, 4, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch);
    add<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 1000);
    cudaMemcpyAsync(n + 4, n, 4, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch);
}

__global__ void tree(int *n, int depth) {
    if (depth == 0) {
        atomicAdd(n, 1);
        return;
    }
    tree<<<1, 1>>>(n, depth - 1);
    tree<<<2, 1, 0, cudaStreamFireAndForget>>>(n, depth - 1);
}
__global__ void tree_and_copy(int *n) {
    tree<<<1, 1>>>(n, 5);
    cudaMemcpyAsync(n + 1, n, 4, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch);
}

static void check_order() {
    int *n = shared_array<int>(8), *host;
    handles *h = shared_array<handles>(1);
    across_blocks<<<2, 32>>>(n, h);
    finish();
    CHECK(n[1] == 5 && n[2] == 0x01010102 && n[3] == 5 && n[4] == 1005 && n[0] == 1005);
    // For the host's streams and graphs a grid ends with all that it launched.
    cudaStream_t s;
    cudaEvent_t e;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaEventCreate(&e));
    CUDA(cudaMallocHost(&host, 16));
    memset(n, 0, 32);
    tree_and_copy<<<1, 1, 0, s>>>(n);
    CUDA(cudaMemcpyAsync(host, n, 8, cudaMemcpyDefault, s));
    CUDA(cudaEventRecord(e, s));
    CUDA(cudaEventSynchronize(e));
    CHECK(host[0] == 243 && host[1] == 243);
    CUDA(cudaMemset(n, 0, 32));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    tree_and_copy<<<1, 1, 0, s>>>(n);
    CUDA(cudaMemcpyAsync(host, n, 8, cudaMemcpyDefault, s));
    CUDA(cudaStreamEndCapture(s, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(host[0] == 486 && host[1] == 486);
}

// ---- Groups in children
// ---------------------------------------------------------------------------

__global__ void grouped(int *n) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
    cg::invoke_one(tile, [=] { atomicAdd(n, sum); });
    auto grid = cg::this_grid();
    if (grid.thread_rank() == 0)
        n[1] = (int)grid.num_threads() * 10 + grid.is_valid();
}
__global__ void launch_once(int *n) {
    cg::invoke_one(cg::coalesced_threads(), [=] { grouped<<<3, 64>>>(n); });
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses launches from the device without its own runtime
                   // library
    check_forms();
    check_order();
    int *n = shared_array<int>(2);
    launch_once<<<1, 64>>>(n);
    finish();
    CHECK(n[0] == 2 * 3 * 2016 && n[1] == 1920);
    return failures != 0;
}
