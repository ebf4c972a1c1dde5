// Operations on words of global memory that lanes have for themselves, as histograms make them:
// for each array that it goes to, a run of blocks keeps a window of memory around the words that it
// goes to first (cg_reds.c). What is rare is done by the device (windows.c).
#include <stddef.h>

#include "codegen/access/cg_places.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_bins.h"
#include "codegen/update/cg_red_site.h"
#include "codegen/update/cg_reds.h"
#include "codegen/update/cg_thread_atomic.h"
#include "codegen/value/cg_value.h"

enum { ALL_BYTES = 65536, MOST_BYTES = 32768 }; // of all windows together, and of one

static LLVMValueRef at_byte(struct cg *c, LLVMValueRef p, LLVMValueRef at) {
    return LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
}

#define FIELD(name) offsetof(struct kd_window, name)

LLVMValueRef cg_window_field(struct cg_func *g, const struct cg_window *w, size_t offset,
                             LLVMTypeRef t) {
    return LLVMBuildLoad2(g->cg->b, t, cg_field(g->cg, w->state, offset), "");
}

static LLVMValueRef variable(struct cg *c, LLVMTypeRef t, const char *name) {
    LLVMValueRef v = LLVMBuildAlloca(c->b, t, name);
    LLVMBuildStore(c->b, LLVMConstNull(t), v);
    return v;
}

static unsigned capacity(unsigned windows) {
    unsigned bytes = MOST_BYTES;
    while (bytes * windows > ALL_BYTES)
        bytes /= 2;
    return bytes;
}

LLVMValueRef cg_make_windows(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_reds *r = g->reds;
    unsigned bytes = capacity(r->nwindows);
    if (!r->nwindows)
        return LLVMConstNull(c->ptr);
    LLVMTypeRef all = LLVMArrayType2(c->i8, r->nwindows * sizeof(struct kd_window));
    LLVMValueRef states = LLVMBuildAlloca(c->b, all, "windows");
    LLVMSetAlignment(states, 64);
    LLVMBuildMemSet(c->b, states, LLVMConstInt(c->i8, 0, 0),
                    cg_i64(c, r->nwindows * sizeof(struct kd_window)), 64);
    for (unsigned n = 0; n < r->nwindows; n++) {
        struct cg_window *w = &r->windows[n];
        w->state = at_byte(c, states, cg_i64(c, n * sizeof(struct kd_window)));
        w->values = LLVMBuildAlloca(c->b, LLVMArrayType2(c->i8, bytes), "values");
        LLVMSetAlignment(w->values, 64);
        cg_set_field(c, w->state, FIELD(values), w->values);
        cg_set_field(c, w->state, FIELD(capacity), cg_i32(c, bytes));
        cg_set_field(c, w->state, FIELD(limit), cg_i32(c, bytes));
        cg_set_field(c, w->state, FIELD(op), cg_i32(c, w->kind.op));
        cg_set_field(c, w->state, FIELD(bytes), cg_i32(c, w->kind.bytes));
    }
    for (unsigned n = 0; n < r->nsites; n++)
        if (r->sites[n].window) {
            r->sites[n].first = variable(c, c->i32, "window.first");
            r->sites[n].words = variable(c, c->i32, "window.words");
            r->sites[n].base = variable(c, c->i64, "window.base");
        }
    return states;
}

void cg_forget_bounds(struct cg_func *g, const struct cg_window *w) {
    const struct cg_reds *r = g->reds;
    for (unsigned n = 0; n < r->nsites; n++)
        if (r->sites[n].window && (!w || r->sites[n].window == w))
            LLVMBuildStore(g->cg->b, cg_i32(g->cg, 0), r->sites[n].words);
}

void cg_flush_window_if(struct cg_func *g, const struct cg_window *w, LLVMValueRef cond) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef yes = cg_new_block(g, "flush"), done = cg_new_block(g, "flushed");
    LLVMBuildCondBr(c->b, cond, yes, done);
    LLVMPositionBuilderAtEnd(c->b, yes);
    LLVMValueRef state = w->state;
    cg_call_rt(c, "kd_rt_flush_window", &state, 1);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

static LLVMValueRef size_now(struct cg_func *g, const struct cg_window *w) {
    return cg_window_field(g, w, FIELD(size), g->cg->i64);
}

static LLVMValueRef start_now(struct cg_func *g, const struct cg_window *w) {
    return cg_window_field(g, w, FIELD(start), g->cg->i64);
}

static unsigned shift_of(const struct cg_window *w) {
    return w->kind.bytes == 8 ? 3 : 2;
}

