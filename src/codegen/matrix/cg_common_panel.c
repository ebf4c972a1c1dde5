// Panels that warps of a block have in common: the warps that multiply with the same rows of shared
// memory between two barriers fill them once (device/helpers/common_panel.c). That needs that warps
// agree at the block's barriers alone: where one could wait for another in between, rows may
// change. And what tells rows must be where they begin: those whose offsets are known only when the
// kernel runs, and factors that come from registers, are each warp's own.
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/matrix/cg_tile_internal.h"
#include "ir/async.h"
#include "isa/ops/cluster.h"

struct cg_common {
    bool refused;
    LLVMValueRef from, filled; // what kd_rt_common_panels is told, and tells
    uint32_t places;
};

// May a warp learn by it what another one has done?
static bool agrees(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_FENCE || i->op == ISA_OP_ATOM || i->op == ISA_OP_CALL ||
           i->op == ISA_OP_BARRIER_CLUSTER_ARRIVE || i->op == ISA_OP_BARRIER_CLUSTER_WAIT ||
           kir_async_waits(i) || (i->op == ISA_OP_LD && i->mods.sem != ISA_SEM_WEAK);
}

static bool warps_agree(const struct cg_func *g) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (agrees(i))
                return true;
    return false;
}

static bool has_one_warp(const struct cg *c) {
    uint32_t n = c->spec.ntid[0] * c->spec.ntid[1] * c->spec.ntid[2];
    return n && n <= LANES;
}

static void forget(struct cg *c, bool begins) {
    LLVMValueRef arg = cg_i32(c, begins);
    cg_call_rt(c, "kd_rt_forget_panels", &arg, 1);
}

// A call may begin amid the block's pass, where others help it: at its own beginning nothing is
// known either.
static void begin_to_forget(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMPositionBuilderBefore(c->b, LLVMGetBasicBlockTerminator(g->entry));
    forget(c, true);
    LLVMPositionBuilderBefore(c->b, LLVMGetFirstInstruction(g->pass));
    forget(c, false);
    LLVMPositionBuilderAtEnd(c->b, here);
}

static struct cg_common *common_of(struct cg_func *g) {
    struct cg *c = g->cg;
    if (g->common)
        return g->common;
    g->common = arena_new(c->arena, struct cg_common);
    g->common->refused = !g->pass || c->one_team || has_one_warp(c) || warps_agree(g);
    if (g->common->refused)
        return g->common;
    g->common->from = cg_entry_alloca(g, LLVMArrayType2(c->i64, KD_COMMON_ROWS_MOST));
    g->common->filled = cg_entry_alloca(g, c->i32);
    begin_to_forget(g);
    return g->common;
}

// The different rows of a's (b's) pieces from `first` on; how many they are, 0: not all are in
// shared memory and known, or they are too many.
static unsigned rows_of(const struct tile_call *call, bool of_b, unsigned first, unsigned n,
                        uint16_t *rows) {
    bool seen[CG_TILE_ROWS] = {false};
    unsigned found = 0;
    for (unsigned eight = 0; eight < (of_b ? call->across : call->down) * 2; eight++)
        for (unsigned k = first; k < first + n; k++) {
            uint16_t r = (of_b ? call->b : call->a)[eight][k].rows;
            if (seen[r])
                continue;
            if (found == KD_COMMON_ROWS_MOST || call->rows[r].vector ||
                !cg_knows_offsets(&call->rows[r]))
                return 0;
            seen[r] = true;
            rows[found++] = r;
        }
    return found;
}

LLVMValueRef cg_begin_common(struct cg_func *g, const struct tile_call *call, bool of_b,
                             unsigned first, unsigned n, LLVMBasicBlockRef *ready) {
    struct cg *c = g->cg;
    struct cg_common *common = common_of(g);
    uint16_t rows[KD_COMMON_ROWS_MOST];
    unsigned found = common->refused ? 0 : rows_of(call, of_b, first, n, rows);
    if (!found)
        return NULL;
    for (unsigned k = 0; k < found; k++) {
        LLVMValueRef at = cg_i64(c, k), to;
        to = LLVMBuildInBoundsGEP2(c->b, c->i64, common->from, &at, 1, "");
        LLVMBuildStore(c->b, LLVMBuildPtrToInt(c->b, call->rows[rows[k]].base, c->i64, ""), to);
    }
    LLVMValueRef args[] = {cg_i32(c, common->places++), g->now.group, cg_i32(c, found),
                           common->from, common->filled};
    LLVMValueRef memory = cg_call_rt(c, "kd_rt_common_panels", args, 5);
    LLVMValueRef filled = LLVMBuildLoad2(c->b, c->i32, common->filled, "");
    LLVMBasicBlockRef fill = cg_new_block(g, "fill");
    *ready = cg_new_block(g, "filled");
    filled = LLVMBuildICmp(c->b, LLVMIntNE, filled, cg_i32(c, 0), "");
    LLVMBuildCondBr(c->b, filled, *ready, fill);
    LLVMPositionBuilderAtEnd(c->b, fill);
    return memory;
}

void cg_end_common(struct cg *c, LLVMBasicBlockRef ready) {
    LLVMBuildBr(c->b, ready);
    LLVMPositionBuilderAtEnd(c->b, ready);
}
