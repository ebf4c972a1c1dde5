// What only x86 has: AVX-512's 512-bit arithmetic with a rounding mode as an operand, its minimum
// and maximum by the rules of IEEE 754, its products with powers of two, the multiplication of
// 16-bit pairs, summed, and bytes picked by others. Vectors of other lengths are cut and filled up.
#include <string.h>

#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"

bool has_embedded(const struct em *e) {
    return e->p->target->mask_registers;
}

static val lane_index(const struct em *e, unsigned k, bool exists) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->p->ctx);
    return exists ? LLVMConstInt(i32, k, false) : LLVMGetUndef(i32);
}

// Lanes first .. first + n of v, which has `lanes` of them; what lies beyond is undefined.
static val take(const struct em *e, val v, unsigned lanes, unsigned first, unsigned n) {
    val mask[64];
    for (unsigned k = 0; k < n; k++)
        mask[k] = lane_index(e, first + k, first + k < lanes);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetUndef(LLVMTypeOf(v)), LLVMConstVector(mask, n),
                                  "");
}

// The parts, a power of two of them, as one vector.
static val concat(const struct em *e, const val *parts, unsigned count, unsigned n) {
    if (count == 1)
        return parts[0];
    val a = concat(e, parts, count / 2, n), b = concat(e, parts + count / 2, count / 2, n);
    val mask[64];
    for (unsigned k = 0; k < n * count; k++)
        mask[k] = lane_index(e, k, true);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(mask, n * count), "");
}

static const char *intrinsic(isa_op op, bool f64) {
    switch (op) {
    case ISA_OP_ADD:
        return f64 ? "llvm.x86.avx512.add.pd.512" : "llvm.x86.avx512.add.ps.512";
    case ISA_OP_SUB:
        return f64 ? "llvm.x86.avx512.sub.pd.512" : "llvm.x86.avx512.sub.ps.512";
    case ISA_OP_MUL:
        return f64 ? "llvm.x86.avx512.mul.pd.512" : "llvm.x86.avx512.mul.ps.512";
    case ISA_OP_DIV:
        return f64 ? "llvm.x86.avx512.div.pd.512" : "llvm.x86.avx512.div.ps.512";
    case ISA_OP_SQRT:
        return f64 ? "llvm.x86.avx512.sqrt.pd.512" : "llvm.x86.avx512.sqrt.ps.512";
    default:
        return f64 ? "llvm.x86.avx512.vfmadd.pd.512" : "llvm.x86.avx512.vfmadd.ps.512";
    }
}

static val rounding(const struct em *e, unsigned mode) {
    unsigned code = mode == ISA_RND_RM ? 1 : mode == ISA_RND_RP ? 2 : mode == ISA_RND_RZ ? 3 : 0;
    return LLVMConstInt(LLVMInt32TypeInContext(e->p->ctx), 8 | code, false); // 8: no exceptions
}

static val call512(const struct em *e, isa_op op, const val x[3], unsigned mode, bool f64) {
    const char *name = intrinsic(op, f64);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name)), n = 0;
    val args[4];
    while (n < 3 && x[n]) {
        args[n] = x[n];
        n++;
    }
    args[n++] = rounding(e, mode);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->p->ctx, id, NULL, 0),
                          LLVMGetIntrinsicDeclaration(e->p->mod, id, NULL, 0), args, n, "");
}

// x as one vector of at least one lane.
static val as_vector(const struct em *e, val x) {
    if (e->lanes)
        return x;
    val v = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(x), 1));
    return LLVMBuildInsertElement(e->b, v, x, lane_index(e, 0, true), "");
}

val embedded_arith(const struct em *e, isa_op op, const val x[3], unsigned mode) {
    bool f64 = v_width(x[0]) == 64;
    unsigned n = f64 ? 8 : 16, lanes = e->lanes ? e->lanes : 1, count = (lanes + n - 1) / n;
    val parts[8];
    for (unsigned c = 0; c < count; c++) {
        val y[3] = {NULL};
        for (unsigned k = 0; k < 3 && x[k]; k++)
            y[k] = take(e, as_vector(e, x[k]), lanes, c * n, n);
        parts[c] = call512(e, op, y, mode, f64);
    }
    val r = concat(e, parts, count, n);
    if (!e->lanes)
        return LLVMBuildExtractElement(e->b, r, lane_index(e, 0, true), "");
    return count * n == lanes ? r : take(e, r, n, 0, lanes);
}

// As many lanes of floats as one instruction takes, of no more than are there.
static unsigned float_lanes(const struct em *e) {
    return e->lanes >= 16 ? 16 : e->lanes >= 8 ? 8 : 4;
}

// An intrinsic of so many lanes with these operands, applied to a and b part by part. args: from
// the third one on.
static val each_part(const struct em *e, const char *name, unsigned n, val a, val b,
                     const val *args, unsigned nargs) {
    unsigned lanes = e->lanes ? e->lanes : 1, count = (lanes + n - 1) / n;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    val parts[8], all[8];
    for (unsigned c = 0; c < count; c++) {
        all[0] = take(e, as_vector(e, a), lanes, c * n, n);
        all[1] = take(e, as_vector(e, b), lanes, c * n, n);
        memcpy(all + 2, args, sizeof *args * nargs);
        parts[c] =
            LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->p->ctx, id, NULL, 0),
                           LLVMGetIntrinsicDeclaration(e->p->mod, id, NULL, 0), all, nargs + 2, "");
    }
    val r = concat(e, parts, count, n);
    if (!e->lanes)
        return LLVMBuildExtractElement(e->b, r, lane_index(e, 0, true), "");
    return count * n == lanes ? r : take(e, r, n, 0, lanes);
}

