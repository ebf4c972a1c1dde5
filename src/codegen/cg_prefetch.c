// Asking for memory before it is needed. Processors see streams of neighbouring lines by
// themselves; what they do not see are the steps of a grid-stride loop, which touches another page
// at each turn.
#include "codegen/cg.h"

enum { FAR_STEP = 1024, LOOK_AHEAD = 4096, MIN_TURNS = 2, MAX_TURNS = 8 };

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
