// Blocks that mostly all lanes enter, as behind `if (i < n)`, and in which masks cost: lanes lie
// two or four words apart, say, so that a mask has to be spread over the words of whole vectors
// before they are loaded or stored, or the machine has no mask registers. Such a block is emitted
// twice, without masks for when all lanes of the team enter, which scalar comparisons tell where
// the branch before it compares indices with something uniform. Where many vectors are loaded under
// one mask, each takes an instruction more for it, and the mask itself is asked.
#include "codegen/control/cg_whole.h"
#include "codegen/control/cg_all_lanes.h"
#include "codegen/control/cg_ask_whole.h"
#include "codegen/control/cg_body.h"
#include "codegen/control/cg_edge.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/state.h"
#include "codegen/memory/cg_mem.h"

enum { MANY_LINES = 4, MOST_LINES = 64 };

// Many loads of neighbouring words under b's mask, but not too many to have them twice?
static bool has_many_lines(struct cg_func *g, const struct kir_block *b) {
    unsigned n = 0;
    for (struct kir_inst *i = b->first; i != b->last; i = i->next)
        n += i->op == ISA_OP_LD && cg_is_line(g, i);
    return n >= MANY_LINES && n * g->cg->team <= MOST_LINES;
}

static void emit_version(struct cg_func *g, struct kir_block *b, LLVMBasicBlockRef after) {
    cg_emit_body(g, b);
    for (unsigned t = g->cg->team; t-- > 0;) {
        cg_turn_to(g, t);
        cg_take_lanes(g, b, 0);
    }
    LLVMBuildBr(g->cg->b, after);
}

bool cg_emit_whole(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    LLVMValueRef mask[CG_MAX_TEAM], whole = cg_is_whole(g, b);
    if (!whole && cg_could_be_whole(g, b) && has_many_lines(g, b))
        whole = cg_all_active(g);
    if (!whole)
        return false;
    note_on(c->notes, b->first, false, "without masks where all threads act");
    LLVMBasicBlockRef all = cg_new_block(g, "whole"), some = cg_new_block(g, "masked"),
                      after = cg_new_block(g, "either");
    LLVMBuildCondBr(c->b, whole, all, some);
    LLVMPositionBuilderAtEnd(c->b, all);
    cg_masks_off(g, b, mask);
    emit_version(g, b, after);
    LLVMPositionBuilderAtEnd(c->b, some);
    cg_masks_on(g, mask);
    emit_version(g, b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    g->epoch++;
    return true;
}
