__kernel void lu_diagonal(__global float *a, int n, int k) {
    __local float s[32][33];
    int l = get_local_id(0);
    a += (size_t)k * n + k;
    for (int i = 0; i < 32; i++)
        s[i][l] = a[(size_t)i * n + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 31; i++) {
        if (l > i) {
            s[l][i] /= s[i][i];
            for (int j = i + 1; j < 32; j++)
                s[l][j] -= s[l][i] * s[i][j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 32; i++)
        a[(size_t)i * n + l] = s[i][l];
}

// Block y = 0 of the grid: a panel right of the diagonal, a thread a column; y = 1: below it, a
// thread a row.
__kernel void lu_panels(__global float *a, int n, int k) {
    __local float d[32][33], s[32][33];
    int l = get_local_id(0), at = k + 32 + get_group_id(0) * 32;
    bool below = get_group_id(1) == 1;
    __global float *panel = below ? a + (size_t)at * n + k : a + (size_t)k * n + at;
    a += (size_t)k * n + k;
    for (int i = 0; i < 32; i++) {
        d[i][l] = a[(size_t)i * n + l];
        s[i][l] = panel[(size_t)i * n + l];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (below)
        for (int i = 0; i < 32; i++) {
            float v = s[l][i];
            for (int j = 0; j < i; j++)
                v -= s[l][j] * d[j][i];
            s[l][i] = v / d[i][i];
        }
    else
        for (int i = 1; i < 32; i++) {
            float v = s[i][l];
            for (int j = 0; j < i; j++)
                v -= d[i][j] * s[j][l];
            s[i][l] = v;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 32; i++)
        panel[(size_t)i * n + l] = s[i][l];
}

__kernel void lu_rest(__global float *a, int n, int k) {
    __local float left[32][32], above[32][32];
    int x = get_local_id(0), y = get_local_id(1);
    int column = k + 32 + get_group_id(0) * 32, row = k + 32 + get_group_id(1) * 32;
    float sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        left[y + 8 * i][x] = a[(size_t)(row + y + 8 * i) * n + k + x];
        above[y + 8 * i][x] = a[(size_t)(k + y + 8 * i) * n + column + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 32; j++)
        for (int i = 0; i < 4; i++)
            sum[i] += left[y + 8 * i][j] * above[j][x];
    for (int i = 0; i < 4; i++)
        a[(size_t)(row + y + 8 * i) * n + column + x] -= sum[i];
}
