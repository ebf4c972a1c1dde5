// Accesses under a condition that mostly all threads of a block satisfy, whose lanes lie two or
// more words apart; blocks of which all, some or no threads act.
// run: pairs grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:384
// run: pairs grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:300
// run: pairs grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:257
// run: pairs grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:0
// run: pairs grid=2 block=50 args=buf:512:rand,buf:512:zero,u32:200
// run: pairs grid=2 block=256 args=buf:1024:rand,buf:1024:zero,u32:1000
// run: vectors grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:128
// run: vectors grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:100
// run: in_shared grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:384
// run: in_shared grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:277
// run: in_shared grid=2 block=256 args=buf:1024:rand,buf:1024:zero,u32:1001
// run: both_ways grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:128
// run: both_ways grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:77
// run: in_loop grid=2 block=64 args=buf:2048:rand,buf:2048:zero,u32:1024
// run: in_loop grid=2 block=64 args=buf:2048:rand,buf:2048:zero,u32:900
// run: again grid=2 block=256 args=buf:1024:rand,buf:1024:zero,u32:1024,u32:3
// run: again grid=2 block=256 args=buf:1024:rand,buf:1024:zero,u32:700,u32:600
// run: wrapping grid=1 block=64 args=buf:128:rand,buf:256:zero,u32:2147483600
// run: wrapping grid=1 block=64 args=buf:128:rand,buf:256:zero,u32:4294967200
// run: behind_barrier grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:384
// run: behind_barrier grid=3 block=64 args=buf:512:rand,buf:512:zero,u32:201
// run: nested grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:256,u32:100
// run: nested grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:199,u32:220
// run: by_data grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:3
// run: rows grid=2,2 block=32,8 args=buf:2048:rand,buf:2048:zero,u32:64,u32:16
// run: rows grid=2,2 block=32,8 args=buf:2048:rand,buf:2048:zero,u32:61,u32:13
// run: neighbours grid=2,2 block=32,8 args=buf:1024:rand,buf:1024:zero,u32:64,u32:16
// run: neighbours grid=2,2 block=32,8 args=buf:1024:rand,buf:1024:zero,u32:61,u32:15
// run: neighbours grid=3,2 block=16,4 args=buf:512:rand,buf:512:zero,u32:34,u32:7
// run: neighbours grid=1,5 block=50,2 args=buf:512:rand,buf:512:zero,u32:50,u32:10
// run: neighbours_by_data grid=2 block=64 args=buf:256:rand,buf:128:zero,u32:4
// run: neighbours_by_data grid=2 block=64 args=buf:256:rand,buf:128:zero,u32:9
// run: neighbours_by_data grid=2 block=50 args=buf:256:rand,buf:128:zero,u32:7
// run: few_neighbours grid=2 block=64 args=buf:256:rand,buf:128:zero,u32:128
// run: few_neighbours grid=2 block=64 args=buf:256:rand,buf:128:zero,u32:97
// run: in_teams grid=3 block=256 args=buf:1024:rand,buf:1024:zero,u32:768
// run: in_teams grid=3 block=256 args=buf:1024:rand,buf:1024:zero,u32:700
// run: in_teams grid=3 block=256 args=buf:1024:rand,buf:1024:zero,u32:256
// run: in_teams grid=3 block=256 args=buf:1024:rand,buf:1024:zero,u32:255
// run: in_teams grid=3 block=256 args=buf:1024:rand,buf:1024:zero,u32:0
// run: in_teams grid=2 block=200 args=buf:1024:rand,buf:1024:zero,u32:400
// run: in_teams grid=2 block=200 args=buf:1024:rand,buf:1024:zero,u32:393
// run: teams_in_loop grid=2 block=128 args=buf:2048:rand,buf:256:zero,u32:2048
// run: teams_in_loop grid=2 block=128 args=buf:2048:rand,buf:256:zero,u32:1111

// As a scan loads and stores: two neighbouring elements a thread, each behind its own test.
extern "C" __global__ void pairs(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x * 2 + threadIdx.x * 2;
    unsigned a = i < n ? in[i] : 7, b = i + 1 < n ? in[i + 1] : 9;
    if (i < n)
        out[i] = a * 3 + b;
    if (i + 1 < n)
        out[i + 1] = a + b * 5;
}

extern "C" __global__ void vectors(const uint4 *in, uint4 *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 x = make_uint4(1, 2, 3, 4);
    uint2 y = make_uint2(5, 6);
    if (i < n) {
        x = in[i];
        y = ((const uint2 *)in)[i];
    }
    x.x += y.y;
    x.w ^= y.x;
    if (n > i)
        out[i] = x;
}

// The tile stays in registers where the block is one team.
extern "C" __global__ void in_shared(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[512];
    int t = threadIdx.x, i = (blockIdx.x * blockDim.x + t) * 2, m = 2 * blockDim.x;
    s[2 * t] = i < n ? in[i] : 100;
    s[2 * t + 1] = i + 1 < n ? in[i + 1] : 200;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 16; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (i < n)
        out[i] = s[2 * t] + s[(2 * t + 5) % m];
    if (i + 1 < n)
        out[i + 1] = s[2 * t + 1];
}

