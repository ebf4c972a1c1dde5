// Votes, matches, reductions and shuffles of warps, counting barriers, hinted loads and stores,
// integer functions: on numbers at random, of all lanes and of some, against what the host works
// out.
#include <climits>

#include "check.h"

constexpr int lanes = 32, warps = 4, threads = lanes * warps;
typedef unsigned int word;
typedef unsigned long long ull;

static ull state = 88172645463325252ull;
static ull random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// ---- Warps (10.19 to 10.22) -------------------------------------------------------------------

struct of_lane {
    word all, any, ballot, active, match, match_all, add, least, most, both, either, other;
    int pred, signed_add, signed_least, signed_most;
    word from, up, down, swapped, turned;
    ull wide;
    double real;
};

__global__ void warp_functions(const word *x, const word *masks, of_lane *out) {
    word t = threadIdx.x, lane = t % lanes, mask = masks[t / lanes], v = x[t];
    of_lane r = {};
    if (mask >> lane & 1) {
        r.active = __activemask();
        r.all = __all_sync(mask, v & 6) != 0;
        r.any = __any_sync(mask, (v & 15) == 0) != 0;
        r.ballot = __ballot_sync(mask, v & 1);
        r.match = __match_any_sync(mask, v % 5);
        r.match_all = __match_all_sync(mask, v >> 31 & (word)(t >= 64), &r.pred);
        r.add = __reduce_add_sync(mask, v);
        r.least = __reduce_min_sync(mask, v);
        r.most = __reduce_max_sync(mask, v);
        r.both = __reduce_and_sync(mask, v | 0xff);
        r.either = __reduce_or_sync(mask, v & 0xf0f0);
        r.other = __reduce_xor_sync(mask, v);
        r.signed_add = __reduce_add_sync(mask, (int)v);
        r.signed_least = __reduce_min_sync(mask, (int)v);
        r.signed_most = __reduce_max_sync(mask, (int)v);
    }
    r.from = __shfl_sync(0xffffffff, v, (int)(v >> 3));
    r.up = __shfl_up_sync(0xffffffff, v, 3, 8);
    r.down = __shfl_down_sync(0xffffffff, v, 5, 16);
    r.swapped = __shfl_xor_sync(0xffffffff, v, 21);
    r.turned = __shfl_sync(0xffffffff, v, (int)lane + 1, 4);
    r.wide = __shfl_xor_sync(0xffffffff, v * 0x100000001ull, 1);
    r.real = __shfl_down_sync(0xffffffff, v * 0.5, 31);
    out[t] = r;
}

static void check_warps() {
    word *x = shared_array<word>(threads), *masks = shared_array<word>(warps);
    of_lane *out = shared_array<of_lane>(threads);
    for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < threads; i++)
            x[i] = (word)random_bits() >> (turn % 4 * 7);
        for (int w = 0; w < warps; w++)
            masks[w] = w == 0 ? 0xffffffff : (word)random_bits() | 1u << turn;
        warp_functions<<<1, threads>>>(x, masks, out);
        CUDA(cudaDeviceSynchronize());
        for (int t = 0; t < threads; t++) {
            const word *w = x + t / lanes * lanes, mask = masks[t / lanes], lane = t % lanes;
            const of_lane &r = out[t];
            of_lane e = {1, 0, 0, mask, 0, 0, 0, ~0u, 0, ~0u, 0, 0, 0, 0, INT_MAX, INT_MIN};
            word same = 0;
            for (word k = 0; k < lanes; k++) {
                if (!(mask >> k & 1))
                    continue;
                word v = w[k], mine = x[t];
                e.all &= (v & 6) != 0;
                e.any |= (v & 15) == 0;
                e.ballot |= (v & 1) << k;
                e.match |= (word)(v % 5 == mine % 5) << k;
                same |= (word)(((v ^ mine) >> 31 & (word)(t >= 64)) == 0) << k;
                e.add += v;
                e.least = v < e.least ? v : e.least;
                e.most = v > e.most ? v : e.most;
                e.both &= v | 0xff;
                e.either |= v & 0xf0f0;
                e.other ^= v;
                e.signed_least = (int)v < e.signed_least ? (int)v : e.signed_least;
                e.signed_most = (int)v > e.signed_most ? (int)v : e.signed_most;
            }
            if (mask >> lane & 1) {
                CHECK(r.active == mask && r.all == e.all && r.any == e.any && r.ballot == e.ballot);
                CHECK(r.match == e.match && r.match_all == (same == mask ? mask : 0));
                CHECK((r.pred != 0) == (same == mask));
                CHECK(r.add == e.add && r.least == e.least && r.most == e.most && r.both == e.both);
                CHECK(r.either == e.either && r.other == e.other && r.signed_add == (int)e.add);
                CHECK(r.signed_least == e.signed_least && r.signed_most == e.signed_most);
            }
            CHECK(r.from == w[x[t] >> 3 & 31] && r.up == w[lane % 8 < 3 ? lane : lane - 3]);
            CHECK(r.down == w[lane % 16 + 5 > 15 ? lane : lane + 5] && r.swapped == w[lane ^ 21]);
            CHECK(r.turned == w[lane / 4 * 4 + (lane + 1) % 4] &&
                  r.wide == w[lane ^ 1] * 0x100000001ull);
            CHECK(r.real == 0.5 * (lane == 0 ? w[31] : x[t]));
        }
    }
}

