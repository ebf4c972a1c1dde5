// Masks as vectors of words: see wide_masks.h.
#include "codegen/llvm/wide_masks.h"

#include <string.h>

#include "codegen/core/cg_module.h"
#include "codegen/llvm/number_table.h"

enum { WORD_BITS = 32, LEAST_LANES = 8, MOST_LANES = 32 };

// A mask and its wide form, both in the order in which they were found.
struct widened {
    LLVMValueRef mask, wide;
    bool combined; // and not made by a comparison
};

struct widening {
    struct cg *c;
    struct arena arena;
    struct widened *list;
    uint32_t n, most;
    struct number_table numbers; // of masks
};

static struct widened *find(const struct widening *w, LLVMValueRef v) {
    uint32_t n = number_table_find(&w->numbers, v);
    return n ? &w->list[n - 1] : NULL;
}

static unsigned lanes_of_mask(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return 0;
    LLVMTypeRef e = LLVMGetElementType(t);
    unsigned n = LLVMGetVectorSize(t);
    bool fits = n >= LEAST_LANES && n <= MOST_LANES && !(n & (n - 1));
    return LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == 1 && fits ? n : 0;
}

static bool is_comparison(LLVMValueRef v) {
    return LLVMIsAICmpInst(v) || LLVMIsAFCmpInst(v);
}

static bool has_words(LLVMValueRef v) {
    LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(v));
    LLVMTypeKind k = LLVMGetTypeKind(e);
    return k == LLVMFloatTypeKind ||
           (k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == WORD_BITS);
}

// Of numbers of 32 bits: its result is a vector of such words.
static bool compares_words(LLVMValueRef v) {
    return has_words(LLVMGetOperand(v, 0));
}

static bool combines(LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMPHI:
    case LLVMSelect:
        return true;
    default:
        return false;
    }
}

static bool is_used_elsewhere(LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (LLVMGetInstructionParent(LLVMGetUser(u)) != LLVMGetInstructionParent(v))
            return true;
    return false;
}

// Is a mask of several registers taken as a number that is asked for alone whether any lane's bit
// is set, or (*all) whether all are?
static bool is_test(const struct cg *c, LLVMValueRef user, bool *all) {
    if (!LLVMIsABitCastInst(user) || !lanes_of_mask(LLVMGetOperand(user, 0)) ||
        lanes_of_mask(LLVMGetOperand(user, 0)) <= c->target.vector_bits / WORD_BITS ||
        LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMIntegerTypeKind)
        return false;
    unsigned none = 0, full = 0, n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(user); u; u = LLVMGetNextUse(u), n++) {
        LLVMValueRef test = LLVMGetUser(u), by = LLVMIsAICmpInst(test);
        LLVMIntPredicate p = by ? LLVMGetICmpPredicate(test) : LLVMIntSLT;
        LLVMValueRef number = by ? LLVMIsAConstantInt(LLVMGetOperand(test, 1)) : NULL;
        if (!number || (p != LLVMIntEQ && p != LLVMIntNE))
            return false;
        none += LLVMConstIntGetZExtValue(number) == 0;
        full += LLVMConstIntGetSExtValue(number) == -1;
    }
    *all = full;
    return n && (none == n || full == n);
}

static bool is_tested(const struct cg *c, LLVMValueRef v) {
    bool all;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (is_test(c, LLVMGetUser(u), &all))
            return true;
    return false;
}

static void add(struct widening *w, LLVMValueRef v, bool combined) {
    w->list[w->n++] = (struct widened){.mask = v, .combined = combined};
    number_table_add(&w->numbers, v);
}

// Masks of numbers of other lengths stay as LLVM makes them, and so does what they are combined
// with: their words would have to be packed or widened all the same.
static bool all_of_words(LLVMValueRef f) {
    bool any = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!lanes_of_mask(i) || !is_comparison(i))
                continue;
            if (!compares_words(i))
                return false;
            any = true;
        }
    return any;
}

