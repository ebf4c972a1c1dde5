// atom and red of one thread; and by what operations of integers whose order is free are combined:
// what is neutral to them, two values in one, all lanes' in one. A block runs on one worker, so its
// shared memory needs no locked instruction.
#include "codegen/update/cg_thread_atomic.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_source.h"

static LLVMAtomicRMWBinOp rmw_op(const struct kir_inst *i) {
    bool f = isa_type_is_float(i->ty), s = isa_type_is_signed(i->ty);
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
        return LLVMAtomicRMWBinOpAnd;
    case ISA_ATOM_OR:
        return LLVMAtomicRMWBinOpOr;
    case ISA_ATOM_XOR:
        return LLVMAtomicRMWBinOpXor;
    case ISA_ATOM_EXCH:
        return LLVMAtomicRMWBinOpXchg;
    case ISA_ATOM_ADD:
        return f ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
    case ISA_ATOM_INC:
        return LLVMAtomicRMWBinOpUIncWrap;
    case ISA_ATOM_DEC:
        return LLVMAtomicRMWBinOpUDecWrap;
    case ISA_ATOM_MIN:
        return s ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    default:
        return s ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    }
}

LLVMAtomicOrdering cg_atomic_ordering(const struct kir_inst *i) {
    switch (i->mods.sem) {
    case ISA_SEM_ACQUIRE:
        return LLVMAtomicOrderingAcquire;
    case ISA_SEM_RELEASE:
        return LLVMAtomicOrderingRelease;
    case ISA_SEM_ACQ_REL:
        return LLVMAtomicOrderingAcquireRelease;
    case ISA_SEM_SC:
        return LLVMAtomicOrderingSequentiallyConsistent;
    default:
        return LLVMAtomicOrderingMonotonic;
    }
}

static LLVMValueRef combine(struct cg *c, const struct kir_inst *i, LLVMValueRef old,
                            LLVMValueRef x, LLVMValueRef y) {
    LLVMTypeRef t = LLVMTypeOf(old);
    LLVMValueRef zero = LLVMConstNull(t), one = LLVMConstInt(t, 1, 0), cond;
    bool s = isa_type_is_signed(i->ty);
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
        return LLVMBuildAnd(c->b, old, x, "");
    case ISA_ATOM_OR:
        return LLVMBuildOr(c->b, old, x, "");
    case ISA_ATOM_XOR:
        return LLVMBuildXor(c->b, old, x, "");
    case ISA_ATOM_EXCH:
        return x;
    case ISA_ATOM_ADD:
        return LLVMBuildAdd(c->b, old, x, "");
    case ISA_ATOM_INC:
        cond = LLVMBuildICmp(c->b, LLVMIntUGE, old, x, "");
        return LLVMBuildSelect(c->b, cond, zero, LLVMBuildAdd(c->b, old, one, ""), "");
    case ISA_ATOM_DEC:
        cond = LLVMBuildOr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, old, zero, ""),
                           LLVMBuildICmp(c->b, LLVMIntUGT, old, x, ""), "");
        return LLVMBuildSelect(c->b, cond, x, LLVMBuildSub(c->b, old, one, ""), "");
    case ISA_ATOM_MIN:
        cond = LLVMBuildICmp(c->b, s ? LLVMIntSLT : LLVMIntULT, x, old, "");
        return LLVMBuildSelect(c->b, cond, x, old, "");
    case ISA_ATOM_MAX:
        cond = LLVMBuildICmp(c->b, s ? LLVMIntSGT : LLVMIntUGT, x, old, "");
        return LLVMBuildSelect(c->b, cond, x, old, "");
    default: // CAS
        cond = LLVMBuildICmp(c->b, LLVMIntEQ, old, x, "");
        return LLVMBuildSelect(c->b, cond, y, old, "");
    }
}

