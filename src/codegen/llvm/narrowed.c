// Vectors of 64-bit numbers of which 32 bits are wanted. LLVM narrows each register by itself (two
// operations, and one more to join two halves); one permutation takes the words of both, and which
// words it takes spares the shift that brings high halves down (the sign of a number: `x >> 63`).
#include "codegen/llvm/narrowed.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

enum { REGISTER = 16, MOST_LANES = 32 };

static LLVMValueRef shuffle(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned first,
                            unsigned step, unsigned n) {
    LLVMValueRef idx[MOST_LANES];
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, first + k * step);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, n), "");
}

// A register's eight numbers as 16 words.
static LLVMValueRef words_of(struct cg *c, LLVMValueRef v, unsigned first) {
    LLVMValueRef part = shuffle(c, v, LLVMGetPoison(LLVMTypeOf(v)), first, 1, REGISTER / 2);
    return LLVMBuildBitCast(c->b, part, LLVMVectorType(c->i32, REGISTER), "");
}

// The low (0) or high (1) word of each of a register pair's numbers.
static LLVMValueRef take_pair(struct cg *c, LLVMValueRef v, unsigned first, unsigned which) {
    return shuffle(c, words_of(c, v, first), words_of(c, v, first + REGISTER / 2), which, 2,
                   REGISTER);
}

static LLVMValueRef take(struct cg *c, LLVMValueRef v, unsigned n, unsigned which) {
    LLVMValueRef x = take_pair(c, v, 0, which);
    return n == REGISTER ? x : shuffle(c, x, take_pair(c, v, REGISTER, which), 0, 1, n);
}

// By how much v is a shift of another number to the right, all lanes alike, by half of it at least;
// else 0.
static uint64_t shifted_down(LLVMValueRef v) {
    if (!LLVMIsAInstruction(v))
        return 0;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef by = op == LLVMLShr || op == LLVMAShr ? LLVMGetOperand(v, 1) : NULL;
    if (!by || !LLVMIsConstant(by))
        return 0;
    LLVMValueRef first = LLVMGetAggregateElement(by, 0);
    for (unsigned k = 1; k < LLVMGetVectorSize(LLVMTypeOf(by)); k++)
        if (LLVMGetAggregateElement(by, k) != first)
            return 0;
    uint64_t n = first && LLVMIsAConstantInt(first) ? LLVMConstIntGetZExtValue(first) : 0;
    return n >= 32 && n < 64 ? n : 0;
}

static LLVMValueRef narrowed(struct cg *c, LLVMValueRef v, unsigned n) {
    uint64_t by = shifted_down(v);
    if (!by)
        return take(c, v, n, 0);
    LLVMValueRef high = take(c, LLVMGetOperand(v, 0), n, 1), lanes[MOST_LANES];
    for (unsigned k = 0; k < n; k++)
        lanes[k] = cg_i32(c, by - 32);
    LLVMValueRef shift = LLVMConstVector(lanes, n);
    return LLVMGetInstructionOpcode(v) == LLVMAShr ? LLVMBuildAShr(c->b, high, shift, "")
                                                   : LLVMBuildLShr(c->b, high, shift, "");
}

static bool narrows(struct cg *c, LLVMValueRef i, unsigned *n) {
    if (LLVMGetInstructionOpcode(i) != LLVMTrunc)
        return false;
    LLVMTypeRef to = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
    if (LLVMGetTypeKind(to) != LLVMVectorTypeKind || LLVMGetElementType(to) != c->i32 ||
        LLVMGetElementType(from) != c->i64)
        return false;
    *n = LLVMGetVectorSize(to);
    return *n == REGISTER || *n == MOST_LANES;
}

void cg_narrow_by_permutations(struct cg *c) {
    unsigned n;
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (!narrows(c, i, &n))
                    continue;
                LLVMPositionBuilderBefore(c->b, i);
                LLVMReplaceAllUsesWith(i, narrowed(c, LLVMGetOperand(i, 0), n));
                LLVMInstructionEraseFromParent(i);
            }
}
