// Loads and stores, as the plan has them (plan/plan.h): one scalar access, a contiguous vector, a
// few contiguous or broadcast pieces, or a gather. Offsets that hold only under a guard get both
// forms behind a branch.
#include "codegen/memory/cg_mem.h"
#include "codegen/access/cg_copy.h"
#include "codegen/access/cg_frame.h"
#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_lone.h"
#include "codegen/access/cg_places.h"
#include "codegen/access/cg_table.h"
#include "codegen/access/cg_words.h"
#include "codegen/ahead/cg_prefetch.h"
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/ahead/cg_stream.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/memory/cg_eights.h"
#include "codegen/memory/cg_interleaved.h"
#include "codegen/memory/cg_lane_words.h"
#include "codegen/memory/cg_once.h"
#include "codegen/memory/cg_sum_rows.h"
#include "codegen/update/cg_append.h"
#include "codegen/update/cg_split.h"
#include "codegen/update/cg_ticket.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_fours.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/fence.h"
#include "isa/ops/memory.h"
#include "plan/plan.h"

struct access {
    struct kir_inst *i;
    const struct plan_access *plan; // NULL: a part of an access
    unsigned count, bytes;          // components a lane; bytes of one
    LLVMTypeRef elem;               // LLVM type of one component in memory
    enum isa_space space;
    bool whole, in_block; // as planned
    LLVMValueRef ahead;   // cg_next_tile
    unsigned groups; // bytes of a group, when later ones' memory is asked for at the store; else 0
};

// Keeps LLVM from moving or merging accesses across this point; costs no instruction.
static void compiler_fence(struct cg *c) {
    LLVMTypeRef t = LLVMFunctionType(c->void_t, NULL, 0, 0);
    LLVMValueRef a = LLVMGetInlineAsm(t, "", 0, "~{memory}", 10, 1, 0, LLVMInlineAsmDialectATT, 0);
    LLVMBuildCall2(c->b, t, a, NULL, 0, "");
}

// What other blocks see of a load with acquire or a store with release: earlier loads, and later
// accesses, stay on their sides of the access. A block runs on one worker: for its own threads, and
// where accesses are neither, it is the compiler alone that has to keep the order.
static void order(struct cg *c, const struct kir_inst *i, enum isa_sem sem, LLVMAtomicOrdering o) {
    if (i->mods.sem == ISA_SEM_WEAK)
        return;
    compiler_fence(c);
    if (i->mods.sem == sem && i->mods.scope != ISA_SCOPE_CTA)
        LLVMBuildFence(c->b, o, 0, "");
}

static struct access describe(struct cg *c, const struct plan_access *plan) {
    struct kir_inst *i = plan->inst;
    enum kir_type reg = (enum kir_type)(i->op == ISA_OP_ST ? i->ops[1] : i->res[0])->type;
    struct access a = {.i = i,
                       .plan = plan,
                       .count = plan->count,
                       .bytes = plan->bytes,
                       .space = i->mods.space,
                       .whole = plan->whole,
                       .in_block = plan->in_block};
    unsigned bits = isa_type_bits(i->ty);
    a.elem = bits == kir_type_bits(reg) ? cg_scalar_type(c, reg) : cg_int_type(c, bits);
    return a;
}

static LLVMValueRef zero_of(LLVMTypeRef t) {
    return LLVMConstNull(t);
}

// ---- pieces of a vector access ------------------------------------------------------------

// Elements of what all lanes access: the IR's validator lets a vector have eight.
enum { MOST_ELEMENTS = 8 * KD_WARP };

static LLVMValueRef slice(struct cg *c, LLVMValueRef v, unsigned at, unsigned n) {
    LLVMValueRef idx[MOST_ELEMENTS];
    if (LLVMGetVectorSize(LLVMTypeOf(v)) == n)
        return v;
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, at + k);
    return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(idx, n),
                                  "");
}

// Joins count pieces (a power of two) into one vector.
static LLVMValueRef join(struct cg *c, LLVMValueRef *p, unsigned count) {
    for (; count > 1; count /= 2)
        for (unsigned k = 0; k < count / 2; k++)
            p[k] = cg_concat(c, p[2 * k], p[2 * k + 1]);
    return p[0];
}

// Each lane's bit for each of its `times` components.
static LLVMValueRef repeat_mask(struct cg *c, LLVMValueRef m, unsigned times) {
    LLVMValueRef idx[MOST_ELEMENTS];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(m));
    if (times == 1)
        return m;
    for (unsigned k = 0; k < n * times; k++)
        idx[k] = cg_i32(c, k / times);
    return LLVMBuildShuffleVector(c->b, m, LLVMGetPoison(LLVMTypeOf(m)),
                                  LLVMConstVector(idx, n * times), "");
}

// Where the machine has no masked accesses LLVM makes a branch a lane of each, so that it pays to
// ask first whether all lanes are active, as they are in all groups but the last.
struct whole {
    LLVMBasicBlockRef all, some, done;
};

static struct whole begin_whole(struct cg *c, LLVMValueRef mask) {
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(c->b));
    struct whole w = {LLVMAppendBasicBlockInContext(c->ctx, fn, "whole"),
                      LLVMAppendBasicBlockInContext(c->ctx, fn, "masked"),
                      LLVMAppendBasicBlockInContext(c->ctx, fn, "accessed")};
    LLVMTypeRef t = LLVMTypeOf(mask);
    LLVMValueRef all = cg_call_intrinsic(c, "llvm.vector.reduce.and", &t, 1, &mask, 1);
    LLVMBuildCondBr(c->b, all, w.all, w.some);
    LLVMPositionBuilderAtEnd(c->b, w.all);
    return w;
}

// After the first way, and after the second.
static void next_way(struct cg *c, struct whole *w) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, w->done);
    LLVMPositionBuilderAtEnd(c->b, here == w->some ? w->done : w->some);
}

static bool asks_first(const struct cg *c, LLVMValueRef mask) {
    return c->target.tests_masks && !LLVMIsConstant(mask) &&
           LLVMGetVectorSize(LLVMTypeOf(mask)) > 1;
}

static LLVMValueRef load_masked(struct cg *c, LLVMTypeRef vt, LLVMValueRef ptr, LLVMValueRef mask,
                                unsigned align) {
    LLVMTypeRef ov[2] = {vt, c->ptr};
    LLVMValueRef args[4] = {ptr, cg_i32(c, align), mask, zero_of(vt)};
    return cg_call_intrinsic(c, "llvm.masked.load", ov, 2, args, 4);
}

static void store_masked(struct cg *c, LLVMValueRef v, LLVMValueRef ptr, LLVMValueRef mask,
                         unsigned align) {
    LLVMTypeRef ov[2] = {LLVMTypeOf(v), c->ptr};
    LLVMValueRef args[4] = {v, ptr, cg_i32(c, align), mask};
    cg_call_intrinsic(c, "llvm.masked.store", ov, 2, args, 4);
}

// Without a mask: all lanes.
static LLVMValueRef masked_load(struct cg *c, LLVMTypeRef vt, LLVMValueRef ptr, LLVMValueRef mask,
                                const struct access *a) {
    unsigned align = a->bytes;
    if (!mask || a->in_block) {
        LLVMValueRef v = LLVMBuildLoad2(c->b, vt, ptr, "");
        LLVMSetAlignment(v, align);
        return mask ? cg_select(c, mask, v, zero_of(vt)) : v;
    }
    if (!asks_first(c, mask))
        return load_masked(c, vt, ptr, mask, align);
    struct whole w = begin_whole(c, mask);
    LLVMValueRef in[2] = {masked_load(c, vt, ptr, NULL, a)};
    next_way(c, &w);
    in[1] = load_masked(c, vt, ptr, mask, align);
    next_way(c, &w);
    LLVMValueRef v = LLVMBuildPhi(c->b, vt, "");
    LLVMAddIncoming(v, in, (LLVMBasicBlockRef[]){w.all, w.some}, 2);
    return v;
}

static void store_cached(struct cg *c, LLVMValueRef v, LLVMValueRef ptr, LLVMValueRef mask,
                         const struct access *a) {
    unsigned align = a->bytes;
    if (mask && a->in_block) {
        LLVMValueRef old = LLVMBuildLoad2(c->b, LLVMTypeOf(v), ptr, "");
        LLVMSetAlignment(old, align);
        v = cg_select(c, mask, v, old);
        mask = NULL;
    }
    if (!mask) {
        LLVMSetAlignment(LLVMBuildStore(c->b, v, ptr), align);
        return;
    }
    if (!asks_first(c, mask)) {
        store_masked(c, v, ptr, mask, align);
        return;
    }
    struct whole w = begin_whole(c, mask);
    store_cached(c, v, ptr, NULL, a);
    next_way(c, &w);
    store_masked(c, v, ptr, mask, align);
    next_way(c, &w);
}

