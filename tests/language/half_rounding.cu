// Floats, doubles and integers of 32 and 16 bits rounded to numbers of 16 bits, on device and host,
// against bisection: ties and what lies next to them, small numbers, overflows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"
#include "half_expected.h"

typedef unsigned long long u64;

// [half or bfloat16][mode]: of a float and of an int; of a double to the nearest, and what the
// constructors make of int, unsigned and short.
struct numbers {
    unsigned short of_float[2][4], of_int[2][4], of_double[2], made[2][4];
};

#define HALF(x) __half_as_ushort(x)
#define BFLOAT(x) __bfloat16_as_ushort(x)

__host__ __device__ numbers round_all(double d) {
    float f = (float)d;
    int i = fabs(d) < 2147483648.0 ? (int)d : 77;
    numbers r = {
        {{HALF(__float2half_rn(f)), HALF(__float2half_rz(f)), HALF(__float2half_ru(f)),
          HALF(__float2half_rd(f))},
         {BFLOAT(__float2bfloat16_rn(f)), BFLOAT(__float2bfloat16_rz(f)),
          BFLOAT(__float2bfloat16_ru(f)), BFLOAT(__float2bfloat16_rd(f))}},
        {{HALF(__int2half_rn(i)), HALF(__int2half_rz(i)), HALF(__int2half_ru(i)),
          HALF(__int2half_rd(i))},
         {BFLOAT(__int2bfloat16_rn(i)), BFLOAT(__int2bfloat16_rz(i)), BFLOAT(__int2bfloat16_ru(i)),
          BFLOAT(__int2bfloat16_rd(i))}},
        {HALF(__double2half(d)), BFLOAT(__double2bfloat16(d))},
        {{HALF(__half(i)), HALF(__half((unsigned)i)), HALF(__half((short)i)), HALF(__half(d))},
         {BFLOAT(__nv_bfloat16(i)), BFLOAT(__nv_bfloat16((unsigned)i)),
          BFLOAT(__nv_bfloat16((short)i)), BFLOAT(__nv_bfloat16(d))}}};
    return r;
}

__global__ void on_device(const double *in, numbers *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = round_all(in[i]);
}

static unsigned expected(long double x, bool bf, int mode) {
    bool negative = std::signbit(x);
    unsigned sign = negative ? 0x8000 : 0;
    if (std::isnan(x))
        return 0x7fff;
    if (std::isinf(x))
        return sign | (bf ? 0x7f80 : 0x7c00);
    return sign | rounded(fabsl(x), bf, mode == 2 ? !negative : mode == 3 && negative, mode == 0);
}

// Devices keep what they can of a double NaN's bits.
static bool of_double(unsigned short code, double d, bool bf) {
    if (std::isnan(d))
        return (code & 0x7fff) > (bf ? 0x7f80 : 0x7c00);
    return code == expected(d, bf, 0);
}

static void expect(double d, const numbers &r, const char *side) {
    float f = (float)d;
    int i = fabs(d) < 2147483648.0 ? (int)d : 77;
    for (int bf = 0; bf < 2; bf++) {
        bool good = of_double(r.of_double[bf], d, bf) && of_double(r.made[bf][3], d, bf) &&
                    r.made[bf][0] == expected(i, bf, 0) &&
                    r.made[bf][1] == expected((unsigned)i, bf, 0) &&
                    r.made[bf][2] == expected((short)i, bf, 0);
        for (int m = 0; m < 4; m++)
            good &=
                r.of_float[bf][m] == expected(f, bf, m) && r.of_int[bf][m] == expected(i, bf, m);
        if (!good && failures++ < 20)
            printf("%a on the %s, %d: %04x %04x\n", d, side, bf, r.of_double[bf], r.of_int[bf][0]);
    }
}

int main() {
    const int n = 1 << 15;
    double *in = shared_array<double>(n);
    numbers *out = shared_array<numbers>(n);
    random_words next;
    for (int i = 0; i < n; i++) {
        // A number of either format, half of what is between it and the next, and a little.
        int digits = i & 1 ? 8 : 11,
            exponent = i & 1 ? (int)(next() % 280) - 150 : (int)(next() % 44) - 26;
        double x =
            ldexp((double)((next() & ((1 << digits) - 1)) * 2 + next() % 2), exponent - digits);
        double little = ldexp(x, -(int)(next() % 56) - 10);
        x += next() % 3 == 0 ? little : next() % 2 ? -little : 0;
        in[i] = next() % 2 ? x : -x;
        if (i % 5 == 0)
            in[i] = (double)(int)(next() >> (32 + next() % 31)) * (next() % 2 ? 1 : -1);
    }
    const double special[] = {0.0,
                              -0.0,
                              INFINITY,
                              -INFINITY,
                              NAN,
                              65504,
                              65519.99999,
                              65520,
                              65536,
                              0x1p-24,
                              0x1p-25,
                              0x1.000001p-25,
                              0x1p-149,
                              0x1p-150,
                              0x1.ffp127,
                              0x1.fffffep127,
                              0x1.ffffffp127,
                              1e300,
                              -1e300,
                              1e-300,
                              -2147483648.0,
                              2147483647.0,
                              16777217.0,
                              -8388607.0,
                              0x1.01p0,
                              0x1.0100001p0};
    memcpy(in, special, sizeof special);
    on_device<<<n / 128, 128>>>(in, out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        expect(in[i], out[i], "device");
        if (i % 3 == 0 || i < 32)
            expect(in[i], round_all(in[i]), "host");
    }
    return failures != 0;
}
