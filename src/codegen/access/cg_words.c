// Shared memory in registers. Where one team is the whole block, each lane's address in shared
// memory is, as a rule, known while code is generated, and so is which lanes act. Outside loops a
// store then need not be made: what a word holds is remembered as a lane of a vector, and a load of
// words becomes a shuffle of the vectors that they lie in. The steps of a reduction or a scan thus
// pass their values from register to register.
//
// In loops the same holds within an iteration: a plane of a stencil that marches through its planes
// goes from the threads to their neighbours in registers, but for the edges, which memory has.
//
// Words are written to memory (flushed) when something reads them that this does not see through,
// and where control flow is not known; at the kernel's end nobody needs them any more, and at a
// iteration's end only who reads them in the next iteration before they are written, or behind the
// loop.
#include "codegen/access/cg_words.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/memory.h"
#include "isa/ops/warp.h"

enum {
    MOST_WORDS = 48 * 1024 / 4, // of dynamic shared memory
    MOST_SOURCES = 8,           // vectors that one load is shuffled from: beyond, memory is faster
    MOST_LOADED = 2             // words that a load takes one by one from memory
};

struct word {
    LLVMValueRef vec; // NULL: what the word holds is not known
    LLVMValueRef raw; // the same before NaNs were made canonical, for who sees the value alone
    uint8_t lane;
    bool dirty; // memory does not have it yet
};

struct region {
    LLVMValueRef base; // added to shared_base; NULL: 0
    uint32_t len, end; // words; all from `end` on are unknown
    struct word *words;
    uint8_t *read; // by word: in this iteration of a loop memory was asked for what it held
};

struct cg_words {
    struct region fixed, dynamic; // they do not overlap
    bool reading;                 // what is stored here may not be stored: the block may not run
    bool all_read; // in this iteration of a loop memory may have been asked for any word
    // What is known comes from here; stepped over are the blocks from there to `until`.
    const struct kir_block *from;
    uint32_t until;
};

// The words of an access in one region: lane l's are first[l] to first[l] + count - 1, of bytes
// that begin at at[l].
struct span {
    struct region *r;
    int64_t at[32];
    unsigned count;
    bool whole; // an access is of words, component k of word first[l] + k
    int64_t first[32];
    bool needed[32]; // lanes that act, or may
    bool certain;    // these act, the others do not
};

void cg_make_words(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!c->one_team || c->width == 1 || !g->f->is_kernel)
        return;
    struct cg_words *w = arena_new(c->arena, struct cg_words);
    w->fixed.len = c->kernel->shared_static / 4;
    w->dynamic.len = MOST_WORDS;
    w->dynamic.base = g->dynamic_shared;
    w->fixed.words = arena_array(c->arena, struct word, w->fixed.len + 1);
    w->dynamic.words = arena_array(c->arena, struct word, w->dynamic.len + 1);
    w->fixed.read = arena_array(c->arena, uint8_t, w->fixed.len + 1);
    w->dynamic.read = arena_array(c->arena, uint8_t, w->dynamic.len + 1);
    g->words = w;
}

static bool is_any_known(const struct region *r) {
    for (uint32_t w = 0; w < r->end; w++)
        if (r->words[w].vec)
            return true;
    return false;
}

static bool is_stepped_over(const struct cg_func *g) {
    const struct cfg *c = g->fl->cfg;
    const struct cg_words *w = g->words;
    return w->from && c->loop[g->block->id] == c->loop[w->from->id] &&
           c->pos[g->block->id] > c->pos[w->from->id] && c->pos[g->block->id] < w->until;
}

// Is the block one that no lane comes to, or does one lead to it that is?
static bool never_runs(const struct cg_func *g) {
    for (uint32_t b = g->block->id; b != UINT32_MAX; b = g->fl->cfg->idom[b])
        if (g->runs[b] == CG_RUNS_NEVER)
            return true;
    return false;
}

// Nothing that is known in another block comes here but as cg_carry_words says. It is asked at each
// access: a kernel that is not compiled is better than one that loses stores.
static void check_place(struct cg_func *g, enum cg_runs runs) {
    const struct cg_words *w = g->words;
    struct cfg_loop **loop = g->fl->cfg->loop;
    if (!w->from || w->from == g->block || is_stepped_over(g) || never_runs(g) ||
        (loop[g->block->id] == loop[w->from->id] &&
         (runs == CG_RUNS_READING || runs == (enum cg_runs)g->runs[w->from->id])))
        return;
    if (is_any_known(&w->fixed) || is_any_known(&w->dynamic))
        cg_error(g->cg, "%s: words of shared memory are known where they need not be", g->f->name);
}

