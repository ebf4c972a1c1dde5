// Folds constants, copies, identities, phis of one value, and branches on constants.
#include "ir/clean/simplify.h"
#include "ir/eval.h"
#include "isa/ops/arith.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"

struct fold {
    struct kir_func *f;
    struct arena tmp;
    struct kir_value **to; // by value id: what stands in its place
    uint32_t n;            // values that existed at the start
    bool progress, edges;  // edges: a branch lost a target
};

static struct kir_value *find(struct fold *s, struct kir_value *v) {
    while (v->kind == KIR_VALUE_INST && v->id < s->n && s->to[v->id])
        v = s->to[v->id];
    return v;
}

static bool is_const(const struct kir_value *v, uint64_t bits) {
    return v->kind == KIR_VALUE_CONST && v->bits.u64[0] == bits && !v->bits.u64[1];
}

static bool same_value(const struct kir_value *a, const struct kir_value *b) {
    return a == b ||
           (a->kind == KIR_VALUE_CONST && b->kind == KIR_VALUE_CONST && a->type == b->type &&
            a->bits.u64[0] == b->bits.u64[0] && a->bits.u64[1] == b->bits.u64[1]);
}

static void replace(struct fold *s, struct kir_inst *i, unsigned result, struct kir_value *v) {
    s->to[i->res[result]->id] = v;
    s->progress = true;
}

static bool fold_constants(struct fold *s, struct kir_inst *i) {
    union isa_bits src[8], dst[8] = {0};
    if (!kir_is_computable(i) || i->nops > 8 || i->nres > 8)
        return false;
    for (uint32_t k = 0; k < i->nops; k++) {
        if (i->ops[k]->kind != KIR_VALUE_CONST)
            return false;
        src[k] = i->ops[k]->bits;
    }
    if (!kir_eval(i, src, dst))
        return false;
    for (uint32_t k = 0; k < i->nres; k++) {
        struct kir_value *c = kir_const(s->f, i->res[k]->type, dst[k].u64[0]);
        c->bits.u64[1] = dst[k].u64[1];
        replace(s, i, k, c);
    }
    return true;
}

// The one value that all operands are, or NULL.
static struct kir_value *only_value(struct kir_inst *phi) {
    struct kir_value *only = NULL;
    for (uint32_t k = 0; k < phi->nops; k++) {
        struct kir_value *v = phi->ops[k];
        if (v == phi->res[0])
            continue;
        if (only && !same_value(only, v))
            return NULL;
        only = v;
    }
    return only;
}

// A constant that stands beside undefined operands alone may stand for all of them.
static struct kir_value *only_constant(struct kir_inst *phi) {
    struct kir_value *only = NULL;
    for (uint32_t k = 0; k < phi->nops; k++) {
        struct kir_value *v = phi->ops[k];
        if (v == phi->res[0] || v->kind == KIR_VALUE_UNDEF)
            continue;
        if (v->kind != KIR_VALUE_CONST || (only && !same_value(only, v)))
            return NULL;
        only = v;
    }
    return only;
}

// The operand that the result equals, or NULL. All have the result's width.
static struct kir_value *identity(struct fold *s, struct kir_inst *i) {
    struct kir_value *a = i->nops > 0 ? i->ops[0] : NULL, *b = i->nops > 1 ? i->ops[1] : NULL;
    bool bits = i->ty == ISA_PRED || i->ty == ISA_B16 || i->ty == ISA_B32 || i->ty == ISA_B64;
    bool plain = !isa_type_is_float(i->ty) && !i->mods.cc && !i->mods.sat;
    uint64_t ones = bits ? ~UINT64_C(0) >> (64 - isa_type_bits(i->ty)) : 0;
    switch (i->op) {
    case ISA_OP_MOV:
        return a;
    case ISA_OP_CVTA:
        return i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_CONST ? a : NULL;
    case ISA_OP_ADD:
        return plain && is_const(b, 0) ? a : plain && is_const(a, 0) ? b : NULL;
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return bits && is_const(b, 0) ? a : bits && is_const(a, 0) ? b : NULL;
    case ISA_OP_AND:
        if (bits && (a->kind == KIR_VALUE_UNDEF || b->kind == KIR_VALUE_UNDEF))
            return kir_const(s->f, i->res[0]->type, 0);
        return bits && is_const(b, ones) ? a : bits && is_const(a, ones) ? b : NULL;
    case ISA_OP_SUB:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        return plain && is_const(b, 0) ? a : NULL;
    case ISA_OP_SELP:
        if (same_value(a, b) || b->kind == KIR_VALUE_UNDEF)
            return a;
        if (i->ops[2]->kind == KIR_VALUE_CONST)
            return is_const(i->ops[2], 0) ? b : a;
        return a->kind == KIR_VALUE_UNDEF ? b : NULL;
    default:
        return NULL;
    }
}

