// How many elements a test holds for, counted across a warp: where each thread counts those among
// its four words, and the threads' counts are summed up by shuffles (__shfl_up_sync at distances 1,
// 2, 4, 8 and 16), the sum in front of a thread is the number of bits in front of its words, if
// the test's results are bits in the words' order. The number of bits is one instruction. So
//
//     - the warp's total, which its last lane has, is counted in the lines (cg_lines.c) and put
//       into the last lane of the vector of sums: who wants that lane alone needs no vector;
//     - where a counter is such a sum and what all lanes have alike, it is known to go on from
//       lane to lane, and where it begins is a scalar (cg_split.c).
//
// LLVM then leaves the vectors to what hardly ever runs (cold.c).
#include "codegen/update/cg_count.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/logic.h"
#include "isa/ops/warp.h"

enum { WORDS = 4, LANES = 16, BITS = 32 };

struct sum {
    struct kir_value *inclusive, *own; // own: what each lane has itself
    struct cg_test test;               // of what is counted
    struct kir_value *const *word;
    LLVMValueRef bits[CG_MAX_TEAM][KD_WARP / WORDS]; // variables: a line's, in the low half
    struct sum *next;
};

struct cg_counts {
    struct sum *first;
};

// ---- tests --------------------------------------------------------------------------------------

static struct kir_inst *def_of(const struct kir_value *v, isa_op op, unsigned nops) {
    return v->kind == KIR_VALUE_INST && v->def->op == op && v->def->nops == nops ? v->def : NULL;
}

static bool is_const(const struct kir_value *v, uint64_t want) {
    uint64_t x;
    return flow_const(v, &x) && x == want;
}

static bool is_word_type(const struct kir_inst *i) {
    return isa_type_bits(i->ty) == BITS && !isa_type_is_float(i->ty) && i->ty != ISA_F16X2 &&
           i->ty != ISA_BF16X2 && i->ty != ISA_U16X2 && i->ty != ISA_S16X2;
}

// A bit of v, or of what v is the complement of.
static bool set_bit_test(struct cg_test *t, struct kir_value *v, struct kir_value *by,
                         unsigned number) {
    const struct kir_inst *complement = def_of(v, ISA_OP_NOT, 1);
    uint64_t n = number;
    if (by && flow_const(by, &n))
        by = NULL;
    *t = (struct cg_test){.is_bit = true,
                          .x = complement ? complement->ops[0] : v,
                          .by = by,
                          .number = n < BITS ? (uint8_t)n : BITS,
                          .inside = complement != NULL};
    return true;
}

static bool is_power(const struct kir_value *v, unsigned *number) {
    uint64_t x;
    if (!flow_const(v, &x) || x == 0 || x & (x - 1) || x > UINT32_MAX)
        return false;
    for (*number = 0; x > 1; x /= 2)
        (*number)++;
    return true;
}

// v == x >> by & 1, or all that is left of x?
static bool is_low_bit(struct kir_value *v, struct cg_test *t) {
    const struct kir_inst *i = def_of(v, ISA_OP_SHR, 2);
    if (i && i->ty == ISA_U32 && is_const(i->ops[1], BITS - 1))
        return set_bit_test(t, i->ops[0], NULL, BITS - 1);
    uint64_t n;
    i = def_of(v, ISA_OP_BFE, 3);
    if (i && i->ty == ISA_U32 && is_const(i->ops[2], 1) && flow_const(i->ops[1], &n) && n < BITS)
        return set_bit_test(t, i->ops[0], NULL, (unsigned)n);
    i = def_of(v, ISA_OP_AND, 2);
    for (unsigned k = 0; i && k < 2; k++) {
        if (!is_const(i->ops[1 - k], 1))
            continue;
        const struct kir_inst *shift = def_of(i->ops[k], ISA_OP_SHR, 2);
        if (shift && shift->ty == ISA_U32)
            return set_bit_test(t, shift->ops[0], shift->ops[1], 0);
        return set_bit_test(t, i->ops[k], NULL, 0);
    }
    return false;
}

// v == x & 1 << by?
static bool is_masked_bit(struct kir_value *v, struct cg_test *t) {
    const struct kir_inst *i = def_of(v, ISA_OP_AND, 2);
    unsigned number;
    for (unsigned k = 0; i && k < 2; k++) {
        const struct kir_inst *bit = def_of(i->ops[k], ISA_OP_SHL, 2);
        if (bit && isa_type_bits(bit->ty) == BITS && is_const(bit->ops[0], 1))
            return set_bit_test(t, i->ops[1 - k], bit->ops[1], 0);
        if (is_power(i->ops[k], &number))
            return set_bit_test(t, i->ops[1 - k], NULL, number);
    }
    return false;
}