// What stays in a block LLVM combines as words by itself, and knows more of: maxima, say.
static bool has_wide_operand(const struct widening *w, LLVMValueRef i) {
    for (int o = 0; o < LLVMGetNumOperands(i); o++)
        if (lanes_of_mask(LLVMGetOperand(i, (unsigned)o)) &&
            find(w, LLVMGetOperand(i, (unsigned)o)))
            return true;
    return false;
}

// Is a mask of words in more than one register?
static bool is_in_several(const struct cg *c, LLVMValueRef mask) {
    return lanes_of_mask(mask) > c->target.vector_bits / WORD_BITS;
}

// Does a combination in several registers choose among words? There LLVM packs the masks of all
// registers into one, and widens that again for each blend.
static bool chooses_among_several(const struct cg *c, LLVMValueRef i) {
    for (LLVMUseRef u = LLVMGetFirstUse(i); u && is_in_several(c, i); u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) == i && has_words(user))
            return true;
    }
    return false;
}

static void find_masks(struct widening *w, LLVMValueRef f) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            w->most += lanes_of_mask(i) != 0;
    w->list = arena_array(&w->arena, struct widened, w->most + 1);
    w->numbers = number_table_new(&w->arena, w->most);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!lanes_of_mask(i))
                continue;
            bool seed = LLVMIsAPHINode(i) || is_used_elsewhere(i) || is_tested(w->c, i);
            if (combines(i) && (seed || has_wide_operand(w, i) || chooses_among_several(w->c, i)))
                add(w, i, true);
            else if (is_comparison(i) && seed)
                add(w, i, false);
        }
}

static LLVMTypeRef wide_type(const struct widening *w, LLVMValueRef mask) {
    return LLVMVectorType(LLVMIntTypeInContext(w->c->ctx, WORD_BITS), lanes_of_mask(mask));
}

// LLVM does not see what x is, or it would combine what was made of it in the narrow form again.
static LLVMValueRef opaque(struct cg *c, LLVMValueRef x) {
    LLVMTypeRef of = LLVMTypeOf(x), t = LLVMFunctionType(of, &of, 1, 0);
    static const char constraint[] = "=x,0";
    LLVMValueRef same = LLVMGetInlineAsm(t, "", 0, constraint, strlen(constraint), 0, 0,
                                         LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(c->b, t, same, &x, 1, "");
}

// A register at a time.
static LLVMValueRef opaque_words(struct cg *c, LLVMValueRef x) {
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x)), each = c->target.vector_bits / WORD_BITS;
    LLVMValueRef part[MOST_LANES], idx[MOST_LANES];
    if (n <= each)
        return opaque(c, x);
    for (unsigned k = 0; k < n / each; k++) {
        for (unsigned l = 0; l < each; l++)
            idx[l] = cg_i32(c, k * each + l);
        part[k] = opaque(c, LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                                   LLVMConstVector(idx, each), ""));
    }
    for (unsigned parts = n / each, size = each; parts > 1; parts /= 2, size *= 2)
        for (unsigned k = 0; k < parts / 2; k++) {
            for (unsigned l = 0; l < size * 2; l++)
                idx[l] = cg_i32(c, l);
            part[k] = LLVMBuildShuffleVector(c->b, part[2 * k], part[2 * k + 1],
                                             LLVMConstVector(idx, size * 2), "");
        }
    return part[0];
}

