// Instructions without effect: sources, and pointwise ones, which are emitted as their result's
// shape asks: one scalar, base and offsets, or lane by lane.
#include "codegen/emit/cg_pure.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/memory/cg_mem.h"
#include "codegen/update/cg_count.h"
#include "codegen/value/cg_group.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_no_wrap.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/all.h"
#include "passes/flow/shape.h"

static bool widens(const struct kir_inst *i) {
    return (i->op == ISA_OP_CVT && isa_type_bits(i->ty) == 64) ||
           ((i->op == ISA_OP_MUL || i->op == ISA_OP_MAD) && i->mods.half == ISA_WIDE);
}

// A 64-bit register's low half, extended: see shape.c.
static bool extends_low_half(const struct kir_inst *i) {
    return i->op == ISA_OP_CVT && isa_type_bits(i->ty) == 64 && isa_type_bits(i->ty2) == 32 &&
           kir_type_bits(i->ops[0]->type) == 64;
}

// The condition under which no lane's 32-bit sum wraps, in any group of the team: base between
// the smallest and the largest value that all offsets leave room for.
static LLVMValueRef no_wrap(struct cg_func *g, const struct kir_inst *i, struct kir_value *v) {
    struct cg *c = g->cg;
    struct shape s = cg_shape(g, v);
    bool is_signed = isa_type_is_signed(i->op == ISA_OP_CVT ? i->ty2 : i->ty);
    if (s.kind != SHAPE_OFFSETS || (v == g->exact && is_signed == g->exact_signed))
        return NULL;
    int64_t lo = 0, hi = 0;
    for (unsigned k = 0; k < c->width; k++) {
        lo = s.offs[k] < lo ? s.offs[k] : lo;
        hi = s.offs[k] > hi ? s.offs[k] : hi;
    }
    int64_t last = g->fl->lag[v->id] * (int64_t)(c->team - 1);
    lo += last < 0 ? last : 0;
    hi += last > 0 ? last : 0;
    int64_t min = (is_signed ? INT32_MIN : 0) - lo;
    int64_t max = (is_signed ? INT32_MAX : (int64_t)UINT32_MAX) - hi;
    // min <= base <= max as one unsigned comparison
    LLVMValueRef base = cg_narrow(c, cg_scalar(g, v), 32);
    LLVMValueRef d = LLVMBuildSub(c->b, base, cg_i32(c, (uint64_t)min & UINT32_MAX), "");
    return LLVMBuildICmp(c->b, LLVMIntULE, d, cg_i32(c, (uint64_t)(max - min) & UINT32_MAX), "");
}

// The condition under which a bit operation of offsets and a uniform value leaves the offsets as
// they are: see logic_uniform in shape.c. NULL: there is none to ask for.
static LLVMValueRef keeps_offsets(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    struct shape x[2];
    bool is_and = i->op == ISA_OP_AND;
    if (!is_and && i->op != ISA_OP_OR && i->op != ISA_OP_XOR)
        return NULL;
    for (uint32_t k = 0; k < 2; k++)
        x[k] = cg_shape(g, i->ops[k]);
    unsigned u = x[0].kind == SHAPE_UNIFORM ? 0 : 1;
    if (x[u].kind != SHAPE_UNIFORM || x[1 - u].kind != SHAPE_OFFSETS)
        return NULL;
    LLVMValueRef y = cg_scalar(g, i->ops[u]);
    LLVMValueRef low =
        LLVMConstInt(LLVMTypeOf(y), (uint64_t)shape_low_bits(g->fl, &x[1 - u]) - 1, 0);
    LLVMValueRef want = is_and ? low : LLVMConstNull(LLVMTypeOf(y));
    return LLVMBuildICmp(c->b, LLVMIntEQ, LLVMBuildAnd(c->b, y, low, ""), want, "");
}

static LLVMValueRef and_guards(struct cg *c, LLVMValueRef x, LLVMValueRef y) {
    return !x ? y : !y ? x : LLVMBuildAnd(c->b, x, y, "");
}

// or and xor keep the low bits of the constant in the offsets: see shape.c.
static LLVMValueRef without_low_bits(struct cg_func *g, const struct kir_inst *i, uint32_t k,
                                     LLVMValueRef x) {
    uint64_t bits;
    if ((i->op != ISA_OP_OR && i->op != ISA_OP_XOR) || !flow_const(i->ops[k], &bits))
        return x;
    struct shape other = cg_shape(g, i->ops[1 - k]);
    if (other.kind != SHAPE_OFFSETS)
        return x;
    unsigned tz = other.tz > 40 ? 40 : other.tz;
    return LLVMConstInt(LLVMTypeOf(x), bits & ~((1ULL << tz) - 1), 0);
}

static bool emit_lanes(struct cg_func *g, struct kir_inst *i, LLVMValueRef *dst) {
    LLVMValueRef src[16];
    for (uint32_t k = 0; k < i->nops; k++)
        src[k] = cg_operand_bits(g, i, k, cg_vec(g, i->ops[k]));
    return pw_emit(&g->cg->pw, i, g->cg->width == 1 ? 0 : g->cg->width, src, dst);
}

// A base of which the analysis knows the value, where LLVM sees threadIdx alone.
static bool emit_known(struct cg_func *g, struct kir_inst *i, LLVMValueRef *dst) {
    const struct shape *s = &g->fl->shape[i->res[0]->id];
    LLVMTypeRef t = cg_scalar_type(g->cg, i->res[0]->type);
    if (g->cg->width == 1 || s->kind != SHAPE_OFFSETS || s->guard || s->lo != s->hi || i->nres != 1)
        return false;
    dst[0] = LLVMConstInt(t, (unsigned long long)s->lo, 1);
    return true;
}

