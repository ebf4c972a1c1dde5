// See reference.h.
#include "reference.h"

#include <inttypes.h>
#include <stdio.h>

#include "ir/eval.h"

static enum kir_type value_type(enum isa_type t) {
    switch (hw_register_bits(t)) {
    case 1:
        return KIR_PRED;
    case 16:
        return KIR_B16;
    case 32:
        return KIR_B32;
    case 64:
        return KIR_B64;
    default:
        return KIR_B128;
    }
}

// The sources as the instruction of the IR has them: with the immediate at its place.
static unsigned arrange(const struct hw_case *c, const union isa_bits *sources,
                        union isa_bits *out) {
    unsigned n = 0;
    for (unsigned k = 0; k <= c->nsources; k++) {
        if (c->has_immediate && k == c->immediate_at)
            out[n++] = (union isa_bits){.u64 = {c->immediate}};
        if (k < c->nsources)
            out[n++] = sources[k];
    }
    if (!isa_is_video((isa_op)c->op))
        return n;
    while (n < 3) // c, where the form has none
        out[n++] = (union isa_bits){0};
    out[n++].u64[0] = isa_video_control((isa_op)c->op, &c->video);
    return n;
}

bool hw_reference(const struct hw_case *c, const union isa_bits *sources, union isa_bits *results) {
    struct kir_value values[HW_MAX_RESULTS] = {0}, *list[HW_MAX_RESULTS];
    union isa_bits x[HW_MAX_SOURCES + 1] = {0};
    struct kir_inst i = {.op = c->op, .ty = c->ty, .ty2 = c->ty2, .mods = c->mods};
    for (unsigned k = 0; k < c->nresults; k++) {
        values[k].type = (uint8_t)value_type((enum isa_type)c->results[k].type);
        list[k] = &values[k];
        results[k] = (union isa_bits){0};
    }
    i.nops = arrange(c, sources, x);
    i.nres = c->nresults;
    i.res = list;
    if (!kir_eval(&i, x, results))
        return false;
    for (unsigned k = 0; k < c->nresults; k++) {
        unsigned bits = hw_register_bits((enum isa_type)c->results[k].type);
        if (bits < 64)
            results[k].u64[0] &= (1ull << bits) - 1;
        if (bits < 128)
            results[k].u64[1] = 0;
    }
    return true;
}

struct float_layout {
    unsigned bits;
    uint64_t infinity;
};

static struct float_layout float_layout(enum isa_type t) {
    switch (t) {
    case ISA_F16:
    case ISA_F16X2:
        return (struct float_layout){16, 0x7c00};
    case ISA_BF16:
    case ISA_BF16X2:
        return (struct float_layout){16, 0x7f80};
    case ISA_F64:
        return (struct float_layout){64, 0x7ff0000000000000};
    default:
        return (struct float_layout){32, 0x7f800000};
    }
}

// Numbers in order; both zeros are 0.
static int64_t order(struct float_layout l, uint64_t v) {
    uint64_t sign = 1ull << (l.bits - 1), magnitude = v & (sign - 1);
    return v & sign ? -(int64_t)magnitude : (int64_t)magnitude;
}

static uint64_t element_distance(struct float_layout l, uint64_t a, uint64_t b) {
    uint64_t magnitude = (1ull << (l.bits - 1)) - 1;
    bool nan_a = (a & magnitude) > l.infinity, nan_b = (b & magnitude) > l.infinity;
    if (nan_a || nan_b)
        return nan_a && nan_b ? 0 : UINT64_MAX;
    int64_t x = order(l, a), y = order(l, b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

uint64_t hw_distance(enum isa_type t, union isa_bits a, union isa_bits b) {
    struct float_layout l = float_layout(t);
    if (t != ISA_F16X2 && t != ISA_BF16X2)
        return element_distance(l, a.u64[0], b.u64[0]);
    uint64_t low = element_distance(l, a.u16[0], b.u16[0]);
    uint64_t high = element_distance(l, a.u16[1], b.u16[1]);
    return low > high ? low : high;
}

static void print_bits(union isa_bits b) {
    if (b.u64[1])
        printf("%" PRIx64 ":%016" PRIx64, b.u64[1], b.u64[0]);
    else
        printf("%" PRIx64, b.u64[0]);
}

void hw_print_set(const struct hw_case *c, const union isa_bits *sources, const union isa_bits *got,
                  const union isa_bits *recorded) {
    for (unsigned k = 0; k < c->nsources; k++) {
        printf("  %s=", c->sources[k].name);
        print_bits(sources[k]);
    }
    printf(" ->");
    for (unsigned k = 0; k < c->nresults; k++) {
        printf(" %s=", c->results[k].name);
        print_bits(got[k]);
        if (recorded) {
            printf(" (hardware: ");
            print_bits(recorded[k]);
            printf(")");
        }
    }
    printf("\n");
}
