// 27_half
// Guide: 10.7 and 8.4.1 (half arithmetic), 10.10-10.12 and 10.22 name __half/__half2 (cuda_fp16.h), Math API half intrinsics
// Conversions in all rounding modes, arithmetic, comparisons, packing and rounding of __half and __half2, bit for bit against a soft
// implementation on the host; transcendental functions within two units of the last place.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const char *const kName = "27_half";
#define FAIL(...) do { std::printf("FAIL %s: ", kName); std::printf(__VA_ARGS__); std::printf("\n"); std::exit(1); } while (0)
#define REQUIRE(c, ...) do { if (!(c)) FAIL(__VA_ARGS__); } while (0)
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) FAIL("%s gave %s (line %d)", #call, cudaGetErrorName(e_), __LINE__); } while (0)

// ---- a soft implementation of small binary formats: E exponent bits, M fraction bits
struct Format { int E, M; };
enum Mode { RN, RZ, RU, RD };
static unsigned encode(double v, Format f, int mode = RN) {  // v exact, or already rounded to odd
  const unsigned inf = ((1u << f.E) - 1) << f.M;
  if (v != v) return inf | 1u << (f.M - 1);
  const unsigned sign = std::signbit(v) ? 1u << (f.E + f.M) : 0;
  const double a = std::fabs(v);
  if (a == INFINITY) return sign | inf;
  if (a == 0) return sign;
  const int bias = (1 << (f.E - 1)) - 1;
  int e = std::ilogb(a);
  if (e < 1 - bias) e = 1 - bias;
  const double scaled = std::ldexp(a, f.M - e), whole = std::floor(scaled), rest = scaled - whole;
  const bool up = mode == RN ? rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) == 1) : mode == RU ? rest > 0 && !sign : mode == RD ? rest > 0 && sign : false;
  unsigned q = (unsigned)(whole + up);
  if (q == 2u << f.M) { q = 1u << f.M; ++e; }
  if (e > bias) return sign | (mode == RN || (mode == RU && !sign) || (mode == RD && sign) ? inf : inf - 1);
  return sign | (q < 1u << f.M ? q : (unsigned)(e + bias) << f.M | (q - (1u << f.M)));
}
static double decode(unsigned b, Format f) {
  const int bias = (1 << (f.E - 1)) - 1;
  const unsigned m = b & ((1u << f.M) - 1), x = b >> f.M & ((1u << f.E) - 1);
  double v = x == (1u << f.E) - 1 ? (m ? NAN : INFINITY) : x ? std::ldexp(1.0 + std::ldexp((double)m, -f.M), (int)x - bias) : std::ldexp((double)m, 1 - bias - f.M);
  return b >> (f.E + f.M) & 1 ? -v : v;
}
// a * b + c rounded to odd in double: a * b is exact, so one more rounding to a small format is correct
static double fmaOdd(double a, double b, double c) {
  const double p = a * b;
  volatile double s = p + c;
  if (!(std::fabs(s) < INFINITY)) return s;
  volatile double bb = s - p, e1 = s - bb, err = (p - e1) + (c - bb);
  uint64_t bits;
  double r = s;
  std::memcpy(&bits, &r, 8);
  if (err != 0 && !(bits & 1)) r = std::nextafter(r, err > 0 ? INFINITY : -INFINITY);
  return r;
}
static const Format kHalf = {5, 10};
static bool isNan(unsigned h) { return (h & 0x7c00) == 0x7c00 && (h & 0x3ff); }
static bool sameHalf(unsigned a, unsigned b) { return (a & 0xffff) == (b & 0xffff) || (isNan(a) && isNan(b)); }
typedef unsigned short u16; typedef unsigned long long u64;
__device__ __half H(u16 b) { return __ushort_as_half(b); }
__device__ u16 B(__half h) { return __half_as_ushort(h); }
__device__ unsigned B2(__half2 h) { return (unsigned)B(__low2half(h)) | (unsigned)B(__high2half(h)) << 16; }
__device__ __half2 H2(unsigned b) { return __halves2half2(H((u16)b), H((u16)(b >> 16))); }

