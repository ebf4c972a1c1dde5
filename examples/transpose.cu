// Matrix transposition through shared memory: reads and writes are both contiguous; the padded
// row keeps lanes out of each other's memory banks.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

const int TILE = 32, ROWS = 8;

__global__ void transpose(const int *in, int *out, int width, int height) {
    __shared__ int tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < height && y + k < width)
            out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main() {
    const int w = 1000, h = 777;
    std::vector<int> in(w * h), out(w * h);
    for (int i = 0; i < w * h; i++)
        in[i] = i;
    int *din, *dout;
    CHECK(cudaMalloc(&din, in.size() * sizeof(int)));
    CHECK(cudaMalloc(&dout, in.size() * sizeof(int)));
    CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    dim3 block(TILE, ROWS), grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaEventRecord(start));
        transpose<<<grid, block>>>(din, dout, w, h);
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (out[x * h + y] != y * w + x) {
                printf("FAILED: (%d, %d) is %d\n", x, y, out[x * h + y]);
                return 1;
            }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: a %d x %d matrix\n", w, h);
    printf("speed: %.2f GB/s\n", 2.0 * w * h * sizeof(int) / ms / 1e6);
    return 0;
}
