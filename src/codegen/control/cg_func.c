// One function. A kernel in KD_MODE_BLOCK becomes
//
//     entry:       variables
//     block.head:  for each block of the run that it is called with: what does not depend on the
//                  thread
//     group.head:  for each group of `width` threads: index, mask; with barriers: the state that
//                  the group stopped in, and a switch to where it goes on
//       the blocks of the kernel, in layout order
//     group.next:  next group; after the last one: done, or another pass if groups wait
//     block.next:  next block of the run
//
// A run's blocks are neighbours in x. Where blocks are rows of whole groups and nothing ties the
// groups of a block to each other, the loop over rows stands outside the loop over blocks: memory
// is then walked through along x, not tile by tile.
//
// In the stack modes, and in device functions, the group is given and there is no loop.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "codegen/access/cg_words.h"
#include "codegen/ahead/cg_stream.h"
#include "codegen/control/cg_ahead.h"
#include "codegen/control/cg_block.h"
#include "codegen/control/cg_block_test.h"
#include "codegen/control/cg_func.h"
#include "codegen/control/cg_park.h"
#include "codegen/control/cg_runs.h"
#include "codegen/control/cg_slot.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_fault.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_invariant.h"
#include "codegen/emit/cg_prefetch_stores.h"
#include "codegen/matrix/cg_tile.h"
#include "codegen/memory/cg_once.h"
#include "codegen/memory/cg_plan.h"
#include "codegen/update/cg_append.h"
#include "codegen/update/cg_reds.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "plan/plan.h"

#define FIELD(name) offsetof(struct kd_block, name)

// ---- the function around the blocks -------------------------------------------------------

static struct cg_func *new_func(struct cg *c, struct kir_func *f, struct flow *fl) {
    struct cg_func *g = arena_new(c->arena, struct cg_func);
    uint32_t nb = f->blocks.len, nv = f->value_count;
    g->cg = c;
    g->f = f;
    g->fl = fl;
    g->test = arena_array(c->arena, LLVMBasicBlockRef, nb + 1);
    g->body = arena_array(c->arena, LLVMBasicBlockRef, nb + 1);
    g->done = arena_array(c->arena, uint8_t, nb + 1);
    g->loop_end = arena_array(c->arena, LLVMBasicBlockRef, fl->cfg->loops.len + 1);
    for (unsigned t = 0; t < c->team; t++) {
        struct cg_group *own = &g->groups[t];
        own->mask_var = arena_array(c->arena, LLVMValueRef, nb + 1);
        own->mask_known = arena_array(c->arena, LLVMValueRef, nb + 1);
        own->known = arena_array(c->arena, LLVMValueRef, nv + 1);
        own->vals = arena_array(c->arena, struct cg_val, nv + 1);
        own->vars = arena_array(c->arena, struct cg_var, nv + 1);
    }
    g->now = g->groups[0];
    g->crosses = arena_array(c->arena, uint8_t, nv + 1);
    g->read = cg_read_values(c->arena, f);
    g->nan = arena_array(c->arena, uint8_t, nv + 1);
    g->epoch = 1;
    return g;
}

// Tells LLVM how many bytes can be accessed at a pointer that was loaded.
static void says_size(struct cg *c, LLVMValueRef load, uint32_t bytes) {
    if (!bytes || !c->target.fused)
        return;
    LLVMMetadataRef n = LLVMValueAsMetadata(cg_i64(c, bytes));
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(c->ctx, "dereferenceable", 15),
                    LLVMMetadataAsValue(c->ctx, LLVMMDNodeInContext2(c->ctx, &n, 1)));
}

// At which groups stop.
static bool has_barrier(const struct cg_func *g) {
    if (g->cg->parks && g->f->is_kernel)
        return true;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                return true;
    return false;
}

static bool meets_threads(const struct cg_func *g) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (cg_is_meeting(g, i))
                return true;
    return false;
}

static void begin(struct cg_func *g) {
    struct cg *c = g->cg;
    g->entry = cg_new_block(g, "entry");
    LLVMPositionBuilderAtEnd(c->b, g->entry);
    g->params = cg_block_field(g, FIELD(params), c->ptr, "params");
    g->shared_base = cg_block_field(g, FIELD(shared), c->ptr, "shared");
    says_size(c, g->shared_base, c->kernel->shared_static);
    LLVMValueRef dynamic = cg_block_field(g, FIELD(dynamic_shared), c->i32, "dynamic_shared");
    g->dynamic_shared = LLVMBuildZExt(c->b, dynamic, c->i64, "");
    g->local_base = cg_block_field(g, FIELD(local), c->ptr, "local");
    g->local_stride = cg_block_field(g, FIELD(local_stride), c->i64, "local_stride");
    uint32_t n = c->spec.ntid[0] * c->spec.ntid[1] * c->spec.ntid[2];
    g->nthreads = n ? cg_i32(c, n) : cg_block_field(g, FIELD(nthreads), c->i32, "nthreads");
    cg_find_nans(g);
    cg_find_alignment(g);
    cg_find_crossing(g);
    cg_find_runs(g);
    cg_make_words(g);
    cg_make_appends(g);
    cg_make_reds(g);
    cg_make_plan(g);
    cg_find_streams(g);
    if (has_barrier(g) && g->f->is_kernel && !g->cg->one_team)
        cg_make_once(g);
}

