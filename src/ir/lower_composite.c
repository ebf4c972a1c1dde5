// Instructions of sm_100 that are several of kernel IR: two floats in 64 bits, sums of halves and
// floats, minima and maxima of three.
#include "ir/lower.h"

enum { MOST = 3 };

// The operation on floats that the parts are.
static enum isa_op part_of(enum isa_op op) {
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

static struct kir_value *of_floats(struct lower_func *lf, enum isa_op op, unsigned n,
                                   struct kir_value *const *x) {
    struct kir_value *v = lower_emit1(lf, op, ISA_F32, KIR_B32, n, x);
    v->def->mods = lf->inst->mods;
    v->def->mods.abs = false;
    return v;
}

static struct kir_value *pair(struct lower_func *lf, enum isa_op op, unsigned n,
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
static struct kir_value *mixed(struct lower_func *lf, enum isa_op op, unsigned n,
                               struct kir_value **x) {
    for (unsigned k = 0; k + 1 < n; k++) {
        x[k] = lower_emit1(lf, ISA_OP_CVT, ISA_F32, KIR_B32, 1, &x[k]);
        x[k]->def->ty2 = lf->inst->ty2;
    }
    return of_floats(lf, op, n, x);
}

static struct kir_value *of_three(struct lower_func *lf, enum isa_op op, struct kir_value **x) {
    for (unsigned k = 0; lf->inst->mods.abs && k < 3; k++) {
        x[k] = lower_emit1(lf, ISA_OP_ABS, ISA_F32, KIR_B32, 1, &x[k]);
        x[k]->def->mods.ftz = lf->inst->mods.ftz;
    }
    struct kir_value *rest[] = {of_floats(lf, op, 2, x), x[2]};
    return of_floats(lf, op, 2, rest);
}

bool lower_composite(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    enum isa_op op = part_of((enum isa_op)inst->op);
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
