// __float128 in device code (guide 17.1, 18.5.1): what the language has for it, against the host's
// arithmetic, which rounds as IEEE 754 says, and the types' layout between both sides.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include <crt/device_fp128_functions.h>

static_assert(sizeof(__float128) == 16 && alignof(__float128) == 16, "");
static_assert(std::is_same<__float128, decltype(1.5q)>::value, "");
static_assert(std::is_same<_Float128, __float128>::value, "");
static_assert(std::is_same<decltype(1.0 + __float128()), __float128>::value, "");

typedef unsigned __int128 u128;

__host__ __device__ const char *kind(float) {
    return "float";
}
__host__ __device__ const char *kind(double) {
    return "double";
}
__host__ __device__ const char *kind(__float128) {
    return "quad";
}

template <typename T> __host__ __device__ T polynomial(T x) {
    T sum = 0;
    for (int i = 10; i > 0; i--)
        sum = sum * x + T(1) / T(i);
    return sum;
}

struct pair {
    char tag;
    __float128 value;
    float after;

    __host__ __device__ pair operator*(const pair &o) const {
        return {tag, value * o.value, after};
    }
};

// What both sides compute from two numbers.
struct results {
    __float128 sum, difference, product, quotient, negative, series, chosen, steps;
    pair both;
    double as_double;
    float as_float;
    long long as_long;
    unsigned long long as_unsigned_long;
    int as_int;
    unsigned as_unsigned;
    short as_short;
    signed char as_char;
    bool as_bool;
    __int128 as_wide;
    int comparisons;
    int kinds;
};

__constant__ __float128 thirds[3] = {1 / 3.q, 2 / 3.q, 1};
__device__ __float128 counter = 0.1q;
__device__ pair table[2] = {{'a', 1.25q, 1}, {'b', -0x1p-16494q, 2}};

template <typename T> __host__ __device__ T limited(__float128 x, __float128 limit) {
    return x >= -limit && x < limit ? static_cast<T>(x) : T(7);
}

// Every cast towards zero, of what fits.
__host__ __device__ void convert(results &r, __float128 a) {
    __float128 positive = a < 0 ? -a : a;
    r.as_double = a;
    r.as_float = a;
    r.as_long = limited<long long>(a, 0x1p63q);
    r.as_unsigned_long = limited<unsigned long long>(positive, 0x1p64q);
    r.as_int = limited<int>(a, 0x1p31q);
    r.as_unsigned = limited<unsigned>(positive, 0x1p32q);
    r.as_short = limited<short>(a, 0x1p15q);
    r.as_char = limited<signed char>(a, 0x1p7q);
    r.as_bool = a;
    r.as_wide = limited<__int128>(a, 0x1p127q);
}

