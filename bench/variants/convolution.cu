// 7x7: from global memory with the filter as a parameter in global memory; neighbours clamped to
// zero by a helper, a tile loaded by a 1-D loop; threads for the halo as well. Rows: from global
// memory; a block a row; a template unrolled by recursion.
#include "bench.h"

enum { W = 2048, H = 1024 };

template <typename T>
__global__ void convolve_global(const T *in, T *out, const T *filter, int radius, int width,
                                int height) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height)
        return;
    T value = 0;
    for (int fr = 0; fr < 2 * radius + 1; fr++)
        for (int fc = 0; fc < 2 * radius + 1; fc++) {
            int r = row - radius + fr, c = col - radius + fc;
            if (r >= 0 && r < height && c >= 0 && c < width)
                value += filter[fr * (2 * radius + 1) + fc] * in[r * width + c];
        }
    out[row * width + col] = value;
}

__constant__ float mask[7][7];

__device__ float pixel(const float *in, int x, int y) {
    return x < 0 || y < 0 || x >= W || y >= H ? 0.0f : in[y * W + x];
}

__global__ void convolve_tile(const float *in, float *out) {
    const int side = 16 + 6;
    __shared__ float tile[side * side];
    int t = threadIdx.y * 16 + threadIdx.x;
    for (int i = t; i < side * side; i += 256)
        tile[i] = pixel(in, blockIdx.x * 16 + i % side - 3, blockIdx.y * 16 + i / side - 3);
    __syncthreads();
    float sum = 0;
    const float *p = &tile[threadIdx.y * side + threadIdx.x];
    for (int y = 0; y < 7; y++, p += side)
        sum += mask[y][0] * p[0] + mask[y][1] * p[1] + mask[y][2] * p[2] + mask[y][3] * p[3] +
               mask[y][4] * p[4] + mask[y][5] * p[5] + mask[y][6] * p[6];
    out[(blockIdx.y * 16 + threadIdx.y) * W + blockIdx.x * 16 + threadIdx.x] = sum;
}

// Blocks of 32 x 32 threads load as many pixels; the inner 26 x 26 have results.
__global__ void convolve_halo(const float *N, float *P, int width, int height) {
    __shared__ float N_s[32][32];
    int col = blockIdx.x * 26 + threadIdx.x - 3, row = blockIdx.y * 26 + threadIdx.y - 3;
    if (row >= 0 && row < height && col >= 0 && col < width)
        N_s[threadIdx.y][threadIdx.x] = N[row * width + col];
    else
        N_s[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();
    int tile_col = threadIdx.x - 3, tile_row = threadIdx.y - 3;
    if (col < 0 || col >= width || row < 0 || row >= height)
        return;
    if (tile_col >= 0 && tile_col < 26 && tile_row >= 0 && tile_row < 26) {
        float value = 0.0f;
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++)
                value += mask[i][j] * N_s[tile_row + i][tile_col + j];
        P[row * width + col] = value;
    }
}

__constant__ float taps[17];

__global__ void rows_global(const float *src, float *dst, int w, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = i % w;
        float sum = 0;
        for (int k = -8; k <= 8; k++)
            if (x + k >= 0 && x + k < w)
                sum += src[i + k] * taps[8 + k];
        dst[i] = sum;
    }
}

__global__ void rows_line(const float *src, float *dst) {
    __shared__ float line[W + 16];
    const float *from = src + blockIdx.x * W;
    if (threadIdx.x < 8)
        line[threadIdx.x] = line[W + 8 + threadIdx.x] = 0;
    for (int x = threadIdx.x; x < W; x += blockDim.x)
        line[8 + x] = from[x];
    __syncthreads();
    for (int x = threadIdx.x; x < W; x += blockDim.x) {
        float sum = 0;
        for (int k = 0; k < 17; k++)
            sum += taps[k] * line[x + k];
        dst[blockIdx.x * W + x] = sum;
    }
}

template <int i> __device__ float convolve_row(const float *data) {
    return data[i] * taps[i] + convolve_row<i - 1>(data);
}
template <> __device__ float convolve_row<-1>(const float *) {
    return 0;
}

__global__ void rows_recursive(const float *src, float *dst, int w) {
    const int tile = 128;
    __shared__ float data[8 + tile + 8];
    int row = blockIdx.y * w, start = blockIdx.x * tile;
    int load = start - 16 + threadIdx.x; // aligned; the first eight threads have nothing to load
    if (load >= start - 8 && load < start + tile + 8)
        data[load - start + 8] = load >= 0 && load < w ? src[row + load] : 0;
    __syncthreads();
    int x = start + threadIdx.x;
    if (threadIdx.x < tile && x < w)
        dst[row + x] = convolve_row<16>(data + threadIdx.x);
}

VARIANTS(convolution_7x7, "convolution, 7x7") {
    const float *in = row_buffer<float>(0).dev, *filter = row_buffer<float>(2).dev;
    float *out = row_buffer<float>(1).dev;
    CHECK(cudaMemcpyToSymbol(mask, row_buffer<float>(2).host, sizeof mask));
    return {
        [=] { convolve_global<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out, filter, 3, W, H); },
        [=] { convolve_tile<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(in, out); },
        [=] {
            dim3 grid((W + 25) / 26, (H + 25) / 26);
            convolve_halo<<<grid, dim3(32, 32)>>>(in, out, W, H);
        },
    };
}

VARIANTS(convolution_rows, "convolution, rows") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    CHECK(cudaMemcpyToSymbol(taps, row_buffer<float>(3).host, sizeof taps));
    return {
        [=] { rows_global<<<512, 256>>>(in, out, W, W * H); },
        [=] { rows_line<<<H, 256>>>(in, out); },
        [=] { rows_recursive<<<dim3(W / 128, H), 160>>>(in, out, W); },
    };
}