// Opens the window, or has it grow, so that p lies in it.
static void open_window(struct cg_func *g, const struct cg_window *w, LLVMValueRef p,
                        LLVMValueRef base) {
    struct cg *c = g->cg;
    struct cg_reds *r = g->reds;
    LLVMValueRef args[4] = {r->state, cg_i32(c, (uint32_t)(w - r->windows)), p,
                            base ? base : cg_i64(c, 0)};
    cg_call_rt(c, "kd_rt_open_window", args, 4);
    cg_forget_bounds(g, r->mixed ? NULL : w);
}

// Where the lanes' words lie: index[lane] words behind a base, or at any addresses (`pointers`).
struct words {
    const struct cg_red_site *site;
    LLVMValueRef pointers;         // a vector of i64
    LLVMValueRef base;             // i64
    LLVMValueRef index;            // a vector of i32; NULL: not known
    bool index_signed, base_stays; // ... the same wherever the kernel adds
};

static struct words words_at(struct cg_func *g, const struct cg_red_site *site,
                             const struct cg_places *at) {
    struct cg *c = g->cg;
    const struct kir_inst *i = site->i;
    LLVMValueRef p = cg_pointers(g, at);
    struct words w = {.site = site,
                      .pointers = LLVMBuildPtrToInt(c->b, p, cg_vec_of(c, c->i64), "")};
    if (!at->index || at->scale != cg_red_kind_of(i).bytes)
        return w;
    w.base = LLVMBuildPtrToInt(c->b, at->base, c->i64, "");
    w.index = at->index;
    w.index_signed = at->index_signed;
    const struct kir_value *base = cg_red_base(g->fl, i);
    w.base_stays = base && cg_is_of_run(g, base);
    return w;
}

static LLVMValueRef outside_bits(struct cg_func *g, LLVMValueRef out) {
    return cg_mask_bits(g, LLVMBuildAnd(g->cg->b, out, cg_mask(g), ""));
}

// How far behind the window's first byte the base lies, an i64.
static LLVMValueRef behind_window(struct cg_func *g, const struct cg_window *a,
                                  const struct words *w) {
    struct cg *c = g->cg;
    return LLVMBuildSub(c->b, w->base, start_now(g, a), "");
}

// A lane's word lies in the window when index - first < words, as unsigned numbers of 32 bits. The
// window begins `first` words behind the base. That does not wrap while first is near 0 and, for an
// unsigned index, not below it: there index < words in the window + first does the same.
static void bounds_of(struct cg_func *g, const struct cg_window *a, const struct words *w,
                      LLVMValueRef *first, LLVMValueRef *words) {
    enum { NEAR = 1 << 30 };
    struct cg *c = g->cg;
    LLVMValueRef behind = behind_window(g, a, w), zero = cg_i64(c, 0);
    *first = LLVMBuildNeg(c->b, LLVMBuildAShr(c->b, behind, cg_i64(c, shift_of(a)), ""), "");
    *words = LLVMBuildLShr(c->b, size_now(g, a), cg_i64(c, shift_of(a)), "");
    LLVMValueRef near = LLVMBuildAdd(c->b, *first, cg_i64(c, NEAR), "");
    near = LLVMBuildICmp(c->b, LLVMIntULT, near, cg_i64(c, 2ULL * NEAR), "");
    LLVMValueRef odd = LLVMBuildAnd(c->b, behind, cg_i64(c, a->kind.bytes - 1), "");
    near = LLVMBuildAnd(c->b, near, LLVMBuildICmp(c->b, LLVMIntEQ, odd, zero, ""), "");
    if (!w->index_signed) {
        LLVMValueRef below = LLVMBuildICmp(c->b, LLVMIntSLT, *first, zero, "");
        LLVMValueRef fewer = LLVMBuildAdd(c->b, *words, *first, "");
        LLVMValueRef some = LLVMBuildICmp(c->b, LLVMIntSGT, fewer, zero, "");
        fewer = LLVMBuildSelect(c->b, some, fewer, zero, "");
        *words = LLVMBuildSelect(c->b, below, fewer, *words, "");
        *first = LLVMBuildSelect(c->b, below, zero, *first, "");
    }
    *words = LLVMBuildTrunc(c->b, LLVMBuildSelect(c->b, near, *words, zero, ""), c->i32, "");
    *first = LLVMBuildTrunc(c->b, *first, c->i32, "");
}

