#define EMPTY (~0u)

uint hash(uint k) {
    k = (k ^ k >> 16) * 0x85ebca6bu;
    k = (k ^ k >> 13) * 0xc2b2ae35u;
    return k ^ k >> 16;
}

__kernel void hash_clear(__global uint *table, uint mask) {
    for (uint i = get_global_id(0); i <= mask; i += get_global_size(0))
        table[i] = EMPTY;
}

__kernel void hash_insert(__global const uint *keys, int n, __global volatile uint *table,
                          uint mask) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i], slot = hash(key) & mask;
    while (true) {
        uint old = atomic_cmpxchg(&table[slot], EMPTY, key);
        if (old == EMPTY || old == key)
            return;
        slot = (slot + 1) & mask;
    }
}