static bool on(struct cg_func *g) {
    enum cg_runs runs = g->words ? (enum cg_runs)g->runs[g->block->id] : CG_RUNS_MAYBE;
    if (!g->words)
        return false;
    check_place(g, runs);
    g->words->reading = runs == CG_RUNS_READING;
    return runs == CG_RUNS_ALWAYS || runs == CG_RUNS_READING || runs == CG_RUNS_TURN;
}

void cg_carry_words(struct cg_func *g, const struct kir_block *b, uint32_t until) {
    if (!g->words)
        return;
    g->words->from = b;
    g->words->until = until;
}

// addr = region's base + *at?
static struct region *region_of(struct cg_func *g, LLVMValueRef addr, int64_t *at) {
    for (;;) {
        if (LLVMIsAConstantInt(addr)) {
            *at += LLVMConstIntGetSExtValue(addr);
            return &g->words->fixed;
        }
        if (addr == g->dynamic_shared)
            return &g->words->dynamic;
        if (!LLVMIsABinaryOperator(addr) || LLVMGetInstructionOpcode(addr) != LLVMAdd)
            return NULL;
        LLVMValueRef x = LLVMGetOperand(addr, 0), y = LLVMGetOperand(addr, 1);
        if (LLVMIsAConstantInt(x)) {
            LLVMValueRef t = x;
            x = y, y = t;
        }
        if (!LLVMIsAConstantInt(y))
            return NULL;
        *at += LLVMConstIntGetSExtValue(y);
        addr = x;
    }
}

// Each lane's address in its region; NULL: not known.
static struct region *addresses(struct cg_func *g, struct kir_inst *i, int64_t *at) {
    struct cg *c = g->cg;
    struct kir_value *v = i->ops[0];
    struct shape s = cg_shape(g, v);
    int64_t base = i->offset;
    if ((s.kind == SHAPE_UNIFORM || s.kind == SHAPE_OFFSETS) && !(s.guard && cg_guard(g, v))) {
        bool known = s.lo == s.hi; // also where it comes from another block, as a variable
        struct region *r = known ? &g->words->fixed : region_of(g, cg_scalar(g, v), &base);
        base += known ? s.lo : 0;
        for (unsigned l = 0; l < c->width; l++)
            at[l] = base + (s.offs ? s.offs[l] : 0);
        return r;
    }
    LLVMValueRef vec = cg_vec(g, v);
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef x = LLVMIsConstant(vec) ? LLVMGetAggregateElement(vec, l) : NULL;
        if (!x || !LLVMIsAConstantInt(x))
            return NULL;
        at[l] = LLVMConstIntGetSExtValue(x) + i->offset;
    }
    return &g->words->fixed;
}

// Which words i accesses; false: not known.
static bool span_of(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes,
                    struct span *s) {
    struct cg *c = g->cg;
    LLVMValueRef mask = g->now.mask;
    int64_t *at = s->at;
    // What is loaded once for the team may be for other groups' lanes.
    bool once = i->op == ISA_OP_LD && cg_shape(g, i->ops[0]).kind == SHAPE_UNIFORM;
    if (i->mods.sem != ISA_SEM_WEAK || i->mods.space != ISA_SPACE_SHARED)
        return false;
    s->r = addresses(g, i, at);
    s->whole = bytes == 4;
    s->count = (count * bytes + 3) / 4;
    s->certain = !mask || LLVMIsConstant(mask);
    for (unsigned l = 0; s->r && l < c->width; l++) {
        s->needed[l] = once || !s->certain || !mask || cg_constant_lane(c, mask, l);
        s->first[l] = at[l] / 4;
        bool fits = at[l] >= 0 && at[l] / 4 + s->count <= s->r->len &&
                    at[l] % (bytes < 4 ? bytes : 4) == 0 && (count == 1 || at[l] % 4 == 0);
        if (s->needed[l] && !fits)
            return false;
    }
    return s->r != NULL;
}

// ---- words to vectors ---------------------------------------------------------------------

