// What threads append to a list in global memory: an addition of 1 to a counter, whose old value
// only says where they store (`list[atomicAdd(count, 1)] = x`). A locked instruction on a word that
// all workers add to takes as long as a hundred others. A run of blocks keeps what it appends, and
// in the end takes places for all of it by one addition, or before an access that may touch the
// list or the counter.
//
// Only in kernels that wait for nothing and order nothing with other blocks: there nobody can tell
// when a relaxed addition, or a store, takes place. Threads of the block itself can: each of their
// accesses is compared with the counter and with the allocations that the lists lie in.
#include "codegen/update/cg_append.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_compress.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_red_site.h"
#include "codegen/update/cg_reds.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/memory.h"
#include "isa/ops/warp.h"

enum {
    MOST_VALUES = 4,         // of one thread
    MOST_BYTES = 8192,       // of all that is kept
    MOST_RECORDS = 1024,     // threads
    MOST_SITES = 16,         // such additions in a kernel
    STEP = 16,               // elements that are moved together
    NOT_OPEN = INT32_MIN / 2 // the limit before the first record: less than any number of records
};

// Where a store goes: base + index * scale + offset, the index extended to 64 bits.
struct target {
    const struct kir_value *base;
    uint64_t scale;
    bool is_signed;
    struct kir_inst *store;
};

struct site {
    const struct kir_inst *atom;
    struct target to[MOST_VALUES]; // stores in their order
    unsigned n, values;            // stores; what they store, components of vectors each by itself
};

struct cg_appends {
    struct site sites[MOST_SITES]; // all add to one counter and store alike
    unsigned n, records;
    LLVMValueRef kept[MOST_VALUES]; // arrays
    LLVMValueRef count, limit;      // i32 variables: records; more than so many are too many
    LLVMValueRef from[MOST_VALUES]; // by store, i64 variables: the allocation of its list
    LLVMValueRef size[MOST_VALUES]; // ... 0: not known yet
    LLVMValueRef slot[CG_MAX_TEAM]; // i32: where the group's records begin
    LLVMValueRef found;             // two i64: an allocation
};

// ---- which additions ----------------------------------------------------------------------

static bool is_elsewhere(const struct kir_inst *i) {
    return i->mods.space == ISA_SPACE_SHARED || i->mods.space == ISA_SPACE_LOCAL ||
           i->mods.space == ISA_SPACE_PARAM || i->mods.space == ISA_SPACE_CONST;
}

static bool is_relaxed_atomic(const struct kir_inst *i) {
    return (i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) && i->mods.scope != ISA_SCOPE_SYS &&
           (i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED);
}

static bool is_plain(const struct kir_inst *i) {
    return (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK;
}

// Is i something before which what was appended can be told apart, by its address?
static bool allows(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
    case ISA_CLASS_BLOCK:
        return true;
    case ISA_CLASS_MEMORY:
        return is_plain(i) || is_relaxed_atomic(i) || i->op == ISA_OP_PREFETCH ||
               (i->op == ISA_OP_LD && is_elsewhere(i));
    case ISA_CLASS_WARP:
        return i->op == ISA_OP_SHFL || i->op == ISA_OP_VOTE || i->op == ISA_OP_MATCH ||
               i->op == ISA_OP_REDUX || i->op == ISA_OP_ACTIVEMASK || i->op == ISA_OP_ELECT ||
               i->op == ISA_OP_BAR_WARP_SYNC;
    case ISA_CLASS_CONTROL:
        return i->op != ISA_OP_CALL;
    default:
        return false;
    }
}

static bool uses(const struct kir_inst *i, const struct kir_value *v, uint32_t from) {
    for (uint32_t k = from; k < i->nops; k++)
        if (i->ops[k] == v)
            return true;
    return false;
}

