// Blocks that one team holds, whose words of shared memory stay in registers: reductions, scans,
// sorting networks, wavefronts; with what must send words to memory in between.
// run: strided grid=2 block=256 args=buf:512:small,buf:2:zero,u32:500
// run: strided grid=2 block=64 args=buf:128:small,buf:2:zero,u32:128
// run: divergent grid=2 block=128 shared=512 args=buf:256:small,buf:2:zero,u32:250
// run: divergent grid=1 block=32 shared=128 args=buf:32:small,buf:1:zero,u32:32
// run: scan_tree grid=2 block=64 args=buf:256:small,buf:256:zero,buf:2:zero,u32:200
// run: bitonic grid=2 block=64 args=buf:256:rand
// run: wavefront grid=2 block=32 args=buf:64:small,buf:64:small,buf:2048:zero
// run: exchange grid=1 block=64 args=buf:64:rand,buf:64:zero,u32:17
// run: bytes grid=1 block=64 args=buf:64:rand,buf:64:zero
// run: vectors grid=1 block=32 args=buf:128:rand,buf:128:zero
// run: unknown grid=1 block=64 args=buf:64:iota,buf:192:zero,u32:5
// run: late_return grid=2 block=64 args=buf:128:small,buf:128:zero,u32:40
// run: last_writer grid=1 block=32 args=buf:64:rand,buf:64:zero,u32:7
// run: atomics grid=1 block=64 args=buf:64:small,buf:64:zero
// run: uniform_ways grid=2 block=64 args=buf:64:small,buf:128:zero,u32:1
// run: uniform_ways grid=2 block=64 args=buf:64:small,buf:128:zero,u32:0
// run: turns grid=1 block=64 args=buf:64:small,buf:128:zero
// run: eliminate grid=2 block=32 args=buf:2048:float
// run: askew grid=2 block=32 args=buf:2048:rand,buf:2048:zero
// run: askew grid=1 block=64 args=buf:2048:rand,buf:2048:zero
// run: one_warp grid=2 block=32 args=buf:64:rand,buf:576:zero
// run: near_bytes grid=1 block=64 args=buf:64:rand,buf:256:zero,u32:40
// run: near_bytes grid=1 block=64 args=buf:64:rand,buf:256:zero,u32:7
// run: shuffled grid=2 block=32 args=buf:64:rand,buf:1024:zero,u32:20
// run: shuffled grid=2 block=32 args=buf:64:rand,buf:1024:zero,u32:3
// run: shuffled grid=1 block=64 args=buf:64:rand,buf:1024:zero,u32:20
// run: shuffled_dynamic grid=2 block=32 shared=6144 args=buf:64:rand,buf:1024:zero,u32:47
// run: shuffled_dynamic grid=2 block=64 shared=12288 args=buf:64:rand,buf:1024:zero,u32:9
extern "C" __global__ void strided(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int k = 2 * d * t;
        if (k < blockDim.x)
            s[k] += s[k + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void divergent(const unsigned *in, unsigned *out, int n) {
    extern __shared__ unsigned d[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    d[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0)
            d[t] += d[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = d[0];
}

extern "C" __global__ void scan_tree(const unsigned *in, unsigned *out, unsigned *sums, int n) {
    __shared__ unsigned s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + 2 * t, d = 1;
    unsigned a = i < n ? in[i] : 0, b = i + 1 < n ? in[i + 1] : 0;
    s[2 * t] = a;
    s[2 * t + 1] = b;
    for (int m = 64; m > 0; m /= 2, d *= 2) {
        __syncthreads();
        if (t < m)
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
    }
    if (t == 0) {
        if (sums)
            sums[blockIdx.x] = s[127];
        s[127] = 0;
    }
    for (int m = 1; m < 128; m *= 2) {
        d /= 2;
        __syncthreads();
        if (t < m) {
            unsigned left = s[d * (2 * t + 1) - 1];
            s[d * (2 * t + 1) - 1] = s[d * (2 * t + 2) - 1];
            s[d * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = s[2 * t] + a;
    if (i + 1 < n)
        out[i + 1] = s[2 * t + 1] + b;
}

extern "C" __global__ void bitonic(unsigned *keys) {
    __shared__ unsigned s[128];
    int t = threadIdx.x;
    keys += blockIdx.x * 128;
    s[t] = keys[t];
    s[t + 64] = keys[t + 64];
    for (int size = 2; size <= 128; size *= 2) {
        bool up = size == 128 ? blockIdx.x % 2 == 0 : (t & size / 2) == 0;
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            if ((s[at] > s[at + stride]) == up) {
                unsigned x = s[at];
                s[at] = s[at + stride];
                s[at + stride] = x;
            }
        }
    }
    __syncthreads();
    keys[t] = s[t];
    keys[t + 64] = s[t + 64];
}

extern "C" __global__ void wavefront(const unsigned *a, const unsigned *b, int *h) {
    __shared__ int s[33][33];
    __shared__ unsigned char row[32];
    int l = threadIdx.x;
    s[0][l + 1] = -l;
    s[l + 1][0] = 2 * l;
    if (l == 0)
        s[0][0] = 1;
    row[l] = a[blockIdx.x * 32 + l] & 3;
    unsigned char letter = b[blockIdx.x * 32 + l] & 3;
    __syncthreads();
    for (int k = 0; k < 63; k++) {
        int y = k - l;
        if (y >= 0 && y < 32) {
            int d = s[y][l] + (row[y] == letter ? 5 : -3);
            s[y + 1][l + 1] = max(d, max(s[y][l + 1], s[y + 1][l]) - 4);
        }
        __syncthreads();
    }
    for (int y = 0; y < 32; y++)
        h[blockIdx.x * 1024 + y * 32 + l] = s[y + 1][l + 1];
}

// What data decide is stored or not.
extern "C" __global__ void exchange(const unsigned *in, unsigned *out, unsigned c) {
    __shared__ unsigned s[64], u[64];
    int t = threadIdx.x;
    s[t] = in[t];
    u[t] = in[63 - t];
    __syncthreads();
    if (in[t] % c < 5)
        s[63 - t] = in[t] + 1;
    __syncthreads();
    if (in[t] & 2)
        u[t / 2 * 2] = s[t];
    __syncthreads();
    out[t] = s[t] * 3 + u[t ^ 1];
}

extern "C" __global__ void bytes(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    ((unsigned char *)s)[4 * t + 1] = 7;
    __syncthreads();
    unsigned short h = ((unsigned short *)s)[2 * (63 - t)];
    unsigned v = s[t ^ 5];
    __syncthreads();
    s[t] = v + h;
    __syncthreads();
    unsigned long long w = ((unsigned long long *)s)[t / 2];
    out[t] = s[(t + 1) % 64] ^ (unsigned)(w >> (t & 1 ? 32 : 0));
}

extern "C" __global__ void vectors(const uint4 *in, uint4 *out) {
    __shared__ uint4 s[32];
    __shared__ unsigned sums[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    uint4 v = s[31 - t];
    const unsigned *w = (const unsigned *)s;
    for (int k = 0; k < 4; k++)
        sums[4 * t + k] = w[t + 32 * k];
    __syncthreads();
    uint2 p = ((const uint2 *)sums)[t];
    out[t] = make_uint4(v.x + p.x, v.y ^ p.y, v.z + sums[4 * t + 2], v.w + sums[127 - t]);
}

// Addresses that nobody knows while the code is made, and generic pointers.
extern "C" __global__ void unknown(const unsigned *in, unsigned *out, unsigned c) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    s[t] = in[t] * 3;
    __syncthreads();
    out[t] = s[in[t] * c % 64];
    __syncthreads();
    s[(in[t] + c) % 64] = t;
    __syncthreads();
    out[t + 64] = s[63 - t];
    __syncthreads();
    s[t] = out[t] + 1;
    __syncthreads();
    unsigned *p = c > 3 ? s + c : out;
    if (t == 9)
        *p = 99;
    __syncthreads();
    out[t + 128] = s[t] + s[c];
}

extern "C" __global__ void late_return(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32)
        s[t] += s[t + 32];
    __syncthreads();
    if (t >= 48)
        return;
    s[t] *= 3;
    if (t >= n)
        return;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[n - 1 - t];
}

extern "C" __global__ void last_writer(const unsigned *in, unsigned *out, unsigned c) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    s[t] = c;
    __syncthreads();
    s[t / 4] = in[t];
    if (t > 20)
        s[60] = in[t] + 1;
    __syncthreads();
    if (t == 13)
        s[61] = s[60] + t;
    __syncthreads();
    if (in[t] % 3 == 0)
        s[62] = t;
    __syncthreads();
    out[t] = s[t];
}

extern "C" __global__ void atomics(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    unsigned old = atomicAdd(&s[t ^ 3], 5);
    __syncthreads();
    s[t] += __shfl_xor_sync(~0u, old, 4);
    __syncthreads();
    atomicMax(&s[in[t] % 64], t);
    __syncthreads();
    out[t] = s[63 - t] + old;
}

extern "C" __global__ void uniform_ways(const unsigned *in, unsigned *out, unsigned c) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        if (c)
            out[64 + t] = s[t + 32];
        s[t] = s[95 - t - 32 + t / 32];
    }
    __syncthreads();
    if (blockIdx.x == c)
        s[t] += 7;
    __syncthreads();
    if (blockIdx.x != c)
        atomicAdd(&out[t], s[t ^ 1]);
    else if (t & 1)
        atomicAdd(&out[t], 3 * s[t]);
}

extern "C" __global__ void turns(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned sum = 0, steps = 0;
    s[t] = in[t];
    for (int k = 3; k < 40; k += k / 2) {
        __syncthreads();
        sum += s[(t + k) % 64];
        __syncthreads();
        s[t] = sum ^ k;
        steps++;
    }
    for (int k = 5; k-- > 0;) {
        __syncthreads();
        if ((t >> k & 3) == 1)
            s[t] += s[t ^ 1 << k];
        steps += k;
    }
    __syncthreads();
    out[t] = s[t] + sum;
    out[t + 64] = steps;
}

// One word for all threads that act, none of which is in the first vector in the later turns.
extern "C" __global__ void eliminate(float *a) {
    __shared__ float s[32][33];
    int l = threadIdx.x;
    a += blockIdx.x * 1024;
    for (int i = 0; i < 32; i++)
        s[i][l] = a[i * 32 + l];
    __syncthreads();
    for (int i = 0; i < 31; i++) {
        if (l > i) {
            s[l][i] /= s[i][i];
            for (int j = i + 1; j < 32; j++)
                s[l][j] -= s[l][i] * s[i][j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 32; i++)
        a[i * 32 + l] = s[i][l];
}

// Rows of a table that was made along its diagonals: each lane's word comes from another vector, in
// its own lane or moved by as much as all others.
extern "C" __global__ void askew(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[48][64];
    unsigned t = threadIdx.x, n = blockDim.x;
    for (int k = 0; k < 48; k++)
        s[k][t] = in[(blockIdx.x * 48 + k) % 32 * n + t] + k;
    __syncthreads();
    for (int y = 0; y < 16; y++) {
        unsigned v = s[y + t % 32][t];
        if (t % 3)
            v += 5 * s[y + (t + 3) % 32][(t + 3) % n];
        out[(blockIdx.x * 16 + y) * n + t] = v;
    }
}

// Bytes and halves that lie close together in another order, up to the end of shared memory, and
// where some threads' places lie outside.
extern "C" __global__ void near_bytes(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned short h[64];
    __shared__ unsigned char s[64];
    int t = threadIdx.x;
    h[t] = in[t] >> 8;
    s[t] = in[t];
    unsigned v[4] = {0, 0, 0, 0};
    __syncthreads();
    v[0] = s[63 - t];
    v[1] = s[t ^ 5] + 256 * s[t / 8 * 8 + t * 3 % 8];
    v[2] = h[63 - t] + h[t ^ 1];
    for (int k = 20; k < 28; k++) {
        int y = k - t;
        if (y >= 0 && y < 16)
            v[3] = v[3] * 3 + s[y + 48];
        if (t < n && y < 0)
            v[3] ^= h[-y & 63];
        __syncthreads();
    }
    for (int k = 0; k < 4; k++)
        out[k * 64 + t] = v[k];
}

// A block of one warp: no barriers, and loops that are written out for the words they store.
extern "C" __global__ void one_warp(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[40][32];
    int t = threadIdx.x;
    unsigned v = in[blockIdx.x * 32 + t];
#pragma unroll 1
    for (int k = 0; k < 40; k++) {
        v = v * 3 + __shfl_up_sync(~0u, v, 1);
        if (k - t >= 0 && k - t < 9)
            v ^= k;
        s[k][t] = v;
    }
    __syncwarp();
#pragma unroll 1
    for (int y = 0; y < 9; y++)
        out[(blockIdx.x * 9 + y) * 32 + t] = s[y + t][t];
}

// Loops without barriers, whose threads meet in shuffles: the address that grows from turn to turn
// comes from another block of the turn. Words of one warp are seen by that warp alone.
extern "C" __global__ void shuffled(const unsigned *in, unsigned *out, unsigned few) {
    __shared__ unsigned s[2][47][32];
    unsigned l = threadIdx.x % 32, w = threadIdx.x / 32, t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[t % 64], x = v * 3;
    for (unsigned k = 0; k < 47; k++) {
        unsigned left = __shfl_up_sync(~0u, v, 1);
        unsigned y = k - l;
        if (y < 16) {
            v = max(left, x) ^ k;
            x = left;
        }
        s[w][k][l] = v;
        if ((v & 1) && k % 8 == 5)
            s[w][k][l] = x;
    }
    __syncwarp();
    for (unsigned y = 0; y < 16; y++)
        out[(blockIdx.x * blockDim.x / 32 + w) * 512 + y * 32 + l] = s[w][y + l][l];
    if (few < 16) { // what is written now depends on the launch
        for (unsigned k = 0; k < few; k++)
            s[w][k + l % 3][l] = k;
        __syncwarp();
        out[(blockIdx.x * blockDim.x / 32 + w) * 512 + l] += s[w][l % 5][(l + 7) % 32];
    }
}

extern "C" __global__ void shuffled_dynamic(const unsigned *in, unsigned *out, unsigned turns) {
    extern __shared__ unsigned d[];
    unsigned l = threadIdx.x % 32, t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t % 64];
    unsigned *mine = d + threadIdx.x / 32 * 1536 + l;
    for (unsigned k = 0; k < 47; k++) {
        v = __shfl_xor_sync(~0u, v, k % 32) * 5 + k;
        if (k < turns)
            mine[32 * k] = v;
        else
            mine[32 * k] = k;
    }
    __syncwarp();
    for (unsigned y = 0; y < 16; y++)
        out[t / 32 * 512 % 1024 + y * 32 + l] = d[threadIdx.x / 32 * 1536 + (y + l) * 32 + l];
}