// Where lanes of many vectors are wanted, each lane from one vector alone, vectors are blended
// before their lanes are moved: neighbouring lanes first, then pairs, and so on. Rows of a table
// that was made diagonal by diagonal share most of these steps.
static bool are_lanes_apart(const struct cg *c, struct word *const *from) {
    LLVMValueRef of_lane[32] = {NULL};
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef *of = from[l] ? &of_lane[from[l]->lane] : NULL;
        if (of && *of && *of != from[l]->vec)
            return false;
        if (of)
            *of = from[l]->vec;
    }
    return true;
}

static LLVMValueRef blend_of_lanes(struct cg *c, LLVMTypeRef vt, struct word *const *from) {
    LLVMValueRef x[32] = {NULL}, bit[32], idx[32];
    bool in_place = true;
    for (unsigned l = 0; l < c->width; l++) {
        idx[l] = from[l] ? cg_i32(c, from[l]->lane) : LLVMGetUndef(c->i32);
        if (!from[l])
            continue;
        in_place &= from[l]->lane == l;
        x[from[l]->lane] = LLVMTypeOf(from[l]->vec) == vt
                               ? from[l]->vec
                               : LLVMBuildBitCast(c->b, from[l]->vec, vt, "");
    }
    for (unsigned n = 1; n < c->width; n *= 2) {
        for (unsigned l = 0; l < c->width; l++)
            bit[l] = LLVMConstInt(c->i1, (l & n) != 0, 0);
        LLVMValueRef upper = LLVMConstVector(bit, c->width);
        for (unsigned l = 0; l < c->width; l += 2 * n) {
            LLVMValueRef y = x[l + n];
            if (!x[l])
                x[l] = y;
            else if (y && y != x[l])
                x[l] = cg_select(c, upper, y, x[l]);
        }
    }
    return in_place ? x[0]
                    : LLVMBuildShuffleVector(c->b, x[0], LLVMGetPoison(vt),
                                             LLVMConstVector(idx, c->width), "");
}

// A column of a tile whose rows are vectors: one lane of as many vectors as there are lanes. All
// columns together are a transposition, and each is made by those of its steps that it needs, which
// columns share: LLVM finds that they are the same.
static bool is_column(const struct cg *c, struct word *const *from) {
    if (c->width < 8)
        return false;
    for (unsigned l = 0; l < c->width; l++) {
        if (!from[l] || from[l]->lane != from[0]->lane)
            return false;
        for (unsigned k = 0; k < l; k++)
            if (from[k]->vec == from[l]->vec)
                return false;
    }
    return true;
}

// One step of a transposition for column `lane` of x's rows and then y's. Within pieces of four
// lanes rows become neighbours (unit 1, then 2), then pieces of two vectors one vector (unit 4 and
// more: every other piece).
static LLVMValueRef column_step(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned unit,
                                unsigned lane) {
    LLVMValueRef idx[32];
    unsigned n = c->width;
    for (unsigned l = 0; l < n; l++) {
        unsigned from;
        if (unit < 4) {
            unsigned part = l % 4 / unit, high = unit == 1 ? lane >> 1 & 1 : lane & 1;
            from = (part % 2 ? n : 0) + l / 4 * 4 + high * 2 + part / 2 * unit + l % unit;
        } else {
            from = (2 * (l / 4) + (lane / unit & 1)) * 4 + l % 4;
        }
        idx[l] = cg_i32(c, from);
    }
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, n), "");
}

static LLVMValueRef column(struct cg *c, LLVMTypeRef vt, struct word *const *from) {
    LLVMValueRef x[32];
    for (unsigned l = 0; l < c->width; l++)
        x[l] = LLVMTypeOf(from[l]->vec) == vt ? from[l]->vec
                                              : LLVMBuildBitCast(c->b, from[l]->vec, vt, "");
    for (unsigned unit = 1; unit < c->width; unit *= 2)
        for (unsigned k = 0; k < c->width / unit; k += 2)
            x[k / 2] = column_step(c, x[k], x[k + 1], unit, from[0]->lane);
    return x[0];
}

static unsigned sources(const struct cg *c, struct word *const *from) {
    LLVMValueRef seen[32];
    unsigned n = 0;
    for (unsigned l = 0; l < c->width; l++) {
        bool is_new = from[l] != NULL;
        for (unsigned k = 0; k < n && is_new; k++)
            is_new = seen[k] != from[l]->vec;
        if (is_new)
            seen[n++] = from[l]->vec;
    }
    return n;
}