// ---- every half value through the one-argument functions
enum { kOne = 22 };
__global__ void oneArgument(u16 *out, float *wide, int *whole) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 65536) return;
  const __half h = H((u16)i);
  u16 *o = out + (size_t)i * kOne;
  int k = 0;
  o[k++] = B(__hneg(h)); o[k++] = B(__habs(h)); o[k++] = B(hfloor(h)); o[k++] = B(hceil(h)); o[k++] = B(htrunc(h)); o[k++] = B(hrint(h));
  o[k++] = B(hsqrt(h)); o[k++] = B(hrcp(h)); o[k++] = B(hrsqrt(h)); o[k++] = B(hexp(h)); o[k++] = B(hexp2(h)); o[k++] = B(hexp10(h)); o[k++] = B(hlog(h)); o[k++] = B(hlog2(h)); o[k++] = B(hlog10(h));
  o[k++] = B(hsin(h)); o[k++] = B(hcos(h));
  o[k++] = (u16)((__hisnan(h) ? 1 : 0) | (__hisinf(h) & 3) << 1);
  o[k++] = B(-h); o[k++] = B(__double2half((double)__half2float(h))); o[k++] = B(__float2half(__half2float(h))); o[k++] = B(__float2half_rd(__half2float(h)));
  wide[i] = __half2float(h);
  // only values that fit the type
  const float f = __half2float(h), a = fabsf(f);
  const bool ok = a < 30000.0f, okU = a == f && a < 60000.0f;
  int *w = whole + (size_t)i * 12;
  w[0] = ok ? __half2int_rn(h) : 0; w[1] = ok ? __half2int_rz(h) : 0; w[2] = ok ? __half2int_ru(h) : 0; w[3] = ok ? __half2int_rd(h) : 0;
  w[4] = ok ? __half2short_rn(h) : 0; w[5] = ok ? (int)__half2ll_rd(h) : 0; w[6] = ok ? __half2short_ru(h) : 0;
  w[7] = okU ? (int)__half2uint_rn(h) : 0; w[8] = okU ? (int)__half2ull_rz(h) : 0; w[9] = okU ? __half2ushort_ru(h) : 0; w[10] = okU ? __half2ushort_rd(h) : 0; w[11] = ok ? (int)h : 0;
}

// ---- into half, four modes
__global__ void narrowing(const float *F, const double *D, const long long *L, u16 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float f = F[i];
  const long long l = L[i];
  u16 *o = out + (size_t)i * 32;
  int k = 0;
#define FOUR(fn, v) o[k++] = B(fn##_rn(v)); o[k++] = B(fn##_rz(v)); o[k++] = B(fn##_ru(v)); o[k++] = B(fn##_rd(v));
  FOUR(__float2half, f) FOUR(__int2half, (int)l) FOUR(__uint2half, (unsigned)l) FOUR(__ll2half, l) FOUR(__ull2half, (u64)l) FOUR(__short2half, (short)l) FOUR(__ushort2half, (u16)l)
  o[k++] = B(__double2half(D[i]));
  const unsigned p = B2(__floats2half2_rn(f, -f)), q = B2(__float22half2_rn(make_float2(f, 1.0f))), r = B2(__float2half2_rn(f));
  o[k++] = (u16)(p >> 16); o[k++] = (u16)q; o[k++] = (r & 0xffff) == r >> 16 ? (u16)r : 0x7dad;
}

