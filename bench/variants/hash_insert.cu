// The table cleared by cudaMemset and keys in a grid-stride loop; the slot read before it is
// compared and swapped; a structure with members and a warp's threads that go on while one of them
// has work.
#include "bench.h"

typedef unsigned int uint;
enum { N = 1 << 20 };
static const uint mask = (1u << 21) - 1, vacant = 0xffffffff;

__device__ uint murmur(uint k) {
    k ^= k >> 16;
    k *= 0x85ebca6b;
    k ^= k >> 13;
    k *= 0xc2b2ae35;
    k ^= k >> 16;
    return k;
}

__global__ void insert_loop(const uint *keys, uint *table, int count, uint capacity) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        uint key = keys[i];
        for (uint slot = murmur(key) % capacity;; slot = (slot + 1) % capacity) {
            uint prev = atomicCAS(table + slot, vacant, key);
            if (prev == vacant || prev == key)
                break;
        }
    }
}

__global__ void fill(uint4 *table, uint4 value) {
    table[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void insert_after_look(const uint *keys, uint *table, int count) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= count)
        return;
    uint key = keys[i], slot = murmur(key) & mask;
    bool done = false;
    while (!done) {
        uint there = table[slot];
        if (there == vacant)
            there = atomicCAS(&table[slot], vacant, key);
        done = there == vacant || there == key;
        slot = (slot + 1) & mask;
    }
}

struct Set {
    uint *slots, bits;
    __device__ bool try_slot(uint at, uint key) const {
        uint old = atomicCAS(&slots[at], vacant, key);
        return old == vacant || old == key;
    }
    __device__ uint wrap(uint at) const {
        return at & ((1u << bits) - 1);
    }
};

__global__ void set_clear(Set set) {
    for (uint i = threadIdx.x; i < 1024; i += blockDim.x)
        set.slots[blockIdx.x * 1024 + i] = vacant;
}

// Two keys a thread, side by side.
__global__ void set_insert(Set set, const uint2 *keys) {
    uint2 both = keys[blockIdx.x * blockDim.x + threadIdx.x];
    uint a = set.wrap(murmur(both.x)), b = set.wrap(murmur(both.y));
    bool more_a = true, more_b = true;
    while (__any_sync(0xffffffff, more_a || more_b)) {
        if (more_a && set.try_slot(a, both.x))
            more_a = false;
        if (more_b && set.try_slot(b, both.y))
            more_b = false;
        a = set.wrap(a + 1);
        b = set.wrap(b + 1);
    }
}

VARIANTS(hash_insert, "hash-table insertion") {
    const uint *keys = row_buffer<uint>(0).dev;
    uint *table = row_buffer<uint>(1).dev;
    Set set = {table, 21};
    return {
        [=] {
            CHECK(cudaMemsetAsync(table, 0xff, (mask + 1) * sizeof(uint)));
            insert_loop<<<512, 256>>>(keys, table, N, mask + 1);
        },
        [=] {
            fill<<<(mask + 1) / 4 / 128, 128>>>((uint4 *)table,
                                                make_uint4(vacant, vacant, vacant, vacant));
            insert_after_look<<<N / 512, 512>>>(keys, table, N);
        },
        [=] {
            set_clear<<<(mask + 1) / 1024, 256>>>(set);
            set_insert<<<N / 2 / 128, 128>>>(set, (const uint2 *)keys);
        },
    };
}