// The result as the instruction of that name has it, of integers with the bits of both.
static LLVMValueRef table_result(struct cg_func *g, const struct kir_inst *i, LLVMValueRef old,
                                 LLVMValueRef x, bool ftz) {
    struct kir_inst op = *i;
    bool add = i->mods.atom == ISA_ATOM_ADD;
    op.op = add ? ISA_OP_ADD : i->mods.atom == ISA_ATOM_MIN ? ISA_OP_MIN : ISA_OP_MAX;
    op.mods = (struct isa_mods){.rnd = add ? ISA_RND_RN : ISA_RND_NONE, .ftz = ftz};
    op.nops = 2;
    op.nres = 1;
    struct kir_value v = {.type = isa_type_bits(i->ty) == 16 ? KIR_B16 : KIR_B32};
    struct kir_value *ops[2] = {&v, &v}, *res[1] = {&v};
    op.ops = ops;
    op.res = res;
    LLVMValueRef src[2] = {old, x}, dst[1] = {old};
    if (!pw_emit(&g->cg->pw, &op, 0, src, dst))
        cg_error(g->cg, "atomic arithmetic on .%s is not supported", isa_type_name(i->ty));
    return dst[0];
}

bool cg_is_float_atomic(const struct kir_inst *i) {
    return isa_type_is_float(i->ty) &&
           (i->mods.atom == ISA_ATOM_ADD || i->mods.atom == ISA_ATOM_MIN ||
            i->mods.atom == ISA_ATOM_MAX);
}

// Is the sum s a NaN though neither a nor b is? Its sign is another one on Arm.
static LLVMValueRef made_nan(struct cg *c, LLVMValueRef a, LLVMValueRef b, LLVMValueRef s) {
    s = LLVMBuildBitCast(c->b, s, c->f64, "");
    return LLVMBuildAnd(c->b, LLVMBuildFCmp(c->b, LLVMRealORD, a, b, ""),
                        LLVMBuildFCmp(c->b, LLVMRealUNO, s, s, ""), "");
}

// A sum of f64 with the NaN that hardware stores: in global memory an operand's as it is, the
// second before the first; in shared memory the first's before the second's, made quiet.
static LLVMValueRef double_sum(struct cg *c, LLVMValueRef old, LLVMValueRef x, bool global) {
    LLVMValueRef a = LLVMBuildBitCast(c->b, old, c->f64, "");
    LLVMValueRef b = LLVMBuildBitCast(c->b, x, c->f64, "");
    LLVMValueRef s = LLVMBuildBitCast(c->b, LLVMBuildFAdd(c->b, a, b, ""), c->i64, "");
    LLVMValueRef a_nan = LLVMBuildFCmp(c->b, LLVMRealUNO, a, a, "");
    LLVMValueRef b_nan = LLVMBuildFCmp(c->b, LLVMRealUNO, b, b, "");
    if (c->target.family == MACHINE_ARM) // infinity less infinity
        s = LLVMBuildSelect(c->b, made_nan(c, a, b, s), LLVMConstInt(c->i64, 0xfff8ULL << 48, 0), s,
                            "");
    if (global)
        return LLVMBuildSelect(c->b, b_nan, x, LLVMBuildSelect(c->b, a_nan, old, s, ""), "");
    LLVMValueRef quiet = LLVMConstInt(c->i64, 1ULL << 51, 0);
    return LLVMBuildSelect(c->b, a_nan, LLVMBuildOr(c->b, old, quiet, ""), s, "");
}

// The units beside global memory flush subnormal f32 numbers.
static LLVMValueRef float_result(struct cg_func *g, const struct kir_inst *i, LLVMValueRef old,
                                 LLVMValueRef x, bool global) {
    if (i->ty == ISA_F64)
        return double_sum(g->cg, old, x, global);
    return table_result(g, i, old, x, global && i->ty == ISA_F32);
}

