// See pointwise_cases.h.
#include "pointwise_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/grammar.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/cluster.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"
#include "isa/ops/select.h"
#include "isa/ops/video.h"
#include "isa/video.h"

static enum kir_type plain_type(enum isa_type t) {
    unsigned bits = isa_type_bits(t);
    return t == ISA_PRED ? KIR_PRED
           : bits <= 16  ? KIR_B16
           : bits == 32  ? KIR_B32
           : bits == 64  ? KIR_B64
                         : KIR_B128;
}

static enum kir_type natural_type(enum isa_type t) {
    return t == ISA_F32 ? KIR_F32 : t == ISA_F64 ? KIR_F64 : plain_type(t);
}

static void link(struct pw_case *c) {
    c->inst.ops = c->ops;
    c->inst.res = c->res;
    for (unsigned k = 0; k < MAX_OPS; k++)
        c->ops[k] = &c->op_values[k];
    for (unsigned k = 0; k < MAX_RES; k++)
        c->res[k] = &c->res_values[k];
}

static struct pw_case *append(struct pw_cases *out, const struct pw_case *c) {
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 256;
        out->data = realloc(out->data, out->capacity * sizeof *out->data);
    }
    struct pw_case *n = malloc(sizeof *n);
    *n = *c;
    n->number = out->count;
    link(n);
    return out->data[out->count++] = n;
}

static void add_operand(struct pw_case *c, enum isa_type t) {
    c->op_types[c->inst.nops] = (uint8_t)t;
    c->op_values[c->inst.nops++] =
        (struct kir_value){.kind = KIR_VALUE_UNDEF, .type = (uint8_t)natural_type(t)};
}

static void add_result(struct pw_case *c, enum kir_type t) {
    c->res_values[c->inst.nres++] = (struct kir_value){.kind = KIR_VALUE_INST, .type = (uint8_t)t};
}

static void set_constant(struct pw_case *c, unsigned k, uint64_t x) {
    unsigned bits = kir_type_bits(c->op_values[k].type);
    c->op_values[k].kind = KIR_VALUE_CONST;
    c->op_values[k].bits = (union isa_bits){.u64 = {bits < 64 ? x & ((1ull << bits) - 1) : x}};
}

static void with_constant(struct pw_cases *out, const struct pw_case *c, unsigned k, uint64_t x) {
    set_constant(append(out, c), k, x);
}

static void lop3_tables(struct pw_cases *out, const struct pw_case *c) {
    unsigned step = c->inst.nres > 1 ? 37 : 1;
    for (unsigned t = 0; t < 256; t += step)
        with_constant(out, c, 3, t);
}

static void some_constants(struct pw_cases *out, const struct pw_case *c, unsigned k,
                           const uint64_t *x, unsigned n) {
    for (unsigned j = 0; j < n; j++)
        with_constant(out, c, k, x[j]);
}

// Parts of the operands, in turn over the cases.
static void video_parts(struct pw_cases *out, const struct pw_case *c) {
    static const uint32_t scalar[] = {0,     0x011, 0x506, 0x654, 0x143, 0x065, 0x432,
                                      0x325, 0x250, 0x600, 0x106, 0x021, 0x314};
    static const uint32_t negations[] = {0x1000, 0x2000, 0x3000, 0x4000, 0x7000, 0x1065, 0x4012};
    static const uint32_t halves[] = {0x301a008, 0x301a008, 0x1008003,
                                      0x200001b, 0x30c8011, 0x3001019};
    static const uint32_t bytes[] = {0xffac688, 0xffac688, 0x5688fac, 0xa123456,
                                     0x1fac688, 0xf000fff, 0xfe3b0a7, 0x8249c31};
    unsigned elements = isa_video_elements(c->inst.op), salt = out->count;
    const uint32_t *list = elements == 2 ? halves : elements == 4 ? bytes : scalar;
    unsigned n = elements == 2   ? sizeof halves / sizeof *halves
                 : elements == 4 ? sizeof bytes / sizeof *bytes
                                 : sizeof scalar / sizeof *scalar;
    for (unsigned k = 0; k < 2; k++)
        with_constant(out, c, 3, list[(salt + k * (n / 2)) % n]);
    if (c->inst.op == ISA_OP_VMAD && !c->inst.mods.po)
        with_constant(out, c, 3, negations[salt % (sizeof negations / sizeof *negations)]);
}

