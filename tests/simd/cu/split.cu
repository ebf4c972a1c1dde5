// Elements that go to one of two places, each of which counts up from thread to thread, as in a
// radix sort's split by one bit; and what looks like it.
// run: one_key grid=2 block=64 args=buf:128:rand,buf:256:zero,u32:0
// run: one_key grid=2 block=64 args=buf:128:rand,buf:256:zero,u32:7
// run: one_key grid=1 block=50 args=buf:64:rand,buf:256:zero,u32:3
// run: one_key grid=1 block=256 args=buf:256:rand,buf:256:zero,u32:31
// run: two_keys grid=2 block=64 args=buf:256:rand,buf:256:zero,u32:1
// run: four_keys grid=2 block=128 args=buf:1024:rand,buf:1024:zero,u32:5
// run: four_keys grid=1 block=96 args=buf:512:zero,buf:512:zero,u32:2
// run: eight_keys grid=2 block=32 args=buf:512:rand,buf:512:zero,u32:9
// run: sorted grid=2 block=128 args=buf:1024:rand,buf:1024:zero
// run: sorted grid=2 block=256 args=buf:2048:rand,buf:2048:zero
// run: skewed grid=1 block=64 args=buf:256:rand,buf:256:zero,u32:100
// run: skewed grid=1 block=64 args=buf:256:rand,buf:256:zero,u32:4000000000
// run: skewed grid=1 block=64 args=buf:256:rand,buf:256:zero,u32:0
// run: to_global grid=2 block=64 args=buf:256:rand,buf:512:zero
// run: floats grid=1 block=64 args=buf:256:rand,buf:256:zero
// run: some grid=1 block=64 args=buf:256:rand,buf:512:zero,u32:64
// run: some grid=1 block=64 args=buf:256:rand,buf:512:zero,u32:37
// run: with_gaps grid=1 block=64 args=buf:256:rand,buf:1024:zero,u32:1
// run: with_gaps grid=1 block=64 args=buf:256:rand,buf:1024:zero,u32:3
// run: same_places grid=1 block=32 args=buf:64:rand,buf:256:zero,u32:1
// run: same_places grid=1 block=32 args=buf:64:rand,buf:256:zero,u32:2
// run: wraps grid=1 block=64 args=buf:64:rand,buf:512:zero,u32:5
// run: wraps grid=1 block=64 args=buf:64:rand,buf:512:zero,u32:2147483630
// run: other_counts grid=1 block=64 args=buf:256:rand,buf:1024:zero
// run: three_ways grid=1 block=64 args=buf:256:rand,buf:512:zero
// run: read_between grid=1 block=64 args=buf:128:rand,buf:256:zero
// run: predicates grid=1 block=64 args=buf:256:rand,buf:1024:zero,u32:1000
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// The exclusive prefix sum over a block's threads; *total gets the sum of all.
__device__ unsigned scan_threads(unsigned v, unsigned *total) {
    __shared__ unsigned sums[256];
    unsigned t = threadIdx.x, before = 0, all = 0;
    sums[t] = v;
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x; k++) {
        before += k < t ? sums[k] : 0;
        all += sums[k];
    }
    __syncthreads();
    *total = all;
    return before;
}

template <int N> __device__ void split(unsigned *k, unsigned *s, unsigned bit) {
    unsigned zeros = 0, total;
    for (int i = 0; i < N; i++)
        zeros += !(k[i] >> bit & 1);
    unsigned zero = scan_threads(zeros, &total), one = total + threadIdx.x * N - zero;
    for (int i = 0; i < N; i++)
        s[k[i] >> bit & 1 ? one++ : zero++] = k[i];
    __syncthreads();
}

template <int N> __device__ void split_tile(const unsigned *in, unsigned *out, unsigned bit) {
    __shared__ unsigned s[N * 256];
    unsigned k[N];
    for (int i = 0; i < N; i++)
        k[i] = in[THREAD * N + i];
    split<N>(k, s, bit);
    for (int i = 0; i < N; i++)
        out[THREAD * N + i] = s[threadIdx.x * N + i];
}

