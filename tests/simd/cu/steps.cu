// Four tests and stores of a thread, one behind the other, on four words that lie side by side; and
// what looks like it.
// run: firsts grid=2 block=128 args=buf:1024:iota,buf:64:zero,u32:5
// run: firsts grid=1 block=256 args=buf:1024:iota,buf:64:zero,u32:6
// run: firsts grid=1 block=32 args=buf:1024:iota,buf:64:zero,u32:3
// run: firsts grid=1 block=32 args=buf:1024:iota,buf:64:zero,u32:31
// run: firsts grid=1 block=40 args=buf:1024:iota,buf:64:zero,u32:4
// run: of_two grid=1 block=128 args=buf:1024:iota,buf:64:zero,u32:6
// run: every_lane grid=2 block=128 args=buf:1024:rand,buf:1024:zero,u32:0
// run: every_lane grid=1 block=64 args=buf:1024:rand,buf:1024:zero,u32:3000000000
// run: to_global grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:7
// run: only_reads grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:7
// run: only_reads grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:5
// run: words grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:3
// run: own_words grid=1 block=64 args=buf:256:zero,buf:256:zero,u32:4
// run: own_words grid=1 block=64 args=buf:256:zero,buf:256:zero,u32:3
// run: beside grid=1 block=64 args=buf:256:iota,buf:64:zero,u32:4
// run: unknown_first grid=1 block=128 args=buf:512:iota,buf:64:zero,u32:7
// run: unknown_first grid=1 block=128 args=buf:512:iota,buf:64:zero,u32:5
// run: other_firsts grid=1 block=128 args=buf:512:iota,buf:64:zero,u32:5
// run: other_tests grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:9
// run: other_places grid=1 block=128 args=buf:512:rand,buf:2048:zero,u32:1
// run: kept_count grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:2
// run: used_later grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:2
// run: far_apart grid=1 block=64 args=buf:512:rand,buf:1024:zero,u32:2
// run: changed_between grid=1 block=64 args=buf:256:rand,buf:512:zero,u32:1
// run: in_loop grid=1 block=64 args=buf:512:rand,buf:512:zero,u32:3
// run: under_mask grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:77
// run: signed_words grid=1 block=128 args=buf:512:rand,buf:1024:zero,u32:100
// run: wide_places grid=1 block=128 args=buf:512:iota,buf:2048:zero,u32:2
enum { MOST = 1024 };

__device__ void words_of(uint4 x, unsigned *k) {
    k[0] = x.x, k[1] = x.y, k[2] = x.z, k[3] = x.w;
}

// Where digits begin, as a radix sort asks.
extern "C" __global__ void firsts(const uint4 *in, unsigned *out, unsigned shift) {
    __shared__ unsigned s[MOST], first[17];
    int t = threadIdx.x;
    unsigned k[4];
    uint4 x = in[blockIdx.x * blockDim.x + t];
    words_of(x, k);
    *(uint4 *)&s[4 * t] = x;
    if (t < 17)
        first[t] = 5000;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        unsigned digit = k[i] >> shift & 15;
        if (4 * t + i == 0 || (s[4 * t + i - 1] >> shift & 15) != digit)
            first[digit] = 4 * t + i;
    }
    __syncthreads();
    if (t < 17)
        out[blockIdx.x * 17 + t] = first[t];
}

// Eight words a thread: two rows of steps.
extern "C" __global__ void of_two(const uint4 *in, unsigned *out, unsigned shift) {
    __shared__ unsigned s[MOST], first[2][16];
    int t = threadIdx.x;
    unsigned k[4], l[4];
    uint4 x = in[t], y = in[128 + t];
    words_of(x, k);
    words_of(y, l);
    *(uint4 *)&s[4 * t] = x;
    *(uint4 *)&s[512 + 4 * t] = y;
    if (t < 32)
        first[0][t] = 5000;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (4 * t + i == 0 || (s[4 * t + i - 1] >> shift & 15) != (k[i] >> shift & 15))
            first[0][k[i] >> shift & 15] = 4 * t + i;
    for (int i = 0; i < 4; i++)
        if ((s[511 + 4 * t + i] >> shift & 15) != (l[i] >> shift & 15))
            first[1][l[i] >> shift & 15] = 3 * t + i * i;
    __syncthreads();
    if (t < 32)
        out[t] = first[0][t];
}

