// cuda_fp8.h, cuda_fp6.h and cuda_fp4.h on device and host: the value of each code by the formats'
// definitions, and of each conversion the nearest code, found by looking at all of them.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <vector>

#include "small_formats.h"

struct converted {
    unsigned char sat[FORMATS], type[FORMATS], plain[2], from_float[FORMATS], rounded[3][3];
    unsigned char bf[2], pair[3], e8m0[4];
    unsigned short packed[4];
};

__host__ __device__ converted convert(double x) {
    converted c = {};
    float f = (float)x;
    c.sat[E4M3] = __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    c.sat[E5M2] = __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
    c.sat[E2M3] = __nv_cvt_double_to_fp6(x, __NV_E2M3, cudaRoundNearest);
    c.sat[E3M2] = __nv_cvt_double_to_fp6(x, __NV_E3M2, cudaRoundNearest);
    c.sat[E2M1] = __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest);
    c.type[E4M3] = __nv_fp8_e4m3(x).__x;
    c.type[E5M2] = __nv_fp8_e5m2(x).__x;
    c.type[E2M3] = __nv_fp6_e2m3(x).__x;
    c.type[E3M2] = __nv_fp6_e3m2(x).__x;
    c.type[E2M1] = __nv_fp4_e2m1(x).__x;
    c.plain[E4M3] = __nv_cvt_double_to_fp8(x, __NV_NOSAT, __NV_E4M3);
    c.plain[E5M2] = __nv_cvt_double_to_fp8(x, __NV_NOSAT, __NV_E5M2);
    c.from_float[E4M3] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
    c.from_float[E5M2] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
    c.from_float[E2M3] = __nv_cvt_float_to_fp6(f, __NV_E2M3, cudaRoundNearest);
    c.from_float[E3M2] = __nv_cvt_float_to_fp6(f, __NV_E3M2, cudaRoundNearest);
    c.from_float[E2M1] = __nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundNearest);
    for (int m = 0; m < 3; m++) {
        cudaRoundMode mode = (cudaRoundMode)(cudaRoundZero + m);
        c.rounded[m][0] = __nv_cvt_double_to_fp6(x, __NV_E2M3, mode);
        c.rounded[m][1] = __nv_cvt_double_to_fp6(x, __NV_E3M2, mode);
        c.rounded[m][2] = __nv_cvt_double_to_fp4(x, __NV_E2M1, mode);
    }
    float2 two = make_float2(f, -f);
    c.packed[0] = __nv_cvt_float2_to_fp8x2(two, __NV_SATFINITE, __NV_E4M3);
    c.packed[1] = __nv_cvt_float2_to_fp8x2(two, __NV_NOSAT, __NV_E5M2);
    c.packed[2] = __nv_fp6x2_e2m3(two).__x;
    c.packed[3] = __nv_fp4x2_e2m1(two).__x;
    c.e8m0[0] = __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundZero);
    c.e8m0[1] = __nv_cvt_double_to_e8m0(x, __NV_NOSAT, cudaRoundPosInf);
    return c;
}

static void expect(double x, const converted &c, const char *side) {
    bool good = true;
    double f = (double)(float)x;
    for (int k = 0; k < FORMATS; k++) {
        unsigned int want = nearest(k, x, cudaRoundNearest, true);
        good &= c.sat[k] == want && c.type[k] == want;
        good &= c.from_float[k] == nearest(k, f, cudaRoundNearest, true);
    }
    good &= c.plain[0] == nearest(E4M3, x, cudaRoundNearest, false);
    good &= c.plain[1] == nearest(E5M2, x, cudaRoundNearest, false);
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++)
            good &=
                c.rounded[m][k] == nearest(E2M3 + k, x, (cudaRoundMode)(cudaRoundZero + m), true);
    auto two = [&](int k, bool saturate, int shift) {
        return nearest(k, f, cudaRoundNearest, saturate) |
               nearest(k, -f, cudaRoundNearest, saturate) << shift;
    };
    good &= c.packed[0] == two(E4M3, true, 8) && c.packed[1] == two(E5M2, false, 8);
    good &= c.packed[2] == two(E2M3, true, 8) && c.packed[3] == two(E2M1, true, 4);
    // The greatest power of two not above |x|, and the least not below it.
    int down = 0, up = 0;
    if (std::isnan(x)) {
        down = up = 0xff;
    } else {
        while (down < 0xfe && ldexp(1, down + 1 - 127) <= fabs(x))
            down++;
        while (up < 0xff && ldexp(1, up - 127) < fabs(x))
            up++;
    }
    good &= c.e8m0[0] == down && c.e8m0[1] == up;
    if (!good && failures++ < 20)
        printf("%a on the %s: %02x %02x %02x %02x %02x, e8m0 %02x %02x\n", x, side, c.sat[0],
               c.sat[1], c.sat[2], c.sat[3], c.sat[4], c.e8m0[0], c.e8m0[1]);
}

