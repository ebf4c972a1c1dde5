// What a group's lanes have in common: group.first, and group.all, which one scalar comparison
// answers where a number that grows from lane to lane by known steps is compared with a uniform
// one. And what there is of a few lanes, and of one.
#include "codegen/value/cg_group.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/move.h"

enum { MAX_DEPTH = 16 };

static LLVMValueRef truth(struct cg *c) {
    return LLVMConstInt(c->i1, 1, 0);
}

// ---- group.first -------------------------------------------------------------------------------

static LLVMValueRef first_of(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    struct shape s = cg_shape(g, v);
    if (c->width == 1 || s.kind == SHAPE_UNIFORM)
        return cg_scalar(g, v);
    if (s.kind != SHAPE_OFFSETS || s.guard)
        return LLVMBuildExtractElement(c->b, cg_vec(g, v), cg_i32(c, 0), "first");
    LLVMValueRef base = cg_scalar(g, v);
    LLVMValueRef offset = LLVMConstInt(LLVMTypeOf(base), (uint64_t)s.offs[0], 1);
    return s.offs[0] ? LLVMBuildAdd(c->b, base, offset, "first") : base;
}

// ---- group.all ---------------------------------------------------------------------------------

// A number of 32 or 64 bits in all lanes: a scalar and steps from lane to lane.
struct lanes {
    struct kir_value *v;
    struct shape shape;
    int64_t lo, hi; // of the steps
    bool is_signed;
};

static bool find_lanes(struct cg_func *g, struct kir_value *v, bool is_signed, struct lanes *x) {
    *x = (struct lanes){v, cg_shape(g, v), 0, 0, is_signed};
    if (x->shape.kind != SHAPE_OFFSETS || x->shape.guard)
        return false;
    x->lo = x->hi = x->shape.offs[0];
    for (unsigned k = 1; k < g->cg->width; k++) {
        x->lo = x->shape.offs[k] < x->lo ? x->shape.offs[k] : x->lo;
        x->hi = x->shape.offs[k] > x->hi ? x->shape.offs[k] : x->hi;
    }
    return true;
}

// The largest, or least, of the lanes, as if numbers had more bits, and whether its number can be
// told (NULL: it always can).
static LLVMValueRef extreme(struct cg_func *g, const struct lanes *x, bool largest,
                            LLVMValueRef *fits) {
    struct cg *c = g->cg;
    LLVMValueRef base = cg_scalar(g, x->v), step;
    *fits = NULL;
    if (kir_type_bits(x->v->type) == 32) {
        base = x->is_signed ? LLVMBuildSExt(c->b, base, c->i64, "")
                            : LLVMBuildZExt(c->b, base, c->i64, "");
        return LLVMBuildAdd(c->b, base, cg_i64(c, (uint64_t)(largest ? x->hi : x->lo)), "");
    }
    int64_t by = largest ? x->hi : x->lo;
    step = cg_i64(c, (uint64_t)by);
    LLVMValueRef sum = LLVMBuildAdd(c->b, base, step, "");
    LLVMIntPredicate beyond = x->is_signed ? by < 0 ? LLVMIntSLE : LLVMIntSGE
                              : by < 0     ? LLVMIntULE
                                           : LLVMIntUGE;
    if (by)
        *fits = LLVMBuildICmp(c->b, beyond, sum, base, "");
    return sum;
}

static LLVMValueRef both(struct cg *c, LLVMValueRef x, LLVMValueRef y) {
    return !x ? y : !y ? x : LLVMBuildAnd(c->b, x, y, "");
}

// Does no lane's number leave its bits?
static LLVMValueRef stays(struct cg_func *g, const struct lanes *x) {
    struct cg *c = g->cg;
    unsigned bits = kir_type_bits(x->v->type);
    int64_t min = !x->is_signed ? 0
                  : bits == 32  ? INT32_MIN
                                : INT64_MIN,
            max = bits == 64     ? INT64_MAX
                  : x->is_signed ? INT32_MAX
                                 : UINT32_MAX,
            lo, hi;
    bool known = x->shape.lo >= min && x->shape.lo <= x->shape.hi &&
                 !__builtin_add_overflow(x->shape.lo, x->lo, &lo) &&
                 !__builtin_add_overflow(x->shape.hi, x->hi, &hi) && lo >= min && hi <= max;
    if (known)
        return truth(c);
    LLVMValueRef fits_lo, fits_hi, least = extreme(g, x, false, &fits_lo),
                                   most = extreme(g, x, true, &fits_hi),
                                   in = both(c, fits_lo, fits_hi);
    if (bits == 32) {
        in = LLVMBuildICmp(c->b, LLVMIntSLE, most, cg_i64(c, (uint64_t)max), "");
        if (x->lo < 0)
            in = both(c, in, LLVMBuildICmp(c->b, LLVMIntSGE, least, cg_i64(c, (uint64_t)min), ""));
    }
    return in ? in : truth(c);
}