static void masked_store(struct cg_func *g, LLVMValueRef v, LLVMValueRef ptr, LLVMValueRef mask,
                         const struct access *a) {
    struct cg_stream s;
    bool parts = cg_begin_stream(g, a->i, v, ptr, mask, &s);
    if (a->groups)
        cg_prefetch_groups(g, a->i, ptr, a->groups, true);
    store_cached(g->cg, v, ptr, mask, a);
    if (parts)
        cg_end_stream(g, &s);
}

// Four words a lane of 16 lanes. z: what was loaded.
static void load_fours(struct cg *c, const struct access *a, LLVMValueRef p, LLVMValueRef mask,
                       LLVMValueRef *z, LLVMValueRef *out) {
    LLVMTypeRef vt = LLVMVectorType(a->elem, 16);
    for (unsigned q = 0; q < 4; q++) {
        LLVMValueRef m = mask ? repeat_mask(c, slice(c, mask, q * 4, 4), 4) : NULL;
        z[q] = masked_load(c, vt, cg_byte_gep(c, p, (int64_t)q * 64), m, a);
    }
    cg_take_fours_apart(c, z, out);
}

static bool comes_in_fours(const struct access *a, unsigned n) {
    return a->count == 4 && a->bytes == 4 && n % 16 == 0;
}

// Loads `count` components of n lanes that follow each other in memory and takes them apart.
static void load_line(struct cg *c, const struct access *a, LLVMValueRef p, LLVMValueRef mask,
                      unsigned n, LLVMValueRef *fours, LLVMValueRef *out) {
    if (comes_in_fours(a, n)) {
        LLVMValueRef part[2][4];
        for (unsigned h = 0; h < n / 16; h++)
            load_fours(c, a, cg_byte_gep(c, p, (int64_t)h * 256),
                       mask ? slice(c, mask, h * 16, 16) : NULL, fours + h * 4, part[h]);
        for (unsigned k = 0; k < 4; k++)
            out[k] = n == 16 ? part[0][k] : cg_concat(c, part[0][k], part[1][k]);
        return;
    }
    LLVMTypeRef vt = LLVMVectorType(a->elem, n * a->count);
    LLVMValueRef all = masked_load(c, vt, p, mask ? repeat_mask(c, mask, a->count) : NULL, a);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef idx[KD_WARP];
        for (unsigned l = 0; l < n; l++)
            idx[l] = cg_i32(c, l * a->count + k);
        out[k] = a->count == 1 ? all
                               : LLVMBuildShuffleVector(c->b, all, LLVMGetPoison(vt),
                                                        LLVMConstVector(idx, n), "");
    }
}

// One piece in which all lanes read the same address.
static void load_same(struct cg_func *g, const struct access *a, LLVMValueRef p, LLVMValueRef mask,
                      unsigned n, LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMTypeRef vt = LLVMVectorType(a->elem, n);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef q = cg_byte_gep(c, p, (int64_t)k * a->bytes);
        LLVMValueRef x;
        if (mask) {
            // The piece may have no active lane: then nothing may be read. LLVM 19 cannot load
            // vectors of one lane by SVE.
            struct access plain = {.bytes = a->bytes};
            unsigned lanes = c->target.sve_granules ? 16 / a->bytes : 1;
            LLVMTypeRef one = LLVMVectorType(a->elem, lanes),
                        one_bit = LLVMVectorType(c->i1, lanes);
            LLVMValueRef bits = cg_bits_of_lanes(c, mask);
            LLVMValueRef any = LLVMBuildICmp(c->b, LLVMIntNE, bits, zero_of(LLVMTypeOf(bits)), "");
            LLVMValueRef m =
                LLVMBuildInsertElement(c->b, LLVMConstNull(one_bit), any, cg_i32(c, 0), "");
            x = LLVMBuildExtractElement(c->b, masked_load(c, one, q, m, &plain), cg_i32(c, 0), "");
        } else {
            x = LLVMBuildLoad2(c->b, a->elem, q, "");
            LLVMSetAlignment(x, a->bytes);
        }
        LLVMValueRef v = LLVMBuildInsertElement(c->b, LLVMGetPoison(vt), x, cg_i32(c, 0), "");
        out[k] = LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(vt),
                                        LLVMConstNull(LLVMVectorType(c->i32, n)), "");
    }
}

// One after the other: n lanes each, from their pointer on, or (same) at their pointer.
struct pieces {
    unsigned n;
    LLVMValueRef pointer[32];
    bool same[32];
};

static void load_pieces(struct cg_func *g, const struct access *a, const struct pieces *p,
                        LLVMValueRef *out) {
    struct cg *c = g->cg;
    unsigned n = p->n, pieces = c->width / n;
    LLVMValueRef part[8][32], fours[8];
    bool in_fours = comes_in_fours(a, n);
    for (unsigned k = 0; k < pieces; k++) {
        LLVMValueRef m = g->now.mask ? slice(c, g->now.mask, k * n, n) : NULL;
        LLVMValueRef comp[8];
        if (p->same[k])
            load_same(g, a, p->pointer[k], m, n, comp);
        else
            load_line(c, a, p->pointer[k], m, n, fours + k * n / 4, comp);
        in_fours &= !p->same[k];
        for (unsigned q = 0; q < a->count; q++)
            part[q][k] = comp[q];
    }
    for (unsigned q = 0; q < a->count; q++)
        out[q] = join(c, part[q], pieces);
    if (in_fours)
        cg_keep_fours(g, out, fours);
}

// Joins the components of each lane, one lane after the other.
static LLVMValueRef interleave(struct cg *c, LLVMValueRef *comp, unsigned count, unsigned n) {
    LLVMValueRef idx[MOST_ELEMENTS];
    LLVMValueRef all = comp[0];
    if (count == 1)
        return all;
    LLVMValueRef copy[8];
    for (unsigned k = 0; k < count; k++)
        copy[k] = comp[k];
    all = join(c, copy, count);
    for (unsigned l = 0; l < n; l++)
        for (unsigned k = 0; k < count; k++)
            idx[l * count + k] = cg_i32(c, k * n + l);
    return LLVMBuildShuffleVector(c->b, all, LLVMGetPoison(LLVMTypeOf(all)),
                                  LLVMConstVector(idx, n * count), "");
}

// The lines that the four words of each lane lie in, kept with them or from where they were loaded;
// NULL: they are made of the words.
static const LLVMValueRef *lines_of_store(struct cg_func *g, const struct access *a,
                                          LLVMValueRef *comp, LLVMValueRef *line) {
    if (a->count != 4 || a->bytes != 4)
        return NULL;
    const LLVMValueRef *fours = cg_fours_of(g, comp);
    return fours ? fours : cg_lines_of(g, a->i->ops + 1, line) ? line : NULL;
}

static void store_pieces(struct cg_func *g, const struct access *a, const struct pieces *p,
                         LLVMValueRef *comp) {
    struct cg *c = g->cg;
    unsigned n = p->n;
    LLVMValueRef line[KD_WARP / 4];
    const LLVMValueRef *fours = n >= 4 ? lines_of_store(g, a, comp, line) : NULL;
    for (unsigned at = 0; at < c->width; at += n) {
        LLVMValueRef part[8];
        for (unsigned k = 0; k < (fours ? n / 4 : a->count); k++)
            part[k] = fours ? fours[at / 4 + k] : slice(c, comp[k], at, n);
        LLVMValueRef m =
            g->now.mask ? repeat_mask(c, slice(c, g->now.mask, at, n), a->count) : NULL;
        LLVMValueRef all = fours ? join(c, part, n / 4) : interleave(c, part, a->count, n);
        masked_store(g, all, p->pointer[at / n], m, a);
    }
}

// Of lanes at constant offsets.
static struct pieces at_offsets(const struct cg *c, LLVMValueRef base,
                                const struct plan_access *plan) {
    struct pieces p = {.n = plan->kind == PLAN_LINE ? c->width : plan->n};
    for (unsigned k = 0; k < c->width / p.n; k++) {
        p.pointer[k] = cg_byte_gep(c, base, plan->offs[k * p.n]);
        p.same[k] = plan->same >> k & 1;
    }
    return p;
}

// ---- strided accesses ---------------------------------------------------------------------