// ---- Barriers that count (10.6), loads and stores with hints (10.10 to 10.12) -------------------

__global__ void barriers(const word *x, int *out) {
    word v = x[threadIdx.x];
    int count = __syncthreads_count(v & 1), all = __syncthreads_and(v & 3),
        any = __syncthreads_or(v == 7);
    __syncwarp();
    out[threadIdx.x] = count * 4 + (all != 0) * 2 + (any != 0);
}

template <class T> __global__ void hinted(const T *in, T *out) {
    int i = threadIdx.x, n = blockDim.x;
    __stwb(out + i, __ldg(in + i));
    __stcg(out + n + i, __ldcg(in + n + i));
    __stcs(out + 2 * n + i, __ldca(in + 2 * n + i));
    __stwt(out + 3 * n + i, __ldcs(in + 3 * n + i));
    out[4 * n + i] = __ldlu(in + 4 * n + i);
    out[5 * n + i] = __ldcv(in + 5 * n + i);
}

template <class T> void check_hints() {
    constexpr int n = 6 * threads;
    T *in = shared_array<T>(n), *out = shared_array<T>(n);
    for (size_t i = 0; i < sizeof(T) * n; i++)
        ((unsigned char *)in)[i] = (unsigned char)(i * 29 + 3);
    hinted<<<1, threads>>>((const T *)in, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(!memcmp(in, out, sizeof(T) * n));
}

static void check_block() {
    word *x = shared_array<word>(threads);
    int *out = shared_array<int>(threads);
    for (int turn = 0; turn < 8; turn++) {
        int count = 0, all = 1, any = 0;
        for (int i = 0; i < threads; i++) {
            x[i] = (word)random_bits() % (turn < 4 ? 7u : 200u) | (turn & 1 ? 2u : 0u);
            count += x[i] & 1;
            all &= (x[i] & 3) != 0;
            any |= x[i] == 7;
        }
        barriers<<<1, threads>>>(x, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < threads; i++)
            CHECK(out[i] == count * 4 + all * 2 + any);
    }
    check_hints<unsigned char>();
    check_hints<short>();
    check_hints<int>();
    check_hints<long long>();
    check_hints<float>();
    check_hints<double>();
    check_hints<int4>();
    check_hints<float2>();
    check_hints<double2>();
    check_hints<short2>();
    check_hints<uchar4>();
}

// ---- Integers -----------------------------------------------------------------------------------

constexpr int results = 32;

__global__ void integers(const ull *xs, ull *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ull x = xs[2 * i], y = xs[2 * i + 1], *r = out + i * results;
    word a = (word)x, b = (word)y;
    int s = (int)a, t = (int)b, k = 0;
    r[k++] = __brev(a);
    r[k++] = __brevll(x);
    r[k++] = __byte_perm(a, b, (word)(x >> 32));
    r[k++] = (word)__clz(s);
    r[k++] = (word)__clzll((long long)x);
    r[k++] = (word)__ffs(s);
    r[k++] = (word)__ffsll((long long)x);
    r[k++] = (word)__popc(a);
    r[k++] = (word)__popcll(x);
    r[k++] = __funnelshift_l(a, b, (word)(y >> 32));
    r[k++] = __funnelshift_lc(a, b, (word)(y >> 58));
    r[k++] = __funnelshift_r(a, b, (word)(y >> 32));
    r[k++] = __funnelshift_rc(a, b, (word)(y >> 58));
    r[k++] = (word)__hadd(s, t);
    r[k++] = (word)__rhadd(s, t);
    r[k++] = __uhadd(a, b);
    r[k++] = __urhadd(a, b);
    r[k++] = (word)__mul24(s, t);
    r[k++] = __umul24(a, b);
    r[k++] = (word)__mulhi(s, t);
    r[k++] = __umulhi(a, b);
    r[k++] = (ull)__mul64hi((long long)x, (long long)y);
    r[k++] = __umul64hi(x, y);
    r[k++] = __sad(s, t, a);
    r[k++] = __usad(a, b, b);
    r[k++] = (word)__dp4a(s, t, 7);
    r[k++] = __dp4a(a, b, 9u);
    r[k++] = (word)__dp2a_lo(s, t, 11);
    r[k++] = __dp2a_hi(a, b, 13u);
    r[k++] = __fns(a, 0, 3);
    r[k++] = (word)abs(s) + (ull)llabs((long long)(y >> 1));
    r[k++] = (ull)(min(s, t) + 1ll) ^ (ull)max(a, b);
}

static word bits_below(ull x, int n, bool from_top) { // zeros before the first one
    int k = 0;
    while (k < n && !(x >> (from_top ? n - 1 - k : k) & 1))
        k++;
    return (word)k;
}

static void expect(ull x, ull y, const ull *r) {
    word a = (word)x, b = (word)y, selector = (word)(x >> 32), shift = (word)(y >> 32),
         some = (word)(y >> 58);
    long long s = (int)a, t = (int)b;
    ull reversed = 0, both = (ull)b << 32 | a, permuted = 0, ones = 0;
    for (int k = 0; k < 64; k++) {
        reversed |= (x >> k & 1) << (63 - k);
        ones += x >> k & 1;
    }
    for (int k = 0; k < 4; k++) {
        word from = selector >> 4 * k & 7, byte = (word)(both >> 8 * from) & 255;
        permuted |= (ull)byte << 8 * k;
    }
    word clamped = some > 32 ? 32 : some, third = 0, seen = 0;
    for (third = 0; third < 32 && (seen += a >> third & 1) < 3; third++)
        ;
    auto s24 = [](word v) { return (long long)(int)(v << 8) >> 8; };
    auto byte = [](word v, int k) { return (long long)(signed char)(v >> 8 * k); };
    long long dot = 7, dot2 = 11;
    ull udot = 9, udot2 = 13;
    for (int k = 0; k < 4; k++) {
        dot += byte(a, k) * byte(b, k);
        udot += (ull)(a >> 8 * k & 255) * (b >> 8 * k & 255);
    }
    for (int k = 0; k < 2; k++) {
        dot2 += (long long)(short)(a >> 16 * k) * byte(b, k);
        udot2 += (ull)(a >> 16 * k & 0xffff) * (b >> 8 * (k + 2) & 255);
    }
    word distance = (word)(s > t ? s - t : t - s), udistance = a > b ? a - b : b - a;
    const ull e[results] = {reversed >> 32 == 0 && a == 0 ? 0 : (word)(reversed >> 32),
                            reversed,
                            permuted,
                            bits_below(a, 32, true),
                            bits_below(x, 64, true),
                            a ? bits_below(a, 32, false) + 1 : 0,
                            x ? bits_below(x, 64, false) + 1 : 0,
                            (ull)__builtin_popcount(a),
                            ones,
                            (word)(both << (shift & 31) >> 32),
                            (word)(clamped == 32 ? a : both << clamped >> 32),
                            (word)(both >> (shift & 31)),
                            (word)(both >> clamped),
                            (word)((s + t) >> 1),
                            (word)((s + t + 1) >> 1),
                            (word)(((ull)a + b) >> 1),
                            (word)(((ull)a + b + 1) >> 1),
                            (word)(s24(a) * s24(b)),
                            (word)((ull)(a & 0xffffff) * (b & 0xffffff)),
                            (word)(s * t >> 32),
                            (ull)a * b >> 32,
                            (ull)((__int128)(long long)x * (long long)y >> 64),
                            (ull)((unsigned __int128)x * y >> 64),
                            (word)(distance + a),
                            (word)(udistance + b),
                            (word)dot,
                            (word)udot,
                            (word)dot2,
                            (word)udot2,
                            third < 32 ? third : ~0u,
                            (word)(s < 0 ? -s : s) + (y >> 1),
                            (ull)((s < t ? s : t) + 1) ^ (a > b ? a : b)};
    for (int k = 0; k < results; k++)
        if (r[k] != e[k] && failures++ < 20)
            printf("integer function %d of %llx, %llx: %llx, not %llx\n", k, x, y, r[k], e[k]);
}

static void check_integers() {
    constexpr int n = 2048;
    ull *x = shared_array<ull>(2 * n), *out = shared_array<ull>(results * n);
    const ull special[] = {0,          ~0ull,      1,          1ull << 63,
                           0x80000000, 0x7fffffff, 0xffffffff, 0x8080808080808080};
    for (int i = 0; i < 2 * n; i++)
        x[i] =
            i < 128 ? special[(i % 2 ? i / 16 : i / 2) % 8] : random_bits() >> (i % 7 ? 0 : i % 64);
    integers<<<n / 64, 64>>>(x, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        expect(x[2 * i], x[2 * i + 1], out + i * results);
}

int main() {
    check_warps();
    check_block();
    check_integers();
    return failures != 0;
}
