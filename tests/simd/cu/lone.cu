// Scattered stores that none of a vector's lanes makes, or one, or now and then more.
// run: begins grid=2 block=64 args=buf:128:rand,buf:1024:zero,u32:5
// run: begins grid=2 block=64 args=buf:128:rand,buf:1024:zero,u32:17
// run: begins grid=2 block=64 args=buf:128:rand,buf:1024:zero,u32:64
// run: begins grid=2 block=50 args=buf:128:rand,buf:1024:zero,u32:1
// run: in_loop grid=1 block=64 args=buf:256:rand,buf:512:zero,u32:9
// run: in_loop grid=2 block=64 args=buf:256:rand,buf:512:zero,u32:40
// run: shared_firsts grid=2 block=64 args=buf:128:rand,buf:64:zero
// run: four_a_thread grid=2 block=64 args=buf:512:rand,buf:64:zero
// run: far grid=1 block=64 args=buf:64:rand,buf:512:zero,u32:4294967166
// run: pairs grid=1 block=64 args=buf:64:rand,buf:512:zero
// run: nowhere grid=1 block=64 args=buf:64:zero,u64:1
// run: floats grid=1 block=64 args=buf:64:rand,buf:256:zero
// run: two_stores grid=1 block=64 args=buf:64:rand,buf:256:zero
// run: loaded grid=1 block=64 args=buf:64:rand,buf:256:zero
// run: ends grid=1 block=64 args=buf:64:rand,buf:256:zero
// run: one_lane grid=1 block=96 args=buf:128:rand,buf:1200:zero,u32:80
// run: one_lane grid=2 block=64 args=buf:128:rand,buf:1200:zero,u32:32
// run: same_place grid=1 block=64 args=buf:64:rand,buf:64:zero
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// Where a run of equal elements begins.
extern "C" __global__ void begins(const unsigned *in, unsigned *out, unsigned length) {
    unsigned t = threadIdx.x, i = THREAD, x = in[i / length] % 8 + i / length * 8;
    unsigned last = i ? in[(i - 1) / length] % 8 + (i - 1) / length * 8 : ~0u;
    if (x != last && t)
        out[x] = i;
}

extern "C" __global__ void in_loop(const unsigned *in, unsigned *out, unsigned every) {
    for (unsigned k = 0; k < 4; k++) {
        unsigned i = threadIdx.x * 4 + k, x = in[i % 256];
        if (x % every == k)
            out[blockIdx.x * 256 + i % 256 * 37 % 256] = x;
    }
}

// The places stand in shared memory, where others read them behind a barrier.
extern "C" __global__ void shared_firsts(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64], first[16];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64] % 7 + t / 5;
    if (t < 16)
        first[t] = 1000;
    __syncthreads();
    if (t == 0 || s[t - 1] != s[t])
        first[s[t] % 16] = t;
    __syncthreads();
    if (t < 16)
        out[blockIdx.x * 16 + t] = first[t];
}

extern "C" __global__ void four_a_thread(const uint4 *in, unsigned *out) {
    __shared__ unsigned s[256], first[16];
    int t = threadIdx.x;
    uint4 x = in[blockIdx.x * 64 + t];
    unsigned k[4] = {x.x % 2 + t / 9, x.y % 3 + t / 9, x.z % 2 + t / 9, x.w % 4 + t / 9};
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = (4 * t + i) / 21;
    if (t < 16)
        first[t] = 999 + k[0] + k[1] + k[2] + k[3];
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        int at = 4 * t + i;
        unsigned digit = at / 21;
        if (at == 0 || s[at - 1] != digit)
            first[digit] = at;
    }
    __syncthreads();
    if (t < 16)
        out[blockIdx.x * 16 + t] = first[t];
}

// The index's highest bit is set, and 64-bit numbers are added to it.
extern "C" __global__ void far(const unsigned *in, unsigned *out, unsigned from) {
    unsigned t = threadIdx.x, x = in[t];
    if (x % 13 == 1)
        (out - (size_t)from)[from + x % 2 + t * 2] = x;
}

// The lowest lane stores, others behind it to the same word: the last one counts.
extern "C" __global__ void same_place(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    if (in[t] % 5 == 2)
        out[in[63] % 2 + in[t / 32] % 2 + t / 16 * 4] = t;
}

extern "C" __global__ void pairs(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t];
    if (x % 20 == 3)
        ((uint2 *)out)[t * 29 % 64 + x % 2 * 64] = make_uint2(x, t);
    if (x % 20 == 5)
        ((unsigned char *)out)[1024 + t * 29 % 64] = (unsigned char)x;
}

// No lane stores, and there is no memory where it would.
extern "C" __global__ void nowhere(const unsigned *in, unsigned long long p) {
    unsigned x = in[threadIdx.x];
    if (x)
        *(unsigned *)(p + x * 4096ull) = x;
    if (x > 7)
        ((unsigned *)p)[x] = x;
}

extern "C" __global__ void floats(const unsigned *in, float *out) {
    unsigned t = threadIdx.x;
    float x = in[t] % 1000 / 8.0f;
    if (in[t] % 11 == 4)
        out[t * 23 % 128 + in[t] % 2 * 128] = x * x;
}

// What does not qualify: several stores, loads, an end.
extern "C" __global__ void two_stores(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t];
    if (x % 9 == 2) {
        out[t * 23 % 64 + x % 2 * 64] = x;
        out[t * 29 % 64 + x % 2 * 64 + 128] = x + 1;
    }
}

extern "C" __global__ void loaded(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t];
    if (x % 9 == 2)
        out[t * 23 % 64 + in[x % 64] % 2 * 64] = in[x / 64 % 64];
}

extern "C" __global__ void ends(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t];
    if (x % 9 == 2) {
        out[t * 23 % 64 + x % 2 * 64] = x;
        return;
    }
    out[128 + t] = x % 9;
}

// Places that memory tells, but only the third lane of some vectors can be here.
extern "C" __global__ void one_lane(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = THREAD, x = in[i] % 8 * 128;
    out[1024 + i] = x;
    if (i < n && (i & 31) == 3)
        out[x + i] = i + 1;
}
