// The mathematical functions that the C library lacks, in host code (guide 17.1: the bounds hold
// there, too). The values are libquadmath's, rounded; bounds are the guide's, in units of the last
// place.
#include <cmath>
#include <cstdint>

#include "check.h"

static int64_t order(double x) {
    int64_t i;
    memcpy(&i, &x, sizeof i);
    return i < 0 ? INT64_MIN - i : i;
}

static bool near(double got, double expected, int bound) {
    return std::signbit(got) == std::signbit(expected) &&
           llabs(order(got) - order(expected)) <= bound;
}

static const struct {
    const char *name;
    double (*function)(double);
    int bound;
    double x[8], value[8];
} of_one[] = {
    {"rsqrt",
     rsqrt,
     1,
     {0x1p+1, 0x0.0000000000001p-1022, 0x1.7e43c8800759cp+996, 0x1.999999999999ap-4, 0x1.8p+1,
      0x1.cp+2, 0x1.56e1fc2f8f359p-997, 0x1.81c8p+13},
     {0x1.6a09e667f3bcdp-1, 0x1p+537, 0x1.a2fe76a3f9475p-499, 0x1.94c583ada5b52p+1,
      0x1.279a74590331cp-1, 0x1.83091e6a7f7e7p-2, 0x1.38d352e5096afp+498, 0x1.26eb8c5b2b3a4p-7}},
    {"rcbrt",
     rcbrt,
     1,
     {0x1.6b22bfc37cd3ep-9, -0x0.0000000000001p-1022, 0x1.7e43c8800759cp+996, 0x1.999999999999ap-4,
      -0x1.8p+1, 0x1.cp+2, 0x1.9p+6, 0x1p+1},
     {0x1.c7ae2a506a101p+2, -0x1p+358, 0x1.bff2ee48e053p-333, 0x1.13c484138704fp+1,
      -0x1.63003fbb4c375p-1, 0x1.0ba6ee5f9aad4p-1, 0x1.b93a6cec0b3b1p-3, 0x1.965fea53d6e3dp-1}},
    {"sinpi",
     sinpi,
     2,
     {0x1.9509400e5595p+1, 0x1.999999999999ap-4, -0x1.6666666666666p-1, 0x1.56e1fc2f8f359p-997,
      0x1.8p+0, 0x1.edp+6, -0x1.6p+1, 0x1.2a05f20026666p+33},
     {-0x1.f984889a6cfaap-2, 0x1.3c6ef372fe95p-2, -0x1.9e3779b97f4a8p-1, 0x1.0d4cab14b6bcp-995,
      -0x1p+0, -0x1.6a09e667f3bcdp-1, -0x1.6a09e667f3bcdp-1, 0x1.9e374a73b7f52p-1}},
    {"cospi",
     cospi,
     2,
     {0x1.999999999999ap-4, -0x1.6666666666666p-1, 0x1.fffff94a03595p-2, 0x1.7ffffe5280d65p+0,
      0x1.edp+6, -0x1.6p+1, 0x1.8p+1, 0x1.2a05f20026666p+33},
     {0x1.e6f0e134454ffp-1, -0x1.2cf2304755a5dp-1, 0x1.515370f9c90fep-22, -0x1.515370fced4f5p-22,
      -0x1.6a09e667f3bcdp-1, -0x1.6a09e667f3bcdp-1, -0x1p+0, 0x1.2cf27157f6404p-1}},
    {"normcdf",
     normcdf,
     5,
     {-0x1.217ffffffffb8p+5, -0x1.3p+5, -0x1.4p+3, -0x1p+0, 0x1p-1, 0x1.8p+1, 0x1p+3, -0x1.4p+2},
     {0x1.d2851a4806c0dp-952, 0x0.00000037b23b8p-1022, 0x1.26c75e84fb10dp-77, 0x1.44ed0bb7cb20bp-3,
      0x1.62075e232ac77p-1, 0x1.ff4f10f033d25p-1, 0x1.ffffffffffffap-1, 0x1.33ca2f2133831p-22}},
    {"normcdfinv",
     normcdfinv,
     8,
     {0x0.0000000000001p-1022, 0x1.56e1fc2f8f359p-997, 0x1.b7cdfd9d7bdbbp-34, 0x1.999999999999ap-4,
      0x1.3333333333333p-2, 0x1.00014f8b588e3p-1, 0x1.ccccccccccccdp-1, 0x1.ffffffff2419p-1},
     {-0x1.33bd3f27fcd03p+5, -0x1.286074064c26ep+5, -0x1.97203597a2155p+2, -0x1.4813c36e26d32p+0,
      -0x1.0c7e39582c5fbp-1, 0x1.a48add58f2733p-16, 0x1.4813c36e26d33p+0, 0x1.97203589fd4f6p+2}},
    {"erfcx",
     erfcx,
     4,
     {-0x1.ap+4, -0x1.8p+1, 0x1p-1, 0x1.4p+2, 0x1.4p+4, 0x1.9p+6, 0x1.2a05f2p+33,
      0x1.b550727a8bd92p+1023},
     {0x1.32f288d4422dap+976, 0x1.fa6fe92c4925fp+13, 0x1.3b3bc3c98b0f3p-1, 0x1.c57239e943d1ap-4,
      0x1.cd9bc89b73548p-6, 0x1.71ba92b1d1777p-8, 0x1.f044332d68161p-35, 0x0.2a4658163b8a6p-1022}},
    {"erfcinv",
     erfcinv,
     6,
     {0x0.0000000000001p-1022, 0x1.56e1fc2f8f359p-997, 0x1.b7cdfd9d7bdbbp-34, 0x1.3333333333333p-2,
      0x1.ff7ced916872bp-1, 0x1.00068db8bac71p+0, 0x1.b333333333333p+0, 0x1.fffffe5280d65p+0},
     {0x1.b369a6244e684p+4, 0x1.a359fd2c5e942p+4, 0x1.24a92a0d51497p+2, 0x1.773a9da42b45p-1,
      0x1.d0a36543e1fdap-11, -0x1.73b5e44c614ebp-14, -0x1.773a9da42b44fp-1, -0x1.e21eb900ee518p+1}},
    {"erfinv",
     erfinv,
     5,
     {0x1.56e1fc2f8f359p-997, 0x1.47ae147ae147bp-7, 0x1.3333333333333p-2, 0x1.000d1b71758e2p-1,
      -0x1.ccccccccccccdp-1, 0x1.fffeb074a771dp-1, -0x1.ffffffff2419p-1, 0x1.6666666666666p-1},
     {0x1.2fdf36bf69b9fp-997, 0x1.22680c94cadd4p-7, 0x1.1700774485ed2p-2, 0x1.e87f2685e6e27p-2,
      -0x1.29c0146770651p+0, 0x1.8fcc0194983bcp+1, -0x1.24a92a03d21cdp+2, 0x1.773a9da42b44fp-1}},
    {"cyl_bessel_i0",
     cyl_bessel_i0,
     6,
     {0x1.999999999999ap-4, 0x1p+0, 0x1.4p+3, -0x1.9p+6, 0x1.1edffffee12p+9, 0x1.5ep+9, 0x0p+0,
      0x1.648p+9},
     {0x1.00a3f142fda6dp+0, 0x1.441ce4b386c2dp+0, 0x1.5ff6ee9ed23e4p+11, 0x1.8a6f2011ec0d2p+139,
      0x1.c9d79e4c48fbep+821, 0x1.c8cdeeadb5dfp+1003, 0x1p+0, 0x1.7defd11043518p+1022}},
    {"cyl_bessel_i1",
     cyl_bessel_i1,
     6,
     {0x1.999999999999ap-4, 0x1p+0, 0x1.4p+3, -0x1.9p+6, 0x1.1531f7c81fb9cp+9, 0x1.5ep+9,
      0x1.56e1fc2f8f359p-997, 0x1.648p+9},
     {0x1.9a1cba0413c0dp-5, 0x1.215c88b95e67ep-1, 0x1.4ddfa02f156cfp+11, -0x1.8874f981a92abp+139,
      0x1.e8797b84712e7p+793, 0x1.c87a5f5ceb9dfp+1003, 0x1.56e1fc2f8f359p-998,
      0x1.7dab39e0e2874p+1022}},
};

