// Warp operations with members that come by different ways, or have ended.
// run: arms grid=1 block=64 args=buf:128:small,buf:512:zero
// run: arms grid=1 block=40 args=buf:128:small,buf:512:zero
// run: synced grid=1 block=64 args=buf:128:small,buf:128:zero
// run: votes grid=1 block=64 args=buf:128:small,buf:512:zero
// run: turns grid=1 block=64 args=buf:128:small,buf:128:zero
// run: turns grid=2 block=96 args=buf:128:small,buf:256:zero
// run: tiles grid=1 block=64 args=buf:128:small,buf:128:zero
// run: ended grid=1 block=64 args=buf:128:small,buf:128:zero
// run: half grid=4 block=16,16 args=buf:64:zero,buf:1024:small,u32:60
// run: blocks grid=1 block=64 args=buf:128:small,buf:256:zero
// run: blocks grid=1 block=96 args=buf:128:small,buf:256:zero
// run: flagged grid=1 block=64 args=buf:128:small,buf:256:zero
// run: flagged grid=1 block=128 args=buf:128:small,buf:256:zero
// run: handed grid=1 block=64 args=buf:128:small,buf:64:zero
// run: reduced grid=1 block=64 args=buf:128:small,buf:256:zero
extern "C" __global__ void arms(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t], y;
    if (x & 1) {
        y = __shfl_xor_sync(0xffffffffu, x * 3, 1);
        y += __shfl_down_sync(0xffffffffu, y, 4, 16);
    } else {
        y = __shfl_xor_sync(0xffffffffu, x * 5, 1) + 1000;
        y += __shfl_down_sync(0xffffffffu, y + 1, 4, 16);
    }
    out[t] = y;
    float f = __shfl_up_sync(0xffffffffu, x * 0.5f, 2);
    out[n + t] = (unsigned)(f * 2) + y;
}

extern "C" __global__ void synced(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, x = in[t];
    s[t] = 0;
    __syncwarp();
    if (x & 1) {
        s[t] = x;
        __syncwarp();
        x += s[t ^ 1] + s[t ^ 2];
    } else {
        s[t] = x * 3;
        __syncwarp();
        x += s[t ^ 5] * 2;
    }
    __syncwarp();
    s[t] = x;
    __syncwarp();
    out[t] = s[t ^ 31];
}

extern "C" __global__ void votes(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t], a, b, c, d;
    if (x % 3 == 0) {
        a = __ballot_sync(0xffffffffu, x & 2);
        b = __any_sync(0xffffffffu, x == 3);
        c = __match_any_sync(0xffffffffu, x & 7);
        d = __all_sync(0xffffffffu, x < 1000);
    } else if (x % 3 == 1) {
        a = __ballot_sync(0xffffffffu, x & 4);
        b = __any_sync(0xffffffffu, x == 4) + 10;
        c = __match_any_sync(0xffffffffu, x & 3) + 10;
        d = __all_sync(0xffffffffu, x != 4) + 10;
    } else {
        a = __ballot_sync(0xffffffffu, x & 1);
        b = __any_sync(0xffffffffu, x == 5) + 20;
        c = __match_any_sync(0xffffffffu, x & 1) + 20;
        d = __all_sync(0xffffffffu, x < 2000) + 20;
    }
    int pred;
    unsigned all = __match_all_sync(0xffffffffu, b < 10, &pred);
    out[t] = a;
    out[n + t] = b + 100 * d;
    out[2 * n + t] = c;
    out[3 * n + t] = all + pred;
}

// Each lane takes part in five shuffles, in two loops.
extern "C" __global__ void turns(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t], first = x % 6;
    for (unsigned k = 0; k < first; k++)
        x = x * 3 + __shfl_sync(0xffffffffu, x, (t + k) & 31);
    for (unsigned k = first; k < 5; k++)
        x = x * 5 + __shfl_sync(0xffffffffu, x, (t + 3 * k) & 31) + k;
    x += __ballot_sync(0xffffffffu, x & 1);
    out[blockIdx.x * blockDim.x + t] = x;
}

// Lanes of a tile meet though a branch goes through it, tile by tile.
extern "C" __global__ void tiles(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t], mask = 0xffu << (t & 24);
    if (t % 8 < 3) {
        x += __shfl_xor_sync(mask, x, 1);
        x ^= __shfl_xor_sync(0xffffffffu, x, 16);
    } else if (t % 16 < 8) {
        x += __shfl_xor_sync(mask, x, 1) * 2;
        x ^= __shfl_xor_sync(0xffffffffu, x, 16) + 1;
    } else {
        x += __shfl_xor_sync(mask, x, 1) * 3;
        x ^= __shfl_xor_sync(0xffffffffu, x, 16) + 2;
    }
    out[t] = x;
}

