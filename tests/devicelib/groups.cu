// Cooperative groups on the device, against what the host computes for each thread from the groups'
// definitions: blocks of 96 threads, values and labels from a formula.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

namespace cg = cooperative_groups;

enum { threads = 96, results = 40 };

static __host__ __device__ int value_of(int thread) {
    return (thread * 37 + 11) % 101 - 50;
}

struct wide {
    double a;
    short b;
    char c[9];
};

template <int N> __device__ void tile_results(int *out, int v) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<N>(block);
    int i = 0;
    out[i++] = (int)tile.thread_rank();
    out[i++] = (int)tile.meta_group_rank();
    out[i++] = (int)tile.meta_group_size();
    out[i++] = cg::reduce(tile, v, cg::plus<int>());
    out[i++] = cg::reduce(tile, v, cg::less<int>());
    out[i++] = (int)cg::reduce(tile, (long long)v, cg::greater<long long>());
    out[i++] = (int)cg::reduce(tile, (unsigned)v, cg::bit_xor<unsigned>());
    out[i++] = (int)cg::reduce(tile, (double)v, [](double a, double b) { return a + b; });
    out[i++] = cg::inclusive_scan(tile, v);
    out[i++] = cg::exclusive_scan(tile, v);
    out[i++] = tile.shfl(v, N - 1);
    out[i++] = tile.shfl_up(v, 1);
    out[i++] = tile.shfl_down(v, 1);
    out[i++] = tile.shfl_xor(v, N / 2);
    out[i++] = tile.any(v > 40);
    out[i++] = tile.all(v > -45);
    out[i++] = (int)tile.ballot(v & 1);
    out[i++] = (int)tile.match_any(v & 3);
    wide w = {v * 0.5, (short)v, "abcdefgh"};
    w.c[2] = (char)v;
    wide first = tile.shfl(w, 0);
    out[i++] = (int)(first.a * 2) + first.b + first.c[2];
    cg::coalesced_group odd = cg::binary_partition(tile, v & 1);
    out[i++] = (int)odd.thread_rank();
    out[i++] = (int)odd.num_threads();
    out[i++] = cg::reduce(odd, v, cg::plus<int>());
    out[i++] = (int)cg::reduce(odd, (long long)v, cg::plus<long long>());
    out[i++] = odd.shfl(v, odd.num_threads() - 1);
    out[i++] = cg::exclusive_scan(odd, v);
    cg::coalesced_group label = cg::labeled_partition(tile, v % 3);
    out[i++] = (int)label.num_threads();
    out[i++] = (int)label.meta_group_size();
    out[i++] = (int)label.ballot(v & 2);
    cg::thread_group half = cg::tiled_partition(block, N);
    out[i++] = (int)half.thread_rank();
    out[i++] = (int)half.num_threads();
    out[i++] = cg::invoke_one_broadcast(tile, [&] { return v + 7; });
    if (v > 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        out[i] = (int)active.num_threads();
        out[i + 1] = cg::inclusive_scan(active, 1) - (int)active.thread_rank();
    } else {
        out[i] = out[i + 1] = 0;
    }
}

template <int N> __global__ void kernel(int *out, const int *in) {
    __shared__ int values[threads];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, values, in, sizeof values);
    cg::wait(block);
    int thread = (int)block.thread_rank();
    // A neighbour's element shows that the copy was everyone's.
    tile_results<N>(out + (blockIdx.x * threads + thread) * results, values[thread]);
    block.sync();
}

// The threads of the calling thread's tile for which `same` holds, as the host sees it.
struct members {
    std::vector<int> list;
    int rank;
};

template <typename Same> static members group_of(int thread, int size, Same same) {
    members m;
    m.rank = 0;
    int first = thread / size * size;
    for (int t = first; t < first + size; t++)
        if (same(t)) {
            if (t < thread)
                m.rank++;
            m.list.push_back(t);
        }
    return m;
}

template <typename Op> static int fold(const std::vector<int> &list, Op op) {
    int r = value_of(list[0]);
    for (size_t i = 1; i < list.size(); i++)
        r = op(r, value_of(list[i]));
    return r;
}