static void make_blocks(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cfg *cfg = g->fl->cfg;
    char name[32];
    for (uint32_t p = 0; p < cfg->nblocks; p++) {
        uint32_t id = cfg->order[p]->id;
        snprintf(name, sizeof name, "t%u", id);
        g->test[id] = cg_new_block(g, name);
        snprintf(name, sizeof name, "b%u", id);
        g->body[id] = cg_new_block(g, name);
    }
    for (uint32_t k = 0; k < cfg->loops.len; k++)
        g->loop_end[k] = cg_new_block(g, "loop.end");
    LLVMPositionBuilderAtEnd(c->b, g->entry);
    cg_find_lines(g);
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        for (uint32_t p = 0; p < cfg->nblocks; p++) {
            uint32_t id = cfg->order[p]->id;
            if (g->plan->masks[id] == PLAN_BLOCK)
                g->now.mask_var[id] = LLVMBuildAlloca(c->b, cg_mask_type(c), "m");
        }
        cg_make_vars(g);
    }
}

static void reset_masks(struct cg_func *g) {
    for (uint32_t k = 0; k < g->f->blocks.len; k++)
        if (g->now.mask_var[k])
            LLVMBuildStore(g->cg->b, LLVMConstNull(cg_mask_type(g->cg)), g->now.mask_var[k]);
}

// The mask of a group's existing threads: NULL when all exist.
static LLVMValueRef existing_lanes(struct cg_func *g) {
    struct cg *c = g->cg;
    if (g->plan->in.all_lanes)
        return NULL;
    return LLVMBuildICmp(c->b, LLVMIntULT, cg_lane_index(g), cg_splat(c, g->nthreads), "exists");
}

// What a group saves at a barrier begins with the state it stopped in. `first`: that of the team's
// first group; NULL: this is it.
static LLVMValueRef group_spill(struct cg_func *g, LLVMValueRef first) {
    struct cg *c = g->cg;
    LLVMValueRef n = first ? cg_i64(c, g->turn) : LLVMBuildZExt(c->b, g->now.group, c->i64, "");
    LLVMValueRef stride = LLVMBuildLoad2(c->b, c->i64, c->spill_stride, "");
    LLVMValueRef at = LLVMBuildMul(c->b, n, stride, "");
    return LLVMBuildGEP2(c->b, c->i8, first ? first : g->spill_base, &at, 1, "");
}

static void swap_reduction(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->red_popc)
        return;
    LLVMBuildStore(c->b, LLVMBuildLoad2(c->b, c->i32, g->red_popc, ""), g->red_prev_popc);
    LLVMBuildStore(c->b, LLVMBuildLoad2(c->b, c->i32, g->red_lanes, ""), g->red_prev_lanes);
    LLVMBuildStore(c->b, cg_i32(c, 0), g->red_popc);
    LLVMBuildStore(c->b, cg_i32(c, 0), g->red_lanes);
}

struct run_loop {
    LLVMValueRef row_var, step_var; // the row of groups; how many blocks of the piece are done
    LLVMBasicBlockRef first, row_head, head, next;
    LLVMBasicBlockRef ready;      // head's end: what is the same for a block is there
    LLVMValueRef grids_var;       // blocks of the grids that lie before the present iteration's
    LLVMBasicBlockRef grid_head;  // NULL: the kernel is no grid-stride loop
    LLVMValueRef first_x;         // of the run
    unsigned groups_in_row, rows; // 0: no loop over rows
    // Where a test of the block alone is made before: a piece of the run, and stretches of blocks
    // in it that have the same outcome. NULL: the run is one piece, and one stretch.
    LLVMBasicBlockRef piece_head, stretch_head;
    LLVMValueRef piece_var, end_var; // blocks before the piece; the block behind the stretch
    LLVMValueRef count;              // blocks of the piece
    struct cg_stretches stretches;
};

static bool touches_shared(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            enum isa_space s = i->mods.space;
            if (s == ISA_SPACE_SHARED ||
                (i->op == ISA_OP_SYMADDR && i->sym->space == ISA_SPACE_SHARED))
                return true;
        }
    return false;
}