// x >= group.first x: no number between the first lane's and the last one's leaves its bits.
static LLVMValueRef grows_from_first(struct cg_func *g, const struct lanes *x,
                                     const struct kir_value *first) {
    if (first->kind != KIR_VALUE_INST || first->def->op != ISA_OP_GROUP_FIRST ||
        first->def->ops[0] != x->v || x->lo != x->shape.offs[0])
        return NULL;
    return stays(g, x);
}

static LLVMValueRef compares_all(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    enum isa_cmp cmp = (enum isa_cmp)i->mods.cmp;
    bool below = cmp == ISA_CMP_LT || cmp == ISA_CMP_LE || cmp == ISA_CMP_LO || cmp == ISA_CMP_LS,
         above = cmp == ISA_CMP_GT || cmp == ISA_CMP_GE || cmp == ISA_CMP_HI || cmp == ISA_CMP_HS,
         equal = cmp == ISA_CMP_LE || cmp == ISA_CMP_GE || cmp == ISA_CMP_LS || cmp == ISA_CMP_HS;
    bool is_signed = isa_type_is_signed((enum isa_type)i->ty) && cmp < ISA_CMP_LO;
    struct lanes x;
    if (i->nops != 2 || i->nres != 1 || i->mods.boolop || (!below && !above) ||
        isa_type_is_float((enum isa_type)i->ty) || (bits != 32 && bits != 64) ||
        kir_type_bits(i->ops[0]->type) != bits || kir_type_bits(i->ops[1]->type) != bits ||
        cg_shape(g, i->ops[1]).kind != SHAPE_UNIFORM || !find_lanes(g, i->ops[0], is_signed, &x))
        return NULL;
    LLVMValueRef grows = above && equal ? grows_from_first(g, &x, i->ops[1]) : NULL;
    if (grows)
        return grows;
    // 64 bits hold what is a step beyond 32: those that wrap are on the wrong side of nothing that
    // 32 bits can say.
    LLVMValueRef fits, other, y = cg_scalar(g, i->ops[1]), v = extreme(g, &x, below, &other);
    fits = stays(g, &x);
    if (bits == 32)
        y = is_signed ? LLVMBuildSExt(c->b, y, c->i64, "") : LLVMBuildZExt(c->b, y, c->i64, "");
    LLVMIntPredicate p = below ? is_signed || bits == 32 ? equal ? LLVMIntSLE : LLVMIntSLT
                                 : equal                 ? LLVMIntULE
                                                         : LLVMIntULT
                         : is_signed || bits == 32 ? equal ? LLVMIntSGE : LLVMIntSGT
                         : equal                   ? LLVMIntUGE
                                                   : LLVMIntUGT;
    return LLVMBuildAnd(c->b, fits, LLVMBuildICmp(c->b, p, v, y, ""), "");
}

// Does p hold in all lanes of the present group?
static LLVMValueRef holds(struct cg_func *g, struct kir_value *p, unsigned depth) {
    struct cg *c = g->cg;
    if (c->width == 1 || cg_shape(g, p).kind == SHAPE_UNIFORM)
        return cg_scalar(g, p);
    const struct kir_inst *i = p->kind == KIR_VALUE_INST ? p->def : NULL;
    if (i && depth && i->op == ISA_OP_AND)
        return both(c, holds(g, i->ops[0], depth - 1), holds(g, i->ops[1], depth - 1));
    LLVMValueRef all = i && i->op == ISA_OP_SETP ? compares_all(g, i) : NULL;
    if (all)
        return all;
    LLVMValueRef v = cg_vec(g, p);
    if (g->now.mask)
        v = cg_select(c, g->now.mask, v, LLVMConstAllOnes(LLVMTypeOf(v)));
    LLVMValueRef bits = cg_mask_bits(g, v);
    return LLVMBuildICmp(c->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
}

// ---- few lanes ---------------------------------------------------------------------------------

// The lanes that come here; NULL: all.
static LLVMValueRef who_comes(struct cg_func *g) {
    return g->now.mask ? cg_mask_bits(g, g->now.mask) : NULL;
}

static LLVMValueRef to_i32(struct cg *c, LLVMValueRef x) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    return bits < 32 ? LLVMBuildZExt(c->b, x, c->i32, "") : x;
}

