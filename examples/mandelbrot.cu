// The Mandelbrot set: a loop whose length differs from thread to thread. Prints a small picture.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__host__ __device__ int escape(double cr, double ci, int limit) {
    double zr = 0, zi = 0;
    int n = 0;
    while (n < limit && zr * zr + zi * zi <= 4.0) {
        double r = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = r;
        n++;
    }
    return n;
}

__global__ void mandelbrot(int *out, int w, int h, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = escape(x * (3.0 / w) - 2.0, y * (2.0 / h) - 1.0, limit);
}

int main() {
    const int w = 480, h = 320, limit = 200;
    std::vector<int> got(w * h);
    int *out;
    CHECK(cudaMalloc(&out, got.size() * sizeof(int)));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaEventRecord(start));
        mandelbrot<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(out, w, h, limit);
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    // Host and device may contract multiplications and additions differently: a few points on
    // the set's edge may differ.
    int differ = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            differ += got[y * w + x] != escape(x * (3.0 / w) - 2.0, y * (2.0 / h) - 1.0, limit);
    if (differ > w * h / 100) {
        printf("FAILED: %d of %d points differ from the host's\n", differ, w * h);
        return 1;
    }
    for (int y = 0; y < h; y += 20) {
        for (int x = 0; x < w; x += 8)
            putchar(" .:-=+*#%@"[got[y * w + x] == limit ? 9 : got[y * w + x] % 9]);
        putchar('\n');
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %d x %d points, %d differ from the host's\n", w, h, differ);
    printf("speed: %.2f million points/s\n", w * h / ms / 1e3);
    return 0;
}
