#include "codegen/cleared_lanes.h"

enum { MOST_LANES = 64 };

static bool is_mask(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) == 1;
}

// Is lane k of v a zero, or nothing in particular?
static bool is_clear(LLVMValueRef v, unsigned k) {
    LLVMValueRef e = LLVMIsConstant(v) ? LLVMGetAggregateElement(v, k) : NULL;
    return e && (LLVMIsUndef(e) || (LLVMIsAConstantInt(e) && !LLVMConstIntGetZExtValue(e)));
}

// Does the shuffle take each lane in place from operand `kept`, or a zero? Which of them it keeps.
static bool keeps(LLVMValueRef i, unsigned kept, bool *lane) {
    LLVMValueRef from[2] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
    unsigned n = LLVMGetNumMaskElements(i), size = LLVMGetVectorSize(LLVMTypeOf(from[0]));
    bool any = false;
    for (unsigned k = 0; k < n; k++) {
        int at = LLVMGetMaskValue(i, k);
        unsigned which = (unsigned)at >= size, place = (unsigned)at - which * size;
        lane[k] = at >= 0 && which == kept && place == k;
        any |= lane[k];
        if (at >= 0 && !lane[k] && !is_clear(from[which], place))
            return false;
    }
    return any && !LLVMIsConstant(from[kept]);
}

// v with n lanes, in place; what is there beyond its own does not matter.
static LLVMValueRef with_lanes(struct cg *c, LLVMValueRef v, unsigned n) {
    unsigned size = LLVMGetVectorSize(LLVMTypeOf(v));
    LLVMTypeRef word = LLVMInt32TypeInContext(c->ctx);
    LLVMValueRef place[MOST_LANES];
    if (size == n)
        return v;
    for (unsigned k = 0; k < n; k++)
        place[k] = k < size ? LLVMConstInt(word, k, false) : LLVMGetPoison(word);
    return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(place, n),
                                  "");
}

static void clear(struct cg *c, LLVMValueRef i) {
    unsigned n = LLVMGetNumMaskElements(i), kept = 0;
    bool lane[MOST_LANES];
    LLVMValueRef bit[MOST_LANES];
    if (n > MOST_LANES)
        return;
    while (kept < 2 && !keeps(i, kept, lane))
        kept++;
    bool cleared = false;
    for (unsigned k = 0; k < n && kept < 2; k++) {
        bit[k] = LLVMConstInt(LLVMInt1TypeInContext(c->ctx), lane[k], false);
        cleared |= !lane[k] && LLVMGetMaskValue(i, k) >= 0;
    }
    if (!cleared)
        return;
    LLVMPositionBuilderBefore(c->b, i);
    LLVMValueRef x = with_lanes(c, LLVMGetOperand(i, kept), n);
    LLVMReplaceAllUsesWith(i, LLVMBuildAnd(c->b, x, LLVMConstVector(bit, n), ""));
    LLVMInstructionEraseFromParent(i);
}

void cg_clear_lanes(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsAShuffleVectorInst(i) && is_mask(LLVMTypeOf(i)))
                    clear(c, i);
            }
}
