// Additions to words of global memory, as histograms make them: a locked instruction a lane costs
// as much as twenty others, and more when other workers add to the same words. For each array that
// it adds to, a run of blocks keeps sums of its own for a window of memory around the words that it
// adds to first, and adds them at its end, or before an access that touches the window.
//
// Only in kernels that wait for nothing and order nothing with other blocks: there nobody can tell
// when a relaxed addition takes place.
#include "codegen/cg.h"

enum {
    WINDOW = 8192,    // bytes
    BEFORE = 4096,    // where the first word lies in it
    MOST_WINDOWS = 2, // of an array in a run; then additions are made one by one
    MOST_ARRAYS = 4,
    MOST_SITES = 32, // additions in the code; others are made one by one
    STEP = 16,       // words that are looked at together
    MOST_OTHERS = 16 // accesses for each addition: before each a window is compared with it
};

struct array {
    const struct kir_value *base; // NULL: not known
    LLVMValueRef sums;            // the window's
    LLVMValueRef window, size;    // i64 variables: where it lies, its bytes; size 0: none yet
    LLVMValueRef left;            // i32 variable: windows that may still be opened
    // Of the only addition, when all that it adds to follows from one base and an index, i32
    // variables, made when a window is opened: see bounds_of.
    const struct kir_inst *only;
    LLVMValueRef first, words;
};

struct cg_bins {
    struct array arrays[MOST_ARRAYS];
    unsigned n;
    struct site {
        const struct kir_inst *i;
        struct array *array;
    } sites[MOST_SITES];
    unsigned nsites;
};

static bool is_addition(const struct kir_inst *i) {
    bool atomic = i->op == ISA_OP_RED || i->op == ISA_OP_ATOM;
    return atomic && i->mods.atom == ISA_ATOM_ADD && !i->mods.vec &&
           i->mods.space == ISA_SPACE_GLOBAL && isa_type_bits(i->ty) == 32 &&
           !isa_type_is_float(i->ty) && i->ty != ISA_F16X2 && i->ty != ISA_BF16X2 &&
           (i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED) &&
           i->mods.scope != ISA_SCOPE_SYS && !(i->nres && kir_is_used(i->block->func, i->res[0]));
}

static bool is_elsewhere(const struct kir_inst *i) {
    return i->mods.space == ISA_SPACE_SHARED || i->mods.space == ISA_SPACE_LOCAL ||
           i->mods.space == ISA_SPACE_PARAM || i->mods.space == ISA_SPACE_CONST;
}

// Is i something before which sums can be told apart from what they are added to, by its address?
static bool allows(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_MEMORY:
        return is_elsewhere(i) || is_addition(i) ||
               ((i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK &&
                (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC));
    case ISA_CLASS_FENCE:
    case ISA_CLASS_ASYNC:
        return false;
    case ISA_CLASS_CONTROL:
        return i->op != ISA_OP_CALL;
    default:
        return true;
    }
}

static bool is_gathered(const struct flow *fl, const struct kir_inst *i) {
    return is_addition(i) && fl->shape[i->ops[0]->id].kind == SHAPE_VARYING;
}

bool cg_gathers_additions(const struct cg *c, const struct flow *fl) {
    bool in_loop = false, others_loop = false;
    unsigned additions = 0, others = 0;
    if (c->mode != KD_MODE_BLOCK || c->splits || c->width == 1)
        return false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            bool loop = fl->cfg->loop[i->block->id];
            if (!allows(i))
                return false;
            if (is_gathered(fl, i)) {
                in_loop |= loop;
                additions++;
            } else if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY && !is_elsewhere(i)) {
                others_loop |= loop;
                others++;
            }
        }
    return in_loop || (additions && !others_loop && others <= additions * MOST_OTHERS);
}

static LLVMValueRef variable(struct cg *c, LLVMTypeRef t, uint64_t value, const char *name) {
    LLVMValueRef v = LLVMBuildAlloca(c->b, t, name);
    LLVMBuildStore(c->b, LLVMConstInt(t, value, 0), v);
    return v;
}

static const struct kir_value *behind_conversions(const struct kir_value *v) {
    while (v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_CVTA)
        v = v->def->ops[0];
    return v;
}

