// Products of many small matrices: 4x4, one thread each, and 16x16, one block each.

__kernel void batched4(__global const float4 *a, __global const float4 *b, __global float4 *c,
                       int count) {
    int m = get_global_id(0);
    if (m >= count)
        return;
    float4 b0 = b[4 * m], b1 = b[4 * m + 1], b2 = b[4 * m + 2], b3 = b[4 * m + 3];
    for (int y = 0; y < 4; y++) {
        float4 v = a[4 * m + y], r;
        r.x = v.x * b0.x + v.y * b1.x + v.z * b2.x + v.w * b3.x;
        r.y = v.x * b0.y + v.y * b1.y + v.z * b2.y + v.w * b3.y;
        r.z = v.x * b0.z + v.y * b1.z + v.z * b2.z + v.w * b3.z;
        r.w = v.x * b0.w + v.y * b1.w + v.z * b2.w + v.w * b3.w;
        c[4 * m + y] = r;
    }
}

__kernel void batched16(__global const float *a, __global const float *b, __global float *c) {
    __local float sa[16][16], sb[16][16];
    int x = get_local_id(0), y = get_local_id(1), i = get_group_id(0) * 256 + y * 16 + x;
    sa[y][x] = a[i];
    sb[y][x] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += sa[y][k] * sb[k][x];
    c[i] = sum;
}
