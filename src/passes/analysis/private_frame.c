// An array that each thread has for itself (the words of a hash's schedule, a row of a small
// matrix) is in local memory when its index is not a constant. Compilers reach it by local
// addresses or, once a pointer to it was made, by generic ones; both are sums that begin with a
// variable's address, and phis and choices of such sums.
#include "passes/analysis/private_frame.h"

#include "isa/ops/memory.h"
#include "support/arena.h"
#include "support/work.h"

enum kind { NOT_ADDRESS, LOCAL, GENERIC };

struct frame {
    struct kir_func *f;
    uint8_t *kind; // by value id: enum kind
};

static enum kind kind_of(const struct frame *p, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST ? (enum kind)p->kind[v->id] : NOT_ADDRESS;
}

// Bits below the alignment that frames of all threads have: alike in local and generic addresses.
static bool is_low(const struct kir_value *v) {
    enum { FRAME_ALIGN = 16 };
    return v->kind == KIR_VALUE_CONST && v->bits.u64[0] < FRAME_ALIGN;
}

static enum kind of_cvta(const struct frame *p, const struct kir_inst *i) {
    enum kind from = kind_of(p, i->ops[0]);
    if (i->mods.space != ISA_SPACE_LOCAL || from != (i->mods.to ? GENERIC : LOCAL))
        return NOT_ADDRESS;
    return i->mods.to ? LOCAL : GENERIC;
}

// The address among operands `first` up to `end`; the others of them are none, or are alike.
static enum kind of_any(const struct frame *p, const struct kir_inst *i, uint32_t first,
                        uint32_t end) {
    enum kind found = NOT_ADDRESS;
    for (uint32_t k = first; k < end && !found; k++)
        found = kind_of(p, i->ops[k]);
    return found;
}

// The kind of address that i makes of one.
static enum kind derive(const struct frame *p, const struct kir_inst *i) {
    if (i->nres != 1 || i->res[0]->type != KIR_B64 || i->mods.cc || i->mods.sat)
        return NOT_ADDRESS;
    switch (i->op) {
    case ISA_OP_SYMADDR:
        if (i->sym->space != ISA_SPACE_LOCAL)
            return NOT_ADDRESS;
        return i->flag ? GENERIC : LOCAL;
    case ISA_OP_CVTA:
        return of_cvta(p, i);
    case ISA_OP_MOV:
        return i->nops == 1 ? kind_of(p, i->ops[0]) : NOT_ADDRESS;
    case ISA_OP_ADD:
        return i->nops == 2 ? of_any(p, i, 0, 2) : NOT_ADDRESS;
    case ISA_OP_SUB:
        return i->nops == 2 ? kind_of(p, i->ops[0]) : NOT_ADDRESS;
    case ISA_OP_MAD:
        return i->nops == 3 ? kind_of(p, i->ops[2]) : NOT_ADDRESS;
    case ISA_OP_OR:
        return i->nops == 2 && is_low(i->ops[1]) ? kind_of(p, i->ops[0]) : NOT_ADDRESS;
    case ISA_OP_SELP:
        return i->nops == 3 ? of_any(p, i, 0, 2) : NOT_ADDRESS;
    case ISA_OP_PHI:
        return of_any(p, i, 0, i->nops);
    default:
        return NOT_ADDRESS;
    }
}

static void find_addresses(struct frame *p) {
    for (bool changed = true; changed;) {
        changed = false;
        work_spend(p->f->value_count);
        for (uint32_t b = 0; b < p->f->blocks.len; b++)
            for (struct kir_inst *i = p->f->blocks.data[b]->first; i; i = i->next) {
                enum kind k = derive(p, i);
                if (!k || p->kind[i->res[0]->id])
                    continue;
                p->kind[i->res[0]->id] = (uint8_t)k;
                changed = true;
            }
    }
}

static bool is_plain_access(const struct kir_inst *i) {
    unsigned bits = isa_type_bits(i->ty);
    return (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK && bits >= 8 &&
           bits <= 64;
}

// Of an access's address.
static bool is_right_space(const struct frame *p, const struct kir_inst *i) {
    enum kind k = kind_of(p, i->ops[0]);
    if (i->mods.space == ISA_SPACE_LOCAL)
        return k == LOCAL;
    return !k || (k == GENERIC && i->mods.space == ISA_SPACE_GENERIC);
}

// Which operands of i have to be addresses of its result's kind, as bits; the others must be none.
static uint32_t address_operands(const struct frame *p, const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_PHI:
        return UINT32_MAX;
    case ISA_OP_SELP:
        return 3;
    case ISA_OP_MAD:
        return 4;
    case ISA_OP_ADD:
        return kind_of(p, i->ops[0]) ? 1 : 2;
    case ISA_OP_SYMADDR:
        return 0;
    default:
        return 1;
    }
}

static bool keeps_addresses(const struct frame *p, const struct kir_inst *i) {
    enum kind made = i->nres == 1 ? (enum kind)p->kind[i->res[0]->id] : NOT_ADDRESS;
    uint32_t first = 0, want = made ? address_operands(p, i) : 0;
    if (is_plain_access(i)) {
        if (!is_right_space(p, i))
            return false;
        first = 1;
    } else if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY && i->mods.space == ISA_SPACE_LOCAL) {
        return false;
    }
    for (uint32_t k = first; k < i->nops; k++) {
        bool one = i->op == ISA_OP_PHI ? want != 0 : k < 32 && want >> k & 1;
        enum kind have = kind_of(p, i->ops[k]);
        if ((have != NOT_ADDRESS) != one || (one && i->op != ISA_OP_CVTA && have != made))
            return false;
    }
    return true;
}

static bool is_allowed(const struct kir_inst *i) {
    return i->op != ISA_OP_CALL && i->op != ISA_OP_ALLOCA && i->op != ISA_OP_STACKSAVE &&
           i->op != ISA_OP_STACKRESTORE && isa_op_info[i->op].klass != ISA_CLASS_CHECK;
}

static bool stay(const struct frame *p) {
    bool any = false;
    for (uint32_t b = 0; b < p->f->blocks.len; b++)
        for (const struct kir_inst *i = p->f->blocks.data[b]->first; i; i = i->next) {
            if (!is_allowed(i) || !keeps_addresses(p, i))
                return false;
            any |= is_plain_access(i) && kind_of(p, i->ops[0]);
        }
    return any;
}

static void make_local(const struct frame *p) {
    for (uint32_t b = 0; b < p->f->blocks.len; b++)
        for (struct kir_inst *i = p->f->blocks.data[b]->first; i; i = i->next) {
            if (is_plain_access(i) && kind_of(p, i->ops[0]))
                i->mods.space = ISA_SPACE_LOCAL;
            if (i->nres != 1 || !p->kind[i->res[0]->id])
                continue;
            if (i->op == ISA_OP_SYMADDR)
                i->flag = false;
            if (i->op == ISA_OP_CVTA) {
                i->op = ISA_OP_MOV;
                i->ty = ISA_B64;
                i->mods = (struct isa_mods){0};
            }
        }
}

bool private_frame(struct kir_func *f) {
    struct arena tmp = {0};
    struct frame p = {.f = f};
    if (!f->is_kernel || !f->locals.len)
        return false;
    p.kind = arena_array(&tmp, uint8_t, f->value_count + 1);
    find_addresses(&p);
    bool is_private = stay(&p);
    if (is_private)
        make_local(&p);
    arena_free(&tmp);
    return is_private;
}
