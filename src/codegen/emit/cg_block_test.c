// A kernel can begin with a test that is the same for all threads of a block, as whole_blocks.h's.
// Where a run of blocks is walked through row by row each block is come to once for every row: the
// first time the test's outcome is kept.
#include "codegen/emit/cg.h"

enum { KEPT = 1024 }; // blocks of a run; of others the test is made again

// How often each value is used in f.
static uint32_t *count_uses(struct cg_func *g) {
    uint32_t *uses = arena_array(g->cg->arena, uint32_t, g->f->value_count + 1);
    for (uint32_t b = 0; b < g->f->blocks.len; b++)
        for (const struct kir_inst *i = g->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t o = 0; o < i->nops; o++)
                if (i->ops[o]->kind == KIR_VALUE_INST)
                    uses[i->ops[o]->id]++;
    return uses;
}

void cg_find_block_test(struct cg_func *g) {
    struct kir_block *entry = g->f->blocks.data[0];
    struct kir_inst *test = entry->last;
    g->test_only = NULL;
    if (!g->walks_rows || test->op != ISA_OP_CBR || test->ops[0]->kind != KIR_VALUE_INST ||
        test->ops[0]->def->block != entry)
        return;
    uint32_t *uses = count_uses(g);
    g->test_only = arena_array(g->cg->arena, uint8_t, g->f->value_count + 1);
    for (const struct kir_inst *i = test; i; i = i->prev) {
        bool only = i == test || (i->nres == 1 && !uses[i->res[0]->id]);
        if (only && i != test)
            g->test_only[i->res[0]->id] = 1;
        for (uint32_t o = 0; only && o < i->nops; o++)
            if (i->ops[o]->kind == KIR_VALUE_INST)
                uses[i->ops[o]->id]--;
    }
    if (!g->test_only[test->ops[0]->id])
        g->test_only = NULL;
}

void cg_emit_block_test(struct cg_func *g, LLVMValueRef row, LLVMValueRef step) {
    struct cg *c = g->cg;
    if (!g->test_only)
        return;
    struct kir_value *test = g->f->blocks.data[0]->last->ops[0];
    if (!cg_is_test_invariant(g)) {
        g->test_only = NULL;
        cg_emit_invariants(g, false);
        return;
    }
    LLVMBasicBlockRef make = cg_new_block(g, "make.test"), take = cg_new_block(g, "take.test"),
                      made = cg_new_block(g, "tested"), from;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMPositionBuilder(c->b, LLVMGetEntryBasicBlock(g->fn),
                        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(g->fn)));
    LLVMValueRef kept = LLVMBuildAlloca(c->b, LLVMArrayType2(c->i8, KEPT), "tests");
    LLVMPositionBuilderAtEnd(c->b, here);
    LLVMValueRef at = LLVMBuildZExt(c->b, step, c->i64, "");
    LLVMValueRef p = LLVMBuildGEP2(c->b, c->i8, kept, &at, 1, "");
    LLVMValueRef keeps = LLVMBuildICmp(c->b, LLVMIntULT, step, cg_i32(c, KEPT), "keeps");
    LLVMValueRef known = LLVMBuildICmp(c->b, LLVMIntNE, row, cg_i32(c, 0), "");
    LLVMBuildCondBr(c->b, LLVMBuildAnd(c->b, known, keeps, ""), take, make);
    LLVMPositionBuilderAtEnd(c->b, make);
    cg_emit_test_only(g);
    LLVMValueRef x = cg_scalar(g, test);
    LLVMBasicBlockRef keep = cg_new_block(g, "keep.test");
    from = LLVMGetInsertBlock(c->b);
    LLVMBuildCondBr(c->b, keeps, keep, made);
    LLVMPositionBuilderAtEnd(c->b, keep);
    LLVMBuildStore(c->b, LLVMBuildZExt(c->b, x, c->i8, ""), p);
    LLVMBuildBr(c->b, made);
    LLVMPositionBuilderAtEnd(c->b, take);
    LLVMValueRef old = LLVMBuildTrunc(c->b, LLVMBuildLoad2(c->b, c->i8, p, ""), c->i1, "");
    LLVMBuildBr(c->b, made);
    LLVMPositionBuilderAtEnd(c->b, made);
    LLVMValueRef values[3] = {x, x, old};
    LLVMBasicBlockRef blocks[3] = {from, keep, take};
    LLVMValueRef all = LLVMBuildPhi(c->b, c->i1, "test");
    LLVMAddIncoming(all, values, blocks, 3);
    cg_set_scalar(g, test, all);
}