extern "C" __global__ void one_key(const unsigned *in, unsigned *out, unsigned bit) {
    split_tile<1>(in, out, bit);
}

extern "C" __global__ void two_keys(const unsigned *in, unsigned *out, unsigned bit) {
    split_tile<2>(in, out, bit);
}

extern "C" __global__ void four_keys(const unsigned *in, unsigned *out, unsigned bit) {
    split_tile<4>(in, out, bit);
}

extern "C" __global__ void eight_keys(const unsigned *in, unsigned *out, unsigned bit) {
    split_tile<8>(in, out, bit);
}

extern "C" __global__ void sorted(const uint4 *in, uint4 *out) {
    __shared__ unsigned s[4 * 256];
    uint4 x = in[THREAD];
    unsigned k[4] = {x.x, x.y, x.z, x.w};
    for (unsigned bit = 0; bit < 5; bit++) {
        split<4>(k, s, bit);
        for (int i = 0; i < 4; i++)
            k[i] = s[threadIdx.x * 4 + i];
        __syncthreads();
    }
    out[THREAD] = make_uint4(k[0], k[1], k[2], k[3]);
}

// Hardly any element goes one way, so that both places lie close together.
extern "C" __global__ void skewed(const unsigned *in, unsigned *out, unsigned least) {
    __shared__ unsigned s[4 * 64];
    unsigned t = threadIdx.x, n = 0, total, k[4];
    for (int i = 0; i < 4; i++)
        n += (k[i] = in[t * 4 + i] * 2654435761u) < least;
    unsigned low = scan_threads(n, &total), high = total + t * 4 - low;
    for (int i = 0; i < 4; i++)
        s[k[i] < least ? low++ : high++] = k[i];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[t * 4 + i] = s[t * 4 + i];
}

extern "C" __global__ void to_global(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = 0, total, k[2];
    for (int i = 0; i < 2; i++)
        n += (k[i] = in[THREAD * 2 + i]) % 3 == 0;
    unsigned yes = scan_threads(n, &total), no = 2 * t - yes + 128;
    unsigned *p = out + blockIdx.x * 256;
    for (int i = 0; i < 2; i++)
        p[k[i] % 3 == 0 ? yes++ : no++] = k[i];
}

extern "C" __global__ void floats(const unsigned *in, float *out) {
    unsigned t = threadIdx.x, n = 0, total;
    float k[4];
    for (int i = 0; i < 4; i++) {
        k[i] = (int)(in[t * 4 + i] % 2000) - 1000.0f;
        n += k[i] < 0;
    }
    unsigned below = scan_threads(n, &total), above = total + t * 4 - below;
    for (int i = 0; i < 4; i++)
        out[k[i] < 0 ? below++ : above++] = k[i] * 0.5f;
}

// Not all threads store.
extern "C" __global__ void some(const unsigned *in, unsigned *out, unsigned threads) {
    unsigned t = threadIdx.x, n = 0, total, k[2];
    for (int i = 0; i < 2; i++)
        n += (k[i] = in[t * 2 + i]) & 1;
    unsigned odd = scan_threads(n, &total), even = 256 + 2 * t - odd;
    if (t < threads && in[t] != 12345)
        for (int i = 0; i < 2; i++)
            out[k[i] & 1 ? odd++ : even++] = k[i];
}

// Some thread's places do not begin where those before end.
extern "C" __global__ void with_gaps(const unsigned *in, unsigned *out, unsigned which) {
    unsigned t = threadIdx.x, n = 0, total, k[4];
    for (int i = 0; i < 4; i++)
        n += (k[i] = in[t * 4 + i]) & 1;
    unsigned odd = scan_threads(n, &total), even = 512 + 4 * t - odd;
    odd += which & 1 && in[1] % 64 < t ? 7 : 0;
    even += which & 2 && in[2] % 64 < t ? 5 : 0;
    for (int i = 0; i < 4; i++)
        out[k[i] & 1 ? odd++ : even++] = k[i];
}

