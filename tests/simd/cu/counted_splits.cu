// Splits whose counters are sums over a warp by shuffles: known to go on from lane to lane, on words
// that stay as they lie in memory; and what looks like it.
// run: sorted grid=3 block=128 args=buf:1536:rand,buf:1536:zero,u32:0,u32:4
// run: sorted grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:28,u32:4
// run: sorted grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:3,u32:0
// run: sorted grid=2 block=32 args=buf:256:rand,buf:256:zero,u32:0,u32:4
// run: sorted grid=2 block=96 args=buf:768:rand,buf:768:zero,u32:5,u32:3
// run: sorted grid=1 block=50 args=buf:256:rand,buf:256:zero,u32:5,u32:3
// run: sorted grid=1 block=1024 args=buf:4096:rand,buf:4096:zero,u32:7,u32:2
// run: sorted grid=1 block=128 args=buf:512:zero,buf:512:zero,u32:0,u32:4
// run: beyond grid=1 block=128 args=buf:512:zero,u32:1
// run: beyond grid=1 block=128 args=buf:512:zero,u32:2
// run: beyond grid=1 block=128 args=buf:512:zero,u32:31
// run: beyond grid=1 block=128 args=buf:512:zero,u32:32
// run: beyond grid=1 block=128 args=buf:512:zero,u32:41
// run: unrolled grid=2 block=128 args=buf:1024:rand,buf:1024:zero
// run: below grid=2 block=128 args=buf:1024:rand,buf:1024:zero,u32:2000000000
// run: below grid=1 block=128 args=buf:512:iota,buf:512:zero,u32:0
// run: other grid=1 block=128 args=buf:512:iota,buf:512:zero,u32:200
// run: signed_above grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:200
// run: signed_below grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:3000000000
// run: negative grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:0
// run: to_global grid=2 block=64 args=buf:512:rand,buf:1024:zero
// run: two_sums grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:3
// run: other_tests grid=1 block=128 args=buf:512:rand,buf:4096:zero,u32:9
// run: other_sums grid=1 block=128 args=buf:512:rand,buf:8192:zero,u32:4,u32:1
// run: other_counters grid=1 block=128 args=buf:512:rand,buf:8192:zero,u32:4,u32:3
// run: other_counters grid=1 block=128 args=buf:512:rand,buf:8192:zero,u32:4,u32:2147483600
// run: meeting grid=1 block=128 args=buf:1024:zero,u32:2
// run: some grid=1 block=128 args=buf:512:rand,buf:2048:zero,u32:128
// run: some grid=1 block=128 args=buf:512:rand,buf:2048:zero,u32:77
// run: changed grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:0
// run: changed grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:2
// run: eight_keys grid=2 block=64 args=buf:1024:rand,buf:1024:zero,u32:1
// run: exchanged grid=1 block=128 args=buf:1024:rand,buf:1024:zero,u32:3
// run: nested grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:2
// run: of_warps grid=1 block=128 args=buf:512:rand,buf:512:zero,u32:0
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
enum { MOST = 1024 };

__device__ unsigned scan_warp(unsigned v) {
    for (int d = 1; d < 32; d *= 2) {
        unsigned u = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x % 32 >= d)
            v += u;
    }
    return v;
}

// The exclusive prefix sum over a block's threads, of which `sum` is the warp's part; *total gets
// the sum of all.
__device__ unsigned scan_sums(unsigned v, unsigned sum, unsigned *total) {
    __shared__ unsigned warps[32];
    unsigned warp = threadIdx.x / 32, before = 0, all = 0;
    if (threadIdx.x % 32 == 31 || threadIdx.x == blockDim.x - 1)
        warps[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < (blockDim.x + 31) / 32; w++) {
        before += w < warp ? warps[w] : 0;
        all += warps[w];
    }
    __syncthreads();
    *total = all;
    return before + sum - v;
}

__device__ unsigned scan_threads(unsigned v, unsigned *total) {
    return scan_sums(v, scan_warp(v), total);
}

__device__ void split(const unsigned *k, unsigned *s, unsigned bit) {
    unsigned zeros = 0, total;
    for (int i = 0; i < 4; i++)
        zeros += !(k[i] >> bit & 1);
    unsigned zero = scan_threads(zeros, &total), one = total + threadIdx.x * 4 - zero;
    for (int i = 0; i < 4; i++)
        s[k[i] >> bit & 1 ? one++ : zero++] = k[i];
    __syncthreads();
}