extern "C" __global__ void both_ways(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x;
    if (i >= n)
        x = in[3 * i + 1] * 2;
    else
        x = in[2 * i] + in[2 * i + 1];
    out[2 * i] = x;
}

extern "C" __global__ void in_loop(const unsigned *in, unsigned *out, int n) {
    unsigned sum = 0;
    for (int k = 0; k < 8; k++) {
        int i = (k * gridDim.x + blockIdx.x) * blockDim.x * 2 + threadIdx.x * 2;
        if (i < n)
            sum += in[i] * (k + 1);
        if (i + 1 < n) {
            sum ^= in[i + 1];
            out[i + 1] = sum;
        }
    }
    out[(blockIdx.x * blockDim.x + threadIdx.x) * 2] = sum;
}

// One comparison decides several branches; another one has the same form and other numbers.
extern "C" __global__ void again(const unsigned *in, unsigned *out, int n, int m) {
    __shared__ unsigned s[256];
    int t = threadIdx.x, i = (blockIdx.x * 256 + t) * 2;
    bool first = i < n, second = i < m;
    unsigned a = 0, b = 0;
    if (first)
        a = in[i];
    s[t] = a;
    __syncthreads();
    if (second)
        b = in[i + 1] + s[255 - t];
    __syncthreads();
    s[t] = b;
    __syncthreads();
    if (first)
        out[i] = s[t ^ 1];
    if (second)
        out[i + 1] = a - s[t];
}

// The index goes across 2^31 or 2^32.
extern "C" __global__ void wrapping(const unsigned *in, unsigned *out, unsigned from) {
    unsigned t = threadIdx.x, i = from + 2 * t;
    if (i < from + 50)
        out[2 * t] = in[2 * t];
    if ((int)i < (int)(from + 90))
        out[2 * t + 1] = in[2 * t + 1] + 1;
}

// The index is not needed behind the barrier but for the question whether all threads act.
extern "C" __global__ void behind_barrier(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x, i = blockIdx.x * 128 + 2 * t;
    unsigned *p = out + i;
    bool acts = i < n;
    s[t] = in[i] * 3;
    __syncthreads();
    if (acts)
        *p = s[t ^ 5];
}

extern "C" __global__ void nested(const unsigned *in, unsigned *out, int n, int m) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (i < n) {
        unsigned x = in[i];
        if (i < m)
            x += in[i + 1] * 2;
        out[i] = x;
    } else if (threadIdx.x & 1) {
        out[i + 1] = in[i];
    }
}

extern "C" __global__ void by_data(const unsigned *in, unsigned *out, unsigned m) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (in[i / 2] % m)
        out[i] = in[i] + in[i + 1];
}

extern "C" __global__ void rows(const unsigned *in, unsigned *out, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h)
        out[(y * 64 + x) * 2] = in[(y * 64 + x) * 2] + in[(y * 64 + x) * 2 + 1];
    if (y < h)
        out[(y * 64 + x) * 2 + 1] = x;
}

// Many loads of neighbours under one condition, by rows that begin and end inside a vector.
extern "C" __global__ void neighbours(const unsigned *in, unsigned *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    int i = y * w + x;
    out[i] = in[i] * 5 + in[i - 1] * 3 + in[i + 1] + in[i - w] * 7 + in[i + w] * 11;
}

// The same in a loop, and by what was loaded before; a result that goes on.
extern "C" __global__ void neighbours_by_data(const unsigned *in, unsigned *out, unsigned m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; k < 5; k++) {
        if ((in[i] >> k) % 8 < m)
            sum = sum * 3 + in[i + 1] + in[i + 2] * 5 + in[i + 3] * 7 + in[i + 4 + k] * 9;
        sum ^= k;
    }
    out[i] = sum;
}

// Shared memory, a value that is the same in all threads, a volatile access: the first two do not
// count, the last one is no plain load.
extern "C" __global__ void few_neighbours(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    if (i < n)
        out[i] = s[t] + s[(t + 1) % 64] * 3 + in[n] + in[i + 1];
    if (i + 3 < n)
        out[i] += ((const volatile unsigned *)in)[i + 1] + in[i + 2] + in[i + 3] + in[i + 4];
}

// Neighbouring words of a block whose groups run together: a reduction's loads, with another value
// elsewhere; an index that wraps.
extern "C" __global__ void in_teams(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 5;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t % (2 * d) == 0 && t + d < blockDim.x)
            s[t] += s[t + d] * 3;
        __syncthreads();
    }
    if (i + 1 < n)
        out[i] = s[t] + in[i + 1];
    if ((int)(i + 0x7ffffe00u) < (int)(n + 0x7ffffe00u))
        out[i] ^= s[t / 2];
}

extern "C" __global__ void teams_in_loop(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    unsigned sum = 0;
    for (int k = 0; k < 8; k++) {
        int j = k * 256 + i;
        s[t] = j < n ? in[j] : k;
        __syncthreads();
        sum += s[127 - t] * (k + 1);
        __syncthreads();
    }
    out[i] = sum;
}
