// Products of matrices in registers (mma, wmma.mma) as vector code.
//
// A register of c holds for each lane row l / 4, column l % 4 * 2 (the next one its neighbour), so
// that a vector register of 16 lanes holds 4 rows of 4 columns. One step adds a column of a times
// a row of b to it: a's elements stand 4 times each, which is a shuffle of a's register within
// groups of 4 lanes, b's 4 elements are repeated for each row, which is a load.
//
// For that the factors go to memory in panels: 8 rows of a (or 8 columns of b) with all k, as
// numbers that the machine can multiply. A panel is made once for all products of a stretch of
// code that use its registers. The steps themselves are a function of the module (`core`), one for
// each kind of product and number of tiles: a loop that fits into the processor's cache of decoded
// instructions, with all sums in registers.
//
// Products that do not need each other's results are put off and computed together, those with the
// same a side by side (cg_func.products).
#include <stdio.h>
#include <string.h>

#include "codegen/access/cg_copy.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/matrix/cg_fragment.h"
#include "codegen/matrix/cg_product.h"
#include "codegen/matrix/cg_product_internal.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/matrix.h"

enum { MAX_PUT_OFF = 256, MAX_DEFERRED = 64, PANELS = 8 };

struct panel {
    LLVMValueRef memory;
    unsigned bytes;
    uint64_t key; // types and sizes
    const struct kir_value *reg[MAX_DEPTH * MAX_STEPS];
    uint32_t epoch;
    uint64_t used; // when it was used last
};

// An ldmatrix whose rows are loaded where panels are filled: its results are nowhere else.
struct deferred {
    struct kir_inst *i;
    struct cg_rows rows; // once they were asked for
    LLVMValueRef memory; // of offsets that no constants tell
};

struct cg_products {
    struct deferred deferred[MAX_DEFERRED];
    unsigned ndeferred;
    const struct kir_block *deferring; // the block that they are of
    struct kir_inst *put_off[MAX_PUT_OFF];
    unsigned n;
    struct chain chains[MAX_PUT_OFF]; // of what was put off
    unsigned nchains;
    struct panel panels[2][PANELS]; // of a, of b
    uint64_t clock;
    LLVMValueRef features;
};

// ---- what is computed here -----------------------------------------------------------------

static bool is_signed(enum isa_matrix_type t) {
    return t == ISA_MAT_S8 || t == ISA_MAT_S4;
}

static bool is_float8(uint8_t t) {
    return t == ISA_MAT_E4M3 || t == ISA_MAT_E5M2;
}

bool cg_product_sum(const struct cg *c, const struct isa_matrix *x, enum arithmetic *sum,
                    unsigned *parts) {
    bool x86 = c->target.family == MACHINE_X86;
    *parts = 1;
    switch (x->type[ISA_FRAG_A]) {
    case ISA_MAT_F16:
    case ISA_MAT_BF16:
        *sum = SUM_FLOAT;
        *parts = 2;
        return c->target.fused && !x->satfinite;
    case ISA_MAT_E4M3:
    case ISA_MAT_E5M2:
        *sum = SUM_FLOAT;
        *parts = 4;
        return c->target.fused && !x->satfinite && is_float8(x->type[ISA_FRAG_B]) && !x->scales;
    case ISA_MAT_TF32:
        *sum = SUM_FLOAT;
        return c->target.fused && !x->satfinite;
    case ISA_MAT_F64:
        *sum = SUM_DOUBLE;
        return c->target.fused && (!x->rnd || x->rnd == ISA_RND_RN);
    case ISA_MAT_S8:
    case ISA_MAT_U8:
        *sum = SUM_BYTES;
        return x86;
    case ISA_MAT_S4:
    case ISA_MAT_U4:
        *sum = SUM_BYTES;
        *parts = 2;
        return x86;
    case ISA_MAT_B1:
        *sum = SUM_BITS;
        return true;
    default:
        return false;
    }
}

static bool product_of(const struct cg *c, const struct kir_inst *i, struct product *p) {
    unsigned m, n, k;
    if (c->width != LANES || (i->op != ISA_OP_MMA && i->op != ISA_OP_WMMA_MMA))
        return false;
    *p = (struct product){.x = isa_matrix_of((isa_op)i->op, &i->mods), .steps = 1};
    bool quads = i->op == ISA_OP_MMA && p->x.shape == ISA_SHAPE_M8N8K4 &&
                 p->x.type[ISA_FRAG_A] == ISA_MAT_F16;
    if (p->x.sparse || quads || !cg_product_sum(c, &p->x, &p->sum, &p->parts))
        return false;
    isa_matrix_size(&p->x, ISA_FRAG_A, &m, &k);
    isa_matrix_size(&p->x, ISA_FRAG_B, &k, &n);
    p->rows = m / TILE;
    p->columns = n / TILE;
    p->halves = m >= 16 ? 2 : 1;
    p->depth = k / 4 / isa_fragment_of(&p->x, ISA_FRAG_A).per;
    p->half_c = p->x.type[ISA_FRAG_C] == ISA_MAT_F16;
    p->half_d = p->x.type[ISA_FRAG_D] == ISA_MAT_F16;
    p->first_c =
        isa_fragment_of(&p->x, ISA_FRAG_A).registers + isa_fragment_of(&p->x, ISA_FRAG_B).registers;
    return p->depth <= MAX_DEPTH;
}

static LLVMTypeRef number_type(const struct cg *c, enum arithmetic s) {
    return s == SUM_FLOAT ? c->f32 : s == SUM_DOUBLE ? c->f64 : c->i32;
}

static unsigned number_bytes(enum arithmetic s) {
    return s == SUM_DOUBLE ? 8 : 4;
}

struct kir_value *cg_a_register(const struct product *p, const struct kir_inst *i, unsigned row,
                                unsigned r) {
    return i->ops[row / p->halves * p->halves * p->depth + r * p->halves + row % p->halves];
}

struct kir_value *cg_b_register(const struct product *p, const struct kir_inst *i, unsigned column,
                                unsigned r) {
    return i->ops[isa_fragment_of(&p->x, ISA_FRAG_A).registers + column * p->depth + r];
}

unsigned cg_sum_register(const struct product *p, unsigned row, unsigned column, bool half) {
    unsigned tile = row / p->halves * p->columns + column;
    return (tile * p->halves + row % p->halves) * (half ? 1 : 2);
}

// ---- vectors ---------------------------------------------------------------------------------

static LLVMValueRef shuffle(struct cg *c, LLVMValueRef x, const unsigned *idx, unsigned n) {
    LLVMValueRef k[LANES];
    for (unsigned e = 0; e < n; e++)
        k[e] = cg_i32(c, idx[e]);
    return LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(k, n), "");
}

static LLVMValueRef slice(struct cg *c, LLVMValueRef x, unsigned at, unsigned n) {
    unsigned idx[LANES];
    for (unsigned e = 0; e < n; e++)
        idx[e] = at + e;
    return shuffle(c, x, idx, n);
}