// The components that belong to active lanes, among those of the whole stretch.
static LLVMValueRef strided_mask(struct cg_func *g, const struct access *a, unsigned m) {
    struct cg *c = g->cg;
    LLVMValueRef bit[MOST_ELEMENTS];
    for (unsigned k = 0; k < c->width * m; k++)
        bit[k] = LLVMConstInt(c->i1, k % m < a->count, 0);
    LLVMValueRef own = LLVMConstVector(bit, c->width * m);
    return g->now.mask ? LLVMBuildAnd(c->b, repeat_mask(c, g->now.mask, m), own, "") : own;
}

// With mask registers LLVM repeats bits a power of two times by vectors, and moves each by itself
// for other numbers: there the elements' bits are made of the mask as a number, sixteen at a time.
enum { SIXTEEN = 16, NUMBER_BITS = 64 };

static bool has_bits(struct cg_func *g, unsigned m) {
    const struct cg *c = g->cg;
    return g->now.mask && c->target.mask_registers && !c->quick && c->width % SIXTEEN == 0 &&
           m + SIXTEEN <= NUMBER_BITS && (m & (m - 1));
}

// Of elements first .. first + SIXTEEN.
static LLVMValueRef strided_bits(struct cg_func *g, const struct access *a, unsigned m,
                                 unsigned first) {
    struct cg *c = g->cg;
    uint64_t places = 0;
    for (unsigned k = 0; k < NUMBER_BITS; k += m)
        places |= UINT64_C(1) << k;
    LLVMValueRef x =
        LLVMBuildBitCast(c->b, g->now.mask, LLVMIntTypeInContext(c->ctx, c->width), "");
    x = LLVMBuildLShr(c->b, LLVMBuildZExt(c->b, x, c->i64, ""), cg_i64(c, first / m), "");
    LLVMValueRef args[2] = {x, cg_i64(c, places)};
    x = cg_call_intrinsic(c, "llvm.x86.bmi.pdep.64", NULL, 0, args, 2);
    x = LLVMBuildMul(c->b, x, cg_i64(c, (UINT64_C(1) << a->count) - 1), "");
    x = LLVMBuildTrunc(c->b, LLVMBuildLShr(c->b, x, cg_i64(c, first % m), ""), c->i16, "");
    return LLVMBuildBitCast(c->b, x, LLVMVectorType(c->i1, SIXTEEN), "");
}

static LLVMValueRef load_stretch(struct cg_func *g, const struct access *a, LLVMValueRef first) {
    struct cg *c = g->cg;
    struct access plain = {.bytes = a->bytes};
    unsigned m = a->plan->n, parts = c->width * m / SIXTEEN, n = 1;
    LLVMTypeRef vt = LLVMVectorType(a->elem, SIXTEEN);
    LLVMValueRef part[MOST_ELEMENTS / SIXTEEN];
    if (!has_bits(g, m))
        return masked_load(c, LLVMVectorType(a->elem, c->width * m), first, strided_mask(g, a, m),
                           &plain);
    while (n < parts)
        n *= 2;
    for (unsigned k = 0; k < n; k++)
        part[k] = k < parts
                      ? masked_load(c, vt, cg_byte_gep(c, first, (int64_t)k * SIXTEEN * a->bytes),
                                    strided_bits(g, a, m, k * SIXTEEN), &plain)
                      : LLVMGetPoison(vt);
    return join(c, part, n);
}

static void store_stretch(struct cg_func *g, const struct access *a, LLVMValueRef base, unsigned m,
                          LLVMValueRef all) {
    struct cg *c = g->cg;
    struct access plain = {.bytes = a->bytes};
    if (!has_bits(g, m)) {
        store_cached(c, all, base, strided_mask(g, a, m), &plain);
        return;
    }
    for (unsigned k = 0; k < c->width * m; k += SIXTEEN)
        store_cached(c, slice(c, all, k, SIXTEEN), cg_byte_gep(c, base, (int64_t)k * a->bytes),
                     strided_bits(g, a, m, k), &plain);
}

// Where each lane's word lies in a register's worth of memory of its own, and masks take time,
// loads of the vectors around them are no fewer than loads of the words.
static bool are_far_apart(const struct cg *c, const struct access *a) {
    return !c->target.mask_registers && a->count == 1 &&
           a->plan->n * a->bytes * 8 >= c->target.vector_bits;
}

static void load_strided(struct cg_func *g, const struct access *a, LLVMValueRef base,
                         LLVMValueRef *out) {
    struct cg *c = g->cg;
    const int64_t *offs = a->plan->offs;
    unsigned m = a->plan->n;
    LLVMValueRef first = cg_byte_gep(c, base, offs[0]);
    if (a->plan->window.chunks && !g->now.mask) {
        cg_load_interleaved(c, a->plan, a->elem, first, out);
        return;
    }
    if ((a->plan->sparse && g->now.mask) || are_far_apart(c, a)) {
        cg_gather(g,
                  (struct cg_lane_access){.elem = a->elem,
                                          .count = a->count,
                                          .bytes = a->bytes,
                                          .at = {.base = base, .offs = offs}},
                  out);
        return;
    }
    LLVMValueRef all = load_stretch(g, a, first), idx[32];
    for (unsigned k = 0; k < a->count; k++) {
        for (unsigned l = 0; l < c->width; l++)
            idx[l] = cg_i32(c, l * m + k);
        out[k] = LLVMBuildShuffleVector(c->b, all, LLVMGetPoison(LLVMTypeOf(all)),
                                        LLVMConstVector(idx, c->width), "");
    }
}

static void store_strided(struct cg_func *g, const struct access *a, LLVMValueRef base, unsigned m,
                          LLVMValueRef *comp) {
    struct cg *c = g->cg;
    LLVMValueRef copy[8], idx[MOST_ELEMENTS];
    unsigned count = a->count == 3 ? 4 : a->count;
    for (unsigned k = 0; k < count; k++)
        copy[k] = comp[k < a->count ? k : 0];
    LLVMValueRef all = join(c, copy, count);
    for (unsigned k = 0; k < c->width * m; k++)
        idx[k] = k % m < a->count ? cg_i32(c, k % m * c->width + k / m) : LLVMGetUndef(c->i32);
    all = LLVMBuildShuffleVector(c->b, all, LLVMGetPoison(LLVMTypeOf(all)),
                                 LLVMConstVector(idx, c->width * m), "");
    store_stretch(g, a, base, m, all);
}

// ---- one access a lane --------------------------------------------------------------------

// ---- scalar accesses ----------------------------------------------------------------------

// Lanes a distance apart that only the launch knows: the first one's place, and that distance;
// guard: where no sum wraps, or NULL. A mask would want a vector of places.
struct stepped {
    struct cg_places at;
    LLVMValueRef guard;
};

static bool all_at_hand(struct cg_func *g, const struct affine_form *x) {
    for (unsigned k = 0; k < x->n; k++)
        for (unsigned m = 0; m < AFFINE_FACTORS && x->term[k].factor[m]; m++)
            if (!cg_at_hand(g, x->term[k].factor[m]))
                return false;
    return true;
}

// A sum of uniform values, of 64 bits.
static LLVMValueRef sum_at_hand(struct cg_func *g, const struct affine_form *x) {
    struct cg *c = g->cg;
    LLVMValueRef sum = x->constant ? cg_i64(c, (uint64_t)x->constant) : NULL;
    for (unsigned k = 0; k < x->n; k++) {
        const struct affine_term *t = &x->term[k];
        LLVMValueRef p = NULL;
        for (unsigned m = 0; m < AFFINE_FACTORS && t->factor[m]; m++) {
            LLVMValueRef v = cg_scalar(g, (struct kir_value *)t->factor[m]);
            if (t->factor[m]->type == KIR_B32)
                v = t->by_zeros[m] ? LLVMBuildZExt(c->b, v, c->i64, "")
                                   : LLVMBuildSExt(c->b, v, c->i64, "");
            p = p ? LLVMBuildMul(c->b, p, v, "") : v;
        }
        p = LLVMBuildMul(c->b, p, cg_i64(c, (uint64_t)t->times), "");
        sum = sum ? LLVMBuildAdd(c->b, sum, p, "") : p;
    }
    return sum;
}

