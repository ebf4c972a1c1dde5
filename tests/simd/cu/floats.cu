// Floating point: NaNs and their bits, rounding, conversions, selects, accumulation.
// run: arithmetic grid=1 block=256 args=buf:256:special,buf:256:special,buf:2048:zero
// run: nan_copies grid=1 block=256 args=buf:256:special,buf:1024:zero
// run: sums grid=1 block=64 args=buf:1024:special,buf:64:zero,u32:16
// run: conversions grid=1 block=256 args=buf:256:special,buf:2048:zero
// run: doubles grid=1 block=128 args=buf:256:double,buf:512:zero
// run: rounding grid=1 block=256 args=buf:256:special,buf:256:special,buf:2048:zero
extern "C" __global__ void arithmetic(const float *x, const float *y, float *out) {
    unsigned t = threadIdx.x;
    float a = x[t], b = y[t];
    out[t] = a + b;
    out[256 + t] = a * b;
    out[512 + t] = a / b;
    out[768 + t] = fmaf(a, b, a);
    out[1024 + t] = fminf(a, b);
    out[1280 + t] = fmaxf(a, b);
    out[1536 + t] = sqrtf(a);
    out[1792 + t] = -a + fabsf(b);
}

extern "C" __global__ void nan_copies(const float *in, float *out) {
    unsigned t = threadIdx.x;
    float a = in[t];
    out[t] = a;                                   // a copy keeps the bits
    out[256 + t] = (t & 1) ? a : a + 1.0f;        // a mixed select
    float s = a;
    for (unsigned k = 0; k < t % 4; k++)
        s += in[(t + k) % 256];
    out[512 + t] = s;                             // loaded, or added
    out[768 + t] = __uint_as_float(__float_as_uint(a * 2.0f) ^ 1u);
}

extern "C" __global__ void sums(const float *in, float *out, unsigned n) {
    float s = 0;
    for (unsigned k = 0; k < n; k++)
        s = s * 0.5f + in[k * 64 + threadIdx.x];
    out[threadIdx.x] = s;
}

extern "C" __global__ void conversions(const float *in, unsigned *out) {
    unsigned t = threadIdx.x;
    float a = in[t];
    out[t] = (unsigned)(int)a;
    out[256 + t] = (unsigned)a;
    out[512 + t] = (unsigned)((long long)a >> 7);
    out[768 + t] = __float_as_uint((float)(int)__float_as_uint(a));
    out[1024 + t] = __float_as_uint((float)__float_as_uint(a));
    out[1280 + t] = (unsigned)__double_as_longlong((double)a);
    out[1536 + t] = __float_as_uint(rintf(a));
    out[1792 + t] = __float_as_uint(floorf(a) + ceilf(a) + truncf(a));
}

extern "C" __global__ void doubles(const double *in, double *out) {
    unsigned t = threadIdx.x;
    double a = in[t], b = in[127 - t];
    out[t] = a / b + sqrt(fabs(a));
    out[128 + t] = fma(a, b, 1.0 / a);
}

extern "C" __global__ void rounding(const float *x, const float *y, float *out) {
    unsigned t = threadIdx.x;
    float a = x[t], b = y[t];
    out[t] = __fadd_rz(a, b);
    out[256 + t] = __fadd_ru(a, b);
    out[512 + t] = __fmul_rd(a, b);
    out[768 + t] = __fdiv_rz(a, b);
    out[1024 + t] = __fmaf_ru(a, b, a);
    out[1280 + t] = __fsqrt_rd(a);
    out[1536 + t] = __frcp_rn(a);
    out[1792 + t] = __int2float_rz((int)__float_as_uint(a)) + __uint2float_ru(__float_as_uint(b));
}

// run: nan_by_name grid=1 block=32 args=buf:128:zero
// run: integer_or_sum grid=2 block=15 args=buf:256:special,buf:60:zero,u32:32
extern "C" __global__ void nan_by_name(double *out) {
    out[threadIdx.x] = nan("");
    ((float *)out)[64 + threadIdx.x] = nanf("");
}

// One register holds loaded bits that are also used as an integer, or a sum.
extern "C" __global__ void integer_or_sum(const unsigned *in, float *out, unsigned n) {
    unsigned t = threadIdx.x, g = blockIdx.x * 15 + t, u = in[g];
    float f = __uint_as_float(u);
    for (unsigned x = 0, e = (blockIdx.x - n) & 3; x < e; x++)
        f += (float)in[(x * 8 + t) % 256];
    out[g] = f;
    ((unsigned *)out)[30 + g] = u;
}

// Chains of maxima and minima, of numbers, zeros of both signs and NaNs of both kinds, as sums leave
// them, as they are loaded, and as other threads have them.
// run: extremes grid=1 block=256 args=buf:256:special,buf:256:special,buf:2048:zero
extern "C" __global__ void extremes(const float *x, const float *y, float *out) {
    unsigned t = threadIdx.x;
    float a = x[t], b = y[t], zero = t & 1 ? 0.0f : -0.0f;
    out[t] = fmaxf(a, fminf(b, a));
    out[256 + t] = fminf(a + b, fmaxf(a, -b));
    float m = fmaxf(a, x[(t + 1) % 256]), n = a * 1.0f;
    for (unsigned d = 16; d > 0; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    out[512 + t] = m;
    for (unsigned d = 16; d > 0; d /= 2)
        n = fminf(n, __shfl_xor_sync(~0u, n, d));
    out[768 + t] = n;
    out[1024 + t] = fmaxf(zero, t & 2 ? 0.0f : -0.0f) + fminf(a, zero);
    out[1280 + t] = fminf(fmaxf(a, -1.0f), 1.0f);
    float most = -INFINITY;
    for (unsigned k = 0; k < 8; k++)
        most = fmaxf(most, y[(t * 3 + k) % 256]);
    out[1536 + t] = most;
    // One value for all threads.
    out[1792 + t] = fmaxf(fminf(x[0], y[1]), x[2]) + fmaxf(x[3], fmaxf(y[4], y[5]));
}

// A signalling NaN that is widened and narrowed again is quiet, whatever lies between.
// run: there_and_back grid=1 block=256 args=buf:256:special,buf:1024:zero,u32:0
extern "C" __global__ void there_and_back(const float *x, float *out, unsigned many) {
    unsigned t = threadIdx.x;
    double d = x[t];
    out[t] = (float)d;
    for (unsigned k = 0; k < many; k++)
        d = d * d;
    out[256 + t] = (float)d;
    if (t % 64 < many)
        d = sqrt(d);
    out[512 + t] = __double2float_rz(d);
}
