// Special registers, symbols, parameters, and conversions between state spaces.
#include "codegen/value/cg_source.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/move.h"

#include <stddef.h>

#define FIELD(name) offsetof(struct kd_block, name)

static LLVMValueRef field32(struct cg_func *g, size_t offset, unsigned component) {
    return cg_block_field(g, offset + 4 * component, g->cg->i32, "");
}

static LLVMValueRef ntid(struct cg_func *g, unsigned d) {
    struct cg *c = g->cg;
    if (c->spec.ntid[d])
        return cg_i32(c, c->spec.ntid[d]);
    if (d && (c->spec.flags & KD_SPEC_1D))
        return cg_i32(c, 1);
    return field32(g, FIELD(ntid), d);
}

static LLVMValueRef tid_div(struct cg_func *g, unsigned d) {
    struct cg *c = g->cg;
    LLVMValueRef x = ntid(g, 0);
    return d == 1 ? x : LLVMBuildMul(c->b, x, ntid(g, 1), "");
}

// threadIdx lane by lane: (t / div) % mod on vectors.
static LLVMValueRef tid_varying(struct cg_func *g, unsigned d) {
    struct cg *c = g->cg;
    LLVMValueRef t = cg_lane_index(g);
    if (d > 0)
        t = LLVMBuildUDiv(c->b, t, cg_splat(c, tid_div(g, d)), "");
    if (d < 2)
        t = LLVMBuildURem(c->b, t, cg_splat(c, ntid(g, d)), "");
    return t;
}

static void emit_tid(struct cg_func *g, struct kir_inst *i, unsigned d) {
    struct cg *c = g->cg;
    const struct tid_form *t = &g->fl->tid[d];
    struct kir_value *r = i->res[0];
    if (t->varying) {
        cg_set_vec(g, r, tid_varying(g, d));
        return;
    }
    LLVMValueRef base = g->now.t0;
    if (t->zero) {
        base = cg_i32(c, 0);
    } else {
        if (t->div)
            base = LLVMBuildUDiv(c->b, base,
                                 t->div > 0 ? cg_i32(c, (uint64_t)t->div) : tid_div(g, d), "");
        if (t->mod)
            base = LLVMBuildURem(c->b, base, t->mod > 0 ? cg_i32(c, (uint64_t)t->mod) : ntid(g, d),
                                 "");
    }
    if (g->fl->shape[r->id].kind == SHAPE_OFFSETS && c->width > 1)
        cg_set_offsets(g, r, base, NULL, NULL, NULL);
    else
        cg_set_scalar(g, r, base);
}

static LLVMValueRef lane_in_warp(struct cg_func *g) {
    return LLVMBuildAnd(g->cg->b, cg_lane_index(g), cg_splat(g->cg, cg_i32(g->cg, 31)), "");
}

static LLVMValueRef lanemask(struct cg_func *g, enum isa_sreg s) {
    struct cg *c = g->cg;
    LLVMValueRef lane = lane_in_warp(g);
    LLVMValueRef one = cg_splat(c, cg_i32(c, 1)), all = cg_splat(c, cg_i32(c, ~0u));
    LLVMValueRef eq = LLVMBuildShl(c->b, one, lane, "");
    LLVMValueRef lt = LLVMBuildSub(c->b, eq, one, "");
    switch (s) {
    case ISA_SREG_LANEMASK_EQ:
        return eq;
    case ISA_SREG_LANEMASK_LT:
        return lt;
    case ISA_SREG_LANEMASK_LE:
        return LLVMBuildOr(c->b, lt, eq, "");
    case ISA_SREG_LANEMASK_GE:
        return LLVMBuildXor(c->b, lt, all, "");
    default:
        return LLVMBuildXor(c->b, LLVMBuildOr(c->b, lt, eq, ""), all, "");
    }
}

// A kernel that runs several blocks changes it in the block's description, for its functions.
static LLVMValueRef ctaid_x(struct cg_func *g) {
    struct cg *c = g->cg;
    if (g->ctaid_x)
        return g->ctaid_x;
    LLVMValueRef at = cg_i64(c, FIELD(ctaid));
    return LLVMBuildLoad2(c->b, c->i32, LLVMBuildInBoundsGEP2(c->b, c->i8, g->blk, &at, 1, ""), "");
}

