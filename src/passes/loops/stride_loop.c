// Each thread of a grid-stride loop walks through memory in steps of a whole grid, and so does a
// worker that runs one vector of threads to its end after the other. Threads of different blocks
// may go on in any order: when each iteration is made for all of a worker's blocks before the next
// one, it walks through memory as it lies. A block's iteration k is what a block that is k grids
// further on would do, so that one iteration is left in the kernel.
#include "passes/loops/stride_loop.h"

#include "ir/clean/simplify.h"
#include "isa/ops/control.h"
#include "passes/flow/cfg.h"
#include "passes/loops/loop_exit.h"

enum { MAX_CHAIN = 8 };

struct search {
    const struct cfg *cfg;
    const struct cfg_loop *loop;
    struct kir_func *func;
    const uint32_t *ntid;
    const struct kir_inst *chain[MAX_CHAIN]; // what makes the first index of %ctaid.x
    unsigned nchain;
    struct kir_inst *phi, *exit; // the index; the branch that leaves the loop
    struct kir_value *first, *limit;
    struct launch_number number; // the limit
    enum isa_type type;
};

static bool is_in(const struct search *s, const struct kir_block *b) {
    return cfg_in_loop(s->loop, s->cfg->loop[b->id]);
}

static const struct kir_inst *inst_of(const struct kir_value *v, isa_op op) {
    return v->kind == KIR_VALUE_INST && v->def->op == op ? v->def : NULL;
}

// ---- the index and its step --------------------------------------------------------------------

static const struct kir_value *widened(const struct kir_value *v) {
    const struct kir_inst *i = inst_of(v, ISA_OP_CVT);
    bool whole = i && !isa_type_is_float((enum isa_type)i->ty) &&
                 !isa_type_is_float((enum isa_type)i->ty2) &&
                 isa_type_bits((enum isa_type)i->ty) == 64 &&
                 isa_type_bits((enum isa_type)i->ty2) == 32;
    return whole ? i->ops[0] : v;
}

static bool is_sreg(const struct kir_value *v, enum isa_sreg r) {
    const struct kir_inst *i = inst_of(widened(v), ISA_OP_SREG);
    return i && i->sreg == r;
}

static bool is_block_size(const struct search *s, const struct kir_value *v) {
    const struct kir_value *n = widened(v);
    return is_sreg(n, ISA_SREG_NTID_X) ||
           (n->kind == KIR_VALUE_CONST && s->ntid[0] && n->bits.u64[0] == s->ntid[0]);
}

static bool is_plain(const struct kir_inst *i) {
    return !isa_type_is_float((enum isa_type)i->ty) && !i->mods.sat && !i->mods.cc &&
           i->nres == 1 && i->mods.half != ISA_HI;
}

// Is i a product of r and the size of blocks?
static bool is_product(const struct search *s, const struct kir_inst *i, enum isa_sreg r) {
    return is_plain(i) && ((is_sreg(i->ops[0], r) && is_block_size(s, i->ops[1])) ||
                           (is_sreg(i->ops[1], r) && is_block_size(s, i->ops[0])));
}

static bool is_step(const struct search *s, const struct kir_value *v) {
    const struct kir_inst *i = inst_of(widened(v), ISA_OP_MUL);
    return i && is_product(s, i, ISA_SREG_NCTAID_X);
}

static void link(struct search *s, const struct kir_value *v) {
    if (v->kind == KIR_VALUE_INST && s->nchain < MAX_CHAIN)
        s->chain[s->nchain++] = v->def;
}

static void link_product(struct search *s, const struct kir_inst *i) {
    const struct kir_value *v = i->ops[is_block_size(s, i->ops[0])];
    link(s, v);
    link(s, widened(v));
}

// blockIdx.x * blockDim.x + threadIdx.x
static bool is_first_index(struct search *s, const struct kir_value *v) {
    link(s, v);
    v = widened(v);
    link(s, v);
    const struct kir_inst *mad = inst_of(v, ISA_OP_MAD), *add = inst_of(v, ISA_OP_ADD);
    if (mad && is_product(s, mad, ISA_SREG_CTAID_X) && is_sreg(mad->ops[2], ISA_SREG_TID_X)) {
        link_product(s, mad);
        return true;
    }
    for (unsigned k = 0; add && is_plain(add) && k < 2; k++) {
        const struct kir_value *p = add->ops[k];
        const struct kir_inst *mul = inst_of(widened(p), ISA_OP_MUL);
        if (!mul || !is_product(s, mul, ISA_SREG_CTAID_X) ||
            !is_sreg(add->ops[1 - k], ISA_SREG_TID_X))
            continue;
        link(s, p);
        link(s, widened(p));
        link_product(s, mul);
        return true;
    }
    return false;
}

