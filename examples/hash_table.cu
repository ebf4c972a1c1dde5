// A hash table that many threads fill at once: a slot is claimed with compare-and-swap, and
// counts how often its key came.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

const unsigned EMPTY = 0xffffffff;
struct Slot {
    unsigned key, count;
};

__device__ unsigned hash(unsigned k) {
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    return k;
}

__global__ void insert(Slot *table, unsigned capacity, const unsigned *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], at = hash(key) % capacity;
    for (;;) {
        unsigned seen = atomicCAS(&table[at].key, EMPTY, key);
        if (seen == EMPTY || seen == key) {
            atomicAdd(&table[at].count, 1u);
            return;
        }
        at = (at + 1) % capacity; // taken by another key
    }
}

__global__ void look_up(const Slot *table, unsigned capacity, const unsigned *keys, unsigned *out,
                        int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned at = hash(keys[i]) % capacity;
    while (table[at].key != keys[i] && table[at].key != EMPTY)
        at = (at + 1) % capacity;
    out[i] = table[at].key == EMPTY ? 0 : table[at].count;
}

int main() {
    const int n = 200000;
    const unsigned capacity = 150001;
    std::vector<unsigned> keys(n), got(n);
    std::map<unsigned, unsigned> want;
    unsigned seed = 3;
    for (auto &k : keys) {
        seed = seed * 1664525u + 1013904223u;
        k = (seed >> 8) % 50000 * 77;
        want[k]++;
    }
    Slot *table;
    unsigned *dkeys, *out;
    CHECK(cudaMalloc(&table, capacity * sizeof(Slot)));
    CHECK(cudaMalloc(&dkeys, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, n * sizeof(unsigned)));
    CHECK(cudaMemcpy(dkeys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaMemset(table, 0xff, capacity * sizeof(Slot)));
        CHECK(cudaMemset2D(&table[0].count, sizeof(Slot), 0, sizeof(unsigned), capacity));
        CHECK(cudaEventRecord(start));
        insert<<<(n + 255) / 256, 256>>>(table, capacity, dkeys, n);
        CHECK(cudaEventRecord(stop));
    }
    look_up<<<(n + 255) / 256, 256>>>(table, capacity, dkeys, out, n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (got[i] != want[keys[i]]) {
            printf("FAILED: key %u came %u times, not %u\n", keys[i], got[i], want[keys[i]]);
            return 1;
        }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %d keys, %zu of them different\n", n, want.size());
    printf("speed: %.2f million insertions/s\n", n / ms / 1e3);
    return 0;
}
