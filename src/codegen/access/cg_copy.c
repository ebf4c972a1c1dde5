// Copies: loads of 8 or 16 bytes a lane, at addresses that follow no pattern, whose results are
// only stored again (cp.async). What a lane copies stays whole, and where several copies stand in a
// row what all of them read is asked for first.
#include <stdio.h>

#include "codegen/access/cg_copy.h"
#include "codegen/access/cg_places.h"
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "plan/plan.h"
#include "support/strbuf.h"

enum { MOST_LANES = 32, MOST_COPIES = 16, MOST_RUNS = 8, LINE = 64 };

static unsigned bytes_of(const struct kir_inst *i) {
    return (i->mods.vec ? i->mods.vec : 1) * isa_type_bits(i->ty) / 8;
}

static bool is_pure(const struct kir_inst *i) {
    return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE ||
           isa_op_info[i->op].klass == ISA_CLASS_SOURCE;
}

static bool uses_any(const struct kir_inst *i, const struct kir_inst *of) {
    for (uint32_t k = 0; k < i->nops; k++)
        if (i->ops[k]->kind == KIR_VALUE_INST && i->ops[k]->def == of)
            return true;
    return false;
}

// A phi behind the block takes its operand at the block's end.
bool cg_flows_into_phi(const struct kir_inst *of) {
    const struct kir_inst *last = of->block->last;
    for (uint32_t k = 0; k < last->ntargets; k++)
        for (struct kir_inst *i = last->targets[k]->first; i && i->op == ISA_OP_PHI; i = i->next)
            if (uses_any(i, of))
                return true;
    return false;
}

static bool may_copy(struct cg_func *g, const struct kir_inst *i) {
    unsigned bytes = bytes_of(i);
    return i->op == ISA_OP_LD && i->mods.sem == ISA_SEM_WEAK && g->cg->team == 1 &&
           g->cg->width >= 4 && (bytes == 8 || bytes == 16) &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC ||
            i->mods.space == ISA_SPACE_SHARED) &&
           g->fl->shape[i->ops[0]->id].kind == SHAPE_VARYING;
}

static bool stores_all(const struct kir_inst *i, const struct kir_inst *load) {
    if (i->op != ISA_OP_ST || i->mods.sem != ISA_SEM_WEAK || bytes_of(i) != bytes_of(load) ||
        i->mods.space == ISA_SPACE_LOCAL || i->nops != 1 + load->nres ||
        isa_type_bits(i->ty) != isa_type_bits(load->ty))
        return false;
    for (uint32_t k = 0; k < load->nres; k++)
        if (i->ops[1 + k] != load->res[k])
            return false;
    return i->ops[0]->kind != KIR_VALUE_INST || i->ops[0]->def != load;
}

struct kir_inst *cg_copying_store(struct cg_func *g, const struct kir_inst *i) {
    struct kir_inst *store = NULL;
    if (!may_copy(g, i))
        return NULL;
    for (uint32_t k = 0; k < i->nres; k++)
        if (g->crosses[i->res[k]->id])
            return NULL;
    if (cg_flows_into_phi(i))
        return NULL;
    for (struct kir_inst *j = i->next; j; j = j->next) {
        if (!store && stores_all(j, i))
            store = j;
        else if ((!store && !is_pure(j)) || uses_any(j, i))
            return NULL;
    }
    return store;
}

// ---- memory
// --------------------------------------------------------------------------------------

LLVMValueRef cg_lane_memory(struct cg_func *g, unsigned n) {
    struct cg *c = g->cg;
    if (!g->lane_memory[n]) {
        g->lane_memory[n] = cg_entry_alloca(g, LLVMArrayType2(c->i64, MOST_LANES));
        LLVMSetAlignment(g->lane_memory[n], 64);
    }
    return g->lane_memory[n];
}

LLVMValueRef cg_idle_memory(struct cg_func *g, bool store) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMVectorType(c->i32, 4);
    if (!g->idle_memory[store])
        g->idle_memory[store] = cg_entry_alloca(g, t);
    if (!store)
        LLVMBuildStore(c->b, LLVMConstNull(t), g->idle_memory[0]);
    return g->idle_memory[store];
}