// The sign, as a comparison with 0 or -1.
static bool is_sign(const struct kir_inst *i, struct cg_test *t) {
    bool below = i->mods.cmp == ISA_CMP_LT && is_const(i->ops[1], 0),
         above = i->mods.cmp == ISA_CMP_GT && is_const(i->ops[1], UINT32_MAX);
    if (!isa_type_is_signed(i->ty) || (!below && !above))
        return false;
    set_bit_test(t, i->ops[0], NULL, BITS - 1);
    t->outside = above;
    return true;
}

// Of a comparison and its inverse one is written as the other's inverse.
static void set_comparison(const struct kir_inst *i, struct cg_test *t) {
    static const uint8_t of[] = {[ISA_CMP_NE] = ISA_CMP_EQ + 1,
                                 [ISA_CMP_GE] = ISA_CMP_LT + 1,
                                 [ISA_CMP_GT] = ISA_CMP_LE + 1,
                                 [ISA_CMP_HS] = ISA_CMP_LO + 1,
                                 [ISA_CMP_HI] = ISA_CMP_LS + 1};
    uint8_t cmp = i->mods.cmp;
    bool inverse = cmp < sizeof of && of[cmp];
    *t = (struct cg_test){.x = i->ops[0],
                          .by = i->ops[1],
                          .cmp = inverse ? (uint8_t)(of[cmp] - 1) : cmp,
                          .is_signed = isa_type_is_signed(i->ty),
                          .outside = inverse};
}

// Do all lanes ask the same?
static bool is_alike(struct cg_func *g, const struct cg_test *t) {
    return !t->by || (cg_shape(g, t->by).kind == SHAPE_UNIFORM && t->by->type == KIR_B32);
}

bool cg_find_test(struct cg_func *g, const struct kir_value *pred, struct cg_test *t) {
    const struct kir_inst *i;
    bool contrary = false;
    for (; (i = def_of(pred, ISA_OP_NOT, 1)); pred = i->ops[0])
        contrary = !contrary;
    i = def_of(pred, ISA_OP_SETP, 2);
    if (!i || i->nres != 1 || i->mods.boolop || !is_word_type(i) || i->mods.cmp > ISA_CMP_HS)
        return false;
    bool equal = i->mods.cmp == ISA_CMP_EQ, one = is_const(i->ops[1], 1);
    if ((equal || i->mods.cmp == ISA_CMP_NE) &&
        (is_const(i->ops[1], 0) ? is_masked_bit(i->ops[0], t) || is_low_bit(i->ops[0], t)
                                : one && is_low_bit(i->ops[0], t)))
        t->outside = equal != one;
    else if (!is_sign(i, t))
        set_comparison(i, t);
    t->outside ^= contrary;
    return is_alike(g, t);
}

bool cg_find_term(struct cg_func *g, struct kir_value *v, struct cg_test *t) {
    const struct kir_inst *i;
    bool contrary = false;
    while ((i = def_of(v, ISA_OP_XOR, 2)) && (is_const(i->ops[0], 1) || is_const(i->ops[1], 1))) {
        v = i->ops[is_const(i->ops[0], 1)];
        contrary = !contrary;
    }
    i = def_of(v, ISA_OP_SELP, 3);
    if (i) {
        bool no = is_const(i->ops[0], 0) && is_const(i->ops[1], 1);
        if (!(no || (is_const(i->ops[0], 1) && is_const(i->ops[1], 0))) ||
            !cg_find_test(g, i->ops[2], t))
            return false;
        t->outside ^= no;
    } else if (!is_low_bit(v, t) || !is_alike(g, t)) {
        return false;
    }
    t->outside ^= contrary;
    return true;
}

static bool same_value(const struct kir_value *x, const struct kir_value *y) {
    uint64_t a, b;
    return x == y || (x && y && flow_const(x, &a) && flow_const(y, &b) && a == b);
}

// Of different words, but the same test?
bool cg_same_test(const struct cg_test *x, const struct cg_test *y) {
    return x->is_bit == y->is_bit && x->inside == y->inside && x->outside == y->outside &&
           x->cmp == y->cmp && x->number == y->number && x->is_signed == y->is_signed &&
           same_value(x->by, y->by);
}