// Programs may not read Arm's counter of cycles; they may read its timer.
static LLVMValueRef clock64(struct cg_func *g) {
    const char *name =
        g->cg->target.family == MACHINE_ARM ? "llvm.readsteadycounter" : "llvm.readcyclecounter";
    return cg_call_intrinsic(g->cg, name, NULL, 0, NULL, 0);
}

static LLVMValueRef to_width(struct cg *c, LLVMValueRef x, struct kir_value *r) {
    return cg_widen(c, x, ISA_U32, r->type);
}

// What only profilers and debuggers set, and shared memory that the system keeps for itself: there
// is none.
static bool is_zero(enum isa_sreg s) {
    return s >= ISA_SREG_ENVREG0 && s < ISA_SREG_CURRENT_GRAPH_EXEC;
}

static LLVMValueRef current_graph(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef a[4] = {g->blk, cg_i32(c, 0), cg_i32(c, KD_cudaGetCurrentGraphExec),
                         LLVMConstNull(c->ptr)};
    return cg_call_rt(c, "kd_rt_device_function", a, 4);
}

// %envreg1 and 2 are the upper and lower half of the address of a cooperative launch's workspace.
static LLVMValueRef environment(struct cg_func *g, enum isa_sreg s) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_block_field(g, FIELD(grid_workspace), c->i64, "workspace");
    if (s == ISA_SREG_ENVREG1)
        p = LLVMBuildLShr(c->b, p, cg_i64(c, 32), "");
    return LLVMBuildTrunc(c->b, p, c->i32, "");
}

// A launch without clusters has clusters of one block each.
static LLVMValueRef cluster_sreg(struct cg_func *g, enum isa_sreg s) {
    struct cg *c = g->cg;
    if (s == ISA_SREG_CLUSTER_CTARANK)
        return field32(g, FIELD(cluster_rank), 0);
    if (s == ISA_SREG_CLUSTER_NCTARANK)
        return field32(g, FIELD(cluster_blocks), 0);
    if (s == ISA_SREG_IS_EXPLICIT_CLUSTER)
        return field32(g, FIELD(cluster_explicit), 0);
    if (s < ISA_SREG_CLUSTERID_X || s > ISA_SREG_CLUSTER_NCTAID_Z)
        return NULL;
    unsigned d = (s - ISA_SREG_CLUSTERID_X) % 3;
    LLVMValueRef dim = field32(g, FIELD(cluster_dim), d);
    if (s >= ISA_SREG_CLUSTER_NCTAID_X)
        return dim;
    bool of_grid = s >= ISA_SREG_NCLUSTERID_X && s <= ISA_SREG_NCLUSTERID_Z;
    LLVMValueRef x = of_grid  ? field32(g, FIELD(nctaid), d)
                     : d == 0 ? ctaid_x(g)
                              : field32(g, FIELD(ctaid), d);
    return s >= ISA_SREG_CLUSTER_CTAID_X ? LLVMBuildURem(c->b, x, dim, "")
                                         : LLVMBuildUDiv(c->b, x, dim, "");
}

