// Scatters whose lanes mostly lie side by side, as where sorted elements go to their buckets: each
// lane's place is its own index plus what its bucket says. Whether they do is looked at when it
// runs: a few stretches of neighbours are a store of a part of a vector each, instead of one a
// lane.
#include "codegen/access/cg_stretch.h"
#include "codegen/access/cg_places.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"

enum { LANES = 16, BYTES = 4, MOST_STRETCHES = 4, MOST_DEPTH = 6 };

static bool grows_by_one(const struct cg *c, const struct shape *s) {
    if (s->kind != SHAPE_OFFSETS)
        return false;
    for (unsigned l = 1; l < c->width; l++)
        if (s->offs[l] - s->offs[l - 1] != 1)
            return false;
    return true;
}

static bool has_lane_index(struct cg_func *g, const struct kir_value *v, unsigned depth) {
    struct shape s = cg_shape(g, v);
    if (grows_by_one(g->cg, &s))
        return true;
    if (s.kind != SHAPE_VARYING || v->kind != KIR_VALUE_INST || !depth)
        return false;
    const struct kir_inst *i = v->def;
    bool sub = i->op == ISA_OP_SUB;
    return (sub || i->op == ISA_OP_ADD) && i->nops == 2 && isa_type_bits(i->ty) == 32 &&
           (has_lane_index(g, i->ops[0], depth - 1) ||
            (!sub && has_lane_index(g, i->ops[1], depth - 1)));
}

bool cg_may_stretch(struct cg_func *g, const struct kir_value *index) {
    return g->cg->width % LANES == 0 && g->cg->target.mask_registers && !g->cg->quick &&
           cg_shape(g, index).kind == SHAPE_VARYING && has_lane_index(g, index, MOST_DEPTH);
}

// Sixteen lanes: elements, and their places less the lane's number; the active ones.
struct part {
    LLVMValueRef base, x, place, active; // active: i16
};

static LLVMValueRef part_of(struct cg *c, LLVMValueRef v, unsigned first) {
    LLVMValueRef idx[LANES];
    if (c->width == LANES)
        return v;
    for (unsigned k = 0; k < LANES; k++)
        idx[k] = cg_i32(c, first + k);
    return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(idx, LANES), "");
}

static LLVMValueRef bits_of(struct cg *c, LLVMValueRef m) {
    return cg_bits_of_lanes(c, m);
}

static LLVMValueRef mask_of(struct cg *c, LLVMValueRef bits) {
    return LLVMBuildBitCast(c->b, bits, LLVMVectorType(c->i1, LANES), "");
}

static LLVMValueRef all_lanes(struct cg *c, LLVMValueRef x) {
    LLVMTypeRef vt = LLVMVectorType(LLVMTypeOf(x), LANES);
    LLVMValueRef v = LLVMBuildInsertElement(c->b, LLVMGetPoison(vt), x, cg_i32(c, 0), "");
    return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(vt),
                                  LLVMConstNull(LLVMVectorType(c->i32, LANES)), "");
}

static LLVMValueRef i16(struct cg *c, uint64_t x) {
    return LLVMConstInt(c->i16, x, 0);
}

// Where a lane's place differs from that of the lane below it.
static LLVMValueRef few_stretches(struct cg *c, const struct part *p) {
    LLVMValueRef idx[LANES], n;
    for (unsigned k = 0; k < LANES; k++)
        idx[k] = cg_i32(c, k ? k - 1 : 0);
    LLVMTypeRef vt = LLVMTypeOf(p->place);
    LLVMValueRef below =
        LLVMBuildShuffleVector(c->b, p->place, LLVMGetPoison(vt), LLVMConstVector(idx, LANES), "");
    n = bits_of(c, LLVMBuildICmp(c->b, LLVMIntNE, p->place, below, ""));
    n = cg_call_intrinsic(c, "llvm.ctpop", &c->i16, 1, &n, 1);
    return LLVMBuildICmp(c->b, LLVMIntULT, n, i16(c, MOST_STRETCHES), "few");
}

