// Naive: the other matrix read along columns, a grid-stride loop, a block of 1-D threads with
// index arithmetic. Tiled: the tile stored transposed, a template over tile and rows, a warp that
// walks over its tile with indices by additions.
#include "bench.h"

// Writes along rows, reads down columns.
__global__ void transpose_gather(float *odata, const float *idata, int width, int height) {
    int xIndex = blockDim.x * blockIdx.x + threadIdx.x;
    int yIndex = blockDim.y * blockIdx.y + threadIdx.y;
    if (xIndex < height && yIndex < width)
        odata[yIndex * height + xIndex] = idata[xIndex * width + yIndex];
}

__global__ void transpose_loop(const float *in, float *out, size_t rows, size_t columns) {
    size_t total = rows * columns;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        size_t row = i / columns, column = i % columns;
        out[column * rows + row] = in[i];
    }
}

// Four elements of a column a thread, hand-unrolled.
__global__ void transpose_unroll4(const float *in, float *out, int nx, int ny) {
    int ix = blockDim.x * blockIdx.x * 4 + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    int ti = iy * nx + ix, to = ix * ny + iy;
    if (ix + 3 * blockDim.x < nx && iy < ny) {
        out[to] = in[ti];
        out[to + ny * blockDim.x] = in[ti + blockDim.x];
        out[to + ny * 2 * blockDim.x] = in[ti + 2 * blockDim.x];
        out[to + ny * 3 * blockDim.x] = in[ti + 3 * blockDim.x];
    }
}

// The tile is transposed when it is stored and read along its rows.
__global__ void transpose_stored(const float *in, float *out, int n) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.x][threadIdx.y] = in[(size_t)y * n + x];
    __syncthreads();
    int tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
    if (tx < n && ty < n)
        out[(size_t)ty * n + tx] = tile[threadIdx.y][threadIdx.x];
}

template <typename T, int TILE, int ROWS>
__global__ void transpose_template(T *__restrict__ odata, const T *__restrict__ idata, int width,
                                   int height) {
    __shared__ T tile[TILE * (TILE + 1)];
    int xIndex = blockIdx.x * TILE + threadIdx.x, yIndex = blockIdx.y * TILE + threadIdx.y;
    int index_in = xIndex + yIndex * width;
    xIndex = blockIdx.y * TILE + threadIdx.x;
    yIndex = blockIdx.x * TILE + threadIdx.y;
    int index_out = xIndex + yIndex * height;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        tile[(threadIdx.y + i) * (TILE + 1) + threadIdx.x] = idata[index_in + i * width];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        odata[index_out + i * height] = tile[threadIdx.x * (TILE + 1) + threadIdx.y + i];
}

// A block of 256 threads in a row takes tiles in turn.
__global__ void transpose_walk(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, tiles = n / 32;
    for (int t = blockIdx.x; t < tiles * tiles; t += gridDim.x) {
        int left = t % tiles * 32, top = t / tiles * 32;
        const float *from = in + (top + warp) * n + left + lane;
        for (int r = warp; r < 32; r += 8, from += 8 * n)
            tile[r][lane] = *from;
        __syncthreads();
        float *to = out + (left + warp) * n + top + lane;
        for (int r = warp; r < 32; r += 8, to += 8 * n)
            *to = tile[lane][r];
        __syncthreads();
    }
}

enum { N = 2048 };

VARIANTS(naive, "transpose, naive") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { transpose_gather<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(out, in, N, N); },
        [=] { transpose_loop<<<1024, 256>>>(in, out, N, N); },
        [=] { transpose_unroll4<<<dim3(N / 64, N / 16), dim3(16, 16)>>>(in, out, N, N); },
    };
}

VARIANTS(tiled, "transpose, tiled") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { transpose_stored<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(in, out, N); },
        [=] {
            transpose_template<float, 32, 16>
                <<<dim3(N / 32, N / 32), dim3(32, 16)>>>(out, in, N, N);
        },
        [=] { transpose_walk<<<512, 256>>>(in, out, N); },
    };
}
