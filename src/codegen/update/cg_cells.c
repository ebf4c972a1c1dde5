// Operations of all lanes on one word of global memory, as counters and maxima have them: a run of
// blocks keeps the word's address and a vector, into which each group combines its operands lane by
// lane. The lanes are combined with each other, and with memory, when the group goes to another
// word, and at the run's end.
#include <stddef.h>
#include <stdio.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_cells.h"
#include "codegen/update/cg_reds.h"
#include "codegen/update/cg_thread_atomic.h"
#include "codegen/value/cg_value.h"

#define FIELD(name) offsetof(struct kd_cell, name)

// Where there are several kinds the device looks for cells that are for one word: then they lie in
// memory, otherwise in registers.
LLVMValueRef cg_make_cells(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_reds *r = g->reds;
    LLVMValueRef states = LLVMConstNull(c->ptr);
    if (r->mixed && r->ncells) {
        LLVMTypeRef all = LLVMArrayType2(c->i8, r->ncells * sizeof(struct kd_cell));
        states = LLVMBuildAlloca(c->b, all, "cells");
        LLVMSetAlignment(states, 64);
    }
    for (unsigned n = 0; n < r->ncells; n++) {
        struct cg_cell *cell = &r->cells[n];
        LLVMValueRef none = cg_neutral_vector(g, cell->i);
        cell->value = LLVMBuildAlloca(c->b, LLVMTypeOf(none), "cell.value");
        LLVMBuildStore(c->b, none, cell->value);
        if (r->mixed) {
            cell->state = cg_field(c, states, n * sizeof(struct kd_cell));
            cell->address = cg_field(c, cell->state, FIELD(address));
            cg_set_field(c, cell->state, FIELD(values), cell->value);
            cg_set_field(c, cell->state, FIELD(op), cg_i32(c, cell->kind.op));
            cg_set_field(c, cell->state, FIELD(bytes), cg_i32(c, cell->kind.bytes));
            cg_set_field(c, cell->state, FIELD(lanes), cg_i32(c, c->width));
        } else {
            cell->address = LLVMBuildAlloca(c->b, c->i64, "cell");
        }
        LLVMBuildStore(c->b, cg_i64(c, 0), cell->address);
    }
    return states;
}

// flush(value, address)
static void call_flush(struct cg_func *g, const struct cg_cell *cell, LLVMValueRef value,
                       LLVMValueRef address) {
    struct cg *c = g->cg;
    char name[48];
    snprintf(name, sizeof name, "kd_combine_%u_%u", (unsigned)cell->kind.op, cell->kind.bytes);
    LLVMTypeRef params[2] = {LLVMTypeOf(value), c->i64};
    LLVMTypeRef t = LLVMFunctionType(c->void_t, params, 2, 0);
    struct cg_own own = cg_own_function(c, name, t, CG_ANY_EFFECT);
    if (own.from) {
        LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(c->ctx, own.f, "some"),
                          done = LLVMAppendBasicBlockInContext(c->ctx, own.f, "done");
        LLVMValueRef x = cg_reduced(g, cell->i, LLVMGetParam(own.f, 0));
        LLVMValueRef none = LLVMConstInt(LLVMTypeOf(x), cg_neutral(cell->i), 0);
        LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, x, none, ""), some, done);
        LLVMPositionBuilderAtEnd(c->b, some);
        LLVMValueRef p = LLVMBuildIntToPtr(c->b, LLVMGetParam(own.f, 1), c->ptr, "");
        cg_combine_with(g, cell->i, p, x);
        LLVMBuildBr(c->b, done);
        LLVMPositionBuilderAtEnd(c->b, done);
        LLVMBuildRetVoid(c->b);
        cg_end_own(c, &own);
    }
    LLVMValueRef args[2] = {value, address};
    cg_call_own(c, t, own.f, args, 2);
}

void cg_flush_cell(struct cg_func *g, const struct cg_cell *cell) {
    struct cg *c = g->cg;
    LLVMValueRef state = cell->state;
    if (state) {
        cg_call_rt(c, "kd_rt_flush_cell", &state, 1);
        return;
    }
    LLVMBasicBlockRef some = cg_new_block(g, "cell.flush"), done = cg_new_block(g, "cell.flushed");
    LLVMValueRef address = LLVMBuildLoad2(c->b, c->i64, cell->address, "");
    LLVMValueRef known = LLVMBuildICmp(c->b, LLVMIntNE, address, cg_i64(c, 0), "");
    LLVMBuildCondBr(c->b, known, some, done);
    LLVMPositionBuilderAtEnd(c->b, some);
    LLVMValueRef none = cg_neutral_vector(g, cell->i);
    LLVMValueRef value = LLVMBuildLoad2(c->b, LLVMTypeOf(none), cell->value, "");
    call_flush(g, cell, value, address);
    LLVMBuildStore(c->b, none, cell->value);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

// From now on the cell is for the word at p.
static void go_to(struct cg_func *g, const struct cg_cell *cell, LLVMValueRef p) {
    struct cg *c = g->cg;
    struct cg_reds *r = g->reds;
    if (cell->state) {
        LLVMValueRef args[3] = {r->state, cg_i32(c, (uint32_t)(cell - r->cells)), p};
        cg_call_rt(c, "kd_rt_move_cell", args, 3);
        cg_forget_bounds(g, NULL);
        return;
    }
    cg_flush_cell(g, cell);
    LLVMBuildStore(c->b, p, cell->address);
}

bool cg_combine_in_cell(struct cg_func *g, struct kir_inst *i, LLVMValueRef p, LLVMValueRef x) {
    struct cg *c = g->cg;
    const struct cg_red_site *s = cg_red_site(g, i);
    if (!s || !s->cell)
        return false;
    const struct cg_cell *cell = s->cell;
    note_on(c->notes, i, false, "'%s': kept for a run of blocks, a value a lane",
            isa_op_info[i->op].name);
    struct cg_active active = cg_begin_active(g);
    LLVMBasicBlockRef other = cg_new_block(g, "other.word"), same = cg_new_block(g, "word");
    LLVMValueRef address = LLVMBuildLoad2(c->b, c->i64, cell->address, "");
    LLVMValueRef differs = LLVMBuildICmp(c->b, LLVMIntNE, p, address, "");
    LLVMBuildCondBr(c->b, differs, other, same);
    LLVMPositionBuilderAtEnd(c->b, other);
    go_to(g, cell, p);
    LLVMBuildBr(c->b, same);
    LLVMPositionBuilderAtEnd(c->b, same);
    LLVMValueRef value = LLVMBuildLoad2(c->b, LLVMTypeOf(x), cell->value, "");
    LLVMBuildStore(c->b, cg_combined(c, i, value, x), cell->value);
    cg_end_active(g, &active, NULL, 0);
    return true;
}