// Stored in parts of 32 bytes, which processors forward faster than 64: see cg_spread.c.
static void store_parts(struct cg *c, LLVMValueRef x, LLVMValueRef memory) {
    enum { PART = 32 };
    LLVMTypeRef t = LLVMTypeOf(x);
    unsigned bytes = LLVMGetElementType(t) == c->i64 ? 8 : 4, n = PART / bytes;
    for (unsigned at = 0; at < c->width; at += n) {
        LLVMValueRef idx[PART / 4], place = cg_i64(c, at * bytes);
        for (unsigned k = 0; k < n; k++)
            idx[k] = cg_i32(c, at + k);
        LLVMValueRef part = c->width > n ? LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(t),
                                                                  LLVMConstVector(idx, n), "")
                                         : x;
        LLVMValueRef s =
            LLVMBuildStore(c->b, part, LLVMBuildInBoundsGEP2(c->b, c->i8, memory, &place, 1, ""));
        LLVMSetAlignment(s, PART);
        LLVMSetVolatile(s, 1);
    }
}

// Memory with one address a lane; taking them out of vector registers one by one costs more.
static LLVMValueRef addresses(struct cg_func *g, LLVMValueRef p, bool store) {
    struct cg *c = g->cg;
    LLVMValueRef a = LLVMBuildPtrToInt(c->b, p, cg_vec_of(c, c->i64), "");
    if (g->now.mask) {
        LLVMValueRef idle = LLVMBuildPtrToInt(c->b, cg_idle_memory(g, store), c->i64, "");
        a = cg_select(c, g->now.mask, a, cg_splat(c, idle));
    }
    LLVMValueRef memory = cg_lane_memory(g, store);
    store_parts(c, a, memory);
    return memory;
}

static LLVMValueRef lane_pointer(struct cg *c, LLVMValueRef memory, unsigned lane) {
    LLVMValueRef k = cg_i64(c, lane);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->i64, memory, &k, 1, "");
    return LLVMBuildIntToPtr(c->b, LLVMBuildLoad2(c->b, c->i64, p, ""), c->ptr, "");
}

// ---- copies
// --------------------------------------------------------------------------------------

// Where lanes of a copy read or write: a place for each run of so many neighbours, places at known
// distances from one (offs), one and memory with a distance of 32 bits for each lane (apart), or
// memory with an address for each lane.
struct places {
    unsigned run;
    const int64_t *offs;
    bool apart;
    LLVMValueRef arg[MOST_RUNS];
    unsigned nargs;
};

// The lanes that are known to be neighbours; 0: too few, or they are not all active.
static unsigned neighbours(struct cg_func *g, const struct kir_inst *load) {
    struct lane_run r = lane_run(g->plan->in.runs, load->ops[0], load->block, bytes_of(load));
    return r.exact && !g->now.mask && r.lanes * MOST_RUNS >= g->cg->width && r.lanes > 1 ? r.lanes
                                                                                         : 0;
}

static struct places places_of(struct cg_func *g, const struct kir_inst *load, LLVMValueRef p,
                               bool store) {
    struct cg *c = g->cg;
    struct places at = {.run = neighbours(g, load)};
    if (!at.run) {
        at.arg[at.nargs++] = addresses(g, p, store);
        return at;
    }
    for (unsigned k = 0; k < c->width; k += at.run)
        at.arg[at.nargs++] = LLVMBuildExtractElement(c->b, p, cg_i32(c, k), "");
    return at;
}

// Is a place in shared memory known for each lane only when the code runs?
static bool stands_apart(struct cg_func *g, const struct kir_inst *store) {
    struct shape s = cg_shape(g, store->ops[0]);
    return store->mods.space == ISA_SPACE_SHARED && !g->now.mask &&
           (s.kind != SHAPE_OFFSETS || s.of_bits);
}

// Places in shared memory, modulo 2^32.
static struct places shared_places(struct cg_func *g, const struct kir_inst *store) {
    struct cg *c = g->cg;
    struct shape s = cg_shape(g, store->ops[0]);
    struct places at = {.nargs = 1};
    LLVMValueRef base = LLVMConstInt(c->i64, (unsigned long long)store->offset, 1);
    if (!stands_apart(g, store)) {
        LLVMValueRef first = cg_narrow(c, cg_scalar(g, store->ops[0]), 32);
        base = LLVMBuildAdd(c->b, LLVMBuildSExt(c->b, first, c->i64, ""), base, "");
        base = LLVMBuildAdd(c->b, base, LLVMConstInt(c->i64, (unsigned long long)s.offs[0], 1), "");
        at.offs = s.offs;
    } else {
        at.apart = true;
        at.arg[at.nargs++] = cg_lane_memory(g, 1);
        store_parts(c, cg_narrow(c, cg_vec(g, store->ops[0]), 32), at.arg[1]);
    }
    at.arg[0] = LLVMBuildGEP2(c->b, c->i8, g->shared_base, &base, 1, "");
    return at;
}