int cg_tests_agree(const struct cg_test *x, const struct cg_test *y, bool *below) {
    struct cg_test z = *y;
    z.inside = x->inside;
    z.outside = x->outside;
    if (!cg_same_test(x, &z))
        return 0;
    *below = x->inside != y->inside && (x->by || x->number >= BITS);
    return (x->inside ^ x->outside) == (y->inside ^ y->outside) ? 1 : -1;
}

static bool is_here(struct cg_func *g, const struct kir_value *v) {
    return !v || v->kind != KIR_VALUE_INST || cg_at_hand(g, v) ||
           (g->crosses[v->id] && (v->def->block != g->block || v->def->op == ISA_OP_PHI));
}

static LLVMValueRef number_of(struct cg_func *g, const struct cg_test *t) {
    return t->by ? cg_scalar(g, t->by) : cg_i32(g->cg, t->number);
}

// Is the number of a bit less than 32 (i1)? Beyond a word there are zeros.
static LLVMValueRef is_below(struct cg_func *g, const struct cg_test *t) {
    return LLVMBuildICmp(g->cg->b, LLVMIntULT, number_of(g, t), cg_i32(g->cg, BITS), "");
}

static LLVMValueRef sixteen(struct cg *c, LLVMValueRef x) {
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(x), LANES);
    LLVMValueRef v = LLVMBuildInsertElement(c->b, LLVMGetPoison(t), x, cg_i32(c, 0), "");
    return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(t),
                                  LLVMConstNull(LLVMVectorType(c->i32, LANES)), "");
}