static LLVMValueRef any_where(struct cg *c, struct word *const *from, LLVMValueRef x) {
    for (unsigned l = 0; l < c->width; l++)
        if (!from[l])
            return LLVMBuildFreeze(c->b, x, "");
    return x;
}

// The words that stand in `from` (NULL: any value) side by side in one vector.
static LLVMValueRef gather_words(struct cg_func *g, struct word *const *from, LLVMTypeRef elem) {
    struct cg *c = g->cg;
    LLVMTypeRef vt = cg_vec_of(c, elem);
    LLVMValueRef all = NULL, source = NULL, idx[32];
    bool here[32] = {false};
    if (is_column(c, from))
        return column(c, vt, from);
    if (sources(c, from) > c->width / 2 && are_lanes_apart(c, from))
        return any_where(c, from, blend_of_lanes(c, vt, from));
    for (unsigned done = 0; done < c->width;) {
        source = NULL;
        for (unsigned l = 0; l < c->width && !source; l++)
            source = from[l] && !here[l] ? from[l]->vec : NULL;
        if (!source)
            break;
        bool in_place = true;
        for (unsigned l = 0; l < c->width; l++) {
            idx[l] = here[l] ? cg_i32(c, l) : LLVMGetUndef(c->i32);
            if (!from[l] || here[l] || from[l]->vec != source)
                continue;
            idx[l] = cg_i32(c, (all ? c->width : 0) + from[l]->lane);
            in_place &= from[l]->lane == l;
            here[l] = true;
            done++;
        }
        source = LLVMTypeOf(source) == vt ? source : LLVMBuildBitCast(c->b, source, vt, "");
        LLVMValueRef order = LLVMConstVector(idx, c->width);
        if (all)
            all = LLVMBuildShuffleVector(c->b, all, source, order, "");
        else
            all = in_place ? source
                           : LLVMBuildShuffleVector(c->b, source, LLVMGetPoison(vt), order, "");
    }
    return any_where(c, from, all);
}

// The same of what has the same value; where no bits are seen NaNs need not be canonical.
static LLVMValueRef gather_raw(struct cg_func *g, struct word *const *from, LLVMTypeRef elem) {
    struct word raw[32], *of[32];
    for (unsigned l = 0; l < g->cg->width; l++) {
        of[l] = from[l] ? &raw[l] : NULL;
        if (from[l])
            raw[l] = (struct word){.vec = from[l]->raw, .lane = from[l]->lane};
    }
    return gather_words(g, of, elem);
}

// Component k of each needed lane; false: one of them is not known, or it is not worth it.
static bool known_words(const struct cg *c, const struct span *s, unsigned k, struct word **from) {
    unsigned n = 0;
    for (unsigned l = 0; l < c->width; l++) {
        from[l] = s->needed[l] ? &s->r->words[s->first[l] + k] : NULL;
        if (from[l] && !from[l]->vec)
            return false;
        n += from[l] != NULL;
    }
    return n &&
           (sources(c, from) <= MOST_SOURCES || are_lanes_apart(c, from) || is_column(c, from));
}

// ---- to memory ----------------------------------------------------------------------------

static LLVMValueRef place_of(struct cg_func *g, const struct region *r, uint32_t word) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_i64(c, word * 4ULL);
    if (r->base)
        at = LLVMBuildAdd(c->b, r->base, at, "");
    return LLVMBuildGEP2(c->b, c->i8, g->shared_base, &at, 1, "");
}

static LLVMTypeRef elem_of(LLVMValueRef vec) {
    return LLVMGetElementType(LLVMTypeOf(vec));
}

// Do the words that begin at `first` hold a whole vector, lane by lane?
static bool is_whole(const struct cg *c, const struct region *r, int64_t first, LLVMValueRef vec) {
    if (first < 0 || first + c->width > r->len)
        return false;
    for (unsigned l = 0; l < c->width; l++)
        if (r->words[first + l].vec != vec || r->words[first + l].lane != l)
            return false;
    return true;
}

static void store_one(struct cg_func *g, struct region *r, uint32_t word) {
    struct cg *c = g->cg;
    struct word *w = &r->words[word];
    LLVMValueRef x = LLVMBuildExtractElement(c->b, w->vec, cg_i32(c, w->lane), "");
    LLVMSetAlignment(LLVMBuildStore(c->b, x, place_of(g, r, word)), 4);
    w->dirty = g->words->reading;
}

