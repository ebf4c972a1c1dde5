__kernel void levenshtein(__global const ulong *masks, __global const uchar *text,
                          __global const uchar *length, __global uchar *distance, int n) {
    __local ulong s[256];
    int l = get_local_id(0), i = get_global_id(0), score = 64;
    s[l] = masks[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n)
        return;
    ulong more = ~0ul, less = 0;
    for (int k = 0; k < length[i]; k++) {
        ulong same = s[text[(size_t)k * n + i]], v = same | less;
        ulong h = (((same & more) + more) ^ more) | same;
        ulong right = less | ~(h | more), left = more & h;
        score += (int)(right >> 63) - (int)(left >> 63);
        right = right << 1 | 1;
        left <<= 1;
        more = left | ~(v | right);
        less = right & v;
    }
    distance[i] = score;
}
