// Bitonic sort: blocks of 1024 keys in shared memory, larger distances in global memory.

enum { BLOCK = 1024 };

#define EXCHANGE(a, b, up)                                                                         \
    if ((a > b) == (up)) {                                                                         \
        uint t = a;                                                                                \
        a = b;                                                                                     \
        b = t;                                                                                     \
    }

// Sorts each block, every second one downwards.
__kernel void sort_shared(__global uint *keys) {
    __local uint s[BLOCK];
    int t = get_local_id(0);
    keys += get_group_id(0) * BLOCK;
    s[t] = keys[t];
    s[t + BLOCK / 2] = keys[t + BLOCK / 2];
    for (int size = 2; size <= BLOCK; size *= 2) {
        bool up = size == BLOCK ? get_group_id(0) % 2 == 0 : (t & size / 2) == 0;
        for (int stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int at = 2 * t - (t & (stride - 1));
            EXCHANGE(s[at], s[at + stride], up);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[t] = s[t];
    keys[t + BLOCK / 2] = s[t + BLOCK / 2];
}

__kernel void merge_global(__global uint *keys, int size, int stride) {
    int i = get_global_id(0);
    int at = 2 * i - (i & (stride - 1));
    EXCHANGE(keys[at], keys[at + stride], (i & size / 2) == 0);
}

__kernel void merge_shared(__global uint *keys, int size) {
    __local uint s[BLOCK];
    int t = get_local_id(0), i = get_group_id(0) * BLOCK / 2 + t;
    bool up = (i & size / 2) == 0;
    keys += get_group_id(0) * BLOCK;
    s[t] = keys[t];
    s[t + BLOCK / 2] = keys[t + BLOCK / 2];
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int at = 2 * t - (t & (stride - 1));
        EXCHANGE(s[at], s[at + stride], up);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[t] = s[t];
    keys[t + BLOCK / 2] = s[t + BLOCK / 2];
}