static void store_whole(struct cg_func *g, struct region *r, uint32_t first) {
    struct cg *c = g->cg;
    LLVMValueRef vec = r->words[first].vec;
    LLVMSetAlignment(LLVMBuildStore(c->b, vec, place_of(g, r, first)), 4);
    for (unsigned l = 0; l < c->width; l++)
        r->words[first + l].dirty = g->words->reading;
}

// The dirty ones of as many words as a vector has.
static void store_some(struct cg_func *g, struct region *r, uint32_t first) {
    struct cg *c = g->cg;
    struct word *from[32] = {NULL};
    LLVMValueRef bit[32];
    unsigned n = 0;
    for (unsigned l = 0; l < c->width; l++) {
        bool dirty = first + l < r->len && r->words[first + l].dirty;
        from[l] = dirty ? &r->words[first + l] : NULL;
        bit[l] = LLVMConstInt(c->i1, dirty, 0);
        n += dirty;
    }
    if (n <= 2 || sources(c, from) > MOST_SOURCES) {
        for (unsigned l = 0; l < c->width; l++)
            if (from[l])
                store_one(g, r, first + l);
        return;
    }
    LLVMValueRef v = gather_words(g, from, elem_of(from[0]->vec));
    LLVMTypeRef ov[2] = {LLVMTypeOf(v), c->ptr};
    LLVMValueRef args[4] = {v, place_of(g, r, first), cg_i32(c, 4), LLVMConstVector(bit, c->width)};
    cg_call_intrinsic(c, "llvm.masked.store", ov, 2, args, 4);
    for (unsigned l = 0; l < c->width; l++)
        if (from[l])
            from[l]->dirty = g->words->reading;
}

static void flush_region(struct cg_func *g, struct region *r) {
    const struct cg *c = g->cg;
    for (uint32_t w = 0; w < r->end;) {
        struct word *x = &r->words[w];
        if (!x->dirty) {
            w++;
        } else if (is_whole(c, r, (int64_t)w - x->lane, x->vec)) {
            w -= x->lane;
            store_whole(g, r, w);
            w += c->width;
        } else {
            store_some(g, r, w);
            w += c->width;
        }
    }
}

static void flush(struct cg_func *g) {
    flush_region(g, &g->words->fixed);
    flush_region(g, &g->words->dynamic);
}

// One word, and those stored with it.
static void flush_word(struct cg_func *g, struct region *r, uint32_t word) {
    struct word *w = &r->words[word];
    if (!w->dirty)
        return;
    if (is_whole(g->cg, r, (int64_t)word - w->lane, w->vec))
        store_whole(g, r, word - w->lane);
    else
        store_one(g, r, word);
}

static void flush_span(struct cg_func *g, const struct span *s) {
    for (unsigned l = 0; l < g->cg->width; l++)
        for (unsigned k = 0; k < s->count; k++)
            if (s->needed[l])
                flush_word(g, s->r, (uint32_t)s->first[l] + k);
}

static void mark_read(const struct cg *c, const struct span *s) {
    for (unsigned l = 0; l < c->width; l++)
        for (unsigned k = 0; k < s->count; k++)
            if (s->needed[l])
                s->r->read[s->first[l] + k] = 1;
}

static void forget_region(struct region *r) {
    for (uint32_t w = 0; w < r->end; w++)
        r->words[w] = (struct word){0};
    r->end = 0;
}

static void forget(struct cg_func *g) {
    forget_region(&g->words->fixed);
    forget_region(&g->words->dynamic);
    g->words->from = NULL;
}

void cg_flush_words(struct cg_func *g) {
    if (!on(g))
        return;
    g->words->all_read = true;
    flush(g);
}

void cg_forget_words(struct cg_func *g) {
    if (!on(g) || g->words->reading)
        return;
    g->words->all_read = true;
    flush(g);
    forget(g);
}

// ---- iterations of loops -----------------------------------------------------------------------

void cg_begin_turn_of_words(struct cg_func *g) {
    struct cg_words *w = g->words;
    if (!w)
        return;
    w->all_read = false;
    memset(w->fixed.read, 0, w->fixed.len);
    memset(w->dynamic.read, 0, w->dynamic.len);
}

static bool any_wanted(const struct region *r) {
    for (uint32_t w = 0; w < r->end; w++)
        if (r->words[w].dirty && r->read[w])
            return true;
    return false;
}

