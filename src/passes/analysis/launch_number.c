#include "passes/analysis/launch_number.h"

#include "isa/ops/arith.h"
#include "isa/ops/logic.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"

static bool is_whole(uint8_t type) {
    return type == ISA_S32 || type == ISA_U32 || type == ISA_B32 || type == ISA_S64 ||
           type == ISA_U64 || type == ISA_B64;
}

static unsigned bits_of(const struct kir_value *v) {
    return v->type == KIR_B32 ? 32 : v->type == KIR_B64 ? 64 : 0;
}

// Where i loads a whole parameter, or a part of one.
static bool is_param(const struct kir_inst *i, struct kj_step *s) {
    const struct kir_value *v = i->ops[0];
    const struct kir_inst *at =
        v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_SYMADDR ? v->def : NULL;
    int64_t offset = at ? (int64_t)at->sym->offset + at->offset + i->offset : -1;
    if (!at || i->mods.space != ISA_SPACE_PARAM || at->sym->space != ISA_SPACE_PARAM ||
        i->mods.vec || i->mods.sem != ISA_SEM_WEAK || offset < 0 ||
        isa_type_bits((enum isa_type)i->ty) != s->bits)
        return false;
    s->op = KJ_STEP_PARAM;
    s->number = (uint64_t)offset;
    return true;
}

// Operands have the result's bits.
static bool is_even(const struct kir_inst *i, unsigned bits) {
    return isa_type_bits((enum isa_type)i->ty) == bits && bits_of(i->ops[0]) == bits &&
           bits_of(i->ops[1]) == bits;
}

static bool converts(const struct kir_inst *i, struct kj_step *s) {
    unsigned from = isa_type_bits((enum isa_type)i->ty2);
    if (!is_whole(i->ty2) || isa_type_bits((enum isa_type)i->ty) != s->bits ||
        bits_of(i->ops[0]) != from)
        return false;
    bool sign = from < s->bits && isa_type_is_signed((enum isa_type)i->ty2);
    s->op = sign ? KJ_STEP_SIGN : KJ_STEP_KEEP;
    return true;
}

// What step i is of its one or two operands.
static bool of_inst(const struct kir_inst *i, struct kj_step *s) {
    bool is_signed = isa_type_is_signed((enum isa_type)i->ty);
    if (i->op == ISA_OP_LD)
        return is_param(i, s);
    if (!is_whole(i->ty) || i->mods.sat || i->mods.cc || i->mods.relu || i->nres != 1)
        return false;
    if (i->op == ISA_OP_MOV && i->nops == 1 && bits_of(i->ops[0]) == s->bits) {
        s->op = KJ_STEP_KEEP;
        return true;
    }
    if (i->op == ISA_OP_CVT)
        return converts(i, s);
    if (i->nops != 2)
        return false;
    if (i->op == ISA_OP_MUL && i->mods.half == ISA_WIDE) {
        s->op = is_signed ? KJ_STEP_MUL_S : KJ_STEP_MUL;
        return s->bits == 64 && is_even(i, 32);
    }
    bool shift = i->op == ISA_OP_SHL || i->op == ISA_OP_SHR;
    if (shift ? bits_of(i->ops[0]) != s->bits || bits_of(i->ops[1]) != 32 ||
                    isa_type_bits((enum isa_type)i->ty) != s->bits
              : !is_even(i, s->bits))
        return false;
    switch (i->op) {
    case ISA_OP_ADD:
        s->op = KJ_STEP_ADD;
        return true;
    case ISA_OP_SUB:
        s->op = KJ_STEP_SUB;
        return true;
    case ISA_OP_MUL:
        s->op = KJ_STEP_MUL;
        return i->mods.half == ISA_LO;
    case ISA_OP_DIV:
        s->op = is_signed ? KJ_STEP_DIV_S : KJ_STEP_DIV;
        return true;
    case ISA_OP_MIN:
        s->op = is_signed ? KJ_STEP_MIN_S : KJ_STEP_MIN;
        return true;
    case ISA_OP_MAX:
        s->op = is_signed ? KJ_STEP_MAX_S : KJ_STEP_MAX;
        return true;
    case ISA_OP_AND:
        s->op = KJ_STEP_AND;
        return true;
    case ISA_OP_OR:
        s->op = KJ_STEP_OR;
        return true;
    case ISA_OP_XOR:
        s->op = KJ_STEP_XOR;
        return true;
    case ISA_OP_SHL:
        s->op = KJ_STEP_SHL;
        return true;
    case ISA_OP_SHR:
        s->op = is_signed ? KJ_STEP_SHR_S : KJ_STEP_SHR;
        return true;
    default:
        return false;
    }
}

