// Values that follow from memory that nobody has written. Beside each value that may is another one
// with a bit for each of its bits: 1 where nobody has decided it. Loads ask the device for these
// bits, stores hand them on; they are looked at where a branch or an address follows from them.
#include "abi/check_shadow.h"
#include "ir/order.h"
#include "isa/ops/arith.h"
#include "isa/ops/async.h"
#include "isa/ops/bits.h"
#include "isa/ops/check.h"
#include "isa/ops/control.h"
#include "isa/ops/image.h"
#include "isa/ops/launch.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "isa/ops/multimem.h"
#include "isa/ops/warp.h"
#include "passes/check/check.h"
#include "passes/check/check_products.h"

struct phi {
    struct kir_inst *of, *shadow, *made; // made: NULL where it is not wanted
};
// Where bits of a value come from: only moved from where they were loaded, or made of such ones.
enum { LOADED = 1, MADE = 2, BOTH = LOADED | MADE };

struct init {
    struct kir_func *f;
    struct check_sites *sites;
    struct arena tmp;
    bool reads;                // told of as well
    uint32_t n;                // values that there were
    uint8_t *dirty;            // by value: it may have such bits
    uint8_t *origin;           // by value: LOADED, MADE or both
    uint8_t *wanted;           // by value: which of the bits are made is to be known
    struct kir_value **bits;   // by value: those that nobody has decided
    struct kir_value **made;   // by value that is wanted: of these, those that are made
    struct kir_value **shadow; // of the two the one that is followed
    struct kir_inst *at;       // behind which instructions are put
    uint32_t number;           // of the next site
    uint32_t *seen, turn;      // by value: in which turn of find_cause
    struct kir_value **from;   // by value: what place_of has made
    VEC(struct phi) phis;
};

static bool has(const struct init *s, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->id < s->n && s->dirty[v->id];
}

// Memory of which the device keeps what is written.
static bool is_kept(uint8_t space) {
    return space == ISA_SPACE_GENERIC || space == ISA_SPACE_GLOBAL || space == ISA_SPACE_SHARED ||
           space == ISA_SPACE_LOCAL;
}

static unsigned bits_of(const struct kir_value *v) {
    return kir_type_bits((enum kir_type)v->type);
}

// ---- which values ---------------------------------------------------------------------------

static bool any(const struct init *s, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nops; k++)
        if (has(s, i->ops[k]))
            return true;
    return false;
}

static bool may(const struct init *s, const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
    case ISA_OP_ATOM:
        return is_kept(i->mods.space);
    case ISA_OP_TEX:
    case ISA_OP_SULD:
        return true;
    case ISA_OP_SHFL:
        return has(s, i->ops[0]);
    case ISA_OP_PHI:
        return any(s, i);
    case ISA_OP_LOP3: // not those that make a predicate as well
        return i->nres == 1 && any(s, i);
    case ISA_OP_ISSPACEP:
        return false;
    case ISA_OP_LDMATRIX:
        return check_products_load_is(i);
    case ISA_OP_MMA:
        return check_products_are(i) && any(s, i);
    case ISA_OP_WGMMA_MMA:
        return check_products_are(i);
    default:
        return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && any(s, i);
    }
}

static void find_dirty(struct init *s) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < s->f->blocks.len; b++)
            for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
                for (uint32_t k = 0; may(s, i) && k < i->nres; k++) {
                    bool whole = bits_of(i->res[k]) <= 64 && !(i->op == ISA_OP_SHFL && k);
                    again |= whole && !s->dirty[i->res[k]->id];
                    s->dirty[i->res[k]->id] |= whole;
                }
    }
}

// ---- making instructions --------------------------------------------------------------------

static enum kir_type shadow_type(const struct kir_value *v) {
    return v->type == KIR_F32 ? KIR_B32 : v->type == KIR_F64 ? KIR_B64 : (enum kir_type)v->type;
}

static enum isa_type bits_type(unsigned bits) {
    return bits == 1 ? ISA_PRED : bits == 16 ? ISA_B16 : bits == 32 ? ISA_B32 : ISA_B64;
}

static enum isa_type unsigned_type(unsigned bits) {
    return bits == 8 ? ISA_U8 : bits == 16 ? ISA_U16 : bits == 32 ? ISA_U32 : ISA_U64;
}

static enum isa_type signed_type(unsigned bits) {
    return bits == 8 ? ISA_S8 : bits == 16 ? ISA_S16 : bits == 32 ? ISA_S32 : ISA_S64;
}

static struct kir_inst *make(struct init *s, isa_op op, enum isa_type ty, unsigned nops,
                             enum kir_type result) {
    uint8_t type = (uint8_t)result;
    struct kir_inst *i = kir_inst_new(s->f, op, ty, nops, 1, &type, 0);
    i->file = s->at->file;
    i->line = s->at->line;
    kir_insert_after(s->at, i);
    s->at = i;
    return i;
}

static struct kir_value *two(struct init *s, isa_op op, enum isa_type ty, struct kir_value *a,
                             struct kir_value *b, enum kir_type result) {
    struct kir_inst *i = make(s, op, ty, 2, result);
    i->ops[0] = a;
    i->ops[1] = b;
    return i->res[0];
}

static struct kir_value *zero(struct init *s, enum kir_type t) {
    return kir_const(s->f, t, 0);
}

static struct kir_value *shadow(struct init *s, const struct kir_value *v) {
    bool made = s->shadow == s->made;
    if (!has(s, v) || (made && s->origin[v->id] == LOADED))
        return zero(s, shadow_type(v));
    return made && s->wanted[v->id] ? s->made[v->id] : s->bits[v->id];
}

