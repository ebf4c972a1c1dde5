// A function's blocks, in layout order: the tests before them, their instructions for all groups of
// a team, and the ends of loops.
#include "codegen/control/cg_block.h"
#include "codegen/access/cg_words.h"
#include "codegen/control/cg_ask_whole.h"
#include "codegen/control/cg_body.h"
#include "codegen/control/cg_counted.h"
#include "codegen/control/cg_edge.h"
#include "codegen/control/cg_park.h"
#include "codegen/control/cg_runs.h"
#include "codegen/control/cg_wait.h"
#include "codegen/control/cg_whole.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_stack.h"
#include "codegen/emit/cg_steps.h"
#include "codegen/value/cg_value.h"
#include "passes/analysis/skew.h"
#include "passes/flow/waiting.h"

// Is a lane of any group of the team in the block's mask?
static LLVMValueRef any_in_team(struct cg_func *g, const struct kir_block *b) {
    struct cg *c = g->cg;
    LLVMValueRef all = NULL;
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        LLVMValueRef m = LLVMBuildLoad2(c->b, cg_mask_type(c), g->now.mask_var[b->id], "");
        all = all ? LLVMBuildOr(c->b, all, m, "") : m;
    }
    return cg_any(g, all);
}

static void begin_body(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        g->now.mask = g->entry_mask;
        if (g->now.mask_var[b->id]) {
            LLVMValueRef none = LLVMConstNull(cg_mask_type(c));
            LLVMValueRef known = cg_known_mask(g, b);
            g->now.mask =
                known ? known
                      : LLVMBuildLoad2(c->b, cg_mask_type(c), g->now.mask_var[b->id], "mask");
            LLVMBuildStore(c->b, none, g->now.mask_var[b->id]);
        }
        for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
            cg_store_live_out(g, i->res[0]);
    }
}

static void emit_test(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, g->test[b->id]);
    bool never = g->runs[b->id] == CG_RUNS_NEVER;
    if (!never &&
        (!g->now.mask_var[b->id] || cg_is_harmless(g, b) || g->runs[b->id] == CG_RUNS_ALWAYS ||
         g->runs[b->id] == CG_RUNS_TURN || g->rejoins[b->id])) {
        LLVMBuildBr(c->b, g->body[b->id]);
        return;
    }
    LLVMBasicBlockRef skip = cg_new_block(g, "skip");
    LLVMValueRef whole = cg_is_whole(g, b);
    if (whole) {
        LLVMBasicBlockRef ask = cg_new_block(g, "not.whole");
        LLVMBuildCondBr(c->b, whole, g->body[b->id], ask);
        LLVMPositionBuilderAtEnd(c->b, ask);
    }
    if (never)
        LLVMBuildBr(c->b, skip);
    else
        LLVMBuildCondBr(c->b, any_in_team(g, b), g->body[b->id], skip);
    LLVMPositionBuilderAtEnd(c->b, skip);
    cg_jump(g, flow_next(g->fl, b, g->fl->cfg->pos[b->id], NULL, false, NULL));
}

static void emit_loop_end(struct cg_func *g, struct kir_block *b, struct cfg_loop *l) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, g->loop_end[l->index]);
    LLVMBasicBlockRef leave = cg_new_block(g, "leave");
    if (g->now.mask_var[l->header->id])
        LLVMBuildCondBr(c->b, any_in_team(g, l->header), g->body[l->header->id], leave);
    else
        LLVMBuildBr(c->b, leave);
    LLVMPositionBuilderAtEnd(c->b, leave);
    cg_jump(g, flow_next(g->fl, b, g->fl->cfg->pos[b->id], l, true, NULL));
}

// Lets others go on when the loop has looked in vain. What it looks for is mostly there when it
// looks first, and giving way costs more than a look; later arrivals at the loop give way at once.
// A loop of which it is not known whether it waits gives way when it has run for long, and then now
// and again.
static void emit_wait(struct cg_func *g, const struct cfg_loop *l) {
    enum { LONG = 1024, NOW_AND_AGAIN = 64 };
    struct cg *c = g->cg;
    bool surely = g->fl->loop_waits[l->index] < WAITS_PERHAPS;
    LLVMValueRef left = cg_entry_alloca(g, c->i32);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b), wait = cg_new_block(g, "wait"),
                      look = cg_new_block(g, "look");
    LLVMPositionBuilderBefore(c->b, LLVMGetNextInstruction(left));
    LLVMBuildStore(c->b, cg_i32(c, surely ? 1 : LONG), left);
    LLVMPositionBuilderAtEnd(c->b, here);
    LLVMValueRef n = LLVMBuildLoad2(c->b, c->i32, left, "");
    LLVMBuildStore(c->b, LLVMBuildSub(c->b, n, cg_i32(c, 1), ""), left);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, n, cg_i32(c, 0), ""), wait, look);
    LLVMPositionBuilderAtEnd(c->b, wait);
    LLVMBuildStore(c->b, cg_i32(c, surely ? 0 : NOW_AND_AGAIN), left);
    if (!cg_emit_turn(g, l, look)) {
        cg_call_wait(g, l, true);
        LLVMBuildBr(c->b, look);
    }
    LLVMPositionBuilderAtEnd(c->b, look);
}

// What is known of shared memory, where it is not known what runs next.
static void end_of_words(struct cg_func *g, struct kir_block *b) {
    if (cg_goes_on(g, b))
        return;
    if (cg_ends_turn(g, b))
        cg_end_turn_of_words(g, !cg_is_read_behind(g, g->fl->cfg->loop[b->id]));
    else
        cg_forget_words(g);
}

static void emit_block(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    uint32_t pos = g->fl->cfg->pos[b->id];
    emit_test(g, b);
    LLVMPositionBuilderAtEnd(c->b, g->body[b->id]);
    g->epoch++;
    g->block = b;
    g->untested = g->now.mask_var[b->id] && cg_is_harmless(g, b);
    g->may_be_empty = c->team > 1 || g->untested;
    begin_body(g, b);
    if (b == g->f->blocks.data[0])
        cg_begin_stack(g);
    struct cfg_loop *in = g->fl->cfg->loop[b->id];
    if (in && in->header == b && g->fl->loop_waits[in->index])
        emit_wait(g, in);
    if (in && in->header == b && g->runs[b->id] == CG_RUNS_TURN)
        cg_begin_turn_of_words(g);
    cg_emit_full_turns(g, b);
    bool sent = cg_emit_whole(g, b);
    if (!sent)
        cg_emit_body(g, b);
    end_of_words(g, b);
    if (sent) {
        cg_go_to_next(g, b, 0);
    } else if (!cg_emit_steps(g, b)) {
        cg_find_meeting(g, b);
        cg_emit_terminator(g, b);
    }
    for (struct cfg_loop *l = in; l && l->last == pos; l = l->parent)
        emit_loop_end(g, b, l);
}

// No lane comes to a block that was emitted with one before it.
static void leave_out(struct cg_func *g, struct kir_block *b) {
    LLVMPositionBuilderAtEnd(g->cg->b, g->test[b->id]);
    LLVMBuildUnreachable(g->cg->b);
    LLVMPositionBuilderAtEnd(g->cg->b, g->body[b->id]);
    LLVMBuildUnreachable(g->cg->b);
}

void cg_emit_blocks(struct cg_func *g) {
    struct cfg *cfg = g->fl->cfg;
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        if (g->done[cfg->order[p]->id])
            leave_out(g, cfg->order[p]);
        else
            emit_block(g, cfg->order[p]);
}