// Whether an address that is that of a shared or local variable lies in a space.
static struct kir_value *known_space(struct fold *s, const struct kir_inst *i) {
    const struct kir_value *a = i->ops[0];
    if (i->op != ISA_OP_ISSPACEP || a->kind != KIR_VALUE_INST || a->def->op != ISA_OP_CVTA)
        return NULL;
    const struct kir_value *v = a->def->ops[0];
    uint8_t own = a->def->mods.space, asked = i->mods.space;
    if (a->def->mods.to || v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_SYMADDR ||
        v->def->sym->space != own || (own != ISA_SPACE_SHARED && own != ISA_SPACE_LOCAL))
        return NULL;
    bool in = asked == own || (own == ISA_SPACE_SHARED && asked == ISA_SPACE_CLUSTER);
    return kir_const(s->f, KIR_PRED, in);
}

static bool same_width(const struct kir_inst *i, const struct kir_value *v) {
    unsigned bits = kir_type_bits(i->res[0]->type);
    return kir_type_bits(v->type) == bits && isa_type_bits(i->ty) == bits;
}

// What is shuffled of a float is one: who wants to know which NaN it is looks at the sum of it, not
// at the shuffle.
static void keep_float(struct kir_inst *i) {
    if (i->op == ISA_OP_SHFL && i->ops[0]->type == KIR_F32 && i->res[0]->type == KIR_B32)
        i->res[0]->type = KIR_F32;
}

// The constant that v adds to x; 0: it is no such sum, modulo 2^bits.
static uint64_t added_to(const struct kir_value *v, const struct kir_value *x, unsigned bits) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i || i->op != ISA_OP_ADD || isa_type_is_float(i->ty) || isa_type_bits(i->ty) != bits ||
        i->ty == ISA_U16X2 || i->ty == ISA_S16X2 || i->mods.cc || i->mods.sat)
        return 0;
    for (unsigned k = 0; k < 2; k++)
        if (i->ops[k] == x && i->ops[1 - k]->kind == KIR_VALUE_CONST)
            return i->ops[1 - k]->bits.u64[0];
    return 0;
}

// x + c < x, where c is not 0, asks whether the sum wraps: whether x >= -c. Compilers end loops so
// that leave by x < -c, and a comparison with a constant tells more.
static void compare_carry(struct fold *s, struct kir_inst *i) {
    if (i->op != ISA_OP_SETP || i->nops != 2 || (i->ty != ISA_U32 && i->ty != ISA_U64))
        return;
    enum isa_cmp cmp = i->mods.cmp;
    bool less = cmp == ISA_CMP_LT || cmp == ISA_CMP_LE || cmp == ISA_CMP_LO || cmp == ISA_CMP_LS;
    bool more = cmp == ISA_CMP_GT || cmp == ISA_CMP_GE || cmp == ISA_CMP_HI || cmp == ISA_CMP_HS;
    unsigned bits = isa_type_bits(i->ty);
    for (unsigned k = 0; k < 2 && (less || more); k++) {
        struct kir_value *x = i->ops[1 - k];
        uint64_t c = added_to(i->ops[k], x, bits);
        if (!c || kir_type_bits(x->type) != bits)
            continue;
        i->mods.cmp = less == (k == 0) ? ISA_CMP_GE : ISA_CMP_LT;
        i->ops[0] = x;
        i->ops[1] = kir_const(s->f, x->type, -c & ~UINT64_C(0) >> (64 - bits));
        s->progress = true;
        return;
    }
}