static LLVMValueRef scalar_sreg(struct cg_func *g, enum isa_sreg s) {
    struct cg *c = g->cg;
    if (s == ISA_SREG_ENVREG1 || s == ISA_SREG_ENVREG2)
        return environment(g, s);
    if (is_zero(s))
        return cg_i32(c, 0);
    if (s == ISA_SREG_CURRENT_GRAPH_EXEC)
        return current_graph(g);
    if (s >= ISA_SREG_NTID_X && s <= ISA_SREG_NTID_Z)
        return ntid(g, s - ISA_SREG_NTID_X);
    if (s == ISA_SREG_CTAID_X)
        return ctaid_x(g);
    if (s >= ISA_SREG_CTAID_X && s <= ISA_SREG_CTAID_Z)
        return field32(g, FIELD(ctaid), s - ISA_SREG_CTAID_X);
    if (s >= ISA_SREG_NCTAID_X && s <= ISA_SREG_NCTAID_Z)
        return field32(g, FIELD(nctaid), s - ISA_SREG_NCTAID_X);
    LLVMValueRef cluster = cluster_sreg(g, s);
    if (cluster)
        return cluster;
    switch (s) {
    case ISA_SREG_WARPID:
        return LLVMBuildLShr(c->b, g->now.t0, cg_i32(c, 5), "");
    case ISA_SREG_NWARPID:
        return field32(g, FIELD(nwarps), 0);
    case ISA_SREG_SMID:
        return field32(g, FIELD(smid), 0);
    case ISA_SREG_NSMID:
        return field32(g, FIELD(nsmid), 0);
    case ISA_SREG_GRIDID:
        return cg_block_field(g, FIELD(gridid), c->i64, "");
    case ISA_SREG_DYNAMIC_SMEM_SIZE:
        return field32(g, FIELD(dynamic_shared_bytes), 0);
    case ISA_SREG_TOTAL_SMEM_SIZE:
    case ISA_SREG_AGGR_SMEM_SIZE:
        return LLVMBuildAdd(c->b, field32(g, FIELD(dynamic_shared), 0),
                            field32(g, FIELD(dynamic_shared_bytes), 0), "");
    case ISA_SREG_CLOCK:
    case ISA_SREG_CLOCK64:
        return clock64(g);
    case ISA_SREG_CLOCK_HI:
        return LLVMBuildLShr(c->b, clock64(g), cg_i64(c, 32), "");
    case ISA_SREG_GLOBALTIMER:
    case ISA_SREG_GLOBALTIMER_LO:
        return cg_call_rt(c, "kd_rt_globaltimer", NULL, 0);
    case ISA_SREG_GLOBALTIMER_HI:
        return LLVMBuildLShr(c->b, cg_call_rt(c, "kd_rt_globaltimer", NULL, 0), cg_i64(c, 32), "");
    default:
        return NULL;
    }
}

static bool emit_sreg(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct kir_value *r = i->res[0];
    enum isa_sreg s = i->sreg;
    if (s >= ISA_SREG_TID_X && s <= ISA_SREG_TID_Z) {
        emit_tid(g, i, s - ISA_SREG_TID_X);
        return true;
    }
    if (s == ISA_SREG_LANEID) {
        LLVMValueRef base = LLVMBuildAnd(c->b, g->now.t0, cg_i32(c, 31), "");
        if (c->width == 32)
            base = cg_i32(c, 0);
        if (c->width == 1)
            cg_set_scalar(g, r, base);
        else
            cg_set_offsets(g, r, base, NULL, NULL, NULL);
        return true;
    }
    if (s >= ISA_SREG_LANEMASK_EQ && s <= ISA_SREG_LANEMASK_GT) {
        cg_set_vec(g, r, to_width(c, lanemask(g, s), r));
        return true;
    }
    LLVMValueRef x = scalar_sreg(g, s);
    if (!x) {
        cg_error(c, "special register %s is not supported", isa_sreg_name(s));
        return true;
    }
    cg_set_scalar(g, r, to_width(c, x, r));
    return true;
}

LLVMValueRef cg_symbol_address(struct cg_func *g, const struct kir_symbol *sym, int64_t offset) {
    struct cg *c = g->cg;
    LLVMValueRef base;
    switch (sym->space) {
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_CONST: {
        LLVMValueRef vars = cg_block_field(g, FIELD(vars), c->ptr, "vars");
        LLVMValueRef at = cg_i64(c, (uint64_t)sym->index * 8);
        LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->i8, vars, &at, 1, "");
        base = LLVMBuildLoad2(c->b, c->i64, p, sym->name);
        unsigned kind = LLVMGetMDKindIDInContext(c->ctx, "invariant.load", 14);
        LLVMSetMetadata(base, kind,
                        LLVMMetadataAsValue(c->ctx, LLVMMDNodeInContext2(c->ctx, NULL, 0)));
        break;
    }
    case ISA_SPACE_SHARED:
        base = sym->dynamic ? g->dynamic_shared : cg_i64(c, sym->offset);
        break;
    case ISA_SPACE_LOCAL:
        base = LLVMBuildAdd(c->b, g->frame, cg_i64(c, sym->offset), "");
        break;
    case ISA_SPACE_GENERIC:
        return cg_function_handle(c, sym->func);
    default:
        base = cg_i64(c, sym->offset);
    }
    return LLVMBuildAdd(c->b, base, LLVMConstInt(c->i64, (unsigned long long)offset, 1), "");
}

