// Additions to global memory, which a run of blocks gathers: near each other and far apart, in loops
// and without, with loads and stores of the same words in between.
// run: near grid=3 block=64 args=buf:500:rand,buf:256:small,u32:500
// run: near grid=1 block=20 args=buf:100:rand,buf:256:small,u32:100
// run: far grid=2 block=64 args=buf:500:rand,buf:16384:zero,u32:500
// run: two grid=2 block=32 args=buf:300:rand,buf:8192:zero,u32:300
// run: read_back grid=2 block=64 args=buf:128:rand,buf:1024:zero,buf:128:zero
// run: overwritten grid=2 block=64 args=buf:128:rand,buf:1024:zero
// run: scattered_reads grid=1 block=64 args=buf:64:rand,buf:1024:small,buf:64:zero
// run: own_rows grid=6 block=64 args=buf:500:rand,buf:2048:zero,u32:500
// run: signed_index grid=3 block=40 args=buf:500:rand,buf:4096:zero,u32:500
// run: huge_index grid=2 block=32 args=buf:500:rand,buf:4096:zero,u32:500,u32:4294966272
// run: bytes grid=4 block=96 args=buf:500:rand,buf:256:zero,u32:2000
// run: after_barrier grid=2 block=64 args=buf:128:rand,buf:128:zero,buf:128:zero
extern "C" __global__ void near(const unsigned *in, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] % 256], 1);
}

extern "C" __global__ void far(const unsigned *in, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (in[i] % 3)
            atomicAdd(&bins[in[i] % 16384], in[i] ^ 5);
}

extern "C" __global__ void two(const unsigned *in, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i] % 32], 1);
        atomicSub(&bins[7000 + in[i] % 64], in[i]);
    }
}

// Each thread has bins of its own.
extern "C" __global__ void read_back(const unsigned *in, unsigned *bins, unsigned *out) {
    int t = blockIdx.x * 64 + threadIdx.x;
    unsigned v = in[t], sum = 0;
    for (int k = 0; k < 9; k++) {
        atomicAdd(&bins[8 * t + (v >> k) % 8], k + 1);
        sum = sum * 3 + bins[8 * t + k % 8];
    }
    out[t] = sum;
}

extern "C" __global__ void overwritten(const unsigned *in, unsigned *bins) {
    int t = blockIdx.x * 64 + threadIdx.x;
    unsigned v = in[t];
    for (int k = 0; k < 9; k++) {
        atomicAdd(&bins[8 * t + (v >> k) % 8], k + 1);
        if (k % 3 == 1)
            bins[8 * t + k % 8] = k;
    }
}

extern "C" __global__ void scattered_reads(const unsigned *in, unsigned *bins, unsigned *out) {
    int t = threadIdx.x;
    unsigned v = in[t], sum = 0;
    for (int k = 0; k < 6; k++) {
        atomicAdd(&bins[16 * t + (v >> k) % 4], v);
        sum += bins[16 * t + (v >> (k + 1)) % 4];
    }
    out[t] = sum;
}

extern "C" __global__ void after_barrier(const unsigned *in, unsigned *bins, unsigned *out) {
    int t = threadIdx.x, b = blockIdx.x * 64;
    for (int k = 0; k < 4; k++)
        atomicAdd(&bins[b + (in[b + t] >> k) % 64], 1);
    __syncthreads();
    out[b + t] = bins[b + 63 - t];
}

// Each block of a run has bins of its own.
extern "C" __global__ void own_rows(const unsigned *in, unsigned *bins, int n) {
    unsigned *own = bins + blockIdx.x * 300;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&own[in[i] % 300], 1);
}

extern "C" __global__ void signed_index(const unsigned *in, int *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = (int)in[i] % 2000;
        atomicAdd(&(bins + 2048)[at], at);
    }
}

// The index is a large unsigned number where the pointer lies before the bins.
extern "C" __global__ void huge_index(const unsigned *in, unsigned *bins, int n, unsigned far) {
    unsigned *before = bins - (size_t)far;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&before[far + in[i] % 1024], in[i] & 7);
}

extern "C" __global__ void bytes(const unsigned char *in, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

// Without a loop, in two versions of code, one for blocks in which all threads add.
// run: each grid=7 block=64 args=buf:448:rand,buf:256:small,u32:448
// run: each grid=7 block=64 args=buf:448:rand,buf:256:small,u32:400
extern "C" __global__ void each(const unsigned *in, unsigned *bins, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i] % 256], in[i]);
}

// More arrays than there are windows, one of them twice, with an offset.
// run: arrays grid=5 block=48 args=buf:240:rand,buf:4096:zero,buf:4096:zero,buf:4096:zero,buf:4096:zero,buf:4096:zero
extern "C" __global__ void arrays(const unsigned *in, unsigned *a, int *b, unsigned *c, int *d,
                                  unsigned *e) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&a[v % 1000], 1);
    atomicAdd(&b[v % 77], v);
    atomicAdd(&a[v / 16 % 900 + 100], 2);
    atomicAdd(&c[v / 32 % 4096], 3);
    if (v % 3)
        atomicAdd(&d[(int)v % 1000 + 1000], 4);
    else
        atomicAdd(&a[v % 50], 5);
    atomicAdd(&e[v / 64 % 4096], 6);
}

// Two arrays that are one, and what is read from it by the thread that added.
// run: alias grid=3 block=32 args=buf:96:rand,buf:4096:zero,buf:96:zero
__device__ __noinline__ int *the_same(int *p) { return p; }
extern "C" __global__ void alias(const unsigned *in, int *a, int *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
    int *b = the_same(a);
    atomicAdd(&a[8 * t + v % 4], 1);
    atomicAdd(&b[8 * t + v % 8], 2);
    out[t] = a[8 * t + v % 4] + b[8 * t + v % 8];
}