__device__ void load(unsigned *k, const unsigned *from) {
    uint4 x = *(const uint4 *)(from + threadIdx.x * 4);
    k[0] = x.x, k[1] = x.y, k[2] = x.z, k[3] = x.w;
}

__device__ void store(unsigned *to, const unsigned *k) {
    *(uint4 *)(to + threadIdx.x * 4) = make_uint4(k[0], k[1], k[2], k[3]);
}

extern "C" __global__ void sorted(const uint4 *in, uint4 *out, unsigned from, unsigned turns) {
    __shared__ __align__(16) unsigned s[4 * MOST];
    unsigned k[4];
    load(k, (const unsigned *)(in + blockIdx.x * blockDim.x));
    for (unsigned bit = from; bit != from + turns; bit++) {
        split(k, s, bit);
        load(k, s);
        __syncthreads();
    }
    store((unsigned *)(out + blockIdx.x * blockDim.x), k);
}

// Beyond a word's bits there are zeros: no element is counted, and each goes to the first places.
extern "C" __global__ void beyond(uint4 *out, unsigned bit) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned k[4] = {5, 5, 5, 5};
    store(s, k);
    __syncthreads();
    load(k, s);
    for (unsigned turn = 0; turn < 2; turn++, bit++) {
        for (int i = 0; i < 4; i++)
            s[threadIdx.x * 4 + i] = 7;
        __syncthreads();
        split(k, s, bit);
        store((unsigned *)out, k);
        load(k, s);
        __syncthreads();
        for (int i = 0; i < 4; i++)
            s[threadIdx.x * 4 + i] = 5;
        __syncthreads();
        store((unsigned *)(out + 0), k);
        load(k, s);
        __syncthreads();
    }
}

extern "C" __global__ void unrolled(const uint4 *in, uint4 *out) {
    __shared__ __align__(16) unsigned s[4 * 256];
    unsigned k[4];
    load(k, (const unsigned *)(in + blockIdx.x * blockDim.x));
#pragma unroll
    for (unsigned bit = 3; bit < 6; bit++) {
        split(k, s, bit);
        load(k, s);
        __syncthreads();
    }
    store((unsigned *)(out + blockIdx.x * blockDim.x), k);
}

// Comparisons; which of the two places is counted differs.
template <class Counted, class Chosen>
__device__ void part(const uint4 *in, uint4 *out, unsigned pivot, Counted counted, Chosen chosen) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned k[4], total;
    load(k, (const unsigned *)(in + blockIdx.x * blockDim.x));
    for (int turn = 0; turn < 3; turn++, pivot += pivot / 2) {
        unsigned n = 0;
        for (int i = 0; i < 4; i++)
            n += counted(k[i], pivot);
        unsigned yes = scan_threads(n, &total), no = total + threadIdx.x * 4 - yes;
        for (int i = 0; i < 4; i++)
            s[chosen(k[i], pivot) ? no++ : yes++] = k[i];
        __syncthreads();
        load(k, s);
        __syncthreads();
    }
    store((unsigned *)(out + blockIdx.x * blockDim.x), k);
}

#define BY_PIVOT(NAME, COUNTED, CHOSEN)                                                            \
    extern "C" __global__ void NAME(const uint4 *in, uint4 *out, unsigned pivot) {                 \
        part(                                                                                      \
            in, out, pivot, [](unsigned x, unsigned p) { return COUNTED; },                        \
            [](unsigned x, unsigned p) { return CHOSEN; });                                        \
    }
BY_PIVOT(below, x < p, !(x < p))
BY_PIVOT(other, x != p, x == p)
BY_PIVOT(signed_above, (int)x > (int)p, (int)x <= (int)p)
BY_PIVOT(signed_below, (int)x < (int)p, (int)x >= (int)p)
BY_PIVOT(negative, (int)x < 0, (int)x >= 0)

extern "C" __global__ void to_global(const uint4 *in, unsigned *out) {
    unsigned k[4], n = 0, total;
    load(k, (const unsigned *)(in + blockIdx.x * blockDim.x));
    for (int i = 0; i < 4; i++)
        n += (int)k[i] < 0;
    unsigned below = scan_threads(n, &total), above = threadIdx.x * 4 - below + 256;
    for (int i = 0; i < 4; i++)
        (out + blockIdx.x * 512)[(int)k[i] < 0 ? below++ : above++] = k[i];
}