// Does a store go elsewhere in each lane? Then the rows of a block touch the same lines.
static bool scatters(const struct cg_func *g) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ST && g->fl->shape[i->ops[0]->id].kind == SHAPE_VARYING)
                return true;
    return false;
}

// May groups of several blocks of a run take turns, row by row?
static bool rows_first(const struct cg_func *g) {
    struct cg *c = g->cg;
    const uint32_t *n = c->spec.ntid;
    if (c->splits || !n[0] || n[0] % (c->width * c->team) || n[1] * n[2] < 2 || has_barrier(g) ||
        scatters(g))
        return false;
    for (uint32_t f = 0; f < c->ir->funcs.len; f++)
        if (c->needed[f] && touches_shared(c->ir->funcs.data[f]))
            return false;
    return true;
}

// How many blocks before the step-th of the piece the run has, from its own first one on.
static LLVMValueRef in_run(struct cg_func *g, const struct run_loop *l, LLVMValueRef step) {
    struct cg *c = g->cg;
    if (!l->piece_var)
        return step;
    return LLVMBuildNUWAdd(c->b, LLVMBuildLoad2(c->b, c->i32, l->piece_var, ""), step, "");
}

// Its index in the grid, which is below 2^31.
static LLVMValueRef block_x(struct cg_func *g, const struct run_loop *l, LLVMValueRef step) {
    LLVMValueRef x = LLVMBuildNUWAdd(g->cg->b, l->first_x, in_run(g, l, step), "ctaid.x");
    LLVMSetNSW(x, 1);
    return x;
}

// The index that the kernel is to see: in a grid-stride loop, of a later iteration's.
static LLVMValueRef beyond(struct cg_func *g, const struct run_loop *l, LLVMValueRef x) {
    struct cg *c = g->cg;
    if (!l->grid_head)
        return x;
    x = LLVMBuildNUWAdd(c->b, x, LLVMBuildLoad2(c->b, c->i32, l->grids_var, ""), "beyond.x");
    LLVMSetNSW(x, 1);
    return x;
}

// The tests of the blocks of a piece, which is all that there is or CG_PIECE_BLOCKS.
static void begin_piece(struct cg_func *g, struct run_loop *l) {
    struct cg *c = g->cg;
    LLVMValueRef run = cg_block_field(g, FIELD(run), c->i32, "run"), one = cg_i32(c, 1);
    run = LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, run, cg_i32(c, 0), ""), one, run,
                          "blocks");
    LLVMValueRef piece = LLVMBuildLoad2(c->b, c->i32, l->piece_var, "piece"),
                 most = cg_i32(c, CG_PIECE_BLOCKS), left = LLVMBuildNUWSub(c->b, run, piece, "");
    l->count =
        LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, LLVMIntULT, left, most, ""), left, most, "count");
    LLVMBasicBlockRef tested = cg_new_block(g, "tested");
    LLVMValueRef first = beyond(g, l, block_x(g, l, cg_i32(c, 0)));
    cg_emit_block_tests(g, &l->stretches, first, l->count, tested);
    LLVMPositionBuilderAtEnd(c->b, tested);
}

static void begin_stretch(struct cg_func *g, struct run_loop *l) {
    struct cg *c = g->cg;
    LLVMBuildBr(c->b, l->stretch_head);
    LLVMPositionBuilderAtEnd(c->b, l->stretch_head);
    LLVMValueRef step = LLVMBuildLoad2(c->b, c->i32, l->step_var, "");
    LLVMBuildStore(c->b, cg_stretch_end(g, &l->stretches, step), l->end_var);
    cg_set_block_test(g, cg_stretch_test(g, &l->stretches, step));
}

static void make_pieces(struct cg_func *g, struct run_loop *l) {
    struct cg *c = g->cg;
    l->piece_head = cg_new_block(g, "piece.head");
    l->piece_var = LLVMBuildAlloca(c->b, c->i32, "piece");
    l->end_var = LLVMBuildAlloca(c->b, c->i32, "end");
    l->stretches.tests =
        LLVMBuildAlloca(c->b, LLVMArrayType2(c->i8, CG_PIECE_BLOCKS), "stretch.tests");
    l->stretches.ends =
        LLVMBuildAlloca(c->b, LLVMArrayType2(c->i32, CG_PIECE_BLOCKS), "stretch.ends");
}

// Goes on in a loop's head; the outermost one is come to from the function's entry, later.
static void enter(struct cg_func *g, const struct run_loop *l, LLVMBasicBlockRef head) {
    if (head != l->first)
        LLVMBuildBr(g->cg->b, head);
    LLVMPositionBuilderAtEnd(g->cg->b, head);
}

