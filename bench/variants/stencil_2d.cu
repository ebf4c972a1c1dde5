// A tile with a halo in shared memory; a block that walks down the rows with a column's values in
// registers; a 1-D grid-stride loop over all points with a helper for the index.
#include "bench.h"

enum { W = 2048, H = 2048 };

template <int BX, int BY> __global__ void tile_with_halo(const float *u, float *v, int nx, int ny) {
    __shared__ float tile[BY + 2][BX + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y, id = x + y * nx;
    tile[ty][tx] = u[id];
    if (threadIdx.x == 0 && x > 0)
        tile[ty][0] = u[id - 1];
    if (threadIdx.x == BX - 1 && x < nx - 1)
        tile[ty][BX + 1] = u[id + 1];
    if (threadIdx.y == 0 && y > 0)
        tile[0][tx] = u[id - nx];
    if (threadIdx.y == BY - 1 && y < ny - 1)
        tile[BY + 1][tx] = u[id + nx];
    __syncthreads();
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1)
        return;
    v[id] = 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

__global__ void down_the_rows(const float *in, float *out, int w, int h, int rows) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = 1 + blockIdx.y * rows;
    if (x < 1 || x > w - 2)
        return;
    int last = min(y + rows, h - 1);
    const float *p = in + y * w + x;
    float *q = out + y * w + x;
    float north = p[-w], here = p[0];
    for (; y < last; y++, p += w, q += w) {
        float south = p[w];
        *q = 0.25f * (p[-1] + p[1] + north + south);
        north = here;
        here = south;
    }
}

__device__ __host__ inline int index_2d(int row, int column, int width) {
    return row * width + column;
}

__global__ void all_points(const float *t_old, float *t_new, int ni, int nj) {
    int n = ni * nj;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += blockDim.x * gridDim.x) {
        int j = k / ni, i = k - j * ni;
        if (i > 0 && i < ni - 1 && j > 0 && j < nj - 1) {
            float left = t_old[index_2d(j, i - 1, ni)], right = t_old[index_2d(j, i + 1, ni)];
            float up = t_old[index_2d(j - 1, i, ni)], down = t_old[index_2d(j + 1, i, ni)];
            t_new[k] = (left + right + up + down) * 0.25f;
        }
    }
}

VARIANTS(stencil_2d, "stencil, 2-D") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { tile_with_halo<32, 16><<<dim3(W / 32, H / 16), dim3(32, 16)>>>(in, out, W, H); },
        [=] { down_the_rows<<<dim3(W / 128, H / 32), 128>>>(in, out, W, H, 32); },
        [=] { all_points<<<512, 256>>>(in, out, W, H); },
    };
}
