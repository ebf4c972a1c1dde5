// Constructs that may keep a kernel out of vector code, each beside a twin that does the same work
// in a form that stays in vectors. Prints one line a construct: its name, both times in
// microseconds (the best of several launches), and the factor. usage: cliffs [NAME]
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <cuda/barrier>

namespace cg = cooperative_groups;

enum { BLOCKS = 64, THREADS = 256, N = BLOCKS * THREADS, MORE = 16 * N };
enum { COOPERATIVE_BLOCKS = 4 };

struct data {
    unsigned *in, *out, *more; // N, N and MORE words
    unsigned n;                // N, which the compiler does not know
    int *lock;                 // zero
};

// Work that both forms of a pair do.
static __device__ unsigned work(unsigned x) {
    for (int k = 0; k < 8; k++)
        x = x * 1664525u + 1013904223u ^ x >> 15;
    return x;
}

static __device__ unsigned index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// The plain twin of those that have nothing else to compare with.
__global__ void plain(data d) {
    d.out[index()] = work(d.in[index()]);
}

__global__ void plain_barrier(data d) {
    __shared__ unsigned s[THREADS];
    s[threadIdx.x] = work(d.in[index()]);
    __syncthreads();
    d.out[index()] = s[THREADS - 1 - threadIdx.x];
}

__global__ void plain_shuffle(data d) {
    unsigned x = work(d.in[index()]);
    d.out[index()] = x + __shfl_xor_sync(~0u, x, 1);
}

__global__ void plain_atomic(data d) {
    atomicAdd(&d.out[index() & 1023], work(d.in[index()]));
}

// ---- barriers -----------------------------------------------------------------------------

__global__ void barrier_stride(data d) {
    __shared__ unsigned s[THREADS];
    for (unsigned i = index(); i < d.n * 16; i += gridDim.x * blockDim.x) {
        s[threadIdx.x] = work(d.more[i]);
        __syncthreads();
        d.more[i] = s[THREADS - 1 - threadIdx.x];
        __syncthreads();
    }
}
__global__ void barrier_stride_twin(data d) {
    __shared__ unsigned s[THREADS];
    for (unsigned j = blockIdx.x * blockDim.x; j < d.n * 16; j += gridDim.x * blockDim.x) {
        unsigned i = j + threadIdx.x;
        s[threadIdx.x] = work(d.more[i]);
        __syncthreads();
        d.more[i] = s[THREADS - 1 - threadIdx.x];
        __syncthreads();
    }
}

__global__ void barrier_last_turn(data d) { // half a warp has no last turn
    __shared__ unsigned s[THREADS];
    for (unsigned i = index(); i < d.n * 16 - 16; i += gridDim.x * blockDim.x) {
        s[threadIdx.x] = work(d.more[i]);
        __syncthreads();
        d.more[i] = s[threadIdx.x ^ 1];
        __syncthreads();
    }
}

__global__ void barrier_return(data d) {
    __shared__ unsigned s[THREADS];
    if (index() >= d.n) {
        d.out[index()] = 0;
        return;
    }
    s[threadIdx.x] = work(d.in[index()]);
    __syncthreads();
    d.out[index()] = s[THREADS - 1 - threadIdx.x];
}

__global__ void barrier_arms(data d) { // half of each warp comes each way
    __shared__ unsigned s[THREADS];
    unsigned x = d.in[index()], y;
    s[threadIdx.x] = work(x);
    if (threadIdx.x & 1) {
        __syncthreads();
        y = s[THREADS - 1 - threadIdx.x];
    } else {
        __syncthreads();
        y = s[THREADS - 1 - threadIdx.x] + 1;
    }
    d.out[index()] = y;
}

__global__ void barrier_switch(data d) { // all threads take one case
    __shared__ unsigned s[THREADS];
    unsigned x = d.in[index()];
    s[threadIdx.x] = work(x);
    switch (x >> 30) {
    case 0:
        __syncthreads();
        x = s[THREADS - 1 - threadIdx.x];
        break;
    case 1:
        s[threadIdx.x] += 1;
        __syncthreads();
        x = s[threadIdx.x ^ 2];
        break;
    default:
        s[threadIdx.x] += 2;
        __syncthreads();
        x = s[threadIdx.x ^ 4];
    }
    d.out[index()] = x;
}

static __device__ __noinline__ unsigned exchange(unsigned *s, unsigned x) {
    s[threadIdx.x] = work(x);
    __syncthreads();
    return s[THREADS - 1 - threadIdx.x];
}
__global__ void barrier_function(data d) {
    __shared__ unsigned s[THREADS];
    if (index() < d.n)
        d.out[index()] = exchange(s, d.in[index()]);
    else
        d.out[index()] = exchange(s, 0);
}