// Has it such bits? As a predicate.
static struct kir_value *is_dirty(struct init *s, struct kir_value *x) {
    unsigned bits = bits_of(x);
    if (bits == 1)
        return x;
    struct kir_inst *i = make(s, ISA_OP_SETP, unsigned_type(bits), 2, KIR_PRED);
    i->mods.cmp = ISA_CMP_NE;
    i->ops[0] = x;
    i->ops[1] = zero(s, (enum kir_type)x->type);
    return i->res[0];
}

// Has any of operands [0, n) such bits?
static struct kir_value *any_of(struct init *s, const struct kir_inst *i, uint32_t n) {
    struct kir_value *p = NULL;
    for (uint32_t k = 0; k < n && k < i->nops; k++) {
        if (!has(s, i->ops[k]))
            continue;
        struct kir_value *q = is_dirty(s, shadow(s, i->ops[k]));
        p = p ? two(s, ISA_OP_OR, ISA_PRED, p, q, KIR_PRED) : q;
    }
    return p ? p : zero(s, KIR_PRED);
}

static struct kir_value *select(struct init *s, struct kir_value *p, struct kir_value *a,
                                struct kir_value *b) {
    if (a->type == KIR_PRED) {
        struct kir_inst *n = make(s, ISA_OP_NOT, ISA_PRED, 1, KIR_PRED);
        n->ops[0] = p;
        a = two(s, ISA_OP_AND, ISA_PRED, p, a, KIR_PRED);
        b = two(s, ISA_OP_AND, ISA_PRED, n->res[0], b, KIR_PRED);
        return two(s, ISA_OP_OR, ISA_PRED, a, b, KIR_PRED);
    }
    struct kir_inst *i = make(s, ISA_OP_SELP, bits_type(bits_of(a)), 3, (enum kir_type)a->type);
    i->ops[0] = a;
    i->ops[1] = b;
    i->ops[2] = p;
    return i->res[0];
}

// All bits of a result where p holds.
static struct kir_value *all_bits(struct init *s, struct kir_value *p, enum kir_type t) {
    return t == KIR_PRED ? p : select(s, p, kir_const(s->f, t, UINT64_MAX), zero(s, t));
}

// The same instruction on the bits of its first n operands, for one result.
static struct kir_inst *same(struct init *s, const struct kir_inst *i, uint32_t n) {
    struct kir_inst *c =
        make(s, (isa_op)i->op, (enum isa_type)i->ty, i->nops, shadow_type(i->res[0]));
    c->ty2 = i->ty2;
    c->mods = i->mods;
    for (uint32_t k = 0; k < i->nops; k++)
        c->ops[k] = k < n ? shadow(s, i->ops[k]) : i->ops[k];
    return c;
}

// ---- what follows from what -----------------------------------------------------------------

static bool is_integer(const struct kir_inst *i) {
    return !isa_type_is_float(i->ty) && i->ty != ISA_F16X2 && i->ty != ISA_BF16X2 && !i->mods.sat &&
           !i->mods.cc;
}

// A bit of a that is decided may decide the result: 0 in an and, 1 in an or.
static struct kir_value *of_and_or(struct init *s, struct kir_inst *i) {
    enum kir_type t = shadow_type(i->res[0]);
    enum isa_type ty = bits_type(isa_type_bits((enum isa_type)i->ty));
    struct kir_value *a = i->ops[0], *b = i->ops[1], *r = NULL, *x;
    if (i->ty == ISA_PRED)
        ty = ISA_PRED;
    for (int k = 0; k < 2; k++) {
        struct kir_value *with = k ? a : b, *of = k ? b : a;
        if (!has(s, of))
            continue;
        if (i->op == ISA_OP_OR) {
            struct kir_inst *n = make(s, ISA_OP_NOT, ty, 1, shadow_type(with));
            n->ops[0] = with;
            with = n->res[0];
        }
        x = two(s, ISA_OP_AND, ty, shadow(s, of), with, t);
        r = r ? two(s, ISA_OP_OR, ty, r, x, t) : x;
    }
    if (has(s, a) && has(s, b)) {
        x = two(s, ISA_OP_AND, ty, shadow(s, a), shadow(s, b), t);
        r = two(s, ISA_OP_OR, ty, r, x, t);
    }
    return r;
}

// A bit of any function of three: it depends where the function of other ones of the undecided bits
// is another one.
static struct kir_value *of_lop3(struct init *s, struct kir_inst *i) {
    struct kir_value *r = NULL;
    if (i->ops[3]->kind != KIR_VALUE_CONST)
        return NULL;
    uint32_t table = i->ops[3]->bits.u32[0] & 0xff;
    for (uint32_t others = 1; others < 8; others++) { // bit 2: the first operand's, as in the table
        uint32_t depends = 0;
        bool all = true;
        for (uint32_t k = 0; k < 8; k++)
            depends |= ((table >> k ^ table >> (k ^ others)) & 1) << k;
        for (uint32_t k = 0; k < 3; k++)
            all &= !(others >> (2 - k) & 1) || has(s, i->ops[k]);
        if (!depends || !all)
            continue;
        struct kir_inst *x = make(s, ISA_OP_LOP3, ISA_B32, 4, KIR_B32);
        for (uint32_t k = 0; k < 3; k++)
            x->ops[k] = i->ops[k];
        x->ops[3] = kir_const(s->f, KIR_B32, depends);
        struct kir_value *v = x->res[0];
        for (uint32_t k = 0; k < 3; k++)
            if (others >> (2 - k) & 1)
                v = two(s, ISA_OP_AND, ISA_B32, v, shadow(s, i->ops[k]), KIR_B32);
        r = r ? two(s, ISA_OP_OR, ISA_B32, r, v, KIR_B32) : v;
    }
    return r ? r : zero(s, KIR_B32);
}