static LLVMValueRef joined(struct cg *c, LLVMValueRef *v, unsigned n) {
    LLVMValueRef x[16];
    memcpy(x, v, n * sizeof *v);
    for (; n > 1; n /= 2)
        for (unsigned k = 0; k < n / 2; k++)
            x[k] = cg_concat(c, x[2 * k], x[2 * k + 1]);
    return x[0];
}

static unsigned native_lanes(const struct cg *c, enum arithmetic s) {
    unsigned n = c->target.vector_bits / 8 / number_bytes(s);
    return n < 4 ? 4 : n;
}

// The same 32-bit constant in as many lanes as x has.
static LLVMValueRef like(struct cg *c, LLVMValueRef x, uint32_t v) {
    LLVMValueRef k[LANES];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    for (unsigned e = 0; e < n; e++)
        k[e] = cg_i32(c, v);
    return LLVMConstVector(k, n);
}

static LLVMValueRef as(struct cg *c, LLVMValueRef x, LLVMTypeRef elem) {
    return LLVMBuildBitCast(c->b, x, cg_vec_of(c, elem), "");
}

static LLVMValueRef at_byte(struct cg *c, LLVMValueRef p, unsigned offset) {
    LLVMValueRef at = cg_i64(c, offset);
    return offset ? LLVMBuildInBoundsGEP2(c->b, c->i8, p, &at, 1, "") : p;
}

// ---- numbers out of registers ------------------------------------------------------------------

static LLVMTypeRef half_type(struct cg *c) {
    return LLVMHalfTypeInContext(c->ctx);
}

static LLVMValueRef low_half(struct cg *c, LLVMValueRef x) {
    x = LLVMBuildTrunc(c->b, x, cg_vec_of(c, c->i16), "");
    return LLVMBuildFPExt(c->b, as(c, x, half_type(c)), cg_vec_of(c, c->f32), "");
}

// The byte at bits 0 to 7 of each lane: sign, exponent biased by 7, 3 bits. As f16 it is 2^-8 of
// what it means, NaN apart.
static LLVMValueRef from_e4m3(struct cg *c, LLVMValueRef x) {
    LLVMValueRef low = LLVMBuildAnd(c->b, x, like(c, x, 0x7f), "");
    LLVMValueRef sign = LLVMBuildAnd(c->b, x, like(c, x, 0x80), "");
    LLVMValueRef h = LLVMBuildOr(c->b, LLVMBuildShl(c->b, low, like(c, x, 7), ""),
                                 LLVMBuildShl(c->b, sign, like(c, x, 8), ""), "");
    LLVMValueRef scale = as(c, like(c, x, 0x43800000), c->f32);
    LLVMValueRef f = LLVMBuildFMul(c->b, low_half(c, h), scale, "");
    LLVMValueRef nan = LLVMBuildICmp(c->b, LLVMIntEQ, low, like(c, x, 0x7f), "");
    return cg_select(c, nan, as(c, like(c, x, 0x7fffffff), c->f32), f);
}

static LLVMValueRef nibbles(struct cg *c, LLVMValueRef x, unsigned part, bool sign) {
    if (part)
        x = LLVMBuildLShr(c->b, x, like(c, x, 4), "");
    x = LLVMBuildAnd(c->b, x, like(c, x, 0x0f0f0f0f), "");
    if (!sign)
        return x;
    LLVMTypeRef bytes = LLVMVectorType(c->i8, LANES * 4);
    LLVMValueRef eight = like(c, x, 0x08080808), words = LLVMBuildXor(c->b, x, eight, "");
    LLVMValueRef r = LLVMBuildSub(c->b, LLVMBuildBitCast(c->b, words, bytes, ""),
                                  LLVMConstBitCast(eight, bytes), "");
    return LLVMBuildBitCast(c->b, r, LLVMTypeOf(x), "");
}

// The numbers of a register that stand at place `part` in each lane.
static LLVMValueRef numbers(struct cg *c, enum isa_matrix_type t, LLVMValueRef x, unsigned part) {
    if (t == ISA_MAT_F64)
        return as(c, x, c->f64);
    x = as(c, x, c->i32);
    switch (t) {
    case ISA_MAT_F16:
        return low_half(c, part ? LLVMBuildLShr(c->b, x, like(c, x, 16), "") : x);
    case ISA_MAT_BF16:
        x = part ? LLVMBuildAnd(c->b, x, like(c, x, 0xffff0000), "")
                 : LLVMBuildShl(c->b, x, like(c, x, 16), "");
        return as(c, x, c->f32);
    case ISA_MAT_TF32:
        return as(c, LLVMBuildAnd(c->b, x, like(c, x, 0xffffe000), ""), c->f32);
    case ISA_MAT_E5M2:
        x = part == 3 ? LLVMBuildLShr(c->b, x, like(c, x, 16), "")
                      : LLVMBuildShl(c->b, LLVMBuildLShr(c->b, x, like(c, x, part * 8), ""),
                                     like(c, x, 8), "");
        return low_half(c, LLVMBuildAnd(c->b, x, like(c, x, 0xff00), ""));
    case ISA_MAT_E4M3:
        return from_e4m3(c, LLVMBuildLShr(c->b, x, like(c, x, part * 8), ""));
    case ISA_MAT_S4:
    case ISA_MAT_U4:
        return nibbles(c, x, part, t == ISA_MAT_S4);
    default:
        return x;
    }
}

// ---- panels ------------------------------------------------------------------------------------

static bool signed_a(const struct product *p) {
    return is_signed((enum isa_matrix_type)p->x.type[ISA_FRAG_A]);
}

bool cg_signed_b(const struct product *p) {
    return is_signed((enum isa_matrix_type)p->x.type[ISA_FRAG_B]);
}

// Of those behind b stand the sums of its columns, times 128.
bool cg_is_biased(const struct product *p) {
    return p->sum == SUM_BYTES && signed_a(p) == cg_signed_b(p);
}

static unsigned vector_bytes(const struct product *p) {
    return LANES * number_bytes(p->sum);
}

// What one instruction adds to a panel; a panel without the sums.
static unsigned step_bytes(const struct product *p) {
    return p->depth * p->parts * vector_bytes(p);
}

static unsigned panel_bytes(const struct product *p) {
    return p->steps * step_bytes(p);
}

unsigned cg_panel_bytes(const struct product *p, bool of_b) {
    return panel_bytes(p) + (of_b && cg_is_biased(p) ? 32 : 0);
}

LLVMValueRef cg_active_register(struct cg_func *g, const struct kir_inst *i, struct kir_value *v) {
    struct cg *c = g->cg;
    uint32_t k = 0;
    while (i->ops[k] != v)
        k++;
    LLVMValueRef x = cg_operand_bits(g, i, k, cg_vec(g, v));
    x = as(c, x, kir_type_bits(v->type) == 64 ? c->i64 : c->i32);
    return g->now.mask ? cg_select(c, g->now.mask, x, LLVMConstNull(LLVMTypeOf(x))) : x;
}