static void scatter_part(struct cg *c, const struct part *p, LLVMValueRef bits) {
    LLVMValueRef iota[LANES], zero = LLVMConstNull(LLVMTypeOf(p->x));
    for (unsigned k = 0; k < LANES; k++)
        iota[k] = cg_i32(c, k);
    LLVMValueRef at = LLVMBuildAdd(c->b, p->place, LLVMConstVector(iota, LANES), "");
    at = LLVMBuildSExt(c->b, at, LLVMVectorType(c->i64, LANES), "");
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(zero));
    at = LLVMBuildGEP2(c->b, elem, p->base, &at, 1, "");
    LLVMTypeRef ov[2] = {LLVMTypeOf(p->x), LLVMTypeOf(at)};
    LLVMValueRef args[4] = {p->x, at, cg_i32(c, BYTES), mask_of(c, bits)};
    cg_call_intrinsic(c, "llvm.masked.scatter", ov, 2, args, 4);
}

// The stretch that begins with the lowest of the lanes `left`. Its place, in all lanes, in *place.
static LLVMValueRef first_stretch(struct cg *c, const struct part *p, LLVMValueRef left,
                                  LLVMValueRef *place) {
    LLVMValueRef args[2] = {left, LLVMConstInt(c->i1, 0, 0)};
    LLVMValueRef lane = cg_call_intrinsic(c, "llvm.cttz", &c->i16, 1, args, 2);
    args[0] = p->place;
    args[1] = all_lanes(c, LLVMBuildZExt(c->b, lane, c->i32, ""));
    *place = cg_call_intrinsic(c, "llvm.x86.avx512.permvar.si.512", NULL, 0, args, 2);
    LLVMValueRef same = bits_of(c, LLVMBuildICmp(c->b, LLVMIntEQ, p->place, *place, ""));
    LLVMValueRef other = LLVMBuildAnd(c->b, left, LLVMBuildNot(c->b, same, ""), "");
    // Up to the first other lane: of two lanes that store to one place the last one counts.
    same = LLVMBuildAnd(c->b, same, left, "");
    return LLVMBuildAnd(c->b, same, LLVMBuildSub(c->b, other, i16(c, 1), ""), "");
}

static void store_stretch(struct cg *c, const struct part *p, LLVMValueRef at, LLVMValueRef bits) {
    LLVMTypeRef vt = LLVMTypeOf(p->x), elem = LLVMGetElementType(vt), ov[2] = {vt, c->ptr};
    at = LLVMBuildSExt(c->b, at, c->i64, "");
    at = LLVMBuildGEP2(c->b, elem, p->base, &at, 1, "");
    LLVMValueRef args[4] = {p->x, at, cg_i32(c, BYTES), mask_of(c, bits)};
    cg_call_intrinsic(c, "llvm.masked.store", ov, 2, args, 4);
}

// Where the last lane's index, or the first one's, would wrap the lanes are left to the
// instruction.
static LLVMValueRef may_wrap(struct cg *c, LLVMValueRef at) {
    return LLVMBuildICmp(c->b, LLVMIntSGT, at, cg_i32(c, INT32_MAX - LANES), "");
}

static LLVMValueRef first_lane(struct cg *c, LLVMValueRef x) {
    return LLVMBuildExtractElement(c->b, x, cg_i32(c, 0), "");
}

// The place of the highest active lane, in all lanes.
static LLVMValueRef last_place(struct cg *c, const struct part *p) {
    LLVMValueRef args[2] = {p->active, LLVMConstInt(c->i1, 0, 0)};
    LLVMValueRef n = cg_call_intrinsic(c, "llvm.ctlz", &c->i16, 1, args, 2);
    n = LLVMBuildSub(c->b, i16(c, LANES - 1), n, "");
    args[0] = p->place;
    args[1] = all_lanes(c, LLVMBuildZExt(c->b, n, c->i32, ""));
    return cg_call_intrinsic(c, "llvm.x86.avx512.permvar.si.512", NULL, 0, args, 2);
}

