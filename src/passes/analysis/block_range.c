#include "passes/analysis/block_range.h"

enum { MAX_DEPTH = 12, MOST_ADDED = 1 << 28 };

struct kir_inst *block_like(const struct block_range *k, const struct kir_inst *old,
                            struct kir_value **ops) {
    struct kir_inst *i = kir_inst_new(k->f, (isa_op)old->op, (enum isa_type)old->ty, old->nops, 1,
                                      &old->res[0]->type, 0);
    for (uint32_t n = 0; n < old->nops; n++)
        i->ops[n] = ops[n];
    i->ty2 = old->ty2;
    i->mods = old->mods;
    i->sreg = old->sreg;
    i->sym = old->sym;
    i->offset = old->offset;
    i->file = old->file;
    i->line = old->line;
    kir_insert_before(k->at, i);
    return i;
}

static bool is_sreg_of(const struct kir_inst *i, enum isa_sreg first) {
    return i->op == ISA_OP_SREG && i->sreg >= first && i->sreg <= first + 2;
}

static struct kir_value *of_block(const struct block_range *k, struct kir_value *v,
                                  unsigned depth) {
    struct kir_value *ops[4];
    if (v->kind != KIR_VALUE_INST)
        return v->kind == KIR_VALUE_CONST ? v : NULL;
    const struct kir_inst *i = v->def;
    bool source = is_sreg_of(i, ISA_SREG_CTAID_X) || is_sreg_of(i, ISA_SREG_NTID_X) ||
                  is_sreg_of(i, ISA_SREG_NCTAID_X) ||
                  (i->op == ISA_OP_SYMADDR && i->sym->space == ISA_SPACE_PARAM);
    bool load = i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM && !i->mods.vec;
    bool computed = isa_op_info[i->op].klass == ISA_CLASS_POINTWISE;
    if (!depth || i->nres != 1 || i->nops > 4 || !(source || load || computed))
        return NULL;
    for (uint32_t n = 0; n < i->nops; n++)
        if (!(ops[n] = of_block(k, i->ops[n], depth - 1)))
            return NULL;
    return block_like(k, i, ops)->res[0];
}

struct kir_value *block_uniform(const struct block_range *k, struct kir_value *v) {
    return of_block(k, v, MAX_DEPTH);
}

static bool is_sreg(const struct kir_value *v, enum isa_sreg r) {
    return v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_SREG && v->def->sreg == r;
}

bool block_wraps_at_32(const struct kir_inst *i) {
    return (i->ty == ISA_S32 || i->ty == ISA_U32 || i->ty == ISA_B32) && !i->mods.sat &&
           !i->mods.cc;
}

static bool is_first_thread(const struct kir_value *x, const struct kir_value *y, unsigned d) {
    enum isa_sreg block = (enum isa_sreg)(ISA_SREG_CTAID_X + d),
                  size = (enum isa_sreg)(ISA_SREG_NTID_X + d);
    return (is_sreg(x, block) && is_sreg(y, size)) || (is_sreg(y, block) && is_sreg(x, size));
}

static bool is_grid_index(const struct kir_inst *i, unsigned d) {
    enum isa_sreg thread = (enum isa_sreg)(ISA_SREG_TID_X + d);
    if (!block_wraps_at_32(i))
        return false;
    if (i->op == ISA_OP_MAD)
        return i->mods.half == ISA_LO && is_first_thread(i->ops[0], i->ops[1], d) &&
               is_sreg(i->ops[2], thread);
    for (unsigned n = 0; i->op == ISA_OP_ADD && n < 2; n++) {
        const struct kir_value *m = i->ops[n];
        if (m->kind == KIR_VALUE_INST && m->def->op == ISA_OP_MUL && block_wraps_at_32(m->def) &&
            m->def->mods.half == ISA_LO && is_first_thread(m->def->ops[0], m->def->ops[1], d) &&
            is_sreg(i->ops[1 - n], thread))
            return true;
    }
    return false;
}

bool block_index(const struct kir_value *v, struct block_index *x) {
    *x = (struct block_index){0};
    if (v->kind != KIR_VALUE_INST)
        return false;
    const struct kir_inst *i = v->def;
    if (i->op == ISA_OP_CVT && (i->ty == ISA_S64 || i->ty == ISA_U64) &&
        (i->ty2 == ISA_S32 || i->ty2 == ISA_U32) && i->ops[0]->kind == KIR_VALUE_INST) {
        x->wider = i;
        i = i->ops[0]->def;
    }
    if (i->op == ISA_OP_ADD && block_wraps_at_32(i) && i->ops[1]->kind == KIR_VALUE_CONST &&
        i->ops[0]->kind == KIR_VALUE_INST) {
        x->added = i->ops[1]->bits.s32;
        i = i->ops[0]->def;
    }
    if (x->added <= -MOST_ADDED || x->added >= MOST_ADDED ||
        (x->wider && x->wider->ty2 == ISA_U32 && x->added < 0))
        return false;
    for (x->dimension = 0; x->dimension < 3; x->dimension++) {
        x->in_grid = is_grid_index(i, x->dimension);
        if (x->in_grid || (i->op == ISA_OP_SREG && i->sreg == ISA_SREG_TID_X + x->dimension))
            return true;
    }
    return false;
}

static struct kir_value *binary(const struct block_range *k, isa_op op, struct kir_value *a,
                                struct kir_value *b) {
    struct kir_inst *i = kir_inst_new(k->f, op, ISA_S32, 2, 1, &(uint8_t){KIR_B32}, 0);
    if (op == ISA_OP_MUL)
        i->mods.half = ISA_LO;
    i->ops[0] = a;
    i->ops[1] = b;
    kir_insert_before(k->at, i);
    return i->res[0];
}

static struct kir_value *register_of(const struct block_range *k, enum isa_sreg first, unsigned d) {
    struct kir_inst *i = kir_inst_new(k->f, ISA_OP_SREG, ISA_B32, 0, 1, &(uint8_t){KIR_B32}, 0);
    i->sreg = (uint8_t)(first + d);
    kir_insert_before(k->at, i);
    return i->res[0];
}

struct kir_value *block_extreme(const struct block_range *k, const struct block_index *x,
                                bool largest) {
    struct kir_value *size = register_of(k, ISA_SREG_NTID_X, x->dimension), *v = NULL;
    if (x->in_grid)
        v = binary(k, ISA_OP_MUL, register_of(k, ISA_SREG_CTAID_X, x->dimension), size);
    int32_t added = x->added - largest;
    if (largest)
        v = v ? binary(k, ISA_OP_ADD, v, size) : size;
    struct kir_value *c = kir_const(k->f, KIR_B32, (uint32_t)added);
    v = v ? binary(k, ISA_OP_ADD, v, c) : c;
    return x->wider ? block_like(k, x->wider, &v)->res[0] : v;
}