bool cg_is_of_run(const struct cg_func *g, const struct kir_value *v) {
    v = behind_conversions(v);
    if (v->kind != KIR_VALUE_INST)
        return false;
    if (v->def->op == ISA_OP_LD)
        return v->def->mods.space == ISA_SPACE_PARAM && g->f->is_kernel &&
               v->def->ops[0]->kind == KIR_VALUE_INST && v->def->ops[0]->def->op == ISA_OP_SYMADDR;
    return v->def->op == ISA_OP_SYMADDR && v->def->sym->space == ISA_SPACE_GLOBAL;
}

// The array that i adds to, by the uniform one of two numbers that make its address; NULL: unknown.
static const struct kir_value *base_of(const struct cg_func *g, const struct kir_inst *i) {
    const struct kir_value *v = i->ops[0];
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD)
        return NULL;
    const struct kir_value *x = v->def->ops[0], *y = v->def->ops[1];
    bool first = cg_is_of_run(g, x), second = cg_is_of_run(g, y);
    if (first == second || g->fl->shape[(first ? y : x)->id].kind != SHAPE_VARYING)
        return NULL;
    return behind_conversions(first ? x : y);
}

static bool are_one_array(const struct kir_value *x, const struct kir_value *y) {
    if (x == y)
        return true;
    if (!x || !y || x->def->op != y->def->op)
        return false;
    if (x->def->op == ISA_OP_SYMADDR)
        return x->def->sym == y->def->sym;
    return x->def->offset == y->def->offset && x->def->ops[0]->def->sym == y->def->ops[0]->def->sym;
}

// Can a thread come from one to the other? In two versions of code it cannot.
static bool are_on_one_way(const struct cfg *c, const struct kir_block *x,
                           const struct kir_block *y) {
    return cfg_dominates(c, x, y) || cfg_dominates(c, y, x) ||
           cfg_common_loop(c->loop[x->id], c->loop[y->id]);
}

static struct array *array_for(const struct cg_func *g, const struct kir_inst *i) {
    struct cg_bins *b = g->bins;
    const struct kir_value *base = base_of(g, i);
    for (unsigned n = 0; n < b->nsites; n++) {
        struct array *a = b->sites[n].array;
        if (are_one_array(a->base, base) &&
            are_on_one_way(g->fl->cfg, b->sites[n].i->block, i->block)) {
            a->only = NULL;
            return a;
        }
    }
    if (b->n == MOST_ARRAYS)
        return NULL;
    b->arrays[b->n] = (struct array){.base = base, .only = i};
    return &b->arrays[b->n++];
}

static const struct array *array_of(const struct cg_func *g, const struct kir_inst *i) {
    for (unsigned n = 0; g->bins && n < g->bins->nsites; n++)
        if (g->bins->sites[n].i == i)
            return g->bins->sites[n].array;
    return NULL;
}

void cg_make_bins(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->f->is_kernel || !cg_gathers_additions(c, g->fl))
        return;
    struct cg_bins *b = g->bins = arena_new(c->arena, struct cg_bins);
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next) {
            if (!is_gathered(g->fl, i) || b->nsites == MOST_SITES)
                continue;
            struct array *a = array_for(g, i);
            if (a)
                b->sites[b->nsites++] = (struct site){i, a};
        }
    for (unsigned n = 0; n < b->n; n++) {
        struct array *a = &b->arrays[n];
        a->sums = LLVMBuildAlloca(c->b, LLVMArrayType2(c->i32, WINDOW / 4), "sums");
        LLVMSetAlignment(a->sums, 64);
        a->window = variable(c, c->i64, 0, "window");
        a->size = variable(c, c->i64, 0, "window.size");
        a->left = variable(c, c->i32, MOST_WINDOWS, "windows.left");
        a->first = variable(c, c->i32, 0, "window.first");
        a->words = variable(c, c->i32, 0, "window.words");
    }
}

static LLVMBasicBlockRef block_in(struct cg *c, LLVMValueRef f, const char *name) {
    return LLVMAppendBasicBlockInContext(c->ctx, f, name);
}

static LLVMValueRef at_byte(struct cg *c, LLVMValueRef p, LLVMValueRef at) {
    return LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
}

// A loop whose i64 counter runs from 0 to `end`, by `step`. The builder stands in its body after
// the first, behind it after the second.
struct count {
    LLVMBasicBlockRef head, done;
    LLVMValueRef at;
};

static struct count begin_count(struct cg *c, LLVMValueRef f) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b);
    struct count n = {.head = block_in(c, f, "count"), .done = block_in(c, f, "counted")};
    LLVMValueRef zero = cg_i64(c, 0);
    LLVMBuildBr(c->b, n.head);
    LLVMPositionBuilderAtEnd(c->b, n.head);
    n.at = LLVMBuildPhi(c->b, c->i64, "");
    LLVMAddIncoming(n.at, &zero, &from, 1);
    return n;
}

