// Quotients and remainders of an index by what only the launch knows: groups of threads that lie in
// one row have a version of the code of their own. Rows longer and shorter than a group, divisors
// of 0 and below, numbers that wrap around between two threads, quotients of quotients.

typedef unsigned long long u64;

// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:0,u32:100
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:5,u32:7
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:31,u32:32
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:0,u32:0
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:0,u32:4294967295
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:3,u32:4294967260
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:4294967200,u32:50
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:2147483600,u32:50
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:2147483600,u32:2147483647
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:2147483648,u32:4294967295
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:2147483648,u32:2147483648
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:1073741800,u32:1073741824
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:1073741800,u32:1073741825
// run: ints grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:2147483640,u32:1073741823
extern "C" __global__ void ints(int *out, int from, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, k = (int)((unsigned)t + from);
    out[2 * t] = k / n;
    out[2 * t + 1] = k % n;
}

// run: words grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:0,u32:100
// run: words grid=3,1,1 block=33,1,1 shared=0 args=buf:1024:zero,u32:0,u32:48
// run: words grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:4294967200,u32:50
// run: words grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:4294967200,u32:4294967295
// run: words grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:2147483600,u32:3221225472
// run: words grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:9,u32:0
// run: words grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:9,u32:1
// run: words grid=3,1,1 block=64,1,1 shared=0 args=buf:1024:zero,u32:4294967290,u32:1073741824
extern "C" __global__ void words(unsigned *out, unsigned from, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, k = t + from;
    out[2 * t] = k / n;
    out[2 * t + 1] = k % n;
}

// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:0,u64:100
// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:18446744073709551500,u64:60
// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:9223372036854775800,u64:60
// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:9223372036854775808,u64:18446744073709551615
// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:7,u64:0
// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:4294967290,u64:4294967296
// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:2305843009213693900,u64:2305843009213693952
// run: longs grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:2305843009213693900,u64:2305843009213693953
extern "C" __global__ void longs(long long *out, long long from, long long n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    long long k = (long long)((u64)t + from);
    out[2 * t] = k / n;
    out[2 * t + 1] = k % n;
}

// run: long_words grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:18446744073709551500,u64:60
// run: long_words grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:18446744073709551500,u64:18446744073709551615
// run: long_words grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:70,u64:71
// run: long_words grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:zero,u64:70,u64:0
extern "C" __global__ void long_words(u64 *out, u64 from, u64 n) {
    u64 t = blockIdx.x * blockDim.x + threadIdx.x, k = t + from;
    out[2 * t] = k / n;
    out[2 * t + 1] = k % n;
}

// A tensor's indices, by quotients.
// run: tensor grid=4,1,1 block=128,1,1 shared=0 args=buf:4096:float,buf:512:zero,u32:500,u32:3,u32:4,u32:40
// run: tensor grid=4,1,1 block=128,1,1 shared=0 args=buf:4096:float,buf:512:zero,u32:511,u32:2,u32:128,u32:2
// run: tensor grid=4,1,1 block=100,1,1 shared=0 args=buf:4096:float,buf:512:zero,u32:400,u32:1,u32:1,u32:64
// run: tensor grid=4,1,1 block=128,1,1 shared=0 args=buf:4096:float,buf:512:zero,u32:512,u32:0,u32:5,u32:32
// run: tensor grid=4,1,1 block=128,1,1 shared=0 args=buf:4096:float,buf:512:zero,u32:512,u32:4294967295,u32:5,u32:32
extern "C" __global__ void tensor(const float *in, float *out, int n, int channels, int height,
                                  int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = i % width, y = i / width % height, c = i / (height * width) % channels,
        a = i / (channels * height * width);
    out[i] = in[(unsigned)(((a * channels + c) * height + y) * width + x) % 4096u] +
             in[(unsigned)c % 64u] * 3 + in[(unsigned)(a + 1) % 64u];
}

// By remainders of remainders.
// run: remainders grid=4,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:500,u32:3,u32:4,u32:40
// run: remainders grid=4,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:256,u32:2,u32:2,u32:16
// run: remainders grid=4,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:512,u32:3,u32:0,u32:16
extern "C" __global__ void remainders(const unsigned *in, unsigned *out, int n, int channels,
                                      int height, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int volume = channels * height * width, area = height * width, a = i / volume, r = i % volume,
        c = r / area, s = r % area, y = s / width, x = s % width;
    out[i] = in[(unsigned)(((a * height + y) * width + x) * channels + c) % 4096u] * 5 +
             in[(unsigned)((a * channels + c) * area + s) % 4096u];
}