// rhypot of the first two, norm3d, rnorm3d, norm4d, rnorm4d.
static const struct {
    double t[4], value[5];
} of_more[] = {
    {{0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.1ccf385ebc8ap+1023,
      -0x1.1ccf385ebc8ap+1023},
     {0x0.2d413cccfe77ap-1022, INFINITY, 0x0.2a1d3336b3be2p-1022, INFINITY,
      0x0.278c410977271p-1022}},
    {{0x0.0000000000001p-1022, 0x0.0000000000003p-1022, -0x0.0000000000007p-1022,
      0x0.0000000000005p-1022},
     {INFINITY, 0x0.0000000000008p-1022, INFINITY, 0x0.0000000000009p-1022, INFINITY}},
    {{0x1.8p+1, 0x1p+2, 0x1.8p+3, 0x1.5p+6},
     {0x1.999999999999ap-3, 0x1.ap+3, 0x1.3b13b13b13b14p-4, 0x1.54p+6, 0x1.8181818181818p-7}},
    {{0x1.87e92154ef7acp-665, 0x1.87e92154ef7acp-664, 0x1.25eed8ffb39c1p-663,
      0x1.87e92154ef7acp-663},
     {0x1.2b22aacadb57bp+663, 0x1.6e994ecad50ffp-663, 0x1.6589038bc9edap+662,
      0x1.0c52a8e44853cp-662, 0x1.e87c709791e22p+661}},
    {{0x1.4e718d7d7625ap+664, 0x1.ed8d34e547314p+598, -0x1.f5aa543c31387p+665,
      0x1.1f48eaf234ad4p+633},
     {0x1.87e92154ef7acp-665, 0x1.08669e596b4f8p+666, 0x1.efbb6d4575422p-667,
      0x1.08669e596b4f8p+666, 0x1.efbb6d4575422p-667}},
    {{0x1.999999999999ap-4, 0x1.999999999999ap-3, 0x1.3333333333333p-2, 0x1.999999999999ap-2},
     {0x1.1e3779b97f4a7p+2, 0x1.7f254dab9cc3ap-2, 0x1.561829eb82d34p+1, 0x1.186f174f88472p-1,
      0x1.d363d1848dcbep+0}},
};

