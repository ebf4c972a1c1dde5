// What all groups of a block load alike from shared memory, and take apart or gather, is made by
// the first group and kept for the others: a tile's row as four words a thread, or its column, as
// each row of threads or each warp needs them for a product.
//
// Between two barriers the groups run such loads in the same order, so that one place, which moves
// on with each of them, is enough. No thread stores there meanwhile: others load there, and nothing
// but a barrier orders the two.
//
// Loads in a row are made together, in one branch that other groups leave out: behind a branch for
// each, LLVM would make what is computed of them only where all of them are there.
#include "codegen/memory/cg_once.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/memory/cg_lane_words.h"
#include "codegen/memory/cg_mem.h"
#include "isa/ops/warp.h"
#include "passes/analysis/alike.h"

enum {
    KEPT = 8192,     // bytes that are kept at a time; loads behind them are made by each group
    MOST_LOADS = 32, // that are made together
    LEAST_GROUPS = 4
};

struct one {
    struct kir_inst *i;
    struct cg_costly_load *load;
    unsigned at; // bytes
};

struct cg_once {
    struct alike alike;
    LLVMValueRef kept;          // their memory, and behind it as much for what is not kept
    LLVMValueRef from;          // ptr variable: the same, for loads
    LLVMValueRef at;            // i64 variable: where the next loads' results are
    struct one row[MOST_LOADS]; // made together, not used yet
    unsigned n;
    LLVMValueRef place; // where they are
};

static bool is_candidate(const struct alike *alike, const struct kir_inst *i) {
    return i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_SHARED && alike->blocks[i->block->id] &&
           i->ops[0]->kind == KIR_VALUE_INST && alike->values[i->ops[0]->id];
}

static bool has_candidate(const struct cg_func *g, const struct alike *alike) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (is_candidate(alike, i) && g->fl->shape[i->ops[0]->id].kind != SHAPE_UNIFORM)
                return true;
    return false;
}

static bool may_keep(const struct cg *c) {
    uint32_t n = c->spec.ntid[0] * c->spec.ntid[1] * c->spec.ntid[2];
    return c->mode == KD_MODE_BLOCK && !c->splits && !c->quick && c->team == 1 && c->width > 1 &&
           n % c->width == 0 && n / c->width >= LEAST_GROUPS;
}

void cg_make_once(struct cg_func *g) {
    struct cg *c = g->cg;
    struct alike alike;
    if (!may_keep(c) || !find_alike(c->arena, g->fl, &alike) || !has_candidate(g, &alike))
        return;
    g->once = arena_new(c->arena, struct cg_once);
    g->once->alike = alike;
    g->once->kept = LLVMBuildAlloca(c->b, LLVMArrayType2(c->i8, 2 * KEPT), "kept");
    LLVMSetAlignment(g->once->kept, 64);
    g->once->from = LLVMBuildAlloca(c->b, c->ptr, "kept.from");
    LLVMSetVolatile(LLVMBuildStore(c->b, g->once->kept, g->once->from), 1);
    g->once->at = LLVMBuildAlloca(c->b, c->i64, "kept.at");
}

void cg_begin_once(struct cg_func *g) {
    if (g->once)
        LLVMBuildStore(g->cg->b, cg_i64(g->cg, 0), g->once->at);
}

static bool is_made_once(struct cg_func *g, const struct kir_inst *i) {
    return is_candidate(&g->once->alike, i) && cg_load_costs(g, i);
}

// Do loads behind i have to be made behind it?
static bool ends_row(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_BLOCK || i->op == ISA_OP_ST || i->op == ISA_OP_BAR_WARP_SYNC;
}

// Is i the first load of its row?
static bool is_first(struct cg_func *g, const struct kir_inst *i) {
    for (i = i->prev; i && !ends_row(i); i = i->prev)
        if (is_made_once(g, i))
            return false;
    return true;
}

// Is v there where `first` stands?
static bool is_there(const struct kir_value *v, const struct kir_inst *first) {
    const struct kir_inst *i = first;
    while (i && i != v->def)
        i = i->next;
    return v->def->block != first->block || !i;
}