void cg_end_turn_of_words(struct cg_func *g, bool of_loop) {
    struct cg_words *w = g->words;
    if (!on(g) || w->reading)
        return;
    if (!of_loop || w->all_read || any_wanted(&w->fixed) || any_wanted(&w->dynamic))
        flush(g);
    forget(g);
}

// ---- loads and stores ---------------------------------------------------------------------

static bool may_touch_shared(const struct kir_inst *i) {
    return i->mods.space == ISA_SPACE_SHARED || i->mods.space == ISA_SPACE_GENERIC ||
           i->mods.space == ISA_SPACE_CLUSTER;
}

// Lanes whose places are known and lie close together: they are loaded as they lie, and a shuffle
// puts them in order.
static bool load_window(struct cg_func *g, const struct span *s, unsigned count, unsigned bytes,
                        LLVMTypeRef elem, LLVMValueRef *out) {
    struct cg *c = g->cg;
    int64_t lo = INT64_MAX, hi = 0, end = (int64_t)s->r->len * 4;
    unsigned n = 1, most = c->width * (bytes < 4 ? 1 : 2);
    for (unsigned l = 0; l < c->width; l++) {
        if (!s->needed[l])
            continue;
        lo = s->at[l] < lo ? s->at[l] : lo;
        hi = s->at[l] + count * bytes > hi ? s->at[l] + count * bytes : hi;
    }
    while (n < most && lo < hi && lo + n * bytes < hi)
        n *= 2;
    if (lo + n * bytes > end)
        lo = end - n * bytes;
    // Of dynamic shared memory no end is known.
    if (s->r != &g->words->fixed || lo < 0 || lo >= hi || lo + n * bytes < hi || n < 2)
        return false;
    for (unsigned l = 0; l < c->width; l++)
        if (s->needed[l] && (s->at[l] - lo) % bytes)
            return false;
    LLVMTypeRef vt = LLVMVectorType(elem, n);
    LLVMValueRef at = cg_i64(c, (uint64_t)lo), idx[32];
    LLVMValueRef p = LLVMBuildGEP2(c->b, c->i8, g->shared_base, &at, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(c->b, vt, p, "");
    LLVMSetAlignment(v, bytes);
    for (unsigned k = 0; k < count; k++) {
        for (unsigned l = 0; l < c->width; l++)
            idx[l] = s->needed[l] ? cg_i32(c, (uint64_t)(s->at[l] - lo) / bytes + k)
                                  : LLVMGetUndef(c->i32);
        out[k] =
            LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(vt), LLVMConstVector(idx, c->width), "");
        out[k] = LLVMBuildFreeze(c->b, out[k], "");
    }
    return true;
}

// The same where a few words are in memory alone, as the edges of a tile that only some blocks
// have: these are loaded one by one. A load of all would wait for what was stored just before, in
// pieces.
static bool few_unknown(const struct cg *c, const struct span *s, unsigned k) {
    struct word *from[32] = {NULL};
    unsigned known = 0, unknown = 0;
    for (unsigned l = 0; l < c->width; l++) {
        struct word *w = s->needed[l] ? &s->r->words[s->first[l] + k] : NULL;
        from[l] = w && w->vec ? w : NULL;
        known += from[l] != NULL;
        unknown += w && !w->vec;
    }
    return unknown <= MOST_LOADED && known >= c->width / 2 && sources(c, from) <= MOST_SOURCES;
}

// A word for lane l. The lanes of its vector are alike; with the one that is named here a row and
// the word beside it are neighbours in two vectors, which is one instruction.
static struct word load_word(struct cg_func *g, const struct span *s, uint32_t word, unsigned l,
                             LLVMTypeRef elem) {
    struct cg *c = g->cg;
    LLVMValueRef x = LLVMBuildLoad2(c->b, elem, place_of(g, s->r, word), "");
    LLVMSetAlignment(x, 4);
    s->r->read[word] = 1;
    unsigned last = c->width - 1, lane = l == 0 ? last : l == last ? 0 : l;
    return (struct word){.vec = cg_splat(c, x), .lane = (uint8_t)lane};
}

