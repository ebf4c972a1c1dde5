// Warp operations: shuffles, votes, matches, reductions, under full and partial masks.
// run: shuffles grid=1 block=96 args=buf:96:rand,buf:768:zero
// run: votes grid=1 block=64 args=buf:64:small,buf:512:zero
// run: matches grid=1 block=64 args=buf:64:small,buf:192:zero
// run: reductions grid=1 block=64 args=buf:64:rand,buf:512:zero
// run: partial grid=1 block=64 args=buf:64:small,buf:128:zero
// run: warp_sum grid=2 block=128 args=buf:256:float,buf:8:zero
// run: lanes grid=1 block=70 args=buf:560:zero
// run: tiles8 grid=1 block=64 args=buf:64:small,buf:128:zero
// run: both_arms grid=1 block=32 args=buf:32:zero
// run: not_full grid=1 block=40 args=buf:40:small,buf:80:zero
#define FULL 0xffffffffu
extern "C" __global__ void shuffles(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, v = in[t];
    out[t] = __shfl_down_sync(FULL, v, 4);
    out[96 + t] = __shfl_up_sync(FULL, v, 3);
    out[192 + t] = __shfl_xor_sync(FULL, v, 9);
    out[288 + t] = __shfl_sync(FULL, v, 5);
    out[384 + t] = __shfl_sync(FULL, v, v % 32);
    out[480 + t] = __shfl_down_sync(FULL, v, 2, 8);
    out[576 + t] = __shfl_sync(FULL, v, (t * 3) & 31, 16);
    out[672 + t] = __float_as_uint(__shfl_xor_sync(FULL, (float)(int)v, 16)) +
                   (unsigned)__shfl_sync(FULL, (unsigned long long)v * 3, 7);
}

extern "C" __global__ void votes(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    bool p = in[t] > 100;
    out[t] = __ballot_sync(FULL, p);
    out[64 + t] = __any_sync(FULL, in[t] == 3);
    out[128 + t] = __all_sync(FULL, in[t] < 256);
    out[192 + t] = __popc(__ballot_sync(FULL, p) & ((1u << (t % 32)) - 1));
    // Which lanes are together is not fixed: this one is, and none that did not come here.
    unsigned here = __ballot_sync(FULL, p);
    if (p) {
        unsigned m = __activemask();
        out[256 + t] = (m >> (t % 32) & 1) | (m & ~here);
    }
}

extern "C" __global__ void matches(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    int pred;
    out[t] = __match_any_sync(FULL, in[t] % 5);
    out[64 + t] = __match_all_sync(FULL, t / 32, &pred) + pred;
    out[128 + t] = __match_any_sync(FULL, (unsigned long long)(in[t] % 3) << 40);
}

extern "C" __global__ void reductions(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    out[t] = __reduce_add_sync(FULL, in[t]);
    out[64 + t] = __reduce_min_sync(FULL, in[t]);
    out[128 + t] = __reduce_max_sync(FULL, in[t]);
    out[192 + t] = (unsigned)__reduce_min_sync(FULL, (int)in[t]);
    out[256 + t] = (unsigned)__reduce_max_sync(FULL, (int)in[t]);
    out[320 + t] = __reduce_and_sync(FULL, in[t] | 0xff);
    out[384 + t] = __reduce_or_sync(FULL, in[t] & 0xf0f);
    out[448 + t] = __reduce_xor_sync(FULL, in[t]);
}

extern "C" __global__ void partial(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    bool p = in[t] & 1;
    unsigned m = __ballot_sync(FULL, p);
    if (p) {
        out[t] = __reduce_add_sync(m, in[t]);
        out[64 + t] = __shfl_sync(m, in[t], __ffs(m) - 1);
    }
}

extern "C" __global__ void warp_sum(const float *in, float *out) {
    unsigned t = threadIdx.x;
    float v = in[blockIdx.x * blockDim.x + t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(FULL, v, d);
    if ((t & 31) == 0)
        out[blockIdx.x * 4 + t / 32] = v;
}

extern "C" __global__ void lanes(unsigned *out) {
    unsigned t = threadIdx.x, r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    out[t] = r;
    asm("mov.u32 %0, %%warpid;" : "=r"(r));
    out[70 + t] = r;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    out[140 + t] = r;
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r));
    out[210 + t] = r;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r));
    out[280 + t] = r;
    out[350 + t] = t & 31;
    out[420 + t] = t >> 5;
    out[490 + t] = (t & 7) * 100 + (t >> 3 & 3) + (t ^ 5) + (t | 2);
}

extern "C" __global__ void tiles8(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, lane = t & 31, m = 0xffu << (lane & ~7u), v = in[t];
    for (int d = 4; d > 0; d /= 2)
        v += __shfl_xor_sync(m, v, d, 8);
    out[t] = v;
    out[64 + t] = __ballot_sync(m, in[t] > 90);
}

extern "C" __global__ void both_arms(unsigned *out) {
    __shared__ volatile unsigned s[32];
    unsigned t = threadIdx.x;
    s[t] = 0;
    __syncwarp();
    if (t < 16) {
        __syncwarp();
        out[t] = s[t + 16];
    } else {
        s[t] = t * 3;
        __syncwarp();
        out[t] = 7;
    }
}

extern "C" __global__ void not_full(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, m = t < 32 ? FULL : 0xffu;
    out[t] = __ballot_sync(m, in[t] & 1);
    out[40 + t] = __shfl_up_sync(m, in[t], 1);
}

// Sums of floats that are shuffled, and bits of NaNs on their way: loaded ones and computed ones.
// run: nans grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:0
// run: nans grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:9
extern "C" __global__ void nans(const unsigned *x, unsigned *out, unsigned at) {
    unsigned t = threadIdx.x;
    float loaded = __uint_as_float(x[t] | (t % 3 ? 0x7f800000 : 0));
    float sum = __uint_as_float(x[t + at]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    float moved = __shfl_down_sync(~0u, loaded, 3), both = t % 2 ? moved : sum * loaded;
    both = __shfl_up_sync(~0u, both, 1);
    out[t] = __float_as_uint(sum);
    out[t + 64] = __float_as_uint(moved);
    out[t + 128] = __float_as_uint(both);
    out[t + 192] = __float_as_uint(__shfl_sync(~0u, loaded + sum, t ^ 5)) + 1;
    out[t + 256] = __shfl_sync(~0u, __float_as_uint(sum * 0.5f) >> 3, 7) ^ __float_as_uint(both + 1);
}