static struct kir_value *both(struct init *s, struct kir_inst *i) {
    enum isa_type ty =
        i->ty == ISA_PRED ? ISA_PRED : bits_type(isa_type_bits((enum isa_type)i->ty));
    return two(s, ISA_OP_OR, ty, shadow(s, i->ops[0]), shadow(s, i->ops[1]),
               shadow_type(i->res[0]));
}

static struct kir_value *of_choice(struct init *s, struct kir_inst *i) {
    struct kir_value *r = select(s, i->ops[2], shadow(s, i->ops[0]), shadow(s, i->ops[1]));
    if (!has(s, i->ops[2]))
        return r;
    enum kir_type t = (enum kir_type)r->type;
    struct kir_value *all = all_bits(s, s->bits[i->ops[2]->id], t);
    return two(s, ISA_OP_OR, bits_type(kir_type_bits(t)), r, all, t);
}

static struct kir_value *compared(struct init *s, enum isa_cmp cmp, struct kir_value *a,
                                  struct kir_value *b) {
    struct kir_inst *i = make(s, ISA_OP_SETP, unsigned_type(bits_of(a)), 2, KIR_PRED);
    i->mods.cmp = (uint8_t)cmp;
    i->ops[0] = a;
    i->ops[1] = b;
    return i->res[0];
}

static struct kir_value *without(struct init *s, struct kir_value *v, struct kir_value *bits) {
    enum kir_type t = (enum kir_type)v->type;
    struct kir_inst *n = make(s, ISA_OP_NOT, bits_type(bits_of(v)), 1, t);
    n->ops[0] = bits;
    return two(s, ISA_OP_AND, bits_type(bits_of(v)), v, n->res[0], t);
}

// How two integers compare as unsigned ones if the first is as small as its bits allow and the
// second as large, or the other way round (most).
static struct kir_value *far_apart(struct init *s, const struct kir_inst *i, bool most) {
    enum isa_cmp cmp = (enum isa_cmp)i->mods.cmp;
    bool is_signed = isa_cmp_ordered(cmp) == cmp && isa_type_is_signed((enum isa_type)i->ty);
    struct kir_value *x[2];
    for (int k = 0; k < 2; k++) {
        enum kir_type t = (enum kir_type)i->ops[k]->type;
        enum isa_type ty = bits_type(kir_type_bits(t));
        struct kir_value *sign = kir_const(s->f, t, UINT64_C(1) << (kir_type_bits(t) - 1));
        x[k] = is_signed ? two(s, ISA_OP_XOR, ty, i->ops[k], sign, t) : i->ops[k];
        x[k] = most == !k ? two(s, ISA_OP_OR, ty, x[k], shadow(s, i->ops[k]), t)
                          : without(s, x[k], shadow(s, i->ops[k]));
    }
    return compared(s, isa_cmp_ordered(cmp), x[0], x[1]);
}

// Does a comparison of integers depend on the undecided bits? NULL: it does where there are any.
static struct kir_value *depends(struct init *s, const struct kir_inst *i) {
    enum isa_cmp cmp = (enum isa_cmp)i->mods.cmp;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    for (uint32_t k = 0; k < 2; k++)
        if (shadow_type(i->ops[k]) != i->ops[k]->type || bits_of(i->ops[k]) != bits)
            return NULL;
    if (!is_integer(i) || bits < 16 || cmp > ISA_CMP_HS ||
        !(has(s, i->ops[0]) || has(s, i->ops[1])))
        return NULL;
    if (cmp == ISA_CMP_EQ || cmp == ISA_CMP_NE) { // a decided bit that differs decides
        enum kir_type t = (enum kir_type)i->ops[0]->type;
        struct kir_value *x = two(s, ISA_OP_XOR, bits_type(bits), i->ops[0], i->ops[1], t);
        x = without(s, without(s, x, shadow(s, i->ops[0])), shadow(s, i->ops[1]));
        return compared(s, ISA_CMP_EQ, x, zero(s, t));
    }
    struct kir_value *least = far_apart(s, i, false), *most = far_apart(s, i, true);
    return two(s, ISA_OP_XOR, ISA_PRED, least, most, KIR_PRED);
}

// What counts from the highest bit on looks at no bit behind the first 1.
static struct kir_value *of_highest(struct init *s, struct kir_inst *i) {
    struct kir_value *x = i->ops[0], *bits = shadow(s, x);
    if (isa_type_is_signed((enum isa_type)i->ty) || shadow_type(x) != x->type)
        return NULL;
    struct kir_value *p = compared(s, ISA_CMP_GT, bits, without(s, x, bits));
    return all_bits(s, p, shadow_type(i->res[0]));
}

static struct kir_value *of_test(struct init *s, struct kir_inst *i) {
    struct kir_value *p = any_of(s, i, 2), *by = depends(s, i);
    if (by)
        p = two(s, ISA_OP_AND, ISA_PRED, p, by, KIR_PRED);
    if (i->nops < 3)
        return p;
    struct kir_value *c = i->ops[2];
    if (i->mods.boolop == ISA_BOOL_OR) {
        struct kir_inst *n = make(s, ISA_OP_NOT, ISA_PRED, 1, KIR_PRED);
        n->ops[0] = c;
        c = n->res[0];
    }
    if (i->mods.boolop == ISA_BOOL_AND || i->mods.boolop == ISA_BOOL_OR)
        p = two(s, ISA_OP_AND, ISA_PRED, p, c, KIR_PRED);
    return has(s, i->ops[2]) ? two(s, ISA_OP_OR, ISA_PRED, p, shadow(s, i->ops[2]), KIR_PRED) : p;
}

static bool is_int_conversion(const struct kir_inst *i) {
    return is_integer(i) && !isa_type_is_float(i->ty2) && isa_type_bits(i->ty2) >= 8 &&
           i->ty2 != ISA_F16X2 && i->ty2 != ISA_BF16X2;
}