// Is the sum of 32 bits in the last lane what it would be in 64?
static LLVMValueRef narrow_holds(struct cg_func *g, const struct lane_step *s) {
    struct cg *c = g->cg;
    LLVMValueRef first =
        LLVMBuildExtractElement(c->b, cg_vec(g, (struct kir_value *)s->narrow), cg_i32(c, 0), "");
    first = s->narrow_signed ? LLVMBuildSExt(c->b, first, c->i64, "")
                             : LLVMBuildZExt(c->b, first, c->i64, "");
    LLVMValueRef span =
        LLVMBuildMul(c->b, sum_at_hand(g, &s->narrow_by), cg_i64(c, c->width - 1), "");
    LLVMValueRef last = LLVMBuildAdd(c->b, first, span, "");
    if (s->narrow_signed)
        last = LLVMBuildAdd(c->b, last, cg_i64(c, 1ULL << 31), "");
    return LLVMBuildICmp(c->b, LLVMIntULT, last, cg_i64(c, 1ULL << 32), "");
}

static bool find_step(struct cg_func *g, const struct access *a, struct stepped *t) {
    struct cg *c = g->cg;
    struct kir_value *v = a->i->ops[0];
    const struct lane_step *s = &a->plan->step;
    if (a->plan->kind != PLAN_STEPS || g->now.mask || !all_at_hand(g, &s->by) ||
        (s->narrow && (!cg_at_hand(g, s->narrow) || !all_at_hand(g, &s->narrow_by))))
        return false;
    LLVMValueRef first = LLVMBuildExtractElement(c->b, cg_vec(g, v), cg_i32(c, 0), "");
    *t = (struct stepped){.at.base =
                              cg_byte_gep(c, cg_pointer(g, a->space, first, false), a->i->offset),
                          .at.step = sum_at_hand(g, &s->by)};
    if (s->narrow)
        t->guard = narrow_holds(g, s);
    return true;
}

static struct cg_lane_access at_steps(const struct access *a, const struct stepped *t) {
    return (struct cg_lane_access){
        .elem = a->elem, .count = a->count, .bytes = a->bytes, .whole = a->whole, .at = t->at};
}

static struct cg_lane_access each_lane(struct cg_func *g, const struct access *a) {
    return (struct cg_lane_access){.elem = a->elem,
                                   .count = a->count,
                                   .bytes = a->bytes,
                                   .whole = a->whole,
                                   .at = cg_places_of(g, a->i)};
}

static struct cg_lane_access as_whole(const struct access *a) {
    return (struct cg_lane_access){.elem = a->elem, .count = a->count, .bytes = a->bytes};
}

// Where a sum wraps, which hardly ever happens.
static struct cg_lane_access at_pointers(const struct access *a, LLVMValueRef p) {
    return (struct cg_lane_access){
        .elem = a->elem, .count = a->count, .bytes = a->bytes, .at.pointers = p, .rare = true};
}

static void load_scalar(struct cg_func *g, const struct access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_scalar_pointer(g, a->i);
    // A place that the whole team reads is some active lane's.
    bool all = g->fl->shared[a->i->ops[0]->id];
    struct cg_active active = all ? (struct cg_active){0} : cg_begin_active(g);
    struct cg_lane_access whole = as_whole(a);
    if (a->whole)
        cg_load_whole(c, &whole, p, out);
    for (unsigned k = 0; !a->whole && k < a->count; k++) {
        out[k] = LLVMBuildLoad2(c->b, a->elem, cg_byte_gep(c, p, (int64_t)k * a->bytes), "");
        LLVMSetAlignment(out[k], a->bytes);
        if (a->space == ISA_SPACE_PARAM || a->space == ISA_SPACE_CONST) {
            unsigned kind = LLVMGetMDKindIDInContext(c->ctx, "invariant.load", 14);
            LLVMSetMetadata(out[k], kind,
                            LLVMMetadataAsValue(c->ctx, LLVMMDNodeInContext2(c->ctx, NULL, 0)));
        }
    }
    cg_end_active(g, &active, out, a->count);
}

// Of several lanes that write one address the last one's value stays.
static void store_last(struct cg_func *g, const struct access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_scalar_pointer(g, a->i);
    LLVMValueRef lane = cg_i32(c, c->width - 1);
    struct cg_active active = cg_begin_active(g);
    if (g->now.mask && c->width > 1) {
        LLVMValueRef bits = cg_mask_bits(g, g->now.mask);
        LLVMTypeRef t = LLVMTypeOf(bits);
        LLVMValueRef args[2] = {bits, LLVMConstInt(c->i1, 1, 0)};
        LLVMValueRef lz = cg_call_intrinsic(c, "llvm.ctlz", &t, 1, args, 2);
        lane = LLVMBuildSub(c->b, LLVMConstInt(t, c->width - 1, 0), lz, "");
    }
    struct cg_lane_access whole = as_whole(a);
    LLVMValueRef last[8];
    for (unsigned k = 0; k < a->count; k++)
        last[k] = cg_extract(g, comp[k], lane);
    if (a->whole)
        cg_store_whole(c, &whole, p, last);
    for (unsigned k = 0; !a->whole && k < a->count; k++) {
        LLVMValueRef s = LLVMBuildStore(c->b, last[k], cg_byte_gep(c, p, (int64_t)k * a->bytes));
        LLVMSetAlignment(s, a->bytes);
    }
    cg_end_active(g, &active, NULL, 0);
}

// ---- one lane alone -----------------------------------------------------------------------

// Where it stands; the address as such where a sum wraps.
static LLVMValueRef pointer_of_lane(struct cg_func *g, const struct access *a, unsigned lane) {
    struct cg *c = g->cg;
    struct shape s = cg_shape(g, a->i->ops[0]);
    if (s.kind == SHAPE_UNIFORM)
        return cg_scalar_pointer(g, a->i);
    if (s.kind != SHAPE_OFFSETS)
        return LLVMBuildExtractElement(c->b, cg_exact_pointers(g, a->i), cg_i32(c, lane), "");
    LLVMValueRef base = cg_byte_gep(c, cg_scalar_pointer(g, a->i), s.offs[lane]);
    LLVMValueRef guard = cg_guard(g, a->i->ops[0]);
    if (!guard)
        return base;
    LLVMBasicBlockRef wrapped = cg_new_block(g, "wrapped"), done = cg_new_block(g, "placed");
    LLVMValueRef all = cg_exact_pointers(g, a->i), in[2] = {base};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(c->b), wrapped};
    cg_rarely(c, LLVMBuildCondBr(c->b, guard, done, wrapped), 1);
    LLVMPositionBuilderAtEnd(c->b, wrapped);
    in[1] = LLVMBuildExtractElement(c->b, all, cg_i32(c, lane), "");
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    LLVMValueRef p = LLVMBuildPhi(c->b, c->ptr, "");
    LLVMAddIncoming(p, in, from, 2);
    return p;
}

// A block that one lane alone can be in has it when it runs, unless it may run for other groups.
static struct cg_active begin_alone(struct cg_func *g) {
    struct cg_active none = {0};
    return g->cg->one_team || g->cg->team > 1 ? cg_begin_some(g) : none;
}

static void load_alone(struct cg_func *g, const struct access *a, unsigned lane,
                       LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMValueRef p = pointer_of_lane(g, a, lane);
    struct cg_active active = begin_alone(g);
    if (a->ahead)
        cg_prefetch_at(c, p, a->ahead, false);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef x =
            LLVMBuildLoad2(c->b, a->elem, cg_byte_gep(c, p, (int64_t)k * a->bytes), "");
        LLVMSetAlignment(x, a->bytes);
        out[k] = LLVMBuildInsertElement(c->b, LLVMConstNull(cg_vec_of(c, a->elem)), x,
                                        cg_i32(c, lane), "");
    }
    cg_end_active(g, &active, out, a->count);
}

static void store_alone(struct cg_func *g, const struct access *a, unsigned lane,
                        LLVMValueRef *comp) {
    struct cg *c = g->cg;
    LLVMValueRef p = pointer_of_lane(g, a, lane);
    struct cg_active active = begin_alone(g);
    if (a->ahead)
        cg_prefetch_at(c, p, a->ahead, true);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef x = cg_extract(g, comp[k], cg_i32(c, lane));
        LLVMSetAlignment(LLVMBuildStore(c->b, x, cg_byte_gep(c, p, (int64_t)k * a->bytes)),
                         a->bytes);
    }
    cg_end_active(g, &active, NULL, 0);
}

// ---- the choice ---------------------------------------------------------------------------

