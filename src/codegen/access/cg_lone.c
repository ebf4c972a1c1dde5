// Scattered stores that none of a vector's lanes makes, or one, and which nobody can foretell:
// where a run of equal elements begins, say (`if (x[i] != x[i - 1]) first[x[i]] = i`). A branch
// around such a store is mispredicted each time there is a lane. So the block with the store runs
// without being asked, and the lowest active lane's element is stored, or where there is none
// something to a slot of the function's own; only two lanes and more take a branch.
#include "codegen/access/cg_lone.h"
#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_places.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "passes/flow/sole_lane.h"

enum { LANES = 16, WORD_BITS = 32, SMALL_BLOCK = 10 };

static bool may_be_lone(const struct cg_func *g, const struct kir_inst *i) {
    return i->op == ISA_OP_ST && i->mods.sem == ISA_SEM_WEAK && !i->mods.vec &&
           isa_type_bits(i->ty) == WORD_BITS && g->fl->shape[i->ops[0]->id].kind == SHAPE_VARYING &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_SHARED ||
            i->mods.space == ISA_SPACE_GENERIC);
}

bool cg_is_lone(const struct cg_func *g, const struct kir_inst *i) {
    const struct cg *c = g->cg;
    unsigned stores = 0, n = 0;
    if (!c->target.mask_registers || c->quick || c->width % LANES || c->width > 2 * LANES ||
        g->reds || g->appends || !may_be_lone(g, i) || i->block->last->op != ISA_OP_BRA)
        return false;
    for (const struct kir_inst *k = i->block->first; k != i->block->last; k = k->next, n++) {
        stores += k->op == ISA_OP_ST;
        if (k != i && k->op != ISA_OP_PHI && isa_op_info[k->op].klass != ISA_CLASS_POINTWISE)
            return false;
    }
    // What one lane alone can store needs no other way, and that the block has been asked for.
    return stores == 1 && n <= SMALL_BLOCK && sole_lane(g->fl, i->block) < 0;
}

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