// ---- two and three arguments
enum { kTwo = 46 };
__global__ void arithmetic(const u16 *A, const u16 *Bb, const u16 *C, u16 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half a = H(A[i]), b = H(Bb[i]), c = H(C[i]);
  u16 *o = out + (size_t)i * kTwo;
  int k = 0;
  o[k++] = B(__hadd(a, b)); o[k++] = B(__hsub(a, b)); o[k++] = B(__hmul(a, b)); o[k++] = B(__hdiv(a, b)); o[k++] = B(__hfma(a, b, c));
  o[k++] = B(__hadd_rn(a, b)); o[k++] = B(__hsub_rn(a, b)); o[k++] = B(__hmul_rn(a, b));
  o[k++] = B(a + b); o[k++] = B(a - b); o[k++] = B(a * b); o[k++] = B(a / b);
  o[k++] = B(__hadd_sat(a, b)); o[k++] = B(__hsub_sat(a, b)); o[k++] = B(__hmul_sat(a, b)); o[k++] = B(__hfma_sat(a, b, c)); o[k++] = B(__hfma_relu(a, b, c));
  o[k++] = B(__hmax(a, b)); o[k++] = B(__hmin(a, b)); o[k++] = B(__hmax_nan(a, b)); o[k++] = B(__hmin_nan(a, b));
  o[k++] = (u16)(__heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 | __hge(a, b) << 5);
  o[k++] = (u16)(__hequ(a, b) | __hneu(a, b) << 1 | __hltu(a, b) << 2 | __hleu(a, b) << 3 | __hgtu(a, b) << 4 | __hgeu(a, b) << 5);
  o[k++] = (u16)((a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5);
  __half m = a; m += b; o[k++] = B(m); m = a; m -= b; o[k++] = B(m); m = a; m *= b; o[k++] = B(m); m = a; m /= b; o[k++] = B(m);
  // pairs: (a, b) with (b, c), so that the lanes differ
  const __half2 x = __halves2half2(a, b), y = __halves2half2(b, c), z = __halves2half2(c, a);
  auto put = [&](__half2 v) { o[k++] = B(__low2half(v)); o[k++] = B(__high2half(v)); };
  put(__hadd2(x, y)); put(__hmul2(x, y)); put(__h2div(x, y)); put(__hfma2(x, y, z)); put(__hsub2_sat(x, y)); put(__hmax2(x, y)); put(__hfma2_relu(x, y, z));
  put(__heq2(x, y));
  const unsigned lt = __hlt2_mask(x, y);
  o[k++] = (u16)lt;
  o[k++] = (u16)(__hbeq2(x, y) | __hbne2(x, y) << 1 | __hblt2(x, y) << 2 | __hbgeu2(x, y) << 3 | __hbequ2(x, x) << 4);
}

__global__ void packing(unsigned *o, unsigned p, unsigned q) {
  const __half2 a = H2(p), b = H2(q);
  int k = 0;
  o[k++] = B2(a); o[k++] = B(__low2half(a)); o[k++] = B(__high2half(a)); o[k++] = B2(__low2half2(a)); o[k++] = B2(__high2half2(a)); o[k++] = B2(__lows2half2(a, b)); o[k++] = B2(__highs2half2(a, b));
  o[k++] = B2(__lowhigh2highlow(a)); o[k++] = B2(__half2half2(H((u16)q))); o[k++] = __float_as_uint(__low2float(a)); o[k++] = __float_as_uint(__high2float(b));
  const float2 f = __half22float2(b);
  o[k++] = __float_as_uint(f.x); o[k++] = __float_as_uint(f.y); o[k++] = (unsigned)(unsigned short)__half_as_short(__high2half(a)); o[k++] = B(__short_as_half((short)q));
  o[k++] = B2(a + b); o[k++] = B2(-a); o[k++] = B2(__habs2(b)); o[k++] = a == a; o[k++] = B2(h2floor(a)); o[k++] = B2(make_half2(__low2half(b), __high2half(a)));
  // complex multiply and add: (x.re*y.re - x.im*y.im + c.re, x.re*y.im + x.im*y.re + c.im), small integers are exact
  o[k++] = B2(__hcmadd(__floats2half2_rn(2, 3), __floats2half2_rn(5, -7), __floats2half2_rn(1, 4)));
  o[k++] = sizeof(__half) * 100 + sizeof(__half2) * 10 + alignof(__half2);
}

static double relative(double got, double want) { return want == 0 ? std::fabs(got) : std::fabs(got - want); }
static u64 gState = 0x0ddba11deadbeefull;
static u64 rnd() { gState ^= gState << 13; gState ^= gState >> 7; gState ^= gState << 17; return gState * 0x2545f4914f6cdd1dull; }

int main() {
  {
    u16 *d; float *dw; int *di;
    CK(cudaMalloc(&d, 65536 * kOne * 2)); CK(cudaMalloc(&dw, 65536 * 4)); CK(cudaMalloc(&di, 65536 * 48));
    oneArgument<<<(65536 + 95) / 96, 96>>>(d, dw, di);
    CK(cudaGetLastError());
    std::vector<u16> g((size_t)65536 * kOne); std::vector<float> w(65536); std::vector<int> in((size_t)65536 * 12);
    CK(cudaMemcpy(g.data(), d, g.size() * 2, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(w.data(), dw, w.size() * 4, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(in.data(), di, in.size() * 4, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 65536; ++i) {
      const u16 *o = &g[(size_t)i * kOne];
      const double v = decode(i, kHalf);
      REQUIRE((v != v && w[i] != w[i]) || (w[i] == (float)v && std::signbit(w[i]) == std::signbit(v)), "__half2float(%04x) = %a, not %a", i, w[i], v);
      const float onHost = __half2float(__ushort_as_half((u16)i));
      REQUIRE((v != v && onHost != onHost) || onHost == (float)v, "__half2float(%04x) on the host = %a", i, onHost);
      const double exact[6] = {-v, std::fabs(v), std::floor(v), std::ceil(v), std::trunc(v), std::nearbyint(v)};
      static const char *names[] = {"__hneg", "__habs", "hfloor", "hceil", "htrunc", "hrint"};
      for (int k = 0; k < 6; ++k) REQUIRE(sameHalf(o[k], encode(exact[k], kHalf)), "%s(%04x) = %04x, not %04x", names[k], i, o[k], encode(exact[k], kHalf));
      const double fn[11] = {std::sqrt(v), 1 / v, 1 / std::sqrt(v), std::exp(v), std::exp2(v), std::pow(10, v), std::log(v), std::log2(v), std::log10(v), std::sin(v), std::cos(v)};
      static const char *fnames[] = {"hsqrt", "hrcp", "hrsqrt", "hexp", "hexp2", "hexp10", "hlog", "hlog2", "hlog10", "hsin", "hcos"};
      for (int k = 0; k < 11; ++k) {
        const unsigned want = encode(fn[k], kHalf), got = o[6 + k];
        const double unit = std::ldexp(1.0, std::max(-24, (int)(want >> 10 & 31) - 25)), slack = k < 3 ? 1 : 2;
        if (isNan(want)) { REQUIRE(isNan(got), "%s(%04x) = %04x, not NaN", fnames[k], i, got); continue; }
        if ((want & 0x7fff) == 0x7c00) { REQUIRE(got == want, "%s(%04x) = %04x, not infinite", fnames[k], i, got); continue; }
        REQUIRE(!isNan(got) && relative(decode(got, kHalf), fn[k]) <= slack * unit, "%s(%04x = %g) = %g, not %g", fnames[k], i, v, decode(got, kHalf), fn[k]);
      }
      REQUIRE(o[17] % 2 == (v != v) && ((o[17] >> 1 & 3) == (v == INFINITY ? 1 : v == -INFINITY ? 3 : 0)), "__hisnan or __hisinf(%04x) is %x", i, o[17]);
      REQUIRE(sameHalf(o[18], i ^ 0x8000) && sameHalf(o[19], i) && sameHalf(o[20], i) && sameHalf(o[21], i), "a round trip of %04x changed it: %04x %04x %04x %04x", i, o[18], o[19], o[20], o[21]);
      const int *q = &in[(size_t)i * 12];
      if (std::fabs(v) < 30000) {
        const int e[7] = {(int)std::nearbyint(v), (int)std::trunc(v), (int)std::ceil(v), (int)std::floor(v), (int)std::nearbyint(v), (int)std::floor(v), (int)std::ceil(v)};
        for (int k = 0; k < 7; ++k) REQUIRE(q[k] == e[k], "conversion %d of %04x (%g) to an integer gave %d", k, i, v, q[k]);
        REQUIRE(q[11] == (int)v, "(int) of %04x gave %d", i, q[11]);
      }
      if (v >= 0 && v < 60000 && !std::signbit(v)) REQUIRE(q[7] == (int)std::nearbyint(v) && q[8] == (int)v && q[9] == (int)std::ceil(v) && q[10] == (int)std::floor(v), "an unsigned conversion of %04x (%g) gave %d %d %d %d", i, v, q[7], q[8], q[9], q[10]);
    }
    CK(cudaFree(d)); CK(cudaFree(dw)); CK(cudaFree(di));
  }
  {
    const int n = 4003;
    std::vector<float> f(n); std::vector<double> dbl(n); std::vector<long long> l(n);
    for (int i = 0; i < n; ++i) {
      const double v = std::ldexp(1 + (double)(rnd() >> 12) / 4503599627370496.0, (int)(rnd() % 46) - 28) * (rnd() & 1 ? -1 : 1);
      f[i] = (float)v;
      dbl[i] = v;
      if (i % 3 == 0) { const double h = decode((unsigned)rnd() & 0x7bff, kHalf), up = decode(((unsigned)encode(h, kHalf)) + 1, kHalf), mid = (h + (up == INFINITY ? 65536 : up)) / 2; f[i] = (float)mid; dbl[i] = std::nextafter(mid, rnd() & 1 ? 1e9 : -1e9); }  // ties
      l[i] = (long long)(rnd() >> (rnd() % 64)) * (i & 1 ? -1 : 1);
    }
    f[0] = NAN; f[1] = INFINITY; f[2] = -INFINITY; f[3] = -0.0f; f[4] = 65519.996f; f[5] = 65520.0f; f[6] = 2.98e-8f; f[7] = 2.9802322e-8f; f[8] = 1e-45f; f[9] = -1e-45f; f[10] = 3e38f; f[11] = -65520.0f;
    dbl[0] = NAN; dbl[1] = 65520; dbl[2] = std::nextafter(65520.0, 0.0); dbl[3] = 1e-320; dbl[4] = -0.0; l[0] = 0; l[1] = 65519; l[2] = 65520; l[3] = -65520; l[4] = 2049; l[5] = 2051; l[6] = INT64_MIN;
    float *df; double *dd; long long *dl; u16 *dout;
    CK(cudaMalloc(&df, n * 4)); CK(cudaMalloc(&dd, n * 8)); CK(cudaMalloc(&dl, n * 8)); CK(cudaMalloc(&dout, n * 64));
    CK(cudaMemcpy(df, f.data(), n * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dd, dbl.data(), n * 8, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dl, l.data(), n * 8, cudaMemcpyHostToDevice));
    narrowing<<<(n + 32) / 33, 33>>>(df, dd, dl, dout, n);
    CK(cudaGetLastError());
    std::vector<u16> g(n * 32);
    CK(cudaMemcpy(g.data(), dout, n * 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
      const u16 *o = &g[i * 32];
      auto wide = [](long long v) { return (double)v; };  // beyond 2^53 far out of half's range: no tie is near
      const double src[7] = {f[i], wide((int)l[i]), (double)(unsigned)l[i], wide(l[i]), (double)(u64)l[i], wide((short)l[i]), (double)(u16)l[i]};
      static const char *names[] = {"__float2half", "__int2half", "__uint2half", "__ll2half", "__ull2half", "__short2half", "__ushort2half"};
      static const char *modes[] = {"rn", "rz", "ru", "rd"};
      for (int c = 0; c < 7; ++c) for (int m = 0; m < 4; ++m) { const unsigned w = encode(src[c], kHalf, m); REQUIRE(sameHalf(o[c * 4 + m], w), "%s_%s(%a) = %04x, not %04x", names[c], modes[m], src[c], o[c * 4 + m], w); }
      REQUIRE(sameHalf(o[28], encode(dbl[i], kHalf)), "__double2half(%a) = %04x, not %04x", dbl[i], o[28], encode(dbl[i], kHalf));
      REQUIRE(sameHalf(o[29], encode(-f[i], kHalf)) && sameHalf(o[30], encode(f[i], kHalf)) && (o[31] == 0x7dad ? f[i] != f[i] : sameHalf(o[31], encode(f[i], kHalf))), "a conversion to __half2 of %a is wrong", f[i]);
      REQUIRE(sameHalf(__half_as_ushort(__float2half_rn(f[i])), encode(f[i], kHalf)), "__float2half_rn on the host is wrong for %a", f[i]);
    }
  }
  {
    const int n = 6007;
    std::vector<u16> a(n), b(n), c(n), g((size_t)n * kTwo);
    const u16 edge[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3800, 0x4200};
    for (int i = 0; i < n; ++i) { a[i] = (u16)rnd(); b[i] = (u16)(rnd() >> 9); c[i] = (u16)(rnd() >> 5);
      if (i < 289) { a[i] = edge[i / 17]; b[i] = edge[i % 17]; c[i] = edge[(i * 5) % 17]; }
      else if (i % 2) { a[i] = (u16)((a[i] & 0x83ff) | (rnd() % 12 + 8) << 10); b[i] = (u16)((b[i] & 0x83ff) | (rnd() % 12 + 8) << 10); c[i] = (u16)((c[i] & 0x83ff) | (rnd() % 24 + 1) << 10); }
      if (i % 13 == 0) b[i] = a[i]; if (i % 13 == 1) b[i] = a[i] ^ 0x8000; }
    u16 *da, *db, *dc, *dout;
    CK(cudaMalloc(&da, n * 2)); CK(cudaMalloc(&db, n * 2)); CK(cudaMalloc(&dc, n * 2)); CK(cudaMalloc(&dout, g.size() * 2));
    CK(cudaMemcpy(da, a.data(), n * 2, cudaMemcpyHostToDevice)); CK(cudaMemcpy(db, b.data(), n * 2, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dc, c.data(), n * 2, cudaMemcpyHostToDevice));
    arithmetic<<<(n + 95) / 96, 96>>>(da, db, dc, dout, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(g.data(), dout, g.size() * 2, cudaMemcpyDeviceToHost));
    auto sat = [](double v) { return v != v ? 0.0 : v < 0 ? 0.0 : v > 1 ? 1.0 : v + 0.0; };
    auto relu = [](double v) { return v != v ? NAN : v > 0 ? v : 0.0; };
    auto mx = [](double x, double y) { return x != x ? y : y != y ? x : x == y ? (std::signbit(x) ? y : x) : x > y ? x : y; };
    auto mn = [](double x, double y) { return x != x ? y : y != y ? x : x == y ? (std::signbit(x) ? x : y) : x < y ? x : y; };
    auto ordered = [](double x, double y) { return (x == y) | (x < y || x > y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5; };
    for (int i = 0; i < n; ++i) {
      const u16 *o = &g[(size_t)i * kTwo];
      const double x = decode(a[i], kHalf), y = decode(b[i], kHalf), z = decode(c[i], kHalf), fm = fmaOdd(x, y, z);
      int k = 0;
#define WANT(name, v) { const unsigned w_ = encode(v, kHalf); REQUIRE(sameHalf(o[k], w_), name " of %04x, %04x, %04x is %04x, not %04x", a[i], b[i], c[i], o[k], w_); ++k; }
      WANT("__hadd", x + y) WANT("__hsub", x - y) WANT("__hmul", x * y) WANT("__hdiv", x / y) WANT("__hfma", fm) WANT("__hadd_rn", x + y) WANT("__hsub_rn", x - y) WANT("__hmul_rn", x * y)
      WANT("operator +", x + y) WANT("operator -", x - y) WANT("operator *", x * y) WANT("operator /", x / y)
      WANT("__hadd_sat", sat(x + y)) WANT("__hsub_sat", sat(x - y)) WANT("__hmul_sat", sat(x * y)) WANT("__hfma_sat", sat(fm)) WANT("__hfma_relu", relu(fm))
      WANT("__hmax", mx(x, y)) WANT("__hmin", mn(x, y)) WANT("__hmax_nan", x != x || y != y ? NAN : mx(x, y)) WANT("__hmin_nan", x != x || y != y ? NAN : mn(x, y))
      const bool un = x != x || y != y;
      const unsigned ord = un ? 0 : ordered(x, y);
      REQUIRE(o[k] == ord, "ordered comparisons of %04x, %04x: %x, not %x", a[i], b[i], o[k], ord); ++k;
      REQUIRE(o[k] == (un ? 63u : ord), "unordered comparisons of %04x, %04x: %x", a[i], b[i], o[k]); ++k;
      // operator != is the unordered one: true for NaN
      REQUIRE((o[k] & ~2u) == (ord & ~2u) && (o[k] >> 1 & 1) == !(x == y), "comparison operators on %04x, %04x: %x", a[i], b[i], o[k]); ++k;
      WANT("+=", x + y) WANT("-=", x - y) WANT("*=", x * y) WANT("/=", x / y)
      WANT("__hadd2 low", x + y) WANT("__hadd2 high", y + z) WANT("__hmul2 low", x * y) WANT("__hmul2 high", y * z) WANT("__h2div low", x / y) WANT("__h2div high", y / z)
      WANT("__hfma2 low", fmaOdd(x, y, z)) WANT("__hfma2 high", fmaOdd(y, z, x)) WANT("__hsub2_sat low", sat(x - y)) WANT("__hsub2_sat high", sat(y - z)) WANT("__hmax2 low", mx(x, y)) WANT("__hmax2 high", mx(y, z))
      WANT("__hfma2_relu low", relu(fmaOdd(x, y, z))) WANT("__hfma2_relu high", relu(fmaOdd(y, z, x))) WANT("__heq2 low", x == y ? 1.0 : 0.0) WANT("__heq2 high", y == z ? 1.0 : 0.0)
      REQUIRE(o[k] == (x < y ? 0xffff : 0), "__hlt2_mask of %04x, %04x", a[i], b[i]); ++k;
      const bool un2 = un || z != z, eq = x == y && y == z, ne = !un2 && x != y && y != z, lt = x < y && y < z, geu = (un || x >= y) && (y != y || z != z || y >= z);
      REQUIRE(o[k] == (eq | ne << 1 | lt << 2 | geu << 3 | 1 << 4), "__hb..2 comparisons of %04x, %04x, %04x: %x", a[i], b[i], c[i], o[k]);
    }
  }
  {
    unsigned *d, o[23];
    CK(cudaMalloc(&d, sizeof o));
    const unsigned p = 0xc5003e00u, q = 0x3c00b800u;  // (1.5, -5), (-0.5, 1)
    packing<<<1, 1>>>(d, p, q);
    CK(cudaGetLastError());
    CK(cudaMemcpy(o, d, sizeof o, cudaMemcpyDeviceToHost));
    const unsigned w[23] = {p, 0x3e00, 0xc500, 0x3e003e00, 0xc500c500, 0xb8003e00, 0x3c00c500, 0x3e00c500, 0xb800b800, 0x3fc00000, 0x3f800000, 0xbf000000, 0x3f800000, 0xc500, 0xb800,
                            0xc4003c00, 0x4500be00, 0x3c003800, 1, 0xc5003c00, 0xc500b800, 0, 244};
    for (int k = 0; k < 23; ++k) if (k != 21) REQUIRE(o[k] == w[k], "packing function %d gives %08x, not %08x", k, o[k], w[k]);
    // (2+3i)(5-7i) + (1+4i) = 31 + i + 1 + 4i = 32 + 5i
    REQUIRE(o[21] == (encode(32, kHalf) | encode(5, kHalf) << 16), "__hcmadd gives %08x", o[21]);
  }
  std::printf("PASS %s\n", kName);
  return 0;
}
