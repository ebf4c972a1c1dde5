// Loops that the compiler wrote out, long enough to become loops again.
// run: tile grid=2,2 block=32,32 args=buf:16384:float,buf:16384:float,buf:16384:zero,u32:128
// run: tile grid=1,1 block=32,8 args=buf:16384:float,buf:16384:float,buf:16384:zero,u32:128
// run: stores grid=2 block=128 args=buf:4096:rand,buf:16384:zero
// run: left_over grid=1 block=64 args=buf:8192:rand,buf:4096:zero
// run: in_branch grid=1 block=96 args=buf:8192:rand,buf:1024:zero,u32:70
// run: in_branch grid=1 block=96 args=buf:8192:rand,buf:1024:zero,u32:64
// run: from_the_middle grid=1 block=64 args=buf:8192:rand,buf:1024:zero
// run: two_back grid=1 block=64 args=buf:8192:rand,buf:1024:zero
// run: downwards grid=1 block=64 args=buf:8192:rand,buf:1024:zero
// run: twice grid=1 block=64 args=buf:8192:rand,buf:1024:zero,u32:5

extern "C" __global__ void tile(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[32][128], sb[128][32];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 32 + lx;
    int y = blockIdx.y * blockDim.y + ly;
    float acc = 0, most = -1e30f;
    for (int k = 0; k < n; k += 128) {
        for (int r = ly; r < 32; r += blockDim.y)
            for (int j = lx; j < 128; j += 32)
                sa[r][j] = a[(y + r - ly) % n * n + k + j];
        for (int r = ly; r < 128; r += blockDim.y)
            sb[r][lx] = b[(k + r) * n + x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 128; j++) {
            acc += sa[ly][j] * sb[j][lx];
            most = fmaxf(most, sb[j][lx]);
        }
        __syncthreads();
    }
    c[y * n + x] = acc + most;
}

extern "C" __global__ void stores(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * 128 + threadIdx.x, x = in[i];
#pragma unroll
    for (int k = 0; k < 64; k++) {
        x = x * 1664525 + 1013904223;
        x ^= x >> 13;
        x += in[i + k * 4] << 3;
        x = x << 7 | x >> 25;
        out[i + k * 256] = x;
    }
}

// Not a multiple of what makes a turn, and something else in the end.
extern "C" __global__ void left_over(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = t, y = 7;
#pragma unroll
    for (int k = 0; k < 61; k++) {
        x = (x ^ in[t + k * 64]) * 9;
        y += x >> 5;
        x ^= y & 0xff00ff;
        y = y << 3 | y >> 29;
        x += in[4096 + k * 8 + t];
    }
    out[t] = x;
    out[t + 64] = y * 3 + in[x & 63];
}

extern "C" __global__ void in_branch(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x, x = 1, y = t;
    if (t < n && in[t] & 5) {
#pragma unroll
        for (int k = 0; k < 64; k++) {
            x = x * 31 + in[t + k * 32];
            y = (y ^ x) + (x >> 3);
            x ^= y << 5;
            y *= 77;
        }
        out[t] = x ^ y;
    } else {
        out[t] = 5;
    }
}

// What a turn in the middle made is used behind all of them.
extern "C" __global__ void from_the_middle(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = 1, kept = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) {
        x = x * 31 + in[t + k * 32];
        x ^= x >> 7;
        x *= 5;
        x += x << 9;
        if (k == 33)
            kept = x;
    }
    out[t] = x + kept * 3;
}

// Of the turn before the last one.
extern "C" __global__ void two_back(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = 1, y = 2, z = 3;
#pragma unroll
    for (int k = 0; k < 64; k++) {
        unsigned next = (x ^ in[t + k * 32]) * 5 + (y >> 3) + (z << 2);
        z = y;
        y = x;
        x = next ^ next >> 11;
    }
    out[t] = x ^ y * 3 ^ z * 7;
}

extern "C" __global__ void downwards(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = 1;
#pragma unroll
    for (int k = 63; k >= 0; k--) {
        x = x * 31 + in[t + k * 32];
        x ^= in[t + 4096 - k * 4] >> 7;
        x *= 5;
        x += x << 9;
    }
    out[t] = x;
}

// A stretch in a loop of its own, and one behind it.
extern "C" __global__ void twice(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x, x = 1, y = 0;
    for (unsigned r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < 64; k++) {
            x = x * 31 + in[t + k * 32];
            x ^= x >> 7;
            y += x << 9;
            x += y & 15;
        }
        y ^= r;
    }
#pragma unroll
    for (int k = 0; k < 64; k++) {
        y = y * 31 + in[t + k * 32 + 5];
        y ^= x >> 7;
        x += y << 9;
        x += x & 15;
    }
    out[t] = x ^ y;
}