// At most n. Of a team nothing is said: one of its groups may have them while another has many.
static LLVMValueRef are_few(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef bits = who_comes(g);
    if (!bits || c->width == 1 || c->team > 1)
        return LLVMConstInt(c->i1, c->width == 1, 0);
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef n = to_i32(c, cg_call_intrinsic(c, "llvm.ctpop", &t, 1, &bits, 1));
    return LLVMBuildICmp(c->b, LLVMIntULE, n, cg_scalar(g, i->ops[1]), "few");
}

// The number of the lowest lane that comes here; of none that comes, any.
static LLVMValueRef lowest_lane(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef bits = who_comes(g);
    if (!bits)
        return cg_i32(c, 0);
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef args[2] = {bits, LLVMConstInt(c->i1, 0, 0)};
    LLVMValueRef lane = to_i32(c, cg_call_intrinsic(c, "llvm.cttz", &t, 1, args, 2));
    return LLVMBuildAnd(c->b, lane, cg_i32(c, c->width - 1), "lane");
}

static LLVMValueRef in_lowest(struct cg_func *g, struct kir_value *p) {
    struct cg *c = g->cg;
    LLVMValueRef lane[CG_MAX_TEAM];
    for (unsigned k = 0; k < c->width; k++)
        lane[k] = cg_i32(c, k);
    LLVMValueRef is = LLVMBuildICmp(c->b, LLVMIntEQ, LLVMConstVector(lane, c->width),
                                    cg_splat(c, lowest_lane(g)), "lowest");
    return LLVMBuildAnd(c->b, is, cg_vec(g, p), "");
}

static LLVMValueRef of_lane(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    if (c->width == 1 || cg_shape(g, v).kind == SHAPE_UNIFORM)
        return cg_scalar(g, v);
    if (v->type != KIR_PRED)
        return LLVMBuildExtractElement(c->b, cg_vec(g, v), lowest_lane(g), "of.lane");
    LLVMValueRef bits = cg_mask_bits(g, cg_vec(g, v)), here = who_comes(g);
    bits = here ? LLVMBuildAnd(c->b, bits, here, "") : bits;
    return LLVMBuildICmp(c->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "of.lane");
}

bool cg_emit_group(struct cg_func *g, struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_GROUP_FIRST:
        cg_set_scalar(g, i->res[0], first_of(g, i->ops[0]));
        return true;
    case ISA_OP_GROUP_LANE:
        cg_set_scalar(g, i->res[0], of_lane(g, i->ops[0]));
        return true;
    case ISA_OP_GROUP_LOWEST:
        if (g->cg->width == 1)
            cg_set_scalar(g, i->res[0], cg_scalar(g, i->ops[0]));
        else
            cg_set_vec(g, i->res[0], in_lowest(g, i->ops[0]));
        return true;
    case ISA_OP_GROUP_FEW:
        note_on(g->cg->notes, i, false, "the last threads in the loop run one by one");
        cg_set_scalar(g, i->res[0], are_few(g, i));
        return true;
    case ISA_OP_GROUP_ALL:
        break;
    default:
        return false;
    }
    LLVMValueRef all = NULL;
    unsigned turn = g->turn;
    note_on(g->cg->notes, i, false,
            i->flag ? "without tests of indices where threads lie inside all bounds"
                    : "without divisions where threads lie in one row");
    for (unsigned t = 0; t < g->cg->team; t++) {
        cg_turn_to(g, t);
        all = both(g->cg, all, holds(g, i->ops[0], MAX_DEPTH));
    }
    cg_turn_to(g, turn);
    cg_set_scalar(g, i->res[0], all);
    return true;
}