static bool rest_is_clean(const struct init *s, const struct kir_inst *i, uint32_t from) {
    for (uint32_t k = from; k < i->nops; k++)
        if (has(s, i->ops[k]))
            return false;
    return true;
}

// The bits of a result; NULL: all, where any operand has some.
static struct kir_value *exact(struct init *s, struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
    case ISA_OP_NOT:
        return shadow(s, i->ops[0]);
    case ISA_OP_AND:
    case ISA_OP_OR:
        return of_and_or(s, i);
    case ISA_OP_LOP3:
        return of_lop3(s, i);
    case ISA_OP_XOR:
        return both(s, i);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return is_integer(i) && i->nres == 1 && i->nops == 2 &&
                       isa_type_bits((enum isa_type)i->ty) >= 16
                   ? both(s, i)
                   : NULL;
    case ISA_OP_SELP:
        return of_choice(s, i);
    case ISA_OP_CVT:
        return is_int_conversion(i) ? same(s, i, 1)->res[0] : NULL;
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_BFE:
        return rest_is_clean(s, i, 1) ? same(s, i, 1)->res[0] : NULL;
    case ISA_OP_BREV:
        return same(s, i, 1)->res[0];
    case ISA_OP_CLZ:
    case ISA_OP_BFIND:
        return of_highest(s, i);
    case ISA_OP_SHF:
    case ISA_OP_PRMT:
    case ISA_OP_BFI:
        return rest_is_clean(s, i, 2) ? same(s, i, 2)->res[0] : NULL;
    case ISA_OP_MOV_PACK:
        return same(s, i, i->nops)->res[0];
    default:
        return NULL;
    }
}

static bool is_pair(const struct kir_inst *i) {
    return (i->ty == ISA_F16X2 || i->ty == ISA_BF16X2) && i->nres == 1 && bits_of(i->res[0]) == 32;
}

// All bits of a half where x has one.
static struct kir_value *of_half(struct init *s, struct kir_value *x, uint32_t half) {
    struct kir_value *part =
        two(s, ISA_OP_AND, ISA_B32, x, kir_const(s->f, KIR_B32, half), KIR_B32);
    return select(s, is_dirty(s, part), kir_const(s->f, KIR_B32, half), zero(s, KIR_B32));
}

// Two numbers in one, that have nothing to do with each other.
static struct kir_value *of_pair(struct init *s, struct kir_inst *i) {
    struct kir_value *high = NULL, *low = NULL;
    if (i->op == ISA_OP_CVT && i->nops == 2) { // two numbers become a pair
        high = all_bits(s, is_dirty(s, shadow(s, i->ops[0])), KIR_B32);
        low = all_bits(s, is_dirty(s, shadow(s, i->ops[1])), KIR_B32);
    }
    for (uint32_t k = 0; !high && k < i->nops; k++)
        if (bits_of(i->ops[k]) != 32)
            return NULL;
    for (uint32_t k = 0; i->op != ISA_OP_CVT && k < i->nops; k++)
        if (has(s, i->ops[k]))
            low = low ? two(s, ISA_OP_OR, ISA_B32, low, shadow(s, i->ops[k]), KIR_B32)
                      : shadow(s, i->ops[k]);
    if (!low)
        return NULL;
    low = of_half(s, low, 0xffff);
    return two(s, ISA_OP_OR, ISA_B32, of_half(s, high ? high : low, 0xffff0000), low, KIR_B32);
}

static void follow(struct init *s, struct kir_inst *i) {
    if (i->op == ISA_OP_MOV_UNPACK) {
        uint8_t types[8];
        for (uint32_t k = 0; k < i->nres; k++)
            types[k] = (uint8_t)shadow_type(i->res[k]);
        struct kir_inst *c =
            kir_inst_new(s->f, ISA_OP_MOV_UNPACK, (enum isa_type)i->ty, 1, i->nres, types, 0);
        c->mods = i->mods;
        c->ops[0] = shadow(s, i->ops[0]);
        kir_insert_after(s->at, c);
        s->at = c;
        for (uint32_t k = 0; k < i->nres; k++)
            s->shadow[i->res[k]->id] = c->res[k];
        return;
    }
    if (i->op == ISA_OP_SETP) {
        struct kir_value *p = of_test(s, i);
        for (uint32_t k = 0; k < i->nres; k++)
            s->shadow[i->res[k]->id] = p;
        return;
    }
    struct kir_value *r = i->nres != 1 ? NULL : is_pair(i) ? of_pair(s, i) : exact(s, i);
    struct kir_value *p = r ? NULL : any_of(s, i, i->nops);
    for (uint32_t k = 0; k < i->nres; k++)
        if (has(s, i->res[k]))
            s->shadow[i->res[k]->id] = r ? r : all_bits(s, p, shadow_type(i->res[k]));
}

// ---- bits that are made ---------------------------------------------------------------------

// Does the result have the operands' bits and no others?
static bool is_move(const struct init *s, const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MMA:
    case ISA_OP_WGMMA_MMA:
        return false;
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_BFE:
        return rest_is_clean(s, i, 1);
    case ISA_OP_SHF:
    case ISA_OP_PRMT:
    case ISA_OP_BFI:
    case ISA_OP_SELP:
        return rest_is_clean(s, i, 2);
    case ISA_OP_CVT:
        return is_int_conversion(i);
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
    bool choice = i->op == ISA_OP_SELP && has(s, i->ops[2]), moves = is_move(s, i);
    uint8_t from = moves ? 0 : MADE;
    if (moves && isa_op_info[i->op].klass != ISA_CLASS_POINTWISE && i->op != ISA_OP_PHI &&
        i->op != ISA_OP_SHFL)
        return LOADED;
    for (uint32_t k = 0; (moves || choice) && k < (choice ? 2 : i->nops); k++)
        if (has(s, i->ops[k]))
            from |= s->origin[i->ops[k]->id];
    return from;
}