// Lanes end before the others go through operations that name them.
extern "C" __global__ void ended(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t];
    if (t % 32 >= 16) {
        if (x & 1)
            out[t] = 5 + x;
        else
            out[t] = __shfl_sync(0xffff0000u & ~__ballot_sync(0xffffffffu, 0), x, t) + 7;
        return;
    }
    x += __popc(__ballot_sync(0xffffffffu, x & 1) & 0xffff);
    x += __shfl_xor_sync(0xffffffffu, x, 3);
    out[t] = x;
}

extern "C" __global__ void half(unsigned *e, const unsigned *x, unsigned n) {
    __shared__ unsigned r[16];
    unsigned i = threadIdx.x + blockIdx.x * 16, err = 0;
    if (i >= 1 && i < n - 1)
        err = x[i * 16 + threadIdx.y];
    for (int o = 8; o > 0; o /= 2)
        err += __shfl_down_sync(0xffffffffu, err, o, 16);
    if (threadIdx.x == 0)
        r[threadIdx.y] = err;
    __syncthreads();
    if (threadIdx.y == 0) {
        err = r[threadIdx.x];
        for (int o = 8; o > 0; o /= 2)
            err += __shfl_down_sync(0xffffffffu, err, o, 16);
        if (threadIdx.x == 0)
            atomicAdd(e, err);
    }
}

// Barriers and shuffles in turn, by two ways.
extern "C" __global__ void blocks(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t];
    s[t] = x;
    if (x & 1) {
        __syncthreads();
        x += s[(t + 1) % n];
        x = __shfl_xor_sync(0xffffffffu, x, 1);
        __syncthreads();
        s[t] = x;
        x += __shfl_xor_sync(0xffffffffu, x, 2);
    } else {
        __syncthreads();
        x += s[(t + 2) % n] * 3;
        x = __shfl_xor_sync(0xffffffffu, x + 1, 1);
        for (int k = 0; k < 1; k++)
            __syncthreads();
        s[t] = x * 2;
        x += __shfl_xor_sync(0xffffffffu, x, 2) * 5;
    }
    __syncthreads();
    out[t] = x + s[(t + 7) % n];
    x += __shfl_down_sync(0xffffffffu, x, 1);
    out[n + t] = x;
}

extern "C" __global__ void reduced(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t], y;
#if __CUDA_ARCH__ >= 800
    if (x & 1)
        y = __reduce_add_sync(0xffffffffu, x) + __reduce_max_sync(0xffffffffu, x);
    else
        y = __reduce_add_sync(0xffffffffu, x * 2) ^ __reduce_max_sync(0xffffffffu, x - 50);
#else
    y = x;
#endif
    out[t] = y;
    for (unsigned d = 16; d; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    if (y & 2) {
        for (unsigned d = 16; d; d /= 2)
            y += __shfl_xor_sync(0xffffffffu, y, d);
        y += x;
    } else {
        for (unsigned d = 16; d; d /= 2)
            y += __shfl_xor_sync(0xffffffffu, y, d);
    }
    out[n + t] = y;
}

// Lanes wait for what lane 0 writes, which is elsewhere meanwhile, and for each other in turn.
extern "C" __global__ void flagged(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned flag[4], next[4];
    unsigned t = threadIdx.x, w = t / 32, lane = t % 32, x = in[t];
    if (lane == 31)
        flag[w] = next[w] = 0;
    __syncwarp();
    if (lane == 7) {
        x *= 3;
        flag[w] = x + 1;
    } else {
        while (flag[w] == 0)
            ;
        x += flag[w];
    }
    out[t] = x;
    for (unsigned k = 0; k < 3; k++)
        x += k * x;
    while (next[w] != lane)
        ;
    out[blockDim.x + t] = x + next[w];
    __threadfence_block();
    next[w] = lane + 1;
    __syncthreads();
    out[t] += next[w];
}

// A lane waits in a loop at which none can be missing, but for one that was parked before.
extern "C" __global__ void handed(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned flag[8];
    unsigned t = threadIdx.x, lane = t % 32, x = in[t];
    volatile unsigned *f = flag + t / 32 * 4;
    if (lane < 4)
        f[lane] = 0;
    __syncwarp();
    switch (lane) {
    case 3:
        while (f[0] == 0)
            ;
        x += f[0];
        f[1] = x + 1;
        break;
    case 9:
        f[0] = x + 1;
        while (f[1] == 0)
            ;
        x += f[1];
        f[2] = x + 1;
        break;
    case 20:
        while (f[2] == 0)
            ;
        x += f[2];
        break;
    default:
        break;
    }
    out[t] = x;
}
