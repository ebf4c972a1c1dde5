// Every conversion function of cuda_fp8.h, cuda_fp6.h and cuda_fp4.h by its name, on device and
// host: from numbers that all wider types hold, and back.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "small_formats.h"

constexpr int count = 2000, functions = 80, codes = 256;

struct results {
    unsigned short r[functions];
};
struct widened {
    float fp8[4], fp6[4], fp4[2], e8m0[2];
};

#define BOTH __host__ __device__ inline

BOTH __half_raw half_of(float x) {
    return __float2half(x);
}
BOTH __half2_raw pair_of_halves(float2 x) {
    return __floats2half2_rn(x.x, x.y);
}
BOTH __nv_bfloat16_raw bfloat_of(float x) {
    return __float2bfloat16(x);
}
BOTH __nv_bfloat162_raw pair_of_bfloats(float2 x) {
    return __floats2bfloat162_rn(x.x, x.y);
}
BOTH float value(__half_raw x) {
    return __half2float(x);
}
BOTH float value(__nv_bfloat16_raw x) {
    return __bfloat162float(x);
}
// Of a pair, whose members have to be told apart.
BOTH float value(__half2_raw x) {
    float2 v = __half22float2(x);
    return v.x == v.x && v.y == v.y ? v.x + 1e6f * v.y : -1;
}
BOTH float value(__nv_bfloat162_raw x) {
    float2 v = __bfloat1622float2(x);
    return v.x / v.y;
}