static struct run_loop begin_run(struct cg_func *g) {
    struct cg *c = g->cg;
    struct run_loop l = {0};
    LLVMValueRef at = cg_i64(c, FIELD(ctaid));
    LLVMValueRef place = LLVMBuildInBoundsGEP2(c->b, c->i8, g->blk, &at, 1, "");
    LLVMValueRef first = LLVMBuildLoad2(c->b, c->i32, place, "first.x");
    l.first_x = first;
    if (c->stride_limit) {
        l.grid_head = cg_new_block(g, "grid.head");
        l.grids_var = LLVMBuildAlloca(c->b, c->i32, "grids");
        LLVMBuildStore(c->b, cg_i32(c, 0), l.grids_var);
    }
    if (g->walks_rows) {
        l.groups_in_row = c->spec.ntid[0] / c->width;
        l.rows = c->spec.ntid[1] * c->spec.ntid[2];
        l.row_head = cg_new_block(g, "row.head");
        l.row_var = LLVMBuildAlloca(c->b, c->i32, "row");
        if (g->test_only)
            make_pieces(g, &l);
    }
    l.head = cg_new_block(g, "block.head");
    l.next = cg_new_block(g, "block.next");
    l.step_var = LLVMBuildAlloca(c->b, c->i32, "step");
    l.first = l.grid_head    ? l.grid_head
              : l.piece_head ? l.piece_head
              : l.row_head   ? l.row_head
                             : l.head;
    if (l.grid_head)
        enter(g, &l, l.grid_head);
    if (l.piece_head) {
        LLVMBuildStore(c->b, cg_i32(c, 0), l.piece_var);
        enter(g, &l, l.piece_head);
        begin_piece(g, &l);
    }
    if (l.row_head) {
        LLVMBuildStore(c->b, cg_i32(c, 0), l.row_var);
        enter(g, &l, l.row_head);
    }
    LLVMBuildStore(c->b, cg_i32(c, 0), l.step_var);
    if (g->test_only && l.piece_head) {
        l.stretch_head = cg_new_block(g, "stretch.head");
        begin_stretch(g, &l);
    }
    enter(g, &l, l.head);
    // What the device reports of a fault is read from the block's description.
    LLVMValueRef step = LLVMBuildLoad2(c->b, c->i32, l.step_var, ""), x = block_x(g, &l, step);
    LLVMBuildStore(c->b, x, place);
    g->ctaid_x = beyond(g, &l, x);
    return l;
}

static void count_on(struct cg_func *g, LLVMValueRef var, unsigned step, LLVMValueRef limit,
                     LLVMBasicBlockRef again, LLVMBasicBlockRef done, bool groups) {
    struct cg *c = g->cg;
    LLVMValueRef n = LLVMBuildLoad2(c->b, c->i32, var, "");
    n = LLVMBuildNUWAdd(c->b, n, cg_i32(c, step), "");
    LLVMBuildStore(c->b, n, var);
    LLVMValueRef br =
        LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntULT, n, limit, ""), again, done);
    if (!groups)
        cg_no_loop_transforms(c, br);
}

// Behind the run's blocks for one iteration of a grid-stride loop: for the next one they are those
// a grid further on, as long as the first of their threads has one. All numbers are below 2^31.
static void end_grid(struct cg_func *g, const struct run_loop *l, LLVMBasicBlockRef done) {
    struct cg *c = g->cg;
    LLVMValueRef n = LLVMBuildTruncOrBitCast(c->b, cg_scalar(g, c->stride_limit), c->i32, "limit");
    LLVMValueRef grids = LLVMBuildAdd(c->b, LLVMBuildLoad2(c->b, c->i32, l->grids_var, ""),
                                      cg_block_field(g, FIELD(nctaid), c->i32, "grid"), "grids");
    LLVMBuildStore(c->b, grids, l->grids_var);
    LLVMValueRef first = LLVMBuildMul(c->b, LLVMBuildAdd(c->b, l->first_x, grids, ""),
                                      cg_block_field(g, FIELD(ntid), c->i32, "size"), "first.i");
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntULT, first, n, "more");
    cg_no_loop_transforms(c, LLVMBuildCondBr(c->b, more, l->grid_head, done));
}

// Behind a stretch comes the next one of the row; behind all rows, the next piece.
static LLVMBasicBlockRef end_stretch(struct cg_func *g, const struct run_loop *l,
                                     LLVMBasicBlockRef row_next) {
    struct cg *c = g->cg;
    if (!l->stretch_head)
        return row_next;
    LLVMBasicBlockRef next = cg_new_block(g, "stretch.next");
    LLVMPositionBuilderAtEnd(c->b, next);
    LLVMValueRef step = LLVMBuildLoad2(c->b, c->i32, l->step_var, "");
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntULT, step, l->count, "");
    cg_no_loop_transforms(c, LLVMBuildCondBr(c->b, more, l->stretch_head, row_next));
    return next;
}

