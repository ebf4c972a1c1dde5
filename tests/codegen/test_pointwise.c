// Every pointwise form of the instruction table, compiled for each level and several lane counts,
// against the reference semantics: bit for bit on edge values crossed and on random ones.
//
//   test_pointwise              each case at two levels, with one of the lane counts in turn; of
//                               the many cvt, set, setp, lop3 some at each level
//   test_pointwise all          at every lane count
//   test_pointwise case N       one case, at every lane count
//   test_pointwise form TEXT    the forms that begin with TEXT, at every lane count
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/eval.h"
#include "isa/ops/floats.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"
#include "isa/ops/select.h"
#include "isa/video.h"
#include "pointwise_inputs.h"
#include "pointwise_jit.h"

enum { TUPLES = 1536, BATCH = 128, MAX_LANES = 32 };

static const unsigned lane_counts[] = {0, 1, 8, 16, 32};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts };
static unsigned failed_cases, compared;

struct expectation {
    union isa_bits src[TUPLES][MAX_OPS], dst[TUPLES][MAX_RES];
};

static bool is_nan32(uint64_t b) {
    return (b & 0x7fffffff) > 0x7f800000;
}

static bool is_nan64(uint64_t b) {
    return (b & INT64_MAX) > 0x7ff0000000000000;
}