struct widened {
    unsigned short half[FORMATS];
    float value[FORMATS];
    int integer;
    unsigned short power;
};

__host__ __device__ widened widen(unsigned int code) {
    widened w = {};
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    __nv_fp6_e2m3 c;
    __nv_fp6_e3m2 d;
    __nv_fp4_e2m1 e;
    a.__x = b.__x = (unsigned char)code, c.__x = d.__x = code & 63, e.__x = code & 15;
    w.half[E4M3] = __nv_cvt_fp8_to_halfraw(a.__x, __NV_E4M3).x;
    w.half[E5M2] = __nv_cvt_fp8_to_halfraw(b.__x, __NV_E5M2).x;
    w.half[E2M3] = __nv_cvt_fp6_to_halfraw(c.__x, __NV_E2M3).x;
    w.half[E3M2] = __nv_cvt_fp6_to_halfraw(d.__x, __NV_E3M2).x;
    w.half[E2M1] = __nv_cvt_fp4_to_halfraw(e.__x, __NV_E2M1).x;
    w.value[E4M3] = float(a), w.value[E5M2] = float(b), w.value[E2M3] = float(c);
    w.value[E3M2] = float(d), w.value[E2M1] = float(e);
    w.integer = int(a);
    w.power = __nv_cvt_e8m0_to_bf16raw((unsigned char)code).x;
    return w;
}

static void expect(unsigned int code, const widened &w, const char *side) {
    bool good = true;
    for (int k = 0; k < FORMATS; k++) {
        double v = value_of(k, code & ((1u << bits_of(k)) - 1));
        unsigned short h = w.half[k];
        int exponent = h >> 10 & 31;
        double half = exponent == 31 ? ((h & 1023) ? NAN : INFINITY)
                      : exponent     ? ldexp(1024 + (h & 1023), exponent - 25)
                                     : ldexp(h & 1023, -24);
        half = h & 0x8000 ? -half : half;
        bool same = std::isnan(v)
                        ? std::isnan(w.value[k]) && h == 0x7fff
                        : half == v && w.value[k] == v && std::signbit(half) == std::signbit(v);
        good &= same;
    }
    double v = value_of(E4M3, code);
    good &= w.integer == (std::isnan(v) ? 0 : (int)v);
    unsigned int power = w.power << 16;
    float f;
    memcpy(&f, &power, 4);
    good &= code == 255 ? std::isnan(f) : f == ldexp(1, (int)code - 127);
    if (!good && failures++ < 20)
        printf("code %02x on the %s\n", code, side);
}

__global__ void narrow_all(const double *x, converted *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = convert(x[i]);
}

__global__ void widen_all(widened *out) {
    out[threadIdx.x] = widen(threadIdx.x);
}

