#include "codegen/llvm/quick_masks.h"
#include "support/vec.h"

// Each value of truths gets numbers (`wide`, first the truths widened) and a view of these: truths
// that everything which used the value uses now. Then the numbers are computed from other values'
// numbers, and each use has a view of its own or none.
struct mask {
    LLVMValueRef value, wide, view;
};

struct widening {
    struct cg *c;
    VEC(struct mask) masks;
    unsigned kind; // of metadata: the variable holds numbers now
};

enum { LEAST_LANES = 8, MOST_LANES = 32 };

// NULL: not of truths.
static LLVMTypeRef wide_type(struct cg *c, LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind ||
        LLVMGetElementType(t) != LLVMInt1TypeInContext(c->ctx))
        return NULL;
    unsigned n = LLVMGetVectorSize(t);
    return n >= LEAST_LANES && n <= MOST_LANES && !(n & (n - 1))
               ? LLVMVectorType(LLVMInt32TypeInContext(c->ctx), n)
               : NULL;
}

static LLVMValueRef splat(LLVMTypeRef t, uint64_t x) {
    LLVMValueRef e[MOST_LANES];
    for (unsigned k = 0; k < LLVMGetVectorSize(t); k++)
        e[k] = LLVMConstInt(LLVMGetElementType(t), x, false);
    return LLVMConstVector(e, LLVMGetVectorSize(t));
}

static LLVMValueRef view_of(struct cg *c, LLVMValueRef wide) {
    return LLVMBuildICmp(c->b, LLVMIntSLT, wide, LLVMConstNull(LLVMTypeOf(wide)), "");
}

// The numbers of what a view or a constant tells.
static LLVMValueRef numbers(struct cg *c, LLVMValueRef v) {
    if (LLVMIsAICmpInst(v))
        return LLVMGetOperand(v, 0);
    return LLVMBuildSExt(c->b, v, wide_type(c, LLVMTypeOf(v)), "");
}

// Whether a variable is only loaded and stored.
static bool is_simple(LLVMValueRef variable, LLVMTypeRef t) {
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        bool load = LLVMIsALoadInst(i) && LLVMTypeOf(i) == t;
        bool store = LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == variable &&
                     LLVMTypeOf(LLVMGetOperand(i, 0)) == t;
        if ((!load && !store) || LLVMGetVolatile(i))
            return false;
    }
    return true;
}

static void widen_variable(struct widening *w, LLVMValueRef variable) {
    struct cg *c = w->c;
    LLVMTypeRef t = LLVMGetAllocatedType(variable), wide = wide_type(c, t);
    if (!wide || !LLVMIsAConstantInt(LLVMGetOperand(variable, 0)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0)) != 1 || !is_simple(variable, t))
        return;
    LLVMPositionBuilderBefore(c->b, variable);
    LLVMValueRef a = LLVMBuildAlloca(c->b, wide, "");
    LLVMMetadataRef node = LLVMMDNodeInContext2(c->ctx, NULL, 0);
    LLVMSetMetadata(a, w->kind, LLVMMetadataAsValue(c->ctx, node));
    LLVMReplaceAllUsesWith(variable, a);
    LLVMInstructionEraseFromParent(variable);
}

static bool holds_numbers(const struct widening *w, LLVMValueRef pointer) {
    return LLVMIsAAllocaInst(pointer) && LLVMGetMetadata(pointer, w->kind);
}

static LLVMValueRef first_non_phi(LLVMBasicBlockRef b) {
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static void give_view(struct widening *w, struct mask *m) {
    struct cg *c = w->c;
    LLVMTypeRef wide = wide_type(c, LLVMTypeOf(m->value));
    bool phi = LLVMIsAPHINode(m->value);
    if (phi) {
        LLVMPositionBuilderBefore(c->b, m->value);
        m->wide = LLVMBuildPhi(c->b, wide, "");
        LLVMPositionBuilderBefore(c->b, first_non_phi(LLVMGetInstructionParent(m->value)));
    } else {
        if (LLVMIsAArgument(m->value)) {
            LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetParamParent(m->value));
            LLVMPositionBuilderBefore(c->b, LLVMGetFirstInstruction(entry));
        } else {
            LLVMPositionBuilderBefore(c->b, LLVMGetNextInstruction(m->value));
        }
        m->wide = LLVMBuildSExt(c->b, m->value, wide, "");
    }
    m->view = view_of(c, m->wide);
    LLVMReplaceAllUsesWith(m->value, m->view);
    if (!phi)
        LLVMSetOperand(m->wide, 0, m->value);
}