// Two parameters, or addresses of variables, that are the same one.
static bool is_same(const struct kir_value *x, const struct kir_value *y) {
    while (x != y) {
        if (x->kind != KIR_VALUE_INST || y->kind != KIR_VALUE_INST)
            return false;
        const struct kir_inst *i = x->def, *j = y->def;
        if (i->op != j->op || i->ty != j->ty || i->offset != j->offset || i->flag != j->flag)
            return false;
        if (i->op == ISA_OP_SYMADDR)
            return i->sym == j->sym;
        if (i->nops != 1 || i->nres != 1)
            return false;
        x = i->ops[0];
        y = j->ops[0];
    }
    return true;
}

static bool is_counter(struct cg_func *g, const struct kir_inst *i) {
    uint64_t one;
    unsigned bits = isa_type_bits(i->ty);
    return i->op == ISA_OP_ATOM && is_relaxed_atomic(i) && i->mods.atom == ISA_ATOM_ADD &&
           !i->mods.vec && i->mods.space == ISA_SPACE_GLOBAL && (bits == 32 || bits == 64) &&
           !isa_type_is_float(i->ty) && i->ty != ISA_F16X2 && i->ty != ISA_BF16X2 && i->nres == 1 &&
           flow_const(i->ops[1], &one) && one == 1 && cg_is_of_run(g, i->ops[0]) &&
           cg_is_aligned(g, i);
}

// Does i multiply the index v (of 32 bits, or of 64 when it has been extended)?
static bool scales(const struct kir_inst *i, const struct kir_value *v, struct target *t) {
    uint64_t by;
    if (i->nres != 1 || i->nops < 2 || i->ops[0] != v || !flow_const(i->ops[1], &by))
        return false;
    bool wide = i->mods.half == ISA_WIDE && isa_type_bits(i->ty) == 32;
    bool narrow = kir_type_bits(v->type) == 32;
    if (i->op == ISA_OP_MUL && wide && narrow) {
        t->is_signed = isa_type_is_signed(i->ty);
        t->scale = by;
        return true;
    }
    if (narrow || isa_type_bits(i->ty) != 64)
        return false;
    if (i->op == ISA_OP_SHL && by < 8)
        t->scale = 1ULL << by;
    else if (i->op == ISA_OP_MUL && i->mods.half == ISA_LO)
        t->scale = by;
    else
        return false;
    return true;
}

static bool extends(const struct kir_inst *i, const struct kir_value *v, struct target *t) {
    if (i->op != ISA_OP_CVT || i->nres != 1 || i->ops[0] != v || isa_type_bits(i->ty) != 64 ||
        isa_type_bits(i->ty2) != 32 || isa_type_is_float(i->ty) || isa_type_is_float(i->ty2))
        return false;
    t->is_signed = isa_type_is_signed(i->ty2);
    return true;
}

// The values that follow from an index, up to the addresses of stores.
struct chain {
    struct cg_func *g;
    struct site *site;
    const struct kir_block *block;
    bool ok;
};

static void follow(struct chain *c, const struct kir_value *v, struct target t);

static void end_of_chain(struct chain *c, struct kir_inst *i, const struct kir_value *v,
                         struct target t) {
    struct site *s = c->site;
    unsigned bytes = isa_type_bits(i->ty) / 8, parts = i->mods.vec ? i->mods.vec : 1;
    c->ok = i->op == ISA_OP_ST && is_plain(i) && i->mods.space == ISA_SPACE_GLOBAL && t.base &&
            !uses(i, v, 1) && s->n < MOST_VALUES && s->values + parts <= MOST_VALUES &&
            (bytes == 4 || bytes == 8) && t.scale && t.scale % bytes == 0 && t.scale < 1 << 16 &&
            cg_is_aligned(c->g, i);
    if (!c->ok)
        return;
    t.store = i;
    s->to[s->n++] = t;
    s->values += parts;
}