static void set_loaded(struct cg_func *g, const struct access *a, LLVMValueRef *x) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < a->count; k++) {
        struct kir_value *r = a->i->res[k];
        LLVMValueRef v = x[k];
        if (isa_type_bits(a->i->ty) != kir_type_bits(r->type))
            v = cg_widen(c, v, a->i->ty, r->type);
        else if (cg_scalar_type(c, r->type) != a->elem)
            v = LLVMBuildBitCast(c->b, v,
                                 LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind
                                     ? cg_vec_type(c, r->type)
                                     : cg_scalar_type(c, r->type),
                                 "");
        cg_set_result(g, r, v);
    }
}

// Vectors at constant offsets.
static bool is_planned(const struct plan_access *p) {
    return p->kind == PLAN_LINE || p->kind == PLAN_PIECES || p->kind == PLAN_STRIDED;
}

bool cg_is_strided(struct cg_func *g, struct kir_inst *i) {
    const struct plan_access *p = plan_access_of(g->plan, i);
    bool pieces = (p->kind == PLAN_LINE || p->kind == PLAN_PIECES) && !p->same;
    return p->kind == PLAN_STRIDED || (pieces && p->count > 1);
}

bool cg_is_line(struct cg_func *g, struct kir_inst *i) {
    bool outside = i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC;
    return outside && plan_access_of(g->plan, i)->kind == PLAN_LINE;
}

static const char *name_of(enum isa_space s) {
    static const char *const names[ISA_SPACE_COUNT] = {[ISA_SPACE_GLOBAL] = "global ",
                                                       [ISA_SPACE_SHARED] = "shared ",
                                                       [ISA_SPACE_LOCAL] = "local ",
                                                       [ISA_SPACE_CONST] = "constant "};
    return names[s] ? names[s] : "";
}

static void note_access(struct cg_func *g, const struct access *a) {
    struct notes *n = g->cg->notes;
    const struct kir_inst *i = a->i;
    const char *space = name_of(a->space), *what = i->op == ISA_OP_ST ? "store" : "load";
    if (!n || g->cg->width == 1 || a->space == ISA_SPACE_PARAM)
        return;
    struct shape s = cg_shape(g, i->ops[0]);
    if (a->plan->words) {
        note_on(n, i, true, "%s%s: %u words of each thread side by side: vectors and shuffles",
                space, what, a->plan->words);
        return;
    }
    switch ((enum plan_access_kind)a->plan->kind) {
    case PLAN_ONE:
        note_on(n, i, false, "%s%s: one address for all threads, one scalar", space, what);
        break;
    case PLAN_LINE:
        note_on(n, i, false, "%s%s: neighbouring threads, neighbouring addresses%s", space, what,
                s.guard ? ", as is tested when it runs" : "");
        break;
    case PLAN_PIECES:
    case PLAN_RUNS:
        note_on(n, i, true, "%s%s: in pieces of %u threads", space, what, a->plan->n);
        break;
    case PLAN_STRIDED:
        note_on(n, i, true, "%s%s: threads lie %u elements apart: vectors and shuffles", space,
                what, a->plan->n);
        break;
    default:
        note_on(n, i, true, "%s%s: %s, an address for each thread: %s", space, what,
                i->op == ISA_OP_ST ? "scatter" : "gather",
                a->whole                  ? "each thread's words are one access, which others see"
                : s.kind == SHAPE_OFFSETS ? "they lie too far apart for vectors"
                                          : note_why(n, g->fl, i->ops[0]));
    }
}

// Bytes from the first lane's place to the end of the last one's, where there are no gaps between
// groups; else 0.
static unsigned extent(const struct cg *c, const struct access *a) {
    const struct plan_access *p = a->plan;
    unsigned components = p->kind == PLAN_STRIDED ? p->n : p->kind == PLAN_LINE ? a->count : 0;
    return components * a->bytes * c->width;
}

static void load_planned(struct cg_func *g, const struct access *a, LLVMValueRef base,
                         LLVMValueRef *out) {
    cg_prefetch_turns(g, a->i, base, extent(g->cg, a), false);
    cg_prefetch_ticket(g, a->i, base, extent(g->cg, a));
    cg_prefetch_groups(g, a->i, base, extent(g->cg, a), false);
    if (a->ahead)
        cg_prefetch_tile(g, a->i, base, a->count * a->bytes, a->ahead);
    if (a->plan->kind == PLAN_STRIDED) {
        load_strided(g, a, base, out);
        return;
    }
    struct pieces all = at_offsets(g->cg, base, a->plan);
    load_pieces(g, a, &all, out);
}

static void store_planned(struct cg_func *g, const struct access *a, LLVMValueRef base,
                          LLVMValueRef *comp) {
    cg_prefetch_turns(g, a->i, base, extent(g->cg, a), true);
    cg_prefetch_ticket(g, a->i, base, extent(g->cg, a));
    if (a->ahead)
        cg_prefetch_tile(g, a->i, base, a->count * a->bytes, a->ahead);
    struct access own = *a;
    if (a->plan->kind == PLAN_LINE)
        own.groups = extent(g->cg, a);
    else
        cg_prefetch_groups(g, a->i, base, extent(g->cg, a), true);
    if (a->plan->kind == PLAN_STRIDED) {
        store_strided(g, a, cg_byte_gep(g->cg, base, a->plan->offs[0]), a->plan->n, comp);
        return;
    }
    struct pieces all = at_offsets(g->cg, base, a->plan);
    store_pieces(g, &own, &all, comp);
}

static LLVMValueRef either(struct cg *c, LLVMTypeRef t, LLVMValueRef x, LLVMValueRef y,
                           LLVMBasicBlockRef *from) {
    LLVMValueRef in[2] = {x, y}, phi = LLVMBuildPhi(c->b, t, "");
    LLVMAddIncoming(phi, in, from, 2);
    return phi;
}

// The lines that words x[0] were made of, and those that x[1] would be.
static bool lines_either_way(struct cg_func *g, const struct access *a, LLVMValueRef x[2][8],
                             LLVMValueRef lines[2][8]) {
    struct cg *c = g->cg;
    const LLVMValueRef *found =
        a->count == 4 && a->bytes == 4 && c->width % 16 == 0 ? cg_fours_of(g, x[0]) : NULL;
    for (unsigned k = 0; found && k < c->width / 4; k++)
        lines[0][k] = found[k];
    if (found)
        cg_make_fours(c, x[1], lines[1]);
    return found != NULL;
}

static void load_guarded(struct cg_func *g, const struct access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMValueRef guard = cg_guard(g, a->i->ops[0]);
    if (!guard) {
        load_planned(g, a, cg_scalar_pointer(g, a->i), out);
        return;
    }
    LLVMBasicBlockRef line = cg_new_block(g, "contiguous"), any = cg_new_block(g, "wrapped"),
                      done = cg_new_block(g, "loaded");
    LLVMValueRef x[2][8];
    LLVMBasicBlockRef from[2];
    LLVMValueRef p = cg_exact_pointers(g, a->i), base = cg_scalar_pointer(g, a->i);
    LLVMTypeRef vt = cg_vec_of(c, a->elem);
    cg_rarely(c, LLVMBuildCondBr(c->b, guard, line, any), 1);
    LLVMPositionBuilderAtEnd(c->b, line);
    load_planned(g, a, base, x[0]);
    from[0] = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, any);
    cg_gather(g, at_pointers(a, p), x[1]);
    LLVMValueRef lines[2][8];
    bool fours = lines_either_way(g, a, x, lines);
    from[1] = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    for (unsigned k = 0; k < a->count; k++)
        out[k] = either(c, vt, x[0][k], x[1][k], from);
    if (!fours)
        return;
    for (unsigned k = 0; k < c->width / 4; k++)
        lines[0][k] = either(c, LLVMTypeOf(lines[0][k]), lines[0][k], lines[1][k], from);
    cg_keep_fours(g, out, lines[0]);
}

enum { PAGE = 4096 };

// Where one end of what group t accesses lies.
static LLVMValueRef end_of(struct cg_func *g, const struct access *a, const int64_t *offs,
                           unsigned t, bool upper) {
    int64_t at = upper ? offs[g->cg->width - 1] + a->bytes - 1 : offs[0];
    cg_turn_to(g, t);
    return LLVMBuildPtrToInt(g->cg->b, cg_byte_gep(g->cg, cg_scalar_pointer(g, a->i), at),
                             g->cg->i64, "");
}

