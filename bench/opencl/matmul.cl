// Matrix multiplication through tiles in shared memory: 16x16 and 32x32 tiles with one element a
// thread, and 64x64 tiles with 4x4 elements a thread in registers.

__kernel void matmul16(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float sa[16][16], sb[16][16];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_group_id(0) * 16 + lx,
        y = get_group_id(1) * 16 + ly;
    float acc = 0;
    for (int k = 0; k < n; k += 16) {
        sa[ly][lx] = a[y * n + k + lx];
        sb[ly][lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 16; j++)
            acc += sa[ly][j] * sb[j][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = acc;
}

__kernel void matmul32(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float sa[32][32], sb[32][32];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_group_id(0) * 32 + lx,
        y = get_group_id(1) * 32 + ly;
    float acc = 0;
    for (int k = 0; k < n; k += 32) {
        sa[ly][lx] = a[y * n + k + lx];
        sb[ly][lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 32; j++)
            acc += sa[ly][j] * sb[j][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = acc;
}

// A block of 16x16 threads makes 64x64 elements; a is kept transposed in shared memory.
__kernel void matmul_registers(__global const float *a, __global const float *b, __global float *c,
                               int n) {
    __local float sa[16][64 + 4], sb[16][64];
    int t = get_local_id(1) * 16 + get_local_id(0);
    int row = get_group_id(1) * 64, column = get_group_id(0) * 64;
    int ay = t / 4, ak = t % 4 * 4, bk = t / 16, bx = t % 16 * 4;
    float acc[4][4] = {{0}};
    for (int k = 0; k < n; k += 16) {
        float4 va = *(__global const float4 *)&a[(row + ay) * n + k + ak];
        sa[ak][ay] = va.x;
        sa[ak + 1][ay] = va.y;
        sa[ak + 2][ay] = va.z;
        sa[ak + 3][ay] = va.w;
        *(__local float4 *)&sb[bk][bx] = *(__global const float4 *)&b[(k + bk) * n + column + bx];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float4 u = *(__local const float4 *)&sa[j][get_local_id(1) * 4];
            float4 v = *(__local const float4 *)&sb[j][get_local_id(0) * 4];
            float ru[4] = {u.x, u.y, u.z, u.w}, rv[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    acc[y][x] += ru[y] * rv[x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < 4; y++)
        *(__global float4 *)&c[(row + get_local_id(1) * 4 + y) * n + column + get_local_id(0) * 4] =
            (float4)(acc[y][0], acc[y][1], acc[y][2], acc[y][3]);
}