static struct places stored_places(struct cg_func *g, const struct kir_inst *store,
                                   LLVMValueRef p) {
    if (store->mods.space == ISA_SPACE_SHARED && !g->now.mask)
        return shared_places(g, store);
    return (struct places){.arg = {addresses(g, p, true)}, .nargs = 1};
}

void cg_begin_copy(struct cg_func *g, const struct kir_inst *load, LLVMValueRef p) {
    struct places *from = arena_new(g->cg->arena, struct places);
    *from = places_of(g, load, p, false);
    g->copied = load;
    g->copied_from = from;
}

bool cg_is_copy(struct cg_func *g, const struct kir_inst *store) {
    return g->copied && store->nops > 1 && store->ops[1]->kind == KIR_VALUE_INST &&
           store->ops[1]->def == g->copied;
}

// Where a lane's place is, of arguments that begin with `arg`.
static LLVMValueRef place_in(struct cg *c, const struct places *at, LLVMValueRef f, unsigned arg,
                             unsigned lane, unsigned bytes) {
    int64_t offset = at->offs ? at->offs[lane] - at->offs[0] : at->run ? lane % at->run * bytes : 0;
    LLVMValueRef k = LLVMConstInt(c->i64, (unsigned long long)offset, 1);
    if (at->apart) {
        LLVMValueRef place = cg_i64(c, lane * 4);
        place = LLVMBuildInBoundsGEP2(c->b, c->i8, LLVMGetParam(f, arg + 1), &place, 1, "");
        k = LLVMBuildSExt(c->b, LLVMBuildLoad2(c->b, c->i32, place, ""), c->i64, "");
        return LLVMBuildGEP2(c->b, c->i8, LLVMGetParam(f, arg), &k, 1, "");
    }
    if (!at->offs && !at->run)
        return lane_pointer(c, LLVMGetParam(f, arg), lane);
    LLVMValueRef p = LLVMGetParam(f, arg + (at->offs ? 0 : lane / at->run));
    return LLVMBuildGEP2(c->b, c->i8, p, &k, 1, "");
}

// (places to read, places to write). All lanes read before any writes, where that can be seen.
static void emit_copying(struct cg *c, LLVMValueRef f, unsigned bytes, const struct places *from,
                         const struct places *to, bool disjoint) {
    LLVMValueRef lane[MOST_LANES];
    LLVMTypeRef t = LLVMVectorType(c->i32, bytes / 4);
    unsigned together = disjoint ? 1 : c->width;
    for (unsigned first = 0; first < c->width; first += together) {
        for (unsigned k = first; k < first + together; k++) {
            lane[k] = LLVMBuildLoad2(c->b, t, place_in(c, from, f, 0, k, bytes), "");
            LLVMSetAlignment(lane[k], 1);
        }
        for (unsigned k = first; k < first + together; k++) {
            LLVMValueRef p = place_in(c, to, f, from->nargs, k, bytes);
            LLVMSetAlignment(LLVMBuildStore(c->b, lane[k], p), 1);
        }
    }
    LLVMBuildRetVoid(c->b);
}

// ---- permuted lines
// ----------------------------------------------------------------------------
//
// Tiles in shared memory are often swizzled: the pieces of a row stand in it in another order, each
// at its number exclusive-or one of the row. Where each four lanes of 16 bytes (eight of 8) that
// read neighbours are found to write so, they are copied as one line.

static bool may_copy_lines(struct cg_func *g, const struct kir_inst *load,
                           const struct kir_inst *store) {
    unsigned run = neighbours(g, load) * bytes_of(load);
    return g->cg->target.holds_line && !g->cg->quick && run && run % LINE == 0 &&
           load->mods.space == ISA_SPACE_GLOBAL && stands_apart(g, store);
}

