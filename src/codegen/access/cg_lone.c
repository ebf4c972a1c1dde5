// Lone stores (plan/lone.c): the lowest active lane's element is stored, or where there is none
// something to a slot of the function's own; only two lanes and more take a branch.
#include "codegen/access/cg_lone.h"
#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_places.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"

enum { LANES = 16 };

// One lane of x, words, by a permutation; a lane past the end is some lane.
static LLVMValueRef pick(struct cg *c, LLVMValueRef x, LLVMValueRef lane) {
    LLVMTypeRef vt = LLVMVectorType(c->i32, LANES), wide = cg_vec_of(c, c->i32);
    LLVMValueRef none = LLVMGetPoison(vt), zero = cg_i32(c, 0);
    LLVMValueRef at = LLVMBuildInsertElement(c->b, none, lane, zero, ""), half[2];
    x = LLVMBuildBitCast(c->b, x, wide, "");
    for (unsigned h = 0; h < c->width / LANES; h++) {
        LLVMValueRef idx[LANES];
        for (unsigned k = 0; k < LANES; k++)
            idx[k] = cg_i32(c, h * LANES + k);
        half[h] =
            LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(wide), LLVMConstVector(idx, LANES), "");
    }
    at = LLVMBuildShuffleVector(c->b, at, none, LLVMConstNull(vt), "");
    if (c->width == LANES)
        x = cg_call_intrinsic(c, "llvm.x86.avx512.permvar.si.512", NULL, 0,
                              (LLVMValueRef[2]){half[0], at}, 2);
    else
        x = cg_call_intrinsic(c, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0,
                              (LLVMValueRef[3]){half[0], at, half[1]}, 3);
    return LLVMBuildExtractElement(c->b, x, zero, "");
}

// Where what is stored is the lane's number times something, and what all have alike, no register
// has to be taken apart.
void cg_find_growth(struct cg_func *g, struct kir_value *v, struct cg_lane_access *a) {
    struct cg *c = g->cg;
    struct shape s = cg_shape(g, v);
    if (s.kind != SHAPE_OFFSETS || cg_is_guarded(g, v) || v->type != KIR_B32)
        return;
    for (unsigned l = 2; l < c->width; l++)
        if (s.offs[l] - s.offs[l - 1] != s.offs[1] - s.offs[0])
            return;
    a->from = LLVMBuildAdd(c->b, cg_scalar(g, v), cg_i32(c, (uint32_t)s.offs[0]), "");
    a->by = (uint32_t)(s.offs[1] - s.offs[0]);
}

static LLVMValueRef grown(struct cg *c, const struct cg_lane_access *a, LLVMValueRef lane) {
    return LLVMBuildAdd(c->b, a->from, LLVMBuildMul(c->b, lane, cg_i32(c, a->by), ""), "");
}

LLVMBasicBlockRef cg_store_lone(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef several = cg_new_block(g, "several"), done = cg_new_block(g, "lone.done");
    LLVMValueRef bits = cg_mask_bits(g, g->now.mask), none = LLVMConstNull(LLVMTypeOf(bits));
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef args[2] = {bits, LLVMConstInt(c->i1, 0, 0)};
    LLVMValueRef lane = cg_call_intrinsic(c, "llvm.cttz", &t, 1, args, 2);
    lane = LLVMBuildZExtOrBitCast(c->b, lane, c->i32, "");
    LLVMValueRef at = pick(c, a->at.index, lane);
    at = a->at.index_signed ? LLVMBuildSExt(c->b, at, c->i64, "")
                            : LLVMBuildZExt(c->b, at, c->i64, "");
    LLVMValueRef p = LLVMBuildGEP2(c->b, cg_int_type(c, a->at.scale * 8), a->at.base, &at, 1, "");
    LLVMValueRef some = LLVMBuildICmp(c->b, LLVMIntNE, bits, none, "");
    p = LLVMBuildSelect(c->b, some, p, cg_sink_slot(g), "");
    // Volatile: LLVM would find that nobody reads the slot, and branch around the store.
    LLVMValueRef st = LLVMBuildStore(c->b, a->from ? grown(c, a, lane) : pick(c, x, lane), p);
    LLVMSetVolatile(st, 1);
    LLVMSetAlignment(st, a->bytes);
    LLVMValueRef rest = LLVMBuildSub(c->b, bits, LLVMConstInt(t, 1, 0), "");
    rest = LLVMBuildAnd(c->b, bits, rest, "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, rest, none, ""), several, done);
    LLVMPositionBuilderAtEnd(c->b, several);
    return done;
}
