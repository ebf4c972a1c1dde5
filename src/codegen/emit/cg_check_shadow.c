// What nobody has decided of memory, as code looks at it itself: where the lanes' accesses are
// aligned and in one page (struct kd_check_shadow), of which all is written or each byte has bits.
// The device is called for all else.
#include "codegen/emit/cg_check_shadow.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_value.h"
#include "isa/isa.h"

static LLVMValueRef field(struct cg_func *g, LLVMValueRef p, size_t at, LLVMTypeRef type) {
    struct cg *c = g->cg;
    LLVMValueRef f = LLVMBuildGEP2(c->b, c->i8, p, (LLVMValueRef[]){cg_i64(c, at)}, 1, "");
    return LLVMBuildLoad2(c->b, type, f, "");
}

// The address of the first active lane; of some lane if there is none.
static LLVMValueRef first_address(struct cg_func *g, const struct cg_shadow *s) {
    struct cg *c = g->cg;
    if (s->same)
        return s->address;
    LLVMValueRef bits = cg_mask_bits(g, cg_mask(g));
    LLVMTypeRef t = LLVMTypeOf(bits);
    bits = LLVMBuildOr(c->b, bits, LLVMConstInt(t, UINT64_C(1) << (c->width - 1), 0), "");
    LLVMValueRef a[] = {bits, LLVMConstInt(LLVMInt1TypeInContext(c->ctx), 1, 0)};
    LLVMValueRef lane = cg_call_intrinsic(c, "llvm.cttz", &t, 1, a, 2);
    return LLVMBuildExtractElement(c->b, s->address, lane, "first");
}

// Are all active lanes' accesses aligned and in the first one's page?
static LLVMValueRef is_one_page(struct cg_func *g, const struct cg_shadow *s, LLVMValueRef first) {
    struct cg *c = g->cg;
    LLVMValueRef low = cg_i64(c, s->bytes - 1);
    LLVMValueRef one =
        LLVMBuildICmp(c->b, LLVMIntEQ, LLVMBuildAnd(c->b, first, low, ""), cg_i64(c, 0), "");
    if (s->same)
        return one;
    uint64_t page = ~((UINT64_C(1) << KD_CHECK_PAGE_BITS) - 1);
    LLVMValueRef apart = LLVMBuildXor(c->b, s->address, cg_splat(c, first), "");
    apart = LLVMBuildAnd(c->b, apart, cg_splat(c, cg_i64(c, page | (s->bytes - 1))), "");
    LLVMValueRef bad = LLVMBuildICmp(c->b, LLVMIntNE, apart, LLVMConstNull(LLVMTypeOf(apart)), "");
    bad = cg_mask_bits(g, LLVMBuildAnd(c->b, bad, cg_mask(g), ""));
    bad = LLVMBuildICmp(c->b, LLVMIntEQ, bad, LLVMConstNull(LLVMTypeOf(bad)), "");
    return LLVMBuildAnd(c->b, one, bad, "");
}

// What the table has for the address's page, as an i64.
static LLVMValueRef page_of(struct cg_func *g, LLVMValueRef address) {
    struct cg *c = g->cg;
    LLVMValueRef shadow = field(g, g->blk, offsetof(struct kd_block, check_shadow), c->ptr);
    LLVMValueRef top = field(g, shadow, offsetof(struct kd_check_shadow, top), c->ptr);
    LLVMValueRef page = LLVMBuildLShr(c->b, address, cg_i64(c, KD_CHECK_PAGE_BITS), "");
    LLVMValueRef at = LLVMBuildLShr(c->b, page, cg_i64(c, KD_CHECK_LEAF_BITS), "");
    at = LLVMBuildAnd(c->b, at, cg_i64(c, (1u << KD_CHECK_TOP_BITS) - 1), "");
    LLVMValueRef p = LLVMBuildGEP2(c->b, c->ptr, top, &at, 1, "");
    LLVMValueRef leaf = LLVMBuildLoad2(c->b, c->ptr, p, "leaf");
    at = LLVMBuildAnd(c->b, page, cg_i64(c, (1u << KD_CHECK_LEAF_BITS) - 1), "");
    p = LLVMBuildGEP2(c->b, c->ptr, leaf, &at, 1, "");
    at = cg_i64(c, offsetof(struct kd_check_shadow, none));
    LLVMValueRef none = LLVMBuildGEP2(c->b, c->i8, shadow, &at, 1, "");
    p = LLVMBuildSelect(c->b, LLVMBuildIsNull(c->b, leaf, ""), none, p, "");
    return LLVMBuildLoad2(c->b, c->i64, p, "page");
}

// Where the bits of what is accessed are: one place, or one a lane.
static LLVMValueRef places(struct cg_func *g, const struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef within = cg_i64(c, (1u << KD_CHECK_PAGE_BITS) - 1);
    LLVMValueRef at = LLVMBuildAnd(c->b, s->address, s->same ? within : cg_splat(c, within), "");
    LLVMValueRef base = LLVMBuildIntToPtr(c->b, s->page, c->ptr, "");
    return LLVMBuildGEP2(c->b, c->i8, base, &at, 1, "bits");
}

// Vectors of bytes and halves have no gathers.
static bool has_vectors(const struct cg_shadow *s) {
    return s->same || s->bytes >= 4;
}

static LLVMValueRef has_bits(struct cg_func *g, const struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef real =
        LLVMBuildICmp(c->b, LLVMIntUGE, s->page, cg_i64(c, KD_CHECK_PAGE_MARKS), "");
    return LLVMBuildAnd(c->b, s->one_page, real, "");
}

