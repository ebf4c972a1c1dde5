// Heat in a plate by Jacobi iteration, on two streams: one computes, the other copies snapshots
// to pinned host memory meanwhile; events order them.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__global__ void step(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.25f * ((in[y * w + x - 1] + in[y * w + x + 1]) +
                                  (in[(y - 1) * w + x] + in[(y + 1) * w + x]));
}

int main() {
    const int w = 512, h = 384, steps = 100, every = 25;
    size_t bytes = w * h * sizeof(float);
    std::vector<float> now(w * h, 0.0f), next;
    for (int x = 0; x < w; x++)
        now[x] = 100.0f; // the upper edge is hot
    float *d[2], *snapshot;
    CHECK(cudaMalloc(&d[0], bytes));
    CHECK(cudaMalloc(&d[1], bytes));
    CHECK(cudaMallocHost(&snapshot, bytes * (steps / every)));
    CHECK(cudaMemcpy(d[0], now.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d[1], now.data(), bytes, cudaMemcpyHostToDevice));
    cudaStream_t compute, copy;
    cudaEvent_t computed, copied, start, stop;
    CHECK(cudaStreamCreate(&compute));
    CHECK(cudaStreamCreate(&copy));
    CHECK(cudaEventCreateWithFlags(&computed, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    CHECK(cudaEventRecord(start, compute));
    for (int s = 1; s <= steps; s++) {
        CHECK(cudaStreamWaitEvent(compute, copied, 0)); // do not overwrite what is being copied
        step<<<grid, block, 0, compute>>>(d[(s - 1) % 2], d[s % 2], w, h);
        if (s % every)
            continue;
        CHECK(cudaEventRecord(computed, compute));
        CHECK(cudaStreamWaitEvent(copy, computed, 0));
        CHECK(cudaMemcpyAsync(snapshot + (size_t)(s / every - 1) * w * h, d[s % 2], bytes,
                              cudaMemcpyDeviceToHost, copy));
        CHECK(cudaEventRecord(copied, copy));
    }
    CHECK(cudaEventRecord(stop, compute));
    CHECK(cudaDeviceSynchronize());
    next = now;
    for (int s = 1; s <= steps; s++) {
        for (int y = 1; y < h - 1; y++)
            for (int x = 1; x < w - 1; x++)
                next[y * w + x] = 0.25f * ((now[y * w + x - 1] + now[y * w + x + 1]) +
                                           (now[(y - 1) * w + x] + now[(y + 1) * w + x]));
        now.swap(next);
        const float *got = snapshot + (size_t)(s / every - 1) * w * h;
        for (int i = 0; i < w * h && s % every == 0; i++)
            if (got[i] != now[i]) {
                printf("FAILED: step %d, point %d is %g, not %g\n", s, i, got[i], now[i]);
                return 1;
            }
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %d snapshots of %d steps on a %d x %d plate, bit for bit\n", steps / every,
           steps, w, h);
    printf("speed: %.1f million points/s\n", (double)w * h * steps / ms / 1e3);
    CHECK(cudaFreeHost(snapshot));
    return 0;
}