static void end_run(struct cg_func *g, struct run_loop *l) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef ret = cg_new_block(g, "return");
    LLVMBasicBlockRef grid_next = l->grid_head ? cg_new_block(g, "grid.next") : ret;
    LLVMBasicBlockRef piece_next = l->piece_head ? cg_new_block(g, "piece.next") : grid_next;
    LLVMBasicBlockRef row_next = l->rows ? cg_new_block(g, "row.next") : grid_next;
    LLVMBasicBlockRef stretch_next = end_stretch(g, l, row_next);
    LLVMPositionBuilderAtEnd(c->b, l->next);
    LLVMValueRef run = cg_block_field(g, FIELD(run), c->i32, "run"),
                 end = l->stretch_head ? LLVMBuildLoad2(c->b, c->i32, l->end_var, "")
                       : l->piece_head ? l->count
                                       : run;
    count_on(g, l->step_var, 1, end, l->head, stretch_next, false);
    if (l->rows) {
        LLVMPositionBuilderAtEnd(c->b, row_next);
        count_on(g, l->row_var, 1, cg_i32(c, l->rows), l->row_head, piece_next, false);
    }
    if (l->piece_head) {
        LLVMPositionBuilderAtEnd(c->b, piece_next);
        count_on(g, l->piece_var, CG_PIECE_BLOCKS, run, l->piece_head, grid_next, false);
    }
    if (l->grid_head) {
        LLVMPositionBuilderAtEnd(c->b, grid_next);
        end_grid(g, l, ret);
    }
    LLVMPositionBuilderAtEnd(c->b, ret);
    cg_close_reds(g);
    cg_close_appends(g);
    cg_close_streams(g);
    LLVMBuildRetVoid(c->b);
}

struct barrier_vars {
    LLVMValueRef waiting, first; // some group waits; this is the block's first pass
};

// A variable of the pass over a block's groups: of this call, or of all that share the block.
static LLVMValueRef pass_var(struct cg_func *g, LLVMTypeRef t, size_t field, const char *name) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_i64(c, field);
    return c->splits ? LLVMBuildInBoundsGEP2(c->b, c->i8, g->blk, &at, 1, name)
                     : LLVMBuildAlloca(c->b, t, name);
}

static struct barrier_vars make_barrier_vars(struct cg_func *g) {
    struct cg *c = g->cg;
    struct barrier_vars v = {pass_var(g, c->i1, FIELD(pass_waiting), "waiting"),
                             pass_var(g, c->i1, FIELD(pass_first), "first")};
    g->red_popc = pass_var(g, c->i32, FIELD(pass_counts[0]), "red.popc");
    g->red_lanes = pass_var(g, c->i32, FIELD(pass_counts[1]), "red.lanes");
    g->red_prev_popc = pass_var(g, c->i32, FIELD(pass_counts[2]), "red.prev.popc");
    g->red_prev_lanes = pass_var(g, c->i32, FIELD(pass_counts[3]), "red.prev.lanes");
    c->spill_stride = LLVMAddGlobal(c->mod, c->i64, "kd_spill_stride");
    LLVMSetLinkage(c->spill_stride, LLVMInternalLinkage);
    LLVMSetGlobalConstant(c->spill_stride, 1);
    LLVMSetInitializer(c->spill_stride, cg_i64(c, 64));
    g->spill_bytes = g->homes_end;
    g->spill_base = cg_block_field(g, FIELD(spill), c->ptr, "spill");
    return v;
}

static void reset_barrier_vars(struct cg_func *g, const struct barrier_vars *v) {
    struct cg *c = g->cg;
    LLVMBuildStore(c->b, LLVMConstInt(c->i1, 1, 0), v->first);
    LLVMBuildStore(c->b, cg_i32(c, 0), g->red_popc);
    LLVMBuildStore(c->b, cg_i32(c, 0), g->red_lanes);
}

// Each group goes on where it stopped.
static void switch_to_state(struct cg_func *g, const struct barrier_vars *v, LLVMBasicBlockRef done,
                            LLVMBasicBlockRef start) {
    struct cg *c = g->cg;
    LLVMValueRef first = NULL;
    for (unsigned t = 0; t < c->team; t++) {
        cg_turn_to(g, t);
        g->now.spill = group_spill(g, first);
        first = t ? first : g->now.spill;
    }
    cg_turn_to(g, 0);
    LLVMValueRef starts = LLVMBuildLoad2(c->b, c->i1, v->first, "");
    if (g->park)
        g->now.spill = cg_split_frame(g, g->now.spill, &starts);
    LLVMValueRef saved = LLVMBuildLoad2(c->b, c->i32, g->now.spill, "state");
    LLVMValueRef state = LLVMBuildSelect(c->b, starts, cg_i32(c, CG_STATE_START), saved, "");
    g->state_switch = LLVMBuildSwitch(c->b, state, done, 8);
    LLVMAddCase(g->state_switch, cg_i32(c, CG_STATE_START), start);
    g->suspended = cg_new_block(g, "suspended");
}

