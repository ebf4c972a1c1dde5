// Every SIMD function of video (10.41) on the device, lane by lane against plain arithmetic.
#include <cstdint>

#include "check.h"

constexpr int words = 4096;

static uint32_t random_word(uint32_t i) {
    static const uint32_t special[] = {0,          0x80808080, 0x80008000, 0x7f7f7f7f,
                                       0x7fff7fff, 0xffffffff, 0x01000001, 0x00ff8001};
    i = (i + 0x7ed55d16) + (i << 12);
    i = (i ^ 0xc761c23c) ^ (i >> 19);
    i = (i + 0x165667b1) + (i << 5);
    i = (i + 0xd3a2646c) ^ (i << 9);
    i = (i + 0xfd7046c5) + (i << 3);
    i = (i ^ 0xb55a4f09) ^ (i >> 16);
    return i % 5 ? i : special[i / 5 % 8] ^ (i % 25 == 0);
}

static long clamp(long x, long low, long high) {
    return x < low ? low : x > high ? high : x;
}

// What a lane of `bits` bits gives: s and t as signed, u and v as unsigned numbers, one its sign
// bit.
typedef long lane_function(long s, long t, long u, long v, long one);

static void check(const char *name, int lanes, const uint32_t *r, lane_function *expected,
                  bool sum) {
    int bits = 32 / lanes;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t a = random_word(i), b = random_word(i + words), whole = 0;
        for (int k = 0; k < lanes; k++) {
            long one = 1l << (bits - 1), mask = 2 * one - 1;
            long u = a >> (k * bits) & mask, v = b >> (k * bits) & mask;
            long x = expected(u - (u & one) * 2, v - (v & one) * 2, u, v, one);
            whole += sum ? (uint32_t)x : (uint32_t)(x & mask) << (k * bits);
        }
        if (r[i] != whole && failures++ < 20)
            printf("%s%d(%08x, %08x) = %08x, not %08x\n", name, lanes, a, b, r[i], whole);
    }
}

__global__ void all(const uint32_t *as, const uint32_t *bs, uint32_t *r) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t a = as[i], b = bs[i];
    r[0 * words + i] = __vabs2(a);
    r[1 * words + i] = __vabs4(a);
    r[2 * words + i] = __vabsdiffs2(a, b);
    r[3 * words + i] = __vabsdiffs4(a, b);
    r[4 * words + i] = __vabsdiffu2(a, b);
    r[5 * words + i] = __vabsdiffu4(a, b);
    r[6 * words + i] = __vabsss2(a);
    r[7 * words + i] = __vabsss4(a);
    r[8 * words + i] = __vadd2(a, b);
    r[9 * words + i] = __vadd4(a, b);
    r[10 * words + i] = __vaddss2(a, b);
    r[11 * words + i] = __vaddss4(a, b);
    r[12 * words + i] = __vaddus2(a, b);
    r[13 * words + i] = __vaddus4(a, b);
    r[14 * words + i] = __vavgs2(a, b);
    r[15 * words + i] = __vavgs4(a, b);
    r[16 * words + i] = __vavgu2(a, b);
    r[17 * words + i] = __vavgu4(a, b);
    r[18 * words + i] = __vcmpeq2(a, b);
    r[19 * words + i] = __vcmpeq4(a, b);
    r[20 * words + i] = __vcmpges2(a, b);
    r[21 * words + i] = __vcmpges4(a, b);
    r[22 * words + i] = __vcmpgeu2(a, b);
    r[23 * words + i] = __vcmpgeu4(a, b);
    r[24 * words + i] = __vcmpgts2(a, b);
    r[25 * words + i] = __vcmpgts4(a, b);
    r[26 * words + i] = __vcmpgtu2(a, b);
    r[27 * words + i] = __vcmpgtu4(a, b);
    r[28 * words + i] = __vcmples2(a, b);
    r[29 * words + i] = __vcmples4(a, b);
    r[30 * words + i] = __vcmpleu2(a, b);
    r[31 * words + i] = __vcmpleu4(a, b);
    r[32 * words + i] = __vcmplts2(a, b);
    r[33 * words + i] = __vcmplts4(a, b);
    r[34 * words + i] = __vcmpltu2(a, b);
    r[35 * words + i] = __vcmpltu4(a, b);
    r[36 * words + i] = __vcmpne2(a, b);
    r[37 * words + i] = __vcmpne4(a, b);
    r[38 * words + i] = __vhaddu2(a, b);
    r[39 * words + i] = __vhaddu4(a, b);
    r[40 * words + i] = __vmaxs2(a, b);
    r[41 * words + i] = __vmaxs4(a, b);
    r[42 * words + i] = __vmaxu2(a, b);
    r[43 * words + i] = __vmaxu4(a, b);
    r[44 * words + i] = __vmins2(a, b);
    r[45 * words + i] = __vmins4(a, b);
    r[46 * words + i] = __vminu2(a, b);
    r[47 * words + i] = __vminu4(a, b);
    r[48 * words + i] = __vneg2(a);
    r[49 * words + i] = __vneg4(a);
    r[50 * words + i] = __vnegss2(a);
    r[51 * words + i] = __vnegss4(a);
    r[52 * words + i] = __vsads2(a, b);
    r[53 * words + i] = __vsads4(a, b);
    r[54 * words + i] = __vsadu2(a, b);
    r[55 * words + i] = __vsadu4(a, b);
    r[56 * words + i] = __vseteq2(a, b);
    r[57 * words + i] = __vseteq4(a, b);
    r[58 * words + i] = __vsetges2(a, b);
    r[59 * words + i] = __vsetges4(a, b);
    r[60 * words + i] = __vsetgeu2(a, b);
    r[61 * words + i] = __vsetgeu4(a, b);
    r[62 * words + i] = __vsetgts2(a, b);
    r[63 * words + i] = __vsetgts4(a, b);
    r[64 * words + i] = __vsetgtu2(a, b);
    r[65 * words + i] = __vsetgtu4(a, b);
    r[66 * words + i] = __vsetles2(a, b);
    r[67 * words + i] = __vsetles4(a, b);
    r[68 * words + i] = __vsetleu2(a, b);
    r[69 * words + i] = __vsetleu4(a, b);
    r[70 * words + i] = __vsetlts2(a, b);
    r[71 * words + i] = __vsetlts4(a, b);
    r[72 * words + i] = __vsetltu2(a, b);
    r[73 * words + i] = __vsetltu4(a, b);
    r[74 * words + i] = __vsetne2(a, b);
    r[75 * words + i] = __vsetne4(a, b);
    r[76 * words + i] = __vsub2(a, b);
    r[77 * words + i] = __vsub4(a, b);
    r[78 * words + i] = __vsubss2(a, b);
    r[79 * words + i] = __vsubss4(a, b);
    r[80 * words + i] = __vsubus2(a, b);
    r[81 * words + i] = __vsubus4(a, b);
}