static LLVMValueRef plain_bit(struct cg_func *g, const struct cg_test *t, LLVMValueRef line) {
    struct cg *c = g->cg;
    LLVMValueRef by = LLVMBuildAnd(c->b, number_of(g, t), cg_i32(c, BITS - 1), "");
    LLVMValueRef bit = LLVMBuildShl(c->b, cg_i32(c, 1), by, "");
    bit = LLVMBuildSelect(c->b, is_below(g, t), bit, cg_i32(c, 0), "");
    LLVMValueRef x = LLVMBuildAnd(c->b, line, sixteen(c, bit), "");
    return LLVMBuildICmp(c->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
}

static LLVMIntPredicate predicate(const struct cg_test *t) {
    switch (t->cmp) {
    case ISA_CMP_EQ:
        return LLVMIntEQ;
    case ISA_CMP_LT:
        return t->is_signed ? LLVMIntSLT : LLVMIntULT;
    case ISA_CMP_LE:
        return t->is_signed ? LLVMIntSLE : LLVMIntULE;
    case ISA_CMP_LO:
        return LLVMIntULT;
    default:
        return LLVMIntULE;
    }
}

// What the test says of the words of a line without `inside` and `outside`: bits of an i32. LLVM is
// kept from looking through it, for it would test each line again for the contrary.
static LLVMValueRef test_line(struct cg_func *g, const struct cg_test *t, LLVMValueRef line) {
    struct cg *c = g->cg;
    LLVMValueRef r;
    if (t->is_bit)
        r = plain_bit(g, t, line);
    else
        r = LLVMBuildICmp(c->b, predicate(t), line, sixteen(c, cg_scalar(g, t->by)), "");
    r = cg_bits_of_lanes(c, r);
    r = LLVMBuildZExt(c->b, r, c->i32, "");
    LLVMTypeRef f = LLVMFunctionType(c->i32, &c->i32, 1, 0);
    LLVMValueRef as_it_is = LLVMGetInlineAsm(f, "", 0, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(c->b, f, as_it_is, &r, 1, "");
}

static LLVMValueRef count_bits(struct cg *c, LLVMValueRef bits) {
    return cg_call_intrinsic(c, "llvm.ctpop", &c->i32, 1, &bits, 1);
}

// ---- sums ---------------------------------------------------------------------------------------

// The terms that v is the sum of, at most four.
static bool add_terms(struct cg_func *g, struct kir_value *v, struct cg_test *t, unsigned *n,
                      unsigned depth) {
    if (*n < WORDS && cg_find_term(g, v, &t[*n])) {
        (*n)++;
        return true;
    }
    const struct kir_inst *i = def_of(v, ISA_OP_ADD, 2);
    return i && depth && *n < WORDS && is_word_type(i) && !i->mods.sat &&
           add_terms(g, i->ops[0], t, n, depth - 1) && add_terms(g, i->ops[1], t, n, depth - 1);
}

// Is v what x is `distance` lanes before, and in the first lanes zero?
static bool is_moved_up(struct cg_func *g, const struct kir_value *v, const struct kir_value *x,
                        unsigned distance) {
    const struct kir_inst *i = def_of(v, ISA_OP_SELP, 3);
    for (unsigned k = 0; i && k < 2; k++) {
        const struct kir_inst *up = def_of(i->ops[k], ISA_OP_SHFL, 4);
        if (!up || up->mods.mode != ISA_SHFL_UP || up->ops[0] != x || i->ops[k] != up->res[0] ||
            !is_const(up->ops[1], distance) || !is_const(up->ops[2], 0) ||
            !is_const(up->ops[3], UINT32_MAX) || !is_const(i->ops[1 - k], 0) ||
            !is_here(g, i->ops[2]))
            continue;
        LLVMValueRef first = cg_vec(g, i->ops[2]);
        bool fits = LLVMIsConstant(first);
        for (unsigned l = 0; l < KD_WARP && fits; l++)
            fits = cg_constant_lane(g->cg, first, l) == ((l >= distance) == (k == 0));
        if (fits)
            return true;
    }
    return false;
}

// What v is the sum of, over the lanes up to each one; NULL: it is no such sum.
static struct kir_value *summed(struct cg_func *g, struct kir_value *v) {
    for (unsigned d = KD_WARP / 2; d; d /= 2) {
        const struct kir_inst *i = def_of(v, ISA_OP_ADD, 2);
        if (!i || !is_word_type(i) || i->mods.sat)
            return NULL;
        v = is_moved_up(g, i->ops[0], i->ops[1], d)   ? i->ops[1]
            : is_moved_up(g, i->ops[1], i->ops[0], d) ? i->ops[0]
                                                      : NULL;
        if (!v)
            return NULL;
    }
    return v;
}

// One test for all four words of a line.
static bool is_of_lines(struct cg_func *g, struct kir_value *own, struct sum *s) {
    struct cg_test t[WORDS];
    struct kir_value *x[WORDS];
    unsigned n = 0;
    if (!add_terms(g, own, t, &n, WORDS) || n != WORDS || !is_here(g, t[0].by))
        return false;
    for (unsigned k = 0; k < WORDS; k++) {
        x[k] = t[k].x;
        if (!cg_same_test(&t[0], &t[k]))
            return false;
    }
    s->test = t[0];
    s->word = cg_words_among(g, x);
    return s->word != NULL;
}

static struct sum *find(const struct cg_func *g, const struct kir_value *inclusive) {
    struct sum *s = g->counts ? g->counts->first : NULL;
    while (s && s->inclusive != inclusive)
        s = s->next;
    return s;
}

static struct sum *remember(struct cg_func *g, const struct sum *s) {
    struct sum *old = find(g, s->inclusive);
    if (old)
        return old;
    if (!g->counts)
        g->counts = arena_new(g->cg->arena, struct cg_counts);
    struct sum *own = arena_new(g->cg->arena, struct sum);
    *own = *s;
    own->next = g->counts->first;
    for (unsigned t = 0; t < g->cg->team; t++)
        for (unsigned k = 0; k < KD_WARP / WORDS; k++)
            own->bits[t][k] = cg_entry_alloca(g, g->cg->i32);
    return g->counts->first = own;
}

void cg_note_count(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    struct sum s = {.inclusive = i->nres == 1 ? i->res[0] : NULL};
    LLVMValueRef line[KD_WARP / WORDS], total = cg_i32(c, 0);
    if (!g->lines || c->width != KD_WARP || i->op != ISA_OP_ADD || !s.inclusive)
        return;
    s.own = summed(g, s.inclusive);
    if (!s.own || !is_of_lines(g, s.own, &s) || !cg_lines_of(g, s.word, line))
        return;
    struct sum *known = remember(g, &s);
    for (unsigned k = 0; k < KD_WARP / WORDS; k++) {
        LLVMValueRef bits = test_line(g, &s.test, line[k]);
        LLVMBuildStore(c->b, bits, known->bits[g->turn][k]);
        total = LLVMBuildAdd(c->b, total, count_bits(c, bits), "");
    }
    // What has to be inverted is inverted in the number.
    LLVMValueRef all = cg_i32(c, KD_WARP * WORDS);
    if (s.test.inside)
        total = LLVMBuildSelect(c->b, is_below(g, &s.test), LLVMBuildSub(c->b, all, total, ""),
                                cg_i32(c, 0), "");
    if (s.test.outside)
        total = LLVMBuildSub(c->b, all, total, "");
    LLVMValueRef last = cg_i32(c, KD_WARP - 1);
    cg_set_vec(g, s.inclusive,
               LLVMBuildInsertElement(c->b, cg_vec(g, s.inclusive), total, last, ""));
}

// ---- counters -----------------------------------------------------------------------------------

// A value as the sum of a scalar, lanes' offsets, and a sum over the lanes (times one or minus one)
// without their own part.
struct parts {
    LLVMValueRef scalar;
    int64_t offs[KD_WARP];
    const struct sum *sum;
    int inclusive, own;
    unsigned depth; // of the sum that is being looked at
};

static bool add_sum(struct cg_func *g, const struct kir_value *v, int sign, struct parts *p) {
    for (const struct sum *s = g->counts->first; s; s = s->next) {
        if ((p->sum && p->sum != s) || (s->inclusive != v && s->own != v))
            continue;
        p->sum = s;
        *(s->inclusive == v ? &p->inclusive : &p->own) += sign;
        return true;
    }
    return false;
}

static bool add_part(struct cg_func *g, struct kir_value *v, int sign, struct parts *p);

static bool add_part_of(struct cg_func *g, struct kir_value *v, int sign, struct parts *p) {
    enum { MOST = 64 };
    bool ok = ++p->depth <= MOST && add_part(g, v, sign, p);
    p->depth--;
    return ok;
}

static bool add_part(struct cg_func *g, struct kir_value *v, int sign, struct parts *p) {
    struct cg *c = g->cg;
    if (add_sum(g, v, sign, p))
        return true;
    struct shape s = cg_shape(g, v);
    bool offsets = s.kind == SHAPE_OFFSETS;
    if ((s.kind == SHAPE_UNIFORM || (offsets && !cg_is_guarded(g, v))) && is_here(g, v)) {
        LLVMValueRef x = cg_scalar(g, v);
        p->scalar =
            sign > 0 ? LLVMBuildAdd(c->b, p->scalar, x, "") : LLVMBuildSub(c->b, p->scalar, x, "");
        for (unsigned l = 0; l < c->width && offsets; l++)
            p->offs[l] += sign * s.offs[l];
        return true;
    }
    const struct kir_inst *i = def_of(v, ISA_OP_NOT, 1);
    if (i && i->block == g->block) { // -1 - x
        p->scalar = LLVMBuildSub(c->b, p->scalar, cg_i32(c, (uint32_t)sign), "");
        return add_part_of(g, i->ops[0], -sign, p);
    }
    i = def_of(v, ISA_OP_ADD, 2);
    bool sub = !i;
    i = i ? i : def_of(v, ISA_OP_SUB, 2);
    return i && i->block == g->block && is_word_type(i) && !i->mods.sat &&
           add_part_of(g, i->ops[0], sign, p) && add_part_of(g, i->ops[1], sub ? -sign : sign, p);
}

bool cg_counts_on(struct cg_func *g, struct kir_value *counter, struct kir_value *const *word,
                  const struct cg_test *t, bool holds, struct cg_counter *out) {
    struct cg *c = g->cg;
    struct parts p = {.scalar = cg_i32(c, 0)};
    bool below = false;
    if (!g->counts || c->width != KD_WARP || !add_part(g, counter, 1, &p) || !p.sum ||
        p.own != -p.inclusive || (p.inclusive != 1 && p.inclusive != -1))
        return false;
    uint32_t step = p.inclusive > 0 ? 0 : WORDS;
    for (unsigned l = 0; l + 1 < c->width; l++)
        if ((uint32_t)(p.offs[l + 1] - p.offs[l]) != step)
            return false;
    for (unsigned k = 0; k < WORDS; k++)
        if (p.sum->word[k] != word[k])
            return false;
    if (cg_tests_agree(&p.sum->test, t, &below) * p.inclusive != (holds ? 1 : -1))
        return false;
    out->first = LLVMBuildAdd(c->b, p.scalar, cg_i32(c, (uint32_t)p.offs[0]), "");
    out->if_below = below ? is_below(g, t) : NULL;
    for (unsigned k = 0; k < KD_WARP / WORDS; k++) {
        LLVMValueRef bits = LLVMBuildLoad2(c->b, c->i32, p.sum->bits[g->turn][k], "");
        bool inverse = t->inside != t->outside;
        out->bits[k] =
            inverse == holds ? LLVMBuildXor(c->b, bits, cg_i32(c, UINT16_MAX), "") : bits;
        out->count[k] = count_bits(c, bits);
        if (inverse == holds)
            out->count[k] = LLVMBuildSub(c->b, cg_i32(c, LANES), out->count[k], "");
    }
    return true;
}
