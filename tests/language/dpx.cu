// DPX functions (guide 10.25) on device and host, against 64-bit arithmetic.
#include "check.h"

typedef unsigned int u32;
typedef long long i64;

enum { S32, U32, S16, U16 };

// The i-th part of a word as a number.
static i64 part(u32 word, int type, int i) {
    switch (type) {
    case S32:
        return (int)word;
    case U32:
        return word;
    case S16:
        return (short)(word >> 16 * i);
    default:
        return (unsigned short)(word >> 16 * i);
    }
}

// A sum as the type holds it.
static i64 wrapped(i64 sum, int type) {
    switch (type) {
    case S32:
        return (int)sum;
    case U32:
        return (u32)sum;
    case S16:
        return (short)sum;
    default:
        return (unsigned short)sum;
    }
}

static i64 greatest(i64 a, i64 b) {
    return a > b ? a : b;
}
static i64 least(i64 a, i64 b) {
    return a < b ? a : b;
}

#define THREE(X)                                                                                   \
    X(__vimax3_s32, int, S32, greatest(greatest(a, b), c))                                         \
    X(__vimax3_s16x2, u32, S16, greatest(greatest(a, b), c))                                       \
    X(__vimax3_u32, u32, U32, greatest(greatest(a, b), c))                                         \
    X(__vimax3_u16x2, u32, U16, greatest(greatest(a, b), c))                                       \
    X(__vimin3_s32, int, S32, least(least(a, b), c))                                               \
    X(__vimin3_s16x2, u32, S16, least(least(a, b), c))                                             \
    X(__vimin3_u32, u32, U32, least(least(a, b), c))                                               \
    X(__vimin3_u16x2, u32, U16, least(least(a, b), c))                                             \
    X(__vimax3_s32_relu, int, S32, greatest(greatest(greatest(a, b), c), 0))                       \
    X(__vimax3_s16x2_relu, u32, S16, greatest(greatest(greatest(a, b), c), 0))                     \
    X(__vimin3_s32_relu, int, S32, greatest(least(least(a, b), c), 0))                             \
    X(__vimin3_s16x2_relu, u32, S16, greatest(least(least(a, b), c), 0))                           \
    X(__viaddmax_s32, int, S32, greatest(wrapped(a + b, S32), c))                                  \
    X(__viaddmax_s16x2, u32, S16, greatest(wrapped(a + b, S16), c))                                \
    X(__viaddmax_u32, u32, U32, greatest(wrapped(a + b, U32), c))                                  \
    X(__viaddmax_u16x2, u32, U16, greatest(wrapped(a + b, U16), c))                                \
    X(__viaddmin_s32, int, S32, least(wrapped(a + b, S32), c))                                     \
    X(__viaddmin_s16x2, u32, S16, least(wrapped(a + b, S16), c))                                   \
    X(__viaddmin_u32, u32, U32, least(wrapped(a + b, U32), c))                                     \
    X(__viaddmin_u16x2, u32, U16, least(wrapped(a + b, U16), c))                                   \
    X(__viaddmax_s32_relu, int, S32, greatest(greatest(wrapped(a + b, S32), c), 0))                \
    X(__viaddmax_s16x2_relu, u32, S16, greatest(greatest(wrapped(a + b, S16), c), 0))              \
    X(__viaddmin_s32_relu, int, S32, greatest(least(wrapped(a + b, S32), c), 0))                   \
    X(__viaddmin_s16x2_relu, u32, S16, greatest(least(wrapped(a + b, S16), c), 0))
#define TWO(X)                                                                                     \
    X(__vimax_s32_relu, int, S32, greatest(greatest(a, b), 0))                                     \
    X(__vimax_s16x2_relu, u32, S16, greatest(greatest(a, b), 0))                                   \
    X(__vimin_s32_relu, int, S32, greatest(least(a, b), 0))                                        \
    X(__vimin_s16x2_relu, u32, S16, greatest(least(a, b), 0))
#define WHICH(X)                                                                                   \
    X(__vibmax_s32, int, S32, >=)                                                                  \
    X(__vibmax_u32, u32, U32, >=)                                                                  \
    X(__vibmin_s32, int, S32, <=)                                                                  \
    X(__vibmin_u32, u32, U32, <=)