// Both are counted.
extern "C" __global__ void two_sums(const uint4 *in, unsigned *out, unsigned bit) {
    unsigned k[4], n = 0, m = 0, total, all;
    load(k, (const unsigned *)in);
    for (int i = 0; i < 4; i++) {
        n += k[i] >> bit & 1;
        m += !(k[i] >> bit & 1);
    }
    unsigned one = scan_threads(n, &total), zero = total + scan_threads(m, &all);
    for (int i = 0; i < 4; i++)
        out[k[i] >> bit & 1 ? one++ : zero++] = k[i];
}

// What is counted is not what is asked: another bit, three words, one word twice, words moved.
// Places are shared then, but not by different words.
extern "C" __global__ void other_tests(const uint4 *in, unsigned *out, unsigned bit) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned k[4], n[4] = {0, 0, 0, 0}, total;
    load(k, (const unsigned *)in);
    for (int i = 0; i < 4; i++)
        s[threadIdx.x * 4 + i] = (k[i] & 1 << bit) | 1u << 31;
    __syncthreads();
    load(k, s);
    for (int i = 0; i < 4; i++) {
        n[0] += k[i] >> (bit + 1) & 1;
        n[1] += i < 3 ? k[i] >> bit & 1 : 0;
        n[2] += k[i & 2] >> bit & 1;
        n[3] += k[i] >> bit & 1;
    }
    for (int q = 0; q < 4; q++) {
        unsigned one = scan_threads(n[q], &total), zero = 512 + threadIdx.x * 4 - one;
        for (int i = 0; i < 4; i++) {
            unsigned x = q == 3 ? k[3 - i] : k[i];
            (out + q * 1024)[x >> bit & 1 ? one++ : zero++] = x;
        }
        __syncthreads();
    }
}

// The last one and the first zero share a place, and one thread stores both: the later one stays.
extern "C" __global__ void meeting(unsigned *out, unsigned bit) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned k[4], n = 0, total, t = threadIdx.x;
    for (unsigned i = 0; i < 4; i++)
        s[t * 4 + i] = (t * 4 + i + 1) << 8 | (t < 13 || (t == 13 && i % 2 == 0)) << bit;
    __syncthreads();
    load(k, s);
    for (int i = 0; i < 4; i++)
        n += k[i] >> bit & 1;
    unsigned one = scan_threads(n, &total), zero = t * 4 - one + total - 1;
    for (int i = 0; i < 4; i++)
        out[k[i] >> bit & 1 ? one++ : zero++] = k[i];
}

// Not the sum of the lanes before: a distance is missing or too long, lanes wrap, or all are asked.
extern "C" __global__ void other_sums(const uint4 *in, unsigned *out, unsigned bit, unsigned n) {
    unsigned k[4], v = 0, total, lane = threadIdx.x % 32;
    load(k, (const unsigned *)in);
    for (int i = 0; i < 4; i++)
        v += k[i] >> bit & 1;
    for (int q = 0; q < 5; q++) {
        unsigned sum = v;
        for (unsigned d = q == 0 ? 2 : 1; d < (q == 1 ? 16 : 32); d *= 2) {
            unsigned u = q == 2 ? __shfl_up_sync(~0u, sum, d, 16) : __shfl_up_sync(~0u, sum, d);
            if (q == 3 ? lane > d : q == 4 ? lane >= d * n : lane >= d)
                sum += u;
        }
        unsigned one = scan_sums(v, sum, &total) % 512, zero = 1024 + threadIdx.x * 8;
        for (int i = 0; i < 4; i++)
            if (k[i] >> bit & 1)
                atomicMax(&out[q * 600 + one++], k[i]);
            else
                out[3000 + q * 1024 - 1024 + zero++] = k[i];
        __syncthreads();
    }
}

// Counters with gaps, or that wrap.
extern "C" __global__ void other_counters(const uint4 *in, unsigned *out, unsigned bit,
                                          unsigned gap) {
    unsigned k[4], n = 0, total, t = threadIdx.x;
    load(k, (const unsigned *)in);
    for (int i = 0; i < 4; i++)
        n += k[i] >> bit & 1;
    unsigned sum = scan_threads(n, &total);
    unsigned one = sum + t, zero = 1024 + t * 4 - sum;
    for (int i = 0; i < 4; i++)
        out[k[i] >> bit & 1 ? one++ : zero++] = k[i];
    __syncthreads();
    one = 2048 + sum, zero = 3072 + t * 5 - sum;
    for (int i = 0; i < 4; i++)
        out[k[i] >> bit & 1 ? one++ : zero++] = k[i];
    __syncthreads();
    one = gap + sum, zero = gap + 600 + t * 4 - sum;
    unsigned *p = out + 5200 - (size_t)gap;
    for (int i = 0; i < 4; i++)
        p[k[i] >> bit & 1 ? one++ : zero++] = k[i];
}

