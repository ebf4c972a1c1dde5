// An element of a product follows from a row of a, a column of b, and from what it is added to: it
// is undecided where something of these is, and nothing else is. Tiles of which the last rows were
// never written are multiplied, too, and nobody looks at what comes of these.
//
// Which elements those are the instruction itself tells, whatever its shape: it multiplies 1 where
// an element is decided by 1, and 0 where it is not. A sum that is not the number of its products
// has a factor that is undecided. To what is decided 0 is added, else more than a sum can be. A
// scale that is undecided is NaN. So a sparse a picks of b what it picks, and scales are those that
// lanes give.
#include "isa/matrix.h"

#include "isa/ops/arith.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "passes/check/check_products.h"

// More than a sum of ones can be, and a number of each type of sums.
enum { MUCH_LOG = 12 };

// 2 to the power of `log` in a type, as bits.
static uint64_t power(enum isa_matrix_type t, unsigned log) {
    switch (t) {
    case ISA_MAT_F16:
        return (uint64_t)(15 + log) << 10;
    case ISA_MAT_BF16:
        return (uint64_t)(127 + log) << 7;
    case ISA_MAT_TF32:
    case ISA_MAT_F32:
        return (uint64_t)(127 + log) << 23;
    case ISA_MAT_F64:
        return (uint64_t)(1023 + log) << 52;
    case ISA_MAT_E4M3:
        return (7 + log) << 3;
    case ISA_MAT_E5M2:
        return (15 + log) << 2;
    case ISA_MAT_E2M3:
        return (1 + log) << 3;
    case ISA_MAT_E3M2:
        return (3 + log) << 2;
    case ISA_MAT_E2M1: // in the middle of a byte
        return (1 + log) << 3;
    case ISA_MAT_E2M1_PACKED:
        return (1 + log) << 1;
    default:
        return UINT64_C(1) << log;
    }
}

// x in each element of a word.
static uint32_t repeated(uint64_t x, unsigned bits) {
    uint32_t word = 0;
    for (unsigned at = 0; at < 32; at += bits)
        word |= (uint32_t)x << at;
    return word;
}

static struct kir_value *bitwise(struct init *s, isa_op op, struct kir_value *a, uint32_t b) {
    return init_two(s, op, ISA_B32, a, init_word(s, b), KIR_B32);
}

// 1 in each element of a word that has a bit.
static struct kir_value *folded(struct init *s, struct kir_value *v, unsigned bits) {
    for (unsigned by = 1; by < bits; by *= 2) {
        struct kir_value *down = init_two(s, ISA_OP_SHR, ISA_U32, v, init_word(s, by), KIR_B32);
        v = init_two(s, ISA_OP_OR, ISA_B32, v, down, KIR_B32);
    }
    return bits == 1 ? v : bitwise(s, ISA_OP_AND, v, repeated(1, bits));
}

// v times x in each element, where v has 0 or 1.
static struct kir_value *times(struct init *s, struct kir_value *v, uint64_t x) {
    if (x == 1)
        return v;
    struct kir_inst *i = init_make(s, ISA_OP_MUL, ISA_U32, 2, KIR_B32);
    i->mods.half = ISA_LO;
    i->ops[0] = v;
    i->ops[1] = init_word(s, (uint32_t)x);
    return i->res[0];
}

// A register of a fragment with one number in the elements that are undecided, and another one in
// the rest: one of the two is 0.
static struct kir_value *marked(struct init *s, const struct kir_value *v, unsigned bits,
                                uint64_t undecided, uint64_t decided) {
    enum kir_type t = (enum kir_type)v->type;
    uint64_t every = bits < 32 ? repeated(decided, bits) : decided;
    struct kir_value *x = init_shadow(s, v);
    if (!init_has(s, v))
        return kir_const(s->f, t, every);
    if (bits >= 32) {
        struct kir_value *p = init_is_dirty(s, x);
        struct kir_inst *i = init_make(s, ISA_OP_SELP,
                                       v->type == KIR_F32   ? ISA_F32
                                       : v->type == KIR_F64 ? ISA_F64
                                                            : init_bits_type(bits),
                                       3, t);
        i->ops[0] = kir_const(s->f, t, undecided);
        i->ops[1] = kir_const(s->f, t, decided);
        i->ops[2] = p;
        return i->res[0];
    }
    x = folded(s, x, bits);
    if (decided)
        x = bitwise(s, ISA_OP_XOR, x, repeated(1, bits));
    return times(s, x, decided | undecided);
}