// Lanes 4n + q to 8q + n, the even n before the odd ones.
static LLVMValueRef by_depth(struct cg *c, LLVMValueRef x) {
    unsigned idx[LANES];
    for (unsigned k = 0; k < LANES; k++)
        idx[k] = 4 * (k % 4 * 2 + k / 4 % 2) + k / 8;
    return shuffle(c, x, idx, LANES);
}

// Sums of the bytes in each lane, in 32 bits: products with ones, in vectors of the machine.
static LLVMValueRef byte_sums(struct cg *c, LLVMValueRef x, bool sign) {
    static const struct {
        unsigned lanes;
        const char *pairs, *quads;
    } add[] = {{16, "llvm.x86.avx512.pmaddubs.w.512", "llvm.x86.avx512.pmaddw.d.512"},
               {8, "llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx2.pmadd.wd"},
               {4, "llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.sse2.pmadd.wd"}};
    unsigned n = native_lanes(c, SUM_BYTES), way = n == 16 ? 0 : n == 8 ? 1 : 2;
    LLVMValueRef part[LANES / 4];
    for (unsigned k = 0; k < LANES / n; k++) {
        LLVMValueRef words = slice(c, x, k * n, n);
        LLVMTypeRef bytes = LLVMVectorType(c->i8, n * 4), pairs = LLVMVectorType(c->i16, n * 2);
        LLVMValueRef y = LLVMBuildBitCast(c->b, words, bytes, "");
        LLVMValueRef ones = LLVMConstBitCast(like(c, words, 0x01010101), bytes);
        LLVMValueRef factors[] = {sign ? ones : y, sign ? y : ones}; // the second one is signed
        LLVMValueRef sums[] = {cg_call_intrinsic(c, add[way].pairs, NULL, 0, factors, 2),
                               LLVMConstBitCast(like(c, words, 0x00010001), pairs)};
        part[k] = cg_call_intrinsic(c, add[way].quads, NULL, 0, sums, 2);
    }
    return joined(c, part, LANES / n);
}

// Sums over k, times 128, of what by_depth has put in order.
static void store_column_sums(struct cg *c, LLVMValueRef sums, LLVMValueRef to, bool more) {
    LLVMValueRef s = LLVMBuildAdd(c->b, slice(c, sums, 0, 16), slice(c, sums, 16, 16), "");
    s = LLVMBuildAdd(c->b, slice(c, s, 0, 8), slice(c, s, 8, 8), "");
    s = LLVMBuildShl(c->b, s, like(c, s, 7), "");
    if (more) {
        LLVMValueRef old = LLVMBuildLoad2(c->b, LLVMTypeOf(s), to, "");
        LLVMSetAlignment(old, 32);
        s = LLVMBuildAdd(c->b, s, old, "");
    }
    LLVMSetAlignment(LLVMBuildStore(c->b, s, to), 32);
}

static struct deferred *find_deferred(struct cg_products *all, const struct kir_inst *i) {
    for (unsigned n = 0; n < all->ndeferred; n++)
        if (all->deferred[n].i == i)
            return &all->deferred[n];
    return NULL;
}

struct source cg_source_of(struct cg_func *g, const struct kir_value *v) {
    struct deferred *d = v->kind == KIR_VALUE_INST ? find_deferred(g->products, v->def) : NULL;
    struct source s = {0};
    if (!d) {
        s.memory = cg_fragment_memory(g, v);
        return s;
    }
    if (!d->memory && !d->rows.element) {
        d->memory = cg_entry_alloca(g, LLVMArrayType2(g->cg->i64, LANES));
        LLVMSetAlignment(d->memory, PANEL_ALIGN);
    }
    if (!d->rows.element)
        d->rows = cg_rows_of(g, d->i, d->memory);
    s.rows = d->rows;
    s.trans = d->i->mods.trans;
    while (d->i->res[s.matrix] != v)
        s.matrix++;
    return s;
}

// The body of a function that fills a panel: (memory, where column sums stand, registers...); a
// register that rows are loaded for is their base and offsets.
static void emit_filling(struct cg *c, const struct product *p, bool of_b, bool more,
                         const struct source *sources, LLVMValueRef f) {
    enum isa_matrix_type t = (enum isa_matrix_type)p->x.type[of_b ? ISA_FRAG_B : ISA_FRAG_A];
    LLVMValueRef sums = NULL, memory = LLVMGetParam(f, 0);
    for (unsigned r = 0, arg = 2; r < p->depth; r++) {
        const struct source *s = &sources[r];
        LLVMValueRef x = LLVMGetParam(f, arg++);
        if (s->rows.element) {
            struct cg_rows rows = {x, LLVMGetParam(f, arg++), s->rows.element};
            x = cg_load_matrix(c, &rows, 0, s->trans);
        } else if (s->memory) {
            x = LLVMBuildLoad2(c->b, cg_vec_of(c, p->sum == SUM_DOUBLE ? c->i64 : c->i32), x, "");
            LLVMSetAlignment(x, PANEL_ALIGN);
        }
        for (unsigned part = 0; part < p->parts; part++) {
            LLVMValueRef n = numbers(c, t, x, part);
            if (p->negative && !of_b)
                n = LLVMBuildFNeg(c->b, n, "");
            if (of_b)
                n = by_depth(c, n);
            else if (cg_is_biased(p))
                n = LLVMBuildXor(c->b, n, like(c, n, 0x80808080), "");
            LLVMValueRef to = at_byte(c, memory, (r * p->parts + part) * vector_bytes(p));
            LLVMSetAlignment(LLVMBuildStore(c->b, n, to), PANEL_ALIGN);
            if (of_b && cg_is_biased(p)) {
                LLVMValueRef s = byte_sums(c, n, cg_signed_b(p));
                sums = sums ? LLVMBuildAdd(c->b, sums, s, "") : s;
            }
        }
    }
    if (sums)
        store_column_sums(c, cg_signed_b(p) ? sums : LLVMBuildNeg(c->b, sums, ""),
                          LLVMGetParam(f, 1), more);
    LLVMBuildRetVoid(c->b);
}

// Adds the arguments of a register, and a letter to the name: rows of 32-bit offsets (r), of
// addresses (R), of which the matrix is transposed (t, T), or the vector x (v).
static unsigned add_register(struct cg *c, const struct source *s, LLVMValueRef x,
                             LLVMValueRef *args, char *letter) {
    *letter = s->memory ? 'm' : 'v';
    if (!s->rows.element) {
        args[0] = s->memory ? s->memory : x;
        return 1;
    }
    bool wide = s->rows.element == c->i64;
    *letter = s->trans ? (wide ? 'T' : 't') : wide ? 'R' : 'r';
    args[0] = s->rows.base;
    args[1] = at_byte(c, s->rows.offsets, s->matrix * TILE * (wide ? 8 : 4));
    return 2;
}