int main() {
    uint32_t *a = shared_array<uint32_t>(words), *b = shared_array<uint32_t>(words);
    uint32_t *r = shared_array<uint32_t>(82 * words);
    for (uint32_t i = 0; i < words; i++) {
        a[i] = random_word(i);
        b[i] = random_word(i + words);
    }
    all<<<words / 128, 128>>>(a, b, r);
    CUDA(cudaDeviceSynchronize());
    check(
        "__vabs", 2, r + 0 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < 0 ? -s : s; }, false);
    check(
        "__vabs", 4, r + 1 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < 0 ? -s : s; }, false);
    check(
        "__vabsdiffs", 2, r + 2 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? t - s : s - t; },
        false);
    check(
        "__vabsdiffs", 4, r + 3 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? t - s : s - t; },
        false);
    check(
        "__vabsdiffu", 2, r + 4 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? v - u : u - v; },
        false);
    check(
        "__vabsdiffu", 4, r + 5 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? v - u : u - v; },
        false);
    check(
        "__vabsss", 2, r + 6 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(s < 0 ? -s : s, -one, one - 1);
        },
        false);
    check(
        "__vabsss", 4, r + 7 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(s < 0 ? -s : s, -one, one - 1);
        },
        false);
    check(
        "__vadd", 2, r + 8 * words,
        [](long s, long t, long u, long v, long one) -> long { return u + v; }, false);
    check(
        "__vadd", 4, r + 9 * words,
        [](long s, long t, long u, long v, long one) -> long { return u + v; }, false);
    check(
        "__vaddss", 2, r + 10 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(s + t, -one, one - 1);
        },
        false);
    check(
        "__vaddss", 4, r + 11 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(s + t, -one, one - 1);
        },
        false);
    check(
        "__vaddus", 2, r + 12 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(u + v, 0, 2 * one - 1);
        },
        false);
    check(
        "__vaddus", 4, r + 13 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(u + v, 0, 2 * one - 1);
        },
        false);
    check(
        "__vavgs", 2, r + 14 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return (s + t + (s + t >= 0)) >> 1;
        },
        false);
    check(
        "__vavgs", 4, r + 15 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return (s + t + (s + t >= 0)) >> 1;
        },
        false);
    check(
        "__vavgu", 2, r + 16 * words,
        [](long s, long t, long u, long v, long one) -> long { return (u + v + 1) / 2; }, false);
    check(
        "__vavgu", 4, r + 17 * words,
        [](long s, long t, long u, long v, long one) -> long { return (u + v + 1) / 2; }, false);
    check(
        "__vcmpeq", 2, r + 18 * words,
        [](long s, long t, long u, long v, long one) -> long { return u == v ? -1 : 0; }, false);
    check(
        "__vcmpeq", 4, r + 19 * words,
        [](long s, long t, long u, long v, long one) -> long { return u == v ? -1 : 0; }, false);
    check(
        "__vcmpges", 2, r + 20 * words,
        [](long s, long t, long u, long v, long one) -> long { return s >= t ? -1 : 0; }, false);
    check(
        "__vcmpges", 4, r + 21 * words,
        [](long s, long t, long u, long v, long one) -> long { return s >= t ? -1 : 0; }, false);
    check(
        "__vcmpgeu", 2, r + 22 * words,
        [](long s, long t, long u, long v, long one) -> long { return u >= v ? -1 : 0; }, false);
    check(
        "__vcmpgeu", 4, r + 23 * words,
        [](long s, long t, long u, long v, long one) -> long { return u >= v ? -1 : 0; }, false);
    check(
        "__vcmpgts", 2, r + 24 * words,
        [](long s, long t, long u, long v, long one) -> long { return s > t ? -1 : 0; }, false);
    check(
        "__vcmpgts", 4, r + 25 * words,
        [](long s, long t, long u, long v, long one) -> long { return s > t ? -1 : 0; }, false);
    check(
        "__vcmpgtu", 2, r + 26 * words,
        [](long s, long t, long u, long v, long one) -> long { return u > v ? -1 : 0; }, false);
    check(
        "__vcmpgtu", 4, r + 27 * words,
        [](long s, long t, long u, long v, long one) -> long { return u > v ? -1 : 0; }, false);
    check(
        "__vcmples", 2, r + 28 * words,
        [](long s, long t, long u, long v, long one) -> long { return s <= t ? -1 : 0; }, false);
    check(
        "__vcmples", 4, r + 29 * words,
        [](long s, long t, long u, long v, long one) -> long { return s <= t ? -1 : 0; }, false);
    check(
        "__vcmpleu", 2, r + 30 * words,
        [](long s, long t, long u, long v, long one) -> long { return u <= v ? -1 : 0; }, false);
    check(
        "__vcmpleu", 4, r + 31 * words,
        [](long s, long t, long u, long v, long one) -> long { return u <= v ? -1 : 0; }, false);
    check(
        "__vcmplts", 2, r + 32 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? -1 : 0; }, false);
    check(
        "__vcmplts", 4, r + 33 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? -1 : 0; }, false);
    check(
        "__vcmpltu", 2, r + 34 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? -1 : 0; }, false);
    check(
        "__vcmpltu", 4, r + 35 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? -1 : 0; }, false);
    check(
        "__vcmpne", 2, r + 36 * words,
        [](long s, long t, long u, long v, long one) -> long { return u != v ? -1 : 0; }, false);
    check(
        "__vcmpne", 4, r + 37 * words,
        [](long s, long t, long u, long v, long one) -> long { return u != v ? -1 : 0; }, false);
    check(
        "__vhaddu", 2, r + 38 * words,
        [](long s, long t, long u, long v, long one) -> long { return (u + v) / 2; }, false);
    check(
        "__vhaddu", 4, r + 39 * words,
        [](long s, long t, long u, long v, long one) -> long { return (u + v) / 2; }, false);
    check(
        "__vmaxs", 2, r + 40 * words,
        [](long s, long t, long u, long v, long one) -> long { return s > t ? s : t; }, false);
    check(
        "__vmaxs", 4, r + 41 * words,
        [](long s, long t, long u, long v, long one) -> long { return s > t ? s : t; }, false);
    check(
        "__vmaxu", 2, r + 42 * words,
        [](long s, long t, long u, long v, long one) -> long { return u > v ? u : v; }, false);
    check(
        "__vmaxu", 4, r + 43 * words,
        [](long s, long t, long u, long v, long one) -> long { return u > v ? u : v; }, false);
    check(
        "__vmins", 2, r + 44 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? s : t; }, false);
    check(
        "__vmins", 4, r + 45 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? s : t; }, false);
    check(
        "__vminu", 2, r + 46 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? u : v; }, false);
    check(
        "__vminu", 4, r + 47 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? u : v; }, false);
    check(
        "__vneg", 2, r + 48 * words,
        [](long s, long t, long u, long v, long one) -> long { return -s; }, false);
    check(
        "__vneg", 4, r + 49 * words,
        [](long s, long t, long u, long v, long one) -> long { return -s; }, false);
    check(
        "__vnegss", 2, r + 50 * words,
        [](long s, long t, long u, long v, long one) -> long { return clamp(-s, -one, one - 1); },
        false);
    check(
        "__vnegss", 4, r + 51 * words,
        [](long s, long t, long u, long v, long one) -> long { return clamp(-s, -one, one - 1); },
        false);
    check(
        "__vsads", 2, r + 52 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? t - s : s - t; },
        true);
    check(
        "__vsads", 4, r + 53 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? t - s : s - t; },
        true);
    check(
        "__vsadu", 2, r + 54 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? v - u : u - v; },
        true);
    check(
        "__vsadu", 4, r + 55 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? v - u : u - v; },
        true);
    check(
        "__vseteq", 2, r + 56 * words,
        [](long s, long t, long u, long v, long one) -> long { return u == v ? 1 : 0; }, false);
    check(
        "__vseteq", 4, r + 57 * words,
        [](long s, long t, long u, long v, long one) -> long { return u == v ? 1 : 0; }, false);
    check(
        "__vsetges", 2, r + 58 * words,
        [](long s, long t, long u, long v, long one) -> long { return s >= t ? 1 : 0; }, false);
    check(
        "__vsetges", 4, r + 59 * words,
        [](long s, long t, long u, long v, long one) -> long { return s >= t ? 1 : 0; }, false);
    check(
        "__vsetgeu", 2, r + 60 * words,
        [](long s, long t, long u, long v, long one) -> long { return u >= v ? 1 : 0; }, false);
    check(
        "__vsetgeu", 4, r + 61 * words,
        [](long s, long t, long u, long v, long one) -> long { return u >= v ? 1 : 0; }, false);
    check(
        "__vsetgts", 2, r + 62 * words,
        [](long s, long t, long u, long v, long one) -> long { return s > t ? 1 : 0; }, false);
    check(
        "__vsetgts", 4, r + 63 * words,
        [](long s, long t, long u, long v, long one) -> long { return s > t ? 1 : 0; }, false);
    check(
        "__vsetgtu", 2, r + 64 * words,
        [](long s, long t, long u, long v, long one) -> long { return u > v ? 1 : 0; }, false);
    check(
        "__vsetgtu", 4, r + 65 * words,
        [](long s, long t, long u, long v, long one) -> long { return u > v ? 1 : 0; }, false);
    check(
        "__vsetles", 2, r + 66 * words,
        [](long s, long t, long u, long v, long one) -> long { return s <= t ? 1 : 0; }, false);
    check(
        "__vsetles", 4, r + 67 * words,
        [](long s, long t, long u, long v, long one) -> long { return s <= t ? 1 : 0; }, false);
    check(
        "__vsetleu", 2, r + 68 * words,
        [](long s, long t, long u, long v, long one) -> long { return u <= v ? 1 : 0; }, false);
    check(
        "__vsetleu", 4, r + 69 * words,
        [](long s, long t, long u, long v, long one) -> long { return u <= v ? 1 : 0; }, false);
    check(
        "__vsetlts", 2, r + 70 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? 1 : 0; }, false);
    check(
        "__vsetlts", 4, r + 71 * words,
        [](long s, long t, long u, long v, long one) -> long { return s < t ? 1 : 0; }, false);
    check(
        "__vsetltu", 2, r + 72 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? 1 : 0; }, false);
    check(
        "__vsetltu", 4, r + 73 * words,
        [](long s, long t, long u, long v, long one) -> long { return u < v ? 1 : 0; }, false);
    check(
        "__vsetne", 2, r + 74 * words,
        [](long s, long t, long u, long v, long one) -> long { return u != v ? 1 : 0; }, false);
    check(
        "__vsetne", 4, r + 75 * words,
        [](long s, long t, long u, long v, long one) -> long { return u != v ? 1 : 0; }, false);
    check(
        "__vsub", 2, r + 76 * words,
        [](long s, long t, long u, long v, long one) -> long { return u - v; }, false);
    check(
        "__vsub", 4, r + 77 * words,
        [](long s, long t, long u, long v, long one) -> long { return u - v; }, false);
    check(
        "__vsubss", 2, r + 78 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(s - t, -one, one - 1);
        },
        false);
    check(
        "__vsubss", 4, r + 79 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(s - t, -one, one - 1);
        },
        false);
    check(
        "__vsubus", 2, r + 80 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(u - v, 0, 2 * one - 1);
        },
        false);
    check(
        "__vsubus", 4, r + 81 * words,
        [](long s, long t, long u, long v, long one) -> long {
            return clamp(u - v, 0, 2 * one - 1);
        },
        false);
    return failures != 0;
}