BOTH void narrow(double2 d, results *out) {
    float2 f = make_float2((float)d.x, (float)d.y);
    out->r[0] = __nv_cvt_double_to_fp8(d.x, __NV_SATFINITE, __NV_E4M3);
    out->r[1] = __nv_cvt_double2_to_fp8x2(d, __NV_SATFINITE, __NV_E4M3);
    out->r[2] = __nv_cvt_double_to_fp8(d.x, __NV_NOSAT, __NV_E4M3);
    out->r[3] = __nv_cvt_double2_to_fp8x2(d, __NV_NOSAT, __NV_E4M3);
    out->r[4] = __nv_cvt_float_to_fp8(f.x, __NV_SATFINITE, __NV_E4M3);
    out->r[5] = __nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, __NV_E4M3);
    out->r[6] = __nv_cvt_float_to_fp8(f.x, __NV_NOSAT, __NV_E4M3);
    out->r[7] = __nv_cvt_float2_to_fp8x2(f, __NV_NOSAT, __NV_E4M3);
    out->r[8] = __nv_cvt_halfraw_to_fp8(half_of(f.x), __NV_SATFINITE, __NV_E4M3);
    out->r[9] = __nv_cvt_halfraw2_to_fp8x2(pair_of_halves(f), __NV_SATFINITE, __NV_E4M3);
    out->r[10] = __nv_cvt_halfraw_to_fp8(half_of(f.x), __NV_NOSAT, __NV_E4M3);
    out->r[11] = __nv_cvt_halfraw2_to_fp8x2(pair_of_halves(f), __NV_NOSAT, __NV_E4M3);
    out->r[12] = __nv_cvt_bfloat16raw_to_fp8(bfloat_of(f.x), __NV_SATFINITE, __NV_E4M3);
    out->r[13] = __nv_cvt_bfloat16raw2_to_fp8x2(pair_of_bfloats(f), __NV_SATFINITE, __NV_E4M3);
    out->r[14] = __nv_cvt_bfloat16raw_to_fp8(bfloat_of(f.x), __NV_NOSAT, __NV_E4M3);
    out->r[15] = __nv_cvt_bfloat16raw2_to_fp8x2(pair_of_bfloats(f), __NV_NOSAT, __NV_E4M3);
    out->r[16] = __nv_cvt_double_to_fp8(d.x, __NV_SATFINITE, __NV_E5M2);
    out->r[17] = __nv_cvt_double2_to_fp8x2(d, __NV_SATFINITE, __NV_E5M2);
    out->r[18] = __nv_cvt_double_to_fp8(d.x, __NV_NOSAT, __NV_E5M2);
    out->r[19] = __nv_cvt_double2_to_fp8x2(d, __NV_NOSAT, __NV_E5M2);
    out->r[20] = __nv_cvt_float_to_fp8(f.x, __NV_SATFINITE, __NV_E5M2);
    out->r[21] = __nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, __NV_E5M2);
    out->r[22] = __nv_cvt_float_to_fp8(f.x, __NV_NOSAT, __NV_E5M2);
    out->r[23] = __nv_cvt_float2_to_fp8x2(f, __NV_NOSAT, __NV_E5M2);
    out->r[24] = __nv_cvt_halfraw_to_fp8(half_of(f.x), __NV_SATFINITE, __NV_E5M2);
    out->r[25] = __nv_cvt_halfraw2_to_fp8x2(pair_of_halves(f), __NV_SATFINITE, __NV_E5M2);
    out->r[26] = __nv_cvt_halfraw_to_fp8(half_of(f.x), __NV_NOSAT, __NV_E5M2);
    out->r[27] = __nv_cvt_halfraw2_to_fp8x2(pair_of_halves(f), __NV_NOSAT, __NV_E5M2);
    out->r[28] = __nv_cvt_bfloat16raw_to_fp8(bfloat_of(f.x), __NV_SATFINITE, __NV_E5M2);
    out->r[29] = __nv_cvt_bfloat16raw2_to_fp8x2(pair_of_bfloats(f), __NV_SATFINITE, __NV_E5M2);
    out->r[30] = __nv_cvt_bfloat16raw_to_fp8(bfloat_of(f.x), __NV_NOSAT, __NV_E5M2);
    out->r[31] = __nv_cvt_bfloat16raw2_to_fp8x2(pair_of_bfloats(f), __NV_NOSAT, __NV_E5M2);
    out->r[32] = __nv_cvt_double_to_fp6(d.x, __NV_E2M3, cudaRoundNearest);
    out->r[33] = __nv_cvt_double2_to_fp6x2(d, __NV_E2M3, cudaRoundNearest);
    out->r[34] = __nv_cvt_double_to_fp6(d.x, __NV_E2M3, cudaRoundZero);
    out->r[35] = __nv_cvt_double2_to_fp6x2(d, __NV_E2M3, cudaRoundZero);
    out->r[36] = __nv_cvt_double_to_fp6(d.x, __NV_E2M3, cudaRoundPosInf);
    out->r[37] = __nv_cvt_double2_to_fp6x2(d, __NV_E2M3, cudaRoundPosInf);
    out->r[38] = __nv_cvt_float_to_fp6(f.x, __NV_E2M3, cudaRoundNearest);
    out->r[39] = __nv_cvt_float2_to_fp6x2(f, __NV_E2M3, cudaRoundNearest);
    out->r[40] = __nv_cvt_halfraw_to_fp6(half_of(f.x), __NV_E2M3, cudaRoundNearest);
    out->r[41] = __nv_cvt_halfraw2_to_fp6x2(pair_of_halves(f), __NV_E2M3, cudaRoundNearest);
    out->r[42] = __nv_cvt_bfloat16raw_to_fp6(bfloat_of(f.x), __NV_E2M3, cudaRoundNearest);
    out->r[43] = __nv_cvt_bfloat16raw2_to_fp6x2(pair_of_bfloats(f), __NV_E2M3, cudaRoundNearest);
    out->r[44] = __nv_cvt_double_to_fp6(d.x, __NV_E3M2, cudaRoundNearest);
    out->r[45] = __nv_cvt_double2_to_fp6x2(d, __NV_E3M2, cudaRoundNearest);
    out->r[46] = __nv_cvt_double_to_fp6(d.x, __NV_E3M2, cudaRoundZero);
    out->r[47] = __nv_cvt_double2_to_fp6x2(d, __NV_E3M2, cudaRoundZero);
    out->r[48] = __nv_cvt_double_to_fp6(d.x, __NV_E3M2, cudaRoundPosInf);
    out->r[49] = __nv_cvt_double2_to_fp6x2(d, __NV_E3M2, cudaRoundPosInf);
    out->r[50] = __nv_cvt_float_to_fp6(f.x, __NV_E3M2, cudaRoundNearest);
    out->r[51] = __nv_cvt_float2_to_fp6x2(f, __NV_E3M2, cudaRoundNearest);
    out->r[52] = __nv_cvt_halfraw_to_fp6(half_of(f.x), __NV_E3M2, cudaRoundNearest);
    out->r[53] = __nv_cvt_halfraw2_to_fp6x2(pair_of_halves(f), __NV_E3M2, cudaRoundNearest);
    out->r[54] = __nv_cvt_bfloat16raw_to_fp6(bfloat_of(f.x), __NV_E3M2, cudaRoundNearest);
    out->r[55] = __nv_cvt_bfloat16raw2_to_fp6x2(pair_of_bfloats(f), __NV_E3M2, cudaRoundNearest);
    out->r[56] = __nv_cvt_double_to_fp4(d.x, __NV_E2M1, cudaRoundNearest);
    out->r[57] = __nv_cvt_double2_to_fp4x2(d, __NV_E2M1, cudaRoundNearest);
    out->r[58] = __nv_cvt_double_to_fp4(d.x, __NV_E2M1, cudaRoundZero);
    out->r[59] = __nv_cvt_double2_to_fp4x2(d, __NV_E2M1, cudaRoundZero);
    out->r[60] = __nv_cvt_double_to_fp4(d.x, __NV_E2M1, cudaRoundPosInf);
    out->r[61] = __nv_cvt_double2_to_fp4x2(d, __NV_E2M1, cudaRoundPosInf);
    out->r[62] = __nv_cvt_float_to_fp4(f.x, __NV_E2M1, cudaRoundNearest);
    out->r[63] = __nv_cvt_float2_to_fp4x2(f, __NV_E2M1, cudaRoundNearest);
    out->r[64] = __nv_cvt_halfraw_to_fp4(half_of(f.x), __NV_E2M1, cudaRoundNearest);
    out->r[65] = __nv_cvt_halfraw2_to_fp4x2(pair_of_halves(f), __NV_E2M1, cudaRoundNearest);
    out->r[66] = __nv_cvt_bfloat16raw_to_fp4(bfloat_of(f.x), __NV_E2M1, cudaRoundNearest);
    out->r[67] = __nv_cvt_bfloat16raw2_to_fp4x2(pair_of_bfloats(f), __NV_E2M1, cudaRoundNearest);
    out->r[68] = __nv_cvt_double_to_e8m0(d.x, __NV_SATFINITE, cudaRoundZero);
    out->r[69] = __nv_cvt_double2_to_e8m0x2(d, __NV_SATFINITE, cudaRoundZero);
    out->r[70] = __nv_cvt_double_to_e8m0(d.x, __NV_SATFINITE, cudaRoundPosInf);
    out->r[71] = __nv_cvt_double2_to_e8m0x2(d, __NV_SATFINITE, cudaRoundPosInf);
    out->r[72] = __nv_cvt_float_to_e8m0(f.x, __NV_SATFINITE, cudaRoundZero);
    out->r[73] = __nv_cvt_float2_to_e8m0x2(f, __NV_SATFINITE, cudaRoundZero);
    out->r[74] = __nv_cvt_float_to_e8m0(f.x, __NV_SATFINITE, cudaRoundPosInf);
    out->r[75] = __nv_cvt_float2_to_e8m0x2(f, __NV_SATFINITE, cudaRoundPosInf);
    out->r[76] = __nv_cvt_bfloat16raw_to_e8m0(bfloat_of(f.x), __NV_SATFINITE, cudaRoundZero);
    out->r[77] = __nv_cvt_bfloat162raw_to_e8m0x2(pair_of_bfloats(f), __NV_SATFINITE, cudaRoundZero);
    out->r[78] = __nv_cvt_bfloat16raw_to_e8m0(bfloat_of(f.x), __NV_SATFINITE, cudaRoundPosInf);
    out->r[79] =
        __nv_cvt_bfloat162raw_to_e8m0x2(pair_of_bfloats(f), __NV_SATFINITE, cudaRoundPosInf);
}

