// Accesses at an address a lane: a scalar access a lane. Gather instructions cost more than that on
// most processors (a fixed 30 cycles and more where they are mitigated against data sampling), and
// where the target has none LLVM makes a branch a lane of a masked one. Inactive lanes are sent to
// a place of the function's own, which needs no branch either. Where the machine is known to gather
// faster than that (8 words of 64 bits in 5 cycles, 16 of 32 in 12), it does. Scatter instructions,
// which are not mitigated, spare taking lanes out of registers: 16 words in 13 cycles for 20 on
// Golden Cove.
#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_lane_calls.h"
#include "codegen/access/cg_lone.h"
#include "codegen/access/cg_places.h"
#include "codegen/access/cg_sorted.h"
#include "codegen/access/cg_stretch.h"
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_value.h"

// Beyond so many lanes in one function the intrinsics are used: they keep compile time in bounds.
enum { MAX_SPREAD_LANES = 6144, FEW_LANES = 2 };

static bool spend(struct cg_func *g, const struct cg_lane_access *a) {
    unsigned lanes = g->cg->width * a->count;
    if (a->rare || g->spread_lanes + lanes > MAX_SPREAD_LANES)
        return false;
    g->spread_lanes += lanes;
    return true;
}

static void gather_instructions(struct cg_func *g, const struct cg_lane_access *a,
                                LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMTypeRef vt = cg_vec_of(c, a->elem), ov[2] = {vt, cg_vec_of(c, c->ptr)};
    LLVMValueRef p = cg_pointers(g, &a->at);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef args[4] = {cg_byte_gep(c, p, k * a->bytes), cg_i32(c, a->bytes), cg_mask(g),
                                LLVMConstNull(vt)};
        out[k] = cg_call_intrinsic(c, "llvm.masked.gather", ov, 2, args, 4);
    }
}

static void scatter_instructions(struct cg_func *g, const struct cg_lane_access *a,
                                 LLVMValueRef *comp) {
    struct cg *c = g->cg;
    LLVMTypeRef ov[2] = {cg_vec_of(c, a->elem), cg_vec_of(c, c->ptr)};
    LLVMValueRef p = cg_pointers(g, &a->at);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef args[4] = {comp[k], cg_byte_gep(c, p, k * a->bytes), cg_i32(c, a->bytes),
                                cg_mask(g)};
        cg_call_intrinsic(c, "llvm.masked.scatter", ov, 2, args, 4);
    }
}

// Which lanes act may be known while code is generated: the others have no access.
static bool known_mask(const struct cg_func *g) {
    return g->now.mask && LLVMIsConstant(g->now.mask);
}

static bool is_left_out(struct cg_func *g, unsigned lane) {
    return known_mask(g) && !cg_constant_lane(g->cg, g->now.mask, lane);
}

// A few lanes are taken out of a vector one by one: LLVM computes them alone, not the vector.
static bool few_lanes(struct cg_func *g) {
    unsigned n = 0;
    if (!known_mask(g))
        return false;
    for (unsigned l = 0; l < g->cg->width; l++)
        n += !is_left_out(g, l);
    return n <= FEW_LANES;
}

static struct cg_spread one_by_one(LLVMValueRef vec) {
    return (struct cg_spread){.vec = vec};
}

static struct cg_spread spread_places(struct cg_func *g, const struct cg_places *p) {
    LLVMValueRef vec = p->pointers ? p->pointers : p->index;
    return vec && few_lanes(g) ? one_by_one(vec) : cg_spread_places(g, p);
}

static struct cg_spread take_places_apart(struct cg_func *g, const struct cg_places *p) {
    LLVMValueRef vec = p->pointers ? p->pointers : p->index;
    return vec && few_lanes(g) ? one_by_one(vec) : cg_take_places_apart(g, p);
}

static struct cg_spread take_values_apart(struct cg_func *g, LLVMValueRef vec) {
    return few_lanes(g) ? one_by_one(vec) : cg_take_apart(g, vec, 1);
}

// With a mask: pointers, those of inactive lanes replaced by that of a slot of the function's own.
static struct cg_places safe_places(struct cg_func *g, const struct cg_places *p,
                                    LLVMValueRef (*slot)(struct cg_func *)) {
    struct cg *c = g->cg;
    if (!g->now.mask || known_mask(g))
        return *p;
    return (struct cg_places){
        .pointers = cg_select(c, g->now.mask, cg_pointers(g, p), cg_splat(c, slot(g)))};
}

// In each four lanes: alternately x's and y's pieces of `unit` elements, from the low or high half.
static LLVMValueRef unpack(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned unit, bool high) {
    unsigned from[32], n = c->width;
    for (unsigned k = 0; k < n; k++) {
        unsigned at = k % 4, piece = at / unit;
        from[k] = (piece % 2 ? n : 0) + k / 4 * 4 + (high ? 2 : 0) + piece / 2 * unit + at % unit;
    }
    return cg_lanes_from(c, x, y, from, n);
}