LLVMValueRef cg_new_value(struct cg_func *g, const struct kir_inst *i, LLVMValueRef old,
                          LLVMValueRef x, LLVMValueRef y, LLVMValueRef p) {
    struct cg *c = g->cg;
    if (!cg_is_float_atomic(i))
        return combine(c, i, old, x, y);
    bool differs = i->ty == ISA_F32 || i->ty == ISA_F64;
    if (!differs || i->mods.space != ISA_SPACE_GENERIC)
        return float_result(g, i, old, x, i->mods.space == ISA_SPACE_GLOBAL);
    LLVMValueRef in_shared = float_result(g, i, old, x, false);
    LLVMValueRef in_global = float_result(g, i, old, x, true);
    return LLVMBuildSelect(c->b, cg_lies_in_shared(g, p), in_shared, in_global, "");
}

// A loop of compare-and-swap, for what LLVM has no operation for.
static LLVMValueRef swap_loop(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                              LLVMValueRef x, unsigned bytes) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef first = LLVMBuildLoad2(c->b, t, p, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, bytes);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b), loop = cg_new_block(g, "cas"),
                      done = cg_new_block(g, "cas.done");
    LLVMBuildBr(c->b, loop);
    LLVMPositionBuilderAtEnd(c->b, loop);
    LLVMValueRef old = LLVMBuildPhi(c->b, t, "");
    LLVMValueRef next = cg_new_value(g, i, old, x, NULL, p);
    LLVMValueRef r =
        LLVMBuildAtomicCmpXchg(c->b, p, old, next, LLVMAtomicOrderingSequentiallyConsistent,
                               LLVMAtomicOrderingMonotonic, 0);
    LLVMValueRef seen = LLVMBuildExtractValue(c->b, r, 0, "");
    LLVMValueRef ok = LLVMBuildExtractValue(c->b, r, 1, "");
    LLVMValueRef in[2] = {first, seen};
    LLVMBasicBlockRef blocks[2] = {from, LLVMGetInsertBlock(c->b)};
    LLVMAddIncoming(old, in, blocks, 2);
    LLVMBuildCondBr(c->b, ok, done, loop);
    LLVMPositionBuilderAtEnd(c->b, done);
    return old;
}

// Of what is no vector.
bool cg_has_readers(const struct cg_func *g, const struct kir_inst *i) {
    return i->nres && (i->mods.vec || g->read[i->res[0]->id]);
}

// An exchange whose old value nobody reads, and which later accesses need not wait for, is a store:
// an instruction that is locked waits for all stores before it.
bool cg_is_atomic_store(const struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    return i->mods.atom == ISA_ATOM_EXCH && bytes <= 8 &&
           (i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED ||
            i->mods.sem == ISA_SEM_RELEASE) &&
           !cg_has_readers(g, i);
}

// Later accesses need not wait for it, and it may leave memory as it is: then a load has the same
// effect, which other workers' caches take no notice of.
static bool may_only_load(const struct kir_inst *i) {
    bool relaxed = i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED;
    return relaxed && (i->mods.atom == ISA_ATOM_AND || i->mods.atom == ISA_ATOM_OR ||
                       i->mods.atom == ISA_ATOM_MIN || i->mods.atom == ISA_ATOM_MAX);
}

static LLVMValueRef change(struct cg *c, const struct kir_inst *i, LLVMValueRef p, LLVMValueRef x) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b);
    LLVMValueRef f = LLVMGetBasicBlockParent(from);
    LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(c->ctx, f, "change"),
                      done = LLVMAppendBasicBlockInContext(c->ctx, f, "changed");
    LLVMValueRef old[2] = {LLVMBuildLoad2(c->b, LLVMTypeOf(x), p, "")};
    LLVMSetOrdering(old[0], LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(old[0], LLVMGetIntTypeWidth(LLVMTypeOf(x)) / 8);
    LLVMValueRef new = combine(c, i, old[0], x, NULL);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, new, old[0], ""), some, done);
    LLVMPositionBuilderAtEnd(c->b, some);
    old[1] = LLVMBuildAtomicRMW(c->b, rmw_op(i), p, x, cg_atomic_ordering(i), 0);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    LLVMValueRef r = LLVMBuildPhi(c->b, LLVMTypeOf(x), "");
    LLVMBasicBlockRef blocks[2] = {from, some};
    LLVMAddIncoming(r, old, blocks, 2);
    return r;
}