void cg_fill_panel(struct cg *c, const struct product *p, bool of_b, const struct source *sources,
                   LLVMValueRef *x, LLVMValueRef memory, LLVMValueRef sums, bool more) {
    LLVMValueRef args[2 + 2 * MAX_DEPTH] = {memory, sums};
    LLVMTypeRef types[2 + 2 * MAX_DEPTH];
    char name[64], letters[MAX_DEPTH + 1] = "";
    bool loads = false;
    unsigned n = 2;
    for (unsigned r = 0; r < p->depth; r++) {
        loads |= sources[r].rows.element || sources[r].memory;
        n += add_register(c, &sources[r], x ? x[r] : NULL, args + n, &letters[r]);
    }
    for (unsigned r = 0; r < n; r++)
        types[r] = LLVMTypeOf(args[r]);
    snprintf(name, sizeof name, "kd_panel_%c_%u_%s%s%s%s", of_b ? 'b' : 'a',
             p->x.type[of_b ? ISA_FRAG_B : ISA_FRAG_A], letters, cg_is_biased(p) ? "_biased" : "",
             p->negative && !of_b ? "_negative" : "", more ? "_more" : "");
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, n, 0);
    struct cg_own own = cg_own_function(c, name, type,
                                        loads  ? CG_ANY_EFFECT
                                        : more ? CG_CHANGES_ARGS
                                               : CG_WRITES_ARGS);
    if (own.from) {
        emit_filling(c, p, of_b, more, sources, own.f);
        cg_end_own(c, &own);
    }
    cg_call_own(c, type, own.f, args, n);
}

// What one instruction of a chain adds.
static void fill_step(struct cg_func *g, const struct product *p, const struct chain *k,
                      unsigned step, bool of_b, unsigned tile, LLVMValueRef memory) {
    struct cg *c = g->cg;
    struct kir_inst *i = k->i[step];
    struct source sources[MAX_DEPTH];
    LLVMValueRef x[MAX_DEPTH];
    for (unsigned r = 0; r < p->depth; r++) {
        struct kir_value *v = of_b ? cg_b_register(p, i, tile, r) : cg_a_register(p, i, tile, r);
        sources[r] = cg_source_of(g, v);
        x[r] = sources[r].rows.element || sources[r].memory ? NULL : cg_active_register(g, i, v);
    }
    cg_fill_panel(c, p, of_b, sources, x, at_byte(c, memory, step * step_bytes(p)),
                  at_byte(c, memory, panel_bytes(p)), of_b && cg_is_biased(p) && step);
}

static bool holds(const struct panel *q, uint64_t key, struct kir_value *const *reg, unsigned n,
                  uint32_t epoch) {
    if (!q->memory || q->key != key || q->epoch != epoch)
        return false;
    for (unsigned r = 0; r < n; r++)
        if (q->reg[r] != reg[r])
            return false;
    return true;
}

// The memory of 8 rows of a (columns of b), filled.
static LLVMValueRef panel_of(struct cg_func *g, const struct product *p, const struct chain *chain,
                             bool of_b, unsigned tile) {
    struct cg *c = g->cg;
    struct cg_products *all = g->products;
    struct panel *least = &all->panels[of_b][0];
    unsigned bytes = cg_panel_bytes(p, of_b), n = 0;
    uint64_t key =
        ((uint64_t)p->x.type[of_b ? ISA_FRAG_B : ISA_FRAG_A] * 2 + cg_is_biased(p)) * 256 +
        p->depth * 16 + p->steps;
    struct kir_value *reg[MAX_DEPTH * MAX_STEPS];
    for (unsigned step = 0; step < p->steps; step++)
        for (unsigned r = 0; r < p->depth; r++)
            reg[n++] = of_b ? cg_b_register(p, chain->i[step], tile, r)
                            : cg_a_register(p, chain->i[step], tile, r);
    for (unsigned k = 0; k < PANELS; k++) {
        struct panel *q = &all->panels[of_b][k];
        if (holds(q, key, reg, n, g->epoch)) {
            q->used = ++all->clock;
            return q->memory;
        }
        if (q->used < least->used)
            least = q;
    }
    if (least->bytes < bytes) {
        least->memory = cg_entry_alloca(g, LLVMArrayType2(c->i8, bytes));
        LLVMSetAlignment(least->memory, PANEL_ALIGN);
        least->bytes = bytes;
    }
    least->key = key;
    least->epoch = g->epoch;
    least->used = ++all->clock;
    memcpy(least->reg, reg, n * sizeof *reg);
    for (unsigned step = 0; step < p->steps; step++)
        fill_step(g, p, chain, step, of_b, tile, least->memory);
    return least->memory;
}

// ---- the core ----------------------------------------------------------------------------------

// What a core is made for: `down` tiles of 8 rows times `across` tiles of 8 columns.
struct core {
    struct cg *c;
    const struct product *p;
    unsigned down, across;
    bool vnni, in_place;
    unsigned lanes, vectors; // of a vector register; vector registers of a tile's register
    LLVMValueRef a[MAX_TILES], b[MAX_TILES]; // panels, at the loop's place
    LLVMValueRef sum[MAX_TILES * 2][16];     // [(row tile * across + column tile) * 2 + odd]
    LLVMTypeRef vector;
};

// Tiles whose sums fit into the registers.
unsigned cg_most_tiles(const struct cg *c, enum arithmetic s) {
    if (!c->target.holds_line)
        return 1;
    if (c->spec.flags & KD_SPEC_QUICK)
        return 2; // half as many instructions
    return s == SUM_DOUBLE ? 2 : 4;
}

static LLVMValueRef words_as_pairs(struct cg *c, LLVMValueRef x, bool high, bool sign) {
    LLVMTypeRef pairs = LLVMVectorType(c->i16, LLVMGetVectorSize(LLVMTypeOf(x)) * 2);
    LLVMValueRef eight = LLVMConstBitCast(like(c, x, 0x00080008), pairs);
    x = LLVMBuildBitCast(c->b, x, pairs, "");
    if (!high)
        x = LLVMBuildShl(c->b, x, eight, "");
    return sign ? LLVMBuildAShr(c->b, x, eight, "") : LLVMBuildLShr(c->b, x, eight, "");
}

static LLVMValueRef call_by_name(struct cg *c, const char *name, LLVMValueRef *args, unsigned n) {
    return cg_call_intrinsic(c, name, NULL, 0, args, n);
}

// sum + the products of the bytes of a and b, with 16-bit multiplications.
static LLVMValueRef add_bytes(struct cg *c, const struct product *p, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef sum) {
    static const struct {
        unsigned lanes;
        const char *name;
    } madd[] = {{16, "llvm.x86.avx512.pmaddw.d.512"},
                {8, "llvm.x86.avx2.pmadd.wd"},
                {4, "llvm.x86.sse2.pmadd.wd"}};
    bool sa = signed_a(p), sb = cg_signed_b(p);
    if (cg_is_biased(p))
        a = LLVMBuildXor(c->b, a, like(c, a, 0x80808080), "");
    for (unsigned n = 0; n < 3; n++) {
        bool fits = madd[n].lanes == LLVMGetVectorSize(LLVMTypeOf(sum));
        for (unsigned high = 0; high < 2 && fits; high++) {
            LLVMValueRef pair[] = {words_as_pairs(c, a, high, sa), words_as_pairs(c, b, high, sb)};
            sum = LLVMBuildAdd(c->b, sum, call_by_name(c, madd[n].name, pair, 2), "");
        }
    }
    return sum;
}