static void position_behind(struct cg *c, LLVMValueRef i) {
    LLVMValueRef next = LLVMGetNextInstruction(i);
    while (LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(c->b, next);
}

// Of an operand of `user`, for which the builder stands at the right place: what is no comparison
// and no combination (an argument, a truncation, a constant) is widened there.
static LLVMValueRef wide_of(struct widening *w, LLVMValueRef v) {
    struct cg *c = w->c;
    struct widened *x = find(w, v);
    if (x && x->wide)
        return x->wide;
    LLVMValueRef r = LLVMBuildSExt(c->b, v, wide_type(w, v), "");
    return LLVMIsConstant(r) ? r : opaque_words(c, r);
}

static void widen_comparison(struct widening *w, struct widened *x) {
    position_behind(w->c, x->mask);
    x->wide = opaque_words(w->c, LLVMBuildSExt(w->c->b, x->mask, wide_type(w, x->mask), ""));
}

// Comparisons, and combinations in several registers, that are used in combinations of their own
// block.
static void find_operands(struct widening *w) {
    for (uint32_t k = 0; k < w->n; k++) {
        LLVMValueRef i = w->list[k].mask;
        for (int o = 0; w->list[k].combined && o < LLVMGetNumOperands(i); o++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)o);
            if (!LLVMIsAInstruction(v) || !lanes_of_mask(v) || find(w, v))
                continue;
            bool combined = combines(v) && is_in_several(w->c, v);
            if (combined || is_comparison(v))
                add(w, v, combined);
        }
    }
}

static void make_phis(struct widening *w) {
    for (uint32_t k = 0; k < w->n; k++) {
        struct widened *x = &w->list[k];
        if (!LLVMIsAPHINode(x->mask))
            continue;
        LLVMPositionBuilderBefore(w->c->b, x->mask);
        x->wide = LLVMBuildPhi(w->c->b, wide_type(w, x->mask), "");
    }
}

static void fill_phis(struct widening *w) {
    for (uint32_t k = 0; k < w->n; k++) {
        struct widened *x = &w->list[k];
        if (!LLVMIsAPHINode(x->mask))
            continue;
        for (unsigned p = 0; p < LLVMCountIncoming(x->mask); p++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(x->mask, p);
            LLVMPositionBuilderBefore(w->c->b, LLVMGetBasicBlockTerminator(from));
            LLVMValueRef v = wide_of(w, LLVMGetIncomingValue(x->mask, p));
            LLVMAddIncoming(x->wide, &v, &from, 1);
        }
    }
}

// Operands come before their users but in phis: blocks may stand in any order, so what an operand
// lacks is made first. An own stack instead of recursion.
static void make_combination(struct widening *w, struct widened *x, struct widened **stack) {
    struct cg *c = w->c;
    uint32_t depth = 0;
    for (stack[depth++] = x; depth;) {
        struct widened *y = stack[depth - 1];
        LLVMValueRef i = y->mask;
        bool ready = true;
        for (int o = 0; !y->wide && o < LLVMGetNumOperands(i); o++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)o);
            struct widened *z = lanes_of_mask(v) ? find(w, v) : NULL;
            if (z && !z->wide) {
                stack[depth++] = z;
                ready = false;
                break;
            }
        }
        if (!ready)
            continue;
        depth--;
        if (y->wide)
            continue;
        LLVMPositionBuilderBefore(c->b, i);
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        LLVMValueRef a = op == LLVMSelect ? NULL : wide_of(w, LLVMGetOperand(i, 0));
        LLVMValueRef b = wide_of(w, LLVMGetOperand(i, 1));
        if (op == LLVMSelect) {
            // A scalar condition chooses between the wide forms.
            LLVMValueRef by = LLVMGetOperand(i, 0), no = wide_of(w, LLVMGetOperand(i, 2));
            if (!lanes_of_mask(by)) {
                y->wide = LLVMBuildSelect(c->b, by, b, no, "");
            } else {
                LLVMValueRef m = wide_of(w, by);
                LLVMValueRef yes = LLVMBuildAnd(c->b, m, b, "");
                no = LLVMBuildAnd(c->b, LLVMBuildNot(c->b, m, ""), no, "");
                y->wide = LLVMBuildOr(c->b, yes, no, "");
            }
        } else {
            y->wide = LLVMBuildBinOp(c->b, op, a, b, "");
        }
    }
}

