// The variants of rows/reduction.cu that do without operations within a warp.
__kernel void reduce_divergent(__global const float *in, __global float *out, int n,
                               __local float *s) {
    int t = get_local_id(0), i = get_global_id(0), size = get_local_size(0);
    s[t] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < size; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = s[0];
}

__kernel void reduce_strided(__global const float *in, __global float *out, int n,
                             __local float *s) {
    int t = get_local_id(0), i = get_global_id(0), size = get_local_size(0);
    s[t] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < size; d *= 2) {
        int k = 2 * d * t;
        if (k < size)
            s[k] += s[k + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = s[0];
}

__kernel void reduce_sequential(__global const float *in, __global float *out, int n,
                                __local float *s) {
    int t = get_local_id(0), i = get_global_id(0), size = get_local_size(0);
    s[t] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = size / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = s[0];
}

__kernel void reduce_multiple(__global const float *in, __global float *out, int n) {
    __local float s[256];
    int t = get_local_id(0);
    float v = 0;
    for (int i = get_group_id(0) * 512 + t; i < n; i += get_num_groups(0) * 512) {
        v += in[i];
        if (i + 256 < n)
            v += in[i + 256];
    }
    s[t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] = v = v + s[t + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = v;
}