enum { CURRENT_ROUNDING = 4 };

static val all_lanes(const struct em *e, unsigned n) {
    return LLVMConstAllOnes(LLVMIntTypeInContext(e->p->ctx, n == 16 ? 16 : 8));
}

bool has_range(const struct em *e) {
    return has_embedded(e) && e->lanes % 16 == 0;
}

// A product by one that LLVM leaves alone: of scalars not in the widest registers, for which some
// processors slow down.
val quieted(const struct em *e, val x) {
    val factors[3] = {x, k_flt(e, 32, 1)};
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->p->ctx);
    val args[3] = {LLVMConstNull(LLVMVectorType(f32, 4)), all_lanes(e, 4), rounding(e, ISA_RND_RN)};
    if (e->lanes)
        return embedded_arith(e, ISA_OP_MUL, factors, ISA_RND_RN);
    return each_part(e, "llvm.x86.avx512.mask.mul.ss.round", 4, factors[0], factors[1], args, 3);
}

// llvm.x86.avx512.mask.range: operands, which choice, what masked lanes keep, mask, and for 16
// lanes the rounding.
val range(const struct em *e, val a, val b, bool max) {
    static const char *const names[] = {"llvm.x86.avx512.mask.range.ps.128",
                                        "llvm.x86.avx512.mask.range.ps.256",
                                        "llvm.x86.avx512.mask.range.ps.512"};
    enum { SIGN_OF_RESULT = 1 << 2, MAX = 1 };
    unsigned n = float_lanes(e);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->p->ctx), f32 = LLVMFloatTypeInContext(e->p->ctx);
    val args[4] = {LLVMConstInt(i32, SIGN_OF_RESULT | (max ? MAX : 0), false),
                   LLVMConstNull(LLVMVectorType(f32, n)), all_lanes(e, n),
                   LLVMConstInt(i32, CURRENT_ROUNDING, false)};
    return each_part(e, names[n / 8], n, a, b, args, n == 16 ? 4 : 3);
}

// llvm.x86.avx512.mask.scalef: operands, what masked lanes keep, mask, and for 16 lanes the
// rounding.
val times_power(const struct em *e, val a, val b) {
    static const char *const names[] = {"llvm.x86.avx512.mask.scalef.ps.128",
                                        "llvm.x86.avx512.mask.scalef.ps.256",
                                        "llvm.x86.avx512.mask.scalef.ps.512"};
    unsigned n = float_lanes(e);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->p->ctx), f32 = LLVMFloatTypeInContext(e->p->ctx);
    val args[3] = {LLVMConstNull(LLVMVectorType(f32, n)), all_lanes(e, n),
                   LLVMConstInt(i32, CURRENT_ROUNDING, false)};
    return each_part(e, names[n / 8], n, a, b, args, n == 16 ? 3 : 2);
}

bool has_pair_products(const struct em *e) {
    return e->lanes >= 4 && e->p->target->pair_products;
}

// As many 32-bit lanes as one instruction takes, of no more than are there: 4, 8 or 16.
static unsigned word_lanes(const struct em *e) {
    unsigned most = e->p->target->vector_bits / 32;
    return e->lanes >= 16 && most >= 16 ? 16 : e->lanes >= 8 && most >= 8 ? 8 : 4;
}

// An intrinsic of n words, as vectors of narrower integers, applied to vectors of 32-bit lanes
// part by part. names: for 4, 8 and 16 words.
static val each_word_part(const struct em *e, const char *const names[3], unsigned bits, val a,
                          val b) {
    unsigned n = word_lanes(e), count = (e->lanes + n - 1) / n;
    const char *name = names[n / 8];
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef narrow = LLVMVectorType(LLVMIntTypeInContext(e->p->ctx, bits), 32 / bits * n);
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(e->p->ctx), n);
    val parts[16];
    for (unsigned c = 0; c < count; c++) {
        val x = take(e, a, e->lanes, c * n, n), y = take(e, b, e->lanes, c * n, n);
        val args[2] = {LLVMBuildBitCast(e->b, x, narrow, ""),
                       LLVMBuildBitCast(e->b, y, narrow, "")};
        val r = LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->p->ctx, id, NULL, 0),
                               LLVMGetIntrinsicDeclaration(e->p->mod, id, NULL, 0), args, 2, "");
        parts[c] = LLVMBuildBitCast(e->b, r, words, "");
    }
    val r = concat(e, parts, count, n);
    return count * n == e->lanes ? r : take(e, r, n, 0, e->lanes);
}

val pair_products(const struct em *e, val a, val b) {
    static const char *const names[] = {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd",
                                        "llvm.x86.avx512.pmaddw.d.512"};
    return each_word_part(e, names, 16, a, b);
}

bool has_byte_picks(const struct em *e) {
    return has_pair_products(e);
}

val byte_picks(const struct em *e, val a, val from) {
    static const char *const names[] = {"llvm.x86.ssse3.pshuf.b.128", "llvm.x86.avx2.pshuf.b",
                                        "llvm.x86.avx512.pshuf.b.512"};
    val first[64]; // of each word in its row of 16 bytes, which is what the instruction counts in
    for (unsigned k = 0; k < e->lanes; k++)
        first[k] = LLVMConstInt(LLVMInt32TypeInContext(e->p->ctx), k % 4 * 0x04040404u, false);
    return each_word_part(e, names, 8, a, v_or(e, from, LLVMConstVector(first, e->lanes)));
}
