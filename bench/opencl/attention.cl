// As the CUDA kernel, with plain copies, and with local memory where that has shuffles.
#define HEAD 64
#define TILE 32
#define PADDED (HEAD + 4)

void load_tile(__local float (*sk)[PADDED], __local float (*sv)[HEAD], __global const float *k,
               __global const float *v) {
    for (int c = get_local_id(1) * 32 + get_local_id(0); c < TILE * HEAD / 4; c += 256) {
        int row = c / (HEAD / 4), column = c % (HEAD / 4) * 4;
        vstore4(vload4(0, k + row * HEAD + column), 0, &sk[row][column]);
        vstore4(vload4(0, v + row * HEAD + column), 0, &sv[row][column]);
    }
}

float row_max(__local float *s, int x, float v) {
    s[x] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 16; d > 0; d >>= 1) {
        if (x < d)
            s[x] = fmax(s[x], s[x + d]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}

float row_sum(__local float *s, int x, float v) {
    s[x] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 16; d > 0; d >>= 1) {
        if (x < d)
            s[x] += s[x + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}

__kernel void attention(__global const float *q, __global const float *k, __global const float *v,
                        __global float *out, int n) {
    __local float sq[TILE][HEAD], sk[TILE][PADDED], sv[TILE][HEAD], p[TILE][TILE], r[8][32];
    int x = get_local_id(0), y = get_local_id(1);
    size_t head = (size_t)get_group_id(1) * n * HEAD;
    k += head;
    v += head;
    q += head + (size_t)get_group_id(0) * TILE * HEAD;
    out += head + (size_t)get_group_id(0) * TILE * HEAD;
    for (int c = y * 32 + x; c < TILE * HEAD; c += 256)
        sq[c / HEAD][c % HEAD] = q[c] * 0.125f;
    float most[4], sum[4], o[4][2];
    for (int i = 0; i < 4; i++) {
        most[i] = -INFINITY;
        sum[i] = o[i][0] = o[i][1] = 0;
    }
    for (int t = 0; t < n / TILE; t++) {
        load_tile(sk, sv, k + (size_t)t * TILE * HEAD, v + (size_t)t * TILE * HEAD);
        barrier(CLK_LOCAL_MEM_FENCE);
        float s[4] = {0, 0, 0, 0};
        for (int d = 0; d < HEAD; d += 4) {
            float4 b = vload4(0, &sk[x][d]);
            for (int i = 0; i < 4; i++)
                s[i] += dot(vload4(0, &sq[y * 4 + i][d]), b);
        }
        for (int i = 0; i < 4; i++) {
            float largest = fmax(row_max(r[y], x, s[i]), most[i]);
            float keep = native_exp(most[i] - largest), e = native_exp(s[i] - largest);
            sum[i] = sum[i] * keep + row_sum(r[y], x, e);
            most[i] = largest;
            o[i][0] *= keep;
            o[i][1] *= keep;
            p[y * 4 + i][x] = e;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < TILE; j++)
            for (int i = 0; i < 4; i++) {
                o[i][0] += p[y * 4 + i][j] * sv[j][x];
                o[i][1] += p[y * 4 + i][j] * sv[j][x + 32];
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++) {
        out[(y * 4 + i) * HEAD + x] = o[i][0] / sum[i];
        out[(y * 4 + i) * HEAD + x + 32] = o[i][1] / sum[i];
    }
}
