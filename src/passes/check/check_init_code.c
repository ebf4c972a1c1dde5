// Instructions that compute undecided bits (check_init.h), one behind the other, and those that ask
// and tell the device of them.
#include "passes/check/check_init.h"

#include "abi/check_shadow.h"
#include "isa/ops/arith.h"
#include "isa/ops/check.h"
#include "isa/ops/warp.h"

enum kir_type init_type(const struct kir_value *v) {
    return v->type == KIR_F32 ? KIR_B32 : v->type == KIR_F64 ? KIR_B64 : (enum kir_type)v->type;
}

enum isa_type init_bits_type(unsigned bits) {
    return bits == 1 ? ISA_PRED : bits == 16 ? ISA_B16 : bits == 32 ? ISA_B32 : ISA_B64;
}

enum isa_type init_unsigned(unsigned bits) {
    return bits == 8 ? ISA_U8 : bits == 16 ? ISA_U16 : bits == 32 ? ISA_U32 : ISA_U64;
}

enum isa_type init_signed(unsigned bits) {
    return bits == 8 ? ISA_S8 : bits == 16 ? ISA_S16 : bits == 32 ? ISA_S32 : ISA_S64;
}

struct kir_inst *init_make(struct init *s, isa_op op, enum isa_type ty, unsigned nops,
                           enum kir_type result) {
    uint8_t type = (uint8_t)result;
    struct kir_inst *i = kir_inst_new(s->f, op, ty, nops, 1, &type, 0);
    i->file = s->at->file;
    i->line = s->at->line;
    kir_insert_after(s->at, i);
    s->at = i;
    return i;
}

struct kir_value *init_two(struct init *s, isa_op op, enum isa_type ty, struct kir_value *a,
                           struct kir_value *b, enum kir_type result) {
    struct kir_inst *i = init_make(s, op, ty, 2, result);
    i->ops[0] = a;
    i->ops[1] = b;
    return i->res[0];
}

struct kir_value *init_zero(struct init *s, enum kir_type t) {
    return kir_const(s->f, t, 0);
}

struct kir_value *init_shadow(struct init *s, const struct kir_value *v) {
    bool made = s->shadow == s->made;
    if (!init_has(s, v) || (made && s->origin[v->id] == INIT_LOADED))
        return init_zero(s, init_type(v));
    return made && s->wanted[v->id] ? s->made[v->id] : s->bits[v->id];
}

// Has it such bits? As a predicate.
struct kir_value *init_is_dirty(struct init *s, struct kir_value *x) {
    unsigned bits = init_width(x);
    if (bits == 1)
        return x;
    struct kir_inst *i = init_make(s, ISA_OP_SETP, init_unsigned(bits), 2, KIR_PRED);
    i->mods.cmp = ISA_CMP_NE;
    i->ops[0] = x;
    i->ops[1] = init_zero(s, (enum kir_type)x->type);
    return i->res[0];
}

// Has any of operands [0, n) such bits?
struct kir_value *init_any_of(struct init *s, const struct kir_inst *i, uint32_t n) {
    struct kir_value *p = NULL;
    for (uint32_t k = 0; k < n && k < i->nops; k++) {
        if (!init_has(s, i->ops[k]))
            continue;
        struct kir_value *q = init_is_dirty(s, init_shadow(s, i->ops[k]));
        p = p ? init_two(s, ISA_OP_OR, ISA_PRED, p, q, KIR_PRED) : q;
    }
    return p ? p : init_zero(s, KIR_PRED);
}

struct kir_value *init_select(struct init *s, struct kir_value *p, struct kir_value *a,
                              struct kir_value *b) {
    if (a->type == KIR_PRED) {
        struct kir_inst *n = init_make(s, ISA_OP_NOT, ISA_PRED, 1, KIR_PRED);
        n->ops[0] = p;
        a = init_two(s, ISA_OP_AND, ISA_PRED, p, a, KIR_PRED);
        b = init_two(s, ISA_OP_AND, ISA_PRED, n->res[0], b, KIR_PRED);
        return init_two(s, ISA_OP_OR, ISA_PRED, a, b, KIR_PRED);
    }
    struct kir_inst *i =
        init_make(s, ISA_OP_SELP, init_bits_type(init_width(a)), 3, (enum kir_type)a->type);
    i->ops[0] = a;
    i->ops[1] = b;
    i->ops[2] = p;
    return i->res[0];
}

// All bits of a result where p holds.
struct kir_value *init_all_bits(struct init *s, struct kir_value *p, enum kir_type t) {
    return t == KIR_PRED ? p : init_select(s, p, kir_const(s->f, t, UINT64_MAX), init_zero(s, t));
}

