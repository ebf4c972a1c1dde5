// LLVM's instruction selection looks at a block as a whole: at all loads from one address, at what
// is known of a value's bits from what it was computed from, at every node again in each of five
// rounds. In long blocks that takes time that grows faster than they do. What comes from another
// block is a register of which nothing is known, so pieces are selected in a third of the time.
// It is integers whose bits are asked for again and again: what computes with floats counts less,
// since a value that goes from piece to piece takes longer than one that nobody looks at.
#include "codegen/llvm/split_blocks.h"
#include "codegen/core/state.h"

//
// The fast instruction selection goes through a block from its end, and gives up what stands in
// front of the first vector that it meets. So stretches without vectors are blocks of their own.
enum { PIECE = 2048, INTEGER = 48, OTHER = 1, SCALARS = 6 };

// A vector of several registers is as many vectors to it.
static unsigned weight(const struct cg *c, LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i), e = t;
    unsigned registers = 1;
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        e = LLVMGetElementType(t);
    if (LLVMGetTypeKind(e) != LLVMIntegerTypeKind)
        return OTHER;
    if (e != t)
        registers = LLVMGetIntTypeWidth(e) * LLVMGetVectorSize(t) / c->target.vector_bits;
    return registers > 1 ? registers * INTEGER : INTEGER;
}

static unsigned weigh(const struct cg *c, LLVMBasicBlockRef b) {
    unsigned n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        n += weight(c, i);
    return n;
}

// Phis and the function's variables stay at its beginning.
static bool stays_in_front(LLVMValueRef i) {
    return LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i);
}

static void move(struct cg *c, LLVMValueRef i) {
    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilder(c->b, i);
}

// Everything that went to `b` goes to `front` now; b's successors' phis still name b, since it has
// no terminator meanwhile.
static void redirect(struct cg *c, LLVMBasicBlockRef b, LLVMBasicBlockRef front) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
    LLVMInstructionRemoveFromParent(last);
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(b), LLVMBasicBlockAsValue(front));
    LLVMPositionBuilderAtEnd(c->b, b);
    LLVMInsertIntoBuilder(c->b, last);
}

// The instructions of b in front of `at` into a block of their own. Returns what they weigh.
static unsigned split_at(struct cg *c, LLVMBasicBlockRef b, LLVMValueRef at) {
    LLVMBasicBlockRef front = LLVMInsertBasicBlockInContext(c->ctx, b, "");
    redirect(c, b, front);
    LLVMPositionBuilderAtEnd(c->b, front);
    unsigned n = 0;
    for (LLVMValueRef i; (i = LLVMGetFirstInstruction(b)) != at;) {
        n += weight(c, i);
        move(c, i);
    }
    LLVMBuildBr(c->b, b);
    return n;
}

// A comparison of vectors stays with what is behind it (quick_masks.h).
static bool is_test(LLVMValueRef i) {
    return (LLVMIsAICmpInst(i) || LLVMIsAFCmpInst(i)) &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind;
}

// The first instructions of b, which weigh PIECE, and all phis and variables.
static unsigned split(struct cg *c, LLVMBasicBlockRef b) {
    unsigned n = 0;
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    for (; n < PIECE || stays_in_front(i) || is_test(LLVMGetPreviousInstruction(i));
         i = LLVMGetNextInstruction(i))
        n += weight(c, i);
    return split_at(c, b, i);
}

static bool is_vector(LLVMValueRef v) {
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(v));
    return k == LLVMVectorTypeKind || k == LLVMStructTypeKind;
}

static bool has_vector(LLVMValueRef i) {
    bool any = is_vector(i);
    for (int k = 0, n = LLVMGetNumOperands(i); k < n && !any; k++)
        any = is_vector(LLVMGetOperand(i, (unsigned)k));
    return any;
}

static void part_scalars(struct cg *c, LLVMBasicBlockRef b) {
    unsigned scalars = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        bool vector = has_vector(i);
        if (vector && scalars >= SCALARS && !stays_in_front(i))
            split_at(c, b, i);
        scalars = vector ? 0 : scalars + 1;
    }
}

static bool has_variables_behind(LLVMBasicBlockRef b) {
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    while (i && stays_in_front(i))
        i = LLVMGetNextInstruction(i);
    for (; i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            return true;
    return false;
}

void cg_split_blocks(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            if (!has_variables_behind(b)) {
                part_scalars(c, b);
                for (unsigned n = weigh(c, b); n > 2 * PIECE; n -= split(c, b))
                    ;
            }
}