static void end_count(struct cg *c, struct count *n, unsigned step, unsigned end) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMValueRef next = LLVMBuildAdd(c->b, n->at, cg_i64(c, step), "");
    LLVMAddIncoming(n->at, &next, &here, 1);
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntULT, next, cg_i64(c, end), "");
    LLVMBuildCondBr(c->b, more, n->head, n->done);
    LLVMPositionBuilderAtEnd(c->b, n->done);
}

static void add_sums(struct cg *c, LLVMValueRef f, LLVMValueRef sums, LLVMValueRef base) {
    struct count n = begin_count(c, f);
    LLVMBasicBlockRef add = block_in(c, f, "add"), next = block_in(c, f, "next");
    LLVMValueRef p = at_byte(c, sums, n.at);
    LLVMValueRef x = LLVMBuildLoad2(c->b, c->i32, p, "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, x, cg_i32(c, 0), ""), add, next);
    LLVMPositionBuilderAtEnd(c->b, add);
    LLVMValueRef to = LLVMBuildIntToPtr(c->b, LLVMBuildAdd(c->b, base, n.at, ""), c->ptr, "");
    LLVMSetAlignment(
        LLVMBuildAtomicRMW(c->b, LLVMAtomicRMWBinOpAdd, to, x, LLVMAtomicOrderingMonotonic, 0), 4);
    LLVMBuildBr(c->b, next);
    LLVMPositionBuilderAtEnd(c->b, next);
    end_count(c, &n, 4, STEP * 4);
}

// flush(sums, base): adds the sums to what they are for, and makes them 0.
static void call_flush(struct cg_func *g, const struct array *a) {
    struct cg *c = g->cg;
    LLVMTypeRef params[2] = {c->ptr, c->i64};
    LLVMTypeRef t = LLVMFunctionType(c->void_t, params, 2, 0);
    struct cg_own own = cg_own_function(c, "kd_add_bins", t, CG_ANY_EFFECT);
    if (own.from) {
        LLVMValueRef sums = LLVMGetParam(own.f, 0), base = LLVMGetParam(own.f, 1);
        LLVMTypeRef vt = LLVMVectorType(c->i32, STEP);
        struct count n = begin_count(c, own.f);
        LLVMBasicBlockRef some = block_in(c, own.f, "some"), next = block_in(c, own.f, "next");
        LLVMValueRef p = at_byte(c, sums, n.at);
        LLVMValueRef x = LLVMBuildLoad2(c->b, vt, p, "");
        LLVMSetAlignment(x, 64);
        x = cg_call_intrinsic(c, "llvm.vector.reduce.or", &vt, 1, &x, 1);
        LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, x, cg_i32(c, 0), ""), some, next);
        LLVMPositionBuilderAtEnd(c->b, some);
        add_sums(c, own.f, p, LLVMBuildAdd(c->b, base, n.at, ""));
        LLVMSetAlignment(LLVMBuildStore(c->b, LLVMConstNull(vt), p), 64);
        LLVMBuildBr(c->b, next);
        LLVMPositionBuilderAtEnd(c->b, next);
        end_count(c, &n, STEP * 4, WINDOW);
        LLVMBuildRetVoid(c->b);
        cg_end_own(c, &own);
    }
    LLVMValueRef args[2] = {a->sums, LLVMBuildLoad2(c->b, c->i64, a->window, "")};
    cg_call_own(c, t, own.f, args, 2);
}

static LLVMValueRef size_now(struct cg_func *g, const struct array *a) {
    return LLVMBuildLoad2(g->cg->b, g->cg->i64, a->size, "");
}

static void flush_if(struct cg_func *g, const struct array *a, LLVMValueRef cond) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef yes = cg_new_block(g, "add.bins"), done = cg_new_block(g, "bins.added");
    LLVMBuildCondBr(c->b, cond, yes, done);
    LLVMPositionBuilderAtEnd(c->b, yes);
    call_flush(g, a);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

void cg_close_bins(struct cg_func *g) {
    for (unsigned n = 0; g->bins && n < g->bins->n; n++) {
        const struct array *a = &g->bins->arrays[n];
        flush_if(g, a, LLVMBuildICmp(g->cg->b, LLVMIntNE, size_now(g, a), cg_i64(g->cg, 0), ""));
    }
}