// Do all lanes of the team access one page, whether they act or not? Then it is some acting lane's.
static LLVMValueRef is_one_page(struct cg_func *g, const struct access *a, const int64_t *offs) {
    struct cg *c = g->cg;
    unsigned here = g->turn, last = c->team - 1;
    bool down = last && g->fl->lag[a->i->ops[0]->id] < 0;
    LLVMValueRef lower = end_of(g, a, offs, down ? last : 0, false),
                 upper = end_of(g, a, offs, down ? 0 : last, true);
    LLVMValueRef differ = LLVMBuildXor(c->b, lower, upper, "");
    LLVMValueRef ok = LLVMBuildICmp(c->b, LLVMIntULT, differ, cg_i64(c, PAGE), "");
    for (unsigned t = 0; t < c->team; t++) {
        cg_turn_to(g, t);
        LLVMValueRef guard = cg_guard(g, a->i->ops[0]);
        ok = guard ? LLVMBuildAnd(c->b, ok, guard, "") : ok;
    }
    cg_turn_to(g, here);
    return ok;
}

static void load_offsets(struct cg_func *g, const struct access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    if (!a->plan->by_page || !g->now.mask || LLVMIsConstant(g->now.mask)) {
        load_guarded(g, a, out);
        return;
    }
    LLVMBasicBlockRef one = cg_new_block(g, "page"), several = cg_new_block(g, "pages"),
                      done = cg_new_block(g, "loaded"), from[2];
    LLVMValueRef x[2], mask = g->now.mask;
    if (cg_guard(g, a->i->ops[0]))
        cg_exact_pointers(g, a->i); // the address of each lane is made once: before the ways part
    cg_rarely(c, LLVMBuildCondBr(c->b, is_one_page(g, a, a->plan->offs), one, several), 1);
    LLVMPositionBuilderAtEnd(c->b, one);
    g->now.mask = NULL;
    load_planned(g, a, cg_scalar_pointer(g, a->i), &x[0]);
    g->now.mask = mask;
    from[0] = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, several);
    load_guarded(g, a, &x[1]);
    from[1] = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    *out = LLVMBuildPhi(c->b, LLVMTypeOf(x[0]), "");
    LLVMAddIncoming(*out, x, from, 2);
}

// A branch to where the guard holds; behind it a sum wraps, which hardly ever happens.
struct ways_apart {
    LLVMBasicBlockRef steps, wrapped, done;
};

static struct ways_apart begin_steps(struct cg_func *g, const struct stepped *t) {
    struct cg *c = g->cg;
    struct ways_apart w = {cg_new_block(g, "steps"), cg_new_block(g, "wrapped"),
                           cg_new_block(g, "stepped")};
    cg_rarely(c, LLVMBuildCondBr(c->b, t->guard, w.steps, w.wrapped), 1);
    LLVMPositionBuilderAtEnd(c->b, w.steps);
    return w;
}

static LLVMBasicBlockRef end_steps(struct cg *c, const struct ways_apart *w,
                                   LLVMBasicBlockRef next) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, w->done);
    LLVMPositionBuilderAtEnd(c->b, next);
    return here;
}

static void gather(struct cg_func *g, const struct access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    struct stepped t;
    bool steps = find_step(g, a, &t);
    struct cg_lane_access each = steps ? at_steps(a, &t) : each_lane(g, a);
    each.ahead = a->ahead;
    if (!steps || !t.guard) {
        cg_gather(g, each, out);
        return;
    }
    LLVMValueRef x[2][8], p = cg_exact_pointers(g, a->i);
    LLVMBasicBlockRef from[2];
    struct ways_apart w = begin_steps(g, &t);
    cg_gather(g, each, x[0]);
    from[0] = end_steps(c, &w, w.wrapped);
    cg_gather(g, at_pointers(a, p), x[1]);
    from[1] = end_steps(c, &w, w.done);
    for (unsigned k = 0; k < a->count; k++)
        out[k] = either(c, LLVMTypeOf(x[0][k]), x[0][k], x[1][k], from);
}

// False: lanes are no steps apart.
static bool scatter_steps(struct cg_func *g, const struct access *a, LLVMValueRef *comp) {
    struct stepped t;
    if (!find_step(g, a, &t))
        return false;
    if (!t.guard) {
        cg_scatter(g, at_steps(a, &t), comp);
        return true;
    }
    LLVMValueRef p = cg_exact_pointers(g, a->i);
    struct ways_apart w = begin_steps(g, &t);
    cg_scatter(g, at_steps(a, &t), comp);
    end_steps(g->cg, &w, w.wrapped);
    cg_scatter(g, at_pointers(a, p), comp);
    end_steps(g->cg, &w, w.done);
    return true;
}

// ---- runs of neighbours, wherever each begins -------------------------------------------------

enum { PAIR_LANES = 4 };

static LLVMValueRef all_hold(struct cg *c, LLVMValueRef m) {
    LLVMTypeRef t = LLVMTypeOf(m);
    return cg_call_intrinsic(c, "llvm.vector.reduce.and", &t, 1, &m, 1);
}

// Do lanes of x follow the first ones of their runs, by_lane apart, all of them?
static LLVMValueRef runs_hold(struct cg_func *g, LLVMValueRef x, unsigned n, int64_t by_lane,
                              LLVMValueRef *first) {
    struct cg *c = g->cg;
    LLVMValueRef from[32];
    int64_t offs[32];
    for (unsigned k = 0; k < c->width; k++) {
        from[k] = cg_i32(c, k / n * n);
        offs[k] = (int64_t)(k % n) * by_lane;
    }
    LLVMTypeRef t = LLVMTypeOf(x);
    *first = LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(t), LLVMConstVector(from, c->width), "");
    LLVMValueRef at = cg_offs_vec(g, offs, LLVMGetElementType(t));
    return LLVMBuildICmp(c->b, LLVMIntEQ, x, LLVMBuildAdd(c->b, *first, at, ""), "");
}

// The part of a 32-bit sum that lanes do not have in common: accesses to several rows at one column
// compare it once. The sum itself where it has no such part.
static LLVMValueRef varying_term(struct cg_func *g, const struct cg_places *p) {
    const struct kir_inst *i = p->index_of ? p->index_of->def : NULL;
    if (!i || p->index_of->kind != KIR_VALUE_INST || i->mods.sat || isa_type_bits(i->ty) != 32 ||
        isa_type_is_float(i->ty) || i->ty == ISA_U16X2 || i->ty == ISA_S16X2 ||
        i->mods.half == ISA_HI || i->mods.half == ISA_WIDE ||
        (i->op != ISA_OP_ADD && i->op != ISA_OP_MAD))
        return p->index;
    struct kir_value *term = NULL;
    for (uint32_t k = 0; k < i->nops; k++) {
        if (i->ops[k]->type != KIR_B32)
            return p->index;
        if (cg_shape(g, i->ops[k]).kind == SHAPE_UNIFORM)
            continue;
        if (term || (i->op == ISA_OP_MAD && k < 2))
            return p->index;
        term = i->ops[k];
    }
    return term && cg_at_hand(g, term) ? cg_vec(g, term) : p->index;
}

// The same of indices, none of which may wrap.
static LLVMValueRef indices_hold(struct cg_func *g, const struct cg_places *p, unsigned n,
                                 int64_t by_lane) {
    struct cg *c = g->cg;
    LLVMValueRef first;
    if (n == c->width) {
        LLVMValueRef hold = all_hold(c, runs_hold(g, varying_term(g, p), n, by_lane, &first));
        LLVMValueRef at = LLVMBuildExtractElement(c->b, p->index, cg_i32(c, 0), "");
        uint32_t last = (p->index_signed ? INT32_MAX : UINT32_MAX) - (n - 1) * (uint32_t)by_lane;
        LLVMValueRef ends =
            LLVMBuildICmp(c->b, p->index_signed ? LLVMIntSLE : LLVMIntULE, at, cg_i32(c, last), "");
        return by_lane ? LLVMBuildAnd(c->b, hold, ends, "") : hold;
    }
    LLVMValueRef hold = runs_hold(g, p->index, n, by_lane, &first);
    if (by_lane)
        hold = LLVMBuildAnd(
            c->b, hold,
            LLVMBuildICmp(c->b, p->index_signed ? LLVMIntSGE : LLVMIntUGE, p->index, first, ""),
            "");
    return all_hold(c, hold);
}

static struct pieces in_runs(struct cg_func *g, const struct access *a) {
    struct cg *c = g->cg;
    struct pieces p = {.n = a->plan->n};
    LLVMValueRef addresses = cg_vec(g, a->i->ops[0]);
    for (unsigned k = 0; k < c->width / p.n; k++) {
        LLVMValueRef at = LLVMBuildExtractElement(c->b, addresses, cg_i32(c, k * p.n), "");
        p.pointer[k] = cg_byte_gep(c, cg_pointer(g, a->space, at, false), a->i->offset);
        p.same[k] = a->plan->same != 0;
        if (a->ahead && !p.same[k])
            cg_prefetch_at(c, p.pointer[k], a->ahead, a->i->op == ISA_OP_ST);
    }
    return p;
}