static void find_origins(struct init *s) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < s->f->blocks.len; b++)
            for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
                for (uint32_t k = 0; k < i->nres; k++) {
                    uint8_t from = has(s, i->res[k]) ? origin_of(s, i) : 0;
                    again |= s->origin[i->res[k]->id] != from;
                    s->origin[i->res[k]->id] = from;
                }
    }
}

// Of what is stored and may be either it is to be known which bits are made, and so of all that
// such values are moved from.
static void find_wanted(struct init *s) {
    VEC(const struct kir_value *) list = {0};
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 1; (i->op == ISA_OP_ST || i->op == ISA_OP_ATOM) && k < i->nops; k++)
                if (has(s, i->ops[k]))
                    vec_push(&s->tmp, &list, i->ops[k]);
    for (uint32_t n = 0; n < list.len; n++) {
        const struct kir_value *v = list.data[n];
        if (s->wanted[v->id] || s->origin[v->id] != BOTH)
            continue;
        s->wanted[v->id] = true;
        for (uint32_t k = 0; k < v->def->nops; k++)
            if (has(s, v->def->ops[k]))
                vec_push(&s->tmp, &list, v->def->ops[k]);
    }
}

// Which of the bits are made, where that is wanted: of moves, from their operands' in the same way
// as bits do.
static void follow_made(struct init *s, struct kir_inst *i) {
    bool wanted = false;
    for (uint32_t k = 0; k < i->nres; k++)
        wanted |= s->wanted[i->res[k]->id];
    if (!wanted)
        return;
    s->shadow = s->made;
    if (i->op == ISA_OP_SHFL)
        s->made[i->res[0]->id] = same(s, i, 1)->res[0];
    else
        follow(s, i);
    s->shadow = s->bits;
}

// ---- memory ---------------------------------------------------------------------------------

static struct kir_value *generic(struct init *s, struct kir_value *address, uint8_t space) {
    if (space != ISA_SPACE_SHARED && space != ISA_SPACE_LOCAL)
        return address;
    struct kir_inst *i = make(s, ISA_OP_CVTA, ISA_U64, 1, KIR_B64);
    i->mods.space = space;
    i->ops[0] = address;
    return i->res[0];
}

// space: that the generic address is in, which saves code a look for it.
static struct kir_value *ask(struct init *s, struct kir_value *address, int64_t offset,
                             uint32_t bytes, uint8_t space) {
    if (offset)
        address = two(s, ISA_OP_ADD, ISA_U64, address, kir_const(s->f, KIR_B64, (uint64_t)offset),
                      KIR_B64);
    struct kir_inst *i = make(s, ISA_OP_CHECK_ORIGIN, ISA_B64, 1, KIR_B64);
    i->ops[0] = address;
    i->index = bytes;
    i->mods.space = space;
    return i->res[0];
}

// The bits of one element, as the load extends it.
static struct kir_value *extended(struct init *s, const struct kir_inst *i, struct kir_value *x,
                                  enum kir_type to) {
    unsigned bits = isa_type_bits((enum isa_type)i->ty), want = kir_type_bits(to);
    bool is_signed = i->ty == ISA_S8 || i->ty == ISA_S16 || i->ty == ISA_S32 || i->ty == ISA_S64;
    if (want == 64 && (bits == 64 || !is_signed))
        return x;
    struct kir_inst *c =
        make(s, ISA_OP_CVT, is_signed ? signed_type(want) : unsigned_type(want), 1, to);
    c->ty2 = (uint8_t)(is_signed ? signed_type(bits) : ISA_U64);
    c->ops[0] = x;
    return c->res[0];
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
static void tell(struct init *s, struct kir_inst *i, bool before, struct kd_check_site site,
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

// What memory says of an element that is loaded.
static void tell_read(struct init *s, struct kir_inst *i, uint32_t from, struct kir_value *bits) {
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_READ,
                                 .space = i->mods.space,
                                 .bytes = isa_type_bits((enum isa_type)i->ty) / 8,
                                 .align = 1,
                                 .offset = i->offset + (int64_t)from};
    tell(s, i, false, site, i->ops[0], bits);
}

// What memory says of what an access loads.
static void load(struct init *s, struct kir_inst *i) {
    uint32_t bytes = isa_type_bits((enum isa_type)i->ty) / 8;
    // A load may itself make the system give memory to a page, which then counts as written.
    s->at = i->prev && i->op != ISA_OP_ATOM ? i->prev : i;
    struct kir_value *at = generic(s, i->ops[0], i->mods.space);
    for (uint32_t k = 0; k < i->nres; k++)
        if (has(s, i->res[k])) {
            struct kir_value *x = ask(s, at, i->offset + (int64_t)k * bytes, bytes, i->mods.space);
            s->shadow[i->res[k]->id] = extended(s, i, x, shadow_type(i->res[k]));
            if (s->reads && i->mods.space != ISA_SPACE_LOCAL)
                tell_read(s, i, k * bytes, x);
        }
    s->at = i->op == ISA_OP_ATOM ? s->at : i;
}

// What a texture or a surface gives is written where all texels are that it follows from.
static void fetch(struct init *s, struct kir_inst *i) {
    struct kir_inst *lane = make(s, ISA_OP_SREG, ISA_U32, 0, KIR_B32);
    lane->sreg = ISA_SREG_LANEID; // so that each lane asks
    struct kir_inst *wide = make(s, ISA_OP_CVT, ISA_U64, 1, KIR_B64);
    wide->ty2 = ISA_U32;
    wide->ops[0] = lane->res[0];
    struct kir_value *p = is_dirty(s, ask(s, wide->res[0], 0, KD_CHECK_TEXELS, ISA_SPACE_GENERIC));
    for (uint32_t k = 0; k < i->nres; k++)
        if (has(s, i->res[k]))
            s->shadow[i->res[k]->id] = all_bits(s, p, shadow_type(i->res[k]));
}

static struct kir_value *of_operand(void *user, const struct kir_value *v) {
    struct init *s = user;
    return has(s, v) ? shadow(s, v) : NULL;
}

// Of a product, or of what ldmatrix loads.
static void matrix(struct init *s, struct kir_inst *i) {
    struct kir_value **r = arena_array(&s->tmp, struct kir_value *, i->nres);
    s->at = i->op == ISA_OP_LDMATRIX ? check_products_load(s->f, i, i, r)
                                     : check_products_follow(s->f, i, i, of_operand, s, r);
    for (uint32_t k = 0; k < i->nres; k++)
        s->shadow[i->res[k]->id] = r[k];
}

// The instruction nearest to a stored value that made more of what nobody has written than a copy:
// a comparison, else a computation, with a line if there is one. NULL: there is none.
static const struct kir_inst *find_cause(struct init *s, struct kir_value *v) {
    enum { MOST = 256 };
    struct kir_value *list[MOST];
    const struct kir_inst *computed = NULL;
    uint32_t n = 0;
    s->turn++;
    if (has(s, v))
        list[n++] = v;
    for (uint32_t k = 0; k < n; k++) {
        const struct kir_inst *i = list[k]->def;
        if (i->op == ISA_OP_SETP && i->line)
            return i;
        if (!is_move(s, i) && (!computed || (!computed->line && i->line)))
            computed = i;
        if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY)
            continue;
        for (uint32_t o = 0; o < i->nops && n < MOST; o++)
            if (has(s, i->ops[o]) && s->seen[i->ops[o]->id] != s->turn) {
                s->seen[i->ops[o]->id] = s->turn;
                list[n++] = i->ops[o];
            }
    }
    return computed;
}