LLVMValueRef cg_add_products(struct cg *c, const struct product *p, bool vnni, LLVMValueRef a,
                             LLVMValueRef b, LLVMValueRef sum) {
    LLVMValueRef args[] = {a, b, sum};
    LLVMTypeRef vector = LLVMTypeOf(sum);
    switch (p->sum) {
    case SUM_FLOAT:
    case SUM_DOUBLE:
        return cg_call_intrinsic(c, "llvm.fma", &vector, 1, args, 3);
    case SUM_BITS: {
        bool and = p->x.bitop == ISA_BOOL_AND;
        LLVMValueRef both = and? LLVMBuildAnd(c->b, a, b, "") : LLVMBuildXor(c->b, a, b, "");
        both = cg_call_intrinsic(c, "llvm.ctpop", &vector, 1, &both, 1);
        return LLVMBuildAdd(c->b, sum, both, "");
    }
    default:
        break;
    }
    if (!vnni)
        return add_bytes(c, p, a, b, sum);
    bool swap = cg_is_biased(p) ? !signed_a(p) : signed_a(p);
    LLVMValueRef dot[] = {sum, swap ? b : a, swap ? a : b};
    return call_by_name(c, "llvm.x86.avx512.vpdpbusd.512", dot, 3);
}

// 4 numbers, for each row.
static LLVMValueRef load_row(struct core *k, LLVMValueRef p, unsigned offset) {
    struct cg *c = k->c;
    unsigned idx[LANES];
    LLVMTypeRef four = LLVMVectorType(number_type(c, k->p->sum), 4);
    LLVMValueRef x = LLVMBuildLoad2(c->b, four, at_byte(c, p, offset), "");
    LLVMSetAlignment(x, 16);
    for (unsigned e = 0; e < k->lanes; e++)
        idx[e] = e % 4;
    return shuffle(c, x, idx, k->lanes);
}

// Number q of each group of 4 lanes of a's vector, 4 times.
static LLVMValueRef load_column(struct core *k, LLVMValueRef p, unsigned offset, unsigned q) {
    struct cg *c = k->c;
    unsigned idx[LANES];
    LLVMValueRef x = LLVMBuildLoad2(c->b, k->vector, at_byte(c, p, offset), "");
    LLVMSetAlignment(x, k->lanes * number_bytes(k->p->sum));
    for (unsigned e = 0; e < k->lanes; e++)
        idx[e] = e / 4 * 4 + q;
    return shuffle(c, x, idx, k->lanes);
}

// One element of k.
static void emit_step(struct core *k, unsigned part, unsigned q) {
    struct cg *c = k->c;
    unsigned bytes = number_bytes(k->p->sum), base = part * vector_bytes(k->p);
    for (unsigned row = 0; row < k->down; row++) {
        LLVMValueRef a[16];
        for (unsigned v = 0; v < k->vectors; v++)
            a[v] = load_column(k, k->a[row], base + v * k->lanes * bytes, q);
        for (unsigned n = 0; n < k->across * 2; n++) {
            LLVMValueRef b = load_row(k, k->b[n / 2], base + (q * 8 + n % 2 * 4) * bytes);
            LLVMValueRef *sum = k->sum[row * k->across * 2 + n];
            for (unsigned v = 0; v < k->vectors; v++)
                sum[v] = cg_add_products(c, k->p, k->vnni, a[v], b, sum[v]);
        }
    }
}

static LLVMTypeRef core_type(struct cg *c, const struct product *p, unsigned down, unsigned across,
                             bool in_place) {
    LLVMTypeRef t[MAX_TILES * 6], row = cg_vec_of(c, number_type(c, p->sum));
    unsigned n = 0;
    for (unsigned k = 0; k < down + across; k++)
        t[n++] = c->ptr;
    for (unsigned k = 0; k < down * across * 2; k++)
        t[n++] = in_place ? c->ptr : row;
    if (in_place)
        return LLVMFunctionType(c->void_t, t, n, 0);
    LLVMTypeRef result = LLVMStructTypeInContext(c->ctx, t + down + across, down * across * 2, 0);
    return LLVMFunctionType(result, t, n, 0);
}

static void begin_sums(struct core *k, LLVMValueRef f) {
    struct cg *c = k->c;
    bool biased = k->vnni && cg_is_biased(k->p);
    for (unsigned n = 0; n < k->down * k->across * 2; n++) {
        LLVMValueRef x = LLVMGetParam(f, k->down + k->across + n);
        LLVMValueRef less = NULL;
        if (k->in_place) {
            x = LLVMBuildLoad2(c->b, cg_vec_of(c, number_type(c, k->p->sum)), x, "");
            LLVMSetAlignment(x, PANEL_ALIGN);
        }
        if (biased)
            less = load_row(k, k->b[n / 2 % k->across], panel_bytes(k->p) + n % 2 * 16);
        for (unsigned v = 0; v < k->vectors; v++) {
            k->sum[n][v] = slice(c, x, v * k->lanes, k->lanes);
            if (less)
                k->sum[n][v] = LLVMBuildSub(c->b, k->sum[n][v], less, "");
        }
    }
}

static void store_sums(struct core *k, LLVMValueRef f) {
    for (unsigned n = 0; n < k->down * k->across * 2; n++)
        LLVMSetAlignment(LLVMBuildStore(k->c->b, joined(k->c, k->sum[n], k->vectors),
                                        LLVMGetParam(f, k->down + k->across + n)),
                         PANEL_ALIGN);
    LLVMBuildRetVoid(k->c->b);
}

static void return_sums(struct core *k, LLVMValueRef f) {
    struct cg *c = k->c;
    LLVMValueRef r = LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(f)));
    for (unsigned n = 0; n < k->down * k->across * 2; n++)
        r = LLVMBuildInsertValue(c->b, r, joined(c, k->sum[n], k->vectors), n, "");
    LLVMBuildRet(c->b, r);
}