// The registers are joined before they are asked, and their number is that of one register's lanes.
static void replace_test(struct widening *w, const struct widened *x, LLVMValueRef user, bool all) {
    struct cg *c = w->c;
    LLVMPositionBuilderBefore(c->b, user);
    LLVMValueRef v = x->wide, half[2], idx[MOST_LANES];
    unsigned n = lanes_of_mask(x->mask), each = c->target.vector_bits / WORD_BITS;
    for (; n > each; n /= 2) {
        for (unsigned h = 0; h < 2; h++) {
            for (unsigned l = 0; l < n / 2; l++)
                idx[l] = cg_i32(c, h * (n / 2) + l);
            half[h] = LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                             LLVMConstVector(idx, n / 2), "");
        }
        v = all ? LLVMBuildAnd(c->b, half[0], half[1], "")
                : LLVMBuildOr(c->b, half[0], half[1], "");
    }
    v = LLVMBuildICmp(c->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
    v = LLVMBuildBitCast(c->b, v, LLVMIntTypeInContext(c->ctx, n), "");
    LLVMTypeRef t = LLVMTypeOf(user);
    LLVMReplaceAllUsesWith(user,
                           all ? LLVMBuildSExt(c->b, v, t, "") : LLVMBuildZExt(c->b, v, t, ""));
    LLVMInstructionEraseFromParent(user);
}

// Users in the narrow form ask for signs, next to where they stand: LLVM selects instructions block
// by block.
static void replace_uses(struct widening *w, struct widened *x) {
    struct cg *c = w->c;
    uint32_t n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(x->mask); u; u = LLVMGetNextUse(u))
        n++;
    LLVMValueRef *users = arena_array(&w->arena, LLVMValueRef, n + 1);
    n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(x->mask); u; u = LLVMGetNextUse(u))
        users[n++] = LLVMGetUser(u);
    for (uint32_t k = 0; k < n; k++) {
        const struct widened *y = lanes_of_mask(users[k]) ? find(w, users[k]) : NULL;
        bool here = LLVMGetInstructionParent(users[k]) == LLVMGetInstructionParent(x->mask), all;
        if (is_test(c, users[k], &all)) {
            replace_test(w, x, users[k], all);
            continue;
        }
        if ((y && y->combined) || (!x->combined && here))
            continue;
        LLVMPositionBuilderBefore(c->b, users[k]);
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x->wide));
        LLVMValueRef sign = LLVMBuildICmp(c->b, LLVMIntSLT, x->wide, zero, "");
        for (int o = 0; o < LLVMGetNumOperands(users[k]); o++)
            if (LLVMGetOperand(users[k], (unsigned)o) == x->mask)
                LLVMSetOperand(users[k], (unsigned)o, sign);
    }
}

static void drop_narrow(struct widening *w) {
    for (uint32_t k = 0; k < w->n; k++)
        if (w->list[k].combined)
            LLVMReplaceAllUsesWith(w->list[k].mask, LLVMGetPoison(LLVMTypeOf(w->list[k].mask)));
    for (uint32_t k = 0; k < w->n; k++)
        if (w->list[k].combined)
            LLVMInstructionEraseFromParent(w->list[k].mask);
}

static void widen_function(struct cg *c, LLVMValueRef f) {
    struct widening w = {.c = c};
    find_masks(&w, f);
    find_operands(&w);
    struct widened **stack = arena_array(&w.arena, struct widened *, w.n + 1);
    for (uint32_t k = 0; k < w.n; k++)
        if (!w.list[k].combined)
            widen_comparison(&w, &w.list[k]);
    make_phis(&w);
    for (uint32_t k = 0; k < w.n; k++)
        if (!w.list[k].wide)
            make_combination(&w, &w.list[k], stack);
    fill_phis(&w);
    for (uint32_t k = 0; k < w.n; k++)
        replace_uses(&w, &w.list[k]);
    drop_narrow(&w);
    arena_free(&w.arena);
}

void cg_widen_masks(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && all_of_words(f))
            widen_function(c, f);
}