// A thread's later store goes to the same word as an earlier one: it stays.
extern "C" __global__ void same_places(const unsigned *in, unsigned *out, unsigned kind) {
    unsigned t = threadIdx.x, n = 0, total, k[2];
    for (int i = 0; i < 2; i++)
        n += (k[i] = in[t * 2 + i]) & 1;
    unsigned odd = scan_threads(n, &total), even = 2 * t - odd;
    if (kind == 1)
        odd = even = t * 4;
    else
        even += total - 1;
    for (int i = 0; i < 2; i++)
        out[k[i] & 1 ? odd++ : even++] = kind == 1 ? k[i] : t / 32;
}

// Counters go across 2^31, or across zero.
extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned from) {
    unsigned t = threadIdx.x, k = in[t], total;
    unsigned odd = from + scan_threads(k & 1, &total), even = from + t - odd + from + 100;
    unsigned *p = out - (size_t)from;
    p[k & 1 ? odd : even] = k;
    int below = (int)(odd - from) - 20, above = (int)(even - from);
    (out + 320)[k & 1 ? below : above] = k;
}

// The counters count something else.
extern "C" __global__ void other_counts(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = 0, total, k[4];
    for (int i = 0; i < 4; i++)
        n += 2 * ((k[i] = in[t * 4 + i]) & 1);
    unsigned odd = scan_threads(n, &total), even = 512 + 4 * t - odd / 2;
    for (int i = 0; i < 4; i++) {
        out[k[i] & 1 ? odd : even] = k[i];
        odd += 2 * (k[i] & 1);
        even += !(k[i] & 1);
    }
}

extern "C" __global__ void three_ways(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = 0, total, k[3];
    for (int i = 0; i < 3; i++)
        n += (k[i] = in[t * 3 + i]) & 1;
    unsigned odd = scan_threads(n, &total), even = total + 3 * t - odd;
    for (int i = 0; i < 3; i++)
        out[k[i] & 1 ? odd++ : even++] = k[i];
}

// What one store writes is read before the next one.
extern "C" __global__ void read_between(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x, n = 0, total, k[2], sum = 0;
    s[t] = s[t + 64] = 0;
    for (int i = 0; i < 2; i++)
        n += (k[i] = in[t * 2 + i]) & 1;
    unsigned odd = scan_threads(n, &total), even = total + 2 * t - odd;
    for (int i = 0; i < 2; i++) {
        unsigned at = k[i] & 1 ? odd++ : even++;
        s[at] = k[i];
        sum += s[at] * (i + 1);
    }
    __syncthreads();
    out[t] = s[t] + s[t + 64] * 3;
    out[t + 64] = sum;
}

// Comparisons of each kind, and the places in either order.
extern "C" __global__ void predicates(const unsigned *in, unsigned *out, unsigned limit) {
    unsigned t = threadIdx.x, total, k[4], n[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        k[i] = in[t * 4 + i] % 2000;
        n[0] += (int)k[i] >= (int)limit;
        n[1] += k[i] != limit % 7;
        n[2] += !(k[i] > limit);
    }
    unsigned yes = scan_threads(n[0], &total), no = total + 4 * t - yes;
    for (int i = 0; i < 4; i++)
        out[(int)k[i] < (int)limit ? no++ : yes++] = k[i];
    yes = scan_threads(n[1], &total), no = total + 4 * t - yes;
    for (int i = 0; i < 4; i++)
        (out + 256)[k[i] == limit % 7 ? no++ : yes++] = k[i];
    yes = scan_threads(n[2], &total), no = total + 4 * t - yes;
    for (int i = 0; i < 4; i++)
        (out + 512)[k[i] > limit ? no++ : yes++] = k[i];
}
