// Loops that threads leave by the lengths of rows of their own, which compilers write out with a loop
// of the rest before them: with one thread after the other they are one loop again. Rows without
// elements, with fewer than are written out, and with many; counters of 64 bits, upwards and downwards,
// unsigned; two sums, a result that is no sum, the last index as a result; and loops that are left
// alone: they store, their step is not one, other code stands between.
// run: rows grid=2 block=64 args=buf:256:small,buf:2048:small,buf:2048:float,buf:2048:float,buf:256:zero
// run: longs grid=2 block=64 args=buf:256:small,buf:2048:small,buf:2048:float,buf:256:zero
// run: words grid=2 block=64 args=buf:256:small,buf:4096:rand,buf:256:zero
// run: several grid=2 block=64 args=buf:256:small,buf:4096:rand,buf:1024:zero
// run: odd_steps grid=2 block=64 args=buf:256:small,buf:4096:rand,buf:256:zero
// run: stores grid=2 block=64 args=buf:256:small,buf:4096:rand,buf:8192:zero
// run: nested grid=1 block=64 args=buf:256:small,buf:4096:rand,buf:256:zero
// run: neighbours grid=2 block=64 args=buf:256:small,buf:4096:rand,buf:256:zero
// run: polynomial grid=2 block=64 args=buf:256:small,buf:4096:float,buf:256:zero
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__device__ int first(const unsigned *in, int t) {
    return (int)(in[t] * 3);
}

__device__ int last(const unsigned *in, int t) {
    return (int)(in[t] * 3 + in[t + 128] % 23) - 4; // none at times
}

extern "C" __global__ void rows(const unsigned *in, const unsigned *column, const float *value,
                                const float *x, float *out) {
    int t = INDEX;
    float sum = 0;
    for (int i = first(in, t); i < last(in, t); i++)
        sum += value[i] * x[column[i]];
    out[t] = sum;
}

extern "C" __global__ void longs(const unsigned *in, const unsigned *column, const float *x,
                                 float *out) {
    int t = INDEX;
    float sum = 0;
    long long end = last(in, t);
    for (long long i = first(in, t); i < end; i++)
        sum = fmaxf(sum, x[column[i]] - (float)i);
    out[t] = sum;
}

extern "C" __global__ void words(const unsigned *in, const unsigned *x, unsigned *out) {
    int t = INDEX;
    unsigned sum = 7, begin = in[t], end = begin + in[t + 128] % 19;
    for (unsigned i = begin; i < end; i++)
        sum = sum * 31 + x[(x[i] & 1023) + 64];
    out[t] = sum;
}

extern "C" __global__ void several(const unsigned *in, const unsigned *x, unsigned *out) {
    int t = INDEX, i = first(in, t), end = last(in, t);
    unsigned sum = 0, xors = 1, seen = 0;
    for (; i < end; i++) {
        unsigned v = x[x[i] & 4095];
        xors = (xors << 3 | xors >> 29) ^ v;
        sum += v * (unsigned)i;
        seen = seen << 1 | (v & 1);
    }
    out[t] = sum;
    out[256 + t] = xors;
    out[512 + t] = (unsigned)i;
    out[768 + t] = seen;
}

extern "C" __global__ void odd_steps(const unsigned *in, const unsigned *x, unsigned *out) {
    int t = INDEX, end = last(in, t);
    unsigned sum = 0;
    for (int i = first(in, t); i < end; i += 3)
        sum += x[x[i] & 4095];
    for (int i = end; i > first(in, t); i--)
        sum = sum * 5 ^ x[x[i] & 4095];
    out[t] = sum;
}

extern "C" __global__ void stores(const unsigned *in, const unsigned *x, unsigned *out) {
    int t = INDEX, end = last(in, t);
    unsigned sum = 0;
    for (int i = first(in, t), k = 0; i < end; i++, k++) {
        sum += x[x[i] & 4095];
        out[256 + t * 24 + k] = sum;
    }
    out[t] = sum;
}

extern "C" __global__ void nested(const unsigned *in, const unsigned *x, unsigned *out) {
    int t = INDEX;
    unsigned sum = 1;
    for (int row = t; row < t + 3; row++) {
        unsigned part = sum;
        for (int i = first(in, row); i < last(in, row); i++)
            part += x[(x[i] + sum) & 4095];
        sum = part * 3 + (unsigned)row;
    }
    out[t] = sum;
}

// Two elements a turn, and the one before.
extern "C" __global__ void neighbours(const unsigned *in, const unsigned *x, unsigned *out) {
    int t = INDEX, end = last(in, t);
    unsigned sum = 0, before = 5;
    for (int i = first(in, t); i < end; i++) {
        unsigned v = x[x[i] & 4095];
        sum += v * before + x[i + 1] + x[i + 2];
        before = v;
    }
    out[t] = sum;
}

extern "C" __global__ void polynomial(const unsigned *in, const float *x, float *out) {
    int t = INDEX, end = last(in, t);
    float y = 1, v = x[t];
    for (int i = first(in, t); i < end; i++)
        y = y * v * 0.125f + x[(int)fabsf(x[i]) & 1023];
    out[t] = y;
}
