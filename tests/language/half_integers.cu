// Conversions between 16-bit numbers and integers, on device and host: to integers every number in
// every direction, against the C library; from integers against the neighbours of the result.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "check.h"
#include "half_expected.h"

typedef long long i64;
typedef unsigned long long u64;

// What each of the functions gives for one number: four directions, six types, and characters.
struct integers {
    u64 value[4][6];
    int letter, byte;
};

#define MODE(m, suffix, half)                                                                      \
    r.value[m][0] = (u64)(i64)__##half##2short_##suffix(h);                                        \
    r.value[m][1] = __##half##2ushort_##suffix(h);                                                 \
    r.value[m][2] = (u64)(i64)__##half##2int_##suffix(h);                                          \
    r.value[m][3] = __##half##2uint_##suffix(h);                                                   \
    r.value[m][4] = (u64)__##half##2ll_##suffix(h);                                                \
    r.value[m][5] = __##half##2ull_##suffix(h);
__host__ __device__ integers to_integers(__half h) {
    integers r;
    MODE(0, rn, half)
    MODE(1, rz, half)
    MODE(2, ru, half) MODE(3, rd, half) r.letter = __half2char_rz(h),
                                        r.byte = __half2uchar_rz(h);
    return r;
}
__host__ __device__ integers to_integers(__nv_bfloat16 h) {
    integers r;
    MODE(0, rn, bfloat16)
    MODE(1, rz, bfloat16)
    MODE(2, ru, bfloat16) MODE(3, rd, bfloat16) r.letter = __bfloat162char_rz(h),
                                                r.byte = __bfloat162uchar_rz(h);
    return r;
}

static u64 expected(float x, int mode, int width, bool sign) {
    if (std::isnan(x))
        return width == 64 ? 1ull << 63 : 0;
    float whole = mode == 0   ? nearbyintf(x)
                  : mode == 1 ? truncf(x)
                  : mode == 2 ? ceilf(x)
                              : floorf(x);
    float limit = ldexpf(1, sign ? width - 1 : width);
    if (whole >= limit)
        return sign ? (1ull << (width - 1)) - 1 : width == 64 ? ~0ull : (1ull << width) - 1;
    if (sign)
        return whole <= -limit ? (u64)0 - (1ull << (width - 1)) : (u64)(i64)whole;
    return whole <= 0 ? 0 : (u64)whole;
}

static void expect(float x, const integers &r, const char *what) {
    const int widths[] = {16, 16, 32, 32, 64, 64};
    bool good =
        (u64)(i64)r.letter == expected(x, 1, 8, true) && (u64)r.byte == expected(x, 1, 8, false);
    for (int m = 0; m < 4; m++)
        for (int t = 0; t < 6; t++)
            good &= r.value[m][t] == expected(x, m, widths[t], t % 2 == 0);
    if (!good && failures++ < 20)
        printf("%s %a: %llx %llx\n", what, x, r.value[0][4], r.value[0][5]);
}

__global__ void all_numbers(integers *h, integers *b) {
    unsigned short code = (unsigned short)(blockIdx.x * blockDim.x + threadIdx.x);
    h[code] = to_integers(__ushort_as_half(code));
    b[code] = to_integers(__ushort_as_bfloat16(code));
}

// What integers become: [mode][signed or not, half or bfloat16].
struct numbers {
    unsigned short code[4][4];
};

#define MODE2(m, suffix)                                                                           \
    r.code[m][0] = __half_as_ushort(__ll2half_##suffix((i64)i));                                   \
    r.code[m][1] = __half_as_ushort(__ull2half_##suffix(i));                                       \
    r.code[m][2] = __bfloat16_as_ushort(__ll2bfloat16_##suffix((i64)i));                           \
    r.code[m][3] = __bfloat16_as_ushort(__ull2bfloat16_##suffix(i));
__host__ __device__ numbers from_integer(u64 i) {
    numbers r;
    MODE2(0, rn) MODE2(1, rz) MODE2(2, ru) MODE2(3, rd) return r;
}

__global__ void all_integers(const u64 *in, numbers *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = from_integer(in[i]);
}

static void expect(u64 i, const numbers &r, const char *side) {
    for (int k = 0; k < 4; k++) {
        bool negative = k % 2 == 0 && (i64)i < 0, bf = k >= 2;
        long double size = negative ? (long double)(0 - i) : (long double)i;
        for (int m = 0; m < 4; m++) {
            bool away = m == 2 ? !negative : m == 3 ? negative : false;
            int want = rounded(size, bf, away, m == 0) | (negative ? 0x8000 : 0);
            if (r.code[m][k] != want && failures++ < 20)
                printf("%llx on the %s, %d %d: %04x, not %04x\n", i, side, m, k, r.code[m][k],
                       want);
        }
    }
}

int main() {
    integers *h = shared_array<integers>(65536), *b = shared_array<integers>(65536);
    all_numbers<<<512, 128>>>(h, b);
    CUDA(cudaDeviceSynchronize());
    for (int c = 0; c < 65536; c++) {
        __half x = __ushort_as_half((unsigned short)c);
        __nv_bfloat16 y = __ushort_as_bfloat16((unsigned short)c);
        expect(__half2float(x), h[c], "half on the device");
        expect(__bfloat162float(y), b[c], "bfloat16 on the device");
        if (c % 7 == 0) {
            expect(__half2float(x), to_integers(x), "half on the host");
            expect(__bfloat162float(y), to_integers(y), "bfloat16 on the host");
        }
    }
    const int n = 4096;
    u64 *in = shared_array<u64>(n);
    numbers *out = shared_array<numbers>(n);
    random_words next;
    for (int i = 0; i < n; i++) {
        u64 tie = (0x80ull | (next() & 0x7f)) << 1 | 1; // the middle between two bfloat16
        in[i] = i % 3 == 0 ? next() >> next() % 64
                           : (tie << next() % 56) + (i % 3 == 1 ? next() % 3 - 1 : 0);
    }
    all_integers<<<n / 128, 128>>>(in, out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        expect(in[i], out[i], "device");
        expect(in[i], from_integer(in[i]), "host");
    }
    CHECK((int)__nv_bfloat16(-3.7f) == -3 && (unsigned char)__nv_bfloat16(1000) == 255);
    CHECK((unsigned long long)__half(INFINITY) == ~0ull);
    CHECK(__half2float(__half(__nv_bfloat16(2.5f))) == 2.5f);
    CHECK(__bfloat162float(__nv_bfloat16(__half(2.5f))) == 2.5f);
    return failures != 0;
}