// A number's bits as numbers of all bits or none.
static LLVMValueRef spread_bits(struct cg *c, LLVMValueRef bits, LLVMTypeRef wide) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c->ctx);
    LLVMValueRef bit[MOST_LANES], zero = LLVMConstInt(i32, 0, false);
    unsigned n = LLVMGetVectorSize(wide);
    for (unsigned k = 0; k < n; k++)
        bit[k] = LLVMConstInt(i32, UINT64_C(1) << k, false);
    LLVMValueRef each = LLVMConstVector(bit, n), none = LLVMGetPoison(wide);
    bits = n < 32 ? LLVMBuildZExt(c->b, bits, i32, "") : bits;
    LLVMValueRef first = LLVMBuildInsertElement(c->b, none, bits, zero, "");
    LLVMValueRef all = LLVMBuildShuffleVector(c->b, first, none, LLVMConstNull(wide), "");
    all = LLVMBuildAnd(c->b, all, each, "");
    return LLVMBuildSExt(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, all, each, ""), wide, "");
}

static LLVMValueRef chosen(struct cg *c, LLVMValueRef i) {
    LLVMValueRef test = LLVMGetOperand(i, 0);
    LLVMValueRef x = numbers(c, LLVMGetOperand(i, 1)), y = numbers(c, LLVMGetOperand(i, 2));
    if (!wide_type(c, LLVMTypeOf(test)))
        return LLVMBuildSelect(c->b, test, x, y, "");
    test = numbers(c, test);
    if (LLVMIsNull(y))
        return LLVMBuildAnd(c->b, test, x, "");
    if (LLVMIsConstant(x) && LLVMConstAllOnes(LLVMTypeOf(x)) == x)
        return LLVMBuildOr(c->b, test, y, "");
    return LLVMBuildSelect(c->b, view_of(c, test), x, y, "");
}

static LLVMValueRef shuffled(struct cg *c, LLVMValueRef i, LLVMTypeRef wide) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c->ctx);
    LLVMValueRef e[MOST_LANES], x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    if (!wide_type(c, LLVMTypeOf(x)))
        return NULL;
    for (unsigned k = 0; k < LLVMGetVectorSize(wide); k++) {
        int at = LLVMGetMaskValue(i, k);
        e[k] = at < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (uint64_t)at, false);
    }
    return LLVMBuildShuffleVector(c->b, numbers(c, x), numbers(c, y),
                                  LLVMConstVector(e, LLVMGetVectorSize(wide)), "");
}

static LLVMValueRef loaded(struct widening *w, LLVMValueRef i, LLVMTypeRef wide) {
    LLVMValueRef at = LLVMGetOperand(i, 0);
    if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return NULL;
    if (holds_numbers(w, at))
        return LLVMBuildLoad2(w->c->b, wide, at, "");
    LLVMTypeRef bits = LLVMIntTypeInContext(w->c->ctx, LLVMGetVectorSize(wide));
    LLVMValueRef load = LLVMBuildLoad2(w->c->b, bits, at, "");
    LLVMSetAlignment(load, LLVMGetAlignment(i));
    return spread_bits(w->c, load, wide);
}

// The numbers of what `i` computes, from its operands' numbers. NULL: of what it computes.
static LLVMValueRef computed(struct widening *w, LLVMValueRef i, LLVMTypeRef wide) {
    struct cg *c = w->c;
    LLVMValueRef x = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL, y;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        y = LLVMGetOperand(i, 1);
        return LLVMBuildBinOp(c->b, LLVMGetInstructionOpcode(i), numbers(c, x), numbers(c, y), "");
    case LLVMSelect:
        return chosen(c, i);
    case LLVMFreeze:
        return LLVMBuildFreeze(c->b, numbers(c, x), "");
    case LLVMInsertElement:
        y = LLVMBuildSExt(c->b, LLVMGetOperand(i, 1), LLVMGetElementType(wide), "");
        return LLVMBuildInsertElement(c->b, numbers(c, x), y, LLVMGetOperand(i, 2), "");
    case LLVMShuffleVector:
        return shuffled(c, i, wide);
    case LLVMLoad:
        return loaded(w, i, wide);
    case LLVMBitCast:
        return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMIntegerTypeKind ? spread_bits(c, x, wide)
                                                                     : NULL;
    default:
        return NULL;
    }
}

