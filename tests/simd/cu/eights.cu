// Two accesses of four words a thread that lie side by side are one of whole vectors.
// run: straight grid=2 block=64 args=buf:1024:rand,buf:1024:zero
// run: straight grid=1 block=44 args=buf:1024:rand,buf:1024:zero
// run: backwards grid=1 block=64 args=buf:512:rand,buf:512:zero
// run: some grid=1 block=64 args=buf:512:rand,buf:512:zero,u32:37
// run: some grid=1 block=64 args=buf:512:rand,buf:512:zero,u32:64
// run: wraps grid=1 block=64 args=buf:2048:rand,buf:1024:zero,u32:4294967040
// run: in_loop grid=2 block=64 args=buf:2048:rand,buf:2048:zero,u32:2
// run: behind_barrier grid=2 block=128 args=buf:2048:rand,buf:2048:zero
// run: between grid=1 block=64 args=buf:1024:rand
// run: sixteen grid=1 block=64 args=buf:1024:rand,buf:1024:zero
// run: floats grid=1 block=64 args=buf:1024:float,buf:1024:zero
// run: from_counter grid=4 block=64 args=buf:4:zero,buf:2048:rand,buf:2048:zero
// run: from_counter grid=2 block=128 args=buf:4:zero,buf:2048:rand,buf:2048:zero
// run: words_from_counter grid=4 block=256 args=buf:4:zero,buf:1024:rand,buf:1024:zero
extern "C" __global__ void straight(const uint4 *in, uint4 *out) {
    unsigned i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    uint4 a = in[i], b = in[i + 1];
    out[i] = make_uint4(a.x + b.w, a.y, a.z ^ b.x, a.w);
    out[i + 1] = make_uint4(b.x, b.y * 3, b.z, b.w - a.y);
}

// The upper half first.
extern "C" __global__ void backwards(const uint4 *in, uint4 *out) {
    unsigned i = 2 * threadIdx.x;
    uint4 b = in[i + 1], a = in[i];
    out[i + 1] = make_uint4(a.x, b.x, a.y, b.y);
    out[i] = make_uint4(a.z, b.z, a.w, b.w);
}

extern "C" __global__ void some(const uint4 *in, uint4 *out, unsigned n) {
    unsigned i = 2 * threadIdx.x;
    if (threadIdx.x >= n)
        return;
    uint4 a = in[i], b = in[i + 1];
    if (a.x & 1) {
        out[i] = b;
        out[i + 1] = a;
    }
}

// The index wraps between two threads.
extern "C" __global__ void wraps(const uint4 *in, uint4 *out, unsigned from) {
    unsigned i = threadIdx.x * 2 + from * 2;
    uint4 a = in[i & 511], b = in[(i & 511) + 1];
    unsigned k = (threadIdx.x + from) * 2 + 512;
    out[k & 255] = a;
    out[(k & 255) + 1] = b;
}

extern "C" __global__ void in_loop(const uint4 *in, uint4 *out, int turns) {
    for (int n = 0; n < turns; n++) {
        unsigned i = 2 * (n * 128 + blockIdx.x * 64 + threadIdx.x);
        uint4 a = in[i], b = in[i + 1];
        a.x += n;
        out[i] = b;
        out[i + 1] = a;
    }
}

extern "C" __global__ void behind_barrier(const uint4 *in, uint4 *out) {
    __shared__ unsigned sums[128];
    unsigned t = threadIdx.x, i = 2 * (blockIdx.x * blockDim.x + t);
    uint4 a = in[i], b = in[i + 1];
    sums[t] = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    __syncthreads();
    unsigned s = sums[t ^ 77];
    out[i] = make_uint4(a.x + s, a.y + s, a.z + s, a.w + s);
    out[i + 1] = make_uint4(b.x + s, b.y + s, b.z + s, b.w + s);
}

// What is stored in between is loaded.
extern "C" __global__ void between(uint4 *p) {
    unsigned i = 2 * threadIdx.x;
    uint4 a = p[i];
    p[i + 1] = a;
    uint4 b = p[i + 1];
    p[i] = make_uint4(b.x + 1, b.y, b.z, a.w);
    ((unsigned *)(p + i))[5] = 7;
    p[i + 1] = make_uint4(a.x, b.y, 5, 6);
}

// Four side by side, threads further apart.
extern "C" __global__ void sixteen(const uint4 *in, uint4 *out) {
    unsigned i = 4 * threadIdx.x;
    uint4 a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];
    out[i] = d;
    out[i + 1] = c;
    out[i + 2] = b;
    out[i + 3] = a;
}

extern "C" __global__ void floats(const float4 *in, float4 *out) {
    unsigned i = 2 * threadIdx.x;
    float4 a = in[i], b = in[i + 1];
    out[i] = make_float4(a.x + b.x, a.y * b.y, a.z - b.z, a.w);
    out[i + 1] = make_float4(b.x, b.y + 1, b.z, b.w * a.w);
}

// Where a block writes follows from what it loads before its second barrier.
extern "C" __global__ void from_counter(int *next, const uint4 *in, uint4 *out) {
    __shared__ int shared_tile;
    __shared__ unsigned sums[128];
    unsigned t = threadIdx.x;
    if (t == 0)
        shared_tile = atomicAdd(next, 1);
    __syncthreads();
    unsigned i = 2 * (shared_tile * blockDim.x + t);
    uint4 a = in[i], b = in[i + 1];
    sums[t] = a.x + b.w;
    __syncthreads();
    unsigned s = sums[(t * 5 + 3) % blockDim.x];
    out[i] = make_uint4(a.x + s, a.y, a.z, a.w ^ s);
    out[i + 1] = make_uint4(b.x, b.y - s, b.z, b.w);
}

extern "C" __global__ void words_from_counter(int *next, const unsigned *in, unsigned *out) {
    __shared__ int shared_tile;
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x;
    if (t == 0)
        shared_tile = atomicAdd(next, 1);
    __syncthreads();
    size_t at = (size_t)shared_tile * 256;
    s[t] = in[at + t];
    __syncthreads();
    unsigned x = s[t * 7 % 256];
    if (t & 1)
        out[at + (t ^ 1)] = x;
    else
        out[at + t + 1] = x + 1;
}
