// Bit operations of a thread's index with a number that only the launch knows: neighbours stay
// neighbours where its low bits are all zero (or, xor) or all set (and), and only there.

// run: network grid=2 block=64 args=buf:512:rand,u32:32,u32:64
// run: network grid=2 block=64 args=buf:512:rand,u32:16,u32:16
// run: network grid=2 block=64 args=buf:512:rand,u32:8,u32:32
// run: network grid=2 block=64 args=buf:512:rand,u32:1,u32:2
// run: network grid=3 block=40 args=buf:512:rand,u32:64,u32:4
extern "C" __global__ void network(unsigned *keys, int stride, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = 2 * i - (i & (stride - 1));
    unsigned a = keys[at], b = keys[at + stride];
    if ((a > b) == ((i & size / 2) == 0)) {
        keys[at] = b;
        keys[at + stride] = a;
    }
}

// run: partners grid=2 block=64 args=buf:1024:rand,buf:1024:zero,u32:64
// run: partners grid=2 block=64 args=buf:1024:rand,buf:1024:zero,u32:16
// run: partners grid=2 block=64 args=buf:1024:rand,buf:1024:zero,u32:37
// run: partners grid=2 block=64 args=buf:1024:rand,buf:1024:zero,u32:4
// run: partners grid=2 block=48 args=buf:1024:rand,buf:1024:zero,u32:256
extern "C" __global__ void partners(const unsigned *in, unsigned *out, unsigned u) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    for (unsigned k = t; k < 1024; k += blockDim.x)
        s[k] = in[k];
    __syncthreads();
    out[i] = in[i ^ u] + s[t ^ u];
    out[128 + i] = in[i | u] + s[(t | u) + 1];
    out[256 + i] = in[i & u] + 3 * in[(i & (u - 1)) + 5];
    out[384 + i] = in[((i ^ u) - (i & ~15u)) & 1023] - in[i - (i & (u - 1))];
}

// The index of a bit operation in 64 bits, of which the low half alone is used.
// run: halves grid=1 block=64 args=buf:512:rand,buf:128:zero,u32:7
// run: halves grid=1 block=64 args=buf:512:rand,buf:128:zero,u32:127
extern "C" __global__ void halves(const unsigned *in, unsigned *out, unsigned u) {
    unsigned long long t = threadIdx.x, w = (t & u) + 3;
    out[threadIdx.x] = in[(int)w];
    out[64 + threadIdx.x] = in[(unsigned)(w - t) & 511];
}

// The distance of two indices is alike in all threads only where neither wraps.
// run: distance grid=1 block=64 args=buf:64:zero,u32:4294967280,u32:5
// run: distance grid=1 block=64 args=buf:64:zero,u32:4294967288,u32:3
extern "C" __global__ void distance(unsigned *out, unsigned a, unsigned b) {
    unsigned i = a + threadIdx.x, j = b + threadIdx.x;
    unsigned long long d = (unsigned long long)i - (unsigned long long)j;
    out[threadIdx.x] = (unsigned)(d >> 16) ^ (unsigned)d;
}