#define WHICH_HALF(X)                                                                              \
    X(__vibmax_s16x2, S16, >=)                                                                     \
    X(__vibmax_u16x2, U16, >=)                                                                     \
    X(__vibmin_s16x2, S16, <=)                                                                     \
    X(__vibmin_u16x2, U16, <=)

constexpr int functions = 24 + 4 + 4 + 4;

// All functions on one triple; what a predicate says goes to the second half of the results.
__host__ __device__ void all(u32 a, u32 b, u32 c, u32 *out) {
    u32 *which = out + functions;
    bool high = false, low = false;
#define X(name, T, type, value) *out++ = (u32)name((T)a, (T)b, (T)c), *which++ = 0;
    THREE(X)
#undef X
#define X(name, T, type, value) *out++ = (u32)name((T)a, (T)b), *which++ = 0;
    TWO(X)
#undef X
#define X(name, T, type, compare) *out++ = (u32)name((T)a, (T)b, &low), *which++ = low;
    WHICH(X)
#undef X
#define X(name, type, compare) *out++ = name(a, b, &high, &low), *which++ = high * 2 + low;
    WHICH_HALF(X)
#undef X
}

static u32 joined(int type, i64 low, i64 high) {
    return type == S32 || type == U32 ? (u32)low : (u32)high << 16 | (unsigned short)low;
}

static void expect(u32 va, u32 vb, u32 vc, const u32 *out, const char *side) {
    const u32 *which = out + functions;
    auto compare = [&](const char *name, u32 value, u32 flags) {
        if ((*out != value || *which != flags) && failures++ < 20)
            printf("%s on the %s: %08x %08x %08x gives %08x %u, not %08x %u\n", name, side, va, vb,
                   vc, *out, *which, value, flags);
        out++, which++;
    };
#define X(name, T, type, value)                                                                    \
    {                                                                                              \
        i64 parts[2];                                                                              \
        for (int i = 0; i < 2; i++) {                                                              \
            i64 a = part(va, type, i), b = part(vb, type, i), c = part(vc, type, i);               \
            (void)c;                                                                               \
            parts[i] = value;                                                                      \
        }                                                                                          \
        compare(#name, joined(type, parts[0], parts[1]), 0);                                       \
    }
    THREE(X)
    TWO(X)
#undef X
#define X(name, T, type, op)                                                                       \
    {                                                                                              \
        bool first = part(va, type, 0) op part(vb, type, 0);                                       \
        compare(#name, first ? va : vb, first);                                                    \
    }
    WHICH(X)
#undef X
#define X(name, type, op)                                                                          \
    {                                                                                              \
        bool low = part(va, type, 0) op part(vb, type, 0);                                         \
        bool high = part(va, type, 1) op part(vb, type, 1);                                        \
        compare(#name, joined(type, part(low ? va : vb, type, 0), part(high ? va : vb, type, 1)),  \
                high * 2 + low);                                                                   \
    }
    WHICH_HALF(X)
#undef X
}

__global__ void kernel(const u32 *in, u32 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        all(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + 2 * functions * i);
}

int main() {
    const u32 special[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                           0x8000ffff, 0x7fff8000, 0x00050002, 0x00070004, 0x00020006};
    const int count = sizeof special / sizeof *special, n = count * count * count + 3000;
    u32 *in = shared_array<u32>(3 * n), *out = shared_array<u32>(2 * functions * n);
    random_words next;
    for (int i = 0; i < n; i++) {
        int rest = i;
        for (int j = 0; j < 3; j++, rest /= count)
            in[3 * i + j] = i < count * count * count ? special[rest % count] : (u32)(next() >> 16);
    }
    kernel<<<(n + 127) / 128, 128>>>(in, out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        u32 here[2 * functions];
        expect(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + 2 * functions * i, "device");
        all(in[3 * i], in[3 * i + 1], in[3 * i + 2], here);
        expect(in[3 * i], in[3 * i + 1], in[3 * i + 2], here, "host");
    }
    // The guide's own examples.
    CHECK(__vimax3_s32_relu(-15, 8, 5) == 8 && __vimax3_s32_relu(-15, -2, -4) == 0);
    CHECK(__viaddmax_s32_relu(-5, 6, -2) == 1 && __viaddmax_s32_relu(-5, 4, -2) == 0);
    CHECK(__vimax3_u16x2(0x00050002, 0x00070004, 0x00020006) == 0x00070006);
    return failures != 0;
}
