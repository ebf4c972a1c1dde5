// Functions that the kernel IR puts in the place of their calls: with addresses of the caller's
// variables, with barriers, called once, small; with several returns, in loops and divergent flow.
// run: addresses grid=2,1,1 block=77,1,1 args=buf:256:rand,buf:256:zero
// run: returns grid=2,1,1 block=64,1,1 args=buf:256:small,buf:256:zero
// run: barriers grid=2,1,1 block=96,1,1 args=buf:256:small,buf:256:zero
// run: some_meet grid=1,1,1 block=128,1,1 args=buf:256:small,buf:256:zero
// run: leaves grid=2,1,1 block=64,1,1 args=buf:256:small,buf:256:zero
// run: indexed grid=2,1,1 block=64,1,1 args=buf:256:rand,buf:256:zero
// run: recursive grid=1,1,1 block=64,1,1 args=buf:256:small,buf:256:zero
#define FAR __device__ __noinline__

struct State {
    unsigned h[8];
    unsigned short s[4];
    double d;
};

FAR void mix(State *s, const unsigned *w) {
    for (int k = 0; k < 8; k++)
        s->h[k] = (s->h[(k + 1) & 7] ^ w[k & 3]) * 2654435761u + s->s[k & 3];
    s->s[1] += s->h[3];
    s->d = s->d * 0.5 + s->h[0] % 1000;
}

FAR void twice(State *s, const unsigned *w) {
    mix(s, w);
    unsigned other[4] = {w[3], w[2], w[1], w[0]};
    mix(s, other);
}

extern "C" __global__ void addresses(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, w[4];
    State s = {{i, 2 * i, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4}, 1.5};
    for (int k = 0; k < 4; k++)
        w[k] = in[(i + k) % 256];
    for (unsigned k = 0; k < i % 5; k++)
        twice(&s, w);
    if (i % 3)
        mix(&s, w);
    out[i] = s.h[0] ^ s.h[5] ^ s.s[1] ^ (unsigned)s.d;
}

FAR int several(int x, int *more) {
    *more = x;
    if (x > 200)
        return 1;
    for (int k = 0; k < x % 7; k++) {
        *more += k;
        if ((x >> k) % 5 == 3)
            return *more;
    }
    if (x & 1)
        return -1;
    *more = 0;
    return x * x;
}

extern "C" __global__ void returns(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a, b = 0, r = several(in[i], &a);
    while (r > 10 && b < 9) {
        int c;
        r -= several(r % 256, &c);
        b += c & 3;
        b++;
    }
    out[i] = r + 1000 * a + 100000 * b;
}

__shared__ int meeting[128];

FAR int neighbour(int x, int n) {
    meeting[threadIdx.x] = x;
    __syncthreads();
    int r = meeting[(threadIdx.x + 5) % n];
    __syncthreads();
    return r;
}

extern "C" __global__ void barriers(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    for (int k = 0; k < 3; k++)
        x = neighbour(x + k, 96) * 3 + neighbour(k - x, 96);
    out[i] = x;
}

// Only the threads of the first warps meet: all others have left.
extern "C" __global__ void some_meet(const int *in, int *out) {
    int i = threadIdx.x;
    out[i] = in[i];
    if (i >= 64)
        return;
    meeting[i] = in[i];
    out[i] = neighbour(in[i] + 1, 64) + meeting[i];
}

FAR void end_if(int x, int *count) {
    ++*count;
    if (x % 3 == 0)
        asm volatile("exit;");
    ++*count;
}

extern "C" __global__ void leaves(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    for (int k = 0; k < 4; k++) {
        out[i] = 10 * count + k;
        end_if(in[i] + k * (i & 1), &count);
    }
    out[i] = -count;
}

FAR unsigned pick(const unsigned *table, unsigned k) {
    return table[k % 6] + table[(k + 1) % 6];
}

extern "C" __global__ void indexed(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, table[6];
    for (int k = 0; k < 6; k++)
        table[k] = in[(i * 7 + k) % 256];
    out[i] = pick(table, in[i]) ^ pick(table, i);
}

FAR int depth(int n, int *calls) {
    ++*calls;
    return n < 2 ? n : depth(n - 1, calls) + depth(n - 2, calls);
}

extern "C" __global__ void recursive(const int *in, int *out) {
    int calls = 0, f = depth(in[threadIdx.x] % 9, &calls);
    out[threadIdx.x] = f + 1000 * calls;
}
