// With mask registers it is one instruction. With AVX2 the bits are the index into a table of
// permutations: eight bytes for each of 256 masks of eight words, which are widened as they are
// loaded; pairs of words for the sixteen masks of four qwords.
#include "codegen/core/cg_compress.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"

enum { WORDS = 8, WORD_BYTES = 4, REGISTER = 32, MOST_REGISTER = 64 };

bool cg_can_compress(const struct cg *c, unsigned lanes, unsigned bytes) {
    unsigned size = lanes * bytes;
    return c->target.compresses && (bytes == WORD_BYTES || bytes == 2 * WORD_BYTES) &&
           (size == REGISTER || (c->target.mask_registers && size == MOST_REGISTER));
}

// For each mask of `lanes` lanes the words that its lanes consist of, in order.
static LLVMValueRef permutations(struct cg *c, unsigned lanes) {
    const char *name = lanes == WORDS ? "words.side.by.side" : "qwords.side.by.side";
    LLVMValueRef known = LLVMGetNamedGlobal(c->mod, name), row[1U << WORDS];
    unsigned words = WORDS / lanes;
    if (known)
        return known;
    for (unsigned mask = 0; mask < 1U << lanes; mask++) {
        LLVMValueRef word[WORDS];
        unsigned n = 0;
        for (unsigned l = 0; l < lanes; l++)
            for (unsigned k = 0; k < words && (mask >> l & 1); k++)
                word[n++] = LLVMConstInt(c->i8, l * words + k, 0);
        while (n < WORDS)
            word[n++] = LLVMConstInt(c->i8, 0, 0);
        row[mask] = LLVMConstVector(word, WORDS);
    }
    return cg_table(c, LLVMConstArray2(LLVMTypeOf(row[0]), row, 1U << lanes), name);
}

static LLVMValueRef permuted(struct cg *c, LLVMValueRef x, LLVMValueRef bits) {
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x));
    LLVMTypeRef row = LLVMVectorType(c->i8, WORDS), words = LLVMVectorType(c->i32, WORDS);
    LLVMValueRef at = LLVMBuildZExt(c->b, bits, c->i64, "");
    at = LLVMBuildInBoundsGEP2(c->b, row, permutations(c, lanes), &at, 1, "");
    at = LLVMBuildLoad2(c->b, row, at, "");
    LLVMValueRef args[2] = {LLVMBuildBitCast(c->b, x, words, ""),
                            LLVMBuildZExt(c->b, at, words, "")};
    return LLVMBuildBitCast(c->b, cg_call_intrinsic(c, "llvm.x86.avx2.permd", NULL, 0, args, 2),
                            LLVMTypeOf(x), "");
}

LLVMValueRef cg_compress(struct cg *c, LLVMValueRef x, LLVMValueRef bits) {
    LLVMTypeRef t = LLVMTypeOf(x), mask = LLVMVectorType(c->i1, LLVMGetVectorSize(t));
    if (!c->target.mask_registers)
        return permuted(c, x, bits);
    LLVMValueRef args[3] = {x, LLVMConstNull(t), LLVMBuildBitCast(c->b, bits, mask, "")};
    return cg_call_intrinsic(c, "llvm.x86.avx512.mask.compress", &t, 1, args, 3);
}

void cg_store_compressed(struct cg *c, LLVMValueRef x, LLVMValueRef bits, LLVMValueRef p) {
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(x));
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x)), bytes = LLVMGetIntTypeWidth(element) / 8;
    unsigned part = c->target.vector_bits / 8 / bytes, from[MOST_REGISTER / WORD_BYTES];
    part = part < lanes ? part : lanes;
    // Behind each part's lanes the next one's are written.
    for (unsigned first = 0; first < lanes; first += part) {
        for (unsigned k = 0; k < part; k++)
            from[k] = first + k;
        LLVMTypeRef few = LLVMIntTypeInContext(c->ctx, part);
        LLVMValueRef y = part == lanes ? x : cg_lanes_from(c, x, NULL, from, part);
        LLVMValueRef own = LLVMBuildLShr(c->b, bits, LLVMConstInt(LLVMTypeOf(bits), first, 0), "");
        own = LLVMBuildTruncOrBitCast(c->b, own, few, "");
        LLVMSetAlignment(LLVMBuildStore(c->b, cg_compress(c, y, own), p), bytes);
        if (first + part == lanes)
            break;
        LLVMValueRef n = LLVMBuildZExtOrBitCast(c->b, own, c->i32, "");
        n = cg_call_intrinsic(c, "llvm.ctpop", &c->i32, 1, &n, 1);
        n = LLVMBuildZExt(c->b, n, c->i64, "");
        p = LLVMBuildInBoundsGEP2(c->b, element, p, &n, 1, "");
    }
}