// One thread's operation; x, y are integers of the type's width. Returns the old value.
LLVMValueRef cg_atomic_one(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                           LLVMValueRef x, LLVMValueRef y) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(x);
    unsigned bytes = LLVMGetIntTypeWidth(t) / 8;
    if (i->mods.space == ISA_SPACE_SHARED) {
        LLVMValueRef old = LLVMBuildLoad2(c->b, t, p, "");
        LLVMSetAlignment(old, bytes);
        LLVMSetAlignment(LLVMBuildStore(c->b, cg_new_value(g, i, old, x, y, p), p), bytes);
        return old;
    }
    if (i->mods.atom == ISA_ATOM_CAS) {
        LLVMValueRef r =
            LLVMBuildAtomicCmpXchg(c->b, p, x, y, LLVMAtomicOrderingSequentiallyConsistent,
                                   LLVMAtomicOrderingMonotonic, 0);
        return LLVMBuildExtractValue(c->b, r, 0, "");
    }
    if (cg_is_float_atomic(i))
        return swap_loop(g, i, p, x, bytes);
    if (cg_is_atomic_store(g, i, bytes)) {
        LLVMValueRef st = LLVMBuildStore(c->b, x, p);
        LLVMSetOrdering(st, cg_atomic_ordering(i));
        LLVMSetAlignment(st, bytes);
        return LLVMConstNull(t);
    }
    if (may_only_load(i))
        return change(c, i, p, x);
    return LLVMBuildAtomicRMW(c->b, rmw_op(i), p, x, cg_atomic_ordering(i), 0);
}

bool cg_is_reducible(const struct kir_inst *i) {
    if (isa_type_is_float(i->ty))
        return false;
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
    case ISA_ATOM_OR:
    case ISA_ATOM_XOR:
    case ISA_ATOM_ADD:
    case ISA_ATOM_MIN:
    case ISA_ATOM_MAX:
        return true;
    default:
        return false;
    }
}

static const char *reduction(const struct kir_inst *i) {
    bool s = isa_type_is_signed(i->ty);
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
        return "llvm.vector.reduce.and";
    case ISA_ATOM_OR:
        return "llvm.vector.reduce.or";
    case ISA_ATOM_XOR:
        return "llvm.vector.reduce.xor";
    case ISA_ATOM_ADD:
        return "llvm.vector.reduce.add";
    case ISA_ATOM_MIN:
        return s ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
    default:
        return s ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
    }
}

uint64_t cg_neutral(const struct kir_inst *i) {
    unsigned bits = isa_type_bits(i->ty);
    bool s = isa_type_is_signed(i->ty);
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
        return ~0ULL;
    case ISA_ATOM_MIN:
        return s ? ~0ULL >> (65 - bits) : ~0ULL;
    case ISA_ATOM_MAX:
        return s ? 1ULL << (bits - 1) : 0;
    default:
        return 0;
    }
}

LLVMValueRef cg_neutral_vector(struct cg_func *g, const struct kir_inst *i) {
    LLVMTypeRef t = cg_int_type(g->cg, isa_type_bits(i->ty));
    return cg_splat(g->cg, LLVMConstInt(t, cg_neutral(i), 0));
}

LLVMValueRef cg_combined(struct cg *c, const struct kir_inst *i, LLVMValueRef x, LLVMValueRef y) {
    return combine(c, i, x, y, NULL);
}

LLVMValueRef cg_reduced(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x) {
    LLVMTypeRef vt = LLVMTypeOf(x);
    return cg_call_intrinsic(g->cg, reduction(i), &vt, 1, &x, 1);
}

void cg_combine_with(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, LLVMValueRef x) {
    cg_atomic_one(g, i, p, x, NULL);
}
