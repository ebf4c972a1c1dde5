// Which undecided bits are made: those of a computation's result, and of what a condition chose
// that nobody has decided. Others are only moved from where they were loaded.
#include "passes/check/check_init.h"

#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"

// Does the result have the operands' bits and no others?
bool init_is_move(const struct init *s, const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MMA:
    case ISA_OP_WMMA_MMA:
    case ISA_OP_WGMMA_MMA:
        return false;
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_BFE:
        return init_rest_is_clean(s, i, 1);
    case ISA_OP_SHF:
    case ISA_OP_PRMT:
    case ISA_OP_BFI:
    case ISA_OP_SELP:
        return init_rest_is_clean(s, i, 2);
    case ISA_OP_CVT:
        return init_is_int_conversion(i);
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
    case ISA_OP_NOT:
    case ISA_OP_BREV:
    case ISA_OP_LOP3:
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_MOV_PACK:
    case ISA_OP_MOV_UNPACK:
    case ISA_OP_SHFL:
    case ISA_OP_PHI:
        return true;
    default:
        return isa_op_info[i->op].klass != ISA_CLASS_POINTWISE; // loads
    }
}

// Where the bits of an instruction's results come from, as far as that of its operands is known. A
// choice by a condition with such bits makes what it chooses.
static uint8_t origin_of(const struct init *s, const struct kir_inst *i) {
    bool choice = i->op == ISA_OP_SELP && init_has(s, i->ops[2]), moves = init_is_move(s, i);
    uint8_t from = moves ? 0 : INIT_MADE;
    if (moves && isa_op_info[i->op].klass != ISA_CLASS_POINTWISE && i->op != ISA_OP_PHI &&
        i->op != ISA_OP_SHFL && i->op != ISA_OP_MOVMATRIX)
        return INIT_LOADED;
    for (uint32_t k = 0; (moves || choice) && k < (choice ? 2 : i->nops); k++)
        if (init_has(s, i->ops[k]))
            from |= s->origin[i->ops[k]->id];
    return from;
}

void init_find_origins(struct init *s) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < s->f->blocks.len; b++)
            for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
                for (uint32_t k = 0; k < i->nres; k++) {
                    uint8_t from = init_has(s, i->res[k]) ? origin_of(s, i) : 0;
                    again |= s->origin[i->res[k]->id] != from;
                    s->origin[i->res[k]->id] = from;
                }
    }
}

bool init_stores(const struct kir_inst *i) {
    return i->op == ISA_OP_ST || i->op == ISA_OP_ATOM || i->op == ISA_OP_STMATRIX ||
           i->op == ISA_OP_WMMA_STORE;
}

// Of what is stored and may be either it is to be known which bits are made, and so of all that
// such values are moved from.
void init_find_wanted(struct init *s) {
    VEC(const struct kir_value *) list = {0};
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 1; init_stores(i) && k < i->nops; k++)
                if (init_has(s, i->ops[k]))
                    vec_push(&s->tmp, &list, i->ops[k]);
    for (uint32_t n = 0; n < list.len; n++) {
        const struct kir_value *v = list.data[n];
        if (s->wanted[v->id] || s->origin[v->id] != INIT_BOTH)
            continue;
        s->wanted[v->id] = true;
        for (uint32_t k = 0; k < v->def->nops; k++)
            if (init_has(s, v->def->ops[k]))
                vec_push(&s->tmp, &list, v->def->ops[k]);
    }
}

// Which of the bits are made, where that is wanted: of moves, from their operands' in the same way
// as bits do.
void init_follow_made(struct init *s, struct kir_inst *i) {
    bool wanted = false;
    for (uint32_t k = 0; k < i->nres; k++)
        wanted |= s->wanted[i->res[k]->id];
    if (!wanted)
        return;
    s->shadow = s->made;
    if (i->op == ISA_OP_SHFL || i->op == ISA_OP_MOVMATRIX)
        s->made[i->res[0]->id] = init_same(s, i, 1)->res[0];
    else
        init_follow(s, i);
    s->shadow = s->bits;
}