// ---- other accesses -----------------------------------------------------------------------

// Do the bytes from p on, `bytes` of them, touch the window? p is a scalar or a vector.
static LLVMValueRef touches(struct cg_func *g, const struct array *a, LLVMValueRef p,
                            uint64_t bytes) {
    struct cg *c = g->cg;
    bool vec = LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMVectorTypeKind;
    LLVMValueRef window = LLVMBuildLoad2(c->b, c->i64, a->window, "");
    LLVMValueRef more = cg_i64(c, bytes - 1), from = LLVMBuildSub(c->b, window, more, "");
    LLVMValueRef size = LLVMBuildAdd(c->b, size_now(g, a), more, "");
    p = LLVMBuildSub(c->b, p, vec ? cg_splat(c, from) : from, "");
    LLVMValueRef hit = LLVMBuildICmp(c->b, LLVMIntULT, p, vec ? cg_splat(c, size) : size, "");
    return vec ? cg_any(g, hit) : hit;
}

void cg_settle_bins(struct cg_func *g, struct kir_inst *i, unsigned bytes) {
    struct cg *c = g->cg;
    if (!g->bins || is_elsewhere(i))
        return;
    struct kir_value *v = i->ops[0];
    struct shape s = cg_shape(g, v);
    int64_t lo = 0, hi = 0;
    bool scalar = (s.kind == SHAPE_UNIFORM || s.kind == SHAPE_OFFSETS) && !cg_guard(g, v);
    for (unsigned l = 0; scalar && s.offs && l < c->width; l++) {
        lo = s.offs[l] < lo ? s.offs[l] : lo;
        hi = s.offs[l] > hi ? s.offs[l] : hi;
    }
    LLVMValueRef p = scalar ? cg_scalar(g, v) : cg_vec(g, v);
    LLVMValueRef off = LLVMConstInt(c->i64, (unsigned long long)(i->offset + lo), 1);
    p = LLVMBuildAdd(c->b, p, scalar ? off : cg_splat(c, off), "");
    for (unsigned n = 0; n < g->bins->n; n++) {
        const struct array *a = &g->bins->arrays[n];
        flush_if(g, a, touches(g, a, p, (uint64_t)(hi - lo) + bytes));
    }
}

// ---- additions ----------------------------------------------------------------------------

// Opens a window around p.
static void open_window(struct cg_func *g, const struct array *a, LLVMValueRef p) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef fresh = cg_new_block(g, "fresh");
    LLVMValueRef left = LLVMBuildLoad2(c->b, c->i32, a->left, "");
    LLVMBuildStore(c->b, LLVMBuildSub(c->b, left, cg_i32(c, 1), ""), a->left);
    LLVMValueRef first = LLVMBuildICmp(c->b, LLVMIntEQ, left, cg_i32(c, MOST_WINDOWS), "");
    LLVMBasicBlockRef next = cg_new_block(g, "next.window"), old = cg_new_block(g, "old.window");
    LLVMBuildCondBr(c->b, first, fresh, old);
    LLVMPositionBuilderAtEnd(c->b, fresh);
    LLVMBuildMemSet(c->b, a->sums, LLVMConstInt(c->i8, 0, 0), cg_i64(c, WINDOW), 64);
    LLVMBuildBr(c->b, next);
    LLVMPositionBuilderAtEnd(c->b, old);
    call_flush(g, a);
    LLVMBuildBr(c->b, next);
    LLVMPositionBuilderAtEnd(c->b, next);
    p = LLVMBuildSub(c->b, p, cg_i64(c, BEFORE), "");
    p = LLVMBuildAnd(c->b, p, cg_i64(c, ~(uint64_t)63), "");
    LLVMBuildStore(c->b, p, a->window);
    LLVMBuildStore(c->b, cg_i64(c, WINDOW), a->size);
}

// Where the lanes' words lie: index[lane] words behind a base, or at any addresses (`pointers`).
struct words {
    LLVMValueRef pointers;         // a vector of i64
    LLVMValueRef base;             // i64
    LLVMValueRef index;            // a vector of i32; NULL: not known
    bool index_signed, base_stays; // ... the same wherever the kernel adds
};

static struct words words_at(struct cg_func *g, const struct kir_inst *i,
                             const struct cg_places *at) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_pointers(g, at);
    struct words w = {.pointers = LLVMBuildPtrToInt(c->b, p, cg_vec_of(c, c->i64), "")};
    if (!at->index || at->scale != 4)
        return w;
    w.base = LLVMBuildPtrToInt(c->b, at->base, c->i64, "");
    w.index = at->index;
    w.index_signed = at->index_signed;
    w.base_stays = base_of(g, i);
    return w;
}

