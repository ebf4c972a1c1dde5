// Cooperative groups (guide 11.5.2.2, 11.6): groups cut into groups, by labels of all integral
// types, predicates and sizes; ranks among siblings; the members of groups of lanes here and there.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 128, WARP = 32 };

__host__ __device__ int value_of(int thread) {
    return (thread * 29 + 8) % 37;
}

// ---- What a group should be ---------------------------------------------------------------------

struct members {
    int list[WARP], n, rank, sibling, siblings;
};

// The threads of `parent` with the label of thread t; siblings are ordered by their first threads.
template <typename Label> static members part_of(const members &parent, int t, Label label) {
    members m = {};
    for (int i = 0; i < parent.n; i++) {
        int other = parent.list[i], before = 0;
        while (label(parent.list[before]) != label(other))
            before++;
        if (before == i) {
            m.siblings++;
            m.sibling += label(other) != label(t) && m.n == 0;
        }
        if (label(other) != label(t))
            continue;
        if (other == t)
            m.rank = m.n;
        m.list[m.n++] = other;
    }
    return m;
}

static members tile_of(int t, int size) {
    members m = {};
    m.rank = t % size;
    for (int i = 0; i < size; i++)
        m.list[m.n++] = t / size * size + i;
    return m;
}

struct note {
    int rank, n, sibling, siblings, sum, below;
};

static void expect(const note &got, const members &m, int t) {
    int sum = 0, below = 0;
    for (int i = 0; i < m.n; i++) {
        sum += value_of(m.list[i]);
        below += m.list[i] < t ? value_of(m.list[i]) : 0;
    }
    CHECK(got.rank == m.rank && got.n == m.n && got.sum == sum && got.below == below);
    CHECK(got.sibling == m.sibling && got.siblings == m.siblings);
}

// ---- Partitions
// -----------------------------------------------------------------------------------

__device__ note note_of(const cg::coalesced_group &g) {
    int v = value_of((int)threadIdx.x);
    return {(int)g.thread_rank(),
            (int)g.num_threads(),
            (int)g.meta_group_rank(),
            (int)g.meta_group_size(),
            cg::reduce(g, v, cg::plus<int>()),
            cg::exclusive_scan(g, v)};
}

struct notes {
    note labelled, halves, labelled_again, pairs;
};

// Labels beyond 32 bits, and below zero.
template <typename Label> __host__ __device__ Label label_of(int t) {
    int small = value_of(t) % 5;
    return sizeof(Label) == 8 ? (Label)((unsigned long long)small << 40) : (Label)(small - 2);
}

template <typename Label> __global__ void partitions(notes *out) {
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = (int)threadIdx.x, v = value_of(t);
    notes &n = out[t];
    n.labelled = note_of(cg::labeled_partition(warp, label_of<Label>(t)));
    auto half = cg::binary_partition(cg::tiled_partition<16>(warp), v % 3 == 0);
    n.halves = note_of(half);
    auto again = cg::labeled_partition(half, (Label)(v % 2));
    n.labelled_again = note_of(again);
    n.pairs = note_of(cg::tiled_partition(again, 2));
}

template <typename Label> static void check_partitions(notes *n) {
    partitions<Label><<<1, THREADS>>>(n);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        expect(n[t].labelled, part_of(tile_of(t, WARP), t, label_of<Label>), t);
        auto third = [](int x) { return value_of(x) % 3 == 0; };
        members half = part_of(tile_of(t, 16), t, third);
        if (half.siblings == 2) // of two groups, those with the predicate are the second
            half.sibling = third(t);
        expect(n[t].halves, half, t);
        members again = part_of(half, t, [](int x) { return value_of(x) % 2; });
        expect(n[t].labelled_again, again, t);
        members pairs = part_of(again, t, [&](int x) {
            int rank = 0;
            while (again.list[rank] != x)
                rank++;
            return rank / 2;
        });
        expect(n[t].pairs, pairs, t);
    }
}

__global__ void all_or_none(int *bad) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int yes = 0; yes < 2; yes++) {
        auto g = cg::binary_partition(warp, yes);
        if (g.num_threads() != 32 || g.meta_group_rank() != 0 || g.meta_group_size() != 1)
            atomicAdd(bad, 1);
    }
    auto two = cg::labeled_partition(warp, threadIdx.x % 2 == 1);
    if (two.num_threads() != 16 || two.meta_group_rank() != threadIdx.x % 2)
        atomicAdd(bad, 1);
}

// ---- Groups of some lanes
// -------------------------------------------------------------------------

__device__ bool takes_part(int t) {
    return value_of(t) % 3 != 1;
}