// A factor is often one of several products that stand together: it is made for the first one.
static struct kir_value *factor(struct init *s, const struct kir_value *v, unsigned bits,
                                uint64_t decided) {
    uint64_t as = decided ^ (uint64_t)bits << 56; // what the register is for
    if (!init_has(s, v))
        return marked(s, v, bits, 0, decided);
    struct kir_value *made = s->factor[v->id];
    if (!made || s->factor_as[v->id] != as || made->def->block != s->at->block)
        made = marked(s, v, bits, 0, decided);
    s->factor[v->id] = made;
    s->factor_as[v->id] = as;
    return made;
}

// The four scales of a register.
static struct kir_value *marked_scales(struct init *s, const struct kir_value *v, bool ue4m3) {
    uint32_t one = ue4m3 ? 0x38 : 0x7f, nan = ue4m3 ? 0x7f : 0xff;
    if (!init_has(s, v))
        return init_word(s, repeated(one, 8));
    struct kir_value *x = times(s, folded(s, init_shadow(s, v), 8), nan - one);
    return init_two(s, ISA_OP_ADD, ISA_U32, x, init_word(s, repeated(one, 8)), KIR_B32);
}

// All bits of the elements of a register of sums that are not the one that is expected.
static struct kir_value *of_sums(struct init *s, struct kir_value *v, struct isa_fragment d,
                                 uint64_t expected) {
    if (d.bits == 16) {
        struct kir_value *x = bitwise(s, ISA_OP_XOR, v, repeated(expected, 16));
        return times(s, folded(s, x, 16), 0xffff);
    }
    struct kir_inst *test = init_make(s, ISA_OP_SETP, (enum isa_type)d.type, 2, KIR_PRED);
    test->mods.cmp = d.type == ISA_S32 ? ISA_CMP_NE : ISA_CMP_NEU;
    test->ops[0] = v;
    test->ops[1] = kir_const(s->f, (enum kir_type)v->type, expected);
    return init_all_bits(s, test->res[0], init_type(v));
}

// The instruction with other operands: its factors marked by what is decided.
static struct kir_inst *marked_product(struct init *s, struct kir_inst *i,
                                       const struct isa_matrix *x) {
    uint8_t types[ISA_MATRIX_ROWS];
    uint32_t at = 0;
    for (uint32_t k = 0; k < i->nres; k++)
        types[k] = i->res[k]->type;
    struct kir_inst *p =
        kir_inst_new(s->f, (isa_op)i->op, (enum isa_type)i->ty, i->nops, i->nres, types, 0);
    p->ty2 = i->ty2;
    p->mods = i->mods;
    if (x->type[ISA_FRAG_A] == ISA_MAT_B1) // a sum of ones, whatever is asked for
        p->mods.boolop = ISA_BOOL_AND;
    for (enum isa_frag frag = ISA_FRAG_A; frag <= ISA_FRAG_C; frag++) {
        enum isa_matrix_type t = (enum isa_matrix_type)x->type[frag];
        struct isa_fragment f = isa_fragment_of(x, frag);
        bool added = frag == ISA_FRAG_C;
        for (uint32_t end = at + f.registers; at < end; at++)
            p->ops[at] = added ? marked(s, i->ops[at], f.bits, power(t, MUCH_LOG), 0)
                               : factor(s, i->ops[at], f.bits, power(t, 0));
    }
    for (uint32_t first = at + (x->sparse ? 2 : 0); at < i->nops; at++) {
        bool scale = x->scales && at >= first && (at - first) % 3 == 0;
        p->ops[at] = scale ? marked_scales(s, i->ops[at], x->scales_ue4m3) : i->ops[at];
    }
    return p;
}

void check_products_follow(struct init *s, struct kir_inst *i) {
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    struct isa_fragment d = isa_fragment_of(&x, ISA_FRAG_D);
    struct kir_inst *p = marked_product(s, i, &x);
    unsigned rows, depth;
    isa_matrix_size(&x, ISA_FRAG_A, &rows, &depth);
    uint64_t expected =
        power((enum isa_matrix_type)x.type[ISA_FRAG_D], (unsigned)__builtin_ctz(depth));
    p->file = i->file;
    p->line = i->line;
    kir_insert_after(s->at, p);
    s->at = p;
    for (uint32_t k = 0; k < i->nres; k++)
        s->bits[i->res[k]->id] = of_sums(s, p->res[k], d, expected);
}