#define CONSTANTS(out, c, k, ...)                                                                  \
    some_constants(out, c, k, (const uint64_t[]){__VA_ARGS__},                                     \
                   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

// Forms for which the code generator does something else when an operand is constant.
static void constant_variants(struct pw_cases *out, const struct pw_case *c) {
    bool is_float = isa_type_is_float(c->inst.ty);
    switch (c->inst.op) {
    case ISA_OP_DIV:
    case ISA_OP_REM:
        if (!is_float)
            CONSTANTS(out, c, 1, 0, 1, 3, 10, 16, 641, 0x8000, 0x80000000, UINT64_MAX, 1ull << 63,
                      -UINT64_C(7));
        break;
    case ISA_OP_PRMT:
        CONSTANTS(out, c, 2, 0x3210, 0x0123, 0x5410, 0x7632, 0x4321, 0x9180, 0xba98, 0xfedc, 0x0000,
                  0x7777, 0x4004, 0x6248, 1, 2, 3, 0xffffffff);
        break;
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        CONSTANTS(out, c, 1, 0, 1, 15, 16, 31, 32, 63, 64, 255, 0x80000000);
        break;
    case ISA_OP_SHF:
        CONSTANTS(out, c, 2, 0, 1, 16, 31, 32, 33, 0xffffffff);
        break;
    case ISA_OP_BFE:
        CONSTANTS(out, c, 1, 0, 8, 31, 63, 200);
        CONSTANTS(out, c, 2, 0, 1, 8, 32, 255);
        break;
    default:
        break;
    }
}

// Everything in integer registers; and, for narrow types, in wider ones.
static void register_variants(struct pw_cases *out, const struct pw_case *c) {
    bool floats = false, narrow = false;
    for (unsigned k = 0; k < c->inst.nops; k++) {
        floats |= natural_type(c->op_types[k]) != plain_type(c->op_types[k]);
        narrow |= c->op_values[k].type == KIR_B16;
    }
    for (unsigned k = 0; k < c->inst.nres; k++) {
        floats |= c->res_values[k].type == KIR_F32 || c->res_values[k].type == KIR_F64;
        narrow |= c->res_values[k].type == KIR_B16;
    }
    if (floats) {
        struct pw_case *n = append(out, c);
        for (unsigned k = 0; k < n->inst.nops; k++)
            n->op_values[k].type = (uint8_t)plain_type(n->op_types[k]);
        for (unsigned k = 0; k < n->inst.nres; k++)
            n->res_values[k].type = n->res_values[k].type == KIR_F32   ? KIR_B32
                                    : n->res_values[k].type == KIR_F64 ? KIR_B64
                                                                       : n->res_values[k].type;
    }
    if (narrow && c->inst.nres == 1 && c->inst.op != ISA_OP_MOV_PACK) {
        struct pw_case *n = append(out, c);
        uint8_t wide = c->number % 2 ? KIR_B32 : KIR_B64;
        for (unsigned k = 0; k < n->inst.nops; k++)
            if (n->op_values[k].type == KIR_B16)
                n->op_values[k].type = wide;
        if (n->res_values[0].type == KIR_B16)
            n->res_values[0].type = wide;
    }
}

// Operands that are results of .ftz instructions: no subnormals among them.
static void flushed_variant(struct pw_cases *out, const struct pw_case *c) {
    static struct kir_inst product = {.op = ISA_OP_MUL, .ty = ISA_F32, .mods = {.ftz = true}};
    if (!c->inst.mods.ftz || c->inst.op == ISA_OP_SET)
        return;
    struct pw_case *n = append(out, c);
    for (unsigned k = 0; k < n->inst.nops; k++) {
        if (n->op_types[k] != ISA_F32)
            continue;
        n->op_values[k].kind = KIR_VALUE_INST;
        n->op_values[k].def = &product;
    }
}

static void mov_pieces(struct pw_cases *out, const struct pw_case *c) {
    static const uint8_t types[] = {[8] = ISA_B8, [16] = ISA_B16, [32] = ISA_B32, [64] = ISA_B64};
    unsigned bits = isa_type_bits(c->inst.ty);
    for (unsigned n = 2; n <= 4 && bits / n >= 8; n *= 2) {
        struct pw_case m = *c;
        bool pack = m.inst.op == ISA_OP_MOV_PACK;
        m.inst.nops = m.inst.nres = 0;
        m.inst.mods.vec = (uint8_t)n;
        if (bits / n > 64)
            continue;
        for (unsigned k = 0; k < (pack ? n : 1); k++)
            add_operand(&m, pack ? types[bits / n] : m.inst.ty);
        for (unsigned k = 0; k < (pack ? 1 : n); k++)
            add_result(&m, pack ? natural_type(m.inst.ty) : plain_type(types[bits / n]));
        append(out, &m);
    }
}

static void add_operands(struct pw_case *c, const struct isa_form *f) {
    enum isa_type ty = c->inst.ty, ty2 = c->inst.ty2;
    for (unsigned k = 0; k < f->noperands; k++) {
        const struct isa_operand_form *o = &f->operands[k];
        enum isa_type t = isa_rule_type(o->rule, ty, ty2);
        if (o->kind == ISA_OPERAND_DST || o->kind == ISA_OPERAND_PAIR)
            add_result(c, natural_type(t));
        else
            for (unsigned n = c->inst.op == ISA_OP_CVT && o->vec ? c->inst.mods.vec : 1; n; n--)
                add_operand(c, t);
        if (o->kind == ISA_OPERAND_PAIR)
            add_result(c, KIR_PRED);
    }
    if (c->inst.op == ISA_OP_ADDC || c->inst.op == ISA_OP_SUBC || c->inst.op == ISA_OP_MADC)
        add_operand(c, ISA_PRED);
    if (c->inst.mods.cc)
        add_result(c, KIR_PRED);
}

static void finish_case(struct pw_cases *out, struct pw_case *c, const struct isa_form *f) {
    if (c->inst.op == ISA_OP_MOV_PACK || c->inst.op == ISA_OP_MOV_UNPACK) {
        mov_pieces(out, c);
        return;
    }
    add_operands(c, f);
    if (isa_is_video(c->inst.op)) {
        while (c->inst.nops < 4)
            add_operand(c, ISA_U32);
        video_parts(out, c);
        return;
    }
    if (c->inst.op == ISA_OP_LOP3) {
        lop3_tables(out, c);
        return;
    }
    struct pw_case *base = append(out, c);
    struct pw_case copy = *base;
    constant_variants(out, &copy);
    register_variants(out, &copy);
    flushed_variant(out, &copy);
}

static void expand(struct pw_cases *out, const struct isa_form *f, unsigned slot,
                   const struct pw_case *so_far) {
    struct pw_case c = *so_far;
    if (slot == f->nslots) {
        finish_case(out, &c, f);
        return;
    }
    const struct isa_slot *s = &f->slots[slot];
    if (s->optional)
        expand(out, f, slot + 1, &c);
    for (unsigned k = 0; k < s->nchoices; k++) {
        c = *so_far;
        isa_apply(s->choices[k].set, &c.inst.ty, &c.inst.ty2, &c.inst.mods);
        expand(out, f, slot + 1, &c);
    }
}

void pw_cases_make(struct pw_cases *out) {
    *out = (struct pw_cases){0};
    for (size_t n = 0; n < isa_form_count; n++) {
        const struct isa_form *f = &isa_forms[n];
        if (isa_op_info[f->op].klass != ISA_CLASS_POINTWISE || f->op == ISA_OP_CVTA ||
            f->op == ISA_OP_ISSPACEP || f->op == ISA_OP_MAPA || f->op == ISA_OP_GETCTARANK)
            continue;
        struct pw_case c = {.form = f->text};
        c.inst.op = f->op;
        for (unsigned k = 0; k < f->nsets; k++)
            isa_apply(f->sets[k], &c.inst.ty, &c.inst.ty2, &c.inst.mods);
        expand(out, f, 0, &c);
    }
}

void pw_cases_free(struct pw_cases *c) {
    for (unsigned k = 0; k < c->count; k++)
        free(c->data[k]);
    free(c->data);
}

void pw_case_name(const struct pw_case *c, char *buf, size_t size) {
    const struct isa_mods *m = &c->inst.mods;
    int n =
        snprintf(buf, size, "#%u %s ty=%s ty2=%s rnd=%u cmp=%u bool=%u half=%u mode=%u%s%s%s%s%s%s",
                 c->number, c->form, isa_type_name(c->inst.ty), isa_type_name(c->inst.ty2), m->rnd,
                 m->cmp, m->boolop, m->half, m->mode, m->ftz ? " ftz" : "", m->sat ? " sat" : "",
                 m->nan ? " nan" : "", m->relu ? " relu" : "", m->satfinite ? " satfinite" : "",
                 m->xorsign_abs ? " xorsign" : "");
    for (unsigned k = 0; k < c->inst.nops && n < (int)size; k++) {
        const struct kir_value *v = &c->op_values[k];
        n += v->kind == KIR_VALUE_CONST
                 ? snprintf(buf + n, size - (size_t)n, " %#llx", (unsigned long long)v->bits.u64[0])
                 : snprintf(buf + n, size - (size_t)n, " t%u", v->type);
    }
    if (n < (int)size)
        snprintf(buf + n, size - (size_t)n, " -> t%u", c->res_values[0].type);
}