// A loop over the registers of a panel, sums and the place in the panels as phis.
static void emit_core(struct core *k, LLVMValueRef f) {
    struct cg *c = k->c;
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(c->b);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(c->ctx, f, "loop");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(c->ctx, f, "done");
    unsigned sums = k->down * k->across * 2;
    LLVMValueRef phi[MAX_TILES * 2][16], start = cg_i64(c, 0);
    for (unsigned n = 0; n < k->across; n++)
        k->b[n] = LLVMGetParam(f, k->down + n);
    begin_sums(k, f);
    LLVMBuildBr(c->b, loop);
    LLVMPositionBuilderAtEnd(c->b, loop);
    LLVMValueRef at = LLVMBuildPhi(c->b, c->i64, "at");
    LLVMAddIncoming(at, &start, &entry, 1);
    for (unsigned n = 0; n < sums; n++) {
        for (unsigned v = 0; v < k->vectors; v++) {
            phi[n][v] = LLVMBuildPhi(c->b, k->vector, "");
            LLVMAddIncoming(phi[n][v], &k->sum[n][v], &entry, 1);
            k->sum[n][v] = phi[n][v];
        }
    }
    for (unsigned n = 0; n < k->down + k->across; n++) {
        LLVMValueRef p = LLVMGetParam(f, n);
        *(n < k->down ? &k->a[n] : &k->b[n - k->down]) =
            LLVMBuildInBoundsGEP2(c->b, c->i8, p, &at, 1, "");
    }
    for (unsigned q = 0; q < 4; q++)
        for (unsigned part = 0; part < k->p->parts; part++)
            emit_step(k, part, q);
    unsigned turn = k->p->parts * vector_bytes(k->p);
    LLVMValueRef next = LLVMBuildAdd(c->b, at, cg_i64(c, turn), "");
    LLVMAddIncoming(at, &next, &loop, 1);
    for (unsigned n = 0; n < sums; n++)
        for (unsigned v = 0; v < k->vectors; v++)
            LLVMAddIncoming(phi[n][v], &k->sum[n][v], &loop, 1);
    LLVMValueRef again = LLVMBuildICmp(c->b, LLVMIntULT, next, cg_i64(c, panel_bytes(k->p)), "");
    LLVMBuildCondBr(c->b, again, loop, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    if (k->in_place)
        store_sums(k, f);
    else
        return_sums(k, f);
}

void cg_give_vnni(struct cg *c, LLVMValueRef f) {
    static const char key[] = "target-features", value[] = "+avx512vnni,-prefer-256-bit";
    LLVMAddAttributeAtIndex(
        f, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(c->ctx, key, sizeof key - 1, value, sizeof value - 1));
}

// in_place: sums are in memory, and stay there.
static LLVMValueRef core_function(struct cg *c, const struct product *p, unsigned down,
                                  unsigned across, bool vnni, bool in_place) {
    char name[64];
    snprintf(name, sizeof name, "kd_product_%u_%u_%u_%u_%u_%u%s", p->x.type[ISA_FRAG_A],
             p->x.type[ISA_FRAG_B], p->x.bitop, p->depth * p->steps, down, across,
             vnni       ? "_vnni"
             : in_place ? "_in_place"
                        : "");
    struct cg_own own = cg_own_function(c, name, core_type(c, p, down, across, in_place),
                                        in_place ? CG_CHANGES_ARGS : CG_READS_ARGS);
    if (!own.from)
        return own.f;
    if (vnni)
        cg_give_vnni(c, own.f);
    struct core k = {
        .c = c, .p = p, .down = down, .across = across, .vnni = vnni, .in_place = in_place};
    k.lanes = native_lanes(c, p->sum);
    k.vectors = LANES / k.lanes;
    k.vector = LLVMVectorType(number_type(c, p->sum), k.lanes);
    emit_core(&k, own.f);
    cg_end_own(c, &own);
    return own.f;
}

// ---- calls
// ---------------------------------------------------------------------------------------

// What the machine has beyond its level, asked once a call of the kernel.
LLVMValueRef cg_has_vnni(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->products->features) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
        LLVMValueRef first = LLVMGetFirstInstruction(g->entry);
        if (first)
            LLVMPositionBuilderBefore(c->b, first);
        LLVMValueRef f = cg_call_rt(c, "kd_rt_features", NULL, 0);
        f = LLVMBuildAnd(c->b, f, cg_i32(c, KD_FEATURE_VNNI), "");
        g->products->features = LLVMBuildICmp(c->b, LLVMIntNE, f, cg_i32(c, 0), "vnni");
        LLVMPositionBuilderAtEnd(c->b, here);
    }
    return g->products->features;
}

static bool vnni_helps(const struct cg *c, const struct product *p) {
    return c->target.newer_products && p->sum == SUM_BYTES;
}

// A register of c as it is added to.
static LLVMValueRef sum_operand(struct cg_func *g, const struct product *p, struct kir_inst *i,
                                unsigned o) {
    LLVMValueRef x = cg_operand_bits(g, i, o, cg_vec(g, i->ops[o]));
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
    return p->adds ? LLVMBuildSelect(g->cg->b, p->adds, x, zero, "") : x;
}

// c of a tile: the even columns, the odd ones.
void cg_read_sums(struct cg_func *g, const struct product *p, struct kir_inst *i, unsigned row,
                  unsigned column, LLVMValueRef *sum) {
    struct cg *c = g->cg;
    unsigned first = p->first_c + cg_sum_register(p, row, column, p->half_c);
    for (unsigned k = 0; k < 2; k++) {
        unsigned o = first + (p->half_c ? 0 : k);
        LLVMValueRef x = sum_operand(g, p, i, o);
        if (p->x.satfinite)
            sum[k] = LLVMConstNull(cg_vec_of(c, c->i32));
        else
            sum[k] = p->half_c ? numbers(c, ISA_MAT_F16, x, k) : as(c, x, number_type(c, p->sum));
    }
}

static LLVMValueRef to_half(struct cg *c, LLVMValueRef x) {
    LLVMValueRef h = LLVMBuildFPTrunc(c->b, x, cg_vec_of(c, half_type(c)), "");
    LLVMValueRef nan = LLVMBuildFCmp(c->b, LLVMRealUNO, x, x, "");
    h = LLVMBuildZExt(c->b, as(c, h, c->i16), cg_vec_of(c, c->i32), "");
    return cg_select(c, nan, like(c, h, 0x7fff), h);
}

static void set_sum(struct cg_func *g, struct kir_value *r, LLVMValueRef x) {
    struct cg *c = g->cg;
    // Only of float registers it is known where the bits of a NaN are seen.
    if (LLVMGetElementType(LLVMTypeOf(x)) == c->f32 && r->type != KIR_F32)
        x = cg_canonical(c, x);
    cg_set_result(g, r, LLVMBuildBitCast(c->b, x, cg_vec_type(c, r->type), ""));
}

void cg_write_sums(struct cg_func *g, const struct product *p, struct kir_inst *i, unsigned row,
                   unsigned column, LLVMValueRef *sum) {
    struct cg *c = g->cg;
    unsigned first = cg_sum_register(p, row, column, p->half_d);
    if (p->half_d) {
        LLVMValueRef high = to_half(c, sum[1]);
        high = LLVMBuildShl(c->b, high, like(c, high, 16), "");
        set_sum(g, i->res[first], LLVMBuildOr(c->b, to_half(c, sum[0]), high, ""));
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        if (p->x.satfinite) {
            unsigned o = p->first_c + first + k;
            LLVMValueRef both[] = {as(c, sum_operand(g, p, i, o), c->i32), sum[k]};
            LLVMTypeRef t = LLVMTypeOf(sum[k]);
            sum[k] = cg_call_intrinsic(c, "llvm.sadd.sat", &t, 1, both, 2);
        }
        set_sum(g, i->res[first + k], sum[k]);
    }
}

