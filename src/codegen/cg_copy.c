// Copies: loads of 8 or 16 bytes a lane, at addresses that follow no pattern, whose results are
// only stored again (cp.async). What a lane copies stays whole, and where several copies stand in a
// row what all of them read is asked for first.
#include <stdio.h>

#include "codegen/cg.h"
#include "passes/lane_run.h"

enum { MOST_LANES = 32, MOST_COPIES = 16, LINE = 64 };

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

// Memory with one address a lane; taking them out of vector registers one by one costs more.
static LLVMValueRef addresses(struct cg_func *g, LLVMValueRef p, bool store) {
    struct cg *c = g->cg;
    LLVMValueRef a = LLVMBuildPtrToInt(c->b, p, cg_vec_of(c, c->i64), "");
    if (g->now.mask) {
        LLVMValueRef idle = LLVMBuildPtrToInt(c->b, cg_idle_memory(g, store), c->i64, "");
        a = cg_select(c, g->now.mask, a, cg_splat(c, idle));
    }
    LLVMValueRef memory = cg_lane_memory(g, store);
    LLVMSetAlignment(LLVMBuildStore(c->b, a, memory), 32);
    return memory;
}

static LLVMValueRef lane_pointer(struct cg *c, LLVMValueRef memory, unsigned lane) {
    LLVMValueRef k = cg_i64(c, lane);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->i64, memory, &k, 1, "");
    return LLVMBuildIntToPtr(c->b, LLVMBuildLoad2(c->b, c->i64, p, ""), c->ptr, "");
}

// ---- copies
// --------------------------------------------------------------------------------------

void cg_begin_copy(struct cg_func *g, const struct kir_inst *load, LLVMValueRef p) {
    addresses(g, p, false);
    g->copied = load;
}

bool cg_is_copy(struct cg_func *g, const struct kir_inst *store) {
    return g->copied && store->nops > 1 && store->ops[1]->kind == KIR_VALUE_INST &&
           store->ops[1]->def == g->copied;
}

// (addresses to read, addresses to write). All lanes read before any writes.
static void emit_copying(struct cg *c, LLVMValueRef f, unsigned bytes) {
    LLVMValueRef lane[MOST_LANES];
    LLVMTypeRef t = LLVMVectorType(c->i32, bytes / 4);
    for (unsigned k = 0; k < c->width; k++) {
        lane[k] = LLVMBuildLoad2(c->b, t, lane_pointer(c, LLVMGetParam(f, 0), k), "");
        LLVMSetAlignment(lane[k], 1);
    }
    for (unsigned k = 0; k < c->width; k++) {
        LLVMValueRef p = lane_pointer(c, LLVMGetParam(f, 1), k);
        LLVMSetAlignment(LLVMBuildStore(c->b, lane[k], p), 1);
    }
    LLVMBuildRetVoid(c->b);
}

void cg_end_copy(struct cg_func *g, LLVMValueRef p) {
    struct cg *c = g->cg;
    char name[32];
    unsigned bytes = bytes_of(g->copied);
    LLVMTypeRef types[] = {c->ptr, c->ptr};
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, 2, 0);
    LLVMValueRef args[] = {cg_lane_memory(g, 0), addresses(g, p, true)};
    snprintf(name, sizeof name, "kd_copy_%u", bytes);
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        emit_copying(c, own.f, bytes);
        cg_end_own(c, &own);
    }
    cg_call_own(c, type, own.f, args, 2);
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
    char name[32];
    unsigned bytes = bytes_of(load);
    unsigned run = lane_run(g->fl, load->ops[0], load->block, bytes).lanes;
    LLVMTypeRef type = LLVMFunctionType(c->void_t, &c->ptr, 1, 0);
    snprintf(name, sizeof name, "kd_prefetch_%u_%u", bytes, run);
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        for (unsigned k = 0; k < c->width; k++) {
            if (!begins_line(k, run, bytes))
                continue;
            LLVMValueRef a[] = {lane_pointer(c, LLVMGetParam(own.f, 0), k), cg_i32(c, 0),
                                cg_i32(c, 3), cg_i32(c, 1)};
            cg_call_intrinsic(c, "llvm.prefetch", &c->ptr, 1, a, 4);
        }
        LLVMBuildRetVoid(c->b);
        cg_end_own(c, &own);
    }
    LLVMValueRef memory = addresses(g, p, true);
    cg_call_own(c, type, own.f, &memory, 1);
}

// The copies from `first` on with nothing between them but what can be computed before all of them.
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
            load[n++] = i;
        }
    }
    return n;
}

void cg_prefetch_copies(struct cg_func *g, struct kir_inst *first) {
    struct kir_inst *load[MOST_COPIES], *end = NULL;
    if (g->copies_end || !may_copy(g, first))
        return;
    unsigned n = find_row(g, first, load, &end);
    if (n < 2)
        return;
    for (struct kir_inst *i = first; i != end; i = i->next)
        if (is_pure(i) && i->nres && cg_val_of(g, i->res[0])->epoch != CG_PERMANENT &&
            !cg_is_again(g, i->res[0]))
            cg_emit_inst(g, i);
    for (unsigned k = 0; k < n; k++) {
        struct cg_places p = cg_places_of(g, load[k]);
        prefetch(g, load[k], cg_pointers(g, &p));
    }
    g->copies_end = end;
}
