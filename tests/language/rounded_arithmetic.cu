// Arithmetic and conversions with a rounding mode in their names, on the device, against the host's
// processor in that mode.
#include <cfenv>
#include <climits>
#include <cmath>
#include <limits>

#include "check.h"

#define RN FE_TONEAREST
#define RZ FE_TOWARDZERO
#define RU FE_UPWARD
#define RD FE_DOWNWARD

constexpr int count = 600;
static unsigned long long state = 88172645463325252ull;

static unsigned long long random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// Numbers of all sizes, and the awkward ones.
static double some_double(int i) {
    static const double special[] = {0.0,           -0.0,         1.0,        -1.0,
                                     0.5,           1.5,          2.5,        -2.5,
                                     1e300,         -1e-300,      5e-324,     2147483647.5,
                                     -2147483648.5, 4294967295.5, 9.3e18,     -9.3e18,
                                     1.9e19,        1.0 / 3,      16777217.0, 0.49999999999999994};
    if (i < (int)(sizeof special / sizeof *special))
        return special[i];
    int exponent = (int)(random_bits() % (i % 3 ? 140 : 1400)) - (i % 3 ? 70 : 700);
    double x = std::ldexp(1 + (double)(random_bits() >> 12) * 0x1p-52, exponent);
    return random_bits() & 1 ? x : -x;
}

static float some_float(int i) {
    static const float special[] = {0.0f,          -0.0f,   1.0f,    0.5f,       -1.5f,
                                    2.5f,          3e38f,   1e-45f,  -1e-38f,    2147483520.0f,
                                    4294967040.0f, 9.2e18f, 1.8e19f, 0.49999997f};
    if (i < (int)(sizeof special / sizeof *special))
        return special[i];
    int exponent = (int)(random_bits() % (i % 3 ? 140 : 250)) - (i % 3 ? 70 : 125);
    float x = std::ldexp(1 + (float)(random_bits() >> 41) * 0x1p-23f, exponent);
    return random_bits() & 1 ? x : -x;
}

template <class R, class X> bool same(R a, X b) {
    R wide = b;
    return !memcmp(&a, &wide, sizeof a) || (a != a && wide != wide);
}

// What the operation gives under the mode; volatile, that it is not worked out before.
#define ONE_OPERAND(name, type, result, mode, expression)                                          \
    __global__ void kernel_##name(const type *x, result *r) {                                      \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (i < count)                                                                             \
            r[i] = name(x[i]);                                                                     \
    }                                                                                              \
    static void test_##name() {                                                                    \
        type *in = shared_array<type>(count);                                                      \
        result *out = shared_array<result>(count);                                                 \
        for (int i = 0; i < count; i++)                                                            \
            in[i] = some_##type(i);                                                                \
        kernel_##name<<<5, 128>>>(in, out);                                                        \
        CUDA(cudaDeviceSynchronize());                                                             \
        for (int i = 0; i < count; i++) {                                                          \
            volatile type x = in[i];                                                               \
            fesetround(mode);                                                                      \
            volatile auto expected = expression;                                                   \
            fesetround(FE_TONEAREST);                                                              \
            if (!same(out[i], expected) && failures++ < 20)                                        \
                printf("%s(%.17g) = %.17g\n", #name, (double)in[i], (double)out[i]);               \
        }                                                                                          \
        CUDA(cudaFree(in));                                                                        \
        CUDA(cudaFree(out));                                                                       \
    }

