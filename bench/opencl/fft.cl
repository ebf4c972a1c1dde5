// Many complex FFTs of 1024 points: a block each, radix 4, five steps that exchange values through
// shared memory, the roots of unity in a table.

enum { N = 1024, THREADS = N / 4 };

float2 multiply(float2 a, float2 b) {
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

void butterfly(float2 *v) {
    float2 a = (float2)(v[0].x + v[2].x, v[0].y + v[2].y);
    float2 b = (float2)(v[0].x - v[2].x, v[0].y - v[2].y);
    float2 c = (float2)(v[1].x + v[3].x, v[1].y + v[3].y);
    float2 d = (float2)(v[1].y - v[3].y, v[3].x - v[1].x); // times -i
    v[0] = (float2)(a.x + c.x, a.y + c.y);
    v[1] = (float2)(b.x + d.x, b.y + d.y);
    v[2] = (float2)(a.x - c.x, a.y - c.y);
    v[3] = (float2)(b.x - d.x, b.y - d.y);
}

__kernel void fft(__global const float2 *in, __global float2 *out, __global const float2 *roots) {
    __local float re[N], im[N];
    int t = get_local_id(0);
    float2 v[4];
    in += get_group_id(0) * N;
    out += get_group_id(0) * N;
#pragma unroll
    for (int r = 0; r < 4; r++)
        v[r] = in[t + r * THREADS];
#pragma unroll
    for (int s = 1; s < N; s *= 4) {
        int k = t % s;
        if (s > 1)
#pragma unroll
            for (int r = 1; r < 4; r++)
                v[r] = multiply(v[r], roots[r * k * (N / 4 / s)]);
        butterfly(v);
        int to = (t - k) * 4 + k;
        if (s == N / 4) {
#pragma unroll
            for (int r = 0; r < 4; r++)
                out[to + r * s] = v[r];
            return;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int r = 0; r < 4; r++) {
            re[to + r * s] = v[r].x;
            im[to + r * s] = v[r].y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int r = 0; r < 4; r++)
            v[r] = (float2)(re[t + r * THREADS], im[t + r * THREADS]);
    }
}