// The same instruction on the bits of its first n operands, for one result.
struct kir_inst *init_same(struct init *s, const struct kir_inst *i, uint32_t n) {
    struct kir_inst *c =
        init_make(s, (isa_op)i->op, (enum isa_type)i->ty, i->nops, init_type(i->res[0]));
    c->ty2 = i->ty2;
    c->mods = i->mods;
    for (uint32_t k = 0; k < i->nops; k++)
        c->ops[k] = k < n ? init_shadow(s, i->ops[k]) : i->ops[k];
    return c;
}

struct kir_value *init_compared(struct init *s, enum isa_cmp cmp, struct kir_value *a,
                                struct kir_value *b) {
    struct kir_inst *i = init_make(s, ISA_OP_SETP, init_unsigned(init_width(a)), 2, KIR_PRED);
    i->mods.cmp = (uint8_t)cmp;
    i->ops[0] = a;
    i->ops[1] = b;
    return i->res[0];
}

struct kir_value *init_word(struct init *s, uint32_t x) {
    return kir_const(s->f, KIR_B32, x);
}

static struct kir_value *converted(struct init *s, struct kir_value *v, enum isa_type from,
                                   enum isa_type to, enum kir_type type) {
    struct kir_inst *i = init_make(s, ISA_OP_CVT, to, 1, type);
    i->ty2 = (uint8_t)from;
    i->ops[0] = v;
    return i->res[0];
}

struct kir_value *init_narrow(struct init *s, struct kir_value *v) {
    return converted(s, v, ISA_U64, ISA_U32, KIR_B32);
}

struct kir_value *init_wide(struct init *s, struct kir_value *v) {
    return converted(s, v, ISA_U32, ISA_U64, KIR_B64);
}

struct kir_value *init_special(struct init *s, enum isa_sreg r) {
    struct kir_inst *i = init_make(s, ISA_OP_SREG, ISA_U32, 0, KIR_B32);
    i->sreg = (uint8_t)r;
    return i->res[0];
}

struct kir_value *init_shuffled(struct init *s, uint8_t mode, struct kir_value *v,
                                struct kir_value *by) {
    struct kir_inst *i = init_make(s, ISA_OP_SHFL, ISA_B32, 4, KIR_B32);
    i->mods.mode = mode;
    i->ops[0] = v;
    i->ops[1] = by;
    i->ops[2] = init_word(s, KD_WARP - 1);
    i->ops[3] = init_word(s, UINT32_MAX);
    return i->res[0];
}

struct kir_value *init_generic(struct init *s, struct kir_value *address, uint8_t space) {
    if (space != ISA_SPACE_SHARED && space != ISA_SPACE_LOCAL)
        return address;
    struct kir_inst *i = init_make(s, ISA_OP_CVTA, ISA_U64, 1, KIR_B64);
    i->mods.space = space;
    i->ops[0] = address;
    return i->res[0];
}

// space: that the generic address is in, which saves code a look for it.
struct kir_value *init_ask(struct init *s, struct kir_value *address, int64_t offset,
                           uint32_t bytes, uint8_t space) {
    if (offset)
        address = init_two(s, ISA_OP_ADD, ISA_U64, address,
                           kir_const(s->f, KIR_B64, (uint64_t)offset), KIR_B64);
    struct kir_inst *i = init_make(s, ISA_OP_CHECK_ORIGIN, ISA_B64, 1, KIR_B64);
    i->ops[0] = address;
    i->index = bytes;
    i->mods.space = space;
    return i->res[0];
}

// What generated code may decide by itself.
static uint32_t decided_in_code(const struct kd_check_site *s) {
    bool whole = s->bytes && s->bytes <= 16 && !(s->bytes & (s->bytes - 1));
    bool common = s->space == ISA_SPACE_GLOBAL || s->space == ISA_SPACE_GENERIC ||
                  s->space == ISA_SPACE_SHARED;
    if (kd_check_needs_bits(s->kind))
        return KD_CHECK_IF_DIRTY;
    if (s->kind != KD_CHECK_SHADOW_STORE || !whole || !common)
        return 0;
    return KD_CHECK_IS_STORE | (uint32_t)__builtin_ctz(s->bytes) << KD_CHECK_BYTES_SHIFT;
}

// A check in front of or behind i.
void init_tell(struct init *s, struct kir_inst *i, bool before, struct kd_check_site site,
               struct kir_value *address, struct kir_value *more) {
    struct kir_inst *at;
    site.number = s->number++;
    struct kir_inst *k = check_sites_access(s->sites, i, site, address, more, &at);
    k->index = decided_in_code(&site);
    k->mods.space = site.space;
    k->offset = site.offset;
    if (before) {
        kir_insert_before(i, at);
        kir_insert_before(i, k);
        return;
    }
    kir_insert_after(s->at, at);
    kir_insert_after(at, k);
    s->at = k;
}
