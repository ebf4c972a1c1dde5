// What values may point into, as sets of 64 bits.
#include "passes/check/check_sets.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"

static uint64_t set_of(const uint64_t *sets, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST ? sets[v->id] : 0;
}

static uint64_t of_operands(const uint64_t *sets, const struct kir_inst *i) {
    uint64_t all = 0;
    for (uint32_t k = 0; k < i->nops; k++)
        all |= set_of(sets, i->ops[k]);
    return all;
}

static uint64_t set_from(const uint64_t *sets, const struct kir_inst *i) {
    uint64_t x, y;
    switch (i->op) {
    case ISA_OP_PHI:
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
    case ISA_OP_CVT:
    case ISA_OP_AND:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return of_operands(sets, i);
    case ISA_OP_SELP:
        return set_of(sets, i->ops[0]) | set_of(sets, i->ops[1]);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        x = set_of(sets, i->ops[0]);
        y = set_of(sets, i->ops[1]);
        return x && y ? x | y | CHECK_SET_UNKNOWN : x | y;
    case ISA_OP_MAD:
    case ISA_OP_MAD24:
        return set_of(sets, i->ops[2]);
    case ISA_OP_MUL:
    case ISA_OP_MUL24:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_DIV:
    case ISA_OP_REM:
    case ISA_OP_SETP:
    case ISA_OP_SREG:
    case ISA_OP_POPC:
    case ISA_OP_CLZ:
        return 0;
    default:
        return i->nops && !of_operands(sets, i) && i->op != ISA_OP_LD && i->op != ISA_OP_LDU &&
                       i->op != ISA_OP_ATOM && i->op != ISA_OP_CALL && i->op != ISA_OP_MOV_PACK
                   ? 0
                   : CHECK_SET_UNKNOWN;
    }
}

uint64_t *check_sets_find(struct arena *arena, const struct kir_func *f,
                          bool (*source)(void *user, const struct kir_inst *i, uint64_t *set),
                          void *user) {
    uint64_t *sets = arena_array(arena, uint64_t, f->value_count + 1);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < f->blocks.len; b++)
            for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                for (uint32_t r = 0; r < i->nres; r++) {
                    uint64_t set, *is = &sets[i->res[r]->id];
                    if (i->res[r]->type != KIR_B64)
                        continue;
                    if (!source(user, i, &set))
                        set = set_from(sets, i);
                    again |= (set | *is) != *is;
                    *is |= set;
                }
    }
    return sets;
}
