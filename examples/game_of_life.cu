// Conway's Game of Life on a torus; each block keeps its cells and their border in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

const int W = 16, H = 16;

__host__ __device__ unsigned char rule(unsigned char alive, int neighbours) {
    return neighbours == 3 || (alive && neighbours == 2);
}

__global__ void generation(const unsigned char *in, unsigned char *out, int w, int h) {
    __shared__ unsigned char cell[H + 2][W + 2];
    int x0 = blockIdx.x * W, y0 = blockIdx.y * H;
    for (int i = threadIdx.y * W + threadIdx.x; i < (W + 2) * (H + 2); i += W * H) {
        int cx = i % (W + 2), cy = i / (W + 2);
        cell[cy][cx] = in[(y0 + cy - 1 + h) % h * w + (x0 + cx - 1 + w) % w];
    }
    __syncthreads();
    int n = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            if (dx != 1 || dy != 1)
                n += cell[threadIdx.y + dy][threadIdx.x + dx];
    unsigned char alive = cell[threadIdx.y + 1][threadIdx.x + 1];
    out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = rule(alive, n);
}

int main() {
    const int w = 256, h = 192, generations = 60;
    std::vector<unsigned char> now(w * h), next(w * h), got(w * h);
    unsigned seed = 5;
    for (auto &c : now) {
        seed = seed * 1664525u + 1013904223u;
        c = seed >> 30 == 0;
    }
    unsigned char *d[2];
    CHECK(cudaMalloc(&d[0], w * h));
    CHECK(cudaMalloc(&d[1], w * h));
    CHECK(cudaMemcpy(d[0], now.data(), w * h, cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    generation<<<dim3(w / W, h / H), dim3(W, H)>>>(d[0], d[1], w, h);
    CHECK(cudaEventRecord(start));
    for (int g = 1; g < generations; g++)
        generation<<<dim3(w / W, h / H), dim3(W, H)>>>(d[g % 2], d[(g + 1) % 2], w, h);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaMemcpy(got.data(), d[generations % 2], w * h, cudaMemcpyDeviceToHost));
    for (int g = 0; g < generations; g++) {
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                int n = 0;
                for (int k = 0; k < 9; k++)
                    if (k != 4)
                        n += now[(y + k / 3 - 1 + h) % h * w + (x + k % 3 - 1 + w) % w];
                next[y * w + x] = rule(now[y * w + x], n);
            }
        now.swap(next);
    }
    int alive = 0;
    for (int i = 0; i < w * h; i++) {
        alive += got[i];
        if (got[i] != now[i]) {
            printf("FAILED: cell %d\n", i);
            return 1;
        }
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %d generations of %d x %d cells, %d are alive\n", generations, w, h, alive);
    printf("speed: %.1f million cells/s\n", (double)w * h * (generations - 1) / ms / 1e3);
    return 0;
}
