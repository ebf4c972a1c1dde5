// See approximate.h.
#include "approximate.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The manual's bounds of one instruction: of the relative error, of the absolute error where that
// is what is stated, or of the error in units of the last place.
struct bound {
    isa_op op;
    enum isa_type ty; // ISA_VOID: any
    bool full;        // div.full
    double relative, absolute;
};

static const struct bound bounds[] = {
    {ISA_OP_RCP, ISA_F32, false, 0x1p-23, 0},      // 1 ulp
    {ISA_OP_DIV, ISA_F32, false, 0x1p-22, 0},      // 2 ulp
    {ISA_OP_DIV, ISA_F32, true, 0x1p-22, 0},       // 2 ulp
    {ISA_OP_SQRT, ISA_F32, false, 0x1p-23, 0},     // relative 2^-23
    {ISA_OP_RSQRT, ISA_F32, false, 0x1.13p-23, 0}, // relative 2^-22.9
    {ISA_OP_RSQRT, ISA_F64, false, 0x1p-20, 0},    // the upper word alone
    {ISA_OP_RCP, ISA_F64, false, 0x1p-20, 0},      // the upper word alone
    {ISA_OP_SIN, ISA_F32, false, 0, 0x1.13p-21},   // absolute 2^-20.9 in -pi .. pi
    {ISA_OP_COS, ISA_F32, false, 0, 0x1.13p-21},
    {ISA_OP_LG2, ISA_F32, false, 0x1.52p-23, 0x1p-22}, // 2^-22.6; absolute 2^-22 in 0.5 .. 2
    {ISA_OP_EX2, ISA_F32, false, 0x1.6ap-23, 0},       // relative 2^-22.5
    {ISA_OP_TANH, ISA_F32, false, 0x1p-11, 0},         // relative 2^-11
    {ISA_OP_EX2, ISA_F16, false, 0x1.07p-10, 0},       // relative 2^-9.9
    {ISA_OP_EX2, ISA_BF16, false, 0x1p-7, 0},          // relative 2^-7
    {ISA_OP_TANH, ISA_F16, false, 0x1.03p-11, 0},      // relative 2^-10.987
    {ISA_OP_TANH, ISA_BF16, false, 0x1p-8, 0},         // relative 2^-8
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static struct {
    char text[HW_TEXT];
    double distance, allowed;
} furthest[64];
static unsigned instructions;

static enum isa_type element(enum isa_type t) {
    return t == ISA_F16X2 ? ISA_F16 : t == ISA_BF16X2 ? ISA_BF16 : t;
}

static double value(enum isa_type t, uint64_t bits) {
    union isa_bits b = {.u64 = {bits}};
    switch (t) {
    case ISA_F16: {
        double magnitude = ldexp((double)(bits & 0x3ff) + (bits & 0x7c00 ? 0x400 : 0),
                                 (bits & 0x7c00 ? (int)(bits >> 10 & 31) : 1) - 25);
        if ((bits & 0x7c00) == 0x7c00)
            magnitude = bits & 0x3ff ? NAN : INFINITY;
        return bits & 0x8000 ? -magnitude : magnitude;
    }
    case ISA_BF16:
        b.u32[0] = (uint32_t)bits << 16;
        return (double)b.f32;
    case ISA_F32:
        return (double)b.f32;
    default:
        return b.f64;
    }
}

static const struct bound *find(const struct hw_case *c) {
    for (unsigned k = 0; k < BOUNDS; k++)
        if (bounds[k].op == c->op && bounds[k].ty == element((enum isa_type)c->ty) &&
            bounds[k].full == c->mods.full)
            return &bounds[k];
    return NULL;
}

static void note(const struct hw_case *c, double distance, double allowed) {
    unsigned k = 0;
    while (k < instructions && strcmp(furthest[k].text, c->text))
        k++;
    if (k == sizeof furthest / sizeof *furthest)
        return;
    if (k == instructions) {
        snprintf(furthest[k].text, sizeof furthest[k].text, "%s", c->text);
        instructions++;
    }
    if (distance * furthest[k].allowed >= furthest[k].distance * allowed) {
        furthest[k].distance = distance;
        furthest[k].allowed = allowed;
    }
}

// Is the result left open by the manual?
static bool is_open(const struct hw_case *c, const union isa_bits *x) {
    double a = value(element((enum isa_type)c->ty), x[0].u64[0]);
    return (c->op == ISA_OP_SIN || c->op == ISA_OP_COS) && fabs(a) > 0x1.921fb6p+1 && !isinf(a);
}

// The smallest normal number: below it errors are absolute.
static double least(enum isa_type t) {
    return t == ISA_F16 ? 0x1p-14 : t == ISA_F64 ? 0x1p-1022 : 0x1p-126;
}

static double last_place(enum isa_type t) {
    return t == ISA_F16 ? 0x1p-10 : t == ISA_BF16 ? 0x1p-7 : t == ISA_F32 ? 0x1p-23 : 0x1p-52;
}

static bool near_element(const struct hw_case *c, const struct bound *b, double ours,
                         double device) {
    enum isa_type t = element((enum isa_type)c->ty);
    if (isnan(ours) || isnan(device))
        return isnan(ours) && isnan(device);
    if (isinf(ours) || isinf(device))
        return ours == device;
    double size = fmax(fabs(ours), fabs(device));
    // Each side's error, and its rounding to the format.
    double allowed =
        2 * fmax(b->relative * size, b->absolute) + last_place(t) * fmax(size, least(t));
    double distance = fabs(ours - device);
    note(c, distance, allowed);
    return distance <= allowed;
}

bool hw_near(const struct hw_case *c, const union isa_bits *sources, union isa_bits ours,
             union isa_bits device) {
    const struct bound *b = find(c);
    enum isa_type t = (enum isa_type)c->ty, e = element(t);
    if (!b)
        return false;
    if (is_open(c, sources))
        return true;
    if (e == t)
        return near_element(c, b, value(t, ours.u64[0]), value(t, device.u64[0]));
    return near_element(c, b, value(e, ours.u16[0]), value(e, device.u16[0])) &&
           near_element(c, b, value(e, ours.u16[1]), value(e, device.u16[1]));
}

void hw_print_furthest(void) {
    for (unsigned k = 0; k < instructions; k++)
        printf("%-32s furthest apart: %.2f of what is allowed\n", furthest[k].text,
               furthest[k].allowed > 0 ? furthest[k].distance / furthest[k].allowed : 0);
}
