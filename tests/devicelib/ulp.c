// Measures the device library's math functions against a reference of higher precision and fails
// where one exceeds the error bound of the guide's section 17.1.
//
// usage: ulp [-n SAMPLES] [-x] [-s STRIDE] [NAME...]
//   -n SAMPLES  points a function and type (default 20000)
//   -x          every float, for the float functions of one argument
//   -s STRIDE   the same, but every STRIDE-th float (an odd number reaches all kinds)
//   NAME        only these functions: sin for double, sinf for float
//
// The measure is the guide's: the distance in units of the last place between the result and the
// correctly rounded one. The last column is the error against the exact value.
//
// The reference is libquadmath's (113 bits); in the exhaustive pass it is the host's libm in
// double, where that has the function.
#include "reference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t ulps;    // the largest distance from the rounded reference
    double exact;    // the largest error in ulp of the exact value
    double worst[2]; // the arguments of it
    double absolute; // the largest absolute error where that is what the guide bounds
    long wrong;      // results of another kind: NaN, infinity, sign of zero
    double wrong_at[2];
} tally;

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint64_t random_bits(void) {
    uint64_t z = (random_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static double random_in(double low, double high) {
    return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

static double random_double(void) {
    uint64_t bits = random_bits();
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static float random_float(void) {
    uint32_t bits = (uint32_t)random_bits();
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

// The position of a value in the order of all values of its type.
static int64_t order_d(double x) {
    int64_t i;
    memcpy(&i, &x, 8);
    return i < 0 ? INT64_MIN - i : i;
}

static int64_t order_f(float x) {
    int32_t i;
    memcpy(&i, &x, 4);
    return i < 0 ? (int64_t)INT32_MIN - i : i;
}

static const double specials[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  -0.5,
                                  2.0,
                                  -2.0,
                                  3.0,
                                  -3.0,
                                  1.5,
                                  -1.5,
                                  2.5,
                                  -2.5,
                                  4.0,
                                  10.0,
                                  -10.0,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  0x1p-1022,
                                  -0x1p-1022,
                                  0x1p-149,
                                  -0x1p-149,
                                  0x1p-126,
                                  -0x1p-126,
                                  0x1.fffffffffffffp1023,
                                  -0x1.fffffffffffffp1023,
                                  0x1.fffffep127,
                                  -0x1.fffffep127,
                                  0x1p52,
                                  0x1p53,
                                  -0x1p53,
                                  0x1p63,
                                  0x1p100,
                                  1e10,
                                  1e22,
                                  1e300,
                                  88.7,
                                  -88.7,
                                  -103.97,
                                  709.78,
                                  -745.1,
                                  0x1.921fb54442d18p+0,
                                  0x1.921fb6p+0,
                                  0x1.921fb54442d18p+1,
                                  0x1.921fb6p+1,
                                  0x1.6ac5b262ca1ffp849,
                                  0x1p16,
                                  0x1p20,
                                  0x1.0000000000001p20,
                                  0x1.fffffffffffffp-1,
                                  -0x1.fffffffffffffp-1,
                                  0x1.fffffep-1,
                                  0x1.0000000000001p0,
                                  0x1.000002p0,
                                  INFINITY,
                                  -INFINITY,
                                  NAN};
#define SPECIALS (int)(sizeof specials / sizeof *specials)

// Arguments of the largest errors that long searches found in earlier forms of the functions.
static const struct {
    const char *name;
    double x, y;
} hard[] = {
    {"atan2", 0x1.9a42f903fbb31p+12, 0x1.9a29157a62a87p+12},
    {"atan2", 0x1.0b136ee976656p+490, 0x1.0b1f562d33822p+490},
    {"atan2", 0x1.30f1fc2c0ac4ap+3, 0x1.30f5aeee59739p+3},
    {"atan2", 0x1p-1074, 0x3p-1074},
    {"atan2", 0x4p-1074, 0xap-1074},
    {"atan", -0x1.01fecd3e189bcp+0, 0},
    {"cosh", 0x1.ee4af89dff2dcp+1, 0},
    {"exp10", -0x1.a7d8b385f59b1p+0, 0},
    {"tanh", 0x1.199d3847d0d49p-1, 0},
};
#define HARD (sizeof hard / sizeof *hard)

// One point's argument: special values, all bit patterns, the interesting interval.
static double argument_d(const function *f, long i) {
    if (i < SPECIALS)
        return specials[i];
    return i % 3 == 0 ? random_double() : random_in(f->low, f->high);
}

static float argument_f(const function *f, long i) {
    if (i < SPECIALS)
        return (float)specials[i];
    return i % 3 == 0 ? random_float() : (float)random_in(f->low, f->high);
}

static void note_wrong(tally *t, double x, double y) {
    if (t->wrong++ == 0)
        t->wrong_at[0] = x, t->wrong_at[1] = y;
}

static int same_kind(double result, double expected) {
    if (isnan(expected) || isnan(result))
        return isnan(expected) && isnan(result);
    return result != 0.0 || expected != 0.0 || signbit(result) == signbit(expected);
}

static double unit_d(double x) {
    int e;
    frexp(x, &e);
    return ldexp(1.0, e < -1021 ? -1074 : e - 53);
}

static double unit_f(double x) {
    int e;
    frexp(x, &e);
    return ldexp(1.0, e < -125 ? -149 : e - 24);
}

static void note_error(tally *t, int64_t ulps, double exact, double x, double y) {
    if (exact > t->exact) {
        t->exact = exact;
        t->worst[0] = x;
        t->worst[1] = y;
    }
    if (ulps > t->ulps)
        t->ulps = ulps;
}

static void judge_d(const function *f, tally *t, double x, double y, double result, quad exact) {
    double expected = (double)exact;
    if (f->skip && f->skip(x))
        return;
    if (!same_kind(result, expected)) {
        note_wrong(t, x, y);
        return;
    }
    if (f->absolute_from && fabs(x) >= f->absolute_from) {
        double error = fabs((double)(result - exact));
        t->absolute = error > t->absolute ? error : t->absolute;
        return;
    }
    if (isnan(expected) || (isinf(expected) && result == expected))
        return;
    note_error(t, llabs(order_d(result) - order_d(expected)),
               isinf(expected) ? 0 : fabs((double)((result - exact) / unit_d(expected))), x, y);
}

static void judge_f(const function *f, tally *t, float x, float y, float result, quad exact) {
    float expected = (float)exact;
    if (f->skip && f->skip(x))
        return;
    if (!same_kind(result, expected)) {
        note_wrong(t, x, y);
        return;
    }
    if (f->absolute_from && fabsf(x) >= f->absolute_from) {
        double error = fabs((double)(result - exact));
        t->absolute = error > t->absolute ? error : t->absolute;
        return;
    }
    // An equal result is at most half a unit off, which is no news once that has been seen.
    if (isnan(expected) || (result == expected && (isinf(expected) || t->exact > 0.4999)))
        return;
    note_error(t, llabs(order_f(result) - order_f(expected)),
               isinf(expected) ? 0 : fabs((double)((result - exact) / unit_f(expected))), x, y);
}

static void sample_d(const function *f, tally *t, long samples) {
    for (long i = 0; i < samples; i++) {
        double x = argument_d(f, f->second_d ? i / SPECIALS % SPECIALS : i);
        if (f->d) {
            judge_d(f, t, x, 0, f->d(x), f->reference(x));
            continue;
        }
        int grid = i < (long)SPECIALS * SPECIALS;
        double y = specials[i % SPECIALS];
        if (!grid)
            x = argument_d(f, SPECIALS + i), y = argument_d(f, SPECIALS + i / 3);
        if (!grid && i % 4 == 1)
            y = x * (1 + random_in(-0x1p-9, 0x1p-9));
        judge_d(f, t, x, y, f->second_d(x, y), f->second_reference(x, y));
    }
}

static void hard_points(const function *f, tally *t) {
    for (size_t i = 0; i < HARD; i++) {
        double x = hard[i].x, y = hard[i].y;
        if (strcmp(f->name, hard[i].name))
            continue;
        if (f->d)
            judge_d(f, t, x, 0, f->d(x), f->reference(x));
        else
            judge_d(f, t, x, y, f->second_d(x, y), f->second_reference(x, y));
    }
}

static void sample_f(const function *f, tally *t, long samples) {
    for (long i = 0; i < samples; i++) {
        float x = argument_f(f, f->second_f ? i / SPECIALS % SPECIALS : i);
        if (f->f) {
            judge_f(f, t, x, 0, f->f(x), f->reference(x));
            continue;
        }
        int grid = i < (long)SPECIALS * SPECIALS;
        float y = (float)specials[i % SPECIALS];
        if (!grid)
            x = argument_f(f, SPECIALS + i), y = argument_f(f, SPECIALS + i / 3);
        judge_f(f, t, x, y, f->second_f(x, y), f->second_reference(x, y));
    }
}

// The common case of a pass over all floats, without quadruple precision.
static void judge_quickly(const function *f, tally *t, float x, float result) {
    double exact = f->quick(x);
    float expected = (float)exact;
    if (result == expected && expected != 0.0f && t->exact > 0.4999)
        return;
    judge_f(f, t, x, 0, result, (quad)exact);
}

static void every_float(const function *f, tally *t, uint64_t stride) {
    for (uint64_t bits = 0; bits < 1ull << 32; bits += stride) {
        uint32_t word = (uint32_t)bits;
        float x;
        memcpy(&x, &word, 4);
        float result = f->f(x);
        if (f->quick)
            judge_quickly(f, t, x, result);
        else
            judge_f(f, t, x, 0, result, f->reference(x));
    }
}

static int report(const char *name, const tally *t, double bound, double absolute_bound) {
    int bad = t->wrong || t->ulps > bound || t->absolute > absolute_bound;
    printf("%-16s %4lld  bound %3g   exact error %.3f at %a", name, (long long)t->ulps, bound,
           t->exact, t->worst[0]);
    if (t->worst[1] != 0)
        printf(", %a", t->worst[1]);
    if (t->absolute > 0)
        printf("   absolute %.2g, bound %g", t->absolute, absolute_bound);
    if (t->wrong)
        printf("   %ld of another kind, first at %a, %a", t->wrong, t->wrong_at[0], t->wrong_at[1]);
    printf("%s\n", bad ? "   FAIL" : "");
    fflush(stdout);
    return bad;
}

static int chosen(const char *name, char **names) {
    if (!*names)
        return 1;
    for (; *names; names++)
        if (!strcmp(name, *names))
            return 1;
    return 0;
}

int main(int argc, char **argv) {
    long samples = 20000;
    uint64_t stride = 0;
    int failed = 0, i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "-x")) {
            stride = 1;
        } else if (!strcmp(argv[i], "-s") && i + 1 < argc && atol(argv[i + 1]) > 0) {
            stride = (uint64_t)atol(argv[++i]);
        } else if (!strcmp(argv[i], "-n") && i + 1 < argc) {
            samples = atol(argv[++i]);
        } else {
            fprintf(stderr, "usage: ulp [-n SAMPLES] [-x] [-s STRIDE] [NAME...]\n");
            return 2;
        }
    }
    for (const function *f = functions; f->name; f++) {
        char float_name[32];
        snprintf(float_name, sizeof float_name, "%sf", f->name);
        random_state = 1;
        if ((f->d || f->second_d) && !stride && chosen(f->name, argv + i)) {
            tally t = {0};
            hard_points(f, &t);
            sample_d(f, &t, samples);
            failed |= report(f->name, &t, f->bound_d, 5e-12);
        }
        if ((stride ? f->f != NULL : f->f || f->second_f) && chosen(float_name, argv + i)) {
            tally t = {0};
            stride ? every_float(f, &t, stride) : sample_f(f, &t, samples);
            failed |= report(float_name, &t, f->bound_f, 2.2e-6);
        }
    }
    return failed;
}