// Where each thread's local memory begins, as integers: a scalar at width 1.
static LLVMValueRef local_base(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMTypeRef vt = cg_vec_of(c, c->i64);
    LLVMValueRef t = LLVMBuildZExt(c->b, cg_lane_index(g), vt, "");
    LLVMValueRef at = LLVMBuildMul(c->b, t, cg_splat(c, g->local_stride), "");
    LLVMValueRef base = LLVMBuildPtrToInt(c->b, g->local_base, c->i64, "");
    return LLVMBuildAdd(c->b, at, cg_splat(c, base), "");
}

static LLVMValueRef shared_int(struct cg_func *g) {
    return LLVMBuildPtrToInt(g->cg->b, g->shared_base, g->cg->i64, "");
}

// What a generic address has beyond one in the space.
static LLVMValueRef window_base(struct cg_func *g, enum isa_space s) {
    if (s == ISA_SPACE_SHARED)
        return shared_int(g);
    if (s == ISA_SPACE_PARAM)
        return LLVMBuildPtrToInt(g->cg->b, g->params, g->cg->i64, "");
    return cg_i64(g->cg, 0);
}

static bool emit_symaddr(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef a = cg_symbol_address(g, i->sym, i->offset);
    if (i->flag && i->sym->space != ISA_SPACE_LOCAL)
        a = LLVMBuildAdd(c->b, a, window_base(g, i->sym->space), "");
    if (i->flag && i->sym->space == ISA_SPACE_LOCAL) {
        cg_set_result(g, i->res[0], LLVMBuildAdd(c->b, cg_splat(c, a), local_base(g), ""));
        return true;
    }
    cg_set_scalar(g, i->res[0], cg_widen(c, a, ISA_U64, i->res[0]->type));
    return true;
}

// A constant of x's type.
static LLVMValueRef like(LLVMValueRef x, uint64_t v) {
    LLVMTypeRef t = LLVMTypeOf(x);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return LLVMConstInt(t, v, 0);
    LLVMValueRef e[32], one = LLVMConstInt(LLVMGetElementType(t), v, 0);
    unsigned n = LLVMGetVectorSize(t);
    for (unsigned k = 0; k < n; k++)
        e[k] = one;
    return LLVMConstVector(e, n);
}

static LLVMValueRef cluster_base(struct cg_func *g, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_block_field(g, FIELD(cluster_shared), c->i64, "cluster");
    return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind ? cg_splat(c, p) : p;
}

// Addresses of shared::cluster, whose forms abi/generated_code.h tells; x is a scalar or a vector.
static LLVMValueRef cluster_to_generic(struct cg_func *g, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(x);
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMTypeRef t32 = vector ? cg_vec_of(c, c->i32) : c->i32;
    LLVMValueRef a = LLVMBuildTrunc(c->b, x, t32, "");
    LLVMValueRef rank = LLVMBuildSub(c->b, LLVMBuildLShr(c->b, a, like(a, KD_CLUSTER_RANK_BIT), ""),
                                     like(a, 1), "");
    LLVMValueRef mapped = LLVMBuildICmp(c->b, LLVMIntULT, rank, like(a, KD_CLUSTER_MAX_BLOCKS), "");
    LLVMValueRef own = shared_int(g);
    own = LLVMBuildAdd(c->b, vector ? cg_splat(c, own) : own, LLVMBuildSExt(c->b, a, t, ""), "");
    LLVMValueRef at = LLVMBuildShl(c->b, rank, like(a, KD_CLUSTER_STRIDE_BITS), "");
    at = LLVMBuildAdd(c->b, at, LLVMBuildAnd(c->b, a, like(a, KD_CLUSTER_MAPPED - 1), ""), "");
    at = LLVMBuildAdd(c->b, cluster_base(g, x), LLVMBuildZExt(c->b, at, t, ""), "");
    return LLVMBuildSelect(c->b, mapped, at, own, "");
}