// One use of v, which is the index, an index times a scale, or an address.
static void follow_use(struct chain *c, struct kir_inst *i, const struct kir_value *v,
                       struct target t) {
    bool scaled = t.scale != 0;
    if (i->block != c->block || t.base) {
        c->ok = i->block == c->block;
        if (c->ok)
            end_of_chain(c, i, v, t);
        return;
    }
    if (!scaled && (extends(i, v, &t) || scales(i, v, &t))) {
        follow(c, i->res[0], t);
        return;
    }
    c->ok = i->op == ISA_OP_ADD && isa_type_bits(i->ty) == 64 && i->nops == 2 && i->nres == 1 &&
            scaled && i->ops[0] != i->ops[1];
    if (!c->ok)
        return;
    t.base = i->ops[0] == v ? i->ops[1] : i->ops[0];
    c->ok = cg_is_of_run(c->g, t.base);
    if (c->ok)
        follow(c, i->res[0], t);
}

static void follow(struct chain *c, const struct kir_value *v, struct target t) {
    const struct kir_func *f = c->g->f;
    for (uint32_t b = 0; b < f->blocks.len && c->ok; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i && c->ok; i = i->next)
            if (uses(i, v, 0))
                follow_use(c, i, v, t);
}

// Between the addition and its last store nothing else happens. Puts the stores into their order.
static bool is_together(struct site *s) {
    unsigned n = 0;
    for (struct kir_inst *i = s->atom->next; i && n < s->n; i = i->next) {
        unsigned k = n;
        while (k < s->n && s->to[k].store != i)
            k++;
        if (k < s->n) {
            struct target t = s->to[n];
            s->to[n++] = s->to[k];
            s->to[k] = t;
        } else if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE &&
                   isa_op_info[i->op].klass != ISA_CLASS_SOURCE) {
            return false;
        }
    }
    return n == s->n && n;
}

static bool find_site(struct cg_func *g, const struct kir_inst *i, struct site *s) {
    *s = (struct site){.atom = i};
    if (!is_counter(g, i))
        return false;
    struct chain c = {.g = g, .site = s, .block = i->block, .ok = true};
    follow(&c, i->res[0], (struct target){0});
    return c.ok && is_together(s);
}

static bool are_alike(const struct site *x, const struct site *y) {
    if (!is_same(x->atom->ops[0], y->atom->ops[0]) || x->atom->offset != y->atom->offset ||
        isa_type_bits(x->atom->ty) != isa_type_bits(y->atom->ty) || x->n != y->n)
        return false;
    for (unsigned k = 0; k < x->n; k++) {
        const struct target *s = &x->to[k], *t = &y->to[k];
        if (!is_same(s->base, t->base) || s->scale != t->scale || s->is_signed != t->is_signed ||
            s->store->offset != t->store->offset ||
            isa_type_bits(s->store->ty) != isa_type_bits(t->store->ty) ||
            s->store->mods.vec != t->store->mods.vec)
            return false;
    }
    return true;
}

// Several loops may append to one list; a second list is left alone.
static void find_sites(struct cg_func *g, struct cg_appends *a) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next) {
            if (!allows(i)) {
                a->n = 0;
                return;
            }
            struct site *s = &a->sites[a->n];
            if (a->n < MOST_SITES && find_site(g, i, s) && (!a->n || are_alike(s, a->sites)))
                a->n++;
        }
}

// ---- what is kept -------------------------------------------------------------------------

static LLVMValueRef variable(struct cg *c, LLVMTypeRef t, uint64_t value, const char *name) {
    LLVMValueRef v = LLVMBuildAlloca(c->b, t, name);
    LLVMBuildStore(c->b, LLVMConstInt(t, value, 1), v);
    return v;
}

static LLVMTypeRef element(struct cg *c, const struct target *t) {
    return cg_int_type(c, isa_type_bits(t->store->ty));
}

static unsigned parts_of(const struct target *t) {
    return t->store->mods.vec ? t->store->mods.vec : 1;
}

// How many threads' records fit.
static unsigned records_of(const struct site *s) {
    unsigned bytes = 0;
    for (unsigned k = 0; k < s->n; k++)
        bytes += parts_of(&s->to[k]) * isa_type_bits(s->to[k].store->ty) / 8;
    unsigned n = MOST_BYTES / bytes / STEP * STEP;
    return n < MOST_RECORDS ? n : MOST_RECORDS;
}