// (distances from one place, how many lanes a line has): does each line's lanes differ from the
// line's first one by their numbers exclusive-or? Read in the parts in which they were stored.
static LLVMValueRef are_lines(struct cg *c, LLVMValueRef apart, unsigned bytes) {
    enum { PART = 8 };
    LLVMTypeRef t = LLVMVectorType(c->i32, PART);
    LLVMValueRef first[PART], number[PART], differ = NULL;
    unsigned lanes = LINE / bytes;
    for (unsigned k = 0; k < PART; k++) {
        first[k] = cg_i32(c, k / lanes * lanes);
        number[k] = cg_i32(c, k % lanes * bytes);
    }
    for (unsigned k = 0; k < c->width; k += PART) {
        LLVMValueRef place = cg_i64(c, k * 4);
        LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->i8, apart, &place, 1, "");
        LLVMValueRef x = LLVMBuildLoad2(c->b, t, p, "");
        LLVMSetAlignment(x, PART * 4);
        LLVMValueRef y =
            LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(t), LLVMConstVector(first, PART), "");
        x = LLVMBuildXor(c->b, LLVMBuildXor(c->b, x, y, ""), LLVMConstVector(number, PART), "");
        differ = differ ? LLVMBuildOr(c->b, differ, x, "") : x;
    }
    LLVMValueRef any = cg_call_intrinsic(c, "llvm.vector.reduce.or", &t, 1, &differ, 1);
    return LLVMBuildICmp(c->b, LLVMIntEQ, any, cg_i32(c, 0), "");
}

static void copy_line(struct cg *c, LLVMValueRef from, LLVMValueRef base, LLVMValueRef apart) {
    enum { WORDS = LINE / 8 };
    LLVMTypeRef t = LLVMVectorType(c->i64, WORDS);
    LLVMValueRef number[WORDS], zero[WORDS];
    for (unsigned k = 0; k < WORDS; k++) {
        number[k] = cg_i64(c, k);
        zero[k] = cg_i32(c, 0);
    }
    LLVMValueRef at = LLVMBuildLoad2(c->b, c->i32, apart, "");
    LLVMValueRef order = LLVMBuildZExt(c->b, LLVMBuildLShr(c->b, at, cg_i32(c, 3), ""), c->i64, "");
    order = LLVMBuildAnd(c->b, order, cg_i64(c, WORDS - 1), "");
    order = LLVMBuildInsertElement(c->b, LLVMGetPoison(t), order, zero[0], "");
    order = LLVMBuildShuffleVector(c->b, order, LLVMGetPoison(t), LLVMConstVector(zero, WORDS), "");
    order = LLVMBuildXor(c->b, order, LLVMConstVector(number, WORDS), "");
    LLVMValueRef line = LLVMBuildAnd(c->b, at, LLVMConstInt(c->i32, (unsigned)-LINE, 0), "");
    line = LLVMBuildSExt(c->b, line, c->i64, "");
    LLVMValueRef args[] = {LLVMBuildLoad2(c->b, t, from, ""), order};
    LLVMSetAlignment(args[0], 1);
    LLVMValueRef x = cg_call_intrinsic(c, "llvm.x86.avx512.permvar.di.512", NULL, 0, args, 2);
    LLVMSetAlignment(LLVMBuildStore(c->b, x, LLVMBuildGEP2(c->b, c->i8, base, &line, 1, "")), 1);
}

// In front of the copy lane by lane.
static void emit_lines(struct cg *c, LLVMValueRef f, unsigned bytes, const struct places *from) {
    LLVMBasicBlockRef lines = LLVMAppendBasicBlockInContext(c->ctx, f, "lines");
    LLVMBasicBlockRef lanes = LLVMAppendBasicBlockInContext(c->ctx, f, "lanes");
    LLVMValueRef base = LLVMGetParam(f, from->nargs), apart = LLVMGetParam(f, from->nargs + 1);
    LLVMBuildCondBr(c->b, are_lines(c, apart, bytes), lines, lanes);
    LLVMPositionBuilderAtEnd(c->b, lines);
    for (unsigned k = 0; k < c->width; k += LINE / bytes) {
        LLVMValueRef place = cg_i64(c, k * 4);
        copy_line(c, place_in(c, from, f, 0, k, bytes), base,
                  LLVMBuildInBoundsGEP2(c->b, c->i8, apart, &place, 1, ""));
    }
    LLVMBuildRetVoid(c->b);
    LLVMPositionBuilderAtEnd(c->b, lanes);
}

static const char *name_of_copy(struct cg *c, unsigned bytes, const struct places *from,
                                const struct places *to, bool disjoint) {
    struct strbuf s = {0};
    strbuf_printf(&s, "kd_copy_%u%s%s", bytes, disjoint ? "_on" : "", to->apart ? "_apart" : "");
    if (from->run)
        strbuf_printf(&s, "_runs_%u", from->run);
    for (unsigned k = 0; to->offs && k < c->width; k++)
        strbuf_printf(&s, "_%lld", (long long)(to->offs[k] - to->offs[0]));
    char *name = arena_strdup(c->arena, strbuf_str(&s));
    strbuf_free(&s);
    return name;
}

