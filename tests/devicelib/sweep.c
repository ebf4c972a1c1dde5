// Every float: the float functions of one argument at all 2^32 arguments, in vectors of the host,
// held against the bounds of the guide's section 17.1 (those in reference.c).
//
// usage: sweep [-s STRIDE [-p PART]] [NAME...]
//   -s STRIDE   every STRIDE-th block of 1024 neighbours instead of all
//   -p PART     beginning with this block, 0 by default: the parts 0 to STRIDE - 1, in as many
//               processes, are all blocks
//   NAME        only these functions: sinf, expf, ...
//
// References are the host libm's vector functions in double. Where a result is further from one
// than the bound, or of another kind, libquadmath decides. What is printed is the largest
// distance in units of the last place from the correctly rounded result, as the guide measures it.
#include "reference.h"
#include "sweep_reference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The library's sources, so that its functions become part of the loops below.
#include "bessel.c"
#include "error.c"
#include "exp.c"
#include "gamma.c"
#include "hyperbolic.c"
#include "inverse_trig.c"
#include "large_angle.c"
#include "log.c"
#include "root.c"
#include "trig.c"

typedef struct {
    const char *name;
    void (*results)(const float *x, float *y);
} function_loop;

#define LOOP_OF(name, call)                                                                        \
    __attribute__((flatten)) static void loop_##name(const float *x, float *y) {                   \
        for (int i = 0; i < SWEEP_BLOCK; i++)                                                      \
            y[i] = call(x[i]);                                                                     \
    }
#define LOOP(name) LOOP_OF(name, __nv_##name)

#define HALVES_OF(name)                                                                            \
    static inline float sine_of_##name(float x) {                                                  \
        float s, c;                                                                                \
        __nv_##name(x, &s, &c);                                                                    \
        return s;                                                                                  \
    }                                                                                              \
    static inline float cosine_of_##name(float x) {                                                \
        float s, c;                                                                                \
        __nv_##name(x, &s, &c);                                                                    \
        return c;                                                                                  \
    }
HALVES_OF(sincosf)
HALVES_OF(sincospif)

#define ALL(X)                                                                                     \
    X(sqrtf)                                                                                       \
    X(rsqrtf)                                                                                      \
    X(cbrtf)                                                                                       \
    X(rcbrtf)                                                                                      \
    X(expf) X(exp2f) X(exp10f) X(expm1f) X(logf) X(log2f) X(log10f) X(log1pf) X(sinf) X(cosf)      \
        X(tanf) X(sinpif) X(cospif) X(asinf) X(acosf) X(atanf) X(sinhf) X(coshf) X(tanhf)          \
            X(asinhf) X(acoshf) X(atanhf) X(erff) X(erfcf) X(erfcxf) X(normcdff) X(erfinvf)        \
                X(erfcinvf) X(normcdfinvf) X(cyl_bessel_i0f) X(cyl_bessel_i1f) X(j0f) X(j1f)       \
                    X(y0f) X(y1f) X(tgammaf) X(lgammaf)
ALL(LOOP)
LOOP_OF(sincos_sf, sine_of_sincosf)
LOOP_OF(sincos_cf, cosine_of_sincosf)
LOOP_OF(sincospi_sf, sine_of_sincospif)
LOOP_OF(sincospi_cf, cosine_of_sincospif)

#define NAMED(name) {#name, loop_##name},
static const function_loop loops[] = {ALL(NAMED) NAMED(sincos_sf) NAMED(sincos_cf)
                                          NAMED(sincospi_sf) NAMED(sincospi_cf)};

typedef struct {
    const function *f;
    const function_loop *loop;
    const sweep_reference *reference;
    int32_t most; // the largest distance, in units of the last place
    float most_at;
    long wrong; // further than the bound, or of another kind
    float wrong_at;
    long looked_at;  // how many libquadmath decided
    double absolute; // the largest absolute error where that is bounded
} sweep;

static int32_t order(float x) {
    int32_t i;
    memcpy(&i, &x, 4);
    return i < 0 ? INT32_MIN - i : i;
}

static int same_kind(float a, float b) {
    return isnan(a) || isnan(b)
               ? isnan(a) && isnan(b)
               : isinf(a) == isinf(b) && (a != 0 || b != 0 || !signbit(a) == !signbit(b));
}