static void note_cause(struct init *s, struct kd_check_site *site, const struct kir_inst *cause) {
    if (!cause)
        return;
    site->flags |= KD_CHECK_COMPUTED;
    site->cause = (int32_t)check_sites_add(s->sites, cause, (struct kd_check_site){0});
}

// The load whose result v is, moved only; NULL: there is none, or another one may be meant.
static const struct kir_inst *find_load(struct init *s, const struct kir_value *v) {
    for (;;) {
        const struct kir_inst *i = v->def;
        const struct kir_value *next = NULL;
        if (i->op == ISA_OP_LD)
            return i->nres == 1 ? i : NULL;
        for (uint32_t o = 0; o < i->nops && !next; o++)
            next = has(s, i->ops[o]) ? i->ops[o] : NULL;
        if (!next || i->op == ISA_OP_PHI || i->op == ISA_OP_SHFL || !is_move(s, i))
            return NULL;
        v = next;
    }
}

// The half of an address that the lane has from which a shuffle takes its value.
static struct kir_value *shuffled_half(struct init *s, const struct kir_inst *shuffle,
                                       struct kir_value *address, uint32_t shift) {
    if (shift)
        address = two(s, ISA_OP_SHR, ISA_U64, address, kir_const(s->f, KIR_B32, shift), KIR_B64);
    struct kir_inst *half = make(s, ISA_OP_CVT, ISA_U32, 1, KIR_B32);
    half->ty2 = ISA_U64;
    half->ops[0] = address;
    struct kir_inst *i = make(s, ISA_OP_SHFL, ISA_B32, shuffle->nops, KIR_B32);
    i->mods = shuffle->mods;
    i->ops[0] = half->res[0];
    for (uint32_t k = 1; k < shuffle->nops; k++)
        i->ops[k] = shuffle->ops[k];
    return i->res[0];
}

// The generic address that v was loaded from, and then only moved, chosen and shuffled; NULL:
// another one may be meant. It stands behind what makes v, where the same lanes are.
static struct kir_value *place_of(struct init *s, const struct kir_value *v, unsigned depth) {
    enum { MOST_STEPS = 16 };
    struct kir_inst *i = has(s, v) ? v->def : NULL;
    if (!i || depth > MOST_STEPS || s->from[v->id])
        return i ? s->from[v->id] : NULL;
    struct kir_value *a = NULL, *b = NULL;
    uint32_t first = 0;
    if (i->op == ISA_OP_SELP) {
        a = has(s, i->ops[0]) ? place_of(s, i->ops[0], depth + 1) : zero(s, KIR_B64);
        b = has(s, i->ops[1]) ? place_of(s, i->ops[1], depth + 1) : zero(s, KIR_B64);
    } else if (i->op != ISA_OP_LD && i->op != ISA_OP_PHI && is_move(s, i)) {
        while (first < i->nops && !has(s, i->ops[first]))
            first++;
        if (first == i->nops || !rest_is_clean(s, i, first + 1))
            return NULL;
        a = place_of(s, i->ops[first], depth + 1);
    }
    struct kir_inst *at = s->at;
    s->at = i;
    if (i->op == ISA_OP_LD && i->nres == 1) {
        a = generic(s, i->ops[0], i->mods.space);
        a = two(s, ISA_OP_ADD, ISA_U64, a, kir_const(s->f, KIR_B64, (uint64_t)i->offset), KIR_B64);
    } else if (i->op == ISA_OP_SELP) {
        a = a && b ? select(s, i->ops[2], a, b) : NULL;
    } else if (i->op == ISA_OP_SHFL && a) {
        b = shuffled_half(s, i, a, 0);
        a = shuffled_half(s, i, a, 32);
        struct kir_inst *whole = make(s, ISA_OP_MOV_PACK, ISA_B64, 2, KIR_B64);
        whole->mods.vec = 2;
        whole->ops[0] = b;
        whole->ops[1] = a;
        a = whole->res[0];
    }
    s->at = at;
    return s->from[v->id] = a;
}