// Most often there are one or two stretches, and which of both nobody can foretell: that of the
// first lane and that of the last one are stored without asking. Goes to `more` where these are not
// all.
static void store_two(struct cg_func *g, const struct part *p, LLVMBasicBlockRef more,
                      LLVMBasicBlockRef done) {
    struct cg *c = g->cg;
    LLVMValueRef place[2], bits[2], at[2];
    bits[0] = first_stretch(c, p, p->active, &place[0]);
    place[1] = last_place(c, p);
    LLVMValueRef rest = LLVMBuildXor(c->b, p->active, bits[0], "");
    bits[1] = bits_of(c, LLVMBuildICmp(c->b, LLVMIntEQ, p->place, place[1], ""));
    bits[1] = LLVMBuildAnd(c->b, bits[1], rest, "");
    LLVMValueRef bad = LLVMBuildICmp(c->b, LLVMIntNE, bits[1], rest, "");
    for (unsigned k = 0; k < 2; k++) {
        at[k] = first_lane(c, place[k]);
        bad = LLVMBuildOr(c->b, bad, may_wrap(c, at[k]), "");
    }
    LLVMBasicBlockRef two = cg_new_block(g, "two.stretches");
    LLVMBuildCondBr(c->b, bad, more, two);
    LLVMPositionBuilderAtEnd(c->b, two);
    for (unsigned k = 0; k < 2; k++)
        store_stretch(c, p, at[k], bits[k]);
    LLVMBuildBr(c->b, done);
}

static void store_part(struct cg_func *g, const struct part *p) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef head = cg_new_block(g, "stretch"), store = cg_new_block(g, "in.a.row"),
                      each = cg_new_block(g, "scattered"), done = cg_new_block(g, "stretches.done"),
                      asks = cg_new_block(g, "active"), more = cg_new_block(g, "more.stretches");
    LLVMValueRef some = LLVMBuildICmp(c->b, LLVMIntNE, p->active, i16(c, 0), "");
    LLVMBuildCondBr(c->b, some, asks, done);
    LLVMPositionBuilderAtEnd(c->b, asks);
    store_two(g, p, more, done);
    LLVMPositionBuilderAtEnd(c->b, more);
    LLVMBuildCondBr(c->b, few_stretches(c, p), head, each);
    LLVMPositionBuilderAtEnd(c->b, head);
    LLVMValueRef left = LLVMBuildPhi(c->b, c->i16, "left"), place;
    LLVMValueRef bits = first_stretch(c, p, left, &place);
    LLVMValueRef at = first_lane(c, place);
    LLVMBuildCondBr(c->b, may_wrap(c, at), each, store);
    LLVMPositionBuilderAtEnd(c->b, store);
    store_stretch(c, p, at, bits);
    LLVMValueRef rest = LLVMBuildXor(c->b, left, bits, "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, rest, i16(c, 0), ""), head, done);
    LLVMAddIncoming(left, (LLVMValueRef[2]){p->active, rest}, (LLVMBasicBlockRef[2]){more, store},
                    2);
    LLVMPositionBuilderAtEnd(c->b, each);
    LLVMValueRef lanes = LLVMBuildPhi(c->b, c->i16, "");
    LLVMAddIncoming(lanes, (LLVMValueRef[2]){p->active, left}, (LLVMBasicBlockRef[2]){more, head},
                    2);
    scatter_part(c, p, lanes);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

void cg_store_stretches(struct cg_func *g, const struct cg_places *at, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef iota[LANES];
    for (unsigned k = 0; k < LANES; k++)
        iota[k] = cg_i32(c, k);
    for (unsigned first = 0; first < c->width; first += LANES) {
        LLVMValueRef mask = g->now.mask ? part_of(c, g->now.mask, first) : NULL;
        struct part p = {.base = at->base, .x = part_of(c, x, first)};
        p.place =
            LLVMBuildSub(c->b, part_of(c, at->index, first), LLVMConstVector(iota, LANES), "");
        p.active = mask ? bits_of(c, mask) : i16(c, UINT16_MAX);
        store_part(g, &p);
    }
}
