#include "bench.h"

extern "C" void native_nbody(const float *pos, float *acc, int n);

__global__ void nbody(const float4 *pos, float4 *acc, int n) {
    __shared__ float4 s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    float4 me = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        s[l] = pos[t + l];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = 1.0f / sqrtf(d2), k = s[j].w * inv * inv * inv;
            ax += dx * k;
            ay += dy * k;
            az += dz * k;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}

BENCH(nbody) {
    int n = 4096;
    Buffer<float> p(4 * n), acc(4 * n);
    p.random(-1, 1);
    Row r = compute_row("n-body 4096", 20.0 * n * n);
    r.kudzu = [&] { nbody<<<n / 256, 256>>>((float4 *)p.dev, (float4 *)acc.dev, n); };
    r.native = [&] { native_nbody(p.host, acc.host, n); };
    r.pocl = [&] { pocl("nbody", n / 256, 256, p, acc, n); };
    r.outputs = {&acc};
    r.tolerance = 1e-4;
    measure(r);
}