// Transposes 4x4 elements in each four lanes.
static void transpose4(struct cg *c, LLVMValueRef *v) {
    LLVMValueRef lo = unpack(c, v[0], v[1], 1, false), hi = unpack(c, v[0], v[1], 1, true);
    LLVMValueRef lo2 = unpack(c, v[2], v[3], 1, false), hi2 = unpack(c, v[2], v[3], 1, true);
    v[0] = unpack(c, lo, lo2, 2, false);
    v[1] = unpack(c, lo, lo2, 2, true);
    v[2] = unpack(c, hi, hi2, 2, false);
    v[3] = unpack(c, hi, hi2, 2, true);
}

static LLVMValueRef join(struct cg *c, LLVMValueRef *p, unsigned count) {
    unsigned all[64];
    for (unsigned k = 0; k < 64; k++)
        all[k] = k;
    for (; count > 1; count /= 2)
        for (unsigned k = 0; k < count / 2; k++)
            p[k] = cg_lanes_from(c, p[2 * k], p[2 * k + 1], all,
                                 2 * LLVMGetVectorSize(LLVMTypeOf(p[2 * k])));
    return p[0];
}

// Four words a lane are one access of 16 bytes; a transposition parts them.
static bool in_fours(const struct cg *c, const struct cg_lane_access *a) {
    return a->count == 4 && a->bytes == 4 && c->width % 4 == 0;
}

static void gather_fours(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMVectorType(a->elem, 4);
    struct cg_places at = safe_places(g, &a->at, cg_zero_slot);
    struct cg_spread s = spread_places(g, &at);
    LLVMValueRef of[4][8];
    for (unsigned l = 0; l < c->width; l++) {
        if (is_left_out(g, l)) {
            of[l % 4][l / 4] = LLVMConstNull(t);
            continue;
        }
        LLVMValueRef p = cg_place(g, &at, &s, l), x = LLVMBuildLoad2(c->b, t, p, "");
        LLVMSetAlignment(x, 16);
        if (a->ahead)
            cg_prefetch_at(c, p, a->ahead, false);
        of[l % 4][l / 4] = x;
    }
    for (unsigned k = 0; k < 4; k++)
        out[k] = join(c, of[k], c->width / 4);
    transpose4(c, out);
}

// Two words a lane are one access of 8 bytes.
static bool in_twos(const struct cg *c, const struct cg_lane_access *a) {
    return a->count == 2 && a->bytes == 4 && c->width > 1;
}

static void gather_twos(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    struct cg_places at = safe_places(g, &a->at, cg_zero_slot);
    struct cg_spread s = spread_places(g, &at);
    LLVMTypeRef vt = cg_vec_of(c, c->i64);
    LLVMValueRef both = known_mask(g) ? LLVMConstNull(vt) : LLVMGetPoison(vt);
    for (unsigned l = 0; l < c->width; l++) {
        if (is_left_out(g, l))
            continue;
        LLVMValueRef p = cg_place(g, &at, &s, l), x = LLVMBuildLoad2(c->b, c->i64, p, "");
        LLVMSetAlignment(x, 8);
        if (a->ahead)
            cg_prefetch_at(c, p, a->ahead, false);
        both = LLVMBuildInsertElement(c->b, both, x, cg_i32(c, l), "");
    }
    LLVMTypeRef words = LLVMVectorType(a->elem, 2 * c->width);
    both = LLVMBuildBitCast(c->b, both, words, "");
    for (unsigned k = 0; k < 2; k++) {
        unsigned from[32];
        for (unsigned l = 0; l < c->width; l++)
            from[l] = 2 * l + k;
        out[k] = cg_lanes_from(c, both, LLVMGetPoison(words), from, c->width);
    }
}

static void scatter_fours(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    struct cg_places at = safe_places(g, &a->at, cg_sink_slot);
    struct cg_spread s = take_places_apart(g, &at);
    LLVMValueRef v[4] = {comp[0], comp[1], comp[2], comp[3]};
    transpose4(c, v);
    for (unsigned l = 0; l < c->width; l++) {
        if (is_left_out(g, l))
            continue;
        unsigned from[4];
        for (unsigned k = 0; k < 4; k++)
            from[k] = l / 4 * 4 + k;
        LLVMValueRef x = cg_lanes_from(c, v[l % 4], LLVMGetPoison(LLVMTypeOf(v[0])), from, 4);
        LLVMSetAlignment(LLVMBuildStore(c->b, x, cg_place(g, &at, &s, l)), 16);
    }
}

