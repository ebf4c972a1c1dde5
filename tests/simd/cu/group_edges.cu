// Tests of an index against bounds, and its minima and maxima: groups of lanes that no edge touches
// have a version of the code of their own. Bounds that groups straddle, that none or all pass, that
// the sign or the number of bits is beyond, loops that count to them.

typedef unsigned long long u64;

__device__ int clamp(int x, int n) {
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

// Neighbours by clamped indices.
// run: clamped grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:192,u32:3
// run: clamped grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:150,u32:1
// run: clamped grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:1,u32:0
// run: clamped grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:190,u32:100
// run: clamped grid=3,1,1 block=61,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:183,u32:17
// run: clamped grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:192,u32:2147483600
// run: clamped grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:192,u32:4294967290
extern "C" __global__ void clamped(const float *in, float *out, int n, int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[x] = in[clamp(x - d, n)] + 2 * in[clamp(x, n)] - in[clamp(x + d, n)];
}

// The same with clamps of clamps, in rows that are found by division.
// run: boxes grid=4,1,1 block=128,1,1 shared=0 args=buf:2048:float,buf:2048:zero,u32:16,u32:32,u32:2
// run: boxes grid=4,1,1 block=128,1,1 shared=0 args=buf:2048:float,buf:2048:zero,u32:5,u32:100,u32:4
// run: boxes grid=4,1,1 block=128,1,1 shared=0 args=buf:2048:float,buf:2048:zero,u32:500,u32:1,u32:3
// run: boxes grid=4,1,1 block=96,1,1 shared=0 args=buf:2048:float,buf:2048:zero,u32:6,u32:64,u32:70
extern "C" __global__ void boxes(const float *in, float *out, int h, int w, int d) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= h * w)
        return;
    int y = k / w, x = k % w, y0 = clamp(y - d, h), x0 = clamp(x - d, w);
    int y1 = clamp(y0 + d + 1, h), x1 = clamp(x0 + 2 * d, w);
    out[k] = in[y0 * w + x0] + in[y1 * w + x1] - in[y0 * w + x1] - in[y1 * w + x0];
}

// Taps of a filter, written out and in loops.
// run: taps grid=2,4,1 block=32,4,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:64,u32:16
// run: taps grid=2,4,1 block=32,4,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:50,u32:13
// run: taps grid=2,4,1 block=32,4,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:3,u32:2
// run: taps grid=2,4,1 block=32,4,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:64,u32:0
extern "C" __global__ void taps(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -2; dx <= 2; dx++)
            if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h)
                sum += (dx + 3 * dy) * in[(y + dy) * w + x + dx];
    out[y * w + x] = sum;
}

// run: looped grid=2,2,1 block=32,8,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:64,u32:16,u32:2
// run: looped grid=2,2,1 block=32,8,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:60,u32:9,u32:7
// run: looped grid=2,2,1 block=16,8,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:32,u32:16,u32:0
// run: looped grid=2,2,1 block=32,8,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:64,u32:16,u32:4294967295
// run: looped grid=2,2,1 block=32,8,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:64,u32:16,u32:40
extern "C" __global__ void looped(const float *in, float *out, int w, int h, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int dy = 0; dy < 2 * radius + 1; dy++)
        for (int dx = 0; dx < 2 * radius + 1; dx++) {
            int r = y - radius + dy, c = x - radius + dx;
            if (r >= 0 && r < h && c >= 0 && c < w)
                sum += (dx - dy) * in[r * w + c];
        }
    if (x < w && y < h)
        out[y * w + x] = sum;
}

// From any number, in steps of two and three; a counter beside.
// run: steps grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:192,u32:0,u32:8
// run: steps grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:192,u32:3,u32:8
// run: steps grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:192,u32:9,u32:8
// run: steps grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:192,u32:4294967286,u32:5
// run: steps grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:100,u32:7,u32:40
extern "C" __global__ void steps(const float *in, float *out, int n, int from, int to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = from; k < to; k += 2)
        if (x + k >= 0 && x + k < n)
            sum += in[x + k];
#pragma unroll 1
    for (int k = from, j = 2 * from; k < to; k++, j += 3)
        if (x - j >= 0 && x - j < n)
            sum += k * in[x - j];
    out[x] = sum;
}

// Where numbers wrap around between lanes, or in a loop.
// run: wraps grid=3,1,1 block=64,1,1 shared=0 args=buf:768:zero,u32:2147483600,u32:5
// run: wraps grid=3,1,1 block=64,1,1 shared=0 args=buf:768:zero,u32:2147483600,u32:90
// run: wraps grid=3,1,1 block=64,1,1 shared=0 args=buf:768:zero,u32:4294967200,u32:5
// run: wraps grid=3,1,1 block=64,1,1 shared=0 args=buf:768:zero,u32:4294967200,u32:100
// run: wraps grid=3,1,1 block=64,1,1 shared=0 args=buf:768:zero,u32:2147483500,u32:16777300
// run: wraps grid=3,1,1 block=64,1,1 shared=0 args=buf:768:zero,u32:0,u32:0
extern "C" __global__ void wraps(int *out, unsigned from, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = (int)(from + (unsigned)t), sum = 0;
    n = n > 200 ? 200 : n;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        int at = (int)((unsigned)x + (unsigned)k);
        if (at >= 0)
            sum += k;
        if ((unsigned)at < 4294967290u)
            sum += 1000;
        if (at < 2147483640)
            sum ^= at;
    }
    out[t] = sum + max(x, 5) - min(x, 2147483640) + (int)max((unsigned)x, 3u);
}

// 64-bit indices, equalities, extremes of two that are compared.
// run: borders grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u64:8,u64:24
// run: borders grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u64:3,u64:64
// run: borders grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u64:192,u64:1
// run: borders grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u64:2,u64:96
extern "C" __global__ void borders(const float *in, float *out, long long h, long long w) {
    long long k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= h * w)
        return;
    long long y = k / w, x = k % w;
    long long up = min(x, y) > 0 ? k - w - 1 : k, down = max(w - 1 - x, h - 1 - y) < w ? k : k - y;
    long long left = x == 0 ? k : k - 1, right = x != w - 1 ? k + 1 : k;
    out[k] = in[up] + 2 * in[left] + 3 * in[right] + 4 * in[down];
}

// What follows from an outer loop's number, behind a barrier, and where nothing else is to be had.
// run: strips grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:128,u32:8,u32:3
// run: strips grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:100,u32:5,u32:9
extern "C" __global__ void strips(const float *in, float *out, int w, int h, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < h; y++) {
        float sum = 0;
        for (int k = -radius; k <= radius; k++) {
            int c = x + k + (y & 3);
            if (c >= 0 && c < w)
                sum += in[y * w + c];
        }
        if (x < w)
            out[y * w + x] = sum;
    }
}

// One test of all that a thread does, and tests of what memory holds: no version.
// run: guarded grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:768:zero,u32:150
extern "C" __global__ void guarded(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < n)
        out[x] = in[x] + in[x + 1];
}

// run: from_memory grid=3,1,1 block=64,1,1 shared=0 args=buf:768:rand,buf:768:zero,u32:150
extern "C" __global__ void from_memory(const int *in, int *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, k = in[x] & 255;
    out[x] = in[min(k, 191)] + (k < n ? in[k % 192] : 0);
}