BOTH void widen(unsigned c, widened *w) {
    unsigned pair = c << 8 | (c ^ 0x15), six = c & 63, six_pair = six << 8 | (six ^ 0x15);
    w->fp8[0] = value(__nv_cvt_fp8_to_halfraw((unsigned char)c, __NV_E4M3));
    w->fp8[1] = value(__nv_cvt_fp8_to_halfraw((unsigned char)c, __NV_E5M2));
    w->fp8[2] = value(__nv_cvt_fp8x2_to_halfraw2((unsigned short)pair, __NV_E4M3));
    w->fp8[3] = value(__nv_cvt_fp8x2_to_halfraw2((unsigned short)pair, __NV_E5M2));
    w->fp6[0] = value(__nv_cvt_fp6_to_halfraw((unsigned char)six, __NV_E2M3));
    w->fp6[1] = value(__nv_cvt_fp6_to_halfraw((unsigned char)six, __NV_E3M2));
    w->fp6[2] = value(__nv_cvt_fp6x2_to_halfraw2((unsigned short)six_pair, __NV_E2M3));
    w->fp6[3] = value(__nv_cvt_fp6x2_to_halfraw2((unsigned short)six_pair, __NV_E3M2));
    w->fp4[0] = value(__nv_cvt_fp4_to_halfraw((unsigned char)(c & 15), __NV_E2M1));
    w->fp4[1] = value(__nv_cvt_fp4x2_to_halfraw2((unsigned char)c, __NV_E2M1));
    w->e8m0[0] = value(__nv_cvt_e8m0_to_bf16raw((unsigned char)c));
    w->e8m0[1] = value(__nv_cvt_e8m0x2_to_bf162raw((unsigned short)pair));
}

