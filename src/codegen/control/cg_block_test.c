// A kernel can begin with a test that is the same for all threads of a block, as whole_blocks.h's.
// Where a run of blocks is walked through row by row the tests of all blocks are made before, and
// blocks that follow each other with one outcome are a stretch: one row of its threads is one row
// of memory, as a rule, which a loop without tests walks along.
#include "codegen/control/cg_block_test.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_invariant.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"

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

// What is known so far is forgotten where the tests have been made: it is of their blocks.
static void forget_since(struct cg_func *g, const uint32_t *epochs) {
    for (uint32_t v = 0; v < g->f->value_count; v++)
        g->now.vals[v].epoch = epochs[v];
}

static LLVMValueRef element(struct cg *c, LLVMTypeRef t, LLVMValueRef array, LLVMValueRef n) {
    LLVMValueRef at = LLVMBuildZExt(c->b, n, c->i64, "");
    return LLVMBuildInBoundsGEP2(c->b, t, array, &at, 1, "");
}

// The loop goes from the last block of a piece to the first. `next` is the one behind.
static void keep_test(struct cg_func *g, const struct cg_stretches *s, LLVMValueRef step,
                      LLVMValueRef test, LLVMValueRef count) {
    struct cg *c = g->cg;
    LLVMValueRef next = LLVMBuildNUWAdd(c->b, step, cg_i32(c, 1), "");
    LLVMValueRef has_next = LLVMBuildICmp(c->b, LLVMIntULT, next, count, "");
    LLVMValueRef behind = LLVMBuildSelect(c->b, has_next, next, step, "");
    LLVMValueRef as_next = LLVMBuildICmp(
        c->b, LLVMIntEQ, LLVMBuildLoad2(c->b, c->i8, element(c, c->i8, s->tests, behind), ""),
        LLVMBuildZExt(c->b, test, c->i8, ""), "");
    LLVMValueRef end = LLVMBuildSelect(
        c->b, LLVMBuildAnd(c->b, has_next, as_next, ""),
        LLVMBuildLoad2(c->b, c->i32, element(c, c->i32, s->ends, behind), ""), next, "");
    LLVMBuildStore(c->b, LLVMBuildZExt(c->b, test, c->i8, ""), element(c, c->i8, s->tests, step));
    LLVMBuildStore(c->b, end, element(c, c->i32, s->ends, step));
}

bool cg_emit_block_tests(struct cg_func *g, struct cg_stretches *s, LLVMValueRef first,
                         LLVMValueRef count, LLVMBasicBlockRef done) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef head = cg_new_block(g, "test.head"), from = LLVMGetInsertBlock(c->b);
    struct kir_value *test = g->f->blocks.data[0]->last->ops[0];
    uint32_t *epochs = arena_array(c->arena, uint32_t, g->f->value_count + 1);
    for (uint32_t v = 0; v < g->f->value_count; v++)
        epochs[v] = g->now.vals[v].epoch;
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    LLVMValueRef left = LLVMBuildPhi(c->b, c->i32, "left");
    LLVMValueRef step = LLVMBuildNUWSub(c->b, left, cg_i32(c, 1), "");
    g->ctaid_x = LLVMBuildNUWAdd(c->b, first, step, "tested.x");
    cg_emit_invariants(g, false);
    bool all = cg_is_test_invariant(g);
    if (all) {
        cg_emit_test_only(g);
        keep_test(g, s, step, cg_scalar(g, test), count);
    }
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntNE, all ? step : cg_i32(c, 0), cg_i32(c, 0), "");
    LLVMValueRef values[2] = {count, step};
    LLVMBasicBlockRef blocks[2] = {from, LLVMGetInsertBlock(c->b)};
    LLVMBuildCondBr(c->b, more, head, done);
    LLVMAddIncoming(left, values, blocks, 2);
    forget_since(g, epochs);
    if (!all)
        g->test_only = NULL;
    return all;
}

LLVMValueRef cg_stretch_end(struct cg_func *g, const struct cg_stretches *s, LLVMValueRef step) {
    return LLVMBuildLoad2(g->cg->b, g->cg->i32, element(g->cg, g->cg->i32, s->ends, step), "end");
}

LLVMValueRef cg_stretch_test(struct cg_func *g, const struct cg_stretches *s, LLVMValueRef step) {
    struct cg *c = g->cg;
    LLVMValueRef x = LLVMBuildLoad2(c->b, c->i8, element(c, c->i8, s->tests, step), "");
    return LLVMBuildTrunc(c->b, x, c->i1, "test");
}

void cg_set_block_test(struct cg_func *g, LLVMValueRef test) {
    struct kir_value *v = g->f->blocks.data[0]->last->ops[0];
    cg_val_of(g, v)->epoch = CG_PERMANENT;
    cg_set_scalar(g, v, test);
}