static LLVMValueRef gather_mixed(struct cg_func *g, const struct span *s, unsigned k,
                                 LLVMTypeRef elem) {
    struct word loaded[32], *from[32] = {NULL};
    for (unsigned l = 0; l < g->cg->width; l++) {
        uint32_t word = (uint32_t)s->first[l] + k;
        if (!s->needed[l])
            continue;
        from[l] = &s->r->words[word];
        if (from[l]->vec)
            continue;
        loaded[l] = load_word(g, s, word, l, elem);
        from[l] = &loaded[l];
    }
    return gather_words(g, from, elem);
}

static bool load_mixed(struct cg_func *g, const struct kir_inst *i, const struct span *s,
                       unsigned count, LLVMTypeRef elem, LLVMValueRef *out) {
    // Of dynamic shared memory no end is known: lanes that do not act may lie behind it.
    if (!s->whole || (!s->certain && s->r != &g->words->fixed) ||
        cg_shape(g, i->ops[0]).kind == SHAPE_UNIFORM)
        return false;
    for (unsigned k = 0; k < count; k++)
        if (!few_unknown(g->cg, s, k))
            return false;
    for (unsigned k = 0; k < count; k++)
        out[k] = gather_mixed(g, s, k, elem);
    return true;
}

bool cg_words_hold(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes) {
    struct span s;
    struct word *from[32];
    if (!may_touch_shared(i) || !on(g) || !span_of(g, i, count, bytes, &s))
        return false;
    bool known = s.whole && cg_shape(g, i->ops[0]).kind != SHAPE_UNIFORM;
    for (unsigned k = 0; k < count && known; k++)
        known = known_words(g->cg, &s, k, from);
    return known;
}

bool cg_load_words(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes,
                   LLVMTypeRef elem, LLVMValueRef *out) {
    struct span s;
    struct word *from[8][32];
    if (!may_touch_shared(i) || !g->words)
        return false;
    if (!on(g)) {
        g->words->all_read |= !is_stepped_over(g);
        return false;
    }
    if (!span_of(g, i, count, bytes, &s)) {
        g->words->all_read = true;
        flush(g);
        return false;
    }
    // One word for all lanes is a load that broadcasts.
    bool known = s.whole && cg_shape(g, i->ops[0]).kind != SHAPE_UNIFORM;
    for (unsigned k = 0; k < count && known; k++)
        known = known_words(g->cg, &s, k, from[k]);
    if (!known) {
        if (load_mixed(g, i, &s, count, elem, out))
            return true;
        mark_read(g->cg, &s);
        flush_span(g, &s);
        return cg_shape(g, i->ops[0]).kind == SHAPE_VARYING &&
               load_window(g, &s, count, bytes, elem, out);
    }
    for (unsigned k = 0; k < count; k++) {
        bool by_value = i->res[k]->type == KIR_F32 && !g->bits_seen[i->res[k]->id];
        out[k] = by_value ? gather_raw(g, from[k], elem) : gather_words(g, from[k], elem);
    }
    return true;
}

static bool any_twice(const struct cg *c, const struct span *s) {
    for (unsigned l = 0; l < c->width; l++)
        for (unsigned m = 0; m < l; m++)
            if (s->first[l] < s->first[m] + s->count && s->first[m] < s->first[l] + s->count)
                return true;
    return false;
}

// With a mask that is not known words keep what they hold in inactive lanes.
static bool blend(struct cg_func *g, const struct span *s, unsigned k, LLVMValueRef *x,
                  LLVMValueRef *raw) {
    struct word *from[32];
    if (s->certain)
        return true;
    if (!known_words(g->cg, s, k, from))
        return false;
    bool same = *raw == *x;
    for (unsigned l = 0; l < g->cg->width; l++)
        same &= !from[l] || from[l]->raw == from[l]->vec;
    *x = cg_select(g->cg, g->now.mask, *x, gather_words(g, from, elem_of(*x)));
    *raw = same ? *x : cg_select(g->cg, g->now.mask, *raw, gather_raw(g, from, elem_of(*raw)));
    return true;
}

static void forget_span(const struct cg *c, const struct span *s) {
    for (unsigned l = 0; l < c->width; l++)
        for (unsigned k = 0; k < s->count; k++)
            if (s->needed[l])
                s->r->words[s->first[l] + k] = (struct word){0};
}

static void remember(struct cg_func *g, const struct span *s, unsigned k, LLVMValueRef x,
                     LLVMValueRef raw) {
    const struct cg *c = g->cg;
    if (!g->words->from)
        cg_carry_words(g, g->block, 0);
    for (unsigned l = 0; l < c->width; l++) {
        uint32_t at = (uint32_t)s->first[l] + k;
        if (!s->needed[l])
            continue;
        s->r->words[at] = (struct word){.vec = x, .raw = raw, .lane = (uint8_t)l, .dirty = true};
        s->r->end = at + 1 > s->r->end ? at + 1 : s->r->end;
    }
}

