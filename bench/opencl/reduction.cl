__kernel void reduce(__global const float *x, __global float *out, int n) {
    __local float s[256];
    int l = get_local_id(0);
    float v = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        v += x[i];
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}

__kernel void block_reduce(__global const float *x, __global float *out) {
    __local float s[256];
    int l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}
