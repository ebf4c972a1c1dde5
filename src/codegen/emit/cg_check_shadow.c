// What nobody has decided of memory, as code looks at it itself: where the lanes' accesses are in
// the block's window, whose bits lie side by side, or aligned and in one page (struct
// kd_check_shadow), of which all is written or each byte has bits. The device is called for all
// else. Of lanes at known distances the first and the last one are looked at.
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

static LLVMValueRef both(struct cg *c, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAnd(c->b, a, b, "");
}

static LLVMValueRef plus(struct cg *c, LLVMValueRef a, LLVMValueRef b) {
    return b ? LLVMBuildAdd(c->b, a, b, "") : a;
}

// Is any lane active?
static LLVMValueRef any(struct cg_func *g) {
    LLVMValueRef bits = cg_mask_bits(g, cg_mask(g));
    return LLVMBuildICmp(g->cg->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

// Where no active lane's bit is set.
static LLVMValueRef none_of(struct cg_func *g, LLVMValueRef bad) {
    struct cg *c = g->cg;
    bad = cg_mask_bits(g, LLVMBuildAnd(c->b, bad, cg_mask(g), ""));
    return LLVMBuildICmp(c->b, LLVMIntEQ, bad, LLVMConstNull(LLVMTypeOf(bad)), "");
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

static LLVMValueRef is_aligned(struct cg *c, LLVMValueRef at, uint32_t bytes) {
    LLVMValueRef low = LLVMBuildAnd(c->b, at, cg_i64(c, bytes - 1), "");
    return LLVMBuildICmp(c->b, LLVMIntEQ, low, cg_i64(c, 0), "");
}

// Are all active lanes' accesses aligned and in the first one's page? Of a span all lanes'.
static LLVMValueRef is_one_page(struct cg_func *g, const struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef one = is_aligned(c, s->first, s->bytes);
    if (s->has_span && s->span.offs) {
        LLVMValueRef reach = cg_i64(c, (uint64_t)(s->span.hi - s->span.lo));
        LLVMValueRef last = LLVMBuildAdd(c->b, s->first, reach, "");
        last = LLVMBuildXor(c->b, last, s->first, "");
        one = both(c, one,
                   LLVMBuildICmp(c->b, LLVMIntULT, last, cg_i64(c, 1u << KD_CHECK_PAGE_BITS), ""));
        return s->span.guard ? both(c, one, s->span.guard) : one;
    }
    if (s->same)
        return one;
    uint64_t page = ~((UINT64_C(1) << KD_CHECK_PAGE_BITS) - 1);
    LLVMValueRef apart = LLVMBuildXor(c->b, s->address, cg_splat(c, s->first), "");
    apart = LLVMBuildAnd(c->b, apart, cg_splat(c, cg_i64(c, page | (s->bytes - 1))), "");
    LLVMValueRef bad = LLVMBuildICmp(c->b, LLVMIntNE, apart, LLVMConstNull(LLVMTypeOf(apart)), "");
    return both(c, one, none_of(g, bad));
}

// What the table has for the address's page, as an i64.
static LLVMValueRef page_of(struct cg_func *g, LLVMValueRef address) {
    struct cg *c = g->cg;
    LLVMValueRef shadow = cg_block_field(g, offsetof(struct kd_block, check_shadow), c->ptr, "");
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

// Vectors of bytes and halves have no gathers.
static bool has_vectors(const struct cg_shadow *s) {
    return s->same || s->has_span || s->bytes >= 4;
}

static LLVMValueRef has_bits(struct cg_func *g, const struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef real =
        LLVMBuildICmp(c->b, LLVMIntUGE, s->page, cg_i64(c, KD_CHECK_PAGE_MARKS), "");
    return both(c, s->one_page, real);
}

// Of the block's window. Inactive lanes may be outside where there is no span.
static void split_shared(struct cg_func *g, struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef base = LLVMBuildPtrToInt(c->b, g->shared_base, c->i64, ""), ok;
    LLVMValueRef bits =
        cg_block_field(g, offsetof(struct kd_block, check_shared), c->ptr, "check_shared");
    LLVMValueRef size = cg_block_field(g, offsetof(struct kd_block, check_shared_bytes), c->i64,
                                       "check_shared_bytes");
    LLVMValueRef bytes = cg_i64(c, s->bytes), at;
    if (s->has_span) {
        LLVMValueRef offset = s->offset ? s->offset : cg_i64(c, 0);
        ok = cg_span_inside(g, &s->span, offset, s->bytes, base, size, false);
        at = LLVMBuildSub(c->b, s->first, base, "");
    } else {
        LLVMValueRef most = cg_splat(c, LLVMBuildSub(c->b, size, bytes, ""));
        at = LLVMBuildSub(c->b, s->address, cg_splat(c, base), "");
        ok = none_of(g, LLVMBuildICmp(c->b, LLVMIntUGT, at, most, ""));
        ok = both(c, ok, LLVMBuildICmp(c->b, LLVMIntUGE, size, bytes, ""));
    }
    s->places = LLVMBuildGEP2(c->b, c->i8, bits, &at, 1, "bits");
    s->bits = cg_new_block(g, "bits");
    LLVMBuildCondBr(c->b, ok, s->bits, s->ask);
    LLVMPositionBuilderAtEnd(c->b, s->bits);
}

static void split_pages(struct cg_func *g, struct cg_shadow *s) {
    struct cg *c = g->cg;
    s->one_page = is_one_page(g, s);
    s->page = page_of(g, s->first);
    if (s->same && c->width > 1) // no lane: there is nothing to be done
        s->page = LLVMBuildSelect(c->b, any(g), s->page, cg_i64(c, 0), "");
    LLVMBasicBlockRef look = cg_new_block(g, "look");
    LLVMValueRef clean = LLVMBuildICmp(c->b, LLVMIntEQ, s->page, cg_i64(c, 0), "");
    s->clean = LLVMGetInsertBlock(c->b);
    LLVMBuildCondBr(c->b, both(c, clean, s->one_page), s->done, look);
    LLVMPositionBuilderAtEnd(c->b, look);
    if (!has_vectors(s)) {
        LLVMBuildBr(c->b, s->ask);
        return;
    }
    s->bits = cg_new_block(g, "bits");
    LLVMBuildCondBr(c->b, has_bits(g, s), s->bits, s->ask);
    LLVMPositionBuilderAtEnd(c->b, s->bits);
    LLVMValueRef at = s->has_span ? s->first : s->address;
    LLVMValueRef within = cg_i64(c, (1u << KD_CHECK_PAGE_BITS) - 1);
    at = LLVMBuildAnd(c->b, at, s->has_span || s->same ? within : cg_splat(c, within), "");
    LLVMValueRef page = LLVMBuildIntToPtr(c->b, s->page, c->ptr, "");
    s->places = LLVMBuildGEP2(c->b, c->i8, page, &at, 1, "bits");
}

// Splits: s->clean where all is decided, s->bits where each byte has bits, else s->ask.
static void split(struct cg_func *g, struct cg_shadow *s) {
    struct cg *c = g->cg;
    int64_t most = s->shared ? INT64_C(1) << 30 : INT64_C(1) << KD_CHECK_PAGE_BITS;
    s->has_span = cg_span_of(g, s->of, s->bytes, most, &s->span);
    s->first = NULL;
    if (s->has_span) {
        s->first = LLVMBuildAdd(c->b, s->span.base, cg_i64(c, (uint64_t)s->span.lo), "");
        s->first = plus(c, s->first, s->offset);
    }
    s->clean = s->bits = NULL;
    if (s->shared && has_vectors(s)) {
        split_shared(g, s);
        return;
    }
    s->first = s->has_span ? s->first : first_address(g, s);
    split_pages(g, s);
}

void cg_shadow_begin(struct cg_func *g, struct cg_shadow *s) {
    struct cg *c = g->cg;
    s->ask = cg_new_block(g, "ask");
    s->done = cg_new_block(g, "decided");
    split(g, s);
    s->loaded = NULL;
    if (!s->bits)
        return;
    LLVMTypeRef t = LLVMIntTypeInContext(c->ctx, 8 * s->bytes);
    if (!s->has_span) {
        LLVMTypeRef ov[2] = {cg_vec_of(c, t), LLVMTypeOf(s->places)};
        LLVMValueRef a[4] = {s->places, cg_i32(c, 1), cg_mask(g), LLVMConstNull(ov[0])};
        s->loaded = cg_call_intrinsic(c, "llvm.masked.gather", ov, 2, a, 4);
    } else if (!cg_span_load(g, &s->span, s->places, s->bytes, &s->loaded)) {
        LLVMBuildBr(c->b, s->ask);
        s->bits = NULL;
        return;
    }
    s->bits = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, s->done);
}

LLVMValueRef cg_shadow_load(struct cg_func *g, struct cg_shadow *s, LLVMValueRef asked) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMIntTypeInContext(c->ctx, 8 * s->bytes), wide = LLVMTypeOf(asked);
    t = cg_is_vector(wide) ? cg_vec_of(c, t) : t;
    asked = s->bytes < 8 ? LLVMBuildTrunc(c->b, asked, t, "") : asked;
    LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(c->b), s->clean, s->bits};
    LLVMValueRef values[] = {asked, LLVMConstNull(t), s->loaded};
    LLVMBuildBr(c->b, s->done);
    LLVMPositionBuilderAtEnd(c->b, s->done);
    LLVMValueRef phi = LLVMBuildPhi(c->b, t, "undecided");
    for (unsigned k = 0; k < 3; k++)
        if (from[k])
            LLVMAddIncoming(phi, &values[k], &from[k], 1);
    return s->bytes < 8 ? LLVMBuildZExt(c->b, phi, wide, "") : phi;
}

// Each lane's bits by themselves.
static void clear_each(struct cg_func *g, const struct cg_shadow *s, LLVMValueRef p) {
    struct cg *c = g->cg;
    uint32_t part = s->bytes < 8 ? s->bytes : 8;
    for (uint32_t k = 0; k < s->bytes; k += part) {
        LLVMValueRef at = cg_i64(c, k), here = LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
        LLVMTypeRef t = LLVMIntTypeInContext(c->ctx, 8 * part);
        LLVMTypeRef ov[2] = {cg_vec_of(c, t), LLVMTypeOf(here)};
        LLVMValueRef a[4] = {LLVMConstNull(ov[0]), here, cg_i32(c, 1), cg_mask(g)};
        cg_call_intrinsic(c, "llvm.masked.scatter", ov, 2, a, 4);
    }
}

// What is stored is decided. False: the device is to do it.
static bool clear(struct cg_func *g, const struct cg_shadow *s) {
    struct cg *c = g->cg;
    LLVMValueRef p = s->places;
    if (s->has_span && cg_span_clear(g, &s->span, p, s->bytes))
        return true;
    if (s->bytes < 4)
        return false;
    if (s->has_span) {
        LLVMValueRef at = cg_offs_vec(g, s->span.offs, c->i64);
        at = LLVMBuildSub(c->b, at, cg_splat(c, cg_i64(c, (uint64_t)s->span.lo)), "");
        p = LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
    }
    clear_each(g, s, p);
    return true;
}

LLVMBasicBlockRef cg_shadow_store(struct cg_func *g, struct cg_shadow *s, struct kir_inst *i,
                                  LLVMValueRef dirty) {
    struct cg *c = g->cg;
    s->shared = i->mods.space == ISA_SPACE_SHARED;
    s->offset = cg_i64(c, (uint64_t)i->offset);
    if (s->shared)
        s->offset =
            LLVMBuildAdd(c->b, s->offset, LLVMBuildPtrToInt(c->b, g->shared_base, c->i64, ""), "");
    s->address = plus(c, s->address, s->same ? s->offset : cg_splat(c, s->offset));
    LLVMValueRef shadow = cg_block_field(g, offsetof(struct kd_block, check_shadow), c->ptr, "");
    LLVMValueRef copied = field(g, shadow, offsetof(struct kd_check_shadow, copied), c->i32);
    copied = LLVMBuildICmp(c->b, LLVMIntNE, copied, cg_i32(c, 0), "");
    LLVMBasicBlockRef decided = cg_new_block(g, "stored");
    s->ask = cg_new_block(g, "ask");
    s->done = cg_new_block(g, "decided");
    LLVMBuildCondBr(c->b, LLVMBuildOr(c->b, dirty, copied, ""), s->ask, decided);
    LLVMPositionBuilderAtEnd(c->b, decided);
    if (s->shared && s->same && c->width > 1) { // no lane: there is nothing to be done
        LLVMBasicBlockRef some = cg_new_block(g, "some");
        LLVMBuildCondBr(c->b, any(g), some, s->done);
        LLVMPositionBuilderAtEnd(c->b, some);
    }
    split(g, s);
    if (s->bits)
        LLVMBuildBr(c->b, clear(g, s) ? s->done : s->ask);
    LLVMPositionBuilderAtEnd(c->b, s->ask);
    return s->done;
}