bool cg_store_words(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes,
                    LLVMValueRef *comp, LLVMValueRef *raw) {
    struct cg *c = g->cg;
    struct span s;
    LLVMValueRef x[8], y[8];
    if (!may_touch_shared(i) || !on(g))
        return false;
    if (!span_of(g, i, count, bytes, &s)) {
        cg_forget_words(g);
        return false;
    }
    bool all = s.whole && (s.certain || !any_twice(c, &s));
    for (unsigned k = 0; k < count && all; k++) {
        bool vec = LLVMGetTypeKind(LLVMTypeOf(comp[k])) == LLVMVectorTypeKind;
        x[k] = vec ? comp[k] : cg_splat(c, comp[k]);
        y[k] = raw[k] == comp[k] ? x[k] : vec ? raw[k] : cg_splat(c, raw[k]);
        all = blend(g, &s, k, &x[k], &y[k]);
    }
    if (!all) { // what is not stored stays as it is
        mark_read(c, &s);
        flush_span(g, &s);
        forget_span(c, &s);
        return false;
    }
    for (unsigned k = 0; k < count; k++)
        remember(g, &s, k, x[k], y[k]);
    return true;
}

// ---- blocks that may run ------------------------------------------------------------------

// Has v been computed, for the group or as what is a constant away from the first group's?
static bool is_made(struct cg_func *g, const struct kir_value *v) {
    uint32_t first = g->fl->affine[v->id] ? g->groups[0].vals[v->id].epoch : 0;
    return cg_at_hand(g, v) || first == CG_PERMANENT || (first && first == g->epoch);
}

// Which words i may access in the current group, before its block is emitted; false: not known.
static bool span_ahead(struct cg_func *g, struct kir_inst *i, struct span *s) {
    unsigned bytes = isa_type_bits(i->ty) / 8, count = i->mods.vec ? i->mods.vec : 1;
    if (i->mods.space != ISA_SPACE_SHARED || i->mods.sem != ISA_SEM_WEAK || !bytes ||
        !is_made(g, i->ops[0]))
        return false;
    *s = (struct span){.count = (count * bytes + 3) / 4};
    s->r = addresses(g, i, s->at);
    for (unsigned l = 0; s->r && l < g->cg->width; l++) {
        s->needed[l] = true;
        s->first[l] = s->at[l] / 4;
        if (s->at[l] < 0 || s->first[l] + s->count > s->r->len ||
            s->at[l] % 4 + (int64_t)count * bytes > s->count * 4)
            return false;
    }
    return s->r != NULL;
}

static bool step_over(struct cg_func *g, struct kir_inst *i, bool now) {
    struct span s;
    if (!span_ahead(g, i, &s))
        return false;
    if (!now)
        return true;
    mark_read(g->cg, &s);
    flush_span(g, &s);
    if (i->op == ISA_OP_ST)
        forget_span(g->cg, &s);
    return true;
}

bool cg_step_over_words(struct cg_func *g, struct kir_block *x, bool now) {
    bool known = on(g) && !g->words->reading;
    for (struct kir_inst *i = x->first; i && known; i = i->next) {
        bool access = i->op == ISA_OP_LD || i->op == ISA_OP_ST;
        for (unsigned t = 0; access && may_touch_shared(i) && t < g->cg->team && known; t++) {
            cg_turn_to(g, t);
            known = step_over(g, i, now);
        }
    }
    cg_turn_to(g, 0);
    return known;
}

// Loads and stores ask cg_words.c themselves.
bool cg_touches_shared(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_MEMORY:
        return i->op != ISA_OP_LD && i->op != ISA_OP_LDU && i->op != ISA_OP_ST &&
               i->mods.space != ISA_SPACE_GLOBAL;
    case ISA_CLASS_ASYNC:
        return true;
    case ISA_CLASS_WARP:
        return i->op != ISA_OP_SHFL && i->op != ISA_OP_VOTE && i->op != ISA_OP_BAR_WARP_SYNC;
    case ISA_CLASS_CONTROL:
        return i->op == ISA_OP_CALL;
    default:
        return false;
    }
}
