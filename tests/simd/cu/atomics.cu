// Atomics whose outcome does not depend on the order of threads, or which run in lane order.
// run: histogram grid=2 block=128 args=buf:256:small,buf:256:zero
// run: shared_histogram grid=2 block=128 args=buf:256:small,buf:64:zero
// run: operations grid=1 block=64 args=buf:64:rand,buf:16:zero
// run: wide grid=1 block=64 args=buf:64:rand,buf:16:zero
// run: floats grid=1 block=64 args=buf:64:small,buf:8:zero
// run: returned grid=1 block=32 args=buf:32:zero,buf:1:zero
// run: returned_each grid=1 block=32 args=buf:32:rand,buf:288:zero,buf:24:rand
// run: compared grid=1 block=32 args=buf:32:small,buf:96:zero,buf:64:zero
// run: cas_loop grid=1 block=96 args=buf:2:zero
// run: lock grid=1 block=64 args=buf:2:zero
// run: exchanged grid=2 block=64 args=buf:128:rand,buf:1024:zero
// run: exchanged_alike grid=1 block=32 args=buf:32:rand,buf:16:zero
// run: inc_dec grid=1 block=100 args=buf:2:zero
extern "C" __global__ void histogram(const unsigned *in, unsigned *out) {
    atomicAdd(&out[in[blockIdx.x * 128 + threadIdx.x]], 1u);
}

extern "C" __global__ void shared_histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[64];
    unsigned t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 128 + t] / 4], 1u);
    __syncthreads();
    if (t < 64)
        atomicAdd(&out[t], bins[t]);
}

extern "C" __global__ void operations(const unsigned *in, unsigned *out) {
    unsigned v = in[threadIdx.x];
    atomicAdd(&out[0], v);
    atomicSub(&out[1], v);
    atomicMin(&out[2], v);
    atomicMax(&out[3], v);
    atomicMin((int *)&out[4], (int)v);
    atomicMax((int *)&out[5], (int)v);
    atomicAnd(&out[6], v);
    atomicOr(&out[7], v);
    atomicXor(&out[8], v);
    if (v & 1)
        atomicAdd(&out[9], 3u);
    atomicAdd(&out[10 + (v & 3)], v >> 5);
    atomicAdd_system(&out[14], v);
    atomicMax_block(&out[15], v);
}

extern "C" __global__ void wide(const unsigned *in, unsigned long long *out) {
    unsigned long long v = (unsigned long long)in[threadIdx.x] << 20 | threadIdx.x;
    atomicAdd(&out[0], v);
    atomicMax(&out[1], v);
    atomicMin((long long *)&out[2], -(long long)v);
    atomicXor(&out[3], v);
    atomicOr(&out[4], v);
    atomicCAS(&out[5], 0ull, 77ull);
}

extern "C" __global__ void floats(const unsigned *in, float *out) {
    float v = (float)in[threadIdx.x];
    atomicAdd(&out[0], v);
    atomicAdd((double *)&out[2], (double)v * 0.5);
    atomicExch(&out[4], 5.0f);
}

extern "C" __global__ void returned(unsigned *out, unsigned *counter) {
    out[threadIdx.x] = atomicAdd(counter, 2u);
}

// Each operation in some of the lanes, on one address.
extern "C" __global__ void returned_each(const unsigned *in, unsigned *out, unsigned *at) {
    unsigned t = threadIdx.x, v = in[t];
    __shared__ unsigned sum;
    if (t == 0)
        sum = v;
    __syncthreads();
    out[t] = atomicAdd(&at[0], v);
    if (v & 2)
        out[32 + t] = atomicMin(&at[1], v);
    if (v & 4)
        out[64 + t] = atomicMax((int *)&at[2], (int)v);
    if (v & 8)
        out[96 + t] = atomicAnd(&at[3], v);
    if (v & 16)
        out[128 + t] = atomicOr(&at[4], v);
    if (t > 20)
        out[160 + t] = atomicXor(&at[5], v);
    if (t == 13)
        out[192 + t] = atomicAdd(&at[6], v);
    if (v & 1)
        out[224 + t] = atomicAdd(&sum, v);
    if (v & 32)
        out[256 + t] = atomicAdd((unsigned long long *)&at[8], (unsigned long long)v << 20) >> 16;
}

// Swaps of which some succeed, also where another lane has swapped just before; then none does.
extern "C" __global__ void compared(const unsigned *in, unsigned *out, unsigned *at) {
    unsigned t = threadIdx.x, v = in[t] % 64;
    out[t] = atomicCAS(&at[v / 4], t % 3, t + 1);
    if (t & 5)
        out[32 + t] = atomicCAS(&at[16], t / 8 % 2 ? t - 1 : 0, t + 1);
    if (v & 1)
        out[64 + t] = atomicCAS((unsigned long long *)&at[32 + 2 * (v / 8)], 1ull << 40, 5ull) + t;
}

extern "C" __global__ void cas_loop(unsigned *out) {
    unsigned old = out[0], seen;
    do {
        seen = old;
        old = atomicCAS(&out[0], seen, seen * 2 % 1009 + 1);
    } while (old != seen);
}

extern "C" __global__ void lock(unsigned *out) {
    while (atomicCAS(&out[0], 0u, 1u) != 0u)
        ;
    __threadfence();
    out[1] = out[1] + threadIdx.x;
    __threadfence();
    atomicExch(&out[0], 0u);
}

extern "C" __global__ void inc_dec(unsigned *out) {
    atomicInc(&out[0], 30u);
    atomicDec(&out[1], 17u);
}

// What was there before is not looked at, or it is.
extern "C" __global__ void exchanged(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, x = in[blockIdx.x * 64 + t], *own = out + blockIdx.x * 512;
    atomicExch(&own[t * 37 % 64], x);
    if (x & 1)
        atomicExch((unsigned long long *)&own[64 + 2 * t], x * 0x100000001ull);
    atomicExch((float *)&own[192 + t], (float)(x % 1000));
    atomicExch(&s[t ^ 5], x);
    __syncthreads();
    own[256 + t] = atomicExch(&own[t], s[t] + 1);
    __threadfence();
    if (x % 3)
        own[320 + t] = atomicExch((int *)&s[t], 7);
}

// All lanes at one word: the last one's value stays.
extern "C" __global__ void exchanged_alike(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    atomicExch(&out[0], in[t]);
    if (in[t] % 3)
        atomicExch(&out[1], in[t]);
    atomicExch(&out[2 + t / 8], t);
}