#define MORE_OPERANDS(name, type, mode, expression, ...)                                           \
    __global__ void kernel_##name(const type *xs, type *r) {                                       \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (i < count) {                                                                           \
            type x = xs[i], y = xs[(i + 7) % count], z = xs[(i * 5 + 3) % count];                  \
            (void)z;                                                                               \
            r[i] = name(__VA_ARGS__);                                                              \
        }                                                                                          \
    }                                                                                              \
    static void test_##name() {                                                                    \
        type *in = shared_array<type>(count), *out = shared_array<type>(count);                    \
        for (int i = 0; i < count; i++)                                                            \
            in[i] = some_##type(i);                                                                \
        kernel_##name<<<5, 128>>>(in, out);                                                        \
        CUDA(cudaDeviceSynchronize());                                                             \
        for (int i = 0; i < count; i++) {                                                          \
            volatile type x = in[i], y = in[(i + 7) % count], z = in[(i * 5 + 3) % count];         \
            (void)z;                                                                               \
            fesetround(mode);                                                                      \
            volatile type expected = expression;                                                   \
            fesetround(FE_TONEAREST);                                                              \
            if (!same(out[i], expected) && failures++ < 20)                                        \
                printf("%s(%.17g, %.17g, %.17g) = %.17g\n", #name, (double)x, (double)y,           \
                       (double)z, (double)out[i]);                                                 \
        }                                                                                          \
        CUDA(cudaFree(in));                                                                        \
        CUDA(cudaFree(out));                                                                       \
    }

// To an integer: the nearest in the mode, and the nearest that the type has.
template <class I, class X> I to_integer(X x) {
    X whole = std::nearbyint(x);
    if (whole >= std::ldexp((X)1, std::numeric_limits<I>::digits))
        return std::numeric_limits<I>::max();
    if (whole < (X)std::numeric_limits<I>::min())
        return std::numeric_limits<I>::min();
    return (I)whole;
}

typedef unsigned int uint;
typedef long long ll;
typedef unsigned long long ull;
static int some_int(int i) {
    return i < 4 ? (i & 1 ? INT_MAX : INT_MIN) + (i & 2) : (int)random_bits() >> i % 20;
}
static uint some_uint(int i) {
    return i < 2 ? UINT_MAX - (uint)i : (uint)random_bits() >> i % 20;
}
static ll some_ll(int i) {
    return i < 2 ? (i ? LLONG_MAX : LLONG_MIN) : (ll)random_bits() >> i % 50;
}
static ull some_ull(int i) {
    return i < 2 ? ULLONG_MAX - (ull)i : random_bits() >> i % 50;
}