// Finds the row that begins with `first`, and makes what later code can find again. Returns its
// bytes.
static unsigned find_row(struct cg_func *g, struct kir_inst *first) {
    struct cg_once *o = g->once;
    unsigned bytes = 0;
    o->n = 0;
    for (struct kir_inst *i = first; i && !ends_row(i) && o->n < MOST_LOADS; i = i->next) {
        if (!is_made_once(g, i) || !is_there(i->ops[0], first))
            continue;
        struct cg_costly_load *load = cg_prepare_costly(g, i);
        unsigned size = cg_costly_bytes(g, load);
        if (bytes + size > KEPT)
            break;
        o->row[o->n++] = (struct one){i, load, bytes};
        bytes += size;
    }
    return bytes;
}

static LLVMValueRef place_at(struct cg *c, LLVMValueRef p, LLVMValueRef at) {
    return LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
}

static unsigned vector_bytes(struct cg_func *g, const struct cg_costly_load *l, unsigned count) {
    return cg_costly_bytes(g, l) / count;
}

static void make_row(struct cg_func *g, LLVMValueRef place) {
    struct cg *c = g->cg;
    LLVMValueRef x[8];
    for (unsigned k = 0; k < g->once->n; k++) {
        const struct one *l = &g->once->row[k];
        unsigned count = cg_make_costly(g, l->load, x);
        for (unsigned v = 0; v < count; v++) {
            unsigned bytes = vector_bytes(g, l->load, count);
            LLVMValueRef p = place_at(c, place, cg_i64(c, l->at + v * bytes));
            LLVMSetAlignment(LLVMBuildStore(c->b, x[v], p), bytes < 64 ? bytes : 64);
        }
    }
    cg_forget_lane_words(g); // other groups do not come here
}

// The row is loaded through a pointer of which LLVM knows nothing: what the first group has in
// registers is not worth a phi for each vector.
static void begin_row(struct cg_func *g, struct kir_inst *first) {
    struct cg *c = g->cg;
    struct cg_once *o = g->once;
    unsigned bytes = find_row(g, first);
    LLVMBasicBlockRef make = cg_new_block(g, "first"), there = cg_new_block(g, "kept");
    LLVMValueRef at = LLVMBuildLoad2(c->b, c->i64, o->at, "");
    LLVMValueRef fits = LLVMBuildICmp(c->b, LLVMIntULE, at, cg_i64(c, KEPT - bytes), "");
    LLVMValueRef later = LLVMBuildICmp(c->b, LLVMIntNE, g->now.group, cg_i32(c, 0), "");
    LLVMBuildStore(c->b, LLVMBuildAdd(c->b, at, cg_i64(c, bytes), ""), o->at);
    at = LLVMBuildSelect(c->b, fits, at, cg_i64(c, KEPT), "");
    LLVMBuildCondBr(c->b, LLVMBuildAnd(c->b, fits, later, ""), there, make);
    LLVMPositionBuilderAtEnd(c->b, make);
    make_row(g, place_at(c, o->kept, at));
    LLVMBuildBr(c->b, there);
    LLVMPositionBuilderAtEnd(c->b, there);
    LLVMValueRef from = LLVMBuildLoad2(c->b, c->ptr, o->from, "");
    LLVMSetVolatile(from, 1);
    o->place = place_at(c, from, at);
}

bool cg_load_once(struct cg_func *g, struct kir_inst *i, LLVMValueRef *x) {
    struct cg *c = g->cg;
    struct cg_once *o = g->once;
    if (!o || g->now.mask || !g->fl->full[i->block->id] || !is_made_once(g, i))
        return false;
    if (is_first(g, i))
        begin_row(g, i);
    for (unsigned k = 0; k < o->n; k++) {
        const struct one *l = &o->row[k];
        if (l->i != i)
            continue;
        unsigned count = i->mods.vec ? i->mods.vec : 1, bytes = vector_bytes(g, l->load, count);
        for (unsigned v = 0; v < count; v++) {
            LLVMValueRef p = place_at(c, o->place, cg_i64(c, l->at + v * bytes));
            x[v] = LLVMBuildLoad2(c->b, cg_costly_type(g, l->load), p, "");
            LLVMSetAlignment(x[v], bytes < 64 ? bytes : 64);
        }
        return true;
    }
    return false;
}
