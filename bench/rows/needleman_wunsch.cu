#include "bench.h"

// Needleman-Wunsch: the whole matrix of scores, in 32 x 32 tiles along anti-diagonals of tiles,
// in each tile along its own anti-diagonals; pocl has the first kernel in both rows.
extern "C" void native_needleman_wunsch(const unsigned char *a, const unsigned char *b, int *h,
                                        int n);

static const int match = 5, mismatch = -3, gap = 4;

// Column x0 of the matrix lies left of the first; its scores and those above row 0 are gaps.
__device__ int border(const int *h, int y, int x, int n) {
    if (y < 0)
        return -gap * (x + 1);
    return x < 0 ? -gap * (y + 1) : h[(size_t)y * n + x];
}

__global__ void needleman_wunsch(const unsigned char *a, const unsigned char *b, int *h, int n,
                                 int diagonal, int first) {
    __shared__ int s[33][33];
    __shared__ unsigned char row[32];
    int l = threadIdx.x, tx = first + blockIdx.x, x0 = tx * 32, y0 = (diagonal - tx) * 32;
    s[0][l + 1] = border(h, y0 - 1, x0 + l, n);
    s[l + 1][0] = border(h, y0 + l, x0 - 1, n);
    if (l == 0)
        s[0][0] = border(h, y0 - 1, x0 - 1, n);
    row[l] = a[y0 + l];
    unsigned char letter = b[x0 + l];
    __syncthreads();
    for (int k = 0; k < 63; k++) {
        int y = k - l;
        if (y >= 0 && y < 32) {
            int d = s[y][l] + (row[y] == letter ? match : mismatch);
            s[y + 1][l + 1] = max(d, max(s[y][l + 1], s[y + 1][l]) - gap);
        }
        __syncthreads();
    }
    for (int y = 0; y < 32; y++)
        h[(size_t)(y0 + y) * n + x0 + l] = s[y + 1][l + 1];
}

// The same with a column in the registers of each thread: what lies to the left comes by shuffles.
// The tile is gathered askew, a row per turn, so that no access has bank conflicts.
__global__ void needleman_wunsch_shuffles(const unsigned char *a, const unsigned char *b, int *h,
                                          int n, int diagonal, int first) {
    __shared__ int s[63][32];
    int l = threadIdx.x, tx = first + blockIdx.x, x0 = tx * 32, y0 = (diagonal - tx) * 32;
    int up = border(h, y0 - 1, x0 + l, n), corner = border(h, y0 - 1, x0 + l - 1, n), v = 0;
    int outside = border(h, y0 + l, x0 - 1, n), rows = a[y0 + l], mine = b[x0 + l], letter = 0;
    for (int k = 0; k < 63; k++) {
        int left = __shfl_up_sync(~0u, v, 1), outer = __shfl_sync(~0u, outside, k);
        int start = __shfl_sync(~0u, rows, k);
        letter = __shfl_up_sync(~0u, letter, 1);
        if (l == 0) {
            left = outer;
            letter = start;
        }
        int y = k - l;
        if (y >= 0 && y < 32) {
            v = max(corner + (letter == mine ? match : mismatch), max(up, left) - gap);
            corner = left;
            up = v;
        }
        s[k][l] = v;
    }
    __syncwarp();
    for (int y = 0; y < 32; y++)
        h[(size_t)(y0 + y) * n + x0 + l] = s[y + l][l];
}

BENCH(needleman_wunsch) {
    int n = 2048, tiles = n / 32;
    Buffer<unsigned char> a(n), b(n);
    Buffer<int> h((size_t)n * n);
    unsigned seed = 7;
    for (int i = 0; i < n; i++) {
        a.host[i] = "ACGT"[bench_random(&seed) % 4];
        b.host[i] = bench_random(&seed) % 4 ? a.host[i] : "ACGT"[bench_random(&seed) % 4];
    }
    a.upload();
    b.upload();
    Row r("Needleman-Wunsch, shared memory", (double)n * n, "Gcell/s");
    auto launch = [&](auto kernel) {
        for (int d = 0; d < 2 * tiles - 1; d++) {
            int first = d < tiles ? 0 : d - tiles + 1, last = d < tiles ? d : tiles - 1;
            kernel<<<last - first + 1, 32>>>(a.dev, b.dev, h.dev, n, d, first);
        }
    };
    r.kudzu = [&] { launch(needleman_wunsch); };
    r.native = [&] { native_needleman_wunsch(a.host, b.host, h.host, n); };
    r.pocl = [&] {
        for (int d = 0; d < 2 * tiles - 1; d++) {
            int first = d < tiles ? 0 : d - tiles + 1, last = d < tiles ? d : tiles - 1;
            pocl("needleman_wunsch", last - first + 1, 32, a, b, h, n, d, first);
        }
    };
    r.outputs = {&h};
    measure(r);
    r.name = "Needleman-Wunsch, shuffles";
    r.kudzu = [&] { launch(needleman_wunsch_shuffles); };
    measure(r);
}
