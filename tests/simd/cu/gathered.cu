// Words of four and eight bytes at an address a lane, which some machines gather by an instruction;
// numbers of 64 bits of which 32 are wanted; and stores by one lane of a warp alone.
// run: words grid=2 block=96 args=buf:192:rand,buf:256:rand,buf:2048:zero
// run: words grid=1 block=44 args=buf:192:rand,buf:256:rand,buf:2048:zero
// run: wide grid=2 block=64 args=buf:128:rand,buf:256:rand,buf:2048:zero
// run: wide grid=1 block=27 args=buf:128:rand,buf:256:rand,buf:2048:zero
// run: far grid=1 block=64 args=buf:64:rand,buf:256:rand,buf:512:zero,u32:4294966784
// run: columns grid=1 block=32 args=buf:1024:rand,buf:1024:zero
// run: letters grid=2 block=64 args=buf:2048:small,buf:32:small,buf:128:rand,buf:512:zero,u32:128
// run: narrow grid=1 block=64 args=buf:128:rand,buf:1024:zero
// run: narrow_in_loop grid=2 block=64 args=buf:256:rand,buf:128:zero,u32:9
// run: leaders grid=2 block=128 args=buf:256:rand,buf:64:zero,u32:200
// run: leaders grid=1 block=72 args=buf:256:rand,buf:64:zero,u32:60
// run: two_of_warp grid=2 block=96 args=buf:192:rand,buf:64:zero
// run: leaders_in_loop grid=1 block=64 args=buf:2048:rand,buf:256:zero,u32:15
// run: nested_leaders grid=1 block=64 args=buf:64:rand,buf:256:zero,u32:3

// Lanes that do not act have addresses that nobody may read.
extern "C" __global__ void words(const unsigned *in, const unsigned *table, unsigned *out) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, x = in[i];
    for (unsigned k = t; k < 256; k += blockDim.x)
        s[k] = table[k];
    __syncthreads();
    out[i] = table[x % 256];
    out[256 + i] = s[x / 256 % 256];
    unsigned y = 0;
    if (x & 64)
        y = table[x & 128 ? x % 256 : x % 16];
    if (x % 32 < 9) {
        size_t at = x % 32 < 7 ? x % 201 : (size_t)x << 40;
        if (at < 256)
            y += ((const unsigned *)s)[at] + __float_as_uint(((const float *)table)[at]);
    }
    out[512 + i] = y;
}

extern "C" __global__ void wide(const unsigned *in, const unsigned long long *table,
                                unsigned *out) {
    __shared__ unsigned long long s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, x = in[i];
    for (unsigned k = t; k < 128; k += blockDim.x)
        s[k] = table[k];
    __syncthreads();
    unsigned long long *w = (unsigned long long *)out;
    w[i] = s[x % 128] ^ table[x / 128 % 128];
    if (x & 1024)
        w[128 + i] = s[(unsigned char)x / 2] + (unsigned long long)((const double *)table)[x % 3];
    if (x & 2048)
        for (unsigned k = 0; k < x % 7; k++)
            w[256 + i] += table[(x >> k) % 128] + s[(x >> (k + 3)) % 128];
}

// Below the base, and so far above it that the sign counts.
extern "C" __global__ void far(const unsigned *in, const unsigned *table, unsigned *out,
                               unsigned below) {
    unsigned x = in[threadIdx.x];
    int back = -(int)(x % 128) - 1;
    out[threadIdx.x] = (table + 256)[back];
    out[64 + threadIdx.x] = (table - (size_t)below)[below + x % 256];
    out[128 + threadIdx.x] = ((const unsigned *)((const char *)table - 7 * 4ull))[7 + x % 240];
}

extern "C" __global__ void columns(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[32][33], d[32][33];
    unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 32; i++)
        d[i][t] = s[i][t] = in[i * 32 + t];
    __syncthreads();
    for (unsigned i = 0; i < 32; i++) {
        unsigned x = s[t][i];
        for (unsigned j = 0; j < i; j++)
            x -= s[t][j] * d[j][i];
        s[t][i] = x;
    }
    __syncthreads();
    for (unsigned i = 0; i < 32; i++)
        out[i * 32 + t] = s[i][t];
}

