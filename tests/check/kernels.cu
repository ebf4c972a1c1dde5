// Kernels with one bug each, and the same without: kernels NAME [bug]. test_check.py expects a report at
// the line that a comment marks with the name.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

static bool bug;

__constant__ int weights[16];
__device__ int counters[8];
struct node {
    int *data;
    int n;
};

__global__ void store(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i; // bug: overrun underrun freed
}

__global__ void store_at(char *a, long at) {
    a[at] = 1; // bug: neighbour
}

__global__ void read_wide(const char *a, int at, double *out) {
    *out = *(const double *)(a + at); // bug: misaligned
}

__global__ void read_constant(int at, int *out) {
    *out = weights[at]; // bug: constant
}

__global__ void count(int at) {
    counters[at] += 1; // bug: variable
}

__global__ void shared_arrays(int at, int *out) {
    __shared__ int first[32], second[32];
    second[threadIdx.x] = 2;
    first[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        first[at] = 3; // bug: shared
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

__global__ void dynamic_shared(int at) {
    extern __shared__ int values[];
    values[at] = 1; // bug: dynamic
}

__global__ void by_list(node *list) {
    node x = list[threadIdx.x];
    for (int i = 0; i < x.n; ++i)
        x.data[i] = i; // bug: list
}

__global__ void difference(int *a, int *b, long by) {
    int *p = a + (b - a); // b, though made of a
    p[by] = 1;
}

__global__ void ends(int *a, int n) {
    for (int *p = a + n; p-- != a;)
        *p = 1;
}

__global__ void heap(int n, int *out) {
    char *p = (char *)malloc(24);
    for (int i = 0; i < n; ++i)
        p[i] = 1; // bug: heap
    *out = p[23];
    free(p);
}

__global__ void heap_after(bool after, int *out) {
    int *p = (int *)malloc(64);
    p[0] = 5;
    if (after)
        free(p);
    *out = p[0]; // bug: heap_freed
    if (!after)
        free(p);
}

__global__ void heap_twice(bool twice) {
    void *p = malloc(64);
    free(p);
    if (twice)
        free(p); // bug: heap_twice
}

__global__ void reverse(const int *in, int *out, bool wait) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x]; // bug: barrier
    if (wait)
        __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void exchange(const int *in, int *out, bool wait) {
    __shared__ int tile[32];
    tile[threadIdx.x] = in[threadIdx.x]; // bug: warp
    if (wait)
        __syncwarp();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void sum(const int *in, int *out, bool atomic) {
    if (atomic)
        atomicAdd(out, in[threadIdx.x]);
    else
        *out += in[threadIdx.x]; // bug: blocks
}

__global__ void mark(int *flag, int value) {
    *flag = value < 0 ? threadIdx.x + blockIdx.x : value; // bug: values
}

__global__ void bytes(unsigned char *out) {
    out[threadIdx.x] = threadIdx.x;
}

__device__ unsigned arrived;
__global__ void last_block(int *parts, int *out, bool fence) {
    parts[blockIdx.x] = blockIdx.x; // bug: last
    __threadfence();
    bool last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    if (fence)
        __threadfence();
    int s = 0;
    for (int i = 0; last && i < gridDim.x; ++i)
        s += parts[i];
    if (last)
        *out = s;
}

// Each thread of the last block reads what thread 0 has acquired, by a barrier.
__global__ void last_block_of_many(int *parts, int *out) {
    __shared__ bool last;
    parts[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        for (int i = 0; i < gridDim.x; ++i)
            atomicAdd(out, parts[i * blockDim.x + blockDim.x - 1 - threadIdx.x]);
}

__device__ int word, guarded;
__global__ void lock(bool fence) {
    while (atomicCAS(&word, 0, 1))
        ;
    if (fence)
        __threadfence();
    guarded = guarded + 1; // bug: lock
    if (fence)
        __threadfence();
    atomicExch(&word, 0);
}

// How thread 0 of block 0 tells block 1 that its data is there.
enum telling { RELEASED, RELAXED, NEAR, FENCED_NEAR };
__device__ int data, flag;
__global__ void pass_on(telling how, bool warp, bool all, int *out) {
    int seen = 0;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            data = 42; // bug: flag scope fence_scope told_warp
            if (how == FENCED_NEAR)
                __threadfence_block();
            if (how == RELEASED)
                asm volatile("st.release.gpu.s32 [%0], 1;" ::"l"(&flag) : "memory");
            else if (how == NEAR)
                asm volatile("st.release.cta.s32 [%0], 1;" ::"l"(&flag) : "memory");
            else
                asm volatile("st.relaxed.gpu.s32 [%0], 1;" ::"l"(&flag) : "memory");
        }
        return;
    }
    while (threadIdx.x == 0 && !seen)
        asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory");
    if (warp)
        __syncwarp();
    if (all || threadIdx.x == 0)
        out[threadIdx.x] = data;
}

// The guide's sum of doubles: a swap finds out that its first read came too early, an exchange does not.
template <bool verified> __global__ void sum_by_swaps(int *sum) {
    __shared__ int most;
    if (threadIdx.x == 0)
        most = -1;
    __syncthreads();
    for (int at_first = most, found; at_first < (int)threadIdx.x; at_first = found)
        if ((found = atomicCAS(&most, at_first, threadIdx.x)) == at_first)
            break;
    unsigned long long *p = (unsigned long long *)sum, old = *p, assumed; // bug: guess
    do {
        assumed = old;
        unsigned long long next = __double_as_longlong(1.0 + __longlong_as_double(assumed));
        old = verified ? atomicCAS(p, assumed, next) : (atomicExch(p, next), assumed);
    } while (assumed != old);
}

__global__ void count_near(int *n, bool near) {
    if (near)
        atomicAdd_block(n, 1); // bug: atomic_scope
    else
        atomicAdd(n, 1);
}

__global__ void in_pairs(int *out, bool pairs) {
    __shared__ int tile[64];
    for (int k = 0; k < 3; ++k) {
        tile[threadIdx.x] = k; // bug: named_barrier
        if (pairs)
            asm volatile("barrier.sync 1, 64;" ::: "memory");
        else
            asm volatile("barrier.sync %0, 32;" ::"r"(1 + threadIdx.x / 32) : "memory");
        out[threadIdx.x] = tile[63 - threadIdx.x];
        asm volatile("barrier.sync 3, 64;" ::: "memory");
    }
}

__global__ void produce(int *out, bool early) {
    __shared__ int tile[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x >= 32) {
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        out[lane] = tile[lane];
        return;
    }
    if (early)
        asm volatile("barrier.arrive 1, 64;" ::: "memory");
    tile[lane] = lane; // bug: early_arrival
    if (!early)
        asm volatile("barrier.arrive 1, 64;" ::: "memory");
}

__device__ void wait(unsigned object, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 "
                     "%0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(object), "r"(parity)
                     : "memory");
}