void cg_make_appends(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->f->is_kernel || c->mode != KD_MODE_BLOCK || c->splits || c->quick)
        return;
    struct cg_appends *a = arena_new(c->arena, struct cg_appends);
    find_sites(g, a);
    if (!a->n)
        return;
    a->records = records_of(a->sites);
    if (a->records < 2 * c->width * c->team)
        return;
    for (unsigned k = 0, at = 0; k < a->sites->n; k++) {
        LLVMTypeRef t = LLVMArrayType2(element(c, &a->sites->to[k]), a->records);
        for (unsigned p = 0; p < parts_of(&a->sites->to[k]); p++) {
            a->kept[at] = LLVMBuildAlloca(c->b, t, "appended");
            LLVMSetAlignment(a->kept[at++], 64);
        }
        a->from[k] = variable(c, c->i64, 0, "list");
        a->size[k] = variable(c, c->i64, 0, "list.size");
    }
    a->found = LLVMBuildAlloca(c->b, LLVMArrayType2(c->i64, 2), "found");
    a->count = variable(c, c->i32, 0, "records");
    a->limit = variable(c, c->i32, (uint64_t)(int64_t)NOT_OPEN, "records.limit");
    g->appends = a;
}

static LLVMValueRef counter(struct cg_func *g) {
    struct cg *c = g->cg;
    const struct kir_inst *i = g->appends->sites->atom;
    LLVMValueRef off = LLVMConstInt(c->i64, (unsigned long long)i->offset, 1);
    return LLVMBuildAdd(c->b, cg_scalar(g, i->ops[0]), off, "");
}

static LLVMValueRef list(struct cg_func *g, unsigned k) {
    struct cg *c = g->cg;
    const struct target *t = &g->appends->sites->to[k];
    LLVMValueRef off = LLVMConstInt(c->i64, (unsigned long long)t->store->offset, 1);
    return LLVMBuildAdd(c->b, cg_scalar(g, (struct kir_value *)t->base), off, "");
}

// ---- taking places ------------------------------------------------------------------------

static LLVMBasicBlockRef block_in(struct cg *c, LLVMValueRef f, const char *name) {
    return LLVMAppendBasicBlockInContext(c->ctx, f, name);
}

// The parameters of flush(counter, records, list..., kept...).
struct flush {
    LLVMValueRef f, counter, n, old;
    LLVMValueRef list[MOST_VALUES], kept[MOST_VALUES];
    LLVMTypeRef index; // of the counter
};

static LLVMValueRef place(struct cg *c, const struct flush *f, const struct site *s, unsigned k,
                          LLVMValueRef e) {
    const struct target *t = &s->to[k];
    e = LLVMBuildAdd(c->b, f->old, LLVMBuildZExtOrBitCast(c->b, e, f->index, ""), "");
    if (f->index != c->i64)
        e = t->is_signed ? LLVMBuildSExt(c->b, e, c->i64, "") : LLVMBuildZExt(c->b, e, c->i64, "");
    return LLVMBuildAdd(c->b, f->list[k], LLVMBuildMul(c->b, e, cg_i64(c, t->scale), ""), "");
}

static LLVMValueRef kept_at(struct cg *c, LLVMValueRef kept, LLVMTypeRef t, LLVMValueRef at) {
    at = LLVMBuildZExt(c->b, at, c->i64, "");
    return LLVMBuildInBoundsGEP2(c->b, t, kept, &at, 1, "");
}

static LLVMValueRef at_byte(struct cg *c, LLVMValueRef address, unsigned offset) {
    LLVMValueRef p = LLVMBuildIntToPtr(c->b, address, c->ptr, ""), at = cg_i64(c, offset);
    return offset ? LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "") : p;
}

