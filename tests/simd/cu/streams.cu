// Stores past the caches: launches that store much, which every launch is here.
// env: KUDZU_STREAM=1
// run: whole grid=3,1,1 block=256,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:0,u32:768
// run: whole grid=3,1,1 block=256,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:3,u32:700
// run: whole grid=1,1,1 block=100,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:16,u32:768
extern "C" __global__ void whole(const float *in, float *out, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i + by] = in[i] * 2;
}

// Vectors a thread, and what the same thread reads again.
// run: fours grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero
extern "C" __global__ void fours(const float4 *in, float4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    v.x += v.w;
    out[i] = v;
}

// run: again grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero
extern "C" __global__ void again(const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
    __syncthreads();
    out[i + 512] = out[i ^ 1] + 1;
}

// Through another parameter, which is the same memory.
// run: alias grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand
extern "C" __global__ void alias(unsigned *a, unsigned *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = (unsigned *)((unsigned long long)a | (b == 0));
    a[i] = i * 3;
    __syncthreads();
    b[i] = p[i ^ 5];
    a[i + 256] = i;
    b[i + 256] = 7;
}

// Other sizes of words, and stores in loops and behind conditions.
// run: sizes grid=2,1,1 block=128,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,buf:8192:zero,buf:8192:zero
extern "C" __global__ void sizes(const unsigned *in, unsigned char *a, unsigned short *b,
                                 unsigned long long *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
    a[i] = v;
    b[i] = v >> 3;
    if (v & 0x100)
        c[i] = v * 3ull;
    for (int k = 0; k < 3; k++)
        a[i + 256 * (k + 1)] = v >> k;
}

// What orders memory keeps all stores in the caches.
// run: ordered grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,buf:64:zero
extern "C" __global__ void ordered(const unsigned *in, unsigned *out, unsigned *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
    __threadfence();
    atomicAdd(count, 1);
}

// A team's rows that are lines the other way round, at a line's beginning and not.
// run: rows grid=2,2,1 block=16,16,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:32,u32:0
// run: rows grid=2,2,1 block=16,16,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:32,u32:5
// run: rows grid=2,2,1 block=16,16,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:40,u32:0
// run: rows grid=1,2,1 block=32,16,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:32,u32:0
extern "C" __global__ void rows(const unsigned *in, unsigned *out, int n, int by) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y + by] = in[y * 32 + x] ^ 5;
}

// A tile that is written along its columns: vectors that are transposed in registers.
// run: tile grid=2,2,1 block=32,8,1 shared=0 args=buf:16384:rand,buf:16384:zero,u32:64
extern "C" __global__ void tile(const float *in, float *out, int n) {
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}

// run: small_tile grid=4,4,1 block=16,16,1 shared=0 args=buf:16384:rand,buf:16384:zero,u32:64
extern "C" __global__ void small_tile(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
    __syncthreads();
    out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = s[x][y] * 3;
}

// Columns of which some lanes lie elsewhere, and columns the other way round.
// run: skewed grid=1,1,1 block=16,16,1 shared=0 args=buf:16384:rand,buf:16384:zero
extern "C" __global__ void skewed(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[y * 16 + x];
    __syncthreads();
    out[y * 16 + x] = s[15 - x][y];
    out[256 + y * 16 + x] = s[x ^ 1][y] + s[x][(x + y) & 15];
    out[512 + y * 16 + x] = s[x][x < 9 ? y : 0];
}

// Loops that count: their turns decide. Lines and what begins elsewhere, a step that is no multiple
// of a line, ends in the middle of a vector.
// run: strided grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:8192:zero,u32:4096,u32:0
// run: strided grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:8192:zero,u32:4001,u32:0
// run: strided grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:8192:zero,u32:4001,u32:3
// run: strided grid=3,1,1 block=40,1,1 shared=0 args=buf:4096:rand,buf:8192:zero,u32:3000,u32:16
// run: strided grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:8192:zero,u32:100,u32:0
extern "C" __global__ void strided(const unsigned *in, unsigned *out, int n, int by) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i + by] = in[i] * 3;
}

// Counters without a sign and of 64 bits, two stores, vectors a thread.
// run: unsigned_turns grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:4000
extern "C" __global__ void unsigned_turns(const unsigned *in, unsigned *out, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] ^ n;
}

// run: long_turns grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u64:4000
extern "C" __global__ void long_turns(const unsigned *in, unsigned *out, long long n) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + 7;
}

// run: two_stores grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:zero,buf:4096:zero,u32:4000
extern "C" __global__ void two_stores(unsigned *a, unsigned *b, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        a[i] = i * 3;
        b[i] = i ^ 5;
    }
}

// run: fours_in_turns grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:1000
extern "C" __global__ void fours_in_turns(const uint4 *in, uint4 *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 v = in[i];
        v.y += v.z;
        out[i] = v;
    }
}

// What was written is read by other threads of the block, through the same parameter and through
// another one.
// run: read_behind grid=1,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:2048
extern "C" __global__ void read_behind(const unsigned *in, unsigned *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i] + 1;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[n + i] = out[n - 1 - i];
}

// run: read_by_other grid=1,1,1 block=128,1,1 shared=0 args=buf:4096:zero,buf:4096:zero,u32:1024
extern "C" __global__ void read_by_other(unsigned *a, unsigned *b, int n) {
    unsigned *p = (unsigned *)((unsigned long long)a | (b == 0));
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        a[i] = i * 5;
        b[i] = n - i;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        b[n + i] = p[n - 1 - i];
}