// By dividing what is left again and again.
// run: digits grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:512,u32:3,u32:4,u32:40
// run: digits grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:512,u32:0,u32:4,u32:64
// run: digits grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:512,u32:4294967293,u32:4294967295,u32:64
extern "C" __global__ void digits(const unsigned *in, unsigned *out, int n, int channels, int height,
                                  int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i;
    if (i >= n)
        return;
    int x = k % width;
    k /= width;
    int y = k % height;
    k /= height;
    int c = k % channels;
    k /= channels;
    out[i] = in[(unsigned)(x * 3 + y * 64 + c * 7 + k) % 4096u] ^ in[(unsigned)(y + c) % 4096u];
}

// Grid-stride loops.
// run: transpose_loop grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:4000,u32:50,u32:80
// run: transpose_loop grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:4000,u32:8,u32:500
// run: transpose_loop grid=3,1,1 block=100,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:3999,u32:93,u32:43
extern "C" __global__ void transpose_loop(const float *in, float *out, int n, int w, int h) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = i % w, y = i / w;
        out[x * h + y] = in[i];
    }
}

// run: long_loop grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u64:4000,u64:50,u64:80
// run: long_loop grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u64:3990,u64:10,u64:399
extern "C" __global__ void long_loop(const float *in, float *out, long long n, long long w,
                                     long long h) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        long long x = i % w, y = i / w;
        out[x * h + y] = in[i];
    }
}

// A loop that stays one: a thread carries a sum from iteration to iteration, and leaves early.
// run: sums grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:256:zero,u32:4000,u32:50,u32:4000000000
// run: sums grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:256:zero,u32:4000,u32:333,u32:3000000000
// run: sums grid=1,1,1 block=96,1,1 shared=0 args=buf:4096:rand,buf:256:zero,u32:4000,u32:0,u32:3000000000
extern "C" __global__ void sums(const unsigned *in, unsigned *out, int n, int w, unsigned most) {
    unsigned sum = 0;
    int last = -1, t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int x = i % w, y = i / w;
        last = y;
        sum = sum * 3 + in[(unsigned)(x * 5 + y) % 4096u];
        if (in[i] > most)
            break;
    }
    out[t] = sum + last;
}

// Divisions in a loop, of what the loop counts.
// run: window grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:128:zero,u32:61,u32:9,u32:40
// run: window grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:128:zero,u32:300,u32:5,u32:128
// run: window grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:128:zero,u32:3,u32:5,u32:128
extern "C" __global__ void window(const unsigned *in, unsigned *out, int w, int m, int step) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = t / w;
#pragma unroll 1
    for (int k = 0; k < m; k++) {
        int i = t + k * step, x = i % w, y = i / w;
        sum = sum * 7 + in[(unsigned)(y * 64 + x) % 4096u];
        if (x > 2)
            sum ^= in[(unsigned)(x - 2) % 4096u];
    }
    out[t] = sum;
}

// Nested, with a row's edges and the way around them.
// run: pooling grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:256:zero,u32:180,u32:20,u32:2
// run: pooling grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:256:zero,u32:192,u32:60,u32:3
extern "C" __global__ void pooling(const float *in, float *out, int n, int w, int h) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = i % w, y = i / w % h, c = i / w / h;
        float most = -1;
        for (int v = max(y - 1, 0); v < min(y + 2, h); v++)
            for (int u = max(x - 1, 0); u < min(x + 2, w); u++)
                most = fmaxf(most, in[(c * h + v) * w + u]);
        out[i] = most;
    }
}

// Every third number; and one row's quotients that a thread's neighbours add up.
// run: thirds grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:256:zero,u32:100,u32:4
// run: thirds grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:256:zero,u32:33,u32:4
extern "C" __global__ void thirds(const unsigned *in, unsigned *out, unsigned n, unsigned m) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, k = t * 3 + 1, q = k / n;
    out[t] = in[k % n % 4096u] + q % m;
    atomicAdd(&out[128 + q % 128u], k % n + 1);
}
