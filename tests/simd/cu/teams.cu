// Loops in which several groups of lanes run together: what they share, where they part.
// run: grid_stride grid=3,1,1 block=256,1,1 shared=0 args=buf:4096:float,buf:1024:zero,u32:4001
// run: grid_stride grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:1024:zero,u32:130
// run: grid_stride grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:1024:zero,u32:0
extern "C" __global__ void grid_stride(const float *x, float *out, unsigned n) {
    float sum = 0;
    unsigned turns = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
        turns++;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + turns;
}

// run: tree grid=3,1,1 block=256,1,1 shared=0 args=buf:4096:float,buf:64:zero,u32:4000
extern "C" __global__ void tree(const float *x, float *out, unsigned n) {
    __shared__ float s[256];
    unsigned l = threadIdx.x;
    float v = 0;
    for (unsigned i = blockIdx.x * 256 + l; i < n; i += gridDim.x * 256)
        v += x[i];
    s[l] = v;
    __syncthreads();
    for (unsigned d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        __syncthreads();
    }
    if (l == 0)
        out[blockIdx.x] = s[0];
}

// run: warp_sums grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:64:zero,u32:4090
extern "C" __global__ void warp_sums(const unsigned *x, unsigned *out, unsigned n) {
    unsigned v = 0;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        unsigned left = n - (i & ~31u), mask = left < 32 ? (1u << left) - 1 : ~0u;
        unsigned up = __shfl_up_sync(mask, x[i], 1);
        v += x[i] ^ (threadIdx.x & 31 ? up : 7);
        v += __popc(__ballot_sync(mask, x[i] & 1));
    }
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        out[blockIdx.x * 8 + threadIdx.x / 32] = v;
}

// Rows of one block turn different numbers of times; the row's own counter leaves the loop.
// run: triangle grid=2,1,1 block=32,8,1 shared=0 args=buf:4096:rand,buf:1024:zero
// run: triangle grid=2,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:1024:zero
extern "C" __global__ void triangle(const unsigned *x, unsigned *out) {
    unsigned row = threadIdx.y, col = threadIdx.x, sum = 0, k;
    for (k = 0; k < row * 3; k++) {
        sum = sum * 5 + x[row * 64 + k];
        if (x[k] % 11 == 3 + row)
            sum += x[col + k];
    }
    out[(blockIdx.x * blockDim.y + row) * blockDim.x + col] = sum + k;
}

// Only some rows may read through the pointer; the others hold an address that is not there.
// run: guarded grid=1,1,1 block=32,8,1 shared=0 args=buf:1024:rand,buf:512:zero,u32:5
extern "C" __global__ void guarded(const unsigned *x, unsigned *out, unsigned turns) {
    unsigned row = threadIdx.y, i = row * 32 + threadIdx.x, v = 0;
    const unsigned *p = row % 3 == 1 ? x + row : (const unsigned *)16;
    unsigned *q = row % 3 == 1 ? out + 256 + row : (unsigned *)32;
    for (unsigned k = 0; k < turns; k++) {
        if (row % 3 == 1) {
            v += p[k] + k;
            *q = v;
            atomicAdd(q + 64, k + 1);
        }
        v ^= k;
    }
    out[i] = v;
}