__global__ void phases(int *out, bool waits) {
    __shared__ int tile[64];
    __shared__ unsigned long long barrier;
    unsigned object = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(object) : "memory");
    __syncthreads();
    for (unsigned k = 0; k < 4; ++k) {
        unsigned long long state;
        if (k % 2 == 0)
            tile[threadIdx.x] = threadIdx.x; // bug: phase
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                     : "=l"(state)
                     : "r"(object)
                     : "memory");
        if (waits)
            wait(object, k % 2);
        if (k % 2 == 0)
            out[threadIdx.x] = tile[63 - threadIdx.x];
        if (!waits)
            wait(object, k % 2);
    }
}

__global__ void positive(const int *a, int *out) {
    if (a[threadIdx.x] > 0) // bug: unwritten
        out[threadIdx.x] = 1;
}

__global__ void by_index(const int *at, const int *a, int *out) {
    out[threadIdx.x] = a[at[threadIdx.x] & 31]; // bug: index
}

__global__ void sum_of_warp(const int *a, int *out) {
    int s = a[threadIdx.x];
    for (int d = 16; d; d /= 2)
        s += __shfl_xor_sync(~0u, s, d);
    if (s > 100) // bug: shuffled
        *out = 1;
}

__global__ void shared_unwritten(bool all, int *out) {
    __shared__ int tile[64];
    if (all || threadIdx.x < 32)
        tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (tile[63 - threadIdx.x] == 5) // bug: tile
        out[threadIdx.x] = 1;
}

// Bytes at places that follow no pattern.
__global__ void shared_bytes(const int *order, bool all, int *out) {
    __shared__ unsigned char tile[64];
    if (all || threadIdx.x < 32)
        tile[order[threadIdx.x]] = threadIdx.x;
    __syncthreads();
    if (tile[order[63 - threadIdx.x]] == 5) // bug: scattered
        out[threadIdx.x] = 1;
}