struct group_loop {
    LLVMBasicBlockRef pass, head, next, done;
    LLVMValueRef var;      // the group
    bool barriers;         // at which groups stop
    struct barrier_vars b; // with barriers
    struct run_loop run;
};

static struct group_loop make_group_loop(struct cg_func *g) {
    struct cg *c = g->cg;
    struct group_loop l = {.pass = cg_new_block(g, "pass"),
                           .head = cg_new_block(g, "group.head"),
                           .next = cg_new_block(g, "group.next"),
                           .done = cg_new_block(g, "done"),
                           .var = pass_var(g, c->i32, FIELD(pass_group), "group"),
                           .barriers = has_barrier(g) && !c->one_team};
    if (l.barriers) {
        l.b = make_barrier_vars(g);
        cg_make_park(g, l.b.waiting);
    }
    g->frame = cg_i64(c, 0);
    g->now.t0 = cg_i32(c, 0);
    g->block = g->f->blocks.data[0];
    return l;
}

// Does another call work on the block?
static LLVMValueRef is_shared(struct cg_func *g) {
    struct cg *c = g->cg;
    // Not invariant, as the block's other fields are: it changes while this call waits.
    LLVMValueRef at = pass_var(g, c->i32, FIELD(pass_calls), "");
    LLVMValueRef calls = LLVMBuildLoad2(c->b, c->i32, at, "calls");
    return LLVMBuildICmp(c->b, LLVMIntUGT, calls, cg_i32(c, 1), "shared");
}

// A call that helps another one goes on in its pass.
static void join_pass(struct cg_func *g, const struct group_loop *l) {
    struct cg *c = g->cg;
    if (!c->splits)
        return;
    LLVMBasicBlockRef begins = cg_new_block(g, "begins");
    LLVMBuildCondBr(c->b, is_shared(g), l->head, begins);
    LLVMPositionBuilderAtEnd(c->b, begins);
}

// Of several calls the last one goes on behind the pass.
static void leave_pass(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!c->splits)
        return;
    LLVMBasicBlockRef leaves = cg_new_block(g, "leaves"), last = cg_new_block(g, "last");
    LLVMBuildCondBr(c->b, is_shared(g), leaves, last);
    LLVMPositionBuilderAtEnd(c->b, leaves);
    LLVMBuildRetVoid(c->b);
    LLVMPositionBuilderAtEnd(c->b, last);
}

// The next group of the pass is another call's when this one waits.
static void take_group(struct cg_func *g, const struct group_loop *l, LLVMValueRef group) {
    struct cg *c = g->cg;
    if (c->splits)
        LLVMBuildStore(c->b, LLVMBuildAdd(c->b, group, cg_i32(c, 1), ""), l->var);
}

// A pass over all groups, or over those of a row. Returns the group behind the last one.
static LLVMValueRef begin_pass(struct cg_func *g, struct group_loop *l, LLVMValueRef ngroups) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, l->run.ready);
    join_pass(g, l);
    if (l->barriers)
        reset_barrier_vars(g, &l->b);
    LLVMBuildBr(c->b, l->pass);
    LLVMPositionBuilderAtEnd(c->b, l->pass);
    LLVMValueRef first = cg_i32(c, 0), end = ngroups;
    if (l->run.rows) {
        LLVMValueRef row = LLVMBuildLoad2(c->b, c->i32, l->run.row_var, ""),
                     n = cg_i32(c, l->run.groups_in_row);
        first = LLVMBuildMul(c->b, row, n, "");
        end = LLVMBuildAdd(c->b, first, n, "");
    }
    LLVMBuildStore(c->b, first, l->var);
    if (l->barriers) {
        LLVMBuildStore(c->b, LLVMConstNull(c->i1), l->b.waiting);
        swap_reduction(g);
    }
    LLVMBuildBr(c->b, l->head);
    return end;
}