// A word of four or eight bytes a lane, where the machine's instructions take less than loads.
static bool has_instruction(struct cg_func *g, const struct cg_lane_access *a) {
    return g->cg->target.fast_gathers && a->count == 1 && a->bytes >= 4 && !a->ahead &&
           g->cg->width >= 8 && !known_mask(g);
}

static void gather_lanes(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    if (has_instruction(g, a)) {
        gather_instructions(g, a, out);
        return;
    }
    if (in_fours(c, a)) {
        gather_fours(g, a, out);
        return;
    }
    if (in_twos(c, a)) {
        gather_twos(g, a, out);
        return;
    }
    struct cg_places at = safe_places(g, &a->at, cg_zero_slot);
    struct cg_spread s = spread_places(g, &at);
    for (unsigned k = 0; k < a->count; k++)
        out[k] = known_mask(g) ? LLVMConstNull(cg_vec_of(c, a->elem))
                               : LLVMGetPoison(cg_vec_of(c, a->elem));
    for (unsigned l = 0; l < c->width; l++) {
        if (is_left_out(g, l))
            continue;
        LLVMValueRef p = cg_place(g, &at, &s, l);
        if (a->ahead)
            cg_prefetch_at(c, p, a->ahead, false);
        for (unsigned k = 0; k < a->count; k++) {
            LLVMValueRef x = LLVMBuildLoad2(c->b, a->elem, cg_byte_gep(c, p, k * a->bytes), "");
            LLVMSetAlignment(x, a->bytes);
            out[k] = LLVMBuildInsertElement(c->b, out[k], x, cg_i32(c, l), "");
        }
    }
}

static void scatter_all(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    if (in_fours(c, a)) {
        scatter_fours(g, a, comp);
        return;
    }
    struct cg_places at = safe_places(g, &a->at, cg_sink_slot);
    struct cg_spread s = take_places_apart(g, &at);
    for (unsigned k = 0; k < a->count; k++) {
        struct cg_spread v = take_values_apart(g, comp[k]);
        for (unsigned l = 0; l < c->width; l++) {
            if (is_left_out(g, l))
                continue;
            LLVMValueRef x = cg_spread_lane(g, &v, l), p = cg_place(g, &at, &s, l);
            LLVMSetAlignment(LLVMBuildStore(c->b, x, cg_byte_gep(c, p, k * a->bytes)), a->bytes);
        }
    }
}

static void scatter_one(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp,
                        LLVMValueRef pointers, LLVMValueRef bits) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef args[2] = {bits, LLVMConstInt(c->i1, 1, 0)};
    LLVMValueRef lane = cg_call_intrinsic(c, "llvm.cttz", &t, 1, args, 2);
    LLVMValueRef p = cg_extract(g, pointers, lane);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef x = cg_extract(g, comp[k], lane);
        LLVMSetAlignment(LLVMBuildStore(c->b, x, cg_byte_gep(c, p, k * a->bytes)), a->bytes);
    }
}

// With AVX-512: dwords whose lanes fill registers, at indices of 32 bits. With SVE, where a lane is
// taken out of a register through memory: dwords and qwords.
static bool has_scatter(const struct cg *c, const struct cg_lane_access *a) {
    if (c->target.scatters)
        return a->count == 1 && a->bytes >= 4 && c->width >= 8;
    return c->target.mask_registers && a->count == 1 && a->bytes == 4 && a->at.index &&
           c->width % 16 == 0;
}

// Instructions extend indices of 32 bits by their sign.
static struct cg_places with_signed_index(struct cg *c, const struct cg_places *p) {
    struct cg_places s = *p;
    if (!p->index || p->index_signed)
        return s;
    LLVMValueRef far = cg_i64(c, (uint64_t)p->scale << 31);
    s.base = LLVMBuildGEP2(c->b, c->i8, p->base, &far, 1, "");
    s.index = LLVMBuildXor(c->b, p->index, cg_splat(c, cg_i32(c, 1U << 31)), "");
    s.index_signed = true;
    return s;
}

static void scatter_several(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp) {
    if (!has_scatter(g->cg, a) || known_mask(g)) {
        scatter_all(g, a, comp);
        return;
    }
    struct cg_lane_access s = *a;
    s.at = with_signed_index(g->cg, &a->at);
    if (s.at.stretches)
        cg_store_stretches(g, &s.at, comp[0]);
    else
        scatter_instructions(g, &s, comp);
}

// Often one lane writes for all; then the others need not be gone through.
static void scatter_lanes(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    if (!g->now.mask || known_mask(g)) {
        scatter_several(g, a, comp);
        return;
    }
    LLVMBasicBlockRef one = cg_new_block(g, "one"), several = cg_new_block(g, "several"),
                      done = cg_new_block(g, "scattered");
    LLVMValueRef bits = cg_mask_bits(g, g->now.mask), p = cg_pointers(g, &a->at);
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef n = cg_call_intrinsic(c, "llvm.ctpop", &t, 1, &bits, 1);
    LLVMValueRef is_one = LLVMBuildICmp(c->b, LLVMIntEQ, n, LLVMConstInt(t, 1, 0), "");
    LLVMBuildCondBr(c->b, is_one, one, several);
    LLVMPositionBuilderAtEnd(c->b, one);
    scatter_one(g, a, comp, p, bits);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, several);
    scatter_several(g, a, comp);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