// What is only moved may have been computed where it was loaded.
static void note_load(struct init *s, struct kir_inst *i, struct kd_check_site *site,
                      struct kir_value *v) {
    const struct kir_inst *load = has(s, v) ? find_load(s, v) : NULL;
    if (site->flags & KD_CHECK_COMPUTED)
        return;
    struct kir_value *place =
        load || !has(s, v) || s->origin[v->id] != LOADED ? NULL : place_of(s, v, 0);
    if (place) {
        struct kd_check_site from = {
            .kind = KD_CHECK_SHADOW_FROM, .space = ISA_SPACE_GENERIC, .align = 1};
        site->flags |= KD_CHECK_HANDED_ON;
        tell(s, i, false, from, place, shadow(s, v));
    }
    if (!load)
        return;
    struct kd_check_site from = {.kind = KD_CHECK_SHADOW_FROM,
                                 .space = load->mods.space,
                                 .align = 1,
                                 .offset = load->offset};
    site->flags |= KD_CHECK_HANDED_ON;
    tell(s, i, false, from, load->ops[0], shadow(s, v));
}

static void store(struct init *s, struct kir_inst *i) {
    uint32_t n = i->nops - 1, bytes = isa_type_bits((enum isa_type)i->ty) / 8;
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_STORE,
                                 .space = i->mods.space,
                                 .bytes = bytes,
                                 .align = 1,
                                 .offset = i->offset};
    if (bytes > 8 || !any(s, i) || (i->nops == 2 && !has(s, i->ops[1]))) {
        site.bytes = bytes * n;
        tell(s, i, false, site, i->ops[0], zero(s, KIR_B64));
        return;
    }
    for (uint32_t k = 0; k < n; k++, site.offset += bytes) {
        struct kir_value *v = i->ops[1 + k];
        struct kd_check_site one = site;
        uint8_t origin = has(s, v) ? s->origin[v->id] : 0;
        const struct kir_inst *cause = origin & MADE ? find_cause(s, v) : NULL;
        if (origin == MADE)
            note_cause(s, &one, cause);
        note_load(s, i, &one, v);
        tell(s, i, false, one, i->ops[0], shadow(s, v));
        if (origin != BOTH)
            continue;
        one.kind = KD_CHECK_SHADOW_CHOSEN;
        note_cause(s, &one, cause);
        tell(s, i, false, one, i->ops[0], s->made[v->id]);
    }
}

// What is added to, and the like, follows from what was there.
static void update(struct init *s, struct kir_inst *i) {
    uint32_t bytes = isa_type_bits((enum isa_type)i->ty) / 8;
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_UPDATE,
                                 .space = i->mods.space,
                                 .bytes = bytes,
                                 .align = 1,
                                 .flags = KD_CHECK_COMPUTED,
                                 .offset = i->offset};
    if (bytes <= 8 && !i->mods.vec)
        tell(s, i, false, site, i->ops[0],
             has(s, i->ops[1]) ? shadow(s, i->ops[1]) : zero(s, KIR_B64));
}

static void clean(struct init *s, struct kir_inst *i, struct kir_value *bytes) {
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_CLEAN, .align = 1};
    tell(s, i, false, site, i->ops[0], bytes);
}

static void copy(struct init *s, struct kir_inst *i) {
    const struct kir_value *bytes = i->ops[2], *read = i->ops[3];
    uint32_t n = bytes->bits.u32[0];
    if (bytes->kind != KIR_VALUE_CONST || read->kind != KIR_VALUE_CONST || read->bits.u32[0] < n ||
        n % 4) {
        clean(s, i, i->ops[2]);
        return;
    }
    for (uint32_t k = 0; k < n; k += 4) {
        struct kd_check_site site = {
            .kind = KD_CHECK_SHADOW_STORE, .bytes = 4, .align = 1, .offset = k};
        tell(s, i, false, site, i->ops[0], ask(s, i->ops[1], k, 4, ISA_SPACE_GENERIC));
    }
}

static void everything(struct init *s, struct kir_inst *i, uint16_t kind) {
    struct kd_check_site site = {.kind = (uint8_t)kind, .space = i->mods.space, .align = 1};
    bool all = kind != KD_CHECK_SHADOW_CLEAN_ALL;
    tell(s, i, false, all ? (struct kd_check_site){.kind = (uint8_t)kind, .align = 1} : site,
         all ? zero(s, KIR_B64) : i->ops[0], zero(s, KIR_B64));
}

static void decides(struct init *s, struct kir_inst *i, uint16_t kind) {
    struct kd_check_site site = {.kind = (uint8_t)kind, .align = 1};
    struct kir_value *x = i->ops[0];
    if (!has(s, x))
        return;
    struct kir_value *bits = shadow(s, x);
    if (x->type == KIR_PRED) {
        struct kir_inst *one =
            kir_inst_new(s->f, ISA_OP_SELP, ISA_B32, 3, 1, &(uint8_t){KIR_B32}, 0);
        one->ops[0] = kir_const(s->f, KIR_B32, 1);
        one->ops[1] = zero(s, KIR_B32);
        one->ops[2] = bits;
        kir_insert_before(i, one);
        bits = one->res[0];
    }
    tell(s, i, true, site, zero(s, KIR_B64), bits);
}