// One way for runs, one for other addresses.
struct ways {
    LLVMBasicBlockRef runs, any, done;
    struct cg_lane_access other;
};

static struct ways begin_runs(struct cg_func *g, const struct access *a) {
    struct cg *c = g->cg;
    const struct plan_access *r = a->plan;
    struct ways w = {cg_new_block(g, "runs"), cg_new_block(g, "other"), cg_new_block(g, "accessed"),
                     r->guess ? each_lane(g, a) : at_pointers(a, cg_exact_pointers(g, a->i))};
    const struct cg_places *at = &w.other.at;
    int64_t by_lane = r->same ? 0 : (int64_t)a->count * a->bytes;
    LLVMValueRef first, hold;
    if (at->index && by_lane % at->scale == 0)
        hold = indices_hold(g, at, r->n, by_lane / at->scale);
    else
        hold = all_hold(c, runs_hold(g, cg_vec(g, a->i->ops[0]), r->n, by_lane, &first));
    cg_rarely(c, LLVMBuildCondBr(c->b, hold, w.runs, w.any), 1);
    LLVMPositionBuilderAtEnd(c->b, w.runs);
    return w;
}

static LLVMBasicBlockRef end_runs(struct cg *c, const struct ways *w, LLVMBasicBlockRef next) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, w->done);
    LLVMPositionBuilderAtEnd(c->b, next);
    return here;
}

static void load_runs(struct cg_func *g, const struct access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    bool tested = a->plan->tested;
    LLVMValueRef x[2][8];
    LLVMBasicBlockRef from[2];
    struct ways w = {0};
    if (tested)
        w = begin_runs(g, a);
    struct pieces all = in_runs(g, a);
    load_pieces(g, a, &all, tested ? x[0] : out);
    if (!tested)
        return;
    from[0] = end_runs(c, &w, w.any);
    cg_gather(g, w.other, x[1]);
    from[1] = end_runs(c, &w, w.done);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef in[2] = {x[0][k], x[1][k]};
        out[k] = LLVMBuildPhi(c->b, LLVMTypeOf(in[0]), "");
        LLVMAddIncoming(out[k], in, from, 2);
    }
}

// Pairs of a product's sums, which lie beside each other in memory as in rows of tiles but for
// their order: what both registers have for four lanes is loaded and stored at once.
static bool holds_pair(struct cg_func *g, const struct access *a) {
    struct kir_inst *i = a->i;
    if (a->count != 2 || a->bytes != 4 || a->space != ISA_SPACE_GLOBAL || g->now.mask ||
        i->mods.sem != ISA_SEM_WEAK || !cg_is_pair(g, i->ops[1], i->ops[2]) || cg_is_append(g, i) ||
        cg_wants_canonical(g, i, 1) != cg_wants_canonical(g, i, 2))
        return false;
    return a->plan->kind == PLAN_RUNS && a->plan->n == PAIR_LANES && !a->plan->tested;
}

bool cg_stores_pair(struct cg_func *g, struct kir_inst *i) {
    struct access a = describe(g->cg, plan_access_of(g->plan, i));
    return holds_pair(g, &a);
}

void cg_store_pair(struct cg_func *g, struct kir_inst *i) {
    static const uint8_t order[2 * PAIR_LANES] = {0, 4, 1, 5, 2, 6, 3, 7};
    struct cg *c = g->cg;
    struct access a = describe(c, plan_access_of(g->plan, i));
    LLVMValueRef idx[2 * PAIR_LANES];
    cg_check_alignment(g, i);
    note_access(g, &a);
    a.ahead = cg_next_tile(g, i);
    struct pieces all = in_runs(g, &a);
    for (unsigned k = 0; k < 2 * PAIR_LANES; k++)
        idx[k] = cg_i32(c, order[k]);
    for (unsigned k = 0; k < KD_WARP / PAIR_LANES; k++) {
        LLVMValueRef x = cg_operand_bits(g, i, 1, cg_load_pair_row(g, i->ops[1], k, false));
        x = LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                   LLVMConstVector(idx, 2 * PAIR_LANES), "");
        masked_store(g, x, all.pointer[k], NULL, &a);
    }
}

static void store_runs(struct cg_func *g, const struct access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    bool tested = a->plan->tested;
    struct ways w = {0};
    if (tested)
        w = begin_runs(g, a);
    struct pieces all = in_runs(g, a);
    store_pieces(g, a, &all, comp);
    if (!tested)
        return;
    end_runs(c, &w, w.any);
    cg_scatter(g, w.other, comp);
    end_runs(c, &w, w.done);
}

// ---- lanes at constant distances, too far apart for vectors -----------------------------------

// Where the distances hold and all lanes act, each lane's place is a scalar and a constant.
struct apart {
    LLVMBasicBlockRef all, some, done;
    LLVMValueRef base, pointers, mask;
};

// Is there anything to ask when it runs? Then the guard of their distances is in *guard, or NULL.
static bool lie_apart(struct cg_func *g, const struct access *a, LLVMValueRef *guard) {
    if (a->plan->kind != PLAN_APART)
        return false;
    *guard = cg_guard(g, a->i->ops[0]);
    return *guard || (g->now.mask && !LLVMIsConstant(g->now.mask));
}

static struct apart begin_apart(struct cg_func *g, const struct access *a, LLVMValueRef guard) {
    struct cg *c = g->cg;
    struct apart p = {cg_new_block(g, "apart"),    cg_new_block(g, "some"),
                      cg_new_block(g, "accessed"), cg_scalar_pointer(g, a->i),
                      cg_exact_pointers(g, a->i),  g->now.mask};
    LLVMTypeRef t = cg_mask_type(c);
    LLVMValueRef ok = guard;
    if (p.mask) {
        LLVMValueRef all = cg_call_intrinsic(c, "llvm.vector.reduce.and", &t, 1, &p.mask, 1);
        ok = ok ? LLVMBuildAnd(c->b, ok, all, "") : all;
    }
    LLVMBuildCondBr(c->b, ok, p.all, p.some);
    LLVMPositionBuilderAtEnd(c->b, p.all);
    g->now.mask = NULL;
    return p;
}

// Ends a way; returns the block it ended in.
static LLVMBasicBlockRef end_way(struct cg_func *g, const struct apart *p, LLVMBasicBlockRef next) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->cg->b);
    LLVMBuildBr(g->cg->b, p->done);
    LLVMPositionBuilderAtEnd(g->cg->b, next);
    g->now.mask = p->mask;
    return here;
}

static struct cg_lane_access from_base(const struct access *a, const struct apart *p,
                                       const int64_t *offs) {
    return (struct cg_lane_access){.elem = a->elem,
                                   .count = a->count,
                                   .bytes = a->bytes,
                                   .at = {.base = p->base, .offs = offs}};
}

// Without a mask a sum wraps, which hardly ever happens.
static struct cg_lane_access from_pointers(const struct access *a, const struct apart *p) {
    struct cg_lane_access x = at_pointers(a, p->pointers);
    x.rare = !p->mask;
    return x;
}

static void load_apart(struct cg_func *g, const struct access *a, LLVMValueRef guard,
                       LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMValueRef x[2][8];
    LLVMBasicBlockRef from[2];
    struct apart p = begin_apart(g, a, guard);
    cg_gather(g, from_base(a, &p, a->plan->offs), x[0]);
    from[0] = end_way(g, &p, p.some);
    cg_gather(g, from_pointers(a, &p), x[1]);
    from[1] = end_way(g, &p, p.done);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef in[2] = {x[0][k], x[1][k]};
        out[k] = LLVMBuildPhi(c->b, LLVMTypeOf(in[0]), "");
        LLVMAddIncoming(out[k], in, from, 2);
    }
}

static void store_apart(struct cg_func *g, const struct access *a, LLVMValueRef guard,
                        LLVMValueRef *comp) {
    struct apart p = begin_apart(g, a, guard);
    cg_scatter(g, from_base(a, &p, a->plan->offs), comp);
    end_way(g, &p, p.some);
    cg_scatter(g, from_pointers(a, &p), comp);
    end_way(g, &p, p.done);
}

// ---- loads in two steps -----------------------------------------------------------------------

struct cg_costly_load {
    struct access a;
    LLVMValueRef base;          // planned
    struct cg_lane_access each; // not planned
};

