// 256 bins of bytes: counted in shared memory and then added, and counted in global memory.

__kernel void histogram(__global const uchar *in, __global uint *bins, int n) {
    __local uint s[256];
    int l = get_local_id(0);
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_group_id(0) * get_local_size(0) + l; i < n; i += get_global_size(0))
        atomic_add(&s[in[i]], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], s[l]);
}

__kernel void histogram_global(__global const uchar *in, __global uint *bins, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_add(&bins[in[i]], 1u);
}