static void move_one(struct cg *c, const struct flush *f, const struct site *s, LLVMValueRef e) {
    for (unsigned k = 0, at = 0; k < s->n; k++) {
        LLVMTypeRef t = element(c, &s->to[k]);
        unsigned bytes = isa_type_bits(s->to[k].store->ty) / 8;
        LLVMValueRef to = place(c, f, s, k, e);
        for (unsigned p = 0; p < parts_of(&s->to[k]); p++) {
            LLVMValueRef x = LLVMBuildLoad2(c->b, t, kept_at(c, f->kept[at++], t, e), "");
            LLVMSetAlignment(LLVMBuildStore(c->b, x, at_byte(c, to, p * bytes)), bytes);
        }
    }
}

// Records of one element that follow each other, STEP at a time.
static void move_many(struct cg *c, const struct flush *f, const struct site *s, LLVMValueRef e) {
    LLVMTypeRef t = element(c, &s->to[0]), vt = LLVMVectorType(t, STEP);
    unsigned bytes = isa_type_bits(s->to[0].store->ty) / 8;
    LLVMValueRef x = LLVMBuildLoad2(c->b, vt, kept_at(c, f->kept[0], t, e), "");
    LLVMSetAlignment(x, bytes);
    x = LLVMBuildStore(c->b, x, at_byte(c, place(c, f, s, 0, e), 0));
    LLVMSetAlignment(x, bytes);
}

typedef void move_fn(struct cg *c, const struct flush *f, const struct site *s, LLVMValueRef e);

// for (; e + step <= n; e += step) move(e);  returns e behind it.
static LLVMValueRef move_from(struct cg *c, const struct flush *f, const struct site *s,
                              LLVMValueRef e, LLVMValueRef n, unsigned step, move_fn *move) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b), head = block_in(c, f->f, "head"),
                      body = block_in(c, f->f, "move"), done = block_in(c, f->f, "moved");
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    LLVMValueRef at = LLVMBuildPhi(c->b, c->i32, "");
    LLVMValueRef next = LLVMBuildAdd(c->b, at, cg_i32(c, step), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntULE, next, n, ""), body, done);
    LLVMPositionBuilderAtEnd(c->b, body);
    move(c, f, s, at);
    LLVMBuildBr(c->b, head);
    LLVMAddIncoming(at, (LLVMValueRef[2]){e, next}, (LLVMBasicBlockRef[2]){from, body}, 2);
    LLVMPositionBuilderAtEnd(c->b, done);
    return at;
}

// Do the places of all records follow each other? Not where the counter wraps on the way.
static LLVMValueRef in_a_row(struct cg *c, const struct flush *f, const struct site *s) {
    LLVMValueRef last = LLVMBuildSub(c->b, f->n, cg_i32(c, 1), "");
    LLVMValueRef there =
        LLVMBuildSub(c->b, place(c, f, s, 0, last), place(c, f, s, 0, cg_i32(c, 0)), "");
    LLVMValueRef far =
        LLVMBuildMul(c->b, LLVMBuildZExt(c->b, last, c->i64, ""), cg_i64(c, s->to[0].scale), "");
    return LLVMBuildICmp(c->b, LLVMIntEQ, there, far, "");
}

static void flush_body(struct cg *c, struct flush *f, const struct site *s) {
    LLVMBasicBlockRef some = block_in(c, f->f, "some"), none = block_in(c, f->f, "none");
    LLVMValueRef zero = cg_i32(c, 0), e = zero;
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, f->n, zero, ""), none, some);
    LLVMPositionBuilderAtEnd(c->b, none);
    LLVMBuildRetVoid(c->b);
    LLVMPositionBuilderAtEnd(c->b, some);
    f->index = cg_int_type(c, isa_type_bits(s->atom->ty));
    f->old = LLVMBuildAtomicRMW(
        c->b, LLVMAtomicRMWBinOpAdd, LLVMBuildIntToPtr(c->b, f->counter, c->ptr, ""),
        LLVMBuildZExtOrBitCast(c->b, f->n, f->index, ""), LLVMAtomicOrderingMonotonic, 0);
    if (s->values == 1 && s->to[0].scale * 8 == isa_type_bits(s->to[0].store->ty)) {
        LLVMValueRef n = LLVMBuildSelect(c->b, in_a_row(c, f, s), f->n, zero, "");
        e = move_from(c, f, s, zero, n, STEP, move_many);
    }
    move_from(c, f, s, e, f->n, 1, move_one);
    LLVMBuildRetVoid(c->b);
}