static int step_of(const struct launch_number *l, const struct kir_value *v) {
    for (uint32_t k = 0; k < l->n; k++)
        if (l->values[k] == v)
            return (int)k;
    return -1;
}

// Has v's step been added, or can it be? Operands come first: else the one that lacks is in *first.
static bool add_step(struct launch_number *l, struct kir_value *v, struct kir_value **first) {
    struct kj_step s = {.bits = (uint8_t)bits_of(v)};
    *first = NULL;
    if (step_of(l, v) >= 0)
        return true;
    if (!s.bits || l->n == KJ_MOST_STEPS)
        return false;
    if (v->kind == KIR_VALUE_CONST) {
        s.number = s.bits == 32 ? v->bits.u32[0] : v->bits.u64[0];
    } else if (v->kind != KIR_VALUE_INST || !of_inst(v->def, &s)) {
        return false;
    }
    bool has_operands = s.op > KJ_STEP_PARAM;
    for (uint32_t k = 0; has_operands && k < v->def->nops; k++) {
        int at = step_of(l, v->def->ops[k]);
        if (at < 0) {
            *first = v->def->ops[k];
            return true;
        }
        *(k ? &s.y : &s.x) = (uint8_t)at;
    }
    l->values[l->n] = v;
    l->steps[l->n++] = s;
    return true;
}

struct launch_number launch_number_of(struct kir_value *v) {
    struct launch_number l = {0}, none = {0};
    struct kir_value *todo[KJ_MOST_STEPS], *first;
    unsigned n = 0;
    todo[n++] = v;
    while (n) {
        if (!add_step(&l, todo[n - 1], &first) || (first && n == KJ_MOST_STEPS))
            return none;
        if (first)
            todo[n++] = first;
        else
            n--;
    }
    return l;
}

struct kir_value *launch_number_first(struct kir_func *f, const struct launch_number *l) {
    struct kir_block *entry = f->blocks.data[0];
    struct kir_value *last = l->values[l->n - 1], *made[KJ_MOST_STEPS];
    if (last->kind != KIR_VALUE_INST || last->def->block == entry)
        return last;
    for (uint32_t k = 0; k < l->n; k++) {
        struct kir_value *v = made[k] = l->values[k];
        if (v->kind != KIR_VALUE_INST || v->def->block == entry)
            continue;
        const struct kir_inst *i = v->def;
        struct kir_inst *c =
            kir_inst_new(f, (isa_op)i->op, (enum isa_type)i->ty, i->nops, 1, &v->type, 0);
        c->ty2 = i->ty2;
        c->mods = i->mods;
        c->offset = i->offset;
        c->file = i->file;
        c->line = i->line;
        if (i->op == ISA_OP_LD && i->ops[0]->def->block != entry) {
            const struct kir_inst *at = i->ops[0]->def;
            struct kir_inst *a =
                kir_inst_new(f, ISA_OP_SYMADDR, (enum isa_type)at->ty, 0, 1, &at->res[0]->type, 0);
            a->sym = at->sym;
            a->offset = at->offset;
            kir_insert_before(entry->last, a);
            c->ops[0] = a->res[0];
        } else if (i->op == ISA_OP_LD) {
            c->ops[0] = i->ops[0];
        } else {
            c->ops[0] = made[l->steps[k].x];
            if (i->nops > 1)
                c->ops[1] = made[l->steps[k].y];
        }
        kir_insert_before(entry->last, c);
        made[k] = c->res[0];
    }
    kir_replace_uses(f, last, made[l->n - 1]);
    return made[l->n - 1];
}
