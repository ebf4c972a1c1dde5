// Cooperative groups (guide 11.7.3): reductions stored into memory and combined into atomic
// objects, and scans that take from them, of numbers and structures, by tiles, large tiles and
// active lanes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 256, SUM = THREADS * (THREADS - 1) / 2 };

struct pair {
    int sum, most;
};
struct join {
    __device__ pair operator()(pair x, pair y) const {
        return {x.sum + y.sum, x.most > y.most ? x.most : y.most};
    }
};
__device__ pair operator+(pair x, pair y) {
    return {x.sum + y.sum, x.most + y.most};
}

template <typename T> using object = cuda::atomic<T, cuda::thread_scope_device>;

struct sums {
    object<float> f, least, most;
    object<double> d;
    object<long long> l, least_l;
    object<unsigned long long> set, cleared;
    object<pair> joined, added;
    object<unsigned> u;
    object<short> s;
    object<int> stored;
    int by_reference, in_block, in_process;
    double d_by_reference;
};
__device__ cuda::atomic<int, cuda::thread_scope_system> of_the_process;

__global__ void update(sums *s) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> of_the_block;
    auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    auto large = cg::tiled_partition<128>(b);
    int t = (int)b.thread_rank();
    if (t == 0)
        of_the_block = 0;
    b.sync();
    typedef unsigned long long word;
    cg::reduce_update_async(w, s->f, (float)t, cg::plus<float>());
    cg::reduce_update_async(w, s->least, -(float)t, cg::less<float>());
    cg::reduce_update_async(w, s->most, (float)t, cg::greater<float>());
    cg::reduce_update_async(w, s->d, 0.5 * t, cg::plus<double>());
    cg::reduce_update_async(w, s->l, (long long)t << 33, cg::plus<long long>());
    cg::reduce_update_async(w, s->least_l, -((long long)t << 33), cg::less<long long>());
    cg::reduce_update_async(w, s->set, (word)1 << t % 64, cg::bit_or<word>());
    cg::reduce_update_async(w, s->cleared, ~((word)1 << t % 7), cg::bit_and<word>());
    cg::reduce_update_async(w, s->u, ~(1u << t % 3), cg::bit_and<unsigned>());
    cg::reduce_update_async(w, s->joined, pair{t, t}, join());
    cg::reduce_update_async(w, s->added, pair{t, 1}, cg::plus<pair>());
    cg::reduce_update_async(w, s->s, (short)1, cg::plus<short>());
    cg::reduce_update_async(large, of_the_block, 1, cg::plus<int>());
    int one = 1;
    const int constant = 1;
    cg::reduce_update_async(w, of_the_process, one, cg::plus<int>());
    cg::reduce_update_async(large, of_the_process, constant, [](int x, int y) { return x + y; });
    cuda::atomic_ref<int, cuda::thread_scope_device> reference(s->by_reference);
    const cuda::atomic_ref<double, cuda::thread_scope_device> fixed(s->d_by_reference);
    cg::reduce_update_async(w, reference, t, cg::plus<int>());
    cg::reduce_update_async(w, fixed, (double)t, cg::plus<double>());
    if (t < 32)
        cg::reduce_store_async(w, s->stored, t, cg::plus<int>());
    b.sync();
    s->in_block = of_the_block.load();
    s->in_process = of_the_process.load();
}

static void check_updates() {
    sums *s = shared_array<sums>(1);
    s->cleared = ~0ull;
    s->u = ~0u;
    update<<<1, THREADS>>>(s);
    CUDA(cudaDeviceSynchronize());
    CHECK(s->f == SUM && s->least == -255.0f && s->most == 255.0f && s->d == SUM * 0.5);
    CHECK(s->l == (long long)SUM << 33 && s->least_l == -(255ll << 33));
    CHECK(s->set == ~0ull && s->cleared == ~127ull && s->u == ~7u && s->s == THREADS);
    CHECK(s->joined.load().sum == SUM && s->joined.load().most == 255);
    CHECK(s->added.load().sum == SUM && s->added.load().most == THREADS);
    CHECK(s->in_block == THREADS && s->in_process == 2 * THREADS && s->stored == 496);
    CHECK(s->by_reference == SUM && s->d_by_reference == SUM);
    CUDA(cudaFree(s));
}