// Where one team is the whole block, each group's index is a constant, and so is which lanes act
// where only the thread's index decides.
static void begin_groups(struct cg_func *g, const struct group_loop *l) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, l->head);
    LLVMValueRef group = c->one_team ? cg_i32(c, 0) : LLVMBuildLoad2(c->b, c->i32, l->var, "group");
    take_group(g, l, group);
    group = cg_begin_splits(g, group);
    cg_begin_once(g);
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        g->now.group = t ? LLVMBuildNUWAdd(c->b, group, cg_i32(c, t), "") : group;
        // Both stay below what a block has, and a team.
        LLVMSetNSW(g->now.t0 = LLVMBuildNUWMul(c->b, g->now.group, cg_i32(c, c->width), "t0"), 1);
        cg_reset_vars(g);
        reset_masks(g);
    }
    g->entry_mask = existing_lanes(g);
    g->end = cg_new_block(g, "group.end");
}

// What stands at a group's head, and the kernel's blocks.
static void emit_groups(struct cg_func *g, const struct group_loop *l) {
    struct cg *c = g->cg;
    LLVMValueRef entry_mask = g->entry_mask;
    // Where products are calls of several instructions (x86-64-v2), code that is spread further
    // takes LLVM minutes.
    g->asks_for_stores = cg_asks_for_stores(g);
    bool at_head = l->barriers || (meets_threads(g) && c->target.fused);
    for (unsigned t = 0; t < c->team && at_head && !g->again; t++) {
        cg_turn_to(g, t);
        cg_emit_invariants(g, true);
    }
    cg_turn_to(g, 0);
    g->entry_mask = entry_mask;
    LLVMBasicBlockRef start = cg_new_block(g, "start");
    if (l->barriers)
        switch_to_state(g, &l->b, cg_after_split(g, l->next), start);
    else
        LLVMBuildBr(c->b, start);
    LLVMPositionBuilderAtEnd(c->b, start);
    cg_start_splits(g);
    g->epoch++;
    cg_turn_to(g, 0);
    // It leaves values of a later thread behind, where those that are made again have to be this
    // one's.
    cg_run_ahead(g);
    for (unsigned t = 0; t < c->team && at_head; t++) {
        cg_turn_to(g, t);
        if (g->again)
            cg_make_again(g, NULL);
        if (!g->asks_for_stores)
            cg_prefetch_stores(g);
    }
    cg_turn_to(g, 0);
    LLVMBuildBr(c->b, g->test[0]);
    cg_emit_blocks(g);
}

static void end_groups(struct cg_func *g, const struct group_loop *l, LLVMValueRef end) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, g->end);
    if (l->barriers) {
        LLVMBuildStore(c->b, cg_i32(c, CG_STATE_DONE), g->now.spill);
        LLVMBuildBr(c->b, cg_after_split(g, l->next));
        LLVMPositionBuilderAtEnd(c->b, g->suspended);
        LLVMBuildStore(c->b, LLVMConstInt(c->i1, 1, 0), l->b.waiting);
    }
    LLVMBuildBr(c->b, cg_after_split(g, l->next));
    cg_end_split(g, l->next);
    LLVMPositionBuilderAtEnd(c->b, l->next);
    if (c->one_team)
        LLVMBuildBr(c->b, l->done);
    else
        count_on(g, l->var, c->splits ? 0 : c->team, end, l->head, l->done, true);
}

static void end_pass(struct cg_func *g, const struct group_loop *l) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, l->done);
    leave_pass(g);
    if (!l->barriers) {
        LLVMBuildBr(c->b, l->run.next);
        return;
    }
    LLVMBuildStore(c->b, LLVMConstNull(c->i1), l->b.first);
    LLVMValueRef waiting = LLVMBuildLoad2(c->b, c->i1, l->b.waiting, "");
    cg_no_loop_transforms(c, LLVMBuildCondBr(c->b, waiting, l->pass, l->run.next));
    c->uses_spill = true;
    c->group_spill = (g->spill_bytes + 63) / 64 * 64;
    LLVMSetInitializer(c->spill_stride, cg_i64(c, c->group_spill));
}

// The loop over groups of a kernel in KD_MODE_BLOCK, and over the blocks of a run.
static void emit_group_loop(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef ngroups =
        LLVMBuildUDiv(c->b, LLVMBuildAdd(c->b, g->nthreads, cg_i32(c, c->width - 1), ""),
                      cg_i32(c, c->width), "ngroups");
    struct group_loop l = make_group_loop(g);
    g->walks_rows = rows_first(g);
    cg_find_block_test(g);
    l.run = begin_run(g);
    g->pass = l.pass;
    cg_emit_invariants(g, false);
    l.run.ready = LLVMGetInsertBlock(c->b);
    if (l.barriers) {
        cg_find_again(g);
        cg_find_slots(g);
    }
    make_blocks(g);
    LLVMBuildBr(c->b, l.run.first);
    LLVMValueRef end = begin_pass(g, &l, ngroups);
    begin_groups(g, &l);
    emit_groups(g, &l);
    end_groups(g, &l, end);
    end_pass(g, &l);
    end_run(g, &l.run);
}

