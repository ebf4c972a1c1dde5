// Blocks of threads that are one team and whose loops are written out: thousands of instructions, put
// into an order that keeps few values. What is loaded and stored stays in its order.

// A sorting network; some of its blocks in the other direction, which only the launch knows.
// run: network grid=2 block=128 args=buf:512:rand,u32:1
// run: network grid=1 block=96 args=buf:192:rand,u32:1
extern "C" __global__ void network(unsigned *keys, unsigned direction) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, n = 2 * blockDim.x;
    keys += blockIdx.x * n;
    s[t] = keys[t];
    s[t + blockDim.x] = keys[t + blockDim.x];
    bool up = (blockIdx.x & direction) == 0;
#pragma unroll
    for (unsigned size = 2; size <= 256; size *= 2)
#pragma unroll
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * t - (t & (stride - 1));
            bool forward = ((t & size / 2) == 0) == up;
            if (at + stride < n && (s[at] > s[at + stride]) == forward) {
                unsigned x = s[at];
                s[at] = s[at + stride];
                s[at + stride] = x;
            }
        }
    __syncthreads();
    keys[t] = s[t];
    keys[t + blockDim.x] = s[t + blockDim.x];
}

// Products of small matrices: a word of a row for all lanes, loaded where a product needs it, behind
// all that asks for the next block's memory.
// run: products grid=3 block=16,16 args=buf:768:small,buf:768:small,buf:768:zero
extern "C" __global__ void products(const float *a, const float *b, float *c) {
    __shared__ float sa[16][16], sb[16][16];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + y * 16 + x;
    sa[y][x] = a[i];
    sb[y][x] = b[i];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += sa[y][k] * sb[k][x];
    c[i] = sum;
}

// Loads and stores of the same places in global memory, which may be one another's: no load passes
// a store.
// run: in_place grid=2 block=128 args=buf:1024:rand,buf:1024:rand,u32:129
extern "C" __global__ void in_place(unsigned *a, unsigned *b, unsigned far) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, n = blockDim.x;
    a += blockIdx.x * 2 * n;
    b += blockIdx.x * 2 * n;
    unsigned *c = far & 1 ? a : b;
#pragma unroll
    for (unsigned k = 0; k < 7; k++) {
        unsigned x = a[t] + c[(t + far) % (2 * n)];
        s[t] = x ^ b[t + n];
        __syncthreads();
        unsigned y = s[(t + 16 * k + 1) % n];
        c[t] = y + k;
        a[t + n] = y * x;
        b[t] = a[t] - c[t];
        __syncthreads();
    }
}

// Atomic and volatile accesses among plain ones.
// run: mixed grid=1 block=128 args=buf:256:rand,buf:512:zero
extern "C" __global__ void mixed(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[256], sum[8];
    volatile unsigned *v = s;
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t];
    if (t < 8)
        sum[t] = t;
    s[t] = x;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 5; k++) {
        unsigned y = s[(t + k) % n] + sum[k % 8];
        __syncthreads();
        atomicAdd(&sum[x % 8], y & 255);
        v[t] = y + x;
        x = x * 5 + v[t];
        __syncthreads();
        if (t % 3 == k % 3)
            s[t ^ 1] = x;
        __syncthreads();
        atomicAdd(&out[256 + t % 16], x & 0xffff);
    }
    out[t] = x + s[t];
}

// Doubles, which round, and values that leave the long block.
// run: rounded grid=1 block=256 args=buf:512:rand,buf:512:zero,u32:3
extern "C" __global__ void rounded(const unsigned *in, double *out, unsigned times) {
    __shared__ double s[256];
    unsigned t = threadIdx.x;
    double x = in[t] % 1000 * 0.1, y = 1;
    for (unsigned turn = 0; turn < times; turn++) {
#pragma unroll
        for (unsigned d = 1; d < 256; d *= 2) {
            s[t] = x;
            __syncthreads();
            double z = s[t ^ d];
            y += z * x;
            x = t & d ? z - x * 0.5 : z + x * 0.25;
            __syncthreads();
        }
    }
    out[t] = x + y;
}

// A tile whose rows lie far apart is stored by many lines, several at a time, each of which asks for
// later ones.
// run: wavefront grid=2 block=32 args=buf:64:rand,buf:32768:zero,u32:512
// run: wavefront grid=3 block=32 args=buf:96:rand,buf:33024:zero,u32:516
extern "C" __global__ void wavefront(const int *in, int *out, unsigned pitch) {
    __shared__ int s[33][33];
    unsigned l = threadIdx.x, x = in[blockIdx.x * 32 + l];
    s[0][l + 1] = x & 255;
    s[l + 1][0] = x >> 8 & 255;
    if (l == 0)
        s[0][0] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 63; k++) {
        unsigned y = k - l;
        if (y < 32) {
            int d = s[y][l] + ((y * 7 ^ l * 5) % 4 ? -3 : 5);
            s[y + 1][l + 1] = max(d, max(s[y][l + 1], s[y + 1][l]) - 4);
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned y = 0; y < 32; y++)
        out[y * pitch + blockIdx.x * 32 + l] = s[y + 1][l + 1];
}

// Where each row is stored stands in memory, where rows before it may be stored: no such place is
// looked up before its turn.
// run: told_rows grid=1 block=32 args=buf:64:rand,buf:128:small,u32:0
// run: told_rows grid=1 block=32 args=buf:64:rand,buf:128:small,u32:1
extern "C" __global__ void told_rows(const unsigned *in, unsigned *out, unsigned far) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, x = in[t], y = in[t + 32], kept[31];
    const unsigned *row = out + far * 32;
#pragma unroll
    for (unsigned k = 0; k < 31; k++) {
        s[t] = x;
        s[t + 32] = y;
        __syncthreads();
        x = (s[t ^ k] ^ y) * 3 + (x >> 3) + (s[32 + (t ^ 7)] * 5 ^ x << 4);
        y = (s[32 + (t ^ 31 ^ k)] + x) * 1021 + (y >> 5) - (s[t ^ 16] | y * 9);
        kept[k] = min(x ^ y >> 7, x * 7 + y) + max(x & y, x - y);
        __syncthreads();
    }
#pragma unroll
    for (unsigned k = 0; k < 31; k++) {
        unsigned at = row[k + 1] % 4 * 32 + t;
        __syncthreads();
        out[at] = kept[k];
        __syncthreads();
    }
}