// Myers' algorithm: bytes that choose words of 64 bits, and the signs of those.
extern "C" __global__ void letters(const unsigned char *text, const unsigned char *length,
                                   const unsigned long long *masks, unsigned *out, int n) {
    __shared__ unsigned long long s[64];
    int l = threadIdx.x, i = blockIdx.x * blockDim.x + l, score = 64;
    s[l] = masks[l];
    __syncthreads();
    unsigned long long more = ~0ull, less = 0;
    for (int k = 0; k < length[i] % 16; k++) {
        unsigned long long same = s[text[(size_t)k * n + i] % 64], v = same | less;
        unsigned long long h = (((same & more) + more) ^ more) | same;
        unsigned long long right = less | ~(h | more), left = more & h;
        score += (int)(right >> 63) - (int)(left >> 63);
        right = right << 1 | 1;
        left <<= 1;
        more = left | ~(v | right);
        less = right & v;
    }
    out[i] = score;
    out[128 + i] = (unsigned)more ^ (unsigned)(less >> 32);
}

extern "C" __global__ void narrow(const unsigned long long *in, unsigned *out) {
    unsigned t = threadIdx.x;
    unsigned long long x = in[t];
    out[t] = (unsigned)(x * x + t);
    out[64 + t] = (unsigned)(x >> 63);
    out[128 + t] = (unsigned)((long long)x >> 63);
    out[192 + t] = (unsigned)(x >> 32) + (unsigned)((long long)x >> 45);
    out[256 + t] = (unsigned)(x >> 31) ^ (unsigned)(x >> 33);
    out[320 + t] = (unsigned)(x >> (t & 63)) - (unsigned)((long long)x >> 32);
    out[384 + t] = (unsigned short)(x >> 40) + (unsigned char)(x >> 7);
    out[448 + t] = (unsigned)__umul64hi(x, x) + (unsigned)(float)(x >> 36);
}

extern "C" __global__ void narrow_in_loop(const unsigned long long *in, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, score = 0;
    unsigned long long x = in[i];
    for (unsigned k = 0; k < n + i % 4; k++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        score += (unsigned)(x >> 63) + (unsigned)((long long)(x << 1) >> 63);
        score ^= (unsigned)x & (unsigned)(x >> 34);
    }
    out[i] = score;
}

// One lane of each warp writes for all, by an index that is shifted down.
extern "C" __global__ void leaders(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bits = __ballot_sync(__activemask(), i < n && in[i] % 3 == 0);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = bits;
    if ((threadIdx.x & 31) == 31)
        ((unsigned short *)out)[64 + i / 32] = (unsigned short)in[i];
    if (i >= n)
        return;
    if (threadIdx.x % 32 == 0)
        ((unsigned long long *)out)[24 + i / 32] = in[i] * 5ull;
}

extern "C" __global__ void two_of_warp(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, warp = t / 32, x = in[blockIdx.x * 96 + t];
    if (t % 16 == 3)
        out[blockIdx.x * 8 + warp * 2 + t / 16 % 2] = x;
    if (t % 32 >= 30)
        out[32 + (x & 0) + blockIdx.x * 8 + warp * 2 + t % 2] = in[(x + t) % 192];
}

extern "C" __global__ void leaders_in_loop(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned k = 0; k < n; k++) {
        sum += in[k * 64 + t];
        if (sum & 1 << k)
            continue;
        if (t % 32 == 0)
            out[k * 2 + t / 32] = sum;
        if (in[k] & 1) {
            if (t % 32 == 7)
                out[64 + k * 2 + t / 32] += sum * 3;
        }
    }
    out[128 + t] = sum;
}

extern "C" __global__ void nested_leaders(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x, x = in[t];
    if (t % 32 == 5) {
        out[t / 32] = x;
        if (x & 1)
            out[8 + t / 32] = in[x % 64];
        else
            out[16 + t / 32] = n;
        for (unsigned k = 0; k < n; k++)
            out[24 + t / 32 * 4 + k] = in[(x >> k) % 64];
    }
    out[64 + t] = x + 1;
}
