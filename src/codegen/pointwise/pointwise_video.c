// Video instructions: scalar ones in 64 bits, SIMD ones as vectors of bytes or halves.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/video.h"

enum { UPPER_HALF = 6 }; // among selectors
enum { A = 0, B = 1, C = 2, CONTROL = 3 };

// ---- What both share ---------------------------------------------------------------------------

static val limit(const struct em *e, val v, int64_t low, int64_t high) {
    unsigned w = v_width(v);
    v = v_call2(e, "llvm.smax", v, v_resize(e, k_int(e, 64, (uint64_t)low), w, true));
    return v_call2(e, "llvm.smin", v, v_resize(e, k_int(e, 64, (uint64_t)high), w, true));
}

// Saturated to `bits` bits; v is wider than that by two bits or more.
static val saturate(const struct em *e, val v, unsigned bits, enum isa_type t) {
    bool is_signed = isa_type_is_signed(t);
    int64_t high = (int64_t)((1ull << (bits - is_signed)) - 1);
    return limit(e, v, is_signed ? -high - 1 : 0, high);
}

static LLVMIntPredicate predicate(unsigned cmp) {
    switch (cmp) {
    case ISA_CMP_EQ:
        return LLVMIntEQ;
    case ISA_CMP_NE:
        return LLVMIntNE;
    case ISA_CMP_LT:
        return LLVMIntSLT;
    case ISA_CMP_LE:
        return LLVMIntSLE;
    case ISA_CMP_GT:
        return LLVMIntSGT;
    default:
        return LLVMIntSGE;
    }
}

// All but shifts, on signed numbers that leave room for the result.
static val combine(const struct em *e, enum isa_video_op op, val a, val b) {
    unsigned w = v_width(a);
    val sum;
    switch (op) {
    case VIDEO_ADD:
        return v_add(e, a, b);
    case VIDEO_SUB:
        return v_sub(e, a, b);
    case VIDEO_AVRG: // halves are rounded up where the sum is not negative: plus one, minus the
                     // sign
        sum = v_add(e, a, b);
        return v_ashri(e, v_add(e, v_addi(e, sum, 1), v_ashri(e, sum, w - 1)), 1);
    case VIDEO_ABSDIFF:
        return v_sub(e, v_call2(e, "llvm.smax", a, b), v_call2(e, "llvm.smin", a, b));
    case VIDEO_MIN:
        return v_call2(e, "llvm.smin", a, b);
    case VIDEO_MAX:
        return v_call2(e, "llvm.smax", a, b);
    default:
        return v_zext(e, v_icmp(e, predicate(e->i->mods.cmp), a, b), w);
    }
}

// ---- Scalar instructions -----------------------------------------------------------------------

struct types {
    enum isa_type d, a, b;
};

static struct types types_of(const struct em *e) {
    const struct kir_inst *i = e->i;
    if (isa_video_op((isa_op)i->op) == VIDEO_SET)
        return (struct types){(enum isa_type)i->ty, (enum isa_type)i->ty, (enum isa_type)i->ty2};
    return (struct types){(enum isa_type)i->ty, (enum isa_type)i->ty2, (enum isa_type)i->mods.ty3};
}

static unsigned selected_bits(unsigned selector) {
    return selector == 0 ? 32 : selector < 5 ? 8 : 16;
}

static unsigned selected_shift(unsigned selector) {
    return selector == 0 ? 0 : selector < 5 ? 8 * (selector - 1) : 16 * (selector - 5);
}

// The selected part of operand k, extended by its type to w bits.
static val part(const struct em *e, unsigned k, unsigned selector, enum isa_type t, unsigned w) {
    val v = v_lshri(e, op_int(e, k, 32, false), selected_shift(selector));
    return v_resize(e, v_trunc(e, v, selected_bits(selector)), w, isa_type_is_signed(t));
}

static bool is_shift(enum isa_video_op op) {
    return op == VIDEO_SHL || op == VIDEO_SHR;
}

static val shift(const struct em *e, enum isa_video_op op, val a, val b) {
    bool wrap = e->i->mods.mode == ISA_SZEXT_WRAP;
    val n = wrap ? v_andi(e, b, 31) : v_call2(e, "llvm.umin", b, k_int(e, 64, 32));
    return op == VIDEO_SHL ? v_shl(e, a, n) : v_ashr(e, a, n);
}

