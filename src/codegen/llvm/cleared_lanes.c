#include <string.h>

#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/llvm/cleared_lanes.h"

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

static LLVMValueRef low_lanes(struct cg *c, unsigned n, unsigned of) {
    LLVMValueRef bit[MOST_LANES];
    for (unsigned k = 0; k < of; k++)
        bit[k] = LLVMConstInt(LLVMInt1TypeInContext(c->ctx), k < n, false);
    return LLVMConstVector(bit, of);
}

// Accesses of eight bytes under a mask get sixteen lanes here: LLVM would clear the others itself.
static void widen(struct cg *c, LLVMValueRef i) {
    enum { BYTES = 8, ALL = 16 };
    size_t len;
    LLVMValueRef f = LLVMGetCalledValue(i), args[4];
    const char *name = f && LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    bool load = !strcmp(name, "llvm.masked.load.v8i8.p0");
    if (!load && strcmp(name, "llvm.masked.store.v8i8.p0") != 0)
        return;
    // The alignment is an operand in LLVM 19 alone; bytes have 1 in any case.
    unsigned alignment = load ? 1 : 2, given = LLVMGetNumArgOperands(i);
    for (unsigned k = 0, n = 0; k < 4; k++)
        args[k] = given < 4 && k == alignment ? cg_i32(c, 1) : LLVMGetOperand(i, n++);
    LLVMPositionBuilderBefore(c->b, i);
    LLVMValueRef *data = &args[load ? 3 : 0], *mask = &args[load ? 2 : 3];
    *data = with_lanes(c, *data, ALL);
    *mask = LLVMBuildAnd(c->b, with_lanes(c, *mask, ALL), low_lanes(c, BYTES, ALL), "");
    LLVMTypeRef t[2] = {LLVMTypeOf(*data), LLVMTypeOf(args[load ? 0 : 1])};
    LLVMValueRef x =
        cg_call_intrinsic(c, load ? "llvm.masked.load" : "llvm.masked.store", t, 2, args, 4);
    if (load)
        LLVMReplaceAllUsesWith(i, with_lanes(c, x, BYTES));
    LLVMInstructionEraseFromParent(i);
}

void cg_clear_lanes(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsAShuffleVectorInst(i) && is_mask(LLVMTypeOf(i)))
                    clear(c, i);
                else if (LLVMIsACallInst(i))
                    widen(c, i);
            }
}
