// Transposition of a matrix: every thread one element, and through a padded tile in shared memory.

__kernel void transpose_naive(__global const float *in, __global float *out, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

__kernel void transpose(__global const float *in, __global float *out, int n) {
    __local float s[32][33];
    int x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 32 + get_local_id(1);
    for (int k = 0; k < 32; k += 8)
        s[get_local_id(1) + k][get_local_id(0)] = in[(y + k) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + get_local_id(0);
    y = get_group_id(0) * 32 + get_local_id(1);
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = s[get_local_id(0)][get_local_id(1) + k];
}
