// The jobs in OpenCL C: the same algorithms as the CUDA kernels of bench.cu.
__kernel void saxpy(float a, __global const float *x, __global float *y, int n) {
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__kernel void nbody(__global const float4 *pos, __global float4 *acc, int n) {
    __local float4 s[256];
    int i = get_global_id(0), l = get_local_id(0);
    float4 me = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        s[l] = pos[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = 1.0f / sqrt(d2), k = s[j].w * inv * inv * inv;
            ax += dx * k;
            ay += dy * k;
            az += dz * k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[i] = (float4)(ax, ay, az, 0);
}

__kernel void reduce(__global const float *x, __global float *out, int n) {
    __local float s[256];
    int l = get_local_id(0);
    float v = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        v += x[i];
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}

__kernel void block_reduce(__global const float *x, __global float *out) {
    __local float s[256];
    int l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
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

__kernel void stencil(__global const float *in, __global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] +
                                  in[(y + 1) * w + x]);
}

__kernel void mandelbrot(__global int *out, int w, int h, int limit) {
    int px = get_global_id(0), py = get_global_id(1), n = 0;
    float cr = px * (3.0f / w) - 2.0f, ci = py * (2.0f / h) - 1.0f, zr = 0, zi = 0;
    while (n < limit && zr * zr + zi * zi <= 4.0f) {
        float r = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = r;
        n++;
    }
    out[py * w + px] = n;
}

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

float cnd(float d) {
    return 0.5f * erfc(-d * 0.70710678f);
}
__kernel void black_scholes(__global const float *s, __global const float *k,
                            __global const float *t, __global float *call, __global float *put) {
    const float r = 0.02f, v = 0.3f;
    int i = get_global_id(0);
    float sq = sqrt(t[i]);
    float d1 = (log(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
    float e = k[i] * exp(-r * t[i]);
    call[i] = s[i] * cnd(d1) - e * cnd(d2);
    put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
}
