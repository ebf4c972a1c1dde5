// Barriers: in straight code, in loops, after early exits, with reductions.
// run: reduce grid=3 block=128 args=buf:384:rand,buf:3:zero
// run: tiles grid=2,2 block=16,16 args=buf:1024:float,buf:1024:float,buf:1024:zero,u32:32
// run: scan grid=2 block=200 shared=800 args=buf:400:small,buf:400:zero
// run: early grid=1 block=128 args=buf:128:small,buf:128:zero,u32:100
// run: counts grid=1 block=96 args=buf:96:small,buf:288:zero
// run: named grid=1 block=128 args=buf:128:small,buf:128:zero
// run: many_values grid=2 block=64 args=buf:128:float,buf:128:zero
// run: block3d grid=1 block=4,6,5 args=buf:120:iota,buf:120:zero
// run: loop_until grid=1 block=64 args=buf:64:small,buf:64:zero
// Blocks that one vector or a team of them holds:
// run: counts grid=1 block=32 args=buf:96:small,buf:288:zero
// run: counts grid=2 block=20 args=buf:96:small,buf:288:zero
// run: loop_until grid=1 block=32 args=buf:64:small,buf:64:zero
// run: loop_until grid=1 block=7 args=buf:64:small,buf:64:zero
// run: early grid=1 block=32 args=buf:128:small,buf:128:zero,u32:25
// run: early grid=1 block=1 args=buf:128:small,buf:128:zero,u32:1
// run: scan grid=2 block=32 shared=800 args=buf:400:small,buf:400:zero
extern "C" __global__ void reduce(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (unsigned d = 64; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void tiles(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[16][16], sb[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float acc = 0;
    for (int k = 0; k < n; k += 16) {
        sa[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            acc += sa[threadIdx.y][j] * sb[j][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = acc;
}

extern "C" __global__ void scan(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned d[];
    unsigned t = threadIdx.x, n = blockDim.x;
    d[t] = in[blockIdx.x * n + t];
    __syncthreads();
    for (unsigned k = 1; k < n; k *= 2) {
        unsigned v = t >= k ? d[t - k] : 0;
        __syncthreads();
        d[t] += v;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = d[t];
}

extern "C" __global__ void early(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = in[t] * 3;
    __syncthreads();
    out[t] = s[n - 1 - t];
}

extern "C" __global__ void counts(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    out[t] = __syncthreads_count(in[t] > 100);
    out[96 + t] = __syncthreads_and(in[t] < 300);
    out[192 + t] = __syncthreads_or(in[t] == 77);
}

extern "C" __global__ void named(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[63 - t];
    } else {
        s[t] = in[t] + 1;
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[t] = s[191 - t];
    }
}

extern "C" __global__ void many_values(const float *in, float *out) {
    __shared__ float s[64];
    unsigned t = threadIdx.x, g = blockIdx.x * 64 + t;
    float x = in[g], y = x * 2, z = x + 1;
    double w = x;
    unsigned k = t * 7 % 64;
    unsigned long long q = (unsigned long long)t << 33 | t;
    bool p = x > 0;
    s[t] = x;
    __syncthreads();
    float n = s[k];
    __syncthreads();
    s[t] = n + y;
    __syncthreads();
    out[g] = p ? s[(t + 1) % 64] + z : (float)w + (float)(q >> 33) + n;
}

extern "C" __global__ void block3d(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[5][6][4];
    unsigned id = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    s[threadIdx.z][threadIdx.y][threadIdx.x] = in[id] * 3;
    __syncthreads();
    out[id] = s[4 - threadIdx.z][5 - threadIdx.y][3 - threadIdx.x];
}

extern "C" __global__ void loop_until(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, rounds = 0;
    s[t] = in[t];
    while (__syncthreads_or(s[t] > 10)) {
        unsigned v = s[(t + 1) % blockDim.x] / 2 + s[t] / 4;
        __syncthreads();
        s[t] = v;
        rounds++;
    }
    out[t] = s[t] + rounds * 1000;
}

// A barrier that only the threads in range reach; the others leave at once, or after the rest.
// run: in_range grid=3,1,1 block=128,1,1 shared=0 args=buf:512:rand,buf:512:zero,u32:300
// run: in_range grid=2,1,1 block=128,1,1 shared=0 args=buf:512:rand,buf:512:zero,u32:256
// run: in_range grid=2,1,1 block=96,1,1 shared=0 args=buf:512:rand,buf:512:zero,u32:97
extern "C" __global__ void in_range(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[128];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i < n) {
        unsigned there = n - blockIdx.x * blockDim.x;
        there = there < blockDim.x ? there : blockDim.x;
        for (unsigned k = 0; k < 4; k++) {
            s[threadIdx.x] = in[i] + k;
            __syncthreads();
            sum = sum * 3 + s[(threadIdx.x * 7 + k) % there];
            __syncthreads();
        }
        out[i] = sum;
    }
}

// run: tiles_in_range grid=2,2,1 block=16,16,1 shared=0 args=buf:1024:small,buf:1024:small,buf:1024:zero,u32:32
// run: tiles_in_range grid=2,2,1 block=16,16,1 shared=0 args=buf:1024:small,buf:1024:small,buf:1024:zero,u32:16
extern "C" __global__ void tiles_in_range(const unsigned *a, const unsigned *b, unsigned *c, unsigned n) {
    __shared__ unsigned sa[16][16], sb[16][16];
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, sum = 0;
    if (x < n && y < n) {
        for (unsigned t = 0; t < n / 16; t++) {
            sa[threadIdx.y][threadIdx.x] = a[y * n + t * 16 + threadIdx.x];
            sb[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + x];
            __syncthreads();
            for (unsigned k = 0; k < 16; k++)
                sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
            __syncthreads();
        }
        c[y * n + x] = sum;
    }
}

// run: in_range_and_after grid=2,1,1 block=64,1,1 shared=0 args=buf:128:rand,buf:256:zero,u32:100
extern "C" __global__ void in_range_and_after(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[64];
    unsigned i = blockIdx.x * 64 + threadIdx.x, v = 5;
    if (i < n) {
        s[threadIdx.x] = in[i];
        __syncthreads();
        v = s[threadIdx.x ^ 1] * 2;
    }
    out[i] = v + 1;
    out[128 + i] = v ^ i;
}