static __device__ __noinline__ unsigned deep(unsigned *s, unsigned x, int depth) {
    if (!depth)
        return exchange(s, x);
    x = deep(s, x + 1, depth - 1);
    return depth & 1 ? deep(s, x, 0) : x ^ depth;
}
__global__ void barrier_recursive(data d) {
    __shared__ unsigned s[THREADS];
    d.out[index()] = deep(s, d.in[index()], d.n & 3);
}
__global__ void barrier_recursive_some(data d) {
    __shared__ unsigned s[THREADS];
    if (index() < d.n)
        d.out[index()] = deep(s, d.in[index()], d.n & 3);
}

__global__ void barrier_named(data d) { // two halves of the block, each with its barrier
    __shared__ unsigned s[THREADS];
    s[threadIdx.x] = work(d.in[index()]);
    asm volatile("bar.sync %0, 128;" ::"r"(1 + threadIdx.x / 128) : "memory");
    d.out[index()] = s[threadIdx.x ^ 127];
}

__global__ void barrier_objects(data d) { // an object for every second lane of each warp
    __shared__ cuda::barrier<cuda::thread_scope_block> bar[2];
    __shared__ unsigned s[THREADS];
    if (threadIdx.x < 2)
        init(&bar[threadIdx.x], THREADS / 2);
    __syncthreads();
    s[threadIdx.x] = work(d.in[index()]);
    bar[threadIdx.x & 1].arrive_and_wait();
    d.out[index()] = s[threadIdx.x ^ 126];
}

__global__ void barrier_object(data d) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ unsigned s[THREADS];
    if (threadIdx.x == 0)
        init(&bar, THREADS);
    __syncthreads();
    s[threadIdx.x] = work(d.in[index()]);
    bar.arrive_and_wait();
    d.out[index()] = s[THREADS - 1 - threadIdx.x];
}

__global__ void barrier_alloca(data d) {
    unsigned *p = (unsigned *)alloca(16 * (1 + (d.n & 1)));
    __shared__ unsigned s[THREADS];
    p[d.n & 1] = work(d.in[index()]);
    s[threadIdx.x] = p[d.n & 1];
    __syncthreads();
    d.out[index()] = s[THREADS - 1 - threadIdx.x] + (p[d.n & 1] & 1);
}

__global__ void grid_sync(data d) {
    cg::grid_group g = cg::this_grid();
    d.out[index()] = work(d.in[index()]);
    g.sync();
    d.in[index()] = d.out[(index() + THREADS) % d.n];
}

// ---- warps --------------------------------------------------------------------------------

__global__ void shuffle_half(data d) {
    unsigned x = work(d.in[index()]);
    if (threadIdx.x % 32 < 16)
        x += __shfl_xor_sync(~0u, x, 1);
    else
        x += __shfl_xor_sync(~0u, x, 1) + 1;
    d.out[index()] = x;
}

__global__ void shuffle_ended(data d) {
    unsigned x = work(d.in[index()]);
    if (threadIdx.x % 32 >= 16) {
        d.out[index()] = x;
        return;
    }
    d.out[index()] = x + __shfl_xor_sync(~0u, x, 1);
}

__global__ void shuffle_stride(data d) {
    unsigned sum = 0;
    for (unsigned i = index(); i < d.n * 16; i += gridDim.x * blockDim.x) {
        unsigned x = work(d.more[i]);
        sum += x + __shfl_xor_sync(~0u, x, 1);
    }
    d.out[index()] = sum + __shfl_xor_sync(~0u, sum, 2);
}
__global__ void shuffle_stride_twin(data d) {
    unsigned sum = 0;
    for (unsigned j = blockIdx.x * blockDim.x; j < d.n * 16; j += gridDim.x * blockDim.x) {
        unsigned x = work(d.more[j + threadIdx.x]);
        sum += x + __shfl_xor_sync(~0u, x, 1);
    }
    d.out[index()] = sum + __shfl_xor_sync(~0u, sum, 2);
}

__global__ void syncwarp_arms(data d) {
    __shared__ unsigned s[THREADS];
    unsigned x = work(d.in[index()]);
    if (threadIdx.x & 1) {
        s[threadIdx.x] = x;
        __syncwarp();
        x += s[threadIdx.x ^ 1];
    } else {
        s[threadIdx.x] = x + 1;
        __syncwarp();
        x += s[threadIdx.x ^ 1];
    }
    d.out[index()] = x;
}

__global__ void tile_arms(data d) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned x = work(d.in[index()]);
    if (tile.meta_group_rank() & 1) {
        tile.sync();
        x += tile.shfl_xor(x, 1);
    } else {
        tile.sync();
        x += tile.shfl_xor(x, 2);
    }
    d.out[index()] = x;
}

