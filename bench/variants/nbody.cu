// From global memory with rsqrtf; a helper for the interaction and tiles of 128, unrolled by four;
// two bodies a thread, their coordinates in arrays of their own.
#include "bench.h"

enum { N = 4096 };
static const float softening = 0.01f;

__global__ void all_pairs(const float4 *p, float4 *acc, int n) {
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float Fx = 0.0f, Fy = 0.0f, Fz = 0.0f;
        for (int j = 0; j < n; j++) {
            float dx = p[j].x - p[i].x;
            float dy = p[j].y - p[i].y;
            float dz = p[j].z - p[i].z;
            float invDist = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float invDist3 = invDist * invDist * invDist * p[j].w;
            Fx += dx * invDist3;
            Fy += dy * invDist3;
            Fz += dz * invDist3;
        }
        acc[i] = make_float4(Fx, Fy, Fz, 0);
    }
}

__device__ float3 body_body(float4 bi, float4 bj, float3 ai) {
    float3 r = make_float3(bj.x - bi.x, bj.y - bi.y, bj.z - bi.z);
    float dist_sqr = r.x * r.x + r.y * r.y + r.z * r.z + softening;
    float dist_sixth = dist_sqr * dist_sqr * dist_sqr;
    float s = bj.w * (1.0f / sqrtf(dist_sixth));
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

template <int P> __device__ float3 tile_calculation(float4 mine, const float4 *tile, float3 a) {
#pragma unroll 4
    for (int i = 0; i < P; i++)
        a = body_body(mine, tile[i], a);
    return a;
}

template <int P> __global__ void tiles_of(const float4 *positions, float4 *accelerations, int n) {
    extern __shared__ float4 tile[];
    int gtid = blockIdx.x * P + threadIdx.x;
    float4 mine = positions[gtid];
    float3 acc = {0.0f, 0.0f, 0.0f};
    for (int i = 0, t = 0; i < n; i += P, t++) {
        tile[threadIdx.x] = positions[t * P + threadIdx.x];
        __syncthreads();
        acc = tile_calculation<P>(mine, tile, acc);
        __syncthreads();
    }
    accelerations[gtid] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}

// Two bodies a thread against each tile.
__global__ void two_bodies(const float4 *pos, float *acc, int n) {
    __shared__ float xs[256], ys[256], zs[256], ms[256];
    int t = threadIdx.x, first = blockIdx.x * 2 * blockDim.x + t, second = first + blockDim.x;
    float4 p = pos[first], q = pos[second];
    float a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    for (int from = 0; from < n; from += 256) {
        for (int k = t; k < 256; k += blockDim.x) {
            float4 other = pos[from + k];
            xs[k] = other.x, ys[k] = other.y, zs[k] = other.z, ms[k] = other.w;
        }
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            float px = xs[k] - p.x, py = ys[k] - p.y, pz = zs[k] - p.z;
            float qx = xs[k] - q.x, qy = ys[k] - q.y, qz = zs[k] - q.z;
            float pd = rsqrtf(px * px + py * py + pz * pz + softening);
            float qd = rsqrtf(qx * qx + qy * qy + qz * qz + softening);
            float u = ms[k] * pd * pd * pd, v = ms[k] * qd * qd * qd;
            a[0] += px * u, a[1] += py * u, a[2] += pz * u;
            b[0] += qx * v, b[1] += qy * v, b[2] += qz * v;
        }
        __syncthreads();
    }
    for (int k = 0; k < 3; k++) {
        acc[4 * first + k] = a[k];
        acc[4 * second + k] = b[k];
    }
    acc[4 * first + 3] = acc[4 * second + 3] = 0;
}

VARIANTS(nbody, "n-body 4096") {
    const float4 *p = (const float4 *)row_buffer<float>(0).dev;
    float4 *acc = (float4 *)row_buffer<float>(1).dev;
    return {
        [=] { all_pairs<<<N / 128, 128>>>(p, acc, N); },
        [=] { tiles_of<128><<<N / 128, 128, 128 * sizeof(float4)>>>(p, acc, N); },
        [=] { two_bodies<<<N / 256, 128>>>(p, (float *)acc, N); },
    };
}