struct stores {
    int sums[2], most[8];
    double d;
    pair joined;
};

__global__ void store(stores *s) {
    auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    int t = (int)b.thread_rank();
    cg::reduce_store_async(cg::tiled_partition<128>(b), &s->sums[t / 128], t, cg::plus<int>());
    cg::reduce_store_async(w, &s->most[t / 32], t, cg::greater<int>());
    if (t < 32) {
        cg::reduce_store_async(w, &s->d, 0.25 * t, cg::plus<double>());
        cg::reduce_store_async(w, &s->joined, pair{t, t}, join());
    }
}

static void check_stores() {
    stores *s = shared_array<stores>(1);
    store<<<1, THREADS>>>(s);
    CUDA(cudaDeviceSynchronize());
    CHECK(s->sums[0] == 127 * 64 && s->sums[1] == SUM - 127 * 64);
    for (int i = 0; i < 8; i++)
        CHECK(s->most[i] == i * 32 + 31);
    CHECK(s->d == 124.0 && s->joined.sum == 496 && s->joined.most == 31);
    CUDA(cudaFree(s));
}

// Places that threads take from a common count.
struct places {
    object<int> next, next_large, most, next_active;
    object<unsigned long long> count;
    object<float> f;
    int reference, warp[THREADS], large[THREADS], greatest[THREADS], active[THREADS];
    unsigned long long counted[THREADS];
    float floats[THREADS];
};

__global__ void take_places(places *p) {
    auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    auto large = cg::tiled_partition<128>(b);
    int t = (int)b.thread_rank();
    cuda::atomic_ref<int, cuda::thread_scope_device> reference(p->reference);
    cg::inclusive_scan_update(w, reference, 2);
    p->warp[t] = cg::exclusive_scan_update(w, p->next, 1);
    p->counted[t] = cg::inclusive_scan_update(w, p->count, 1ull, cg::plus<unsigned long long>());
    p->floats[t] = cg::inclusive_scan_update(w, p->f, 1.0f);
    p->large[t] = cg::exclusive_scan_update(large, p->next_large, 1);
    p->greatest[t] = cg::inclusive_scan_update(large, p->most, t, cg::greater<int>());
    if (t % 3)
        p->active[t] =
            cg::exclusive_scan_update(cg::coalesced_threads(), p->next_active, 1, cg::plus<int>());
}

static void check_places() {
    places *p = shared_array<places>(1);
    p->most = 100;
    take_places<<<1, THREADS>>>(p);
    CUDA(cudaDeviceSynchronize());
    bool warp[THREADS] = {}, large[THREADS] = {}, active[THREADS] = {};
    int n = 0;
    for (int t = 0; t < THREADS; t++) {
        CHECK(p->warp[t] % 32 == t % 32 && !warp[p->warp[t]]);
        CHECK(p->large[t] % 128 == t % 128 && !large[p->large[t]]);
        warp[p->warp[t]] = large[p->large[t]] = true;
        CHECK(p->counted[t] % 32 == (t + 1) % 32 && (int)p->floats[t] % 32 == (t + 1) % 32);
        int at_least = t > 100 ? t : 100; // 255 where the other tile came first
        CHECK(p->greatest[t] == at_least || (t < 128 && p->greatest[t] == 255) ||
              (t >= 128 && p->greatest[t] == t));
        if (t % 3) {
            n++;
            CHECK(!active[p->active[t]]);
            active[p->active[t]] = true;
        }
    }
    CHECK(p->next == THREADS && p->next_large == THREADS && p->most == 255 && p->next_active == n);
    CHECK(p->count == THREADS && p->f == THREADS && p->reference == 2 * THREADS);
    CUDA(cudaFree(p));
}

int main() {
    check_updates();
    check_stores();
    check_places();
    return failures != 0;
}
