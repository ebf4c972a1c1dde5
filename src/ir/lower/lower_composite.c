// Instructions of sm_100 that are several of kernel IR: two floats in 64 bits, sums of halves and
// floats, minima and maxima of three, and of all lanes. Queries of cluster launch control are in
// lower_async.c.
#include "ir/lower/lower.h"
#include "isa/ops/arith.h"
#include "isa/ops/composite.h"
#include "isa/ops/floats.h"
#include "isa/ops/launch.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"

enum { MOST = 3 };

// The operation on floats that the parts are.
static isa_op part_of(isa_op op) {
    switch (op) {
    case ISA_OP_ADD_PAIR:
    case ISA_OP_ADD_MIXED:
        return ISA_OP_ADD;
    case ISA_OP_SUB_PAIR:
    case ISA_OP_SUB_MIXED:
        return ISA_OP_SUB;
    case ISA_OP_MUL_PAIR:
        return ISA_OP_MUL;
    case ISA_OP_MIN_THREE:
        return ISA_OP_MIN;
    case ISA_OP_MAX_THREE:
        return ISA_OP_MAX;
    default:
        return ISA_OP_FMA;
    }
}

static struct kir_value *of_floats(struct lower_func *lf, isa_op op, unsigned n,
                                   struct kir_value *const *x) {
    struct kir_value *v = lower_emit1(lf, op, ISA_F32, KIR_B32, n, x);
    v->def->mods = lf->inst->mods;
    v->def->mods.abs = false;
    return v;
}

static struct kir_value *pair(struct lower_func *lf, isa_op op, unsigned n,
                              struct kir_value *const *x) {
    static const uint8_t two[] = {KIR_B32, KIR_B32};
    struct kir_value *half[MOST][2], *r[2];
    for (unsigned k = 0; k < n; k++) {
        struct kir_inst *i = lower_emit(lf, ISA_OP_MOV_UNPACK, ISA_B64, 1, 2, two);
        i->mods.vec = 2;
        i->ops[0] = x[k];
        half[k][0] = i->res[0];
        half[k][1] = i->res[1];
    }
    for (unsigned h = 0; h < 2; h++) {
        struct kir_value *parts[MOST] = {NULL};
        for (unsigned k = 0; k < n; k++)
            parts[k] = half[k][h];
        r[h] = of_floats(lf, op, n, parts);
    }
    struct kir_value *v = lower_emit1(lf, ISA_OP_MOV_PACK, ISA_B64, KIR_B64, 2, r);
    v->def->mods.vec = 2;
    return v;
}

// All but the last operand are halves, which floats hold exactly.
static struct kir_value *mixed(struct lower_func *lf, isa_op op, unsigned n, struct kir_value **x) {
    for (unsigned k = 0; k + 1 < n; k++) {
        x[k] = lower_emit1(lf, ISA_OP_CVT, ISA_F32, KIR_B32, 1, &x[k]);
        x[k]->def->ty2 = lf->inst->ty2;
    }
    return of_floats(lf, op, n, x);
}

static struct kir_value *magnitude(struct lower_func *lf, struct kir_value *x) {
    struct kir_value *v = lower_emit1(lf, ISA_OP_ABS, ISA_F32, KIR_B32, 1, &x);
    v->def->mods.ftz = lf->inst->mods.ftz;
    return v;
}

static struct kir_value *of_three(struct lower_func *lf, isa_op op, struct kir_value **x) {
    for (unsigned k = 0; lf->inst->mods.abs && k < 3; k++)
        x[k] = magnitude(lf, x[k]);
    struct kir_value *rest[] = {of_floats(lf, op, 2, x), x[2]};
    return of_floats(lf, op, 2, rest);
}

static struct kir_value *of_words(struct lower_func *lf, isa_op op, enum isa_type ty,
                                  struct kir_value *a, struct kir_value *b) {
    struct kir_value *ops[] = {a, b};
    return lower_emit1(lf, op, ty, KIR_B32, 2, ops);
}

static struct kir_value *word(struct lower_func *lf, uint32_t bits) {
    return kir_const(lf->f, KIR_B32, bits);
}

// A float's bits as an integer that is in the same order, and the way back.
static struct kir_value *ordered(struct lower_func *lf, struct kir_value *x) {
    struct kir_value *sign = of_words(lf, ISA_OP_SHR, ISA_S32, x, word(lf, 31));
    struct kir_value *flip = of_words(lf, ISA_OP_AND, ISA_B32, sign, word(lf, 0x7fffffff));
    return of_words(lf, ISA_OP_XOR, ISA_B32, x, flip);
}

static struct kir_value *choose(struct lower_func *lf, enum isa_type ty, enum isa_cmp cmp,
                                struct kir_value *a, struct kir_value *b, struct kir_value *yes,
                                struct kir_value *no) {
    struct kir_value *sides[] = {a, b};
    struct kir_value *p = lower_emit1(lf, ISA_OP_SETP, ty, KIR_PRED, 2, sides);
    p->def->mods.cmp = (uint8_t)cmp;
    struct kir_value *ops[] = {yes, no, p};
    return lower_emit1(lf, ISA_OP_SELP, ISA_B32, KIR_B32, 3, ops);
}

// A NaN is the integer that loses against all numbers, or with .NaN the one that wins.
static bool lower_redux(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    bool wins_above = (inst->mods.atom == ISA_ATOM_MAX) == inst->mods.nan;
    struct kir_value *x, *lanes[2], *nan = word(lf, wins_above ? 0x7fffffff : 0x80000000);
    if (!lower_operand(lf, &inst->ops[1], &x) || !lower_operand(lf, &inst->ops[2], &lanes[1]))
        return false;
    if (inst->mods.abs)
        x = magnitude(lf, x);
    lanes[0] = choose(lf, ISA_F32, ISA_CMP_NAN, x, x, nan, ordered(lf, x));
    struct kir_value *r = lower_emit1(lf, ISA_OP_REDUX, ISA_S32, KIR_B32, 2, lanes);
    r->def->mods.atom = inst->mods.atom;
    r = choose(lf, ISA_S32, ISA_CMP_EQ, r, nan, word(lf, 0x7fffffff), ordered(lf, r));
    lower_write(lf, &inst->ops[0], r);
    return true;
}

bool lower_composite(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    if (inst->op == ISA_OP_REDUX_FLOAT)
        return lower_redux(lf);
    if (inst->op == ISA_OP_CLUSTERLAUNCHCONTROL_IS_CANCELED ||
        inst->op == ISA_OP_CLUSTERLAUNCHCONTROL_GET_FIRST_CTAID)
        return lower_query_cancel(lf);
    isa_op op = part_of((isa_op)inst->op);
    struct kir_value *x[MOST], *r;
    unsigned n = inst->nops - 1u;
    for (unsigned k = 0; k < n; k++)
        if (!lower_operand(lf, &inst->ops[k + 1], &x[k]))
            return false;
    if (inst->op == ISA_OP_MIN_THREE || inst->op == ISA_OP_MAX_THREE)
        r = of_three(lf, op, x);
    else if (inst->ty2 != ISA_VOID)
        r = mixed(lf, op, n, x);
    else
        r = pair(lf, op, n, x);
    lower_write(lf, &inst->ops[0], r);
    return true;
}