static void call_flush(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_appends *a = g->appends;
    const struct site *s = a->sites;
    LLVMTypeRef params[2 + 2 * MOST_VALUES] = {c->i64, c->i32};
    LLVMValueRef args[2 + 2 * MOST_VALUES] = {counter(g),
                                              LLVMBuildLoad2(c->b, c->i32, a->count, "")};
    unsigned n = 2;
    for (unsigned k = 0; k < s->n; k++, n++) {
        params[n] = c->i64;
        args[n] = list(g, k);
    }
    for (unsigned k = 0; k < s->values; k++, n++) {
        params[n] = c->ptr;
        args[n] = a->kept[k];
    }
    LLVMTypeRef t = LLVMFunctionType(c->void_t, params, n, 0);
    struct cg_own own = cg_own_function(c, "kd_append", t, CG_ANY_EFFECT);
    if (own.from) {
        struct flush f = {.f = own.f};
        f.counter = LLVMGetParam(own.f, 0);
        f.n = LLVMGetParam(own.f, 1);
        for (unsigned k = 0; k < s->n; k++)
            f.list[k] = LLVMGetParam(own.f, 2 + k);
        for (unsigned k = 0; k < s->values; k++)
            f.kept[k] = LLVMGetParam(own.f, 2 + s->n + k);
        flush_body(c, &f, s);
        cg_end_own(c, &own);
    }
    cg_call_own(c, t, own.f, args, n);
    LLVMBuildStore(c->b, cg_i32(c, 0), a->count);
}

static void flush_if(struct cg_func *g, LLVMValueRef cond) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef yes = cg_new_block(g, "append"), done = cg_new_block(g, "appended");
    cg_rarely(c, LLVMBuildCondBr(c->b, cond, yes, done), 0);
    LLVMPositionBuilderAtEnd(c->b, yes);
    call_flush(g);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

void cg_close_appends(struct cg_func *g) {
    if (g->appends)
        call_flush(g);
}

// ---- other accesses -----------------------------------------------------------------------

// Does an access of `bytes` from a on, a scalar or a vector, touch `size` bytes from `from` on?
static LLVMValueRef touches(struct cg *c, LLVMValueRef a, uint64_t bytes, LLVMValueRef from,
                            LLVMValueRef size) {
    bool vec = LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMVectorTypeKind;
    if (bytes > 1) {
        from = LLVMBuildSub(c->b, from, cg_i64(c, bytes - 1), "");
        size = LLVMBuildAdd(c->b, size, cg_i64(c, bytes - 1), "");
    }
    a = LLVMBuildSub(c->b, a, vec ? cg_splat(c, from) : from, "");
    return LLVMBuildICmp(c->b, LLVMIntULT, a, vec ? cg_splat(c, size) : size, "");
}

static LLVMValueRef touches_any(struct cg_func *g, LLVMValueRef a, uint64_t bytes, bool each) {
    struct cg *c = g->cg;
    struct cg_appends *p = g->appends;
    const struct site *s = p->sites;
    LLVMValueRef hit = touches(c, a, bytes, counter(g), cg_i64(c, isa_type_bits(s->atom->ty) / 8));
    for (unsigned k = 0; k < s->n; k++) {
        LLVMValueRef from = LLVMBuildLoad2(c->b, c->i64, p->from[k], "");
        LLVMValueRef size = LLVMBuildLoad2(c->b, c->i64, p->size[k], "");
        // Allocations begin and end at multiples of 16 bytes, and so does what an aligned access of
        // one thread lies in.
        hit = LLVMBuildOr(c->b, hit, touches(c, a, each ? 1 : bytes, from, size), "");
    }
    return LLVMGetTypeKind(LLVMTypeOf(hit)) == LLVMVectorTypeKind ? cg_any(g, hit) : hit;
}