__host__ __device__ results compute(__float128 a, __float128 b) {
    results r;
    memset(&r, 0, sizeof r);
    r.sum = a + b;
    r.difference = a - b;
    r.product = a * b;
    r.quotient = a / b;
    r.negative = -a;
    r.series = polynomial(a);
    r.chosen = a > b ? a : b;
    r.steps = a;
    ++r.steps;
    r.steps += 2;
    r.steps *= 0.5f;
    r.steps -= 1u;
    r.steps /= 3LL;
    r.both = pair{'x', a, 3} * pair{'y', b, 4};
    convert(r, a);
    r.comparisons = (a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 |
                    (a >= b) << 5 | !a << 6 | __builtin_isnan(a) << 7 | __builtin_isinf(a) << 8 |
                    (__builtin_signbit(a) != 0) << 9 | __builtin_isunordered(a, b) << 10 |
                    __builtin_isfinite(a) << 11 | __builtin_isnormal(a) << 12;
    r.kinds = kind(a)[0] + kind((double)a)[0] + kind(1.0f)[0];
    return r;
}

__global__ void arithmetic(const __float128 *a, const __float128 *b, results *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = compute(a[i], b[i]);
}

// By value, from memory of each kind, and through a function pointer.
typedef __float128 (*unary)(__float128);
__device__ __noinline__ __float128 twice(__float128 x) {
    return x * 2;
}
__device__ __noinline__ __float128 thrice(__float128 x) {
    return x * 3;
}

__global__ void places(__float128 x, pair p, __float128 *out) {
    __shared__ __float128 shared[64];
    __float128 local[4];
    unary f = threadIdx.x & 1 ? twice : thrice;
    shared[threadIdx.x] = x + threadIdx.x;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        local[(threadIdx.x + i) & 3] = i * p.value;
    if (threadIdx.x == 0)
        counter += 1;
    out[threadIdx.x] = shared[63 - threadIdx.x] + thirds[threadIdx.x % 3] +
                       f(local[(threadIdx.x + 2) & 3]) + table[threadIdx.x & 1].value;
}

__global__ void integers(const u128 *in, __float128 *out, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    out[6 * i] = in[i];
    out[6 * i + 1] = (__int128)in[i];
    out[6 * i + 2] = (unsigned long long)in[i];
    out[6 * i + 3] = (int)in[i];
    out[6 * i + 4] = (unsigned char)in[i];
    double d;
    long long bits = (long long)in[i];
    memcpy(&d, &bits, sizeof d);
    out[6 * i + 5] = d == d ? d : 0;
}

__global__ void exact(const __float128 *a, const __float128 *b, __float128 *out, int *ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __float128 x = a[i], y = b[i], *o = out + 8 * i, whole;
    int exponent;
    o[0] = __nv_fp128_add(x, y) - (x + y);
    o[1] = __nv_fp128_fma(x, y, -(x * y)); // the product's error
    o[2] = __nv_fp128_floor(x) + __nv_fp128_ceil(x);
    o[3] = __nv_fp128_modf(x, &whole) + whole;
    o[4] = __nv_fp128_ldexp(__nv_fp128_frexp(x, &exponent), exponent);
    o[5] = __nv_fp128_fabs(__nv_fp128_copysign(y, x));
    o[6] = __nv_fp128_sqrt(x * x);
    o[7] = __nv_fp128_fmod(x, y) - __nv_fp128_trunc(x / y);
    ints[2 * i] = __nv_fp128_ilogb(x);
    ints[2 * i + 1] = exponent;
}

static uint64_t state = 88172645463325252u;
static uint64_t draw() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static __float128 make(u128 bits) {
    __float128 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static __float128 draw_quad(int spread) {
    static const __float128 specials[] = {
        0,       -0.0q,       1,           -1,
        0.5q,    0x1p-16494q, 0x1p-16382q, 0x1.ffffffffffffffffffffffffffffp16383q,
        1 / 0.q, -1 / 0.q,    0x1p31q,     -0x1p63q,
        0x1p64q, 100};
    if (draw() % 8 == 0)
        return specials[draw() % 14];
    uint64_t field = spread ? 16383 - spread + draw() % (2 * spread) : draw() % 32767;
    u128 fraction = ((u128)draw() << 64 | draw()) >> 16;
    if (draw() & 1)
        fraction = fraction >> (draw() % 112) << (draw() % 100);
    return make((u128)(draw() & 1) << 127 | (u128)field << 112 | (fraction << 16 >> 16));
}

static int failures;

static bool same(__float128 a, __float128 b) {
    return !memcmp(&a, &b, 16) || (a != a && b != b);
}

static void expect(bool good, const char *what, int i) {
    if (!good && failures++ < 20)
        printf("%s of %d is wrong\n", what, i);
}

#define SAME(member) expect(same(got.member, wanted.member), #member, i)
#define EQUAL(member) expect(got.member == wanted.member, #member, i)

static void check(const results &got, const results &wanted, int i) {
    SAME(sum);
    SAME(difference);
    SAME(product);
    SAME(quotient);
    SAME(negative);
    SAME(series);
    SAME(chosen);
    SAME(steps);
    SAME(both.value);
    EQUAL(both.tag);
    EQUAL(both.after);
    SAME(as_double);
    SAME(as_float);
    EQUAL(as_long);
    EQUAL(as_unsigned_long);
    EQUAL(as_int);
    EQUAL(as_unsigned);
    EQUAL(as_short);
    EQUAL(as_char);
    EQUAL(as_bool);
    EQUAL(as_wide);
    EQUAL(comparisons);
    EQUAL(kinds);
}

template <typename T> static T *on_device(const std::vector<T> &v) {
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

template <typename T> static std::vector<T> from_device(const T *p, size_t n) {
    std::vector<T> v(n);
    cudaError_t e = cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        printf("%s\n", cudaGetErrorString(e)), failures++;
    return v;
}

static void test_arithmetic(const std::vector<__float128> &a, const std::vector<__float128> &b) {
    int n = (int)a.size();
    results *out = on_device(std::vector<results>(n));
    arithmetic<<<(n + 127) / 128, 128>>>(on_device(a), on_device(b), out, n);
    std::vector<results> got = from_device(out, n);
    for (int i = 0; i < n; i++)
        check(got[i], compute(a[i], b[i]), i);
}

static void test_places() {
    __float128 *out = on_device(std::vector<__float128>(64));
    pair p = {'p', 1 / 7.q, 0};
    places<<<1, 64>>>(0.3q, p, out);
    std::vector<__float128> got = from_device(out, 64);
    for (int i = 0; i < 64; i++) {
        static const __float128 parts[3] = {1 / 3.q, 2 / 3.q, 1};
        __float128 inner = 2 * p.value, third = i & 1 ? inner * 2 : inner * 3;
        __float128 wanted = 0.3q + (63 - i) + parts[i % 3] + third + (i & 1 ? -0x1p-16494q : 1.25q);
        expect(same(got[i], wanted), "places", i);
    }
    __float128 counted, one = -5.5q;
    cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
    expect(same(counted, 0.1q + 1), "counter", 0);
    cudaMemcpyToSymbol(counter, &one, sizeof one);
    places<<<1, 64>>>(0.3q, p, out);
    cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
    expect(same(counted, -4.5q), "counter", 1);
}

static void test_integers() {
    std::vector<u128> in;
    for (int i = 0; i < 256; i++)
        in.push_back(((u128)draw() << 64 | draw()) >> (draw() % 128));
    for (int i = 0; i < 64; i++)
        in.push_back(-in[i]);
    in[0] = 0;
    __float128 *out = on_device(std::vector<__float128>(6 * in.size()));
    integers<<<1, 512>>>(on_device(in), out, (int)in.size());
    std::vector<__float128> got = from_device(out, 6 * in.size());
    for (size_t i = 0; i < in.size(); i++) {
        double d;
        long long bits = (long long)in[i];
        memcpy(&d, &bits, sizeof d);
        __float128 wanted[6] = {(__float128)in[i],
                                (__float128)(__int128)in[i],
                                (__float128)(unsigned long long)in[i],
                                (__float128)(int)in[i],
                                (__float128)(unsigned char)in[i],
                                d == d ? (__float128)d : 0};
        for (int k = 0; k < 6; k++)
            expect(same(got[6 * i + k], wanted[k]), "conversion from an integer", (int)i);
    }
}

// Identities that hold for each number that is not at the ends of the range.
static void test_exact() {
    std::vector<__float128> a, b;
    for (int i = 0; i < 2048; i++) {
        u128 fraction = ((u128)draw() << 64 | draw()) & (((u128)1 << 112) - 1);
        a.push_back(
            make((u128)(draw() & 1) << 127 | (u128)(16383 - 60 + draw() % 120) << 112 | fraction));
        b.push_back(make((u128)(16383 + draw() % 8) << 112 | fraction * 3 % ((u128)1 << 112)));
    }
    int n = (int)a.size();
    __float128 *out = on_device(std::vector<__float128>(8 * n));
    int *ints = on_device(std::vector<int>(2 * n));
    exact<<<(n + 63) / 64, 64>>>(on_device(a), on_device(b), out, ints, n);
    std::vector<__float128> got = from_device(out, 8 * n);
    std::vector<int> exponents = from_device(ints, 2 * n);
    for (int i = 0; i < n; i++) {
        __float128 x = a[i], y = b[i], size = x < 0 ? -x : x;
        const __float128 *o = &got[8 * i];
        // The product's error is exact, less than half a unit in its last place.
        __float128 product = x * y, error = o[1] < 0 ? -o[1] : o[1];
        __float128 bound = (product < 0 ? -product : product) * 0x1p-113q;
        __int128 whole = size < 0x1p100q ? (__int128)x : 0;
        __float128 down = (__float128)whole > x ? whole - 1 : whole;
        __float128 up = (__float128)whole < x ? whole + 1 : whole;
        expect(same(o[0], 0), "add", i);
        expect(error <= bound, "fma", i);
        expect(o[2] == down + up, "floor and ceil", i);
        expect(same(o[3], x), "modf", i);
        expect(same(o[4], x), "frexp and ldexp", i);
        expect(same(o[5], y), "copysign", i);
        expect(o[6] - size <= size * 0x1p-112q && size - o[6] <= size * 0x1p-112q, "sqrt", i);
        expect(exponents[2 * i + 1] == exponents[2 * i] + 1, "ilogb", i);
    }
}

int main() {
    std::vector<__float128> a, b;
    for (int i = 0; i < 4096; i++) {
        int spread = i % 3 == 0 ? 0 : i % 3 == 1 ? 70 : 4;
        a.push_back(draw_quad(spread));
        b.push_back(i % 16 == 5 ? a[i] * (1 + 0x1p-112q) : draw_quad(spread));
    }
    test_arithmetic(a, b);
    test_places();
    test_integers();
    test_exact();
    printf("%d failures\n", failures);
    return failures != 0;
}
