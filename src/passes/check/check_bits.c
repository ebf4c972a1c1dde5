// Which bits of a result nobody has decided, by those of its operands (check_init.h).
#include "passes/check/check_init.h"

#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"

static bool is_integer(const struct kir_inst *i) {
    return !isa_type_is_float(i->ty) && i->ty != ISA_F16X2 && i->ty != ISA_BF16X2 && !i->mods.sat &&
           !i->mods.cc;
}

// A bit of a that is decided may decide the result: 0 in an and, 1 in an or.
static struct kir_value *of_and_or(struct init *s, struct kir_inst *i) {
    enum kir_type t = init_type(i->res[0]);
    enum isa_type ty = init_bits_type(isa_type_bits((enum isa_type)i->ty));
    struct kir_value *a = i->ops[0], *b = i->ops[1], *r = NULL, *x;
    if (i->ty == ISA_PRED)
        ty = ISA_PRED;
    for (int k = 0; k < 2; k++) {
        struct kir_value *with = k ? a : b, *of = k ? b : a;
        if (!init_has(s, of))
            continue;
        if (i->op == ISA_OP_OR) {
            struct kir_inst *n = init_make(s, ISA_OP_NOT, ty, 1, init_type(with));
            n->ops[0] = with;
            with = n->res[0];
        }
        x = init_two(s, ISA_OP_AND, ty, init_shadow(s, of), with, t);
        r = r ? init_two(s, ISA_OP_OR, ty, r, x, t) : x;
    }
    if (init_has(s, a) && init_has(s, b)) {
        x = init_two(s, ISA_OP_AND, ty, init_shadow(s, a), init_shadow(s, b), t);
        r = init_two(s, ISA_OP_OR, ty, r, x, t);
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
            all &= !(others >> (2 - k) & 1) || init_has(s, i->ops[k]);
        if (!depends || !all)
            continue;
        struct kir_inst *x = init_make(s, ISA_OP_LOP3, ISA_B32, 4, KIR_B32);
        for (uint32_t k = 0; k < 3; k++)
            x->ops[k] = i->ops[k];
        x->ops[3] = kir_const(s->f, KIR_B32, depends);
        struct kir_value *v = x->res[0];
        for (uint32_t k = 0; k < 3; k++)
            if (others >> (2 - k) & 1)
                v = init_two(s, ISA_OP_AND, ISA_B32, v, init_shadow(s, i->ops[k]), KIR_B32);
        r = r ? init_two(s, ISA_OP_OR, ISA_B32, r, v, KIR_B32) : v;
    }
    return r ? r : init_zero(s, KIR_B32);
}

static struct kir_value *both(struct init *s, struct kir_inst *i) {
    enum isa_type ty =
        i->ty == ISA_PRED ? ISA_PRED : init_bits_type(isa_type_bits((enum isa_type)i->ty));
    return init_two(s, ISA_OP_OR, ty, init_shadow(s, i->ops[0]), init_shadow(s, i->ops[1]),
                    init_type(i->res[0]));
}

static struct kir_value *of_choice(struct init *s, struct kir_inst *i) {
    struct kir_value *r =
        init_select(s, i->ops[2], init_shadow(s, i->ops[0]), init_shadow(s, i->ops[1]));
    if (!init_has(s, i->ops[2]))
        return r;
    enum kir_type t = (enum kir_type)r->type;
    struct kir_value *all = init_all_bits(s, s->bits[i->ops[2]->id], t);
    return init_two(s, ISA_OP_OR, init_bits_type(kir_type_bits(t)), r, all, t);
}
static struct kir_value *without(struct init *s, struct kir_value *v, struct kir_value *bits) {
    enum kir_type t = (enum kir_type)v->type;
    struct kir_inst *n = init_make(s, ISA_OP_NOT, init_bits_type(init_width(v)), 1, t);
    n->ops[0] = bits;
    return init_two(s, ISA_OP_AND, init_bits_type(init_width(v)), v, n->res[0], t);
}