__global__ void coalesced(data d) {
    unsigned x = work(d.in[index()]);
    if (threadIdx.x & 1) {
        auto g = cg::coalesced_threads();
        x += g.shfl(x, 0) + g.size();
    }
    d.out[index()] = x;
}

__global__ void match(data d) {
    unsigned x = work(d.in[index()]);
    d.out[index()] = __match_any_sync(~0u, x & 7);
}

__global__ void warp_volatile(data d) {
    __shared__ volatile unsigned s[THREADS];
    s[threadIdx.x] = work(d.in[index()]);
    if (threadIdx.x % 32 < 16) {
        s[threadIdx.x] += s[threadIdx.x + 16];
        s[threadIdx.x] += s[threadIdx.x + 8];
    }
    d.out[index()] = s[threadIdx.x];
}

// ---- functions ----------------------------------------------------------------------------

static __device__ __noinline__ unsigned recursive(unsigned x, unsigned depth) {
    return depth ? recursive(x * 1664525u + 1013904223u ^ x >> 15, depth - 1) : x;
}
__global__ void recursion(data d) {
    d.out[index()] = recursive(d.in[index()], 8);
}

typedef unsigned (*function)(unsigned);
static __device__ unsigned by_pointer(unsigned x) {
    return work(x);
}
static __device__ unsigned by_other_pointer(unsigned x) {
    return work(x) + 1;
}
__device__ function table[2] = {by_pointer, by_other_pointer};
__global__ void indirect(data d) {
    d.out[index()] = table[d.n & 1](d.in[index()]);
}
__global__ void indirect_apart(data d) {
    d.out[index()] = table[threadIdx.x & 1](d.in[index()]);
}

struct base {
    virtual __device__ unsigned f(unsigned x) const = 0;
};
struct derived : base {
    virtual __device__ unsigned f(unsigned x) const {
        return work(x);
    }
};
__global__ void virtual_call(data d) {
    derived x;
    const base *p = &x;
    asm volatile("" : "+l"(p));
    d.out[index()] = p->f(d.in[index()]);
}

__global__ void prints(data d) {
    unsigned x = work(d.in[index()]);
    if (x == 12345)
        printf("%u\n", x);
    d.out[index()] = x;
}

__global__ void asserts(data d) {
    unsigned x = work(d.in[index()]);
    if (!(x | 1))
        __trap();
    d.out[index()] = x;
}

__global__ void allocates(data d) {
    unsigned *p = (unsigned *)malloc(16);
    *p = work(d.in[index()]);
    d.out[index()] = *p;
    free(p);
}
__global__ void allocates_twin(data d) {
    unsigned *p = d.more + 4 * index();
    *p = work(d.in[index()]);
    d.out[index()] = *p;
}

__global__ void allocas(data d) {
    unsigned *p = (unsigned *)alloca(16 * (1 + (d.n & 1)));
    p[d.n & 1] = work(d.in[index()]);
    d.out[index()] = p[d.n & 1];
}

__global__ void local_array(data d) {
    unsigned a[16];
    for (int k = 0; k < 16; k++)
        a[k] = d.in[index()] + k;
    d.out[index()] = work(a[d.in[index()] & 15]);
}

// ---- memory that threads wait for ---------------------------------------------------------

__global__ void atomic_loop(data d) { // a sum by compare-and-swap
    unsigned x = work(d.in[index()]), *p = &d.out[index() & 1023], old = *p, seen;
    while ((seen = atomicCAS(p, old, old + x)) != old)
        old = seen;
}

__global__ void lock_inside(data d) { // the lock is taken and given back in the loop
    unsigned x = work(d.in[index()]);
    int *lock = &d.lock[blockIdx.x];
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            ((volatile unsigned *)d.out)[blockIdx.x] += x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}

__global__ void lock_outside(data d) { // the loop waits, and what follows gives back
    unsigned x = work(d.in[index()]);
    int *lock = &d.lock[blockIdx.x];
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    ((volatile unsigned *)d.out)[blockIdx.x] += x;
    __threadfence();
    atomicExch(lock, 0);
}
__global__ void lock_twin(data d) { // a thread a warp takes it for each of the 32
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < 32; k++) {
            unsigned x = work(d.in[index() + k]);
            int *lock = &d.lock[blockIdx.x];
            while (atomicCAS(lock, 0, 1) != 0)
                ;
            __threadfence();
            ((volatile unsigned *)d.out)[blockIdx.x] += x;
            __threadfence();
            atomicExch(lock, 0);
        }
}

__global__ void lock_warp(data d) { // one lane takes it for its warp
    unsigned x = work(d.in[index()]);
    int *lock = &d.lock[blockIdx.x];
    if (threadIdx.x % 32 == 0)
        while (atomicCAS(lock, 0, 1) != 0)
            ;
    __syncwarp();
    __threadfence();
    d.out[index()] = x;
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        atomicExch(lock, 0);
}