static void compute(struct widening *w, struct mask *m) {
    struct cg *c = w->c;
    LLVMValueRef i = m->value;
    if (LLVMIsAArgument(i))
        return;
    if (LLVMIsAPHINode(i)) {
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, k);
            LLVMPositionBuilderBefore(c->b, LLVMGetBasicBlockTerminator(from));
            LLVMValueRef x = numbers(c, LLVMGetIncomingValue(i, k));
            LLVMAddIncoming(m->wide, &x, &from, 1);
        }
        LLVMInstructionEraseFromParent(i);
        return;
    }
    LLVMPositionBuilderBefore(c->b, m->wide);
    LLVMValueRef x = computed(w, i, LLVMTypeOf(m->wide));
    if (!x)
        return;
    LLVMReplaceAllUsesWith(m->wide, x);
    LLVMInstructionEraseFromParent(m->wide);
    LLVMInstructionEraseFromParent(i);
    m->wide = x;
}

// Numbers of another size, or the last bit alone.
static LLVMValueRef extended(struct cg *c, LLVMValueRef wide, LLVMTypeRef t, bool zeros) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(t));
    if (zeros)
        wide = LLVMBuildLShr(c->b, wide, splat(LLVMTypeOf(wide), 31), "");
    return bits < 32    ? LLVMBuildTrunc(c->b, wide, t, "")
           : bits == 32 ? wide
           : zeros      ? LLVMBuildZExt(c->b, wide, t, "")
                        : LLVMBuildSExt(c->b, wide, t, "");
}

static void serve(struct widening *w, LLVMValueRef user, struct mask *m) {
    struct cg *c = w->c;
    LLVMPositionBuilderBefore(c->b, user);
    LLVMValueRef wide = LLVMGetOperand(m->view, 0);
    if (LLVMIsASExtInst(user) || LLVMIsAZExtInst(user)) {
        LLVMReplaceAllUsesWith(user,
                               extended(c, wide, LLVMTypeOf(user), LLVMIsAZExtInst(user) != NULL));
        LLVMInstructionEraseFromParent(user);
        return;
    }
    LLVMValueRef own;
    if (LLVMIsAStoreInst(user) && holds_numbers(w, LLVMGetOperand(user, 1))) {
        LLVMBuildStore(c->b, wide, LLVMGetOperand(user, 1));
        LLVMInstructionEraseFromParent(user);
        return;
    }
    own = view_of(c, wide);
    if (LLVMIsAStoreInst(user)) // as a number's bits
        own = LLVMBuildBitCast(
            c->b, own, LLVMIntTypeInContext(c->ctx, LLVMGetVectorSize(LLVMTypeOf(wide))), "");
    for (int k = 0; k < LLVMGetNumOperands(user); k++)
        if (LLVMGetOperand(user, (unsigned)k) == m->view) {
            LLVMSetOperand(user, (unsigned)k, own);
            return;
        }
}

static void widen_in(struct widening *w, LLVMValueRef f) {
    struct cg *c = w->c;
    w->masks.len = 0;
    for (unsigned k = 0; k < LLVMCountParams(f); k++)
        if (wide_type(c, LLVMTypeOf(LLVMGetParam(f, k))))
            vec_push(c->arena, &w->masks, (struct mask){.value = LLVMGetParam(f, k)});
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAAllocaInst(i))
                widen_variable(w, i);
            else if (wide_type(c, LLVMTypeOf(i)))
                vec_push(c->arena, &w->masks, (struct mask){.value = i});
            else if (LLVMIsAStoreInst(i) && LLVMIsConstant(LLVMGetOperand(i, 0)) &&
                     holds_numbers(w, LLVMGetOperand(i, 1))) {
                LLVMPositionBuilderBefore(c->b, i);
                LLVMSetOperand(i, 0, numbers(c, LLVMGetOperand(i, 0)));
            }
        }
    for (uint32_t k = 0; k < w->masks.len; k++)
        give_view(w, &w->masks.data[k]);
    for (uint32_t k = 0; k < w->masks.len; k++)
        compute(w, &w->masks.data[k]);
    for (uint32_t k = 0; k < w->masks.len; k++) {
        struct mask *m = &w->masks.data[k];
        for (LLVMUseRef u; (u = LLVMGetFirstUse(m->view));)
            serve(w, LLVMGetUser(u), m);
        LLVMInstructionEraseFromParent(m->view);
    }
}

void cg_quick_masks(struct cg *c) {
    static const char kind[] = "kudzu.numbers";
    struct widening w = {.c = c};
    w.kind = LLVMGetMDKindIDInContext(c->ctx, kind, sizeof kind - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            widen_in(&w, f);
}
