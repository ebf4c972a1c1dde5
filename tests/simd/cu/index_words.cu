// Indices that compilers compute in 16 bits, or in 64 with a mask; bits that addresses do not have;
// rows of threads that go on from iteration to iteration.
// run: tile grid=2 block=8,32 args=buf:4096:rand,buf:8192:zero
// run: tile grid=1 block=16,16 args=buf:4096:rand,buf:4096:zero
// run: tile grid=1 block=4,4 args=buf:4096:rand,buf:4096:zero
// run: tile grid=1 block=3,5 args=buf:4096:rand,buf:4096:zero
// run: halo grid=2 block=32,4,4 args=buf:8192:rand,buf:16384:zero
// run: halo grid=1 block=10,10 args=buf:8192:rand,buf:16384:zero
// run: bytes grid=2 block=128 args=buf:16384:rand,buf:16384:zero,u32:64
// run: bytes grid=2 block=128 args=buf:16384:rand,buf:16384:zero,u32:97
// run: around grid=1 block=64 args=buf:8192:rand,buf:8192:zero,u64:4294967290
// run: around grid=1 block=64 args=buf:8192:rand,buf:8192:zero,u64:4294967232
// run: fours grid=2 block=32,4 args=buf:32768:rand,buf:32768:zero,u32:64
// run: fours grid=1 block=24,3 args=buf:32768:rand,buf:32768:zero,u32:75
// run: walks grid=1 block=64 args=buf:16384:rand,buf:16384:zero,u32:40,u32:9
// run: walks grid=1 block=48 args=buf:16384:rand,buf:16384:zero,u32:33,u32:5
// run: wraps grid=1 block=64 args=buf:16384:rand,buf:16384:zero,u32:4294967290,u32:3
// run: some grid=1 block=64 args=buf:16384:rand,buf:16384:zero,u32:40
// run: shorts grid=1 block=64,3 args=buf:4096:rand,buf:4096:zero
// run: loaded grid=1 block=64 args=buf:4096:rand,buf:4096:zero

extern "C" __global__ void tile(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[32][33];
    int n = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = t; i < 32 * 32; i += n)
        s[i / 32][i % 32] = in[i];
    __syncthreads();
    for (int i = t; i < 32 * 32; i += n)
        out[1024 * blockIdx.x + i] = s[i % 32][i / 32];
}

// Places divided by numbers that are no powers of two.
extern "C" __global__ void halo(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[6][6][34];
    int n = blockDim.x * blockDim.y * blockDim.z;
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (int i = t; i < 6 * 6 * 34; i += n) {
        int x = i % 34, y = i / 34 % 6, z = i / (34 * 6);
        s[z][y][x] = in[z * 300 + min(y, 4) * 40 + x];
    }
    __syncthreads();
    for (int i = t; i < 4 * 4 * 32; i += n) {
        int x = i % 32 + 1, y = i / 32 % 4 + 1, z = i / 128 + 1;
        out[blockIdx.x * 512 + i] = s[z][y][x - 1] + s[z - 1][y + 1][x] * 3;
    }
}

extern "C" __global__ void bytes(const unsigned char *in, unsigned char *out, unsigned pitch) {
    __shared__ unsigned char s[64][48];
    for (unsigned k = 0; k < 64; k += 32) {
        for (unsigned i = threadIdx.x; i < 64 * 32; i += 128)
            s[i / 32][i % 32] = in[(blockIdx.x * 64 + i / 32) * pitch + k + i % 32];
        __syncthreads();
        for (unsigned i = threadIdx.x; i < 64 * 32; i += 128)
            out[blockIdx.x * 4096 + k * 64 + i] = s[i % 64][i / 64];
        __syncthreads();
    }
}

// The low word of a sum that goes around in some lanes.
extern "C" __global__ void around(const unsigned *in, unsigned *out, unsigned long long base) {
    for (unsigned k = 0; k < 4; k++) {
        unsigned long long at = base + threadIdx.x + 3 * k & 0xffffffffull;
        out[threadIdx.x + 64 * k] = in[at - (at >= 1024 ? base : 0)] + (unsigned)(at >> 28);
    }
}

extern "C" __global__ void fours(const float4 *in, float4 *out, int n) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    in += row * n;
    out += row * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float4 v = in[i];
        out[i] = make_float4(v.w + 1, v.z, v.y * 2, v.x);
    }
}

// Rows of eight threads, the launch's pitch apart, that go down the matrix.
extern "C" __global__ void walks(const unsigned *in, unsigned *out, unsigned pitch, unsigned n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, at = t / 8 * pitch + t % 8;
    for (unsigned k = 0; k < n; k++, at += 3 * pitch) {
        s[t] = in[at];
        __syncthreads();
        out[k * blockDim.x + t] = s[blockDim.x - 1 - t];
        __syncthreads();
    }
}

extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned pitch, unsigned n) {
    unsigned t = threadIdx.x, at = t / 8 * pitch + t % 8 + 48;
    for (unsigned k = 0; k < n; k++, at += pitch)
        out[k * 64 + t] = in[at & 4095] + in[(at - 8 * k) % 1024];
}

// Threads leave, and do not act, in iterations of their own.
extern "C" __global__ void some(const unsigned *in, unsigned *out, unsigned pitch) {
    unsigned t = threadIdx.x, at = t / 8 * pitch + t % 8, last = in[t] % 9;
    for (unsigned k = 0; k < last; k++, at += pitch)
        if (in[at] & 1)
            out[t * 16 + k] = in[at + 1] + k;
    out[4000 - t] = in[at];
}

extern "C" __global__ void shorts(const unsigned *in, unsigned *out) {
    unsigned short place = (unsigned short)(threadIdx.y * 1001 + threadIdx.x * 7);
    unsigned short far = (unsigned short)(place * 3001), less = (unsigned short)(place - 2000);
    unsigned short q = (unsigned short)(less / 77), r = (unsigned short)(far % 130);
    out[threadIdx.y * 64 + threadIdx.x] = in[q] + in[r] + (far >> 3) + (less ^ far);
}

extern "C" __global__ void loaded(const unsigned short *in, unsigned *out) {
    unsigned short x = in[threadIdx.x], y = in[threadIdx.x + 64];
    unsigned short sum = (unsigned short)(x + y), p = (unsigned short)(x * y);
    out[threadIdx.x] = sum / 3 + (p >> 2) + (unsigned short)(sum - p);
}