static LLVMValueRef outside_bits(struct cg_func *g, LLVMValueRef out) {
    return cg_mask_bits(g, LLVMBuildAnd(g->cg->b, out, cg_mask(g), ""));
}

// How far behind the window's first byte the base lies, an i64.
static LLVMValueRef behind_window(struct cg_func *g, const struct array *a, const struct words *w) {
    struct cg *c = g->cg;
    return LLVMBuildSub(c->b, w->base, LLVMBuildLoad2(c->b, c->i64, a->window, ""), "");
}

// A lane's word lies in the window when index - first < words, as unsigned numbers of 32 bits. The
// window begins `first` words behind the base. That does not wrap while first is near 0 and, for an
// unsigned index, not below it: there index < words in the window + first does the same.
static void bounds_of(struct cg_func *g, const struct array *a, const struct words *w,
                      LLVMValueRef *first, LLVMValueRef *words) {
    enum { NEAR = 1 << 30 };
    struct cg *c = g->cg;
    LLVMValueRef behind = behind_window(g, a, w), zero = cg_i64(c, 0);
    *first = LLVMBuildNeg(c->b, LLVMBuildAShr(c->b, behind, cg_i64(c, 2), ""), "");
    *words = LLVMBuildLShr(c->b, size_now(g, a), cg_i64(c, 2), "");
    LLVMValueRef near = LLVMBuildAdd(c->b, *first, cg_i64(c, NEAR), "");
    near = LLVMBuildICmp(c->b, LLVMIntULT, near, cg_i64(c, 2ULL * NEAR), "");
    LLVMValueRef odd = LLVMBuildAnd(c->b, behind, cg_i64(c, 3), "");
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

// Without a window no word lies in it: both are 0 until one is opened.
static bool keeps_bounds(const struct array *a, const struct words *w) {
    return w->index && w->base_stays && a->only;
}

static void keep_bounds(struct cg_func *g, const struct array *a, const struct words *w) {
    struct cg *c = g->cg;
    LLVMValueRef first, words;
    if (!keeps_bounds(a, w))
        return;
    bounds_of(g, a, w, &first, &words);
    LLVMBuildStore(c->b, first, a->first);
    LLVMBuildStore(c->b, words, a->words);
}

static void bounds(struct cg_func *g, const struct array *a, const struct words *w,
                   LLVMValueRef *first, LLVMValueRef *words) {
    struct cg *c = g->cg;
    if (!keeps_bounds(a, w)) {
        bounds_of(g, a, w, first, words);
        return;
    }
    *first = LLVMBuildLoad2(c->b, c->i32, a->first, "");
    *words = LLVMBuildLoad2(c->b, c->i32, a->words, "");
}

static LLVMValueRef outside_by_index(struct cg_func *g, const struct array *a,
                                     const struct words *w) {
    struct cg *c = g->cg;
    LLVMValueRef first, words;
    bounds(g, a, w, &first, &words);
    LLVMValueRef at = LLVMBuildSub(c->b, w->index, cg_splat(c, first), "");
    return outside_bits(g, LLVMBuildICmp(c->b, LLVMIntUGE, at, cg_splat(c, words), ""));
}

// The lanes' places in the window, when they lie in it.
static LLVMValueRef in_window(struct cg_func *g, const struct array *a, const struct words *w) {
    struct cg *c = g->cg;
    LLVMValueRef base = LLVMBuildLoad2(c->b, c->i64, a->window, "");
    return LLVMBuildSub(c->b, w->pointers, cg_splat(c, base), "");
}

// The active lanes whose words do not lie in the window, as bits.
static LLVMValueRef outside(struct cg_func *g, const struct array *a, const struct words *w) {
    struct cg *c = g->cg;
    if (w->index)
        return outside_by_index(g, a, w);
    LLVMValueRef size = cg_splat(c, size_now(g, a));
    return outside_bits(g, LLVMBuildICmp(c->b, LLVMIntUGE, in_window(g, a, w), size, ""));
}

static LLVMValueRef is_zero(struct cg *c, LLVMValueRef bits) {
    return LLVMBuildICmp(c->b, LLVMIntEQ, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

// Where each lane's sum lies: place[lane] * 4 behind `*from`, by index. Lanes that do not act take
// the first word that can be reached, and when there is none, as may be when no lane acts, any.
static LLVMValueRef sums_by_index(struct cg_func *g, const struct array *a, const struct words *w,
                                  LLVMValueRef *from) {
    struct cg *c = g->cg;
    LLVMValueRef sums = a->sums, first, words;
    *from = at_byte(c, sums, behind_window(g, a, w));
    if (!g->now.mask)
        return w->index;
    bounds(g, a, w, &first, &words);
    LLVMValueRef any = LLVMBuildICmp(c->b, LLVMIntNE, words, cg_i32(c, 0), "");
    *from = LLVMBuildSelect(c->b, any, *from, sums, "");
    first = LLVMBuildSelect(c->b, any, first, cg_i32(c, 0), "");
    return cg_select(c, g->now.mask, w->index, cg_splat(c, first));
}

// The same with a scale of 1.
static LLVMValueRef sums_by_pointer(struct cg_func *g, const struct array *a,
                                    const struct words *w) {
    struct cg *c = g->cg;
    LLVMTypeRef v32 = cg_vec_of(c, c->i32);
    LLVMValueRef at = LLVMBuildTrunc(c->b, in_window(g, a, w), v32, "");
    return g->now.mask ? cg_select(c, g->now.mask, at, LLVMConstNull(v32)) : at;
}

static void add_lanes(struct cg_func *g, const struct array *a, const struct words *w,
                      LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef from = a->sums;
    LLVMValueRef at = w->index ? sums_by_index(g, a, w, &from) : sums_by_pointer(g, a, w);
    LLVMValueRef scale = cg_i64(c, w->index ? 4 : 1);
    if (g->now.mask)
        x = cg_select(c, g->now.mask, x, LLVMConstNull(LLVMTypeOf(x)));
    struct cg_spread places = cg_take_apart(g, at, 0), values = cg_take_apart(g, x, 1);
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef k = cg_spread_lane(g, &places, l);
        // An index in the window is near 0, and may be below.
        k = w->index ? LLVMBuildSExt(c->b, k, c->i64, "") : LLVMBuildZExt(c->b, k, c->i64, "");
        LLVMValueRef p = at_byte(c, from, LLVMBuildMul(c->b, k, scale, ""));
        LLVMValueRef sum = LLVMBuildLoad2(c->b, c->i32, p, "");
        LLVMBuildStore(c->b, LLVMBuildAdd(c->b, sum, cg_spread_lane(g, &values, l), ""), p);
    }
}

struct cg_binned cg_begin_binned(struct cg_func *g, struct kir_inst *i, const struct cg_places *at,
                                 LLVMValueRef x) {
    struct cg *c = g->cg;
    struct cg_binned n = {0};
    const struct array *a = array_of(g, i);
    if (!a)
        return n;
    struct words w = words_at(g, i, at);
    LLVMValueRef out;
    LLVMBasicBlockRef all = cg_new_block(g, "binned"), move = cg_new_block(g, "outside"),
                      open = cg_new_block(g, "open"), each = cg_new_block(g, "one.by.one");
    n.done = cg_new_block(g, "added");
    out = outside(g, a, &w);
    LLVMBuildCondBr(c->b, is_zero(c, out), all, move);
    LLVMPositionBuilderAtEnd(c->b, move);
    LLVMValueRef left = LLVMBuildLoad2(c->b, c->i32, a->left, "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, left, cg_i32(c, 0), ""), open, each);
    LLVMPositionBuilderAtEnd(c->b, open);
    LLVMTypeRef t = LLVMTypeOf(out);
    LLVMValueRef args[2] = {out, LLVMConstInt(c->i1, 1, 0)};
    LLVMValueRef lane = cg_call_intrinsic(c, "llvm.cttz", &t, 1, args, 2);
    open_window(g, a, cg_extract(g, w.pointers, lane));
    keep_bounds(g, a, &w);
    out = outside(g, a, &w);
    LLVMBuildCondBr(c->b, is_zero(c, out), all, each);
    LLVMPositionBuilderAtEnd(c->b, all);
    add_lanes(g, a, &w, x);
    LLVMBuildBr(c->b, n.done);
    LLVMPositionBuilderAtEnd(c->b, each);
    return n;
}

void cg_end_binned(struct cg_func *g, const struct cg_binned *n) {
    if (!n->done)
        return;
    LLVMBuildBr(g->cg->b, n->done);
    LLVMPositionBuilderAtEnd(g->cg->b, n->done);
}
