#define MATCH 5
#define MISMATCH -3
#define GAP 4

int border(__global const int *h, int y, int x, int n) {
    if (y < 0)
        return -GAP * (x + 1);
    return x < 0 ? -GAP * (y + 1) : h[(size_t)y * n + x];
}

__kernel void needleman_wunsch(__global const uchar *a, __global const uchar *b, __global int *h,
                               int n, int diagonal, int first) {
    __local int s[33][33];
    __local uchar row[32];
    int l = get_local_id(0), tx = first + get_group_id(0), x0 = tx * 32, y0 = (diagonal - tx) * 32;
    s[0][l + 1] = border(h, y0 - 1, x0 + l, n);
    s[l + 1][0] = border(h, y0 + l, x0 - 1, n);
    if (l == 0)
        s[0][0] = border(h, y0 - 1, x0 - 1, n);
    row[l] = a[y0 + l];
    uchar letter = b[x0 + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 63; k++) {
        int y = k - l;
        if (y >= 0 && y < 32) {
            int d = s[y][l] + (row[y] == letter ? MATCH : MISMATCH);
            s[y + 1][l + 1] = max(d, max(s[y][l + 1], s[y + 1][l]) - GAP);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < 32; y++)
        h[(size_t)(y0 + y) * n + x0 + l] = s[y + 1][l + 1];
}
