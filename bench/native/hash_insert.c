#define EMPTY (~0u)

enum { AHEAD = 32 }; // slots are fetched so many keys early

static inline unsigned hash(unsigned k) {
    k = (k ^ k >> 16) * 0x85ebca6bu;
    k = (k ^ k >> 13) * 0xc2b2ae35u;
    return k ^ k >> 16;
}

static inline void insert(unsigned key, unsigned slot, unsigned *table, unsigned mask) {
    for (;; slot = (slot + 1) & mask) {
        unsigned old = __atomic_load_n(&table[slot], __ATOMIC_RELAXED);
        if (old == key)
            return;
        if (old == EMPTY && __atomic_compare_exchange_n(&table[slot], &old, key, 0,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
        if (old == key)
            return;
    }
}

void native_hash_insert(const unsigned *keys, int n, unsigned *table, unsigned mask) {
#pragma omp parallel for schedule(static)
    for (unsigned i = 0; i <= mask; i++)
        table[i] = EMPTY;
#pragma omp parallel for schedule(static)
    for (int block = 0; block < n; block += 1024) {
        unsigned slots[1024 + AHEAD] = {0};
        int count = n - block < 1024 ? n - block : 1024;
        for (int i = 0; i < count; i++)
            slots[i] = hash(keys[block + i]) & mask;
        for (int i = 0; i < count; i++) {
            __builtin_prefetch(&table[slots[i + AHEAD]], 1);
            insert(keys[block + i], slots[i], table, mask);
        }
    }
}