static void check_values() {
    for (const auto &f : of_one)
        for (int i = 0; i < 8; i++) {
            double got = f.function(f.x[i]);
            if (!near(got, f.value[i], f.bound) && failures++ < 20)
                printf("%s(%a) = %a, not %a\n", f.name, f.x[i], got, f.value[i]);
        }
    for (const auto &f : of_more) {
        const double *t = f.t;
        CHECK(near(rhypot(t[0], t[1]), f.value[0], 1));
        CHECK(near(norm3d(t[0], t[1], t[2]), f.value[1], 2) && near(norm(3, t), f.value[1], 2));
        CHECK(near(rnorm3d(t[0], t[1], t[2]), f.value[2], 1) && near(rnorm(3, t), f.value[2], 1));
        CHECK(near(norm4d(t[0], t[1], t[2], t[3]), f.value[3], 2));
        CHECK(near(rnorm4d(t[0], t[1], t[2], t[3]), f.value[4], 1));
    }
}

static bool same(double got, double expected) {
    return std::isnan(expected) ? std::isnan(got) : near(got, expected, 0);
}

static void check_special_values() {
    const double inf = INFINITY;
    CHECK(same(rsqrt(0.0), inf) && same(rsqrt(-0.0), -inf) && same(rsqrt(inf), 0));
    CHECK(std::isnan(rsqrt(-1.0)) && std::isnan(rsqrt((double)NAN)));
    CHECK(same(rcbrt(0.0), inf) && same(rcbrt(-0.0), -inf) && same(rcbrt(-inf), -0.0));
    CHECK(same(rhypot(0.0, -0.0), inf) && same(rhypot((double)NAN, -inf), 0));
    CHECK(same(norm3d(NAN, 1, -inf), inf) && std::isnan(norm3d(NAN, 1, 2)));
    CHECK(same(rnorm4d(NAN, 1, inf, 1), 0) && same(norm4d(0, 0, 0, 0), 0));
    CHECK(same(sinpi(-0.0), -0.0) && same(sinpi(2.0), 0) && same(sinpi(-3.0), -0.0));
    CHECK(same(cospi(0.5), 0) && same(cospi(-2.5), 0) && same(cospi(3.0), -1));
    CHECK(std::isnan(sinpi(inf)) && std::isnan(cospi(-inf)));
    CHECK(same(sinpif(-0.0f), -0.0) && same(sinpi(-1.0f), -0.0));
    CHECK(same(normcdf(inf), 1) && same(normcdf(-inf), 0) && std::isnan(normcdf((double)NAN)));
    CHECK(same(normcdfinv(0.0), -inf) && same(normcdfinv(1.0), inf));
    CHECK(normcdfinv(0.5) == 0 && std::isnan(normcdfinv(-0.1)) && std::isnan(normcdfinv(1.1)));
    CHECK(same(erfcx(inf), 0) && same(erfcx(-inf), inf) && same(erfcx(0.0), 1));
    CHECK(same(erfcinv(0.0), inf) && same(erfcinv(2.0), -inf) && erfcinv(1.0) == 0);
    CHECK(same(erfinv(1.0), inf) && same(erfinv(-1.0), -inf) && same(erfinv(-0.0), -0.0));
    CHECK(std::isnan(erfinv(1.1)) && std::isnan(erfcinv(-0.1)) && std::isnan(erfcinv(2.1)));
    CHECK(same(cyl_bessel_i0(-inf), inf) && same(cyl_bessel_i1(-inf), -inf));
    CHECK(same(cyl_bessel_i1(-0.0), -0.0) && std::isnan(cyl_bessel_i0((double)NAN)));
}

static bool close(float got, double expected) {
    return fabs(got - expected) <= 2e-7 * fabs(expected) + 1e-45; // and subnormal numbers
}

static void check_floats() {
    const float t[] = {1e-30f, 2e-30f, -2e-30f};
    CHECK(close(normf(3, t), 3e-30) && close(rnormf(3, t), 1 / 3e-30));
    CHECK(close(rhypotf(3e38f, 3e38f), 1 / (3e38 * sqrt(2.0))));
    CHECK(close(erfcxf(20.0f), erfcx(20.0)) && close(normcdff(-14.0f), normcdf(-14.0)));
    CHECK(close(erfcinvf(1e-40f), erfcinv((double)1e-40f)));
    CHECK(close(fdivide(1.0f, 3.0f), 1 / 3.0) && close(exp10(2.5f), exp10(2.5)));
    CHECK(close(jn(2, 1.5f), jn(2, 1.5)) && close(y1(0.5f), y1(0.5)));
    float sine, cosine;
    sincos(0.5f, &sine, &cosine);
    CHECK(close(sine, sin(0.5)) && close(cosine, cos(0.5)));
}

int main() {
    check_values();
    check_special_values();
    check_floats();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
