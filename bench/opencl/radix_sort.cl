#define THREADS 256
#define KEYS 4
#define TILE (THREADS * KEYS)
#define DIGITS 16
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

uint scan_threads(uint v, uint *total, __local uint *s) {
    int t = get_local_id(0);
    uint sum = v;
    s[t] = v;
    SYNC;
    for (int d = 1; d < THREADS; d *= 2) {
        uint u = t >= d ? s[t - d] : 0;
        SYNC;
        s[t] = sum += u;
        SYNC;
    }
    *total = s[THREADS - 1];
    SYNC;
    return sum - v;
}

__kernel void sort_tiles(__global uint4 *keys, __global uint *counts, int shift) {
    __local uint s[TILE], first[DIGITS + 1], sums[THREADS];
    int t = get_local_id(0), tile = get_group_id(0);
    uint4 in = keys[tile * THREADS + t];
    uint k[KEYS] = {in.x, in.y, in.z, in.w};
    for (int bit = shift; bit < shift + 4; bit++) {
        uint zeros = 0, total;
        for (int i = 0; i < KEYS; i++)
            zeros += !(k[i] >> bit & 1);
        uint zero = scan_threads(zeros, &total, sums), one = total + t * KEYS - zero;
        for (int i = 0; i < KEYS; i++)
            s[k[i] >> bit & 1 ? one++ : zero++] = k[i];
        SYNC;
        for (int i = 0; i < KEYS; i++)
            k[i] = s[t * KEYS + i];
        SYNC;
    }
    if (t <= DIGITS)
        first[t] = TILE;
    SYNC;
    for (int i = 0; i < KEYS; i++) {
        int at = t * KEYS + i;
        uint digit = k[i] >> shift & 15;
        if (at == 0 || (s[at - 1] >> shift & 15) != digit)
            first[digit] = at;
    }
    SYNC;
    if (t == 0)
        for (int d = DIGITS - 1; d >= 0; d--)
            first[d] = first[d] == TILE ? first[d + 1] : first[d];
    SYNC;
    if (t < DIGITS)
        counts[t * get_num_groups(0) + tile] = first[t + 1] - first[t];
    keys[tile * THREADS + t] = (uint4)(k[0], k[1], k[2], k[3]);
}

__kernel void scan_counts(__global uint *counts, int n) {
    __local uint sums[THREADS];
    uint before = 0, total;
    int t = get_local_id(0);
    for (int i = 0; i < n; i += THREADS) {
        uint v = i + t < n ? counts[i + t] : 0;
        uint sum = scan_threads(v, &total, sums);
        if (i + t < n)
            counts[i + t] = before + sum;
        before += total;
    }
}

__kernel void scatter(__global const uint *keys, __global uint *out, __global const uint *places,
                      int shift) {
    __local uint s[TILE], first[DIGITS], place[DIGITS];
    int t = get_local_id(0), tile = get_group_id(0);
    for (int i = t; i < TILE; i += THREADS)
        s[i] = keys[tile * TILE + i];
    if (t < DIGITS)
        place[t] = places[t * get_num_groups(0) + tile];
    SYNC;
    for (int i = t; i < TILE; i += THREADS) {
        uint digit = s[i] >> shift & 15;
        if (i == 0 || (s[i - 1] >> shift & 15) != digit)
            first[digit] = i;
    }
    SYNC;
    for (int i = t; i < TILE; i += THREADS) {
        uint digit = s[i] >> shift & 15;
        out[place[digit] + i - first[digit]] = s[i];
    }
}