static unsigned bytes_of(const struct kir_inst *i) {
    return (i->mods.vec ? i->mods.vec : 1) * isa_type_bits(i->ty) / 8;
}

// Has the thread just accessed the same place, and appended nothing since?
static bool is_settled(const struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    const struct kir_block *b = i->block;
    const struct kir_inst *j = i->prev;
    for (unsigned steps = 0; steps < 32; steps++) {
        if (!j) {
            if (b->preds.len != 1)
                return false;
            b = b->preds.data[0];
            j = b->last;
        }
        bool memory = isa_op_info[j->op].klass == ISA_CLASS_MEMORY;
        if (isa_op_info[j->op].klass == ISA_CLASS_BLOCK || j->op == ISA_OP_BAR_WARP_SYNC ||
            (memory && cg_is_append(g, j)))
            return false;
        if (memory && j->nops && j->ops[0] == i->ops[0] && j->offset == i->offset &&
            !is_elsewhere(j) && (is_plain(j) || is_relaxed_atomic(j)) && bytes_of(j) >= bytes)
            return true;
        j = j->prev;
    }
    return false;
}

void cg_settle_appends(struct cg_func *g, struct kir_inst *i, unsigned bytes) {
    struct cg *c = g->cg;
    if (!g->appends || is_elsewhere(i) || is_settled(g, i, bytes))
        return;
    struct kir_value *v = i->ops[0];
    struct shape s = cg_shape(g, v);
    int64_t lo = 0, hi = 0;
    bool scalar =
        c->width == 1 || ((s.kind == SHAPE_UNIFORM || s.kind == SHAPE_OFFSETS) && !cg_guard(g, v));
    for (unsigned l = 0; scalar && c->width > 1 && s.offs && l < c->width; l++) {
        lo = s.offs[l] < lo ? s.offs[l] : lo;
        hi = s.offs[l] > hi ? s.offs[l] : hi;
    }
    LLVMValueRef a = scalar ? cg_scalar(g, v) : cg_vec(g, v);
    LLVMValueRef off = LLVMConstInt(c->i64, (unsigned long long)(i->offset + lo), 1);
    a = LLVMBuildAdd(c->b, a, scalar ? off : cg_splat(c, off), "");
    bool each = hi == lo && cg_is_aligned(g, i) && bytes <= 16;
    flush_if(g, touches_any(g, a, (uint64_t)(hi - lo) + bytes, each));
}

void cg_settle(struct cg_func *g, struct kir_inst *i, unsigned bytes) {
    cg_settle_reds(g, i, bytes);
    cg_settle_appends(g, i, bytes);
}

// ---- appending ----------------------------------------------------------------------------

static const struct site *site_of(const struct cg_func *g, const struct kir_inst *i,
                                  unsigned *value) {
    for (unsigned n = 0; g->appends && n < g->appends->n; n++) {
        const struct site *s = &g->appends->sites[n];
        *value = 0;
        if (s->atom == i)
            return s;
        for (unsigned k = 0; k < s->n; *value += parts_of(&s->to[k++]))
            if (s->to[k].store == i)
                return s;
    }
    return NULL;
}

bool cg_is_append(const struct cg_func *g, const struct kir_inst *i) {
    unsigned value;
    return site_of(g, i, &value) != NULL;
}

// Finds the allocations that the lists lie in.
static void open_lists(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_appends *a = g->appends;
    for (unsigned k = 0; k < a->sites->n; k++) {
        LLVMValueRef args[2] = {list(g, k), a->found}, second = cg_i64(c, 1);
        cg_call_rt(c, "kd_rt_allocation", args, 2);
        LLVMBuildStore(c->b, LLVMBuildLoad2(c->b, c->i64, a->found, ""), a->from[k]);
        LLVMValueRef size = LLVMBuildInBoundsGEP2(c->b, c->i64, a->found, &second, 1, "");
        LLVMBuildStore(c->b, LLVMBuildLoad2(c->b, c->i64, size, ""), a->size[k]);
    }
}