__global__ void narrow_all(const double2 *d, results *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        narrow(d[i], out + i);
}
__global__ void widen_all(widened *w) {
    widen(threadIdx.x, w + threadIdx.x);
}

// A power of two of e8m0: 2^(code - 127), next to |x|.
static unsigned power(double x, cudaRoundMode mode) {
    int exponent;
    double digits = frexp(fabs(x), &exponent); // 0.5 to 1
    return x == 0 ? 0u
                  : (unsigned)(exponent - 1 + 127 + (mode == cudaRoundPosInf && digits != 0.5));
}

static void expect(double2 d, const results &got, const char *side) {
    const unsigned expected[functions] = {
        nearest(E4M3, d.x, cudaRoundNearest, true),
        nearest(E4M3, d.x, cudaRoundNearest, true) | nearest(E4M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E4M3, d.x, cudaRoundNearest, false),
        nearest(E4M3, d.x, cudaRoundNearest, false) | nearest(E4M3, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E4M3, d.x, cudaRoundNearest, true),
        nearest(E4M3, d.x, cudaRoundNearest, true) | nearest(E4M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E4M3, d.x, cudaRoundNearest, false),
        nearest(E4M3, d.x, cudaRoundNearest, false) | nearest(E4M3, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E4M3, d.x, cudaRoundNearest, true),
        nearest(E4M3, d.x, cudaRoundNearest, true) | nearest(E4M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E4M3, d.x, cudaRoundNearest, false),
        nearest(E4M3, d.x, cudaRoundNearest, false) | nearest(E4M3, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E4M3, d.x, cudaRoundNearest, true),
        nearest(E4M3, d.x, cudaRoundNearest, true) | nearest(E4M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E4M3, d.x, cudaRoundNearest, false),
        nearest(E4M3, d.x, cudaRoundNearest, false) | nearest(E4M3, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E5M2, d.x, cudaRoundNearest, true),
        nearest(E5M2, d.x, cudaRoundNearest, true) | nearest(E5M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E5M2, d.x, cudaRoundNearest, false),
        nearest(E5M2, d.x, cudaRoundNearest, false) | nearest(E5M2, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E5M2, d.x, cudaRoundNearest, true),
        nearest(E5M2, d.x, cudaRoundNearest, true) | nearest(E5M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E5M2, d.x, cudaRoundNearest, false),
        nearest(E5M2, d.x, cudaRoundNearest, false) | nearest(E5M2, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E5M2, d.x, cudaRoundNearest, true),
        nearest(E5M2, d.x, cudaRoundNearest, true) | nearest(E5M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E5M2, d.x, cudaRoundNearest, false),
        nearest(E5M2, d.x, cudaRoundNearest, false) | nearest(E5M2, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E5M2, d.x, cudaRoundNearest, true),
        nearest(E5M2, d.x, cudaRoundNearest, true) | nearest(E5M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E5M2, d.x, cudaRoundNearest, false),
        nearest(E5M2, d.x, cudaRoundNearest, false) | nearest(E5M2, d.y, cudaRoundNearest, false)
                                                          << 8,
        nearest(E2M3, d.x, cudaRoundNearest, true),
        nearest(E2M3, d.x, cudaRoundNearest, true) | nearest(E2M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E2M3, d.x, cudaRoundZero, true),
        nearest(E2M3, d.x, cudaRoundZero, true) | nearest(E2M3, d.y, cudaRoundZero, true) << 8,
        nearest(E2M3, d.x, cudaRoundPosInf, true),
        nearest(E2M3, d.x, cudaRoundPosInf, true) | nearest(E2M3, d.y, cudaRoundPosInf, true) << 8,
        nearest(E2M3, d.x, cudaRoundNearest, true),
        nearest(E2M3, d.x, cudaRoundNearest, true) | nearest(E2M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E2M3, d.x, cudaRoundNearest, true),
        nearest(E2M3, d.x, cudaRoundNearest, true) | nearest(E2M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E2M3, d.x, cudaRoundNearest, true),
        nearest(E2M3, d.x, cudaRoundNearest, true) | nearest(E2M3, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E3M2, d.x, cudaRoundNearest, true),
        nearest(E3M2, d.x, cudaRoundNearest, true) | nearest(E3M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E3M2, d.x, cudaRoundZero, true),
        nearest(E3M2, d.x, cudaRoundZero, true) | nearest(E3M2, d.y, cudaRoundZero, true) << 8,
        nearest(E3M2, d.x, cudaRoundPosInf, true),
        nearest(E3M2, d.x, cudaRoundPosInf, true) | nearest(E3M2, d.y, cudaRoundPosInf, true) << 8,
        nearest(E3M2, d.x, cudaRoundNearest, true),
        nearest(E3M2, d.x, cudaRoundNearest, true) | nearest(E3M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E3M2, d.x, cudaRoundNearest, true),
        nearest(E3M2, d.x, cudaRoundNearest, true) | nearest(E3M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E3M2, d.x, cudaRoundNearest, true),
        nearest(E3M2, d.x, cudaRoundNearest, true) | nearest(E3M2, d.y, cudaRoundNearest, true)
                                                         << 8,
        nearest(E2M1, d.x, cudaRoundNearest, true),
        nearest(E2M1, d.x, cudaRoundNearest, true) | nearest(E2M1, d.y, cudaRoundNearest, true)
                                                         << 4,
        nearest(E2M1, d.x, cudaRoundZero, true),
        nearest(E2M1, d.x, cudaRoundZero, true) | nearest(E2M1, d.y, cudaRoundZero, true) << 4,
        nearest(E2M1, d.x, cudaRoundPosInf, true),
        nearest(E2M1, d.x, cudaRoundPosInf, true) | nearest(E2M1, d.y, cudaRoundPosInf, true) << 4,
        nearest(E2M1, d.x, cudaRoundNearest, true),
        nearest(E2M1, d.x, cudaRoundNearest, true) | nearest(E2M1, d.y, cudaRoundNearest, true)
                                                         << 4,
        nearest(E2M1, d.x, cudaRoundNearest, true),
        nearest(E2M1, d.x, cudaRoundNearest, true) | nearest(E2M1, d.y, cudaRoundNearest, true)
                                                         << 4,
        nearest(E2M1, d.x, cudaRoundNearest, true),
        nearest(E2M1, d.x, cudaRoundNearest, true) | nearest(E2M1, d.y, cudaRoundNearest, true)
                                                         << 4,
        power(d.x, cudaRoundZero),
        power(d.x, cudaRoundZero) | power(d.y, cudaRoundZero) << 8,
        power(d.x, cudaRoundPosInf),
        power(d.x, cudaRoundPosInf) | power(d.y, cudaRoundPosInf) << 8,
        power(d.x, cudaRoundZero),
        power(d.x, cudaRoundZero) | power(d.y, cudaRoundZero) << 8,
        power(d.x, cudaRoundPosInf),
        power(d.x, cudaRoundPosInf) | power(d.y, cudaRoundPosInf) << 8,
        power(d.x, cudaRoundZero),
        power(d.x, cudaRoundZero) | power(d.y, cudaRoundZero) << 8,
        power(d.x, cudaRoundPosInf),
        power(d.x, cudaRoundPosInf) | power(d.y, cudaRoundPosInf) << 8};
    for (int k = 0; k < functions; k++)
        if (got.r[k] != expected[k] && failures++ < 20)
            printf("function %d of (%a, %a) on the %s: %x, not %x\n", k, d.x, d.y, side, got.r[k],
                   expected[k]);
}