// Splits: s->clean where all is decided, s->bits where each byte has bits, else s->ask.
static void split(struct cg_func *g, struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef first = first_address(g, s);
    s->one_page = is_one_page(g, s, first);
    s->page = page_of(g, first);
    if (s->same && c->width > 1) { // no lane: there is nothing to be done
        LLVMValueRef any = cg_mask_bits(g, cg_mask(g));
        any = LLVMBuildICmp(c->b, LLVMIntNE, any, LLVMConstNull(LLVMTypeOf(any)), "");
        s->page = LLVMBuildSelect(c->b, any, s->page, cg_i64(c, 0), "");
    }
    s->done = cg_new_block(g, "decided");
    s->ask = cg_new_block(g, "ask");
    LLVMBasicBlockRef look = cg_new_block(g, "look");
    LLVMValueRef clean = LLVMBuildICmp(c->b, LLVMIntEQ, s->page, cg_i64(c, 0), "");
    clean = LLVMBuildAnd(c->b, clean, s->one_page, "");
    s->clean = LLVMGetInsertBlock(c->b);
    LLVMBuildCondBr(c->b, clean, s->done, look);
    LLVMPositionBuilderAtEnd(c->b, look);
    s->bits = NULL;
    if (!has_vectors(s)) {
        LLVMBuildBr(c->b, s->ask);
        return;
    }
    s->bits = cg_new_block(g, "bits");
    LLVMBuildCondBr(c->b, has_bits(g, s), s->bits, s->ask);
    LLVMPositionBuilderAtEnd(c->b, s->bits);
}

static LLVMTypeRef element(struct cg_func *g, const struct cg_shadow *s) {
    return LLVMIntTypeInContext(g->cg->ctx, 8 * s->bytes);
}

void cg_shadow_begin(struct cg_func *g, struct cg_shadow *s) {
    struct cg *c = g->cg;
    split(g, s);
    s->loaded = NULL;
    if (!s->bits)
        return;
    LLVMTypeRef t = element(g, s), wide = s->same ? c->i64 : cg_vec_of(c, c->i64);
    LLVMValueRef p = places(g, s), x;
    if (s->same) {
        x = LLVMBuildLoad2(c->b, t, p, "");
        LLVMSetAlignment(x, s->bytes);
    } else {
        LLVMTypeRef ov[2] = {cg_vec_of(c, t), LLVMTypeOf(p)};
        LLVMValueRef a[4] = {p, cg_i32(c, s->bytes), cg_mask(g), LLVMConstNull(ov[0])};
        x = cg_call_intrinsic(c, "llvm.masked.gather", ov, 2, a, 4);
    }
    s->loaded = s->bytes < 8 ? LLVMBuildZExt(c->b, x, wide, "") : x;
    s->bits = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, s->done);
}

LLVMValueRef cg_shadow_load(struct cg_func *g, struct cg_shadow *s, LLVMValueRef asked) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef from[] = {s->clean, LLVMGetInsertBlock(c->b), s->bits};
    LLVMValueRef values[] = {LLVMConstNull(LLVMTypeOf(asked)), asked, s->loaded};
    LLVMBuildBr(c->b, s->done);
    LLVMPositionBuilderAtEnd(c->b, s->done);
    LLVMValueRef phi = LLVMBuildPhi(c->b, LLVMTypeOf(asked), "undecided");
    LLVMAddIncoming(phi, values, from, s->bits ? 3 : 2);
    return phi;
}

// What is stored is decided.
static void clear(struct cg_func *g, const struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef p = places(g, s);
    if (s->same) {
        LLVMSetAlignment(LLVMBuildStore(c->b, LLVMConstNull(element(g, s)), p), s->bytes);
        return;
    }
    uint32_t part = s->bytes < 8 ? s->bytes : 8;
    for (uint32_t k = 0; k < s->bytes; k += part) {
        LLVMValueRef at = cg_i64(c, k), here = LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
        LLVMTypeRef t = LLVMIntTypeInContext(c->ctx, 8 * part);
        LLVMTypeRef ov[2] = {cg_vec_of(c, t), LLVMTypeOf(p)};
        LLVMValueRef a[4] = {LLVMConstNull(ov[0]), here, cg_i32(c, part), cg_mask(g)};
        cg_call_intrinsic(c, "llvm.masked.scatter", ov, 2, a, 4);
    }
}

LLVMBasicBlockRef cg_shadow_store(struct cg_func *g, struct cg_shadow *s, struct kir_inst *i,
                                  LLVMValueRef dirty) {
    struct cg *c = g->cg;
    LLVMValueRef offset = cg_i64(c, (uint64_t)i->offset);
    if (i->mods.space == ISA_SPACE_SHARED) {
        LLVMValueRef shared = field(g, g->blk, offsetof(struct kd_block, shared), c->i64);
        offset = LLVMBuildAdd(c->b, offset, shared, "");
    }
    s->address = LLVMBuildAdd(c->b, s->address, s->same ? offset : cg_splat(c, offset), "");
    LLVMValueRef shadow = field(g, g->blk, offsetof(struct kd_block, check_shadow), c->ptr);
    LLVMValueRef copied = field(g, shadow, offsetof(struct kd_check_shadow, copied), c->i32);
    copied = LLVMBuildICmp(c->b, LLVMIntNE, copied, cg_i32(c, 0), "");
    LLVMBasicBlockRef decided = cg_new_block(g, "stored");
    LLVMValueRef odd = LLVMBuildOr(c->b, dirty, copied, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMPositionBuilderAtEnd(c->b, decided);
    split(g, s);
    if (s->bits) {
        clear(g, s);
        LLVMBuildBr(c->b, s->done);
    }
    LLVMPositionBuilderAtEnd(c->b, here);
    LLVMBuildCondBr(c->b, odd, s->ask, decided);
    LLVMPositionBuilderAtEnd(c->b, s->ask);
    return s->done;
}