__global__ void flag_of_lane(data d) { // lanes of a warp wait for lane 0
    __shared__ volatile unsigned flag[THREADS / 32];
    unsigned x = work(d.in[index()]), w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 31)
        flag[w] = 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        __threadfence_block();
        flag[w] = 1;
    } else {
        while (flag[w] == 0)
            ;
    }
    d.out[index()] = x;
}

__global__ void while_flag(data d) { // an outer loop over an unproven condition
    unsigned x = d.in[index()];
    volatile unsigned *p = d.out + index();
    *p = work(x);
    while (*p == 0)
        *p = 1;
}

// ---- the list -----------------------------------------------------------------------------

struct pair {
    const char *name;
    void (*kernel)(data), (*twin)(data);
    bool cooperative;
};
#define PAIR(name, twin) {#name, name, twin, false}
static const struct pair pairs[] = {
    PAIR(barrier_stride, barrier_stride_twin),
    PAIR(barrier_last_turn, barrier_stride_twin),
    PAIR(barrier_return, plain_barrier),
    PAIR(barrier_arms, plain_barrier),
    PAIR(barrier_switch, plain_barrier),
    PAIR(barrier_function, plain_barrier),
    PAIR(barrier_recursive, plain_barrier),
    PAIR(barrier_recursive_some, plain_barrier),
    PAIR(barrier_named, plain_barrier),
    PAIR(barrier_object, plain_barrier),
    PAIR(barrier_objects, plain_barrier),
    PAIR(barrier_alloca, plain_barrier),
    {"grid_sync", grid_sync, plain_barrier, true},
    PAIR(shuffle_half, plain_shuffle),
    PAIR(shuffle_ended, plain_shuffle),
    PAIR(shuffle_stride, shuffle_stride_twin),
    PAIR(syncwarp_arms, plain_shuffle),
    PAIR(tile_arms, plain_shuffle),
    PAIR(coalesced, plain_shuffle),
    PAIR(match, plain_shuffle),
    PAIR(warp_volatile, plain_shuffle),
    PAIR(recursion, plain),
    PAIR(indirect, plain),
    PAIR(indirect_apart, plain),
    PAIR(virtual_call, plain),
    PAIR(prints, plain),
    PAIR(asserts, plain),
    PAIR(allocates, allocates_twin),
    PAIR(allocas, plain),
    PAIR(local_array, plain),
    PAIR(atomic_loop, plain_atomic),
    PAIR(lock_inside, lock_twin),
    PAIR(lock_outside, lock_twin),
    PAIR(lock_warp, plain),
    PAIR(flag_of_lane, plain),
    PAIR(while_flag, plain),
};

static void check(cudaError_t e, const char *name) {
    if (e == cudaSuccess)
        return;
    printf("%s: %s\n", name, cudaGetErrorString(e));
    exit(1);
}

static double now() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static double best(const char *name, void (*kernel)(data), data d, unsigned blocks,
                   bool cooperative) {
    enum { RUNS = 12 };
    double least = 1e30;
    void *args[] = {&d};
    for (int k = 0; k < RUNS; k++) {
        check(cudaMemset(d.out, 0, N * sizeof *d.out), name);
        check(cudaMemset(d.lock, 0, BLOCKS * sizeof *d.lock), name);
        double begin = now();
        if (cooperative)
            check(cudaLaunchCooperativeKernel(kernel, blocks, THREADS, args, 0, 0), name);
        else
            kernel<<<blocks, THREADS>>>(d);
        check(cudaDeviceSynchronize(), name);
        double t = now() - begin;
        least = t < least ? t : least;
    }
    return least;
}

int main(int argc, char **argv) {
    data d = {};
    check(cudaMalloc(&d.in, N * sizeof *d.in), "in");
    check(cudaMalloc(&d.out, N * sizeof *d.out), "out");
    check(cudaMalloc(&d.more, MORE * sizeof *d.more), "more");
    check(cudaMalloc(&d.lock, BLOCKS * sizeof *d.lock), "lock");
    check(cudaMemset(d.in, 0, N * sizeof *d.in), "in");
    check(cudaMemset(d.more, 0, MORE * sizeof *d.more), "more");
    d.n = N;
    for (const struct pair &p : pairs) {
        if (argc > 1 && strcmp(argv[1], p.name))
            continue;
        unsigned blocks = p.cooperative ? COOPERATIVE_BLOCKS : BLOCKS;
        double t = best(p.name, p.kernel, d, blocks, p.cooperative),
               twin = best(p.name, p.twin, d, blocks, false);
        printf("%-24s %10.1f %10.1f %8.2f\n", p.name, t, twin, t / twin);
        fflush(stdout);
    }
}