static void fold_inst(struct fold *s, struct kir_inst *i) {
    if (i->nres == 0 || s->to[i->res[0]->id])
        return;
    keep_float(i);
    compare_carry(s, i);
    if (i->op == ISA_OP_PHI) {
        struct kir_value *v = only_value(i);
        v = v ? v : only_constant(i);
        if (v)
            replace(s, i, 0, v);
        return;
    }
    if (fold_constants(s, i))
        return;
    struct kir_value *v = i->nres == 1 ? identity(s, i) : NULL;
    if (v && same_width(i, v))
        replace(s, i, 0, v);
    else if (i->op == ISA_OP_ISSPACEP && (v = known_space(s, i)))
        replace(s, i, 0, v);
}

static void remove_edge(struct kir_block *from, struct kir_block *to) {
    uint32_t at = 0;
    while (to->preds.data[at] != from)
        at++;
    for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next) {
        memmove(i->ops + at, i->ops + at + 1, sizeof *i->ops * (i->nops - at - 1));
        i->nops--;
    }
    memmove(to->preds.data + at, to->preds.data + at + 1,
            sizeof *to->preds.data * (to->preds.len - at - 1));
    to->preds.len--;
}

static void make_bra(struct kir_inst *i, struct kir_block *target) {
    i->op = ISA_OP_BRA;
    i->nops = 0;
    i->ntargets = 1;
    i->targets[0] = target;
}

// Both ways lead to one block, with the same values.
static bool same_target(const struct kir_inst *i) {
    const struct kir_block *to = i->targets[0];
    if (to != i->targets[1])
        return false;
    for (const struct kir_inst *phi = to->first; phi && phi->op == ISA_OP_PHI; phi = phi->next) {
        const struct kir_value *seen = NULL;
        for (uint32_t k = 0; k < phi->nops; k++) {
            if (to->preds.data[k] != i->block)
                continue;
            if (seen && !same_value(seen, phi->ops[k]))
                return false;
            seen = phi->ops[k];
        }
    }
    return true;
}

static void fold_branch(struct fold *s, struct kir_inst *i) {
    if (i->op != ISA_OP_CBR)
        return;
    bool constant = i->ops[0]->kind == KIR_VALUE_CONST;
    if (!constant && !same_target(i))
        return;
    // Which entry of preds goes does not matter when both ways carry the same values.
    unsigned taken = constant && is_const(i->ops[0], 0) ? 1 : 0;
    struct kir_block *keep = i->targets[taken], *drop = i->targets[1 - taken];
    if (keep == drop && !same_target(i))
        return;
    remove_edge(i->block, drop);
    make_bra(i, keep);
    s->progress = s->edges = true;
}

static void resolve_operands(struct fold *s, struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nops; k++)
        i->ops[k] = find(s, i->ops[k]);
}

static bool fold_once(struct kir_func *f) {
    struct fold s = {.f = f, .n = f->value_count};
    s.to = arena_array(&s.tmp, struct kir_value *, s.n);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            resolve_operands(&s, i);
            fold_inst(&s, i);
        }
    struct kir_inst *next;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = next) {
            next = i->next;
            resolve_operands(&s, i);
            if (i->nres && s.to[i->res[0]->id])
                kir_remove(i);
            else
                fold_branch(&s, i);
        }
    bool edges = s.edges, progress = s.progress;
    arena_free(&s.tmp);
    if (edges)
        kir_remove_unreachable(f);
    return progress;
}

bool kir_fold(struct kir_func *f) {
    enum { ROUNDS = 16 }; // nearly always two or three are enough
    bool progress = false;
    for (int round = 0; round < ROUNDS && fold_once(f); round++)
        progress = true;
    return progress;
}
