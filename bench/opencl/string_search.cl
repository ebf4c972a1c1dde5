__kernel void string_search(__global const uchar *text, int n, __constant uchar *pattern, int m,
                            __global uint *found) {
    __local uint bits[8];
    int i = get_global_id(0), l = get_local_id(0), k = 0;
    if (l < 8)
        bits[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i + m <= n)
        while (k < m && text[i + k] == pattern[k])
            k++;
    if (k == m)
        atomic_or(&bits[l / 32], 1u << l % 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        found[get_group_id(0) * 8 + l] = bits[l];
}