static int sum_below(const members &m, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += value_of(m.list[i]);
    return sum;
}

template <typename Predicate> static int bits(const members &m, Predicate p) {
    unsigned b = 0;
    for (size_t i = 0; i < m.list.size(); i++)
        b |= (p(value_of(m.list[i])) ? 1u : 0u) << i;
    return (int)b;
}

static int expected(int thread, int n, int *out) {
    int v = value_of(thread), i = 0;
    members all = group_of(thread, n, [](int) { return true; });
    members odd = group_of(thread, n, [&](int t) { return (value_of(t) & 1) == (v & 1); });
    members label = group_of(thread, n, [&](int t) { return value_of(t) % 3 == v % 3; });
    auto plus = [](int a, int b) { return a + b; };
    int first = all.list[0];
    out[i++] = all.rank;
    out[i++] = thread / n;
    out[i++] = threads / n;
    out[i++] = fold(all.list, plus);
    out[i++] = fold(all.list, [](int a, int b) { return a < b ? a : b; });
    out[i++] = fold(all.list, [](int a, int b) { return a > b ? a : b; });
    out[i++] = fold(all.list, [](int a, int b) { return a ^ b; });
    out[i++] = fold(all.list, plus);
    out[i++] = sum_below(all, all.rank + 1);
    out[i++] = sum_below(all, all.rank);
    out[i++] = value_of(first + n - 1);
    out[i++] = value_of(all.rank ? thread - 1 : thread);
    out[i++] = value_of(all.rank < n - 1 ? thread + 1 : thread);
    out[i++] = value_of(thread ^ (n / 2));
    out[i++] = bits(all, [](int x) { return x > 40; }) != 0;
    out[i++] = bits(all, [](int x) { return !(x > -45); }) == 0;
    out[i++] = bits(all, [](int x) { return x & 1; });
    out[i++] = bits(all, [&](int x) { return (x & 3) == (v & 3); });
    out[i++] = value_of(first) * 3;
    out[i++] = odd.rank;
    out[i++] = (int)odd.list.size();
    out[i++] = fold(odd.list, plus);
    out[i++] = fold(odd.list, plus);
    out[i++] = value_of(odd.list.back());
    out[i++] = sum_below(odd, odd.rank);
    out[i++] = (int)label.list.size();
    bool seen[5] = {};
    int groups = 0;
    for (int t : all.list) {
        groups += !seen[value_of(t) % 3 + 2];
        seen[value_of(t) % 3 + 2] = true;
    }
    out[i++] = groups;
    out[i++] = bits(label, [](int x) { return x & 2; });
    out[i++] = all.rank;
    out[i++] = n;
    out[i++] = value_of(first) + 7;
    members active = group_of(thread, 32, [](int t) { return value_of(t) > 0; });
    out[i++] = v > 0 ? (int)active.list.size() : 0;
    out[i++] = v > 0 ? 1 : 0;
    return i;
}

template <int N> static int check(int *device_out, const int *device_in) {
    kernel<N><<<2, threads>>>(device_out, device_in);
    std::vector<int> got(2 * threads * results);
    cudaError_t e = cudaMemcpy(got.data(), device_out, got.size() * sizeof(int), cudaMemcpyDefault);
    if (e != cudaSuccess) {
        printf("FAIL tile<%d>: %s\n", N, cudaGetErrorString(e));
        return 1;
    }
    int failures = 0;
    for (int t = 0; t < 2 * threads; t++) {
        int want[results], count = expected(t % threads, N, want);
        for (int i = 0; i < count; i++)
            if (got[t * results + i] != want[i] && failures++ < 10)
                printf("FAIL tile<%d> thread %d result %d: %d, expected %d\n", N, t, i,
                       got[t * results + i], want[i]);
    }
    return failures;
}

int main() {
    int *out, *in, values[threads];
    for (int t = 0; t < threads; t++)
        values[t] = value_of(t);
    cudaMalloc(&out, 2 * threads * results * sizeof(int));
    cudaMalloc(&in, sizeof values);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyDefault);
    int failures = check<32>(out, in) + check<16>(out, in) + check<8>(out, in) + check<4>(out, in) +
                   check<2>(out, in);
    printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