// How two integers compare as unsigned ones if the first is as small as its bits allow and the
// second as large, or the other way round (most).
static struct kir_value *far_apart(struct init *s, const struct kir_inst *i, bool most) {
    enum isa_cmp cmp = (enum isa_cmp)i->mods.cmp;
    bool is_signed = isa_cmp_ordered(cmp) == cmp && isa_type_is_signed((enum isa_type)i->ty);
    struct kir_value *x[2];
    for (int k = 0; k < 2; k++) {
        enum kir_type t = (enum kir_type)i->ops[k]->type;
        enum isa_type ty = init_bits_type(kir_type_bits(t));
        struct kir_value *sign = kir_const(s->f, t, UINT64_C(1) << (kir_type_bits(t) - 1));
        x[k] = is_signed ? init_two(s, ISA_OP_XOR, ty, i->ops[k], sign, t) : i->ops[k];
        x[k] = most == !k ? init_two(s, ISA_OP_OR, ty, x[k], init_shadow(s, i->ops[k]), t)
                          : without(s, x[k], init_shadow(s, i->ops[k]));
    }
    return init_compared(s, isa_cmp_ordered(cmp), x[0], x[1]);
}

// Does a comparison of integers depend on the undecided bits? NULL: it does where there are any.
static struct kir_value *depends(struct init *s, const struct kir_inst *i) {
    enum isa_cmp cmp = (enum isa_cmp)i->mods.cmp;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    for (uint32_t k = 0; k < 2; k++)
        if (init_type(i->ops[k]) != i->ops[k]->type || init_width(i->ops[k]) != bits)
            return NULL;
    if (!is_integer(i) || bits < 16 || cmp > ISA_CMP_HS ||
        !(init_has(s, i->ops[0]) || init_has(s, i->ops[1])))
        return NULL;
    if (cmp == ISA_CMP_EQ || cmp == ISA_CMP_NE) { // a decided bit that differs decides
        enum kir_type t = (enum kir_type)i->ops[0]->type;
        struct kir_value *x =
            init_two(s, ISA_OP_XOR, init_bits_type(bits), i->ops[0], i->ops[1], t);
        x = without(s, without(s, x, init_shadow(s, i->ops[0])), init_shadow(s, i->ops[1]));
        return init_compared(s, ISA_CMP_EQ, x, init_zero(s, t));
    }
    struct kir_value *least = far_apart(s, i, false), *most = far_apart(s, i, true);
    return init_two(s, ISA_OP_XOR, ISA_PRED, least, most, KIR_PRED);
}

// What counts from the highest bit on looks at no bit behind the first 1.
static struct kir_value *of_highest(struct init *s, struct kir_inst *i) {
    struct kir_value *x = i->ops[0], *bits = init_shadow(s, x);
    if (isa_type_is_signed((enum isa_type)i->ty) || init_type(x) != x->type)
        return NULL;
    struct kir_value *p = init_compared(s, ISA_CMP_GT, bits, without(s, x, bits));
    return init_all_bits(s, p, init_type(i->res[0]));
}

static struct kir_value *of_test(struct init *s, struct kir_inst *i) {
    struct kir_value *p = init_any_of(s, i, 2), *by = depends(s, i);
    if (by)
        p = init_two(s, ISA_OP_AND, ISA_PRED, p, by, KIR_PRED);
    if (i->nops < 3)
        return p;
    struct kir_value *c = i->ops[2];
    if (i->mods.boolop == ISA_BOOL_OR) {
        struct kir_inst *n = init_make(s, ISA_OP_NOT, ISA_PRED, 1, KIR_PRED);
        n->ops[0] = c;
        c = n->res[0];
    }
    if (i->mods.boolop == ISA_BOOL_AND || i->mods.boolop == ISA_BOOL_OR)
        p = init_two(s, ISA_OP_AND, ISA_PRED, p, c, KIR_PRED);
    return init_has(s, i->ops[2])
               ? init_two(s, ISA_OP_OR, ISA_PRED, p, init_shadow(s, i->ops[2]), KIR_PRED)
               : p;
}