// What follows is eval_video's arithmetic, step by step (isa/video.c tells why it is what it is).

static val saturated_word(const struct em *e, enum isa_video_op op, val v, enum isa_type t) {
    if (op == VIDEO_SHL)
        v = v_ashri(e, v_shli(e, v, 30), 30);
    if (isa_type_is_signed(t) || op == VIDEO_SHL)
        return saturate(e, v, 32, t);
    return v_call2(e, "llvm.smax", v, k_int(e, 64, 0));
}

static val saturated_part(const struct em *e, val v, unsigned bits, enum isa_type t) {
    return v_call2(e, "llvm.umin", v, k_int(e, 64, (1ull << (bits - isa_type_is_signed(t))) - 1));
}

static val widened(const struct em *e, enum isa_video_op op, val v) {
    bool is_word = op == VIDEO_ADD || op == VIDEO_SUB || (e->i->mods.sat && is_shift(op));
    return is_word ? v_resize(e, v_trunc(e, v, 32), 64, true) : v;
}

static val second_operation(const struct em *e, val v, enum isa_type t) {
    bool is_signed = isa_type_is_signed(t);
    if (!e->i->mods.atom)
        return v;
    val c = v_resize(e, op_int(e, C, 32, false), 64, is_signed);
    switch (e->i->mods.atom) {
    case ISA_ATOM_ADD:
        return v_add(e, v, c);
    case ISA_ATOM_MIN:
        return v_call2(e, is_signed ? "llvm.smin" : "llvm.umin", v, c);
    default:
        return v_call2(e, is_signed ? "llvm.smax" : "llvm.umax", v, c);
    }
}

// The low bits of v in the place that the selector names, but v's upper half in the upper half; the
// rest from c.
static val merge(const struct em *e, val v, unsigned selector) {
    unsigned at = selected_shift(selector);
    uint64_t mask = ((1ull << selected_bits(selector)) - 1) << at;
    v = v_trunc(e, v, 32);
    if (selector != UPPER_HALF)
        v = v_shli(e, v, at);
    return v_or(e, v_andi(e, v, mask), v_andi(e, op_int(e, C, 32, false), ~mask & UINT32_MAX));
}

bool pw_video(const struct em *e) {
    enum isa_video_op op = isa_video_op((isa_op)e->i->op);
    struct types t = types_of(e);
    uint64_t control;
    if (!op_const(e, CONTROL, &control))
        return pw_unknown(e, "a choice of parts that is no constant");
    unsigned to = control >> 8 & 15, bits = selected_bits(to);
    val a = part(e, A, control & 15, t.a, 64), b = part(e, B, control >> 4 & 15, t.b, 64);
    val v = is_shift(op) ? shift(e, op, a, b) : combine(e, op, a, b);
    if (e->i->mods.sat)
        v = bits == 32 || is_shift(op) ? saturated_word(e, op, v, t.d)
                                       : saturated_part(e, v, bits, t.d);
    if (to)
        v = merge(e, v, to);
    else
        v = v_trunc(e, second_operation(e, widened(e, op, v), t.d), 32);
    res_int(e, 0, v, false);
    return true;
}

// A factor of vmad: a whole word counts as signed whatever its type.
static val factor(const struct em *e, unsigned k, unsigned selector, enum isa_type t) {
    return part(e, k, selector, selector ? t : ISA_S32, 64);
}

bool pw_vmad(const struct em *e) {
    const struct isa_mods *m = &e->i->mods;
    struct types t = types_of(e);
    uint64_t control;
    if (!op_const(e, CONTROL, &control))
        return pw_unknown(e, "a choice of parts that is no constant");
    bool minus_product = (control >> 12 ^ control >> 13) & 1, minus_c = control >> 14 & 1;
    bool is_signed = isa_type_is_signed(t.a) || isa_type_is_signed(t.b) || minus_product || minus_c;
    val c = v_resize(e, op_int(e, C, 32, false), 64, true);
    val v = v_mul(e, factor(e, A, control & 15, t.a), factor(e, B, control >> 4 & 15, t.b));
    v = minus_product ? v_neg(e, v) : v;
    v = minus_c ? v_sub(e, v, c) : v_add(e, v, c);
    v = m->po ? v_addi(e, v, 1) : v;
    v = is_signed ? v_ashri(e, v, m->scale) : v_lshri(e, v, m->scale);
    if (m->sat)
        v = saturate(e, v, 32, is_signed ? ISA_S32 : ISA_U32);
    res_int(e, 0, v_trunc(e, v, 32), false);
    return true;
}