// ---- the tests ---------------------------------------------------------------------------------

static bool is_unsigned_order(enum isa_cmp c) {
    return c == ISA_CMP_LO || c == ISA_CMP_LS || c == ISA_CMP_HI || c == ISA_CMP_HS;
}

// Does the test say of two numbers that a < b, where it gives `want`?
static bool says_less(const struct kir_value *p, bool want, struct kir_value **a,
                      struct kir_value **b, enum isa_type *type) {
    const struct kir_inst *i = inst_of(p, ISA_OP_SETP);
    if (!i || i->nops != 2 || i->nres != 1 || i->mods.boolop || i->ty == ISA_PRED ||
        isa_type_is_float((enum isa_type)i->ty))
        return false;
    enum isa_cmp c = (enum isa_cmp)i->mods.cmp;
    bool less = c == ISA_CMP_LT || c == ISA_CMP_LO, more = c == ISA_CMP_GT || c == ISA_CMP_HI;
    bool most = c == ISA_CMP_LE || c == ISA_CMP_LS, least = c == ISA_CMP_GE || c == ISA_CMP_HS;
    if (!(want ? less || more : most || least))
        return false;
    bool swapped = want ? more : most;
    *a = i->ops[swapped];
    *b = i->ops[!swapped];
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    bool is_signed = isa_type_is_signed((enum isa_type)i->ty) && !is_unsigned_order(c);
    *type = bits == 32 ? is_signed ? ISA_S32 : ISA_U32 : is_signed ? ISA_S64 : ISA_U64;
    return bits == 32 || bits == 64;
}

// Does a branch before the loop let those pass alone whose first index is below the limit?
static bool is_asked_before(const struct search *s) {
    const struct kir_block *h = s->loop->header;
    for (uint32_t d = s->cfg->idom[h->id]; d != UINT32_MAX; d = s->cfg->idom[d]) {
        const struct kir_inst *t = s->func->blocks.data[d]->last;
        struct kir_value *a, *b;
        enum isa_type type;
        for (unsigned k = 0; t->op == ISA_OP_CBR && t->targets[0] != t->targets[1] && k < 2; k++)
            if (says_less(t->ops[0], k == 0, &a, &b, &type) && a == s->first && b == s->limit &&
                type == s->type && t->targets[k]->preds.len == 1 &&
                cfg_dominates(s->cfg, t->targets[k], h))
                return true;
    }
    return false;
}

// ---- everything else in the kernel -------------------------------------------------------------

static bool is_in_chain(const struct search *s, const struct kir_inst *i) {
    for (unsigned k = 0; k < s->nchain; k++)
        if (s->chain[k] == i)
            return true;
    return false;
}

static bool knows_no_block(const struct kir_inst *i) {
    return (i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_TID_Z) ||
           (i->sreg >= ISA_SREG_NTID_X && i->sreg <= ISA_SREG_NTID_Z) ||
           (i->sreg >= ISA_SREG_NCTAID_X && i->sreg <= ISA_SREG_NCTAID_Z) ||
           i->sreg == ISA_SREG_CTAID_Y || i->sreg == ISA_SREG_CTAID_Z;
}

static bool is_allowed(const struct search *s, const struct kir_inst *i) {
    bool inside = is_in(s, i->block), weak = i->mods.sem == ISA_SEM_WEAK;
    switch (i->op) {
    case ISA_OP_SREG:
        return knows_no_block(i) || is_in_chain(s, i);
    case ISA_OP_PHI:
        return inside && (i->block != s->loop->header || i == s->phi);
    case ISA_OP_LD:
        return weak && (i->mods.space == ISA_SPACE_PARAM || i->mods.space == ISA_SPACE_CONST ||
                        (inside && i->mods.space == ISA_SPACE_GLOBAL));
    case ISA_OP_ST:
        return weak && inside && i->mods.space == ISA_SPACE_GLOBAL;
    case ISA_OP_BRA:
    case ISA_OP_CBR:
        return true;
    case ISA_OP_RET:
    case ISA_OP_EXIT:
        return !inside;
    default:
        return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE ||
               isa_op_info[i->op].klass == ISA_CLASS_SOURCE;
    }
}

