// Numbers that the size of a block decides: tests that all threads pass or none, extremes, and
// loops that each thread begins at its own number. Blocks of other sizes decide nothing.
// run: copies grid=2 block=64 args=buf:4096:rand,buf:4096:zero
// run: copies grid=2 block=96 args=buf:4096:rand,buf:4096:zero
// run: copies grid=1 block=512 args=buf:4096:rand,buf:4096:zero
// run: rows grid=3 block=256 args=buf:12288:rand,buf:12288:zero
// run: rows grid=3 block=160 args=buf:12288:rand,buf:12288:zero
// run: rows grid=3 block=32 args=buf:12288:rand,buf:12288:zero
// run: down grid=1 block=128 args=buf:4096:rand,buf:4096:zero
// run: down grid=1 block=100 args=buf:4096:rand,buf:4096:zero
// run: limits grid=1 block=64 args=buf:4096:small,buf:4096:zero
// run: limits grid=1 block=200 args=buf:4096:small,buf:4096:zero
// run: columns grid=1 block=16,8 args=buf:4096:rand,buf:4096:zero
// run: columns grid=1 block=8,16 args=buf:4096:rand,buf:4096:zero
// run: columns grid=1 block=12,12 args=buf:4096:rand,buf:4096:zero
// run: leaves grid=1 block=64 args=buf:4096:small,buf:4096:zero
// run: some grid=1 block=128 args=buf:4096:rand,buf:4096:zero

extern "C" __global__ void copies(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[512];
    for (int i = threadIdx.x; i < 512; i += 64)
        s[i] = in[i] + blockIdx.x;
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        out[512 * blockIdx.x + i] = s[511 - i];
}

extern "C" __global__ void rows(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x / 32;
    in += 1024 * blockIdx.x;
    out += 1024 * blockIdx.x;
    for (int r = warp; r < 32; r += warps)
        tile[r][lane] = in[r * 32 + lane];
    __syncthreads();
    for (int r = warp; r < 32; r += warps)
        out[r * 32 + lane] = tile[lane][r];
}

extern "C" __global__ void down(const unsigned *in, unsigned *out) {
    unsigned sum = 0;
    int i;
    for (i = 512 + threadIdx.x; i >= 128; i -= 128)
        sum = sum * 3 + in[i];
    out[threadIdx.x] = sum + i;
}

extern "C" __global__ void limits(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = max(t, 128u) + min(t, 70u) + (t & 63) + t % 80 + (t >> 6);
    if (t < 64)
        n += in[t] * 5;
    if ((int)t - 64 < 0)
        n ^= in[t + 1];
    if (t - 1 < 300)
        n += in[t - 1];
    out[t] = n;
}

extern "C" __global__ void columns(const unsigned *in, unsigned *out) {
    unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (unsigned r = y; r < 16; r += 8)
        for (unsigned c = x; c < 16; c += 16)
            sum += in[r * 16 + c] * (r + 1);
    out[y * blockDim.x + x] = sum;
}

// Two ways out: the second one is each thread's own.
extern "C" __global__ void leaves(const unsigned char *in, unsigned *out) {
    unsigned i = threadIdx.x, sum = 0;
    for (; i < 512; i += 64) {
        sum += in[i];
        if (in[i] % 16 == 3)
            break;
    }
    out[threadIdx.x] = sum * 1000 + i;
}

// Only some threads enter the loop.
extern "C" __global__ void some(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, sum = 0;
    if (in[t] & 1)
        for (unsigned i = t; i < 512; i += 128)
            sum += in[i] + i;
    out[t] = sum;
}
