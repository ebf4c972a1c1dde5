#include "bench.h"

#include <algorithm>

// Open addressing with linear probing: each key is put into the table once. Half of the keys
// occur twice; the table gets 3/8 full.
extern "C" void native_hash_insert(const unsigned *keys, int n, unsigned *table, unsigned mask);

static const unsigned empty = ~0u;

__device__ unsigned hash(unsigned k) {
    k = (k ^ k >> 16) * 0x85ebca6bu;
    k = (k ^ k >> 13) * 0xc2b2ae35u;
    return k ^ k >> 16;
}

__global__ void hash_clear(unsigned *table, unsigned mask) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i <= mask; i += gridDim.x * blockDim.x)
        table[i] = empty;
}

__global__ void hash_insert(const unsigned *keys, int n, unsigned *table, unsigned mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], slot = hash(key) & mask;
    while (true) {
        unsigned old = atomicCAS(&table[slot], empty, key);
        if (old == empty || old == key)
            return;
        slot = (slot + 1) & mask;
    }
}

// The order of insertion decides where a key lies, so the tables are compared as sets.
struct Table : Buffer<unsigned> {
    explicit Table(size_t n) : Buffer(n) {
    }
    double error(bench_side side) override {
        std::vector<unsigned> got = get(side), want = get(BENCH_NATIVE);
        std::sort(got.begin(), got.end());
        std::sort(want.begin(), want.end());
        return got == want && want[0] != want[1] ? 0 : 1;
    }
};

BENCH(hash_insert) {
    int n = 1 << 20;
    unsigned mask = (1u << 21) - 1, seed = 3;
    Buffer<unsigned> keys(n);
    Table table(mask + 1);
    for (int i = 0; i < n; i++)
        keys.host[i] = i < n * 3 / 4 ? bench_random(&seed) % empty : keys.host[i - n * 3 / 4];
    keys.upload();
    Row r("hash-table insertion", n, "Gkey/s");
    r.kudzu = [&] {
        hash_clear<<<256, 256>>>(table.dev, mask);
        hash_insert<<<(n + 255) / 256, 256>>>(keys.dev, n, table.dev, mask);
    };
    r.native = [&] { native_hash_insert(keys.host, n, table.host, mask); };
    r.pocl = [&] {
        Buffer<unsigned> &t = table;
        pocl("hash_clear", 256, 256, t, mask);
        pocl("hash_insert", (n + 255) / 256, 256, keys, n, t, mask);
    };
    r.outputs = {&table};
    measure(r);
}