// What follows from the block's index is for the loop's index and its test alone; what the loop
// makes stays in it.
static bool uses_are_known(const struct search *s, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (v->kind != KIR_VALUE_INST)
            continue;
        if (is_in(s, v->def->block) && !is_in(s, i->block))
            return false;
        bool is_test = i->op == ISA_OP_SETP && v == s->first;
        if (is_in_chain(s, v->def) && !is_in_chain(s, i) && i != s->phi && !is_test)
            return false;
    }
    return true;
}

static bool nothing_else(const struct search *s) {
    for (uint32_t p = 0; p < s->cfg->nblocks; p++)
        for (const struct kir_inst *i = s->cfg->order[p]->first; i; i = i->next)
            if (!is_allowed(s, i) || !uses_are_known(s, i))
                return false;
    return true;
}

static bool find_index(struct search *s) {
    struct kir_inst *phi = s->loop->header->first;
    struct kir_value *next;
    if (phi->op != ISA_OP_PHI || phi->nops != 2)
        return false;
    unsigned entry = is_in(s, phi->block->preds.data[0]);
    bool stays = is_in(s, s->exit->targets[0]);
    if (is_in(s, phi->block->preds.data[entry]) ||
        !says_less(s->exit->ops[0], stays, &next, &s->limit, &s->type))
        return false;
    const struct kir_inst *add = inst_of(next, ISA_OP_ADD);
    const struct kir_value *v = phi->res[0];
    s->phi = phi;
    s->first = phi->ops[entry];
    bool made_before = s->limit->kind == KIR_VALUE_CONST ||
                       (s->limit->kind == KIR_VALUE_INST && !is_in(s, s->limit->def->block));
    return add && is_plain(add) && phi->ops[1 - entry] == next && made_before &&
           ((add->ops[0] == v && is_step(s, add->ops[1])) ||
            (add->ops[1] == v && is_step(s, add->ops[0])));
}

static bool search(struct search *s, struct arena *tmp) {
    if (!s->func->blocks.len)
        return false;
    s->cfg = cfg_build(tmp, s->func);
    if (!s->cfg || s->cfg->loops.len != 1 || s->cfg->loops.data[0]->irreducible)
        return false;
    s->loop = s->cfg->loops.data[0];
    s->exit = loop_only_exit(s->cfg, s->loop);
    if (!s->exit || !find_index(s) || !is_first_index(s, s->first))
        return false;
    s->number = launch_number_of(s->limit);
    return s->number.n && nothing_else(s) && is_asked_before(s);
}

static bool mentions(const struct kir_func *f, enum isa_sreg r) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_SREG && i->sreg == r)
                return true;
    return false;
}

struct launch_number stride_loop_find(struct kir_func *f) {
    static const uint32_t unknown[3];
    struct arena tmp = {0};
    struct search s = {.func = f, .ntid = unknown};
    struct launch_number none = {0};
    bool found = mentions(f, ISA_SREG_NCTAID_X) && search(&s, &tmp);
    arena_free(&tmp);
    return found ? s.number : none;
}

// The branch that closes the loop leaves it.
static void cut(struct search *s) {
    struct kir_block *h = s->loop->header, *latch = s->exit->block;
    struct kir_inst *out = kir_inst_new(s->func, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    out->targets[0] = s->exit->targets[is_in(s, s->exit->targets[0])];
    out->file = s->exit->file;
    out->line = s->exit->line;
    kir_remove(s->exit);
    kir_append(latch, out);
    kir_replace_uses(s->func, s->phi->res[0], s->first);
    kir_remove(s->phi);
    uint32_t kept = 0;
    for (uint32_t p = 0; p < h->preds.len; p++)
        if (h->preds.data[p] != latch)
            h->preds.data[kept++] = h->preds.data[p];
    h->preds.len = kept;
}

struct kir_value *stride_loop_open(struct kir_func *f, const uint32_t ntid[3]) {
    struct arena tmp = {0};
    struct search s = {.func = f, .ntid = ntid};
    struct kir_value *limit = NULL;
    if (search(&s, &tmp)) {
        cut(&s);
        limit = launch_number_first(f, &s.number);
        kir_remove_dead(f);
        kir_merge_blocks(f);
        kir_renumber(f);
    }
    arena_free(&tmp);
    return limit;
}