// One argument, against libquadmath.
static void judge(sweep *s, float x, float y) {
    const function *f = s->f;
    if (f->skip && f->skip(x))
        return;
    quad exact = f->reference(x);
    float expected = (float)exact;
    double error = fabs((double)(y - exact));
    s->looked_at++;
    if (f->absolute_from && fabsf(x) >= f->absolute_from && isfinite(expected)) {
        s->absolute = error > s->absolute ? error : s->absolute;
        if (error <= 2.2e-6)
            return;
    } else if (same_kind(y, expected)) {
        int64_t ulps = isnan(expected) ? 0 : llabs((int64_t)order(y) - order(expected));
        if (ulps > s->most)
            s->most = (int32_t)ulps, s->most_at = x;
        if (ulps <= f->bound_f)
            return;
    }
    if (!s->wrong++)
        s->wrong_at = x;
}

// Distances of a block; `far` where they are not small.
static void distances(const float *y, const double *r, int32_t far, int32_t *d) {
    for (int i = 0; i < SWEEP_BLOCK; i++) {
        float e = (float)r[i];
        uint32_t a, b;
        memcpy(&a, &y[i], 4);
        memcpy(&b, &e, 4);
        int32_t apart = (int32_t)((a & 0x7fffffff) - (b & 0x7fffffff));
        int finite = (a & 0x7f800000) != 0x7f800000 && (b & 0x7f800000) != 0x7f800000;
        int nan = (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
        apart = apart < 0 ? -apart : apart;
        apart = finite && (a ^ b) < 0x80000000u && apart < far ? apart : far;
        d[i] = a == b || nan ? 0 : apart;
    }
}

static void sweep_block(sweep *s, uint32_t first) {
    static float x[SWEEP_BLOCK], y[SWEEP_BLOCK];
    static double wide[SWEEP_BLOCK], start[SWEEP_BLOCK], r[SWEEP_BLOCK];
    static int32_t d[SWEEP_BLOCK];
    int32_t far = (int32_t)s->f->bound_f + 1, most = 0;
    for (uint32_t i = 0; i < SWEEP_BLOCK; i++) {
        uint32_t word = first + i;
        memcpy(&x[i], &word, 4);
        wide[i] = x[i];
    }
    s->loop->results(x, y);
    for (int i = 0; i < SWEEP_BLOCK; i++)
        start[i] = y[i];
    s->reference->values(wide, start, r);
    distances(y, r, far, d);
    // A reference that starts from the result says nothing about a NaN.
    for (int i = 0; i < SWEEP_BLOCK; i++)
        if (isnan(y[i]) && x[i] >= s->reference->low && x[i] <= s->reference->high)
            d[i] = far;
    for (int i = 0; i < SWEEP_BLOCK; i++)
        most = d[i] > most ? d[i] : most;
    if (most <= s->most && most < far)
        return;
    for (int i = 0; i < SWEEP_BLOCK; i++)
        if (d[i] >= far && !(isnan(x[i]) && isnan(y[i])))
            judge(s, x[i], y[i]);
        else if (d[i] < far && d[i] > s->most)
            s->most = d[i], s->most_at = x[i];
}

static int report(const sweep *s, const char *name) {
    printf("%-16s %4d  bound %3g  first at %a", name, s->most, s->f->bound_f, s->most_at);
    if (s->absolute > 0)
        printf("   absolute %.2g, bound 2.2e-06", s->absolute);
    if (s->wrong)
        printf("   %ld too far, first at %a", s->wrong, s->wrong_at);
    printf("   (%ld by libquadmath)%s\n", s->looked_at, s->wrong ? "   FAIL" : "");
    fflush(stdout);
    return s->wrong != 0;
}

static const function *find_function(const char *name) {
    for (const function *f = functions; f->name; f++)
        if (strlen(f->name) + 1 == strlen(name) && !strncmp(f->name, name, strlen(f->name)))
            return f;
    return NULL;
}

static const sweep_reference *find_reference(const char *name) {
    const sweep_reference *r = sweep_references;
    while (r->name && strcmp(r->name, name) != 0)
        r++;
    return r->name ? r : NULL;
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
    uint64_t stride = 1, part = 0;
    int failed = 0, option;
    while ((option = getopt(argc, argv, "s:p:")) != -1) {
        if (option == 's' && atol(optarg) > 0)
            stride = (uint64_t)atol(optarg);
        else if (option == 'p' && atol(optarg) >= 0)
            part = (uint64_t)atol(optarg);
        else
            return 2;
    }
    char **names = argv + optind;
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
        sweep s = {.f = find_function(loops[k].name),
                   .loop = &loops[k],
                   .reference = find_reference(loops[k].name)};
        if (!chosen(loops[k].name, names))
            continue;
        if (!s.f || !s.reference) {
            printf("%s has no reference\n", loops[k].name);
            return 2;
        }
        for (uint64_t first = part * SWEEP_BLOCK; first < 1ull << 32; first += stride * SWEEP_BLOCK)
            sweep_block(&s, (uint32_t)first);
        failed |= report(&s, loops[k].name);
    }
    return failed;
}
