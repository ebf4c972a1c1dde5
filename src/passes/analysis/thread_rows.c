#include "passes/analysis/thread_rows.h"

#include "isa/ops/floats.h"

enum {
    WORDS = 4,
    SIDE_BY_SIDE = 32, // bytes from thread to thread up to which vectors of threads are lines
    MOST_STEPS = 2000, // that are looked at
    MOST_WORK = 3      // operations on four words, for two accesses of four
};

static bool is_access(const struct kir_inst *i) {
    return i->op == ISA_OP_LD || i->op == ISA_OP_ST;
}

static bool is_of_four(const struct kir_inst *i) {
    return is_access(i) && i->ty == ISA_F32 && i->mods.vec == WORDS;
}

// Do neighbouring lanes' rows lie apart? A width of one was asked for: nobody knows.
static bool lies_apart(const struct flow *fl, const struct kir_value *at) {
    const struct shape *s = &fl->shape[at->id];
    return fl->width == 1 || (s->kind == SHAPE_OFFSETS && s->offs[1] - s->offs[0] > SIDE_BY_SIDE);
}

static bool is_plain(const struct kir_inst *i) {
    return i->mods.space == ISA_SPACE_GLOBAL && i->mods.sem == ISA_SEM_WEAK;
}

// What LLVM finds to be alike in four words.
static bool is_arithmetic(const struct kir_inst *i) {
    return i->ty == ISA_F32 && (i->op == ISA_OP_ADD || i->op == ISA_OP_SUB || i->op == ISA_OP_MUL ||
                                i->op == ISA_OP_FMA);
}

static bool same_mods(const struct kir_inst *x, const struct kir_inst *y) {
    return x->mods.rnd == y->mods.rnd && x->mods.ftz == y->mods.ftz && x->mods.sat == y->mods.sat;
}

// Are these the words of one row, or one value, or made of such by the same operations?
static bool alike(const struct kir_value *const *v, unsigned *steps) {
    bool same = true;
    if (++*steps > MOST_STEPS)
        return false;
    for (unsigned k = 0; k < WORDS; k++)
        same &= v[k] == v[0];
    if (same)
        return true;
    for (unsigned k = 0; k < WORDS; k++)
        if (v[k]->kind != KIR_VALUE_INST)
            return false;
    const struct kir_inst *first = v[0]->def;
    if (is_of_four(first)) {
        for (unsigned k = 0; k < WORDS; k++)
            if (v[k]->def != first || first->res[k] != v[k])
                return false;
        return true;
    }
    if (!is_arithmetic(first))
        return false;
    for (unsigned k = 1; k < WORDS; k++)
        if (v[k]->def->op != first->op || v[k]->def->ty != first->ty ||
            !same_mods(v[k]->def, first))
            return false;
    for (uint32_t n = 0; n < first->nops; n++) {
        const struct kir_value *x[WORDS];
        for (unsigned k = 0; k < WORDS; k++)
            x[k] = v[k]->def->ops[n];
        if (!alike(x, steps))
            return false;
    }
    return true;
}

static bool stores_alike(const struct kir_inst *i, unsigned *steps) {
    const struct kir_value *v[WORDS];
    for (unsigned k = 0; k < WORDS; k++)
        v[k] = i->ops[i->nops - WORDS + k];
    return alike(v, steps);
}

bool thread_rows_are_vectors(const struct flow *fl) {
    unsigned accesses = 0, work = 0, steps = 0;
    if (fl->cfg->loops.len || fl->spec.ntid[1] * fl->spec.ntid[2] != 1)
        return false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY) {
                if (is_access(i) && i->mods.space == ISA_SPACE_PARAM)
                    continue;
                if (!is_of_four(i) || !is_plain(i) || !lies_apart(fl, i->ops[0]) ||
                    (i->op == ISA_OP_ST && !stores_alike(i, &steps)))
                    return false;
                accesses++;
            } else if (isa_type_is_float(i->ty)) {
                if (!is_arithmetic(i))
                    return false;
                work++;
            }
        }
    }
    return accesses && work * 2 <= accesses * MOST_WORK * WORDS;
}
