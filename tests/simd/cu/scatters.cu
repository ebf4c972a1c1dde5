// Stores and additions at an address a lane, of elements of each size: a vector is taken apart in
// words of 64 bits, which hold one to eight lanes.
// run: sizes grid=2 block=64 args=buf:128:rand,buf:2048:zero
// run: sizes grid=1 block=44 args=buf:128:rand,buf:2048:zero
// run: floats grid=1 block=64 args=buf:64:float,buf:128:double,buf:1024:zero
// run: indices grid=1 block=64 args=buf:64:rand,buf:1024:zero,u32:4294966784
// run: some grid=1 block=64 args=buf:64:rand,buf:1024:zero
// run: records grid=1 block=64 args=buf:64:rand,buf:4096:zero
// run: counts grid=2 block=64 args=buf:128:rand,buf:1024:zero
// run: count_bytes grid=2 block=256 args=buf:512:rand,buf:256:zero,u32:2000
// run: of_bytes grid=2 block=64 args=buf:64:rand,buf:64:rand,buf:4096:zero
// run: of_bytes grid=1 block=44 args=buf:64:rand,buf:64:rand,buf:4096:zero
// run: some_of_bytes grid=1 block=64 args=buf:64:rand,buf:64:rand,buf:4096:zero
// run: lines_of_bytes grid=2 block=256 args=buf:2048:rand,buf:1024:zero,u32:7001
// run: sums grid=1 block=64 args=buf:64:float,buf:128:double,buf:1024:zero

// A place of its own for each of 64 threads.
__device__ unsigned place(unsigned x) {
    return (threadIdx.x * 37 + x) % 64;
}

extern "C" __global__ void sizes(const unsigned *in, unsigned *out) {
    unsigned x = in[blockIdx.x * 64 + threadIdx.x], *own = out + blockIdx.x * 1024;
    ((unsigned char *)own)[place(3)] = (unsigned char)(x >> 3);
    ((unsigned short *)(own + 64))[place(5)] = (unsigned short)(x >> 5);
    (own + 128)[place(7)] = x * 7;
    ((unsigned long long *)(own + 256))[place(9)] = x * 0x123456789abcdefull;
    ((signed char *)(own + 512))[place(x & 0) * 2 + 1] = (signed char)x;
}

extern "C" __global__ void floats(const float *in, const double *wide, unsigned *out) {
    unsigned t = threadIdx.x;
    ((float *)out)[place(11)] = in[t] * 3;
    ((double *)(out + 128))[place(13)] = wide[t] / 3;
}

// Below the base, and so far above it that the sign counts.
extern "C" __global__ void indices(const unsigned *in, unsigned *out, unsigned below) {
    int back = -(int)place(1);
    (out + 64)[back] = in[threadIdx.x];
    (out + 128 - (size_t)below)[below + place(2)] = in[threadIdx.x] + 1;
}

extern "C" __global__ void some(const unsigned *in, unsigned *out) {
    unsigned x = in[threadIdx.x];
    if (x & 1)
        out[place(17)] = x;
    else
        ((unsigned short *)out)[512 + place(19)] = (unsigned short)x;
    if (x % 16 == 3)
        ((unsigned char *)out)[2048 + place(23)] = (unsigned char)x;
}

struct three {
    unsigned a, b, c;
};

extern "C" __global__ void records(const unsigned *in, unsigned *out) {
    unsigned x = in[threadIdx.x];
    ((three *)out)[place(1)] = {x, x + 1, x ^ 5};
    ((uint2 *)(out + 256))[place(2)] = make_uint2(x, ~x);
    ((uint4 *)(out + 512))[place(3)] = make_uint4(x, x * 3, x * 5, x * 7);
    ((ulonglong2 *)(out + 1024))[place(4)] = make_ulonglong2(x, x * 0x100000001ull);
    ((ushort4 *)(out + 2048))[place(5)] = make_ushort4(x, x >> 4, x >> 8, x >> 12);
}