__device__ int exchange(const cg::coalesced_group &g, const int *list, int n, int me) {
    int t = list[me], wrong = 0;
    for (int s = 0; s < n; s++) {
        wrong += g.shfl(t * 3, s) != list[s] * 3;
        wrong += g.shfl_up(t, s) != (me >= s ? list[me - s] : t);
        wrong += g.shfl_down(t, s) != (me + s < n ? list[me + s] : t);
    }
    return wrong;
}

__device__ int vote(const cg::coalesced_group &g, const int *list, int n, int me) {
    int v = value_of(list[me]), same, wrong = 0;
    unsigned odd = 0, alike = 0, everyone = n == 32 ? ~0u : (1u << n) - 1;
    for (int i = 0; i < n; i++) {
        odd |= (value_of(list[i]) & 1u) << i;
        alike |= (unsigned)(value_of(list[i]) % 4 == v % 4) << i;
    }
    wrong += g.ballot(v & 1) != odd || g.match_any(v % 4) != alike;
    wrong += g.match_any((unsigned long long)(v % 4) << 40) != alike;
    wrong += g.match_any(0.5f * (v % 4)) != alike || g.match_any(0.5 * (v % 4)) != alike;
    wrong += g.match_all(7, same) != everyone || !same;
    wrong += n > 1 && (g.match_all(v, same) != 0 || same);
    wrong += !g.any(me == n - 1) || g.any(v == 1000) || !g.all(v < 1000) || g.all(me == n);
    return wrong;
}

__global__ void some_lanes(int *bad) {
    int t = (int)threadIdx.x, list[32], n = 0, me = 0, wrong = 0;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++)
        if (takes_part(i)) {
            me = i == t ? n : me;
            list[n++] = i;
        }
    if (takes_part(t)) {
        auto g = cg::coalesced_threads();
        wrong += (int)g.num_threads() != n || (int)g.size() != n || (int)g.thread_rank() != me;
        wrong += g.meta_group_rank() != 0 || g.meta_group_size() != 1;
        wrong += exchange(g, list, n, me) + vote(g, list, n, me);
        g.sync();
        cg::thread_group eight = cg::tiled_partition((cg::thread_group)g, 8);
        int left = n - me / 8 * 8;
        wrong += (int)eight.size() != (left < 8 ? left : 8) || (int)eight.thread_rank() != me % 8;
    }
    if (wrong)
        atomicAdd(bad, wrong);
}

// ---- Tiles of sizes that only the launch knows, and tiles of tiles
// ---------------------------------

__global__ void tiles_of_tiles(int *bad) {
    auto block = cg::this_thread_block();
    int t = (int)block.thread_rank(), wrong = 0, same;
    cg::thread_group outer = block;
    for (int size = 32; size >= 1; size /= 2) {
        cg::thread_group inner = cg::tiled_partition(outer, (unsigned)size);
        wrong += (int)inner.size() != size || (int)inner.thread_rank() != t % size;
        wrong += (int)cg::group_size(inner) != size || (int)cg::thread_rank(inner) != t % size;
        inner.sync();
        outer = inner;
    }
    cg::thread_block_tile<16> s = cg::tiled_partition<16>(block);
    cg::thread_group four = cg::tiled_partition(s, 4);
    wrong += four.size() != 4 || (int)four.thread_rank() != t % 4;
    auto two = cg::tiled_partition<2>(cg::tiled_partition<4>(cg::tiled_partition<8>(s)));
    wrong += two.meta_group_size() != 2 || (int)two.meta_group_rank() != t % 4 / 2;
    wrong += (int)cg::tiled_partition<1>(two).meta_group_rank() != t % 2;
    wrong += s.match_all(t / 16, same) != 0xffff || !same || s.ballot(t % 4 == 0) != 0x1111;
    wrong += s.match_any(t % 2) != (t % 2 ? 0xaaaau : 0x5555u) || s.shfl(t, 18) != t / 16 * 16 + 2;
    wrong += !s.any(t % 16 == 3) || s.all(t % 16 == 3);
    if (wrong)
        atomicAdd(bad, wrong);
}

int main() {
    notes *n = shared_array<notes>(THREADS);
    check_partitions<int>(n);
    check_partitions<unsigned>(n);
    check_partitions<short>(n);
    check_partitions<unsigned short>(n);
    check_partitions<char>(n);
    check_partitions<unsigned char>(n);
    check_partitions<long>(n);
    check_partitions<unsigned long long>(n);
    int *bad = shared_array<int>(1);
    all_or_none<<<1, 64>>>(bad);
    some_lanes<<<2, THREADS>>>(bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    tiles_of_tiles<<<2, dim3(8, 4, 4)>>>(bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    return failures != 0;
}