// ---- SIMD instructions -------------------------------------------------------------------------

struct packed {
    struct em wide; // lanes are elements
    unsigned elements, bits;
    LLVMTypeRef type; // vector of elements
};

// A shuffle of two vectors of elements: in each register, element k is number `from[k]` among the
// elements of the first operand, then of the second.
static val shuffle(const struct packed *p, val a, val b, const unsigned from[4]) {
    unsigned n = p->wide.lanes;
    val index[128];
    for (unsigned k = 0; k < n; k++) {
        unsigned f = from[k % p->elements], first = k - k % p->elements;
        f = f < p->elements ? first + f : n + first + f - p->elements;
        index[k] = LLVMConstInt(LLVMInt32TypeInContext(p->wide.p->ctx), f, false);
    }
    return LLVMBuildShuffleVector(p->wide.b, a, b, LLVMConstVector(index, n), "");
}

static val selected(const struct packed *p, val a, val b, unsigned control, enum isa_type t) {
    unsigned from[4] = {0};
    for (unsigned k = 0; k < p->elements; k++)
        from[k] = control >> (3 * k) & (2 * p->elements - 1);
    return v_resize(&p->wide, shuffle(p, a, b, from), 2 * p->bits, isa_type_is_signed(t));
}

static uint32_t element_mask(const struct packed *p, unsigned mask) {
    uint32_t r = 0;
    for (unsigned k = 0; k < p->elements; k++)
        if (mask >> k & 1)
            r |= (uint32_t)((1ull << p->bits) - 1) << (k * p->bits);
    return r;
}

// c and the sum of the elements that the mask has.
static val accumulate(const struct em *e, const struct packed *p, val v, unsigned mask) {
    unsigned registers = e->lanes ? e->lanes : 1;
    LLVMTypeRef word = LLVMInt32TypeInContext(e->p->ctx);
    val sum = op_int(e, C, 32, false), index[128];
    v = v_resize(&p->wide, v, 32, true);
    for (unsigned k = 0; k < p->elements; k++) {
        if (!(mask >> k & 1))
            continue;
        for (unsigned r = 0; r < registers; r++)
            index[r] = LLVMConstInt(word, r * p->elements + k, false);
        val one = e->lanes
                      ? LLVMBuildShuffleVector(e->b, v, v, LLVMConstVector(index, registers), "")
                      : LLVMBuildExtractElement(e->b, v, index[0], "");
        sum = v_add(e, sum, one);
    }
    return sum;
}

bool pw_video_simd(const struct em *e) {
    struct packed p = {*e, isa_video_elements((isa_op)e->i->op), 0, NULL};
    struct types t = types_of(e);
    uint64_t control;
    if (!op_const(e, CONTROL, &control))
        return pw_unknown(e, "a choice of parts that is no constant");
    p.bits = 32 / p.elements;
    p.wide.lanes = p.elements * (e->lanes ? e->lanes : 1);
    p.type = LLVMVectorType(LLVMIntTypeInContext(e->p->ctx, p.bits), p.wide.lanes);
    unsigned mask = control >> 24 & ((1u << p.elements) - 1);
    val a = v_divided(e, op_int(e, A, 32, false), p.type);
    val b = v_divided(e, op_int(e, B, 32, false), p.type);
    val v =
        combine(&p.wide, isa_video_op((isa_op)e->i->op), selected(&p, a, b, control & 0xfff, t.a),
                selected(&p, a, b, control >> 12 & 0xfff, t.b));
    if (e->i->mods.sat)
        v = saturate(&p.wide, v, p.bits, t.d);
    if (e->i->mods.atom) {
        res_int(e, 0, accumulate(e, &p, v, mask), false);
        return true;
    }
    uint32_t written = element_mask(&p, mask);
    v = v_divided(e, v_trunc(&p.wide, v, p.bits), v_int(e, 32));
    if (written != UINT32_MAX)
        v = v_or(e, v_andi(e, v, written), v_andi(e, op_int(e, C, 32, false), ~written));
    res_int(e, 0, v, false);
    return true;
}