// Most lanes store, each to a place of its own.
extern "C" __global__ void every_lane(const uint4 *in, unsigned *out, unsigned least) {
    __shared__ unsigned s[512];
    int t = threadIdx.x, n = blockDim.x;
    unsigned k[4];
    words_of(in[blockIdx.x * n + t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (k[i] >= least)
            s[(4 * t + i + 1) * 37 & 511] = k[i] ^ (i + 1);
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[blockIdx.x * 512 + i * n + t] = s[i * n + t];
}

extern "C" __global__ void to_global(const uint4 *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned k[4];
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = k[i] * 3;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if ((s[4 * t + i] & 15) == part)
            out[(4 * t + i + 1) * 5 & 511] = (s[4 * t + i] + 7 * t) ^ (i + 1);
}

// The block may not run: what stands in registers of the words that it reads is not in memory.
extern "C" __global__ void only_reads(const uint4 *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned k[4];
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = k[i] * 3;
    __syncthreads();
    if (part != 5)
        for (int i = 0; i < 4; i++)
            if ((s[4 * t + i] & 15) == part)
                out[(4 * t + i + 1) * 5 & 511] = (s[4 * t + i] + 7 * t) ^ (i + 1);
    __syncthreads();
    out[512 + t] = s[511 - 4 * t];
}

// What is tested and stored are the words themselves; two tests say no where the others say yes.
extern "C" __global__ void words(const uint4 *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned k[4];
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = t;
    __syncthreads();
    if (k[0] % 5 == part)
        s[(4 * t + 3) * 5 & 511] = k[0];
    if (k[1] % 5 == part) {
    } else
        s[(4 * t + 4) * 5 & 511] = k[1];
    if (k[2] % 5 != part)
        s[(4 * t + 5) * 5 & 511] = k[2];
    if (k[3] % 5 == part)
        s[(4 * t + 6) * 5 & 511] = k[3];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = s[i * 128 + t];
}

// A thread's step changes what its next one loads: the fifth thread's digits differ from those
// before.
extern "C" __global__ void own_words(const unsigned *in, unsigned *out, unsigned digit) {
    __shared__ unsigned s[272];
    int t = threadIdx.x;
    unsigned k[4];
    for (int i = 0; i < 4; i++)
        k[i] = in[4 * t + i] + (t < 5 ? 0 : digit);
    if (t == 0)
        s[0] = 0;
    for (int i = 0; i < 4; i++)
        s[4 * t + i + 1] = k[i];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if ((s[4 * t + i] & 15) != (k[i] & 15))
            s[17 + (k[i] & 15)] = (4 * t + i + 1) * 7;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 64 + t] = s[i * 64 + t];
}

// What is stored stands behind all that is loaded.
extern "C" __global__ void beside(const unsigned *in, unsigned *out, unsigned shift) {
    __shared__ unsigned s[276];
    int t = threadIdx.x;
    unsigned k[4];
    for (int i = 0; i < 4; i++)
        k[i] = in[4 * t + i] >> shift;
    if (t < 20)
        s[256 + t] = 0;
    __syncthreads();
    if (t == 0)
        s[0] = 1;
    for (int i = 0; i < 4; i++)
        s[4 * t + i + 1] = k[i];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if ((s[4 * t + i] & 15) != (k[i] & 15))
            s[260 + (k[i] & 15)] = (4 * t + i + 1) * 7;
    __syncthreads();
    if (t < 19)
        out[t] = s[257 + t];
}

// Who stores without asking is known when it runs alone.
extern "C" __global__ void unknown_first(const uint4 *in, unsigned *out, unsigned shift) {
    __shared__ unsigned s[513], first[16];
    int t = threadIdx.x;
    unsigned k[4];
    uint4 x = in[t];
    words_of(x, k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i + 1] = k[i];
    if (t == 0)
        s[0] = 0;
    if (t < 16)
        first[t] = 5000;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        unsigned digit = k[i] >> shift & 15;
        if ((t == (shift & 3) - 3 && i == 0) || (s[4 * t + i] >> shift & 15) != digit)
            first[digit] = 4 * t + i;
    }
    __syncthreads();
    if (t < 16)
        out[t] = first[t];
}

// Steps that do not ask begin in other words than the first one.
extern "C" __global__ void other_firsts(const uint4 *in, unsigned *out, unsigned shift) {
    __shared__ unsigned s[516], first[16];
    int t = threadIdx.x;
    unsigned k[4];
    uint4 x = in[t];
    words_of(x, k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = k[i];
    if (t < 4)
        s[512 + t] = 0;
    if (t < 16)
        first[t] = 5000;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        unsigned digit = k[i] >> shift & 15;
        if ((t == 127 && i == 3) || (s[4 * t + i + 1] >> shift & 15) != digit)
            first[digit] = 4 * t + i;
    }
    __syncthreads();
    if (t < 16)
        out[t] = first[t];
}