static LLVMValueRef cluster_from_generic(struct cg_func *g, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef at = LLVMBuildSub(c->b, x, cluster_base(g, x), "");
    LLVMValueRef rank = LLVMBuildLShr(c->b, at, like(x, KD_CLUSTER_STRIDE_BITS), "");
    rank = LLVMBuildAdd(c->b, rank, like(x, 1), "");
    rank = LLVMBuildShl(c->b, rank, like(x, KD_CLUSTER_RANK_BIT), "");
    return LLVMBuildOr(c->b, rank, LLVMBuildAnd(c->b, at, like(x, KD_CLUSTER_STRIDE - 1), ""), "");
}

static void emit_cluster_cvta(struct cg_func *g, struct kir_inst *i) {
    struct kir_value *v = i->ops[0], *r = i->res[0];
    bool uniform = g->cg->width == 1 || cg_shape(g, v).kind == SHAPE_UNIFORM;
    LLVMValueRef x = uniform ? cg_scalar(g, v) : cg_vec(g, v);
    x = i->mods.to ? cluster_from_generic(g, x) : cluster_to_generic(g, x);
    if (uniform)
        cg_set_scalar(g, r, x);
    else
        cg_set_vec(g, r, x);
}

static bool emit_cvta(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct kir_value *v = i->ops[0], *r = i->res[0];
    enum isa_space s = i->mods.space;
    struct shape sh = cg_shape(g, v);
    if (kir_type_bits(r->type) != 64) {
        cg_error(c, "cvta needs 64-bit addresses");
        return true;
    }
    if (s == ISA_SPACE_LOCAL) {
        LLVMValueRef x = cg_vec(g, v), base = local_base(g);
        cg_set_result(
            g, r, i->mods.to ? LLVMBuildSub(c->b, x, base, "") : LLVMBuildAdd(c->b, x, base, ""));
        return true;
    }
    if (s == ISA_SPACE_CLUSTER) {
        emit_cluster_cvta(g, i);
        return true;
    }
    LLVMValueRef delta = window_base(g, s);
    if (i->mods.to)
        delta = LLVMBuildNeg(c->b, delta, "");
    if (c->width == 1 || sh.kind == SHAPE_UNIFORM) {
        cg_set_scalar(g, r, LLVMBuildAdd(c->b, cg_scalar(g, v), delta, ""));
    } else if (sh.kind == SHAPE_OFFSETS) {
        cg_set_offsets(g, r, LLVMBuildAdd(c->b, cg_scalar(g, v), delta, ""), cg_guard(g, v), NULL,
                       sh.guard ? cg_delta(g, v) : NULL);
    } else {
        cg_set_vec(g, r, LLVMBuildAdd(c->b, cg_vec(g, v), cg_splat(c, delta), ""));
    }
    return true;
}

// Is a generic address in [base, base + size)?
static LLVMValueRef in_window(struct cg *c, LLVMValueRef x, LLVMValueRef base, LLVMValueRef size) {
    LLVMValueRef off = LLVMBuildSub(c->b, x, base, "");
    return LLVMBuildICmp(c->b, LLVMIntULT, off, size, "");
}

static LLVMValueRef in_cluster(struct cg_func *g, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef blocks = LLVMBuildZExt(c->b, field32(g, FIELD(cluster_blocks), 0), c->i64, "");
    LLVMValueRef size = LLVMBuildShl(c->b, blocks, cg_i64(c, KD_CLUSTER_STRIDE_BITS), "");
    LLVMValueRef window = cg_block_field(g, FIELD(shared_window_bytes), c->i64, "");
    LLVMValueRef at = LLVMBuildSub(c->b, x, cluster_base(g, x), "");
    LLVMValueRef in = LLVMBuildICmp(c->b, LLVMIntULT, at, cg_splat(c, size), "");
    at = LLVMBuildAnd(c->b, at, like(at, KD_CLUSTER_STRIDE - 1), "");
    return LLVMBuildAnd(c->b, in, LLVMBuildICmp(c->b, LLVMIntULT, at, cg_splat(c, window), ""), "");
}

LLVMValueRef cg_lies_in_shared(struct cg_func *g, LLVMValueRef p) {
    struct cg *c = g->cg;
    LLVMValueRef x = LLVMBuildPtrToInt(c->b, p, c->i64, "");
    LLVMValueRef blocks = LLVMBuildZExt(c->b, field32(g, FIELD(cluster_blocks), 0), c->i64, "");
    LLVMValueRef size = LLVMBuildShl(c->b, blocks, cg_i64(c, KD_CLUSTER_STRIDE_BITS), "");
    return in_window(c, x, cluster_base(g, x), size);
}

