// Asking for memory before it is needed. Processors see streams of neighbouring lines by
// themselves; what they do not see are the steps of a grid-stride loop, which touches another page
// at each turn.
#include "codegen/cg.h"

enum { FAR_STEP = 1024, LOOK_AHEAD = 4096, MIN_TURNS = 2, MAX_TURNS = 8, LINE = 64 };

static void prefetch(struct cg *c, LLVMValueRef p, bool is_store) {
    LLVMValueRef args[4] = {p, cg_i32(c, is_store), cg_i32(c, 3), cg_i32(c, 1)};
    cg_call_intrinsic(c, "llvm.prefetch", &c->ptr, 1, args, 4);
}

// How many bytes further the access lies when the loop's index grows by one, judged from how both
// grow from lane to lane; 0: not at all, or not known.
static int64_t bytes_per_index(const struct cg_func *g, const struct kir_inst *i) {
    const struct shape *x = &g->fl->shape[g->stepped->id], *a = &g->fl->shape[i->ops[0]->id];
    if (x->kind != SHAPE_OFFSETS || a->kind != SHAPE_OFFSETS)
        return 0;
    int64_t dx = x->offs[1] - x->offs[0], da = a->offs[1] - a->offs[0];
    return dx && da % dx == 0 ? da / dx : 0;
}

void cg_prefetch_turns(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, bool is_store) {
    struct cg *c = g->cg;
    enum isa_space s = i->mods.space;
    uint64_t constant;
    if (!g->step || (s != ISA_SPACE_GLOBAL && s != ISA_SPACE_GENERIC) || !cg_at_hand(g, g->step))
        return;
    int64_t scale = bytes_per_index(g, i);
    if (!scale)
        return;
    bool near = flow_const(g->step, &constant) && (int64_t)(int32_t)constant * scale < FAR_STEP;
    if (near)
        return;
    int64_t turns = LOOK_AHEAD / ((scale < 0 ? -scale : scale) * c->width * c->team);
    turns = turns < MIN_TURNS ? MIN_TURNS : turns > MAX_TURNS ? MAX_TURNS : turns;
    LLVMValueRef step = cg_scalar(g, g->step);
    if (LLVMTypeOf(step) != c->i64)
        step = LLVMBuildSExt(c->b, step, c->i64, "");
    LLVMValueRef by = LLVMBuildMul(c->b, step, cg_i64(c, (uint64_t)(scale * turns)), "");
    prefetch(c, LLVMBuildGEP2(c->b, c->i8, p, &by, 1, ""), is_store);
}

static bool is_line(struct cg_func *g, const struct kir_inst *i) {
    enum isa_space space = i->mods.space;
    if (i->op != ISA_OP_ST || (space != ISA_SPACE_GLOBAL && space != ISA_SPACE_GENERIC))
        return false;
    const struct shape *s = &g->fl->shape[i->ops[0]->id];
    return s->kind == SHAPE_OFFSETS && s->offs[1] - s->offs[0] <= 16 &&
           cg_val_of(g, i->ops[0])->epoch == CG_PERMANENT;
}

// Stores wait in order for their lines: a tile's rows, each on a page of its own, would be fetched
// one after the other. While the tile is read there is time to fetch them all.
void cg_prefetch_stores(struct cg_func *g) {
    struct cg *c = g->cg;
    bool behind = false;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++) {
        const struct kir_block *b = g->fl->cfg->order[p];
        for (const struct kir_inst *i = b->first; i; i = i->next) {
            behind |= isa_op_info[i->op].klass == ISA_CLASS_BLOCK;
            if (!behind || !g->fl->full[b->id] || g->fl->cfg->loop[b->id] || !is_line(g, i))
                continue;
            LLVMValueRef at = cg_i64(c, (uint64_t)i->offset);
            LLVMValueRef line = cg_pointer(g, i->mods.space, cg_scalar(g, i->ops[0]), false);
            line = LLVMBuildGEP2(c->b, c->i8, line, &at, 1, "");
            unsigned bytes = c->width * isa_type_bits(i->ty) / 8;
            for (unsigned k = 0; k < bytes; k += LINE) {
                LLVMValueRef by = cg_i64(c, k);
                prefetch(c, LLVMBuildGEP2(c->b, c->i8, line, &by, 1, ""), true);
            }
        }
    }
}
