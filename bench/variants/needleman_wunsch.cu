// Shared memory: tiles of 16 with the scores of substitutions kept beside them; 64 threads with one
// index for a cell; a thread a row, its last score in a register. Shuffles: a thread a row; a
// template over the columns a thread, one and two, that stores as it goes.
#include "bench.h"

typedef unsigned char byte;
enum { N = 2048, MATCH = 5, MISMATCH = -3, GAP = 4 };

__device__ int score(const int *h, int row, int column) {
    if (row < 0 || column < 0)
        return -GAP * (max(row, column) + 1);
    return h[row * N + column];
}

__device__ __forceinline__ int maximum(int a, int b, int c) {
    int k = a <= b ? b : a;
    return k <= c ? c : k;
}

// The tiles of a diagonal; from the left below to the right above.
__device__ int2 tile_at(int diagonal, int tiles) {
    int column = max(diagonal - tiles + 1, 0) + blockIdx.x;
    return make_int2(column, diagonal - column);
}

#define SIDE 16

__global__ void with_reference(const byte *a, const byte *b, int *h, int diagonal) {
    __shared__ int temp[SIDE + 1][SIDE + 1], ref[SIDE][SIDE];
    int2 tile = tile_at(diagonal, N / SIDE);
    int tx = threadIdx.x, x0 = tile.x * SIDE, y0 = tile.y * SIDE;
    for (int ty = 0; ty < SIDE; ty++)
        ref[ty][tx] = a[y0 + ty] == b[x0 + tx] ? MATCH : MISMATCH;
    if (tx == 0)
        temp[0][0] = score(h, y0 - 1, x0 - 1);
    temp[tx + 1][0] = score(h, y0 + tx, x0 - 1);
    temp[0][tx + 1] = score(h, y0 - 1, x0 + tx);
    __syncthreads();
    for (int m = 0; m < SIDE; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            temp[y][x] = maximum(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - GAP,
                                 temp[y - 1][x] - GAP);
        }
        __syncthreads();
    }
    for (int m = SIDE - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + SIDE - m, y = SIDE - tx;
            temp[y][x] = maximum(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - GAP,
                                 temp[y - 1][x] - GAP);
        }
        __syncthreads();
    }
    for (int ty = 0; ty < SIDE; ty++)
        h[(y0 + ty) * N + x0 + tx] = temp[ty + 1][tx + 1];
}

// Tiles of 32 x 32 by 64 threads, that take part of a row each when they load and store.
__global__ void with_cells(const byte *a, const byte *b, int *h, int diagonal) {
    __shared__ int cell[33 * 33];
    __shared__ byte across[32], down[32];
    int2 tile = tile_at(diagonal, N / 32);
    int t = threadIdx.x, x0 = tile.x * 32, y0 = tile.y * 32;
    if (t < 33)
        cell[t] = score(h, y0 - 1, x0 + t - 1);
    if (t >= 1 && t < 33)
        cell[t * 33] = score(h, y0 + t - 1, x0 - 1);
    if (t < 32)
        across[t] = b[x0 + t];
    else
        down[t - 32] = a[y0 + t - 32];
    for (int d = 0; d < 63; d++) {
        __syncthreads();
        int from = max(0, d - 31), cells = min(d, 31) - from + 1;
        if (t < cells) {
            int x = from + t, y = d - x, *c = &cell[(y + 1) * 33 + x + 1];
            int diagonally = c[-34] + (across[x] == down[y] ? MATCH : MISMATCH);
            *c = max(diagonally, max(c[-33], c[-1]) - GAP);
        }
    }
    __syncthreads();
    for (int y = t / 32; y < 32; y += 2)
        h[(y0 + y) * N + x0 + t % 32] = cell[(y + 1) * 33 + t % 32 + 1];
}

// A thread a row of the tile, its letter and its last score in registers; what the thread above had
// one step before comes through shared memory.
__global__ void with_lines(const byte *a, const byte *b, int *h, int diagonal) {
    __shared__ int line[2][33], result[32][33];
    __shared__ byte letters[32];
    int2 tile = tile_at(diagonal, N / 32);
    int r = threadIdx.x, x0 = tile.x * 32, y0 = tile.y * 32;
    int left = score(h, y0 + r, x0 - 1), corner = score(h, y0 + r - 1, x0 - 1);
    byte mine = a[y0 + r];
    letters[r] = b[x0 + r];
    result[r][32] = score(h, y0 - 1, x0 + r); // the row above
    __syncthreads();
    for (int step = 0; step < 63; step++) {
        int x = step - r;
        if (x >= 0 && x < 32) {
            int above = r == 0 ? result[x][32] : line[(step - 1) & 1][r - 1];
            int s = corner + (letters[x] == mine ? MATCH : MISMATCH);
            left = maximum(s, above - GAP, left - GAP);
            corner = above;
            result[r][x] = left;
            line[step & 1][r] = left;
        }
        __syncthreads();
    }
    for (int y = 0; y < 32; y++)
        h[(y0 + y) * N + x0 + r] = result[y][r];
}