int main() {
    std::vector<double> values = {0.0,           -0.0,          INFINITY,        -INFINITY,
                                  NAN,           1e300,         -1e300,          1e-300,
                                  5e-324,        ldexp(1, 127), ldexp(1.5, 127), ldexp(1, -127),
                                  ldexp(1, -130)};
    // Every number, the middle between neighbours, and what lies next to these.
    for (int k = 0; k < FORMATS; k++)
        for (unsigned int c = 0; c < 1u << bits_of(k); c++) {
            double a = value_of(k, c), b = value_of(k, c + 1);
            for (double v : {a, (a + b) / 2})
                if (std::isfinite(v))
                    for (double w : {v, nextafter(v, INFINITY), nextafter(v, -INFINITY),
                                     (double)nextafterf((float)v, INFINITY), v * 1.0625})
                        values.push_back(w);
        }
    random_words next;
    for (int i = 0; i < 2000; i++)
        values.push_back(ldexp((double)(long long)next() * 0x1p-63, (int)(next() % 45) - 25));
    int n = (int)values.size();
    double *x = shared_array<double>(n);
    converted *out = shared_array<converted>(n);
    memcpy(x, values.data(), n * sizeof *x);
    narrow_all<<<(n + 127) / 128, 128>>>(x, out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        expect(x[i], out[i], "device");
        expect(x[i], convert(x[i]), "host");
    }
    widened *w = shared_array<widened>(256);
    widen_all<<<1, 256>>>(w);
    CUDA(cudaDeviceSynchronize());
    for (unsigned int c = 0; c < 256; c++) {
        expect(c, w[c], "device");
        expect(c, widen(c), "host");
    }
    // Quads, halves, integers.
    float4 q = float4(__nv_fp8x4_e4m3(make_float4(1, -2.1f, 500, 0.25f)));
    CHECK(q.x == 1 && q.y == -2 && q.z == 448 && q.w == 0.25f);
    q = float4(__nv_fp4x4_e2m1(make_float4(1, -2.1f, 500, 0.3f)));
    CHECK(q.x == 1 && q.y == -2 && q.z == 6 && q.w == 0.5f);
    CHECK(__nv_fp8_e5m2(__float2half(3.3f)).__x == nearest(E5M2, 3.3, cudaRoundNearest, true));
    CHECK(__nv_fp8_e4m3(300).__x == nearest(E4M3, 300, cudaRoundNearest, true));
    CHECK(int(__nv_fp8_e5m2(-7)) == -7 && (unsigned int)__nv_fp8_e4m3(-1.0f) == 0);
    // Pairs and quads keep their order; powers of two round up.
    CHECK(float2(__nv_fp8x2_e4m3(make_float2(1.5f, -3))).y == -3 &&
          float2(__nv_fp8x2_e5m2(make_float2(1.5f, -3))).x == 1.5f);
    CHECK(float2(__nv_fp6x2_e3m2(make_float2(0.25f, -28))).y == -28 &&
          float2(__nv_fp6x2_e2m3(make_float2(7.5f, 1))).x == 7.5f);
    CHECK(float2(__nv_fp4x2_e2m1(make_float2(6, -0.5f))).y == -0.5f);
    for (float4 v : {float4(__nv_fp8x4_e5m2(make_float4(1, 2, 3, -4))),
                     float4(__nv_fp6x4_e2m3(make_float4(1, 2, 3, -4))),
                     float4(__nv_fp6x4_e3m2(make_float4(1, 2, 3, -4)))})
        CHECK(v.x == 1 && v.y == 2 && v.z == 3 && v.w == -4);
    CHECK(float(__nv_fp8_e8m0(3.0f)) == 4 && float(__nv_fp8_e8m0(0.25f)) == 0.25f);
    // Integers become the power of two above them, and back; what is too large is the greatest.
    CHECK(float(__nv_fp8_e8m0(5)) == 8 && float(__nv_fp8_e8m0((unsigned short)16)) == 16 &&
          float(__nv_fp8_e8m0(1025ull)) == 2048 && float(__nv_fp8_e8m0((short)1)) == 1);
    CHECK(int(__nv_fp8_e8m0(3.0f)) == 4 && (unsigned char)__nv_fp8_e8m0(512) == 255 &&
          (long long)__nv_fp8_e8m0(0.25f) == 0 && bool(__nv_fp8_e8m0(0.25f)));
    CHECK(__half2float(__half(__nv_fp8_e8m0(3.0f))) == 4 &&
          __half2float(__half(__nv_fp8_e8m0(1e-6f))) == 0x1p-19f);
    return failures != 0;
}
