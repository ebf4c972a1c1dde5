__kernel void scan_block(__global const uint *in, __global uint *out, __global uint *sums, int n,
                         int keep) {
    __local uint s[512];
    int t = get_local_id(0), i = get_group_id(0) * 512 + 2 * t, d = 1;
    uint a = i < n ? in[i] : 0, b = i + 1 < n ? in[i + 1] : 0;
    s[2 * t] = a;
    s[2 * t + 1] = b;
    for (int m = 256; m > 0; m /= 2, d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < m)
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
    }
    if (t == 0) {
        if (keep)
            sums[get_group_id(0)] = s[511];
        s[511] = 0;
    }
    for (int m = 1; m < 512; m *= 2) {
        d /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < m) {
            uint left = s[d * (2 * t + 1) - 1];
            s[d * (2 * t + 1) - 1] = s[d * (2 * t + 2) - 1];
            s[d * (2 * t + 2) - 1] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = s[2 * t] + a;
    if (i + 1 < n)
        out[i + 1] = s[2 * t + 1] + b;
}

__kernel void scan_add(__global uint *out, __global const uint *sums, int n) {
    int i = (get_group_id(0) + 1) * 512 + get_local_id(0);
    uint before = sums[get_group_id(0)];
    if (i < n)
        out[i] += before;
    if (i + 256 < n)
        out[i + 256] += before;
}