// Without a window no word lies in it: both are 0 until the bounds are known.
static void keep_bounds(struct cg_func *g, const struct cg_window *a, const struct words *w) {
    struct cg *c = g->cg;
    LLVMValueRef first, words;
    if (!w->index)
        return;
    bounds_of(g, a, w, &first, &words);
    LLVMBuildStore(c->b, first, w->site->first);
    LLVMBuildStore(c->b, words, w->site->words);
    LLVMBuildStore(c->b, w->base, w->site->base);
}

static void bounds(struct cg_func *g, const struct words *w, LLVMValueRef *first,
                   LLVMValueRef *words) {
    struct cg *c = g->cg;
    *first = LLVMBuildLoad2(c->b, c->i32, w->site->first, "");
    *words = LLVMBuildLoad2(c->b, c->i32, w->site->words, "");
    if (w->base_stays)
        return;
    LLVMValueRef seen = LLVMBuildLoad2(c->b, c->i64, w->site->base, "");
    LLVMValueRef same = LLVMBuildICmp(c->b, LLVMIntEQ, w->base, seen, "");
    *words = LLVMBuildSelect(c->b, same, *words, cg_i32(c, 0), "");
}

static LLVMValueRef outside_by_index(struct cg_func *g, const struct words *w) {
    struct cg *c = g->cg;
    LLVMValueRef first, words;
    bounds(g, w, &first, &words);
    LLVMValueRef at = LLVMBuildSub(c->b, w->index, cg_splat(c, first), "");
    return outside_bits(g, LLVMBuildICmp(c->b, LLVMIntUGE, at, cg_splat(c, words), ""));
}

// The lanes' places in the window, when they lie in it.
static LLVMValueRef in_window(struct cg_func *g, const struct cg_window *a, const struct words *w) {
    struct cg *c = g->cg;
    return LLVMBuildSub(c->b, w->pointers, cg_splat(c, start_now(g, a)), "");
}

// The active lanes whose words do not lie in the window, as bits.
static LLVMValueRef outside(struct cg_func *g, const struct cg_window *a, const struct words *w) {
    struct cg *c = g->cg;
    if (w->index)
        return outside_by_index(g, w);
    LLVMValueRef size = cg_splat(c, size_now(g, a));
    return outside_bits(g, LLVMBuildICmp(c->b, LLVMIntUGE, in_window(g, a, w), size, ""));
}

