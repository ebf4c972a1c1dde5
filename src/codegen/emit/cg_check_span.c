#include "codegen/emit/cg_check_span.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"

enum { MOST_PIECES = 8 }; // more are a gather's

bool cg_span_of(struct cg_func *g, struct kir_value *v, uint32_t bytes, int64_t most,
                struct cg_span *s) {
    struct cg *c = g->cg;
    struct shape shape = cg_shape(g, v);
    bool offsets = c->width > 1 && shape.kind == SHAPE_OFFSETS;
    if (!offsets && c->width > 1 && shape.kind != SHAPE_UNIFORM)
        return false;
    *s = (struct cg_span){.offs = offsets ? shape.offs : NULL};
    for (unsigned k = 0; offsets && k < c->width; k++) {
        int64_t at = shape.offs[k];
        s->lo = !k || at < s->lo ? at : s->lo;
        s->hi = !k || at > s->hi ? at : s->hi;
        if (at < -most || at > most || (at - shape.offs[0]) % bytes)
            return false;
    }
    if (s->hi - s->lo >= most)
        return false;
    s->guard = offsets && shape.guard ? cg_guard(g, v) : NULL;
    s->base = cg_scalar(g, v);
    if (kir_type_bits((enum kir_type)v->type) < 64)
        s->base = LLVMBuildZExt(c->b, s->base, c->i64, "");
    return true;
}

LLVMValueRef cg_span_inside(struct cg_func *g, const struct cg_span *s, LLVMValueRef offset,
                            uint32_t bytes, LLVMValueRef base, LLVMValueRef size, bool aligned) {
    struct cg *c = g->cg;
    LLVMValueRef reach = cg_i64(c, (uint64_t)(s->hi - s->lo) + bytes);
    LLVMValueRef first = LLVMBuildAdd(c->b, s->base, cg_i64(c, (uint64_t)s->lo), "");
    first = LLVMBuildAdd(c->b, first, offset, "");
    LLVMValueRef ok = LLVMBuildICmp(c->b, LLVMIntUGE, size, reach, "");
    LLVMValueRef at = LLVMBuildSub(c->b, first, base, "");
    LLVMValueRef most = LLVMBuildSub(c->b, size, reach, "");
    ok = LLVMBuildAnd(c->b, ok, LLVMBuildICmp(c->b, LLVMIntULE, at, most, ""), "");
    if (aligned && bytes > 1) {
        LLVMValueRef low = LLVMBuildAnd(c->b, first, cg_i64(c, bytes - 1), "");
        ok = LLVMBuildAnd(c->b, ok, LLVMBuildICmp(c->b, LLVMIntEQ, low, cg_i64(c, 0), ""), "");
    }
    return s->guard ? LLVMBuildAnd(c->b, ok, s->guard, "") : ok;
}

// Does each n lanes' piece lie side by side (bit 0), or at one place (bit 1)? 0: neither.
static unsigned kinds_of(const struct cg *c, const struct cg_span *s, unsigned n, uint32_t bytes) {
    unsigned kinds = 0;
    for (unsigned k = 0; k < c->width; k += n) {
        bool line = true, one = true;
        for (unsigned l = 1; l < n; l++) {
            line &= s->offs[k + l] - s->offs[k] == (int64_t)l * bytes;
            one &= s->offs[k + l] == s->offs[k];
        }
        if (!line && !one)
            return 0;
        kinds |= line ? 1 : 2;
    }
    return kinds;
}

// The lanes of a piece; 0: there are too many pieces.
static unsigned piece_of(const struct cg *c, const struct cg_span *s, uint32_t bytes,
                         unsigned *kinds) {
    *kinds = 0;
    for (unsigned n = c->width; n && n * MOST_PIECES >= c->width; n /= 2)
        if ((*kinds = kinds_of(c, s, n, bytes)))
            return n;
    return 0;
}

static LLVMValueRef place(struct cg *c, const struct cg_span *s, LLVMValueRef p, unsigned lane) {
    LLVMValueRef at = cg_i64(c, (uint64_t)(s->offs[lane] - s->lo));
    return LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
}

static LLVMValueRef places(struct cg_func *g, const struct cg_span *s, LLVMValueRef p) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_offs_vec(g, s->offs, c->i64);
    at = LLVMBuildSub(c->b, at, cg_splat(c, cg_i64(c, (uint64_t)s->lo)), "");
    return LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
}