struct padded {
    char tag;
    int value;
    short low : 4, high : 12;
};
__global__ void make(padded *p) {
    p[threadIdx.x].tag = 1;
    p[threadIdx.x].value = 2;
    p[threadIdx.x].low = 3;
    p[threadIdx.x].high = 4;
}
__global__ void use(const padded *p, padded *copy, int *out) {
    padded x = p[threadIdx.x];
    copy[threadIdx.x] = x;
    if (x.tag == 1 && x.value == 2 && x.low == 3 && copy[threadIdx.x].high == 4)
        out[threadIdx.x] = 1;
}

__global__ void named(unsigned mask, int *out) {
    __syncwarp(mask); // bug: caller
    out[threadIdx.x] = 1;
}

__global__ void lower_half(unsigned mask, int *out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(mask, v, 1); // bug: absent
    out[threadIdx.x] = v;
}

__global__ void half_from(int by, int *out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0xffff, v, threadIdx.x ^ by); // bug: source
    out[threadIdx.x] = v;
}

__global__ void counted(int threads, int *out) {
    asm volatile("barrier.sync 1, %0;" ::"r"(threads) : "memory"); // bug: count
    out[threadIdx.x] = 1;
}

__global__ void skip(int which, int *out) {
    if (threadIdx.x != which)
        __syncthreads();
    out[threadIdx.x] = 1;
    __syncthreads(); // bug: skipped
}

__global__ void early(int n, int *out) {
    if (threadIdx.x >= n)
        return;
    int v = threadIdx.x;
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    __syncthreads();
    out[threadIdx.x] = v;
}

__global__ void own_array(int n, int *out) {
    int own[16];
    for (int i = 0; i < n; ++i)
        own[(i * 5 + threadIdx.x) & 15] = i + threadIdx.x;
    out[threadIdx.x] = own[threadIdx.x & 15];
}

__global__ void thrice(const int *a, int *out) {
    out[threadIdx.x] = 3 * a[threadIdx.x]; // bug: thrice
}

// Half of each pair is written, and decides.
__global__ void set_halves(half *p) {
    p[2 * threadIdx.x] = __int2half_rn(threadIdx.x);
}
__global__ void first_of_pairs(const half2 *p, int *out) {
    half2 sum = __hadd2(p[threadIdx.x], p[threadIdx.x]);
    if (__half2float(__low2half(sum)) > 5)
        out[threadIdx.x] = 1;
}

// A part of each thread's array is written; all of it is moved.
struct list {
    int count, items[7];
};
__global__ void make_lists(list *p, int n) {
    list l;
    l.count = n;
    for (int i = 0; i < n; ++i)
        l.items[i * (threadIdx.x % 2 + 1)] = i;
    p[threadIdx.x] = l;
}

static int *ints(size_t n) {
    int *p = nullptr;
    if (cudaMalloc(&p, n * sizeof(int)) || cudaMemset(p, 0, n * sizeof(int)))
        exit(2);
    return p;
}

static void tell(telling how, bool warp, bool all, int *out) {
    void *arguments[] = {&how, &warp, &all, &out};
    if (cudaLaunchCooperativeKernel((const void *)pass_on, dim3(2), dim3(32), arguments, 0, 0))
        exit(2);
}

// Threads have elements of their own, as far as each parameter alone tells.
__global__ void next(const int *from, int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i + 1] + i; // bug: alias
}

template <int stride> __global__ void pairs_of(int *a) {
    int *own = a + (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    own[0] = threadIdx.x + 1;
    own[1] = -1; // bug: overlap
}

__global__ void row(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = threadIdx.y; // bug: rows
}

// One thread of each row of a block is left, and of rows there may be several.
__global__ void first_of_rows(int *a) {
    if (threadIdx.x == 0)
        a[blockIdx.x] = threadIdx.y; // bug: first_of_rows
}

// What one thread of a block writes, another one reads, or it does itself.
template <int reader> __global__ void read_by(int *a, int *b) {
    if ((threadIdx.x | threadIdx.y) == 0)
        a[blockIdx.x] = 5;
    if (threadIdx.x == reader && threadIdx.y == 0)
        b[blockIdx.x] = a[blockIdx.x]; // bug: read_by
}

// A block a line: its loop must end where the next line begins.
__global__ void lines(int *a, int columns, int pitch) {
    for (int i = threadIdx.x; i < columns; i += 32)
        a[blockIdx.x * pitch + i] = blockIdx.x + 1; // bug: lines
}

__global__ void chosen(const int *from, int *to, const int *const *other) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + (*other)[i + 1]; // bug: loaded
}