void cg_end_copy(struct cg_func *g, const struct kir_inst *store, LLVMValueRef p) {
    struct cg *c = g->cg;
    LLVMTypeRef types[2 * MOST_RUNS];
    LLVMValueRef args[2 * MOST_RUNS];
    unsigned bytes = bytes_of(g->copied), n = 0;
    bool disjoint =
        g->copied->mods.space == ISA_SPACE_GLOBAL && store->mods.space == ISA_SPACE_SHARED;
    const struct places *from = g->copied_from;
    struct places to = stored_places(g, store, p);
    for (unsigned k = 0; k < from->nargs; k++)
        args[n++] = from->arg[k];
    for (unsigned k = 0; k < to.nargs; k++)
        args[n++] = to.arg[k];
    for (unsigned k = 0; k < n; k++)
        types[k] = c->ptr;
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, n, 0);
    struct cg_own own =
        cg_own_function(c, name_of_copy(c, bytes, from, &to, disjoint), type, CG_ANY_EFFECT);
    if (own.from) {
        if (may_copy_lines(g, g->copied, store))
            emit_lines(c, own.f, bytes, from);
        emit_copying(c, own.f, bytes, from, &to, disjoint);
        cg_end_own(c, &own);
    }
    cg_call_own(c, type, own.f, args, n);
    g->copied = NULL;
}

// ---- rows of copies
// ------------------------------------------------------------------------------

// Each line once, of runs of lanes that are known to be neighbours: their first lines and their
// end.
static bool begins_line(unsigned lane, unsigned run, unsigned bytes) {
    return lane % run * bytes % LINE == 0 || lane % run == run - 1;
}

static void prefetch(struct cg_func *g, const struct kir_inst *load, LLVMValueRef p) {
    struct cg *c = g->cg;
    char name[64];
    LLVMTypeRef types[MOST_RUNS];
    unsigned bytes = bytes_of(load);
    unsigned run = lane_run(g->plan->in.runs, load->ops[0], load->block, bytes).lanes;
    struct places at = places_of(g, load, p, true);
    for (unsigned k = 0; k < at.nargs; k++)
        types[k] = c->ptr;
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, at.nargs, 0);
    snprintf(name, sizeof name, "kd_prefetch_%u_%u%s", bytes, run, at.run ? "_runs" : "");
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        for (unsigned k = 0; k < c->width; k++) {
            if (!begins_line(k, run, bytes))
                continue;
            cg_prefetch_to(c, place_in(c, &at, own.f, 0, k, bytes), false, CG_FIRST_CACHE);
        }
        LLVMBuildRetVoid(c->b);
        cg_end_own(c, &own);
    }
    cg_call_own(c, type, own.f, at.arg, at.nargs);
}

// The copies from `first` on with nothing between them but what can be computed before all of them.
// Those by lines are not among them: the processor has as many under way without being asked, and
// what is asked for takes the place of other lines.
// *end: the last one's store.
static unsigned find_row(struct cg_func *g, struct kir_inst *first, struct kir_inst **load,
                         struct kir_inst **end) {
    unsigned n = 0;
    struct kir_inst *store = NULL; // of the last load, while it is to come
    for (struct kir_inst *i = first; i != i->block->last; i = i->next) {
        if (i == store) {
            *end = store;
            store = NULL;
        } else if (!is_pure(i)) {
            store = n < MOST_COPIES && i->mods.space != ISA_SPACE_SHARED ? cg_copying_store(g, i)
                                                                         : NULL;
            if (!store)
                break;
            if (!may_copy_lines(g, i, store))
                load[n++] = i;
        }
    }
    return n;
}

struct kir_inst *cg_row_of_copies(struct cg_func *g, struct kir_inst *first) {
    struct kir_inst *load[MOST_COPIES], *end = NULL;
    bool none = g->copies_end || !may_copy(g, first) || find_row(g, first, load, &end) < 2;
    return none ? NULL : end;
}

bool cg_is_before_copies(struct cg_func *g, const struct kir_inst *i) {
    return is_pure(i) && i->nres && cg_val_of(g, i->res[0])->epoch != CG_PERMANENT &&
           !cg_is_again(g, i->res[0]);
}

void cg_prefetch_copies(struct cg_func *g, struct kir_inst *first) {
    struct kir_inst *load[MOST_COPIES], *end = NULL;
    unsigned n = find_row(g, first, load, &end);
    for (unsigned k = 0; k < n; k++) {
        struct cg_places p = cg_places_of(g, load[k]);
        prefetch(g, load[k], cg_pointers(g, &p));
    }
    g->copies_end = end;
}