LLVMValueRef cg_call_core(struct cg_func *g, const struct product *p, unsigned down,
                          unsigned across, LLVMValueRef *args) {
    struct cg *c = g->cg;
    LLVMValueRef f = core_function(c, p, down, across, false, false);
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    if (!g->products)
        g->products = arena_new(c->arena, struct cg_products);
    if (vnni_helps(c, p))
        f = LLVMBuildSelect(c->b, cg_has_vnni(g), core_function(c, p, down, across, true, false), f,
                            "");
    return cg_call_own(c, type, f, args, down + across + down * across * 2);
}

// A call: `down` tiles of rows from `row` on, `across` tiles of columns.
struct call {
    const struct product *p;
    unsigned row, down, across;
    const struct tile *tiles;
};

// Sum n of the call (two of each tile): what it is added to, and where the result goes.
static void sum_of(const struct call *k, unsigned n, struct kir_inst **i, uint32_t *operand,
                   struct kir_value **result) {
    const struct tile *t = &k->tiles[n / 2 % k->across];
    unsigned row = k->row + n / 2 / k->across;
    unsigned at = cg_sum_register(k->p, row, t->column, false) + n % 2;
    *i = t->chain->i[0];
    *operand = k->p->first_c + at;
    *result = t->chain->i[k->p->steps - 1]->res[at];
}

// In quick code sums that have homes stay there: where each is added to its own home, or to
// something that has none.
static bool is_in_place(struct cg_func *g, const struct call *k) {
    const struct product *p = k->p;
    struct kir_inst *i;
    struct kir_value *r;
    uint32_t o;
    bool may = (g->cg->spec.flags & KD_SPEC_QUICK) && p->sum == SUM_FLOAT && !p->half_c &&
               !p->half_d && !p->x.satfinite && !p->adds;
    for (unsigned n = 0; n < k->down * k->across * 2 && may; n++) {
        sum_of(k, n, &i, &o, &r);
        may = r->type == KIR_F32 && g->nan[r->id] != CG_NAN_AT_DEF && cg_home_place(g, r) &&
              (!cg_has_home(g, i->ops[o]) ||
               (cg_same_home(g, i->ops[o], r) && !cg_wants_canonical(g, i, o)));
    }
    return may;
}

static void multiply_in_place(struct cg_func *g, const struct call *k, LLVMValueRef *args,
                              unsigned n) {
    struct cg *c = g->cg;
    struct kir_inst *i;
    struct kir_value *r;
    uint32_t o;
    LLVMValueRef f = core_function(c, k->p, k->down, k->across, false, true);
    for (unsigned s = 0; s < k->down * k->across * 2; s++) {
        sum_of(k, s, &i, &o, &r);
        if (!cg_same_home(g, i->ops[o], r))
            cg_store_home(g, r, as(c, cg_operand_bits(g, i, o, cg_vec(g, i->ops[o])), c->f32));
        args[n++] = cg_home_place(g, r);
    }
    cg_call_own(c, LLVMGlobalGetValueType(f), f, args, n);
}

static void multiply(struct cg_func *g, const struct call *k) {
    struct cg *c = g->cg;
    const struct product *p = k->p;
    LLVMValueRef args[MAX_TILES * 6], sum[2];
    unsigned n = 0;
    for (unsigned r = 0; r < k->down; r++)
        args[n++] = panel_of(g, p, k->tiles[0].chain, false, k->row + r);
    for (unsigned t = 0; t < k->across; t++)
        args[n++] = panel_of(g, p, k->tiles[t].chain, true, k->tiles[t].column);
    if (is_in_place(g, k)) {
        multiply_in_place(g, k, args, n);
        return;
    }
    for (unsigned r = 0; r < k->down; r++) {
        for (unsigned t = 0; t < k->across; t++) {
            const struct tile *x = &k->tiles[t];
            cg_read_sums(g, p, x->chain->i[0], k->row + r, x->column, args + n);
            n += 2;
        }
    }
    LLVMValueRef call = cg_call_core(g, p, k->down, k->across, args);
    for (unsigned r = 0; r < k->down; r++) {
        for (unsigned t = 0; t < k->across; t++) {
            const struct tile *x = &k->tiles[t];
            for (unsigned s = 0; s < 2; s++)
                sum[s] = LLVMBuildExtractValue(c->b, call, (r * k->across + t) * 2 + s, "");
            cg_write_sums(g, p, x->chain->i[p->steps - 1], k->row + r, x->column, sum);
        }
    }
}

// Tiles of columns that are to be multiplied by one a.
static void multiply_tiles(struct cg_func *g, const struct product *p, const struct tile *tiles,
                           unsigned n) {
    unsigned most = cg_most_tiles(g->cg, p->sum);
    while (n) {
        unsigned across = most;
        while (across > n)
            across /= 2;
        unsigned down = most / across;
        while (p->rows % down)
            down /= 2;
        down = down > 2 ? 2 : down;
        for (unsigned row = 0; row < p->rows; row += down)
            multiply(g, &(struct call){p, row, down, across, tiles});
        tiles += across;
        n -= across;
    }
}

// ---- putting off -----------------------------------------------------------------------------

static bool may_stand_between(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
        return true;
    case ISA_CLASS_MEMORY:
        return i->op == ISA_OP_LD || i->op == ISA_OP_ST;
    case ISA_CLASS_WARP:
        return i->op == ISA_OP_LDMATRIX || i->op == ISA_OP_STMATRIX || i->op == ISA_OP_WMMA_LOAD ||
               i->op == ISA_OP_WMMA_STORE;
    default:
        return false;
    }
}

// May i, one of those above, change what an ldmatrix reads?
static bool writes_shared(const struct kir_inst *i) {
    return (i->op == ISA_OP_ST || i->op == ISA_OP_STMATRIX || i->op == ISA_OP_WMMA_STORE) &&
           i->mods.space != ISA_SPACE_GLOBAL && i->mods.space != ISA_SPACE_LOCAL;
}

static bool uses_any(const struct kir_inst *i, const struct kir_inst *of) {
    for (uint32_t k = 0; k < i->nops; k++)
        if (i->ops[k]->kind == KIR_VALUE_INST && i->ops[k]->def == of)
            return true;
    return false;
}

static bool uses_put_off(const struct cg_products *all, const struct kir_inst *i) {
    for (unsigned n = 0; n < all->n; n++)
        if (uses_any(i, all->put_off[n]))
            return true;
    return false;
}

// Does i add to the results of `last`, which nothing else uses?
static bool goes_on(struct cg_func *g, const struct product *p, const struct kir_inst *last,
                    const struct kir_inst *i) {
    if (last->op != i->op || memcmp(&last->mods, &i->mods, sizeof i->mods) || p->half_c ||
        p->half_d || p->x.satfinite)
        return false;
    for (uint32_t k = 0; k < i->nops; k++) {
        bool is_sum = k >= p->first_c && i->ops[k] == last->res[k - p->first_c];
        if ((k >= p->first_c) != is_sum ||
            (!is_sum && i->ops[k]->kind == KIR_VALUE_INST && i->ops[k]->def == last))
            return false;
    }
    for (uint32_t k = 0; k < last->nres; k++)
        if (g->crosses[last->res[k]->id])
            return false;
    for (const struct kir_inst *j = last->next; j; j = j->next)
        if (j != i && uses_any(j, last))
            return false;
    return true;
}