// A kernel in the stack modes: one warp, or one thread.
static void emit_one_group(struct cg_func *g) {
    struct cg *c = g->cg;
    g->now.group = LLVMGetParam(g->fn, 1);
    g->now.t0 = LLVMBuildMul(c->b, g->now.group, cg_i32(c, c->width), "t0");
    g->entry_mask = existing_lanes(g);
    LLVMValueRef entry_mask = g->entry_mask;
    g->frame = cg_i64(c, 0);
    cg_emit_invariants(g, true);
    g->entry_mask = entry_mask;
    make_blocks(g);
    reset_masks(g);
    g->end = cg_new_block(g, "end");
    LLVMBuildBr(c->b, g->test[0]);
    cg_emit_blocks(g);
    LLVMPositionBuilderAtEnd(c->b, g->end);
    LLVMBuildRetVoid(c->b);
}

void cg_emit_kernel(struct cg *c, struct flow *fl) {
    struct cg_func *g = new_func(c, c->kernel, fl);
    LLVMTypeRef params[2] = {c->ptr, c->i32};
    unsigned n = c->mode == KD_MODE_BLOCK ? 1 : 2;
    g->fn = LLVMAddFunction(c->mod, "kd_entry", LLVMFunctionType(c->void_t, params, n, 0));
    g->blk = LLVMGetParam(g->fn, 0);
    begin(g);
    // Before them stands the state, and what lanes want of a warp operation.
    g->homes_end = KD_SPLIT_FRAME + (c->parks ? sizeof(struct kd_split_operands) : 0);
    if (g->plan->in.all_lanes) {
        cg_find_homes(g, c->mode == KD_MODE_BLOCK && has_barrier(g) && !c->one_team);
        cg_find_tiles(g);
        cg_place_homes(g);
    }
    if (c->mode == KD_MODE_BLOCK)
        emit_group_loop(g);
    else
        emit_one_group(g);
}

static void check_stack(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef top = LLVMBuildAdd(c->b, g->frame, cg_i64(c, g->f->frame_bytes), "");
    cg_fault_if(g, LLVMBuildICmp(c->b, LLVMIntUGT, top, g->local_stride, ""),
                KD_FAULT_STACK_OVERFLOW);
}

void cg_emit_function(struct cg *c, struct kir_func *f, struct flow *fl) {
    struct cg_func *g = new_func(c, f, fl);
    g->fn = c->fn[f->index];
    g->blk = LLVMGetParam(g->fn, 0);
    g->now.t0 = LLVMGetParam(g->fn, 1);
    g->entry_mask = c->width > 1 ? LLVMGetParam(g->fn, 2) : NULL;
    g->frame = LLVMGetParam(g->fn, 3);
    LLVMValueRef entry_mask = g->entry_mask;
    begin(g);
    g->now.group = LLVMBuildUDiv(c->b, g->now.t0, cg_i32(c, c->width), "");
    g->ret_vars = arena_array(c->arena, LLVMValueRef, f->proto.nrets + 1);
    for (uint32_t k = 0; k < f->proto.nrets; k++) {
        LLVMTypeRef t = cg_result_type(c, f, k);
        g->ret_vars[k] = LLVMBuildAlloca(c->b, t, "ret");
        LLVMBuildStore(c->b, LLVMConstNull(t), g->ret_vars[k]);
    }
    if (c->can_exit[f->index]) {
        g->alive_var = LLVMBuildAlloca(c->b, cg_mask_type(c), "alive");
        LLVMBuildStore(c->b, LLVMConstNull(cg_mask_type(c)), g->alive_var);
    }
    cg_emit_invariants(g, false);
    g->entry_mask = entry_mask;
    make_blocks(g);
    reset_masks(g);
    g->end = cg_new_block(g, "end");
    // Behind all variables: LLVM wants them in the function's first block.
    if (c->frame_depth[f->index] == UINT32_MAX)
        check_stack(g);
    LLVMBuildBr(c->b, g->test[0]);
    cg_emit_blocks(g);
    LLVMPositionBuilderAtEnd(c->b, g->end);
    unsigned n = 0;
    LLVMValueRef *r = arena_array(c->arena, LLVMValueRef, f->proto.nrets + 1);
    for (uint32_t k = 0; k < f->proto.nrets; k++)
        r[n++] = LLVMBuildLoad2(c->b, cg_result_type(c, f, k), g->ret_vars[k], "");
    if (g->alive_var)
        r[n++] = LLVMBuildLoad2(c->b, cg_mask_type(c), g->alive_var, "");
    if (n)
        LLVMBuildAggregateRet(c->b, r, n);
    else
        LLVMBuildRetVoid(c->b);
}