static LLVMValueRef in_params(struct cg_func *g, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef base = LLVMBuildPtrToInt(c->b, g->params, c->i64, "");
    return in_window(c, x, cg_splat(c, base), cg_splat(c, cg_i64(c, c->kernel->param_bytes)));
}

// Does a generic address lie in a .const variable?
static LLVMValueRef in_constants(struct cg_func *g, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef in = LLVMConstNull(cg_mask_type(c));
    for (uint32_t k = 0; k < c->ir->vars.len; k++) {
        const struct kir_symbol *s = c->ir->vars.data[k];
        if (s->space != ISA_SPACE_CONST)
            continue;
        LLVMValueRef base = cg_splat(c, cg_symbol_address(g, s, 0));
        in = LLVMBuildOr(c->b, in, in_window(c, x, base, cg_splat(c, cg_i64(c, s->size))), "");
    }
    return in;
}

static bool emit_isspacep(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef x = cg_vec(g, i->ops[0]);
    LLVMValueRef window = cg_block_field(g, FIELD(shared_window_bytes), c->i64, "");
    LLVMValueRef in_shared = in_window(c, x, cg_splat(c, shared_int(g)), cg_splat(c, window));
    LLVMValueRef all_local =
        LLVMBuildMul(c->b, g->local_stride, LLVMBuildZExt(c->b, g->nthreads, c->i64, ""), "");
    LLVMValueRef base = LLVMBuildPtrToInt(c->b, g->local_base, c->i64, "");
    LLVMValueRef in_local = in_window(c, x, cg_splat(c, base), cg_splat(c, all_local));
    LLVMValueRef r;
    switch (i->mods.space) {
    case ISA_SPACE_SHARED:
        r = in_shared;
        break;
    case ISA_SPACE_CLUSTER:
        r = in_cluster(g, x);
        break;
    case ISA_SPACE_LOCAL:
        r = in_local;
        break;
    case ISA_SPACE_GLOBAL:
        r = LLVMBuildOr(c->b, in_cluster(g, x), in_local, "");
        // The window of a kernel's parameters is a part of the global one.
        r = LLVMBuildNot(c->b, LLVMBuildOr(c->b, r, in_constants(g, x), ""), "");
        break;
    case ISA_SPACE_CONST:
        r = in_constants(g, x);
        break;
    case ISA_SPACE_PARAM:
        r = in_params(g, x);
        break;
    default:
        r = LLVMConstNull(cg_mask_type(c));
    }
    cg_set_result(g, i->res[0], r);
    return true;
}

LLVMValueRef cg_pointer(struct cg_func *g, enum isa_space space, LLVMValueRef addr, bool vector) {
    struct cg *c = g->cg;
    if (space == ISA_SPACE_LOCAL) {
        LLVMValueRef a = c->width > 1 && LLVMGetTypeKind(LLVMTypeOf(addr)) != LLVMVectorTypeKind
                             ? cg_splat(c, addr)
                             : addr;
        return LLVMBuildIntToPtr(c->b, LLVMBuildAdd(c->b, a, local_base(g), ""),
                                 cg_vec_of(c, c->ptr), "");
    }
    if (space == ISA_SPACE_SHARED)
        return LLVMBuildGEP2(c->b, c->i8, g->shared_base, &addr, 1, "");
    if (space == ISA_SPACE_PARAM)
        return LLVMBuildGEP2(c->b, c->i8, g->params, &addr, 1, "");
    return LLVMBuildIntToPtr(c->b, addr, vector ? cg_vec_of(c, c->ptr) : c->ptr, "");
}

bool cg_emit_source(struct cg_func *g, struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_SREG:
        return emit_sreg(g, i);
    case ISA_OP_SYMADDR:
        return emit_symaddr(g, i);
    case ISA_OP_PARAM:
        cg_set_result(g, i->res[0],
                      cg_cast_to(g->cg, LLVMGetParam(g->fn, 4 + i->index), i->res[0]->type));
        return true;
    case ISA_OP_CVTA:
        return emit_cvta(g, i);
    case ISA_OP_ISSPACEP:
        return emit_isspacep(g, i);
    default:
        return false;
    }
}