static uint64_t mask_of(enum kir_type t) {
    unsigned bits = kir_type_bits(t);
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

// Copies and some conversions keep a NaN's bits; what f32 arithmetic yields in the F32
// representation may be any NaN.
static bool is_copy(const struct pw_case *c) {
    switch (c->inst.op) {
    case ISA_OP_MOV:
    case ISA_OP_MOV_PACK:
    case ISA_OP_MOV_UNPACK:
    case ISA_OP_SELP:
    case ISA_OP_SLCT:
    case ISA_OP_COPYSIGN:
        return true;
    case ISA_OP_CVT: // from f64, or a move
        return c->inst.ty2 == ISA_F64 ||
               (!c->inst.mods.ftz && !c->inst.mods.sat && c->inst.mods.rnd < ISA_RND_RNI &&
                (c->inst.ty2 == ISA_F32 || c->inst.ty2 == ISA_BF16));
    default:
        return false;
    }
}

static union isa_bits meaning(enum kir_type t, union isa_bits b) {
    b.u64[0] &= mask_of(t);
    if (t != KIR_B128)
        b.u64[1] = 0;
    return b;
}

static bool expect(const struct pw_case *c, struct expectation *x) {
    for (unsigned n = 0; n < TUPLES; n++) {
        union isa_bits src[MAX_OPS];
        pw_inputs(&c->inst, n, c->op_types, x->src[n]);
        for (unsigned k = 0; k < c->inst.nops; k++) {
            if (c->op_values[k].kind == KIR_VALUE_CONST)
                x->src[n][k] = c->op_values[k].bits;
            if (c->op_values[k].def && !(x->src[n][k].u32[0] & 0x7f800000)) // never subnormal
                x->src[n][k].u32[0] &= 0x80000000;
            src[k] = meaning(c->op_values[k].type, x->src[n][k]);
        }
        memset(x->dst[n], 0, sizeof x->dst[n]);
        if (!kir_eval(&c->inst, src, x->dst[n]))
            return false;
    }
    return true;
}

// Two NaN operands: which payload an f64 result has is not fixed.
static bool several_nans(const struct pw_case *c, const union isa_bits *src) {
    unsigned nans = 0;
    for (unsigned k = 0; k < c->inst.nops; k++)
        nans += c->op_types[k] == ISA_F64 && is_nan64(src[k].u64[0]);
    return nans > 1;
}

static bool same(const struct pw_case *c, unsigned k, const union isa_bits *src,
                 union isa_bits want, union isa_bits got) {
    enum kir_type t = c->res_values[k].type;
    if (t == KIR_F32 && is_nan32(want.u64[0]) && !is_copy(c))
        return is_nan32(got.u64[0]);
    if (c->inst.ty == ISA_F64 && is_nan64(want.u64[0]) && several_nans(c, src))
        return is_nan64(got.u64[0]);
    return !((want.u64[0] ^ got.u64[0]) & mask_of(t)) &&
           (t != KIR_B128 || want.u64[1] == got.u64[1]);
}

static void report(const struct pw_case *c, enum kd_level level, unsigned lanes, bool optimised,
                   unsigned k, const union isa_bits *src, union isa_bits want, union isa_bits got) {
    char name[256];
    pw_case_name(c, name, sizeof name);
    printf("%s: level %d, %u lanes%s, result %u of", name, level, lanes,
           optimised ? ", optimised" : "", k);
    for (unsigned n = 0; n < c->inst.nops; n++)
        printf(" %#llx", (unsigned long long)(src[n].u64[0] & mask_of(c->op_values[n].type)));
    printf(" is %#llx, not %#llx\n",
           (unsigned long long)(got.u64[0] & mask_of(c->res_values[k].type)),
           (unsigned long long)want.u64[0]);
}

static unsigned bytes_of(enum kir_type t) {
    return t == KIR_PRED ? 1 : kir_type_bits(t) / 8;
}

static bool compare(const struct pw_case *c, const struct expectation *x, pw_function *f,
                    enum kd_level level, unsigned lanes, bool optimised) {
    static uint8_t in[MAX_OPS][MAX_LANES * 16], out[MAX_RES][MAX_LANES * 16];
    const void *src[MAX_OPS];
    void *dst[MAX_RES];
    unsigned width = lanes ? lanes : 1;
    for (unsigned k = 0; k < MAX_OPS; k++)
        src[k] = in[k];
    for (unsigned k = 0; k < MAX_RES; k++)
        dst[k] = out[k];
    for (unsigned first = 0; first + width <= TUPLES; first += width) {
        for (unsigned k = 0; k < c->inst.nops; k++) {
            unsigned bytes = bytes_of(c->op_values[k].type);
            for (unsigned n = 0; n < width; n++) {
                memcpy(&in[k][n * bytes], &x->src[first + n][k], bytes);
                if (c->op_values[k].type == KIR_PRED)
                    in[k][n] &= 1;
            }
        }
        memset(out, 0xee, sizeof out);
        f(src, dst);
        for (unsigned n = 0; n < width; n++)
            for (unsigned k = 0; k < c->inst.nres; k++) {
                unsigned bytes = bytes_of(c->res_values[k].type);
                union isa_bits got = {0};
                memcpy(&got, &out[k][n * bytes], bytes);
                if (!same(c, k, x->src[first + n], x->dst[first + n][k], got)) {
                    report(c, level, lanes, optimised, k, x->src[first + n], x->dst[first + n][k],
                           got);
                    return false;
                }
            }
    }
    compared++;
    return true;
}

struct selection {
    bool all_lanes;
    long number;
    const char *form;
};

static bool selected(const struct pw_case *c, const struct selection *s) {
    return (s->number < 0 || c->number == (unsigned)s->number) &&
           (!s->form || !strncmp(c->form, s->form, strlen(s->form)));
}

// How many of an operation's cases (at each level) one is taken of.
static unsigned thinning(isa_op op) {
    if (isa_is_video(op))
        return 16;
    switch (op) {
    case ISA_OP_SET:
        return 64;
    case ISA_OP_SETP:
        return 12;
    case ISA_OP_CVT:
    case ISA_OP_LOP3:
        return 8;
    default:
        return 1;
    }
}

// Is case n run with lane count l? A multiplicative hash spreads the choice over the modifiers,
// which the order of cases follows. 32 lanes, slow to compile, come half as often.
static bool wanted(const struct pw_case *c, enum kd_level level, unsigned l) {
    static const uint8_t choice[] = {0, 1, 2, 3, 4, 0, 2, 1, 3};
    unsigned hash = c->number * 2654435761u >> 8, thin = thinning(c->inst.op);
    bool here = thin == 1 ? hash % 3 != level - 1u : hash % thin == level % thin;
    return here && choice[(hash / thin + level) % sizeof choice] == l;
}

struct batch {
    struct pw_case *cases[BATCH];
    unsigned lanes[BATCH], count;
    pw_function *functions[BATCH];
};

static void run_batch(struct pw_jit *jit, enum kd_level level, struct batch *b, bool optimise) {
    static struct expectation x;
    static const struct pw_case *known;
    pw_jit_compile(jit, b->cases, b->lanes, b->count, optimise, b->functions);
    for (unsigned k = 0; k < b->count; k++) {
        if (known != b->cases[k] && !expect(b->cases[k], &x)) {
            printf("the reference does not know %s\n", b->cases[k]->form);
            failed_cases++;
            continue;
        }
        known = b->cases[k];
        if (!b->functions[k] ||
            !compare(b->cases[k], &x, b->functions[k], level, b->lanes[k], optimise))
            failed_cases++;
    }
    b->count = 0;
}

static void run_level(const struct pw_cases *cases, enum kd_level level,
                      const struct selection *s) {
    struct pw_jit *jit = pw_jit_new(level);
    struct batch b = {.count = 0};
    unsigned batches = 0;
    if (!jit) {
        printf("level %d: this machine cannot run it\n", level);
        return;
    }
    for (unsigned n = 0; n < cases->count; n++) {
        if (!selected(cases->data[n], s))
            continue;
        for (unsigned l = 0; l < LANE_COUNTS; l++) {
            if (!s->all_lanes && !wanted(cases->data[n], level, l))
                continue;
            b.cases[b.count] = cases->data[n];
            b.lanes[b.count++] = lane_counts[l];
            if (b.count == BATCH)
                run_batch(jit, level, &b, batches++ % 2);
        }
    }
    if (b.count)
        run_batch(jit, level, &b, batches % 2);
    pw_jit_free(jit);
}

int main(int argc, char **argv) {
    struct selection s = {.all_lanes = argc > 1, .number = -1};
    struct pw_cases cases;
    if (argc > 2 && !strcmp(argv[1], "case"))
        s.number = atol(argv[2]);
    if (argc > 2 && !strcmp(argv[1], "form"))
        s.form = argv[2];
    pw_cases_make(&cases);
    for (int level = KD_LEVEL_X86_64_V2; level <= KD_LEVEL_X86_64_V4; level++)
        run_level(&cases, (enum kd_level)level, &s);
    printf("%u cases, %u compared, %u failed\n", cases.count, compared, failed_cases);
    pw_cases_free(&cases);
    return failed_cases != 0;
}
