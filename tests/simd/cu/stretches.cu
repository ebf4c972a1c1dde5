// Scatters whose lanes may lie side by side: elements that go to their buckets, at their own index
// plus what the bucket says, and what wraps, overlaps or follows no pattern.
// run: buckets grid=2 block=64 args=buf:256:rand,buf:256:zero,buf:32:zero
// run: offsets grid=1 block=64 args=buf:64:rand,buf:2048:zero,buf:16:rand
// run: offsets grid=2 block=50 args=buf:100:rand,buf:2048:zero,buf:16:rand
// run: overlapping grid=1 block=64 args=buf:64:rand,buf:200:zero
// run: some grid=2 block=64 args=buf:128:rand,buf:400:zero,u32:3
// run: some grid=2 block=64 args=buf:128:rand,buf:400:zero,u32:100
// run: some grid=2 block=64 args=buf:128:rand,buf:400:zero,u32:1
// run: backwards grid=1 block=96 args=buf:96:rand,buf:300:zero
// run: wrapping grid=1 block=64 args=buf:64:rand,buf:300:zero,u32:2147483620
// run: wrapping grid=1 block=64 args=buf:64:rand,buf:300:zero,u32:4294967266
// run: negative grid=1 block=64 args=buf:64:rand,buf:300:zero
// run: two grid=2 block=64 args=buf:128:rand,buf:400:zero,u32:0,u32:1
// run: two grid=2 block=64 args=buf:128:rand,buf:400:zero,u32:5,u32:1
// run: two grid=1 block=64 args=buf:64:rand,buf:400:zero,u32:2147483600,u32:1
// run: two grid=1 block=64 args=buf:64:rand,buf:400:zero,u32:3,u32:2
// run: floats grid=1 block=64 args=buf:64:rand,buf:300:zero
// run: plain grid=2 block=64 args=buf:128:rand,buf:1024:zero
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// A block's elements sorted by two bits, then to places of their own.
extern "C" __global__ void buckets(const unsigned *in, unsigned *out, const unsigned *place) {
    __shared__ unsigned s[64], first[4];
    int t = threadIdx.x;
    s[t] = t / 5 % 4 * 1000 + in[THREAD] % 1000;
    __syncthreads();
    unsigned digit = in[t / 9] % 4;
    if (t < 4)
        first[t] = t * 3;
    __syncthreads();
    out[blockIdx.x * 128 + place[digit] + t + first[digit]] = s[t];
}

extern "C" __global__ void offsets(const unsigned *in, unsigned *out, const unsigned *by) {
    int i = THREAD;
    out[i + by[i / 6 % 16] % 16 * 128] = in[i];
}

// Several lanes at one place, in stretches that go across each other: the last one counts.
extern "C" __global__ void overlapping(const unsigned *in, unsigned *out) {
    int t = threadIdx.x;
    int by = t % 16 == 7 ? -3 : t % 16 > 11 ? -9 : t % 16 > 3 ? -2 : 0;
    int also = in[t] % 1000 > 1000;
    out[t + by + also + 20] = t + 1;
}

extern "C" __global__ void some(const unsigned *in, unsigned *out, unsigned every) {
    int i = THREAD;
    if (in[i] % every == 0)
        out[i + in[i / 16] % 2 * 200] = in[i];
}

extern "C" __global__ void backwards(const unsigned *in, unsigned *out) {
    int t = threadIdx.x;
    int by = (t / 4) * 8 + in[200 / (t + 90)] % 1;
    out[128 + t - by] = in[t];
}

// One stretch or two of sixteen lanes, which begin at any of them; the second one may lie across
// the first one, and some lanes may store nothing.
extern "C" __global__ void two(const unsigned *in, unsigned *out, unsigned from, unsigned every) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t, odd = in[t / 16] % 16 < t % 16;
    int by = (int)(from + odd * (in[0] % 3) - odd * (from > 4 ? 4 : 0));
    unsigned *p = out - (size_t)from + 64;
    if (in[i] % every == 0)
        p[by + blockIdx.x * 128 + t] = in[i];
}

// Sums of 32 bits wrap between lanes; what is behind is added in 64 bits.
extern "C" __global__ void wrapping(const unsigned *in, unsigned *out, unsigned from) {
    int t = threadIdx.x;
    unsigned at = t + from + in[t / 20] % 2;
    unsigned back = at - from;
    unsigned *p = out - (size_t)from + 100;
    if (at >= from)
        p[at] = in[t];
    else
        out[back] = in[t];
}

extern "C" __global__ void negative(const unsigned *in, unsigned *out) {
    int t = threadIdx.x, by = in[t / 10] % 2 * 64;
    (out + 200)[t - 90 - by] = in[t];
}

extern "C" __global__ void floats(const unsigned *in, float *out) {
    int t = threadIdx.x;
    out[t + in[t / 12] % 4 * 64] = in[t] % 1000 + 0.5f;
}

// Words that go anywhere.
extern "C" __global__ void plain(const unsigned *in, unsigned *out) {
    int i = THREAD;
    out[i % 32 * 16 + i / 32 * 2 + in[i / 64] % 2] = in[i];
    __shared__ unsigned s[64];
    unsigned k = in[i] % 64;
    s[threadIdx.x] = 0;
    __syncthreads();
    s[k] = k;
    __syncthreads();
    out[600 + i] = s[threadIdx.x];
}