static LLVMValueRef load(struct cg *c, LLVMTypeRef t, LLVMValueRef p) {
    LLVMValueRef x = LLVMBuildLoad2(c->b, t, p, "");
    LLVMSetAlignment(x, 1);
    return x;
}

bool cg_span_load(struct cg_func *g, const struct cg_span *s, LLVMValueRef p, uint32_t bytes,
                  LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMIntTypeInContext(c->ctx, 8 * bytes);
    LLVMValueRef part[MOST_PIECES];
    unsigned kinds, n = s->offs ? piece_of(c, s, bytes, &kinds) : 0;
    if (!s->offs) {
        *out = load(c, t, p);
        return true;
    }
    if (!n && bytes < 4)
        return false;
    if (!n) {
        LLVMValueRef at = places(g, s, p), all = LLVMConstAllOnes(cg_mask_type(c));
        LLVMTypeRef ov[2] = {cg_vec_of(c, t), LLVMTypeOf(at)};
        LLVMValueRef a[4] = {at, cg_i32(c, 1), all, LLVMConstNull(ov[0])};
        *out = cg_call_intrinsic(c, "llvm.masked.gather", ov, 2, a, 4);
        return true;
    }
    LLVMTypeRef vt = n > 1 ? LLVMVectorType(t, n) : NULL, one = LLVMVectorType(t, 1);
    for (unsigned k = 0; k < c->width / n; k++) {
        LLVMValueRef at = place(c, s, p, k * n);
        bool same = n > 1 && s->offs[k * n] == s->offs[k * n + 1];
        part[k] = load(c, same || n == 1 ? one : vt, at);
        if (same)
            part[k] = LLVMBuildShuffleVector(c->b, part[k], LLVMGetPoison(one),
                                             LLVMConstNull(LLVMVectorType(c->i32, n)), "");
    }
    for (unsigned m = c->width / n; m > 1; m /= 2)
        for (unsigned k = 0; k < m / 2; k++)
            part[k] = cg_concat(c, part[2 * k], part[2 * k + 1]);
    *out = part[0];
    return true;
}

static LLVMValueRef lanes(struct cg *c, LLVMValueRef mask, unsigned from, unsigned n) {
    LLVMValueRef idx[KD_WARP];
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, from + k);
    return LLVMBuildShuffleVector(c->b, mask, LLVMGetPoison(LLVMTypeOf(mask)),
                                  LLVMConstVector(idx, n), "");
}

bool cg_span_clear(struct cg_func *g, const struct cg_span *s, LLVMValueRef p, uint32_t bytes) {
    struct cg *c = g->cg;
    LLVMValueRef mask = g->now.mask;
    unsigned kinds = 2, n = s->offs ? piece_of(c, s, bytes, &kinds) : 0;
    if (!s->offs || (n && !mask)) { // whoever is not active has been looked for
        for (unsigned k = 0; k < (n ? c->width / n : 1); k++) {
            bool line = n > 1 && s->offs[k * n] != s->offs[k * n + 1];
            LLVMTypeRef t = LLVMIntTypeInContext(c->ctx, 8 * (bytes < 8 ? bytes : 8));
            unsigned words = bytes > 8 ? bytes / 8 : 1;
            LLVMTypeRef vt = LLVMVectorType(t, (line ? n : 1) * words);
            LLVMValueRef at = s->offs ? place(c, s, p, k * n) : p;
            LLVMSetAlignment(LLVMBuildStore(c->b, LLVMConstNull(vt), at), 1);
        }
        return true;
    }
    if (n < 2 || kinds != 1 || bytes > 8)
        return false;
    LLVMTypeRef vt = LLVMVectorType(LLVMIntTypeInContext(c->ctx, 8 * bytes), n);
    for (unsigned k = 0; k < c->width; k += n) {
        LLVMTypeRef ov[2] = {vt, c->ptr};
        LLVMValueRef m = n == c->width ? mask : lanes(c, mask, k, n);
        LLVMValueRef a[4] = {LLVMConstNull(vt), place(c, s, p, k), cg_i32(c, 1), m};
        cg_call_intrinsic(c, "llvm.masked.store", ov, 2, a, 4);
    }
    return true;
}