extern "C" __global__ void counts(const unsigned *in, unsigned *out) {
    __shared__ unsigned few[16], most[16], odd[16];
    __shared__ unsigned long long wide[16];
    unsigned t = threadIdx.x, x = in[blockIdx.x * 64 + t];
    if (t < 16)
        few[t] = most[t] = odd[t] = wide[t] = 0;
    __syncthreads();
    atomicAdd(&few[x & 15], x >> 8);
    atomicMax(&most[x >> 4 & 15], x >> 3);
    atomicAdd(&wide[x >> 8 & 15], x * 0x100000003ull);
    if (x & 16)
        atomicXor(&odd[x >> 12 & 15], x);
    __syncthreads();
    if (t < 16) {
        unsigned *own = out + blockIdx.x * 128;
        own[t] = few[t];
        own[16 + t] = most[t];
        own[64 + t] = odd[t];
        ((unsigned long long *)(own + 32))[t] = wide[t];
    }
}

extern "C" __global__ void count_bytes(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

extern "C" __global__ void sums(const float *in, const double *wide, unsigned *out) {
    __shared__ float f[8];
    __shared__ double d[8];
    unsigned t = threadIdx.x;
    if (t < 8)
        f[t] = d[t] = 0;
    __syncthreads();
    // One thread a word and turn: the order of additions does not matter.
    for (unsigned turn = 0; turn < 8; turn++) {
        if (t / 8 == turn) {
            atomicAdd(&f[(t * 5 + 3) % 8], in[t]);
            atomicAdd(&d[(t * 3 + 1) % 8], wide[t]);
        }
        __syncthreads();
    }
    if (t < 8) {
        ((float *)out)[t] = f[t];
        ((double *)(out + 16))[t] = d[t];
    }
}

// Places and values that are extended from bytes and halves of words.
extern "C" __global__ void of_bytes(const unsigned char *in, const unsigned short *halves,
                                    unsigned *out) {
    __shared__ unsigned s[256], h[64];
    unsigned t = threadIdx.x, *own = out + blockIdx.x * 2048;
    for (unsigned i = t; i < 256; i += blockDim.x)
        s[i] = i;
    h[t % 64] = t;
    __syncthreads();
    atomicAdd(&s[in[t]], 1u);
    atomicAdd(&s[in[t + 64]], in[t + 128]);
    atomicAdd(&h[halves[t] & 63], halves[t + 1]);
    __syncthreads();
    for (unsigned i = t; i < 256; i += blockDim.x)
        own[i] = s[i];
    own[256 + place(1)] = in[t + 3];
    own[320 + place(3)] = halves[t + 3];
    ((unsigned short *)own)[2 * (384 + place(5))] = in[t + 5];
    ((unsigned char *)own)[4 * (448 + place(7))] = in[t + 7];
    ((unsigned long long *)(own + 512))[place(9)] = in[t + 9];
    ((ulonglong2 *)(own + 1024))[in[0] % 64 + place(11)] = make_ulonglong2(in[t + 11], halves[t]);
    if (t < 64)
        own[640 + place(13)] = h[t];
}

// Lanes that never act are left out, others when it runs.
extern "C" __global__ void some_of_bytes(const unsigned char *in, const unsigned short *halves,
                                         unsigned *out) {
    unsigned t = threadIdx.x;
    if (t % 4 == 2) {
        atomicAdd(&out[in[t]], 3u);
        out[256 + place(1)] = in[t + 64];
    }
    if (t % 8 == 7)
        atomicAdd(&out[512 + in[t + 1]], in[t + 2]);
    if (halves[t] & 1) {
        atomicAdd(&out[1024 + in[t + 3]], 5u);
        atomicMax(&out[1280 + in[t + 4]], halves[t]);
        out[2048 + place(3)] = halves[t + 1];
    }
}

// Bytes that several vectors have in one line, and which lie on another page at each turn.
extern "C" __global__ void lines_of_bytes(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&s[in[i]], 1u);
        atomicAdd(&bins[256 + in[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
