// A thread a point: macros for indices in blocks of 8x8x8 in doubles; a grid-stride loop; a cube
// with a halo in shared memory. March: along z from global memory alone; along y through shared
// memory; along z, two points a thread.
#include "bench.h"

enum { W = 256, H = 256, D = 128, PLANE = W * H };

#define AT(i, j, k) ((i) + nx * ((j) + ny * (k)))

__global__ void in_doubles(const float *A0, float *Anext, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && j > 0 && k > 0 && i < nx - 1 && j < ny - 1 && k < nz - 1)
        Anext[AT(i, j, k)] =
            0.1 * ((double)A0[AT(i, j, k + 1)] + A0[AT(i, j, k - 1)] + A0[AT(i, j + 1, k)] +
                   A0[AT(i, j - 1, k)] + A0[AT(i + 1, j, k)] + A0[AT(i - 1, j, k)]) +
            0.4 * A0[AT(i, j, k)];
}

__device__ float seven_points(const float *p, size_t row, size_t plane) {
    float faces = p[1] + p[-1];
    faces += p[row] + *(p - row);
    faces += p[plane] + *(p - plane);
    return 0.1f * faces + 0.4f * p[0];
}

// Over the inner points, numbered in a row.
__global__ void inner_points(const float *in, float *out, int w, int h, int d) {
    unsigned columns = w - 2, rows = h - 2, n = columns * rows * (d - 2);
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        unsigned x = k % columns + 1, y = k / columns % rows + 1, z = k / (columns * rows) + 1;
        size_t at = ((size_t)z * h + y) * w + x;
        out[at] = seven_points(in + at, w, (size_t)w * h);
    }
}

__global__ void cube_with_halo(const float *in, float *out) {
    __shared__ float s[6][6][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 4 - 1, z0 = blockIdx.z * 4 - 1;
    int t = (threadIdx.z * 4 + threadIdx.y) * 32 + threadIdx.x;
    for (int i = t; i < 6 * 6 * 34; i += 512) {
        int x = i % 34, y = i / 34 % 6, z = i / (34 * 6);
        int gx = min(max(x0 + x, 0), W - 1), gy = min(max(y0 + y, 0), H - 1);
        int gz = min(max(z0 + z, 0), D - 1);
        s[z][y][x] = in[gz * PLANE + gy * W + gx];
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1, z = threadIdx.z + 1;
    int gx = x0 + x, gy = y0 + y, gz = z0 + z;
    if (gx > 0 && gx < W - 1 && gy > 0 && gy < H - 1 && gz > 0 && gz < D - 1)
        out[gz * PLANE + gy * W + gx] =
            0.4f * s[z][y][x] + 0.1f * (s[z][y][x - 1] + s[z][y][x + 1] + s[z][y - 1][x] +
                                        s[z][y + 1][x] + s[z - 1][y][x] + s[z + 1][y][x]);
}

__global__ void march_global(const float *in, float *out, int nx, int ny, int nz) {
    int i = blockDim.x * blockIdx.x + threadIdx.x, j = blockDim.y * blockIdx.y + threadIdx.y;
    if (i == 0 || j == 0 || i >= nx - 1 || j >= ny - 1)
        return;
    float behind = in[AT(i, j, 0)], current = in[AT(i, j, 1)];
    for (int k = 1; k < nz - 1; k++) {
        float infront = in[AT(i, j, k + 1)];
        out[AT(i, j, k)] =
            0.4f * current + 0.1f * (in[AT(i - 1, j, k)] + in[AT(i + 1, j, k)] +
                                     in[AT(i, j - 1, k)] + in[AT(i, j + 1, k)] + behind + infront);
        behind = current;
        current = infront;
    }
}

// Slices of 64 x 4 in x and z, three of them in shared memory in turn.
__global__ void march_y(const float *in, float *out, int w, int h, int d) {
    __shared__ float slice[3][6][66];
    int x = blockIdx.x * 64 + threadIdx.x, z = blockIdx.y * 4 + threadIdx.y;
    int tx = threadIdx.x + 1, tz = threadIdx.y + 1;
    bool inner = x > 0 && x < w - 1 && z > 0 && z < d - 1;
    for (int y = 0; y < h; y++) {
        const float *p = in + ((size_t)z * h + y) * w + x;
        float(*now)[66] = slice[y % 3];
        now[tz][tx] = *p;
        if (threadIdx.x == 0 && x > 0)
            now[tz][0] = p[-1];
        if (threadIdx.x == 63 && x < w - 1)
            now[tz][65] = p[1];
        if (threadIdx.y == 0 && z > 0)
            now[0][tx] = p[-w * h];
        if (threadIdx.y == 3 && z < d - 1)
            now[5][tx] = p[w * h];
        __syncthreads();
        if (inner && y >= 2) {
            float(*mid)[66] = slice[(y - 1) % 3], (*old)[66] = slice[(y - 2) % 3];
            out[((size_t)z * h + y - 1) * w + x] =
                0.4f * mid[tz][tx] + 0.1f * (mid[tz][tx - 1] + mid[tz][tx + 1] + mid[tz - 1][tx] +
                                             mid[tz + 1][tx] + old[tz][tx] + now[tz][tx]);
        }
        __syncthreads();
    }
}

// Part of the planes a block, two rows a thread, pointers that step from plane to plane.
__global__ void march_pairs(const float *in, float *out, int w, int h, int d, int planes) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    int z = max(blockIdx.z * planes, 1), end = min((blockIdx.z + 1) * planes, d - 1);
    if (x < 1 || x >= w - 1)
        return;
    const float *p = in + (z * h + y) * w + x;
    float *q = out + (z * h + y) * w + x;
    for (; z < end; z++) {
        if (y > 0)
            q[0] = seven_points(p, w, w * h);
        if (y + 1 < h - 1)
            q[w] = seven_points(p + w, w, w * h);
        p += w * h;
        q += w * h;
    }
}

VARIANTS(points, "stencil, 3-D") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { in_doubles<<<dim3(W / 8, H / 8, D / 8), dim3(8, 8, 8)>>>(in, out, W, H, D); },
        [=] { inner_points<<<1024, 256>>>(in, out, W, H, D); },
        [=] { cube_with_halo<<<dim3(W / 32, H / 4, D / 4), dim3(32, 4, 4)>>>(in, out); },
    };
}

VARIANTS(march, "stencil, 3-D, march along z") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { march_global<<<dim3(W / 32, H / 4), dim3(32, 4)>>>(in, out, W, H, D); },
        [=] { march_y<<<dim3(W / 64, D / 4), dim3(64, 4)>>>(in, out, W, H, D); },
        [=] { march_pairs<<<dim3(W / 64, H / 8, 4), dim3(64, 4)>>>(in, out, W, H, D, D / 4); },
    };
}