MORE_OPERANDS(__fadd_rn, float, RN, x + y, x, y)
MORE_OPERANDS(__fsub_rn, float, RN, x - y, x, y)
MORE_OPERANDS(__fmul_rn, float, RN, x *y, x, y)
MORE_OPERANDS(__fdiv_rn, float, RN, x / y, x, y)
MORE_OPERANDS(__fmaf_rn, float, RN, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__frcp_rn, float, float, RN, (float)1 / x)
ONE_OPERAND(__fsqrt_rn, float, float, RN, std::sqrt(x))
MORE_OPERANDS(__dadd_rn, double, RN, x + y, x, y)
MORE_OPERANDS(__dsub_rn, double, RN, x - y, x, y)
MORE_OPERANDS(__dmul_rn, double, RN, x *y, x, y)
MORE_OPERANDS(__ddiv_rn, double, RN, x / y, x, y)
MORE_OPERANDS(__fma_rn, double, RN, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__drcp_rn, double, double, RN, (double)1 / x)
ONE_OPERAND(__dsqrt_rn, double, double, RN, std::sqrt(x))
ONE_OPERAND(__double2float_rn, double, float, RN, (float)x)
ONE_OPERAND(__double2int_rn, double, int, RN, (to_integer<int, double>(x)))
ONE_OPERAND(__double2uint_rn, double, uint, RN, (to_integer<uint, double>(x)))
ONE_OPERAND(__double2ll_rn, double, ll, RN, (to_integer<ll, double>(x)))
ONE_OPERAND(__double2ull_rn, double, ull, RN, (to_integer<ull, double>(x)))
ONE_OPERAND(__float2int_rn, float, int, RN, (to_integer<int, float>(x)))
ONE_OPERAND(__float2uint_rn, float, uint, RN, (to_integer<uint, float>(x)))
ONE_OPERAND(__float2ll_rn, float, ll, RN, (to_integer<ll, float>(x)))
ONE_OPERAND(__float2ull_rn, float, ull, RN, (to_integer<ull, float>(x)))
ONE_OPERAND(__int2float_rn, int, float, RN, (float)x)
ONE_OPERAND(__uint2float_rn, uint, float, RN, (float)x)
ONE_OPERAND(__ll2float_rn, ll, float, RN, (float)x)
ONE_OPERAND(__ull2float_rn, ull, float, RN, (float)x)
ONE_OPERAND(__ll2double_rn, ll, double, RN, (double)x)
ONE_OPERAND(__ull2double_rn, ull, double, RN, (double)x)
MORE_OPERANDS(__fadd_rz, float, RZ, x + y, x, y)
MORE_OPERANDS(__fsub_rz, float, RZ, x - y, x, y)
MORE_OPERANDS(__fmul_rz, float, RZ, x *y, x, y)
MORE_OPERANDS(__fdiv_rz, float, RZ, x / y, x, y)
MORE_OPERANDS(__fmaf_rz, float, RZ, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__frcp_rz, float, float, RZ, (float)1 / x)
ONE_OPERAND(__fsqrt_rz, float, float, RZ, std::sqrt(x))
MORE_OPERANDS(__dadd_rz, double, RZ, x + y, x, y)
MORE_OPERANDS(__dsub_rz, double, RZ, x - y, x, y)
MORE_OPERANDS(__dmul_rz, double, RZ, x *y, x, y)
MORE_OPERANDS(__ddiv_rz, double, RZ, x / y, x, y)
MORE_OPERANDS(__fma_rz, double, RZ, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__drcp_rz, double, double, RZ, (double)1 / x)
ONE_OPERAND(__dsqrt_rz, double, double, RZ, std::sqrt(x))
ONE_OPERAND(__double2float_rz, double, float, RZ, (float)x)
ONE_OPERAND(__double2int_rz, double, int, RZ, (to_integer<int, double>(x)))
ONE_OPERAND(__double2uint_rz, double, uint, RZ, (to_integer<uint, double>(x)))
ONE_OPERAND(__double2ll_rz, double, ll, RZ, (to_integer<ll, double>(x)))
ONE_OPERAND(__double2ull_rz, double, ull, RZ, (to_integer<ull, double>(x)))
ONE_OPERAND(__float2int_rz, float, int, RZ, (to_integer<int, float>(x)))
ONE_OPERAND(__float2uint_rz, float, uint, RZ, (to_integer<uint, float>(x)))
ONE_OPERAND(__float2ll_rz, float, ll, RZ, (to_integer<ll, float>(x)))
ONE_OPERAND(__float2ull_rz, float, ull, RZ, (to_integer<ull, float>(x)))
ONE_OPERAND(__int2float_rz, int, float, RZ, (float)x)
ONE_OPERAND(__uint2float_rz, uint, float, RZ, (float)x)
ONE_OPERAND(__ll2float_rz, ll, float, RZ, (float)x)
ONE_OPERAND(__ull2float_rz, ull, float, RZ, (float)x)
ONE_OPERAND(__ll2double_rz, ll, double, RZ, (double)x)
ONE_OPERAND(__ull2double_rz, ull, double, RZ, (double)x)
MORE_OPERANDS(__fadd_ru, float, RU, x + y, x, y)
MORE_OPERANDS(__fsub_ru, float, RU, x - y, x, y)
MORE_OPERANDS(__fmul_ru, float, RU, x *y, x, y)
MORE_OPERANDS(__fdiv_ru, float, RU, x / y, x, y)
MORE_OPERANDS(__fmaf_ru, float, RU, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__frcp_ru, float, float, RU, (float)1 / x)
ONE_OPERAND(__fsqrt_ru, float, float, RU, std::sqrt(x))
MORE_OPERANDS(__dadd_ru, double, RU, x + y, x, y)
MORE_OPERANDS(__dsub_ru, double, RU, x - y, x, y)
MORE_OPERANDS(__dmul_ru, double, RU, x *y, x, y)
MORE_OPERANDS(__ddiv_ru, double, RU, x / y, x, y)
MORE_OPERANDS(__fma_ru, double, RU, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__drcp_ru, double, double, RU, (double)1 / x)
ONE_OPERAND(__dsqrt_ru, double, double, RU, std::sqrt(x))
ONE_OPERAND(__double2float_ru, double, float, RU, (float)x)
ONE_OPERAND(__double2int_ru, double, int, RU, (to_integer<int, double>(x)))
ONE_OPERAND(__double2uint_ru, double, uint, RU, (to_integer<uint, double>(x)))
ONE_OPERAND(__double2ll_ru, double, ll, RU, (to_integer<ll, double>(x)))
ONE_OPERAND(__double2ull_ru, double, ull, RU, (to_integer<ull, double>(x)))
ONE_OPERAND(__float2int_ru, float, int, RU, (to_integer<int, float>(x)))
ONE_OPERAND(__float2uint_ru, float, uint, RU, (to_integer<uint, float>(x)))
ONE_OPERAND(__float2ll_ru, float, ll, RU, (to_integer<ll, float>(x)))
ONE_OPERAND(__float2ull_ru, float, ull, RU, (to_integer<ull, float>(x)))
ONE_OPERAND(__int2float_ru, int, float, RU, (float)x)
ONE_OPERAND(__uint2float_ru, uint, float, RU, (float)x)
ONE_OPERAND(__ll2float_ru, ll, float, RU, (float)x)
ONE_OPERAND(__ull2float_ru, ull, float, RU, (float)x)
ONE_OPERAND(__ll2double_ru, ll, double, RU, (double)x)
ONE_OPERAND(__ull2double_ru, ull, double, RU, (double)x)
MORE_OPERANDS(__fadd_rd, float, RD, x + y, x, y)
MORE_OPERANDS(__fsub_rd, float, RD, x - y, x, y)
MORE_OPERANDS(__fmul_rd, float, RD, x *y, x, y)
MORE_OPERANDS(__fdiv_rd, float, RD, x / y, x, y)
MORE_OPERANDS(__fmaf_rd, float, RD, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__frcp_rd, float, float, RD, (float)1 / x)
ONE_OPERAND(__fsqrt_rd, float, float, RD, std::sqrt(x))
MORE_OPERANDS(__dadd_rd, double, RD, x + y, x, y)
MORE_OPERANDS(__dsub_rd, double, RD, x - y, x, y)
MORE_OPERANDS(__dmul_rd, double, RD, x *y, x, y)
MORE_OPERANDS(__ddiv_rd, double, RD, x / y, x, y)
MORE_OPERANDS(__fma_rd, double, RD, std::fma(x, y, z), x, y, z)
ONE_OPERAND(__drcp_rd, double, double, RD, (double)1 / x)
ONE_OPERAND(__dsqrt_rd, double, double, RD, std::sqrt(x))
ONE_OPERAND(__double2float_rd, double, float, RD, (float)x)
ONE_OPERAND(__double2int_rd, double, int, RD, (to_integer<int, double>(x)))
ONE_OPERAND(__double2uint_rd, double, uint, RD, (to_integer<uint, double>(x)))
ONE_OPERAND(__double2ll_rd, double, ll, RD, (to_integer<ll, double>(x)))
ONE_OPERAND(__double2ull_rd, double, ull, RD, (to_integer<ull, double>(x)))
ONE_OPERAND(__float2int_rd, float, int, RD, (to_integer<int, float>(x)))
ONE_OPERAND(__float2uint_rd, float, uint, RD, (to_integer<uint, float>(x)))
ONE_OPERAND(__float2ll_rd, float, ll, RD, (to_integer<ll, float>(x)))
ONE_OPERAND(__float2ull_rd, float, ull, RD, (to_integer<ull, float>(x)))
ONE_OPERAND(__int2float_rd, int, float, RD, (float)x)
ONE_OPERAND(__uint2float_rd, uint, float, RD, (float)x)
ONE_OPERAND(__ll2float_rd, ll, float, RD, (float)x)
ONE_OPERAND(__ull2float_rd, ull, float, RD, (float)x)
ONE_OPERAND(__ll2double_rd, ll, double, RD, (double)x)
ONE_OPERAND(__ull2double_rd, ull, double, RD, (double)x)
ONE_OPERAND(__int2double_rn, int, double, RN, (double)x)
ONE_OPERAND(__uint2double_rn, uint, double, RN, (double)x)
int main() {
    test___fadd_rn();
    test___fsub_rn();
    test___fmul_rn();
    test___fdiv_rn();
    test___fmaf_rn();
    test___frcp_rn();
    test___fsqrt_rn();
    test___dadd_rn();
    test___dsub_rn();
    test___dmul_rn();
    test___ddiv_rn();
    test___fma_rn();
    test___drcp_rn();
    test___dsqrt_rn();
    test___double2float_rn();
    test___double2int_rn();
    test___double2uint_rn();
    test___double2ll_rn();
    test___double2ull_rn();
    test___float2int_rn();
    test___float2uint_rn();
    test___float2ll_rn();
    test___float2ull_rn();
    test___int2float_rn();
    test___uint2float_rn();
    test___ll2float_rn();
    test___ull2float_rn();
    test___ll2double_rn();
    test___ull2double_rn();
    test___fadd_rz();
    test___fsub_rz();
    test___fmul_rz();
    test___fdiv_rz();
    test___fmaf_rz();
    test___frcp_rz();
    test___fsqrt_rz();
    test___dadd_rz();
    test___dsub_rz();
    test___dmul_rz();
    test___ddiv_rz();
    test___fma_rz();
    test___drcp_rz();
    test___dsqrt_rz();
    test___double2float_rz();
    test___double2int_rz();
    test___double2uint_rz();
    test___double2ll_rz();
    test___double2ull_rz();
    test___float2int_rz();
    test___float2uint_rz();
    test___float2ll_rz();
    test___float2ull_rz();
    test___int2float_rz();
    test___uint2float_rz();
    test___ll2float_rz();
    test___ull2float_rz();
    test___ll2double_rz();
    test___ull2double_rz();
    test___fadd_ru();
    test___fsub_ru();
    test___fmul_ru();
    test___fdiv_ru();
    test___fmaf_ru();
    test___frcp_ru();
    test___fsqrt_ru();
    test___dadd_ru();
    test___dsub_ru();
    test___dmul_ru();
    test___ddiv_ru();
    test___fma_ru();
    test___drcp_ru();
    test___dsqrt_ru();
    test___double2float_ru();
    test___double2int_ru();
    test___double2uint_ru();
    test___double2ll_ru();
    test___double2ull_ru();
    test___float2int_ru();
    test___float2uint_ru();
    test___float2ll_ru();
    test___float2ull_ru();
    test___int2float_ru();
    test___uint2float_ru();
    test___ll2float_ru();
    test___ull2float_ru();
    test___ll2double_ru();
    test___ull2double_ru();
    test___fadd_rd();
    test___fsub_rd();
    test___fmul_rd();
    test___fdiv_rd();
    test___fmaf_rd();
    test___frcp_rd();
    test___fsqrt_rd();
    test___dadd_rd();
    test___dsub_rd();
    test___dmul_rd();
    test___ddiv_rd();
    test___fma_rd();
    test___drcp_rd();
    test___dsqrt_rd();
    test___double2float_rd();
    test___double2int_rd();
    test___double2uint_rd();
    test___double2ll_rd();
    test___double2ull_rd();
    test___float2int_rd();
    test___float2uint_rd();
    test___float2ll_rd();
    test___float2ull_rd();
    test___int2float_rd();
    test___uint2float_rd();
    test___ll2float_rd();
    test___ull2float_rd();
    test___ll2double_rd();
    test___ull2double_rd();
    test___int2double_rn();
    test___uint2double_rn();
    return failures != 0;
}