// A block waits for a flag that another one sets after a long time without anything that others see;
// with its bug, never.
__device__ int late_flag;
__global__ void late(long long steps, int *out) {
    if (blockIdx.x == 1) {
        unsigned long long x = steps;
        for (long long k = 0; k < steps; k++)
            x = x * 6364136223846793005ull + (x >> 33);
        out[1] = (int)x;
        __threadfence();
        if (steps > 1)
            atomicExch(&late_flag, 1);
    } else {
        while (atomicAdd(&late_flag, 0) == 0) { // bug: late
        }
        out[0] = 5;
    }
}

static void run(const char *name) {
    int *a = ints(256), *b = ints(256), *out = ints(256);
    auto is = [&](const char *n) { return !strcmp(name, n); };
    if (is("late"))
        late<<<2, 1>>>(bug ? 1 : 800000000, out);
    else if (is("overrun"))
        store<<<2, 128>>>(a + 56, bug ? 201 : 200);
    else if (is("underrun"))
        store<<<1, 128>>>(a - bug, 100);
    else if (is("freed")) {
        if (bug)
            cudaFree(a);
        store<<<1, 128>>>(a, 100);
        if (bug)
            a = nullptr;
    } else if (is("neighbour"))
        store_at<<<1, 1>>>((char *)a, bug ? (char *)b - (char *)a : 1023);
    else if (is("misaligned"))
        read_wide<<<1, 1>>>((char *)a, bug ? 12 : 16, (double *)out);
    else if (is("constant"))
        read_constant<<<1, 1>>>(bug ? 16 : 15, out);
    else if (is("variable"))
        count<<<1, 1>>>(bug ? 8 : 7);
    else if (is("shared"))
        shared_arrays<<<1, 32>>>(bug ? 32 : 31, out);
    else if (is("dynamic"))
        dynamic_shared<<<1, 1, 400>>>(bug ? 100 : 99);
    else if (is("list")) {
        node h[2] = {{a, 256}, {b, bug ? 257 : 256}}, *d = nullptr;
        cudaMalloc(&d, sizeof h);
        cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
        by_list<<<1, 2>>>(d);
        cudaFree(d);
    } else if (is("difference"))
        difference<<<1, 1>>>(a, b, 255);
    else if (is("ends"))
        ends<<<1, 1>>>(a, 256);
    else if (is("heap"))
        heap<<<1, 1>>>(bug ? 25 : 24, out);
    else if (is("heap_freed"))
        heap_after<<<1, 1>>>(bug, out);
    else if (is("heap_twice"))
        heap_twice<<<1, 1>>>(bug);
    else if (is("pool")) { // freed behind the kernel, in its stream
        int *p = nullptr;
        cudaMallocAsync(&p, 1024, 0);
        for (int k = 0; k < 3; ++k)
            store<<<2, 128>>>(p, 256);
        cudaFreeAsync(p, 0);
    } else if (is("barrier"))
        reverse<<<2, 256>>>(a, b, !bug);
    else if (is("warp"))
        exchange<<<1, 32>>>(a, b, !bug);
    else if (is("blocks"))
        sum<<<8, 1>>>(a, out, !bug);
    else if (is("values"))
        mark<<<4, 64>>>(out, bug ? -1 : 1);
    else if (is("bytes"))
        bytes<<<1, 256>>>((unsigned char *)out);
    else if (is("last"))
        last_block<<<16, 1>>>(a, out, !bug);
    else if (is("last_of_many"))
        last_block_of_many<<<4, 64>>>(a, out);
    else if (is("lock"))
        lock<<<8, 1>>>(!bug);
    else if (is("guess"))
        (bug ? sum_by_swaps<false> : sum_by_swaps<true>)<<<4, 64>>>(a);
    else if (is("flag"))
        tell(bug ? RELAXED : RELEASED, false, false, out);
    else if (is("scope"))
        tell(bug ? NEAR : RELEASED, false, false, out);
    else if (is("fence_scope"))
        tell(bug ? FENCED_NEAR : RELEASED, false, false, out);
    else if (is("told_warp"))
        tell(RELEASED, !bug, true, out);
    else if (is("atomic_scope"))
        count_near<<<8, 1>>>(out, bug);
    else if (is("named_barrier"))
        in_pairs<<<1, 64>>>(out, !bug);
    else if (is("early_arrival"))
        produce<<<1, 64>>>(out, bug);
    else if (is("phase"))
        phases<<<2, 64>>>(out, !bug);
    else if (is("unwritten") || is("index") || is("shuffled")) {
        int *u = nullptr, *v = nullptr;
        cudaMalloc(&u, 128);
        cudaMalloc(&v, 128);
        cudaMemset(u, 0, bug ? 124 : 128);
        cudaMemcpy(v, u, 128, cudaMemcpyDeviceToDevice);
        if (is("unwritten"))
            positive<<<1, 32>>>(v, out);
        else if (is("index"))
            by_index<<<1, 32>>>(v, a, out);
        else
            sum_of_warp<<<1, 32>>>(v, out);
        cudaFree(u);
        cudaFree(v);
    } else if (is("caller"))
        named<<<1, 32>>>(bug ? 0x7fffffff : ~0u, out);
    else if (is("absent"))
        lower_half<<<1, 64>>>(bug ? ~0u : 0xffff, out);
    else if (is("source"))
        half_from<<<1, 32>>>(bug ? 16 : 1, out);
    else if (is("count"))
        counted<<<1, 64>>>(bug ? 50 : 64, out);
    else if (is("skipped"))
        skip<<<1, 64>>>(bug ? 3 : -1, out);
    else if (is("own"))
        own_array<<<2, 64>>>(16, out);
    else if (is("early"))
        early<<<2, 48>>>(41, out);
    else if (is("tile"))
        shared_unwritten<<<2, 64>>>(!bug, out);
    else if (is("scattered")) {
        int order[64], *p = ints(64);
        for (int k = 0; k < 64; ++k)
            order[k] = k * 37 % 64;
        cudaMemcpy(p, order, sizeof order, cudaMemcpyHostToDevice);
        shared_bytes<<<2, 64>>>(p, !bug, out);
        cudaFree(p);
    } else if (is("padded")) {
        padded *p = nullptr, *q = nullptr;
        cudaMalloc(&p, 32 * sizeof *p);
        cudaMallocAsync(&q, 32 * sizeof *q, 0);
        make<<<1, 32>>>(p);
        use<<<1, 32>>>(p, q, out);
        padded host[32];
        cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
        cudaFree(p);
        cudaFreeAsync(q, 0);
    } else if (is("thrice")) {
        int *u = nullptr, host[64];
        cudaMalloc(&u, sizeof host);
        cudaMemset(u, 0, bug ? 252 : 256);
        thrice<<<1, 64>>>(u, u);
        cudaMemcpy(host, u, sizeof host, cudaMemcpyDeviceToHost);
        cudaFree(u);
    } else if (is("pairs")) {
        half *p = nullptr;
        cudaMalloc(&p, 128);
        set_halves<<<1, 32>>>(p);
        first_of_pairs<<<1, 32>>>((half2 *)p, out);
        cudaFree(p);
    } else if (is("lists")) {
        list *p = nullptr, host[32];
        cudaMalloc(&p, sizeof host);
        make_lists<<<1, 32>>>(p, 3);
        cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
        cudaFree(p);
    } else if (is("alias"))
        next<<<2, 64>>>(bug ? out : a, out);
    else if (is("overlap")) {
        if (bug)
            pairs_of<1><<<2, 32>>>(out);
        else
            pairs_of<2><<<2, 32>>>(out);
    } else if (is("rows"))
        row<<<4, dim3(32, bug ? 2 : 1)>>>(out);
    else if (is("lines"))
        lines<<<3, 32>>>(out, bug ? 65 : 64, 64);
    else if (is("first_of_rows"))
        first_of_rows<<<4, dim3(32, bug ? 2 : 1)>>>(out);
    else if (is("read_by")) {
        if (bug)
            read_by<32><<<4, 64>>>(out, b);
        else
            read_by<0><<<4, 64>>>(out, b);
    } else if (is("loaded")) {
        int **p = nullptr, *to = bug ? out : b;
        cudaMalloc(&p, sizeof *p);
        cudaMemcpy(p, &to, sizeof to, cudaMemcpyHostToDevice);
        chosen<<<2, 64>>>(a, out, p);
        cudaFree(p);
    } else
        exit(3);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
}

int main(int argc, char **argv) {
    bug = argc > 2;
    run(argv[1]);
    puts(cudaGetLastError() ? "an error" : "done");
}