// Volatile, so that LLVM leaves it one access: an integer, or a register of 16 bytes.
static LLVMTypeRef whole_type(struct cg *c, const struct cg_lane_access *a) {
    unsigned bytes = a->count * a->bytes;
    return bytes == 16 ? LLVMVectorType(c->i64, 2) : cg_int_type(c, bytes * 8);
}

void cg_load_whole(struct cg *c, const struct cg_lane_access *a, LLVMValueRef p,
                   LLVMValueRef *out) {
    LLVMValueRef x = LLVMBuildLoad2(c->b, whole_type(c, a), p, "");
    LLVMSetAlignment(x, a->count * a->bytes);
    LLVMSetVolatile(x, 1);
    x = LLVMBuildBitCast(c->b, x, LLVMVectorType(a->elem, a->count), "");
    for (unsigned k = 0; k < a->count; k++)
        out[k] = LLVMBuildExtractElement(c->b, x, cg_i32(c, k), "");
}

void cg_store_whole(struct cg *c, const struct cg_lane_access *a, LLVMValueRef p,
                    LLVMValueRef *comp) {
    LLVMValueRef x = LLVMGetPoison(LLVMVectorType(a->elem, a->count));
    for (unsigned k = 0; k < a->count; k++)
        x = LLVMBuildInsertElement(c->b, x, comp[k], cg_i32(c, k), "");
    LLVMValueRef s = LLVMBuildStore(c->b, LLVMBuildBitCast(c->b, x, whole_type(c, a), ""), p);
    LLVMSetAlignment(s, a->count * a->bytes);
    LLVMSetVolatile(s, 1);
}

static void gather_whole(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    struct cg_places at = safe_places(g, &a->at, cg_zero_slot);
    struct cg_spread s = spread_places(g, &at);
    LLVMTypeRef t = cg_vec_of(c, a->elem);
    LLVMValueRef x[8];
    for (unsigned k = 0; k < a->count; k++)
        out[k] = known_mask(g) ? LLVMConstNull(t) : LLVMGetPoison(t);
    for (unsigned l = 0; l < c->width; l++) {
        if (is_left_out(g, l))
            continue;
        cg_load_whole(c, a, cg_place(g, &at, &s, l), x);
        for (unsigned k = 0; k < a->count; k++)
            out[k] = LLVMBuildInsertElement(c->b, out[k], x[k], cg_i32(c, l), "");
    }
}

static void scatter_whole(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    struct cg_places at = safe_places(g, &a->at, cg_sink_slot);
    struct cg_spread s = take_places_apart(g, &at);
    LLVMValueRef x[8];
    for (unsigned l = 0; l < c->width; l++) {
        if (is_left_out(g, l))
            continue;
        for (unsigned k = 0; k < a->count; k++)
            x[k] = cg_extract(g, comp[k], cg_i32(c, l));
        cg_store_whole(c, a, cg_place(g, &at, &s, l), x);
    }
}

void cg_gather(struct cg_func *g, struct cg_lane_access a, LLVMValueRef *out) {
    struct cg_active active = cg_begin_active(g);
    if (a.whole)
        gather_whole(g, &a, out);
    else if (cg_calls_for_lanes(g, &a))
        cg_gather_by_call(g, &a, out);
    else if (spend(g, &a))
        gather_lanes(g, &a, out);
    else
        gather_instructions(g, &a, out);
    cg_end_active(g, &active, out, a.count);
}

void cg_scatter(struct cg_func *g, struct cg_lane_access a, LLVMValueRef *comp) {
    if (!a.whole && cg_scatter_sorted(g, &a, comp))
        return;
    if (a.lone && g->now.mask && !known_mask(g) && has_scatter(g->cg, &a)) {
        LLVMBasicBlockRef done = cg_store_lone(g, &a, comp[0]);
        scatter_several(g, &a, comp);
        LLVMBuildBr(g->cg->b, done);
        LLVMPositionBuilderAtEnd(g->cg->b, done);
        return;
    }
    struct cg_active active = cg_begin_active(g);
    if (a.whole)
        scatter_whole(g, &a, comp);
    else if (cg_calls_for_lanes(g, &a))
        cg_scatter_by_call(g, &a, comp);
    else if (spend(g, &a))
        scatter_lanes(g, &a, comp);
    else
        scatter_instructions(g, &a, comp);
    cg_end_active(g, &active, NULL, 0);
}