extern "C" __global__ void other_tests(const uint4 *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned k[4];
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = t;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (i == 2 ? (k[i] & 15) > part : (k[i] & 15) + 1 < part)
            s[(4 * t + i + 1) * 3 & 511] = k[i];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = s[i * 128 + t];
}

extern "C" __global__ void other_places(const uint4 *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512], u[512];
    int t = threadIdx.x;
    unsigned k[4];
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = u[4 * t + i] = t;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if ((k[i] & 1) == part)
            (i == 1 ? u : s)[(4 * t + i + 1) * 3 & 511] = k[i];
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        out[i * 128 + t] = s[i * 128 + t];
        out[512 + i * 128 + t] = u[i * 128 + t];
    }
}

extern "C" __global__ void kept_count(const uint4 *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned k[4], n = 0;
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = t;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if ((k[i] & 3) == part) {
            s[(4 * t + i + 1) * 3 & 511] = k[i];
            n += k[i];
        }
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = s[i * 128 + t] + n;
}

extern "C" __global__ void used_later(const uint4 *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned k[4], places = 0;
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = t;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        unsigned at = ((4 * t + i) * 3 ^ (k[i] & 0)) & 511;
        places ^= at * k[i];
        if ((k[i] & 3) == part)
            s[at] = k[i];
    }
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = s[i * 128 + t] + places;
}

// Words of a thread that lie further from each other.
extern "C" __global__ void far_apart(const unsigned *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[512], u[256];
    unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 8; i++)
        s[i * 64 + t] = in[i * 64 + t];
    for (int i = 0; i < 4; i++)
        u[i * 64 + t] = t;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if ((s[8 * t + 2 * i] & 3) == part)
            u[(4 * t + i + 1) * 37 & 255] = t + i;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 64 + t] = u[i * 64 + t];
}

// Something is stored between the first load and the steps.
extern "C" __global__ void changed_between(const unsigned *in, unsigned *out, unsigned part) {
    __shared__ unsigned s[256], u[256];
    unsigned t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        s[4 * t + i] = in[4 * t + i];
        u[4 * t + i] = t;
    }
    __syncthreads();
    unsigned first = s[4 * t];
    s[4 * t] = first * 2 + 1;
    if ((first & 1) == part)
        u[(4 * t) * 3 & 255] = 1;
    if ((s[4 * t + 1] & 1) == part)
        u[(4 * t + 1) * 3 & 255] = 2;
    if ((s[4 * t + 2] & 1) == part)
        u[(4 * t + 2) * 3 & 255] = 3;
    if ((s[4 * t + 3] & 1) == part)
        u[(4 * t + 3) * 3 & 255] = 4;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 64 + t] = u[i * 64 + t] ^ s[i * 64 + t];
}

extern "C" __global__ void in_loop(const uint4 *in, unsigned *out, unsigned turns) {
    __shared__ unsigned s[256], u[256];
    int t = threadIdx.x;
    unsigned k[4];
    uint4 x = in[t];
    words_of(x, k);
    for (int i = 0; i < 4; i++)
        u[4 * t + i] = t;
    for (unsigned turn = 0; turn < turns; turn++) {
        *(uint4 *)&s[4 * t] = x;
        __syncthreads();
        for (int i = 0; i < 4; i++)
            if ((s[4 * t + i] >> turn & 3) == 1)
                u[(4 * t + i) * 5 & 255] = k[i] + turn;
        __syncthreads();
        for (int i = 0; i < 4; i++)
            out[i * 64 + t] += u[i * 64 + t];
        __syncthreads();
    }
}

extern "C" __global__ void under_mask(const uint4 *in, unsigned *out, unsigned threads) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned k[4];
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = t;
    __syncthreads();
    if (t < threads)
        for (int i = 0; i < 4; i++)
            if (k[i] & 4)
                s[(4 * t + i + 1) * 3 & 511] = k[i];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = s[i * 128 + t];
}

extern "C" __global__ void signed_words(const int4 *in, int *out, int least) {
    __shared__ int s[512];
    int t = threadIdx.x;
    int4 x = in[t];
    int k[4] = {x.x, x.y, x.z, x.w};
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = t;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (k[i] >> 3 > least)
            s[(4 * t + i + 1) * 3 & 511] = k[i] >> 3;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = s[i * 128 + t];
}

// Places of which nothing is known.
extern "C" __global__ void wide_places(const uint4 *in, unsigned *out, unsigned by) {
    int t = threadIdx.x;
    unsigned k[4];
    words_of(in[t], k);
    for (int i = 0; i < 4; i++)
        if (k[i] % 3)
            out[k[i] * by] = i;
}