bool init_is_int_conversion(const struct kir_inst *i) {
    return is_integer(i) && !isa_type_is_float(i->ty2) && isa_type_bits(i->ty2) >= 8 &&
           i->ty2 != ISA_F16X2 && i->ty2 != ISA_BF16X2;
}

bool init_rest_is_clean(const struct init *s, const struct kir_inst *i, uint32_t from) {
    for (uint32_t k = from; k < i->nops; k++)
        if (init_has(s, i->ops[k]))
            return false;
    return true;
}

// The bits of a result; NULL: all, where any operand has some.
static struct kir_value *exact(struct init *s, struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
    case ISA_OP_NOT:
        return init_shadow(s, i->ops[0]);
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
        return init_is_int_conversion(i) ? init_same(s, i, 1)->res[0] : NULL;
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_BFE:
        return init_rest_is_clean(s, i, 1) ? init_same(s, i, 1)->res[0] : NULL;
    case ISA_OP_BREV:
        return init_same(s, i, 1)->res[0];
    case ISA_OP_CLZ:
    case ISA_OP_BFIND:
        return of_highest(s, i);
    case ISA_OP_SHF:
    case ISA_OP_PRMT:
    case ISA_OP_BFI:
        return init_rest_is_clean(s, i, 2) ? init_same(s, i, 2)->res[0] : NULL;
    case ISA_OP_MOV_PACK:
        return init_same(s, i, i->nops)->res[0];
    default:
        return NULL;
    }
}

static bool is_pair(const struct kir_inst *i) {
    return (i->ty == ISA_F16X2 || i->ty == ISA_BF16X2) && i->nres == 1 &&
           init_width(i->res[0]) == 32;
}

// All bits of a half where x has one.
static struct kir_value *of_half(struct init *s, struct kir_value *x, uint32_t half) {
    struct kir_value *part =
        init_two(s, ISA_OP_AND, ISA_B32, x, kir_const(s->f, KIR_B32, half), KIR_B32);
    return init_select(s, init_is_dirty(s, part), kir_const(s->f, KIR_B32, half),
                       init_zero(s, KIR_B32));
}

// Two numbers in one, that have nothing to do with each other.
static struct kir_value *of_pair(struct init *s, struct kir_inst *i) {
    struct kir_value *high = NULL, *low = NULL;
    if (i->op == ISA_OP_CVT && i->nops == 2) { // two numbers become a pair
        high = init_all_bits(s, init_is_dirty(s, init_shadow(s, i->ops[0])), KIR_B32);
        low = init_all_bits(s, init_is_dirty(s, init_shadow(s, i->ops[1])), KIR_B32);
    }
    for (uint32_t k = 0; !high && k < i->nops; k++)
        if (init_width(i->ops[k]) != 32)
            return NULL;
    for (uint32_t k = 0; i->op != ISA_OP_CVT && k < i->nops; k++)
        if (init_has(s, i->ops[k]))
            low = low ? init_two(s, ISA_OP_OR, ISA_B32, low, init_shadow(s, i->ops[k]), KIR_B32)
                      : init_shadow(s, i->ops[k]);
    if (!low)
        return NULL;
    low = of_half(s, low, 0xffff);
    return init_two(s, ISA_OP_OR, ISA_B32, of_half(s, high ? high : low, 0xffff0000), low, KIR_B32);
}

void init_follow(struct init *s, struct kir_inst *i) {
    if (i->op == ISA_OP_MOV_UNPACK) {
        uint8_t types[8];
        for (uint32_t k = 0; k < i->nres; k++)
            types[k] = (uint8_t)init_type(i->res[k]);
        struct kir_inst *c =
            kir_inst_new(s->f, ISA_OP_MOV_UNPACK, (enum isa_type)i->ty, 1, i->nres, types, 0);
        c->mods = i->mods;
        c->ops[0] = init_shadow(s, i->ops[0]);
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
    struct kir_value *p = r ? NULL : init_any_of(s, i, i->nops);
    for (uint32_t k = 0; k < i->nres; k++)
        if (init_has(s, i->res[k]))
            s->shadow[i->res[k]->id] = r ? r : init_all_bits(s, p, init_type(i->res[k]));
}