static void look_at(struct init *s, struct kir_inst *i) {
    s->at = i;
    switch (i->op) {
    case ISA_OP_PHI:
        break;
    case ISA_OP_LD:
    case ISA_OP_LDU:
        decides(s, i, KD_CHECK_SHADOW_ADDRESS);
        if (is_kept(i->mods.space))
            load(s, i);
        break;
    case ISA_OP_ST:
        decides(s, i, KD_CHECK_SHADOW_ADDRESS);
        if (is_kept(i->mods.space))
            store(s, i);
        else if (i->mods.space == ISA_SPACE_CLUSTER)
            everything(s, i, KD_CHECK_SHADOW_CLEAN_ALL);
        break;
    case ISA_OP_ATOM:
    case ISA_OP_RED:
        decides(s, i, KD_CHECK_SHADOW_ADDRESS);
        if (i->op == ISA_OP_ATOM && is_kept(i->mods.space))
            load(s, i);
        if (is_kept(i->mods.space) && i->mods.atom == ISA_ATOM_EXCH)
            store(s, i);
        else if (is_kept(i->mods.space) && i->mods.atom != ISA_ATOM_CAS &&
                 i->mods.atom != ISA_ATOM_AND && i->mods.atom != ISA_ATOM_OR)
            update(s, i);
        else if (i->mods.space == ISA_SPACE_CLUSTER)
            everything(s, i, KD_CHECK_SHADOW_CLEAN_ALL);
        break;
    case ISA_OP_TEX:
    case ISA_OP_SULD:
        fetch(s, i);
        break;
    case ISA_OP_SHFL:
        if (has(s, i->ops[0])) {
            struct kir_inst *c = same(s, i, 1);
            s->shadow[i->res[0]->id] = c->res[0];
            follow_made(s, i);
        }
        break;
    case ISA_OP_LDMATRIX:
    case ISA_OP_MMA:
    case ISA_OP_WGMMA_MMA:
        if (may(s, i))
            matrix(s, i);
        break;
    case ISA_OP_CBR:
    case ISA_OP_BRX_IDX:
        decides(s, i, KD_CHECK_SHADOW_BRANCH);
        break;
    case ISA_OP_CALL: // the device's functions may write through pointers that they get
        if (!i->callee || i->callee->is_extern)
            everything(s, i, KD_CHECK_SHADOW_CLEAN_LOCAL);
        break;
    case ISA_OP_CP_ASYNC:
        copy(s, i);
        break;
    case ISA_OP_ST_BULK:
        clean(s, i, i->ops[1]);
        break;
    case ISA_OP_ST_ASYNC:
    case ISA_OP_RED_ASYNC:
    case ISA_OP_STMATRIX:
    case ISA_OP_WMMA_STORE:
    case ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
        everything(s, i, KD_CHECK_SHADOW_CLEAN_ALL);
        break;
    case ISA_OP_MULTIMEM_ST:
    case ISA_OP_MULTIMEM_RED:
        everything(s, i, KD_CHECK_SHADOW_OFF);
        break;
    default:
        if (isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && may(s, i)) {
            follow(s, i);
            follow_made(s, i);
        }
        break;
    }
}

static struct kir_inst *shadow_phi(struct init *s, struct kir_inst *i) {
    uint8_t type = (uint8_t)shadow_type(i->res[0]);
    struct kir_inst *p =
        kir_inst_new(s->f, ISA_OP_PHI, bits_type(kir_type_bits(type)), i->nops, 1, &type, 0);
    kir_insert_before(i, p);
    return p;
}

static void begin_phis(struct init *s) {
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (struct kir_inst *i = s->f->blocks.data[b]->first; i && i->op == ISA_OP_PHI;
             i = i->next) {
            if (i->res[0]->id >= s->n || !has(s, i->res[0]))
                continue;
            struct phi p = {.of = i, .shadow = shadow_phi(s, i)};
            uint32_t id = i->res[0]->id;
            if (s->wanted[id])
                p.made = shadow_phi(s, i);
            s->bits[id] = p.shadow->res[0];
            s->made[id] = p.made ? p.made->res[0] : NULL;
            vec_push(&s->tmp, &s->phis, p);
        }
}

static void end_phi(struct init *s, const struct kir_inst *of, struct kir_inst *p) {
    for (uint32_t n = 0; p && n < of->nops; n++)
        p->ops[n] = shadow(s, of->ops[n]);
}

// Code looks at what is kept of memory without the device.
static void begin(struct kir_func *f) {
    struct kir_inst *first = f->blocks.data[0]->first;
    struct kir_inst *s = kir_inst_new(f, ISA_OP_CHECK_SYNC, ISA_VOID, 0, 0, NULL, 0);
    s->index = KD_CHECK_SYNC_BEGIN;
    s->file = first->file;
    s->line = first->line;
    kir_insert_before(first, s);
}

void check_init(struct kir_func *f, struct check_sites *sites, bool reads) {
    struct init s = {.f = f, .sites = sites, .reads = reads, .n = f->value_count};
    struct kir_order o;
    s.dirty = arena_array(&s.tmp, uint8_t, s.n + 1);
    s.origin = arena_array(&s.tmp, uint8_t, s.n + 1);
    s.wanted = arena_array(&s.tmp, uint8_t, s.n + 1);
    s.shadow = s.bits = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.made = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.seen = arena_array(&s.tmp, uint32_t, s.n + 1);
    s.from = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    find_dirty(&s);
    find_origins(&s);
    find_wanted(&s);
    kir_order_blocks(f, &s.tmp, &o);
    begin_phis(&s);
    for (uint32_t k = 0; k < o.n; k++) {
        struct kir_inst *next;
        for (struct kir_inst *i = f->blocks.data[o.blocks[k]]->first; i; i = next) {
            next = i->next;
            look_at(&s, i);
        }
    }
    if (f->is_kernel)
        begin(f);
    for (uint32_t k = 0; k < s.phis.len; k++) {
        s.shadow = s.bits;
        end_phi(&s, s.phis.data[k].of, s.phis.data[k].shadow);
        s.shadow = s.made;
        end_phi(&s, s.phis.data[k].of, s.phis.data[k].made);
    }
    arena_free(&s.tmp);
}