static bool emit_scalar(struct cg_func *g, struct kir_inst *i, LLVMValueRef *dst) {
    LLVMValueRef src[16];
    if (emit_known(g, i, dst))
        return true;
    for (uint32_t k = 0; k < i->nops; k++) {
        src[k] = cg_operand_bits(g, i, k, cg_scalar(g, i->ops[k]));
        if (g->cg->width > 1)
            src[k] = without_low_bits(g, i, k, src[k]);
    }
    if (!pw_emit(&g->cg->pw, i, 0, src, dst))
        return false;
    cg_note_no_wrap(g, i, src, dst[0]);
    return true;
}

// Sums of integers as wide as their registers, modulo a power of two: of bases and of what lanes
// differ from them, apart.
static bool adds_deltas(const struct kir_inst *i) {
    unsigned bits = isa_type_bits(i->ty);
    bool plain = i->nops == 2 && i->nres == 1 && !i->mods.sat && !isa_type_is_float(i->ty) &&
                 i->ty != ISA_U16X2 && i->ty != ISA_S16X2;
    return plain && (i->op == ISA_OP_ADD || i->op == ISA_OP_SUB) &&
           kir_type_bits(i->res[0]->type) == bits && kir_type_bits(i->ops[0]->type) == bits &&
           kir_type_bits(i->ops[1]->type) == bits;
}

static LLVMValueRef sum_of_deltas(struct cg_func *g, struct kir_inst *i) {
    LLVMBuilderRef b = g->cg->b;
    LLVMValueRef x[2];
    for (uint32_t k = 0; k < 2; k++)
        x[k] = cg_operand_bits(g, i, k, cg_delta(g, i->ops[k]));
    if (LLVMIsConstant(x[1]) && LLVMIsNull(x[1]))
        return x[0];
    if (i->op == ISA_OP_SUB)
        return LLVMBuildSub(b, x[0], x[1], "");
    return LLVMIsConstant(x[0]) && LLVMIsNull(x[0]) ? x[1] : LLVMBuildAdd(b, x[0], x[1], "");
}

bool cg_emit_pointwise(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef dst[16], vec[16];
    struct shape s = g->fl->shape[i->res[0]->id];
    if (i->nops > 16 || i->nres > 16)
        return false;
    if (c->width == 1 || s.kind == SHAPE_UNIFORM) {
        if (!emit_scalar(g, i, dst))
            return false;
        for (uint32_t k = 0; k < i->nres; k++)
            cg_set_scalar(g, i->res[k], dst[k]);
        return true;
    }
    if (s.kind == SHAPE_OFFSETS) {
        LLVMValueRef guard = NULL;
        bool derived = g->turn && g->fl->affine[i->res[0]->id];
        if (derived) {
            dst[0] = cg_scalar(g, i->res[0]);
            guard = cg_guard(g, i->res[0]);
        } else if (!emit_scalar(g, i, dst)) {
            return false;
        }
        bool adds = s.guard && adds_deltas(i);
        LLVMValueRef delta = adds ? sum_of_deltas(g, i) : NULL;
        if (s.guard && derived && !adds && !emit_lanes(g, i, vec))
            return false;
        if (s.guard && !derived) {
            for (uint32_t k = 0; k < i->nops && !extends_low_half(i); k++)
                guard = and_guards(c, guard, cg_guard(g, i->ops[k]));
            guard = and_guards(c, guard, keeps_offsets(g, i));
            for (uint32_t k = 0; widens(i) && k < i->nops && k < 2; k++)
                if (i->ops[k]->type == KIR_B32 || extends_low_half(i))
                    guard = and_guards(c, guard, no_wrap(g, i, i->ops[k]));
            if (!adds && !emit_lanes(g, i, vec))
                return false;
        }
        cg_set_offsets(g, i->res[0], dst[0], guard, s.guard && !adds ? vec[0] : NULL, delta);
        return true;
    }
    if (!emit_lanes(g, i, dst))
        return false;
    for (uint32_t k = 0; k < i->nres; k++)
        cg_set_vec(g, i->res[k], dst[k]);
    cg_note_count(g, i);
    return true;
}

void cg_cannot_compile(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    struct strbuf text = {0};
    kir_print_inst(i, &text);
    cg_error(c, "%s:%u: cannot compile: %s", g->f->name, i->line, strbuf_str(&text));
    strbuf_free(&text);
    for (uint32_t k = 0; k < i->nres; k++)
        cg_set_result(g, i->res[k], LLVMConstNull(cg_vec_type(c, i->res[k]->type)));
}

// The block has made it.
static bool emit_phi(struct cg_func *g, struct kir_inst *i) {
    return true;
}

// What emits each instruction of these classes, as instructions.py says.
static bool (*const emitters[ISA_OP_COUNT])(struct cg_func *, struct kir_inst *) = {
#include "isa/rules/emit_pure.inc"
};

void cg_emit_pure(struct cg_func *g, struct kir_inst *i) {
    g->cg->inst = i;
    bool ok = emitters[i->op]      ? emitters[i->op](g, i)
              : i->op == ISA_OP_LD ? cg_emit_memory(g, i) // a parameter's
                                   : false;
    g->cg->inst = NULL;
    if (!ok)
        cg_cannot_compile(g, i);
}