// ---- shuffles -------------------------------------------------------------------------------

// A thread a row; the score above comes from the thread before.
__global__ void rows_by_shuffles(const byte *a, const byte *b, int *h, int diagonal) {
    __shared__ int out[32][33];
    int2 tile = tile_at(diagonal, N / 32);
    int lane = threadIdx.x, x0 = tile.x * 32, y0 = tile.y * 32;
    int left = score(h, y0 + lane, x0 - 1), corner = score(h, y0 + lane - 1, x0 - 1);
    int top = score(h, y0 - 1, x0 + lane), letter = a[y0 + lane], other = b[x0 + lane];
    for (int x = -lane, step = 0; step < 63; step++, x++) {
        int above = __shfl_up_sync(0xffffffff, left, 1);
        int first = __shfl_sync(0xffffffff, top, x & 31);
        int c = __shfl_sync(0xffffffff, other, x & 31);
        if (lane == 0)
            above = first;
        if (x >= 0 && x < 32) {
            left = maximum(corner + (c == letter ? MATCH : MISMATCH), above - GAP, left - GAP);
            corner = above;
            out[lane][x] = left;
        }
    }
    __syncwarp();
    for (int y = 0; y < 32; y++)
        h[(y0 + y) * N + x0 + lane] = out[y][lane];
}

// A thread EACH columns of a tile that is 32 * EACH wide and 32 high.
template <int EACH>
__global__ void columns_by_shuffles(const byte *a, const byte *b, int *h, int diagonal) {
    int columns = N / (32 * EACH), rows = N / 32;
    int tx = max(diagonal - rows + 1, 0) + blockIdx.x, ty = diagonal - tx;
    if (tx >= columns)
        return;
    int lane = threadIdx.x, x0 = tx * 32 * EACH + lane * EACH, y0 = ty * 32, above[EACH], v = 0;
    int outside = score(h, y0 + lane, tx * 32 * EACH - 1), corner = score(h, y0 - 1, x0 - 1);
    byte letter[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        above[e] = score(h, y0 - 1, x0 + e);
        letter[e] = b[x0 + e];
    }
    for (int step = 0; step < 63; step++) {
        int left = __shfl_up_sync(0xffffffff, v, 1), edge = __shfl_sync(0xffffffff, outside, step);
        left = lane == 0 ? edge : left;
        int y = step - lane;
        if (y < 0 || y >= 32)
            continue;
        byte row = a[y0 + y];
        int slant = corner;
        corner = left;
        v = left;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            int best = max(slant + (row == letter[e] ? MATCH : MISMATCH), max(above[e], v) - GAP);
            slant = above[e];
            h[(y0 + y) * N + x0 + e] = above[e] = v = best;
        }
    }
}

typedef void Kernel(const byte *, const byte *, int *, int);

static std::function<void()> diagonals(Kernel *kernel, int width, int height, int threads) {
    const byte *a = row_buffer<byte>(0).dev, *b = row_buffer<byte>(1).dev;
    int *h = row_buffer<int>(2).dev, columns = N / width, rows = N / height;
    return [=] {
        for (int d = 0; d < columns + rows - 1; d++) {
            int first = std::max(d - rows + 1, 0), last = std::min(d, columns - 1);
            kernel<<<last - first + 1, threads>>>(a, b, h, d);
        }
    };
}

VARIANTS(shared, "Needleman-Wunsch, shared memory") {
    return {diagonals(with_reference, SIDE, SIDE, SIDE), diagonals(with_cells, 32, 32, 64),
            diagonals(with_lines, 32, 32, 32)};
}

VARIANTS(shuffles, "Needleman-Wunsch, shuffles") {
    return {diagonals(rows_by_shuffles, 32, 32, 32), diagonals(columns_by_shuffles<1>, 32, 32, 32),
            diagonals(columns_by_shuffles<2>, 64, 32, 32)};
}
