__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float sa[16][16], sb[16][16];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
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