// Adds i to the chain that it goes on, or begins one with it. False: i has to wait.
static bool put_in_chain(struct cg_func *g, const struct product *p, struct kir_inst *i) {
    struct cg_products *all = g->products;
    bool needs = uses_put_off(all, i);
    for (unsigned n = 0; n < all->nchains && needs; n++) {
        struct chain *k = &all->chains[n];
        if (k->n < MAX_STEPS && goes_on(g, p, k->i[k->n - 1], i)) {
            k->i[k->n++] = i;
            return true;
        }
    }
    if (!needs)
        all->chains[all->nchains++] = (struct chain){.i = {i}, .n = 1};
    return !needs;
}

// The products from i on that can be computed together.
static void put_off(struct cg_func *g, struct kir_inst *first) {
    struct cg_products *all = g->products;
    struct product p;
    all->nchains = 0;
    for (struct kir_inst *i = first; i && i != i->block->last; i = i->next) {
        if (product_of(g->cg, i, &p)) {
            if (all->n == MAX_PUT_OFF || !put_in_chain(g, &p, i))
                break;
            all->put_off[all->n++] = i;
        } else if (!may_stand_between(i) || writes_shared(i) || uses_put_off(all, i)) {
            break;
        }
    }
}

// ---- rows that products load themselves --------------------------------------------------------

// Do factors of products alone use what i loads?
static bool uses_as_factor(struct cg_func *g, const struct kir_inst *user,
                           const struct kir_inst *i) {
    struct product p;
    if (!product_of(g->cg, user, &p))
        return false;
    for (uint32_t k = p.first_c; k < user->nops; k++)
        if (user->ops[k]->kind == KIR_VALUE_INST && user->ops[k]->def == i)
            return false;
    return true;
}

// Products emit what they load where they are computed together: nothing before that may change it.
static bool only_products_use(struct cg_func *g, const struct kir_inst *i) {
    bool any = false, may = true;
    for (uint32_t k = 0; k < i->nres; k++)
        if (g->crosses[i->res[k]->id])
            return false;
    for (const struct kir_inst *j = i->next; j; j = j->next) {
        struct product p;
        bool used = uses_any(j, i);
        if (used && (!may || !uses_as_factor(g, j, i)))
            return false;
        any |= used;
        may &= j->op == ISA_OP_MMA || j->op == ISA_OP_WMMA_MMA
                   ? product_of(g->cg, j, &p)
                   : may_stand_between(j) && !writes_shared(j);
    }
    return any && !cg_flows_into_phi(i);
}

bool cg_defer_matrices(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    if (c->width != LANES || c->team != 1 || g->now.mask || i->mods.space != ISA_SPACE_SHARED ||
        !only_products_use(g, i))
        return false;
    if (!g->products)
        g->products = arena_new(c->arena, struct cg_products);
    struct cg_products *all = g->products;
    if (all->deferring != i->block)
        all->ndeferred = 0;
    all->deferring = i->block;
    struct deferred *d = find_deferred(all, i);
    if (!d && all->ndeferred == MAX_DEFERRED)
        return false;
    d = d ? d : &all->deferred[all->ndeferred++];
    d->i = i;
    d->rows = (struct cg_rows){0};
    return true;
}

static bool same_factor(const struct product *p, const struct chain *x, const struct chain *y) {
    const struct kir_inst *i = x->i[0], *j = y->i[0];
    if (x->n != y->n || i->op != j->op || memcmp(&i->mods, &j->mods, sizeof i->mods))
        return false;
    for (unsigned step = 0; step < x->n; step++)
        for (unsigned k = 0; k < isa_fragment_of(&p->x, ISA_FRAG_A).registers; k++)
            if (x->i[step]->ops[k] != y->i[step]->ops[k])
                return false;
    return true;
}

static unsigned find_groups(struct cg_func *g, struct group *groups) {
    struct cg_products *all = g->products;
    bool done[MAX_PUT_OFF] = {false};
    unsigned n = 0;
    for (unsigned k = 0; k < all->nchains; k++) {
        struct group *to = &groups[n];
        if (done[k])
            continue;
        n++;
        product_of(g->cg, all->chains[k].i[0], &to->p);
        to->p.steps = all->chains[k].n;
        to->n = 0;
        to->tiles = arena_array(g->cg->arena, struct tile, (all->nchains - k) * to->p.columns);
        for (unsigned j = k; j < all->nchains; j++) {
            if (done[j] || !same_factor(&to->p, &all->chains[k], &all->chains[j]))
                continue;
            done[j] = true;
            for (unsigned column = 0; column < to->p.columns; column++)
                to->tiles[to->n++] = (struct tile){&all->chains[j], column};
        }
    }
    return n;
}

void cg_visit_products(struct cg_func *g,
                       void (*visit)(struct cg_func *g, struct group *groups, unsigned n)) {
    struct product p;
    if (!g->products)
        g->products = arena_new(g->cg->arena, struct cg_products);
    struct cg_products *all = g->products;
    for (uint32_t b = 0; b < g->fl->cfg->nblocks; b++) {
        for (struct kir_inst *i = g->fl->cfg->order[b]->first; i; i = i->next) {
            if (!product_of(g->cg, i, &p))
                continue;
            put_off(g, i);
            struct group *groups = arena_array(g->cg->arena, struct group, all->nchains);
            visit(g, groups, find_groups(g, groups));
            i = all->put_off[all->n - 1];
            all->n = 0;
        }
    }
}

// A few tiles of columns for all rows, then the next ones: panels of b stay in the cache.
static void emit_groups(struct cg_func *g, struct group *groups, unsigned n) {
    for (unsigned at = 0, more = 1; more; at += MAX_TILES) {
        more = 0;
        for (unsigned k = 0; k < n; k++) {
            struct group *x = &groups[k];
            unsigned left = x->n > at ? x->n - at : 0;
            multiply_tiles(g, &x->p, x->tiles + at, left < MAX_TILES ? left : MAX_TILES);
            more |= left > MAX_TILES;
        }
    }
}

static void emit_put_off(struct cg_func *g) {
    struct cg_products *all = g->products;
    struct group *groups = arena_array(g->cg->arena, struct group, all->nchains);
    unsigned n = find_groups(g, groups);
    all->n = 0;
    unsigned tiles = cg_emit_tiles(g, groups, n);
    emit_groups(g, groups + tiles, n - tiles);
}

bool cg_emit_product(struct cg_func *g, struct kir_inst *i) {
    struct product p;
    if (!product_of(g->cg, i, &p))
        return false;
    if (!g->products)
        g->products = arena_new(g->cg->arena, struct cg_products);
    if (!g->products->n)
        put_off(g, i);
    if (i == g->products->put_off[g->products->n - 1])
        emit_put_off(g);
    return true;
}
