// Loops that a thread counts from its own number on, in blocks that meet at barriers: what all
// threads run, none, or some of them. tests/tools/test_thread_counts.py tells which are written
// out.

// run: filled grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: filled grid=1,1,1 block=32,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: filled grid=1,1,1 block=50,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: rows grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: rows grid=1,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: halo grid=2,1,1 block=16,4,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: halo grid=1,1,1 block=8,8,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: halved grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: outside grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: quotients grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: quotients grid=1,1,1 block=32,2,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: below_zero grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: wrapped grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: backwards grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: to_count grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:200
// run: to_count grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:0
// run: from_data grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: long_way grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5

#define KERNEL(name) extern "C" __global__ void name(const unsigned *in, unsigned *out, unsigned n)
enum { ALL = 256 };

// A sum of s[0 .. 31], of which each step waits for the one before.
static __device__ void tree(unsigned *s, unsigned t) {
    for (unsigned d = 16; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            s[t] = s[t] * 3 + s[t + d];
    }
    __syncthreads();
}

// Some threads run the last iteration.
KERNEL(filled) {
    __shared__ unsigned s[100];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 100; i += blockDim.x)
        s[i] = in[blockIdx.x * 100 + i] + n;
    tree(s, t);
    for (unsigned i = t; i < 100; i += blockDim.x)
        out[blockIdx.x * 100 + i] = s[99 - i];
}

// By which row of a tile a thread is in.
KERNEL(rows) {
    __shared__ unsigned s[32][33];
    unsigned t = threadIdx.x, x = t % 32;
    for (unsigned y = t / 32; y < 32; y += blockDim.x / 32)
        s[y][x] = in[y * 32 + x] * (blockIdx.x + n);
    tree(s[0], t);
    for (unsigned y = t / 32; y < 32; y += blockDim.x / 32)
        out[blockIdx.x * 1024 + y * 32 + x] = s[x][y];
}

// A tile with its borders, filled by a block's threads in the order of their numbers.
KERNEL(halo) {
    __shared__ unsigned s[10 * 18];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned i = t; i < 10 * 18; i += threads)
        s[i] = in[blockIdx.x * 180 + i / 18 * 18 + i % 18];
    for (unsigned turn = 0; turn < 3; turn++) {
        __syncthreads();
        unsigned v = s[t] + s[t + 1] + s[t + 18] * n;
        __syncthreads();
        s[t + 19] = v;
    }
    __syncthreads();
    out[blockIdx.x * threads + t] = s[t + 19];
}

// Threads leave at different times.
KERNEL(halved) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, sum = 0;
    s[t] = in[blockIdx.x * 64 + t];
    tree(s, t);
    for (unsigned k = t; k > 0; k >>= 1)
        sum = sum * n + s[k];
    out[blockIdx.x * 64 + t] = sum;
}

// Barriers outside of loops alone.
KERNEL(outside) {
    __shared__ unsigned s[2][96];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 96; i += blockDim.x)
        s[0][i] = in[blockIdx.x * 96 + i];
    __syncthreads();
    s[1][t] = s[0][t + 1] ^ s[0][95 - t];
    __syncthreads();
    s[0][t + 7] = s[1][63 - t] + n;
    __syncthreads();
    for (unsigned i = t; i < 96; i += blockDim.x)
        out[blockIdx.x * 96 + i] = s[0][i];
}

// Quotients and remainders by what each iteration has of its own.
KERNEL(quotients) {
    __shared__ unsigned s[2][128];
    unsigned *mine = s[threadIdx.y], first = (blockIdx.x * blockDim.y + threadIdx.y) * 128;
    for (unsigned k = threadIdx.x; k < 128; k += blockDim.x)
        mine[__brev(k) >> 25] = in[first + k];
    __syncthreads();
    for (unsigned half = 1; half < 128; half *= 2) {
        for (unsigned b = threadIdx.x; b < 64; b += blockDim.x) {
            unsigned k = b % half, top = b / half * 2 * half + k, low = mine[top + half] * (n + k);
            mine[top + half] = mine[top] - low;
            mine[top] += low;
        }
        __syncthreads();
    }
    for (unsigned k = threadIdx.x; k < 128; k += blockDim.x)
        out[first + k] = mine[k];
}

// Numbers on both sides of zero.
KERNEL(below_zero) {
    __shared__ unsigned s[160];
    int t = threadIdx.x;
    for (int i = t - 30; i < 100; i += 64)
        s[i + 30] = in[blockIdx.x * 160 + i + 30] + (i < 0 ? 1 : 0);
    tree(s, t);
    for (int i = t - 30; i < 34; i += 64)
        out[blockIdx.x * 64 + i + 30] = s[i + 30] * n + (i * 5 >> 2);
}

// An unsigned number that begins below zero for some threads and for these alone is large.
KERNEL(wrapped) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, sum = 0;
    s[t] = in[blockIdx.x * 64 + t];
    tree(s, t);
    for (unsigned i = t - 3; i < 64; i += 16)
        sum = sum * n + s[i];
    out[blockIdx.x * 64 + t] = sum;
}

// ---- stay loops -----------------------------------------------------------------------------

// Each thread has a number of iterations, which the compiler before divides by four.
KERNEL(backwards) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned sum = 0;
    s[t] = in[blockIdx.x * 64 + t];
    tree(s, t);
    for (int i = t * 3; i >= 0; i -= 60)
        sum = sum * n + s[i % 64];
    out[blockIdx.x * 64 + t] = sum;
}

KERNEL(to_count) {
    __shared__ unsigned s[ALL];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < ALL; i += 64)
        s[i] = t;
    for (unsigned i = t; i < n; i += 64)
        s[i & 255] += in[blockIdx.x * ALL + i];
    tree(s, t);
    out[blockIdx.x * 64 + t] = s[t];
}

KERNEL(from_data) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, sum = 0;
    s[t] = in[blockIdx.x * 64 + t];
    tree(s, t);
    for (unsigned i = s[t] & 63; i < 64; i += 7)
        sum = sum * n + s[i];
    out[blockIdx.x * 64 + t] = sum;
}

// Longer than code may be.
KERNEL(long_way) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, sum = 0;
    s[t] = in[blockIdx.x * 64 + t];
    tree(s, t);
#pragma unroll 1
    for (unsigned i = t; i < 64 * 3000; i += 64)
        sum = (sum << 5 | sum >> 27) + s[i * n & 63];
    out[blockIdx.x * 64 + t] = sum;
}