// run: bins grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:64:zero,u32:4096
extern "C" __global__ void bins(const unsigned *x, unsigned *out, unsigned n) {
    __shared__ unsigned s[32];
    if (threadIdx.x < 32)
        s[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        atomicAdd(&s[x[i] & 31], 1u + (x[i] >> 30));
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

// run: multiply grid=2,2,1 block=16,16,1 shared=0 args=buf:1024:float,buf:1024:float,buf:1024:zero
extern "C" __global__ void multiply(const float *a, const float *b, float *c) {
    __shared__ float sa[16][16], sb[16][16];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 16 + lx, y = blockIdx.y * 16 + ly;
    float sum = 0;
    for (int t = 0; t < 32; t += 16) {
        sa[ly][lx] = a[y * 32 + t + lx];
        sb[ly][lx] = b[(t + ly) * 32 + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += sa[ly][k] * sb[k][lx];
        __syncthreads();
    }
    c[y * 32 + x] = sum;
}

// Local arrays, a switch, a loop with two ways out, and the value that the break leaves.
// run: parting grid=2,1,1 block=64,2,1 shared=0 args=buf:1024:rand,buf:512:zero,u32:40
extern "C" __global__ void parting(const unsigned *x, unsigned *out, unsigned n) {
    unsigned t = threadIdx.y * 64 + threadIdx.x, a[4] = {t, 1, 2, 3}, last = 99;
    for (unsigned i = threadIdx.x; i < 512; i += n) {
        switch ((i + threadIdx.y) & 3) {
        case 0:
            a[x[i] & 3] += i;
            break;
        case 1:
            a[i & 3] ^= x[i + 3];
            break;
        case 2:
            if (i > 300)
                goto out;
            break;
        default:
            a[0] = a[1] * 3 + a[2];
        }
        last = i;
    }
out:
    out[blockIdx.x * 128 + t] = a[0] + a[1] * 3 + a[2] * 5 + a[t & 3] + last;
}

// bar.red inside a loop, and its answer as the loop's condition.
// run: votes grid=2,1,1 block=128,1,1 shared=0 args=buf:256:small,buf:256:zero
extern "C" __global__ void votes(const unsigned *x, unsigned *out) {
    unsigned v = x[threadIdx.x] + blockIdx.x, rounds = 0;
    while (__syncthreads_or(v > 3)) {
        v = v > 3 ? v / 2 : v;
        rounds += __syncthreads_count(v & 1);
    }
    out[blockIdx.x * 128 + threadIdx.x] = v * 1000 + rounds;
}

// Loops that lanes leave by counting: signs, widths, both comparisons, and lanes that wrap.
// run: counts grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:2048:zero,u32:0,u32:1000
// run: counts grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:2048:zero,u32:4294967276,u32:700
// run: counts grid=1,1,1 block=64,2,1 shared=0 args=buf:1024:rand,buf:2048:zero,u32:4294967288,u32:130
// run: counts grid=1,1,1 block=24,1,1 shared=0 args=buf:1024:rand,buf:2048:zero,u32:5,u32:900
extern "C" __global__ void counts(const unsigned *x, unsigned *out, unsigned start, unsigned n) {
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, v = 0, *mine = out + t * 8;
    for (unsigned i = start + t; i < n; i += 160)
        v = v * 3 + x[i];
    mine[0] = v;
    for (int i = (int)start + (int)t; i <= (int)n; i += blockDim.x)
        v = v * 3 + x[i & 1023];
    mine[1] = v;
    for (long long i = (int)start + (long long)t; i < (long long)n; i += 192)
        v = v * 3 + x[i & 1023] + (unsigned)i;
    mine[2] = v;
    for (int i = (int)n - (int)t; i >= (int)start; i -= 160)
        v = v * 3 + x[i & 1023];
    mine[3] = v;
    for (unsigned i = t * 3; n > i; i += 384)
        v = v * 3 + x[i] + x[(i + 7) & 1023];
    mine[4] = v;
    for (int i = t; i < 1 << 28; i += 1 << 26)
        v = v * 3 + x[i & 1023] + (unsigned)((long long)i >> 3);
    mine[5] = v;
    unsigned turns = 0;
    for (int i = 0x7fffff00 + (int)t; i > 0 && turns < 5; i += 64, turns++)
        v = v * 3 + x[i & 1023] + (unsigned)((long long)i >> 5);
    mine[6] = v + turns;
}

// Threads of known numbers part where only some launches come to, and one of the two ways joins that
// of the others: what a thread keeps must not be kept where nobody has parted.
// run: passed_by grid=2 block=128 args=buf:1024:small,buf:512:zero,u32:100
// run: passed_by grid=2 block=128 args=buf:1024:small,buf:512:zero,u32:101
extern "C" __global__ void passed_by(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x, one = in[t];
    __syncthreads();
    if ((n & 3) == 1 && t == 5) {
    } else
        one = t * 7;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = one;
}