static bool same(float a, double b) {
    return a == (float)b || (a != a && b != b);
}

static double pair(int format, unsigned low, unsigned high) {
    double x = value_of(format, low), y = value_of(format, high);
    return x == x && y == y ? (float)x + 1e6f * (float)y : -1;
}

static void expect(unsigned c, const widened &w, const char *side) {
    unsigned six = c & 63, other = c ^ 0x15;
    bool good = same(w.fp8[0], value_of(E4M3, c)) && same(w.fp8[1], value_of(E5M2, c)) &&
                same(w.fp8[2], pair(E4M3, other, c)) && same(w.fp8[3], pair(E5M2, other, c)) &&
                same(w.fp6[0], value_of(E2M3, six)) && same(w.fp6[1], value_of(E3M2, six)) &&
                same(w.fp6[2], pair(E2M3, six ^ 0x15, six)) &&
                same(w.fp6[3], pair(E3M2, six ^ 0x15, six)) &&
                same(w.fp4[0], value_of(E2M1, c & 15)) &&
                same(w.fp4[1], pair(E2M1, c & 15, c >> 4));
    if (c != 255 && other != 255)
        good &= same(w.e8m0[0], ldexp(1, (int)c - 127)) &&
                same(w.e8m0[1], ldexp(1, (int)other - (int)c));
    if (!good && failures++ < 20)
        printf("code %x on the %s\n", c, side);
}

int main() {
    double2 *d = shared_array<double2>(count);
    results *out = shared_array<results>(count), host;
    unsigned state = 12345;
    auto next = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
    auto number = [&] { // of eight digits
        double x = ldexp(128 + next() % 128, (int)(next() % 26) - 17);
        return next() % 2 ? x : -x;
    };
    for (int i = 0; i < count; i++) {
        d[i] = i < 4 ? make_double2(i & 1 ? 0.0 : 1.0, i & 2 ? 2.0 : -0.5) : make_double2(0, 0);
        if (i >= 4)
            d[i].x = number(), d[i].y = number();
    }
    narrow_all<<<(count + 127) / 128, 128>>>(d, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        expect(d[i], out[i], "device");
        narrow(d[i], &host);
        expect(d[i], host, "host");
    }
    widened *w = shared_array<widened>(codes), one;
    widen_all<<<1, codes>>>(w);
    CUDA(cudaDeviceSynchronize());
    for (unsigned c = 0; c < codes; c++) {
        expect(c, w[c], "device");
        widen(c, &one);
        expect(c, one, "host");
    }
    return failures != 0;
}