static LLVMValueRef is_zero(struct cg *c, LLVMValueRef bits) {
    return LLVMBuildICmp(c->b, LLVMIntEQ, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

// Where each lane's value lies: place[lane] * the word's bytes behind `*from`, by index. Lanes that
// do not act take the first word that can be reached, and when there is none, as may be when no
// lane acts, any.
static LLVMValueRef places_by_index(struct cg_func *g, const struct cg_window *a,
                                    const struct words *w, LLVMValueRef *from) {
    struct cg *c = g->cg;
    LLVMValueRef values = a->values, first, words;
    *from = at_byte(c, values, behind_window(g, a, w));
    if (!g->now.mask)
        return w->index;
    bounds(g, w, &first, &words);
    LLVMValueRef any = LLVMBuildICmp(c->b, LLVMIntNE, words, cg_i32(c, 0), "");
    *from = LLVMBuildSelect(c->b, any, *from, values, "");
    first = LLVMBuildSelect(c->b, any, first, cg_i32(c, 0), "");
    return cg_select(c, g->now.mask, w->index, cg_splat(c, first));
}

// The same with a scale of 1.
static LLVMValueRef places_by_pointer(struct cg_func *g, const struct cg_window *a,
                                      const struct words *w) {
    struct cg *c = g->cg;
    LLVMTypeRef v32 = cg_vec_of(c, c->i32);
    LLVMValueRef at = LLVMBuildTrunc(c->b, in_window(g, a, w), v32, "");
    return g->now.mask ? cg_select(c, g->now.mask, at, LLVMConstNull(v32)) : at;
}

static void combine_lanes(struct cg_func *g, const struct kir_inst *i, const struct cg_window *a,
                          const struct words *w, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMTypeRef t = cg_int_type(c, a->kind.bytes * 8);
    LLVMValueRef from = a->values, one = cg_i32(c, 1);
    LLVMValueRef at = w->index ? places_by_index(g, a, w, &from) : places_by_pointer(g, a, w);
    LLVMValueRef scale = cg_i64(c, w->index ? a->kind.bytes : 1);
    if (g->now.mask)
        x = cg_select(c, g->now.mask, x, cg_neutral_vector(g, i));
    struct cg_spread places = cg_take_apart(g, at, 0), values = cg_take_apart(g, x, 1);
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef k = cg_spread_lane(g, &places, l);
        // An index in the window is near 0, and may be below.
        k = w->index ? LLVMBuildSExt(c->b, k, c->i64, "") : LLVMBuildZExt(c->b, k, c->i64, "");
        LLVMValueRef p = at_byte(c, from, LLVMBuildMul(c->b, k, scale, ""));
        LLVMValueRef old = LLVMBuildLoad2(c->b, t, p, "");
        LLVMSetAlignment(old, a->kind.bytes);
        LLVMValueRef st =
            LLVMBuildStore(c->b, cg_combined(c, i, old, cg_spread_lane(g, &values, l)), p);
        LLVMSetAlignment(st, a->kind.bytes);
    }
    LLVMValueRef credit = cg_window_field(g, a, FIELD(credit), c->i32);
    cg_set_field(c, a->state, FIELD(credit), LLVMBuildAdd(c->b, credit, one, ""));
}

// Is it worth while to ask the device? The window may be open, but the base a new one.
static LLVMValueRef may_open(struct cg_func *g, const struct cg_window *a, const struct words *w) {
    struct cg *c = g->cg;
    LLVMValueRef credit = cg_window_field(g, a, FIELD(credit), c->i32);
    LLVMValueRef may = LLVMBuildICmp(c->b, LLVMIntSGE, credit, cg_i32(c, 0), "");
    if (!w->index || w->base_stays)
        return may;
    LLVMValueRef size = size_now(g, a);
    LLVMValueRef is_open = LLVMBuildICmp(c->b, LLVMIntNE, size, cg_i64(c, 0), "");
    return LLVMBuildOr(c->b, may, is_open, "");
}

// What is kept for other operations of the lanes' words.
static void settle_others(struct cg_func *g, const struct cg_window *a, LLVMValueRef pointers) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_entry_alloca(g, LLVMTypeOf(pointers));
    LLVMBuildStore(c->b, pointers, at);
    LLVMValueRef args[5] = {g->reds->state, cg_i32(c, a->kind.op), cg_i32(c, a->kind.bytes), at,
                            cg_i32(c, c->width)};
    cg_call_rt(c, "kd_rt_settle_others", args, 5);
}

struct cg_binned cg_begin_binned(struct cg_func *g, struct kir_inst *i, const struct cg_places *at,
                                 LLVMValueRef x) {
    struct cg *c = g->cg;
    struct cg_binned n = {0};
    const struct cg_red_site *site = cg_red_site(g, i);
    const struct cg_window *a = site ? site->window : NULL;
    if (!a)
        return n;
    struct words w = words_at(g, site, at);
    LLVMValueRef out;
    note_on(c->notes, i, false, "'%s': kept for a run of blocks, in a window of memory",
            isa_op_info[i->op].name);
    LLVMBasicBlockRef all = cg_new_block(g, "binned"), move = cg_new_block(g, "outside"),
                      open = cg_new_block(g, "open"), each = cg_new_block(g, "one.by.one");
    n.done = cg_new_block(g, "combined");
    out = outside(g, a, &w);
    LLVMBuildCondBr(c->b, is_zero(c, out), all, move);
    LLVMPositionBuilderAtEnd(c->b, move);
    LLVMBuildCondBr(c->b, may_open(g, a, &w), open, each);
    LLVMPositionBuilderAtEnd(c->b, open);
    LLVMTypeRef t = LLVMTypeOf(out);
    LLVMValueRef args[2] = {out, LLVMConstInt(c->i1, 1, 0)};
    LLVMValueRef lane = cg_call_intrinsic(c, "llvm.cttz", &t, 1, args, 2);
    open_window(g, a, cg_extract(g, w.pointers, lane), w.base);
    keep_bounds(g, a, &w);
    out = outside(g, a, &w);
    LLVMBuildCondBr(c->b, is_zero(c, out), all, each);
    LLVMPositionBuilderAtEnd(c->b, all);
    combine_lanes(g, i, a, &w, x);
    LLVMBuildBr(c->b, n.done);
    LLVMPositionBuilderAtEnd(c->b, each);
    if (g->reds->mixed)
        settle_others(g, a, w.pointers);
    return n;
}

void cg_end_binned(struct cg_func *g, const struct cg_binned *n) {
    if (!n->done)
        return;
    LLVMBuildBr(g->cg->b, n->done);
    LLVMPositionBuilderAtEnd(g->cg->b, n->done);
}
