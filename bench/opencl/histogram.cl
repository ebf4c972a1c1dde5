__kernel void histogram(__global const uchar *in, __global uint *bins, int n) {
    __local uint s[256];
    int l = get_local_id(0);
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&s[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], s[l]);
}