// Not all threads store.
extern "C" __global__ void some(const uint4 *in, unsigned *out, unsigned threads) {
    unsigned k[4], n = 0, total;
    load(k, (const unsigned *)in);
    for (int i = 0; i < 4; i++)
        n += k[i] & 1;
    unsigned odd = scan_threads(n, &total), even = 1024 + threadIdx.x * 4 - odd;
    if (threadIdx.x < threads && k[0] != 12345)
        for (int i = 0; i < 4; i++)
            out[k[i] & 1 ? odd++ : even++] = k[i];
}

// What goes around the loop is not always what was loaded.
extern "C" __global__ void changed(const uint4 *in, uint4 *out, unsigned at) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned k[4];
    load(k, (const unsigned *)in);
    for (unsigned bit = 0; bit < 4; bit++) {
        split(k, s, bit);
        load(k, s);
        __syncthreads();
        if (bit == at)
            for (int i = 0; i < 4; i++)
                k[i] = k[i] * 2654435761u + threadIdx.x;
    }
    store((unsigned *)out, k);
}

extern "C" __global__ void eight_keys(const uint4 *in, uint4 *out, unsigned from) {
    __shared__ __align__(16) unsigned s[8 * 128];
    unsigned k[8];
    const uint4 *p = in + THREAD * 2;
    for (int h = 0; h < 2; h++) {
        uint4 x = p[h];
        k[h * 4] = x.x, k[h * 4 + 1] = x.y, k[h * 4 + 2] = x.z, k[h * 4 + 3] = x.w;
    }
    for (unsigned bit = from; bit < from + 3; bit++) {
        split(k, s, bit);
        split(k + 4, s + 4 * 128, bit);
        load(k, s);
        load(k + 4, s + 4 * 128);
        __syncthreads();
    }
    store((unsigned *)(out + blockIdx.x * 256), k);
    store((unsigned *)(out + blockIdx.x * 256 + 128), k + 4);
}

// Two tiles change places each turn.
extern "C" __global__ void exchanged(const uint4 *in, uint4 *out, unsigned turns) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned a[4], b[4];
    load(a, (const unsigned *)in);
    load(b, (const unsigned *)(in + 128));
    for (unsigned bit = 0; bit < turns; bit++) {
        split(a, s, bit);
        unsigned c[4];
        load(c, s);
        __syncthreads();
        for (int i = 0; i < 4; i++) {
            a[i] = b[i];
            b[i] = c[i];
        }
    }
    store((unsigned *)out, a);
    store((unsigned *)(out + 128), b);
}

extern "C" __global__ void nested(const uint4 *in, uint4 *out, unsigned turns) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned k[4];
    load(k, (const unsigned *)in);
    for (unsigned q = 0; q < turns; q++) {
        for (unsigned bit = q * 4; bit < q * 4 + 4; bit++) {
            split(k, s, bit);
            load(k, s);
            __syncthreads();
        }
        if (k[0] == 77)
            s[threadIdx.x] = 3;
        __syncthreads();
    }
    store((unsigned *)out, k);
}

// Each warp by itself, as many turns as it likes.
extern "C" __global__ void of_warps(const uint4 *in, uint4 *out, unsigned from) {
    __shared__ __align__(16) unsigned s[4 * 128];
    unsigned k[4], warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    load(k, (const unsigned *)in);
    for (unsigned bit = from; bit < from + warp; bit++) {
        unsigned n = 0;
        for (int i = 0; i < 4; i++)
            n += !(k[i] >> bit & 1);
        unsigned sum = scan_warp(n), total = __shfl_sync(~0u, sum, 31);
        unsigned zero = warp * 128 + sum - n, one = warp * 256 + total + lane * 4 - zero;
        for (int i = 0; i < 4; i++)
            s[k[i] >> bit & 1 ? one++ : zero++] = k[i];
        __syncwarp();
        load(k, s);
        __syncwarp();
    }
    store((unsigned *)out, k);
}