bool cg_load_costs(struct cg_func *g, const struct kir_inst *i) {
    const struct plan_access *p = plan_access_of(g->plan, i);
    if (p->kind == PLAN_ONE || cg_shape(g, i->ops[0]).guard || p->whole)
        return false;
    return p->count > 2 || !is_planned(p);
}

struct cg_costly_load *cg_prepare_costly(struct cg_func *g, struct kir_inst *i) {
    struct cg_costly_load *l = arena_new(g->cg->arena, struct cg_costly_load);
    l->a = describe(g->cg, plan_access_of(g->plan, i));
    cg_check_alignment(g, i);
    if (is_planned(l->a.plan))
        l->base = cg_scalar_pointer(g, l->a.i);
    else
        l->each = each_lane(g, &l->a);
    return l;
}

unsigned cg_make_costly(struct cg_func *g, const struct cg_costly_load *l, LLVMValueRef *x) {
    if (cg_load_lane_words(g, l->a.plan, l->a.elem, x))
        return l->a.count;
    if (is_planned(l->a.plan))
        load_planned(g, &l->a, l->base, x);
    else
        cg_gather(g, l->each, x);
    return l->a.count;
}

LLVMTypeRef cg_costly_type(struct cg_func *g, const struct cg_costly_load *l) {
    return cg_vec_of(g->cg, l->a.elem);
}

unsigned cg_costly_bytes(struct cg_func *g, const struct cg_costly_load *l) {
    return l->a.count * l->a.bytes * g->cg->width;
}

static void emit_load(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct access a = describe(c, plan_access_of(g->plan, i));
    LLVMValueRef x[8], guard;
    cg_check_alignment(g, i);
    cg_settle(g, i, a.count * a.bytes);
    if (i->mods.sem != ISA_SEM_WEAK)
        compiler_fence(c);
    a.ahead = cg_next_tile(g, i); // before the access parts into several ways
    note_access(g, &a);
    if (cg_load_words(g, i, a.count, a.bytes, a.elem, x)) {
        set_loaded(g, &a, x);
        return;
    }
    if (cg_load_table(g, i, a.elem, x)) {
        set_loaded(g, &a, x);
        return;
    }
    if (cg_copying_store(g, i)) {
        struct cg_places p = cg_places_of(g, i);
        cg_begin_copy(g, i, cg_pointers(g, &p));
        return;
    }
    if (cg_load_once(g, i, x)) {
        set_loaded(g, &a, x);
        return;
    }
    if (cg_load_lane_words(g, a.plan, a.elem, x))
        ;
    else if (a.plan->kind == PLAN_ONE)
        load_scalar(g, &a, x);
    else if (a.plan->lane >= 0)
        load_alone(g, &a, (unsigned)a.plan->lane, x);
    else if (is_planned(a.plan))
        load_offsets(g, &a, x);
    else if (a.plan->kind == PLAN_RUNS)
        load_runs(g, &a, x);
    else if (lie_apart(g, &a, &guard))
        load_apart(g, &a, guard, x);
    else
        gather(g, &a, x);
    order(c, i, ISA_SEM_ACQUIRE, LLVMAtomicOrderingAcquire);
    set_loaded(g, &a, x);
}

static void store_guarded(struct cg_func *g, const struct access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    LLVMValueRef guard = cg_guard(g, a->i->ops[0]);
    if (!guard) {
        store_planned(g, a, cg_scalar_pointer(g, a->i), comp);
        return;
    }
    LLVMBasicBlockRef line = cg_new_block(g, "contiguous"), any = cg_new_block(g, "wrapped"),
                      done = cg_new_block(g, "stored");
    LLVMValueRef p = cg_exact_pointers(g, a->i), base = cg_scalar_pointer(g, a->i);
    cg_rarely(c, LLVMBuildCondBr(c->b, guard, line, any), 1);
    LLVMPositionBuilderAtEnd(c->b, line);
    store_planned(g, a, base, comp);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, any);
    cg_scatter(g, at_pointers(a, p), comp);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

static void store_each(struct cg_func *g, const struct access *a, LLVMValueRef *comp) {
    struct cg_lane_access each = each_lane(g, a);
    each.lone = a->plan->lone;
    if (each.lone)
        cg_find_growth(g, a->i->ops[1], &each);
    cg_scatter(g, each, comp);
}

static void store(struct cg_func *g, const struct access *a, LLVMValueRef *comp) {
    LLVMValueRef guard;
    if (a->plan->lane >= 0)
        store_alone(g, a, (unsigned)a->plan->lane, comp);
    else if (a->plan->kind == PLAN_ONE)
        store_last(g, a, comp);
    else if (is_planned(a->plan))
        store_guarded(g, a, comp);
    else if (a->plan->kind == PLAN_RUNS)
        store_runs(g, a, comp);
    else if (lie_apart(g, a, &guard))
        store_apart(g, a, guard, comp);
    else if (!scatter_steps(g, a, comp))
        store_each(g, a, comp);
}

// aligned: its address has been checked, or need not be.
static void emit_store(struct cg_func *g, const struct plan_access *plan, bool aligned) {
    struct cg *c = g->cg;
    struct kir_inst *i = plan->inst;
    struct access a = describe(c, plan);
    LLVMValueRef comp[8], raw[8];
    bool all_uniform = true;
    if (!cg_is_append(g, i))
        cg_settle(g, i, a.count * a.bytes);
    if (cg_is_copy(g, i)) {
        cg_check_alignment(g, i);
        cg_forget_words(g);
        struct cg_places p = cg_places_of(g, i);
        cg_end_copy(g, i, cg_pointers(g, &p));
        return;
    }
    if (holds_pair(g, &a)) {
        cg_store_sums(g, i);
        return;
    }
    for (unsigned k = 0; k < a.count; k++)
        all_uniform &= cg_shape(g, i->ops[1 + k]).kind == SHAPE_UNIFORM;
    bool one = plan->kind == PLAN_ONE;
    for (unsigned k = 0; k < a.count; k++) {
        comp[k] = one && all_uniform ? cg_scalar(g, i->ops[1 + k]) : cg_vec(g, i->ops[1 + k]);
        raw[k] = comp[k];
        comp[k] = cg_operand_bits(g, i, 1 + k, comp[k]);
        LLVMTypeRef have = LLVMTypeOf(comp[k]);
        bool vec = LLVMGetTypeKind(have) == LLVMVectorTypeKind;
        if ((vec ? LLVMGetElementType(have) : have) != a.elem) {
            comp[k] = cg_narrow(c, comp[k], a.bytes * 8);
            comp[k] = LLVMBuildBitCast(c->b, comp[k], vec ? cg_vec_of(c, a.elem) : a.elem, "");
            raw[k] = comp[k];
        }
    }
    if (cg_append_values(g, i, comp, a.count))
        return;
    if (!aligned)
        cg_check_alignment(g, i);
    if (cg_store_words(g, i, a.count, a.bytes, comp, raw))
        return;
    order(c, i, ISA_SEM_RELEASE, LLVMAtomicOrderingRelease);
    a.ahead = cg_next_tile(g, i);
    note_access(g, &a);
    store(g, &a, comp);
    if (i->mods.sem != ISA_SEM_WEAK)
        compiler_fence(c);
}

static void store_row(struct cg_func *g, struct kir_inst *i) {
    const struct plan_access *a = plan_access_of(g->plan, i);
    if (!a->row) {
        emit_store(g, a, false);
        return;
    }
    cg_check_alignment(g, i);
    if (a->last)
        emit_store(g, a->row, true);
}

bool cg_emit_memory(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    if (cg_emit_frame(g, i) || cg_emit_eights(g, i) || cg_emit_split(g, i))
        return true;
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
        emit_load(g, i);
        cg_keep_lines(g, i);
        return true;
    case ISA_OP_ST:
        store_row(g, i);
        return true;
    case ISA_OP_PREFETCH:
    case ISA_OP_PREFETCHU:
    case ISA_OP_DISCARD:
    case ISA_OP_APPLYPRIORITY:
        return true; // hints
    case ISA_OP_MEMBAR:
    case ISA_OP_FENCE:
        // A block runs on one worker: between its threads program order is enough.
        if (i->mods.scope == ISA_SCOPE_CTA)
            compiler_fence(c);
        else
            LLVMBuildFence(c->b,
                           i->mods.sem == ISA_SEM_ACQ_REL
                               ? LLVMAtomicOrderingAcquireRelease
                               : LLVMAtomicOrderingSequentiallyConsistent,
                           0, "");
        return true;
    default:
        return false;
    }
}