// Room for all groups of the team, so that none has to be made between their additions and stores.
static void make_room(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_appends *a = g->appends;
    LLVMBasicBlockRef full = cg_new_block(g, "full"), room = cg_new_block(g, "room");
    LLVMValueRef n = LLVMBuildLoad2(c->b, c->i32, a->count, "");
    n = LLVMBuildSub(c->b, n, cg_i32(c, g->turn * c->width), "");
    LLVMValueRef limit = LLVMBuildLoad2(c->b, c->i32, a->limit, "");
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntSGT, n, limit, "");
    cg_rarely(c, LLVMBuildCondBr(c->b, more, full, room), 0);
    LLVMPositionBuilderAtEnd(c->b, full);
    call_flush(g);
    open_lists(g);
    LLVMBuildStore(c->b, cg_i32(c, a->records - c->team * c->width), a->limit);
    LLVMBuildBr(c->b, room);
    LLVMPositionBuilderAtEnd(c->b, room);
}

static LLVMValueRef active_lanes(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->now.mask)
        return cg_i32(c, c->width);
    LLVMValueRef bits = cg_mask_bits(g, g->now.mask);
    LLVMTypeRef t = LLVMTypeOf(bits);
    if (c->width > 1)
        bits = cg_call_intrinsic(c, "llvm.ctpop", &t, 1, &bits, 1);
    return c->width == 32 ? bits : LLVMBuildZExt(c->b, bits, c->i32, "");
}

bool cg_append_place(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct cg_appends *a = g->appends;
    if (!cg_is_append(g, i))
        return false;
    note_on(c->notes, i, false, "'%s': what is appended is kept for a run of blocks",
            isa_op_info[i->op].name);
    make_room(g);
    LLVMValueRef n = LLVMBuildLoad2(c->b, c->i32, a->count, "");
    a->slot[g->turn] = n;
    LLVMBuildStore(c->b, LLVMBuildAdd(c->b, n, active_lanes(g), ""), a->count);
    cg_set_result(g, i->res[0], LLVMConstNull(cg_vec_type(c, (enum kir_type)i->res[0]->type)));
    return true;
}

// Puts the active lanes' elements side by side; all places up to the width may be written.
static void store_active(struct cg_func *g, LLVMValueRef x, LLVMValueRef p, unsigned bytes) {
    struct cg *c = g->cg;
    LLVMTypeRef vt = LLVMTypeOf(x);
    unsigned lanes = c->target.vector_bits / 8 / bytes;
    if (!g->now.mask || c->width == 1) {
        LLVMSetAlignment(LLVMBuildStore(c->b, x, p), bytes);
    } else if (cg_can_compress(c, lanes < c->width ? lanes : c->width, bytes)) {
        // To memory the instruction takes more than ten times as long on some processors.
        cg_store_compressed(c, x, cg_mask_bits(g, g->now.mask), p);
    } else {
        LLVMValueRef args[3] = {x, p, g->now.mask};
        cg_call_intrinsic(c, "llvm.masked.compressstore", &vt, 1, args, 3);
    }
}

bool cg_append_values(struct cg_func *g, const struct kir_inst *i, LLVMValueRef *x, unsigned n) {
    struct cg *c = g->cg;
    struct cg_appends *a = g->appends;
    unsigned value, bytes = isa_type_bits(i->ty) / 8;
    if (!site_of(g, i, &value))
        return false;
    for (unsigned k = 0; k < n; k++) {
        LLVMTypeRef t = cg_int_type(c, bytes * 8);
        LLVMValueRef v = LLVMBuildBitCast(c->b, x[k], cg_vec_of(c, t), "");
        store_active(g, v, kept_at(c, a->kept[value + k], t, a->slot[g->turn]), bytes);
    }
    return true;
}
