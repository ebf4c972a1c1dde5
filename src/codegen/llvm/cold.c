// Accesses whose lanes follow each other only when a test says so have a second way, an address a
// lane, which hardly ever runs. What that way alone needs stands before the test, since several
// such accesses share it: LLVM leaves it there. Here it is computed again in each of those blocks.
#include "codegen/llvm/cold.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

enum { MOST_BLOCKS = 256 };

struct cold {
    LLVMContextRef ctx;
    LLVMBuilderRef b;
    LLVMBasicBlockRef block[MOST_BLOCKS];
    unsigned n;
};

// The successor that the branch rarely takes; NULL: not known.
static LLVMBasicBlockRef rare_successor(const struct cold *k, LLVMValueRef branch) {
    LLVMValueRef part[3];
    if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch))
        return NULL;
    LLVMValueRef md = LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(k->ctx, "prof", 4));
    if (!md || LLVMGetMDNodeNumOperands(md) != 3)
        return NULL;
    LLVMGetMDNodeOperands(md, part);
    if (!part[1] || !part[2] || !LLVMIsAConstantInt(part[1]) || !LLVMIsAConstantInt(part[2]))
        return NULL;
    unsigned long long w[2] = {LLVMConstIntGetZExtValue(part[1]),
                               LLVMConstIntGetZExtValue(part[2])};
    for (unsigned s = 0; s < 2; s++)
        if (w[s] * CG_OFTEN <= w[1 - s] * CG_RARE)
            return LLVMGetSuccessor(branch, s);
    return NULL;
}

bool cg_is_rare(struct cg *c, LLVMValueRef branch, unsigned successor) {
    const struct cold k = {.ctx = c->ctx};
    return rare_successor(&k, branch) == LLVMGetSuccessor(branch, successor);
}

static bool is_cold(const struct cold *k, LLVMBasicBlockRef b) {
    for (unsigned n = 0; n < k->n; n++)
        if (k->block[n] == b)
            return true;
    return false;
}

// Does one edge alone lead to b?
static bool has_one_edge(LLVMBasicBlockRef b) {
    LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
    return u && !LLVMGetNextUse(u);
}

// Do cold blocks alone lead to b?
static bool follows_cold(const struct cold *k, LLVMBasicBlockRef b) {
    bool any = false;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef t = LLVMGetUser(u);
        if (!LLVMIsATerminatorInst(t) || !is_cold(k, LLVMGetInstructionParent(t)))
            return false;
        any = true;
    }
    return any;
}

static bool add_following(struct cold *k, LLVMValueRef f) {
    bool any = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        if (k->n < MOST_BLOCKS && !is_cold(k, b) && follows_cold(k, b)) {
            k->block[k->n++] = b;
            any = true;
        }
    return any;
}

static void find_cold(struct cold *k, LLVMValueRef f) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        LLVMBasicBlockRef rare = t ? rare_successor(k, t) : NULL;
        if (rare && k->n < MOST_BLOCKS && has_one_edge(rare) && !is_cold(k, rare))
            k->block[k->n++] = rare;
    }
    while (k->n && add_following(k, f)) {
    }
}

bool cg_is_arithmetic(LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMSelect:
        return true;
    default:
        return false;
    }
}

static bool can_move(LLVMValueRef v) {
    return LLVMIsAInstruction(v) &&
           (cg_is_arithmetic(v) || LLVMIsABitCastInst(v) || LLVMIsAInsertElementInst(v) ||
            LLVMIsAExtractElementInst(v) || LLVMIsAShuffleVectorInst(v));
}

// Is v used in cold blocks alone, and made elsewhere?
static bool belongs_to_cold(const struct cold *k, LLVMValueRef v) {
    if (!can_move(v) || is_cold(k, LLVMGetInstructionParent(v)))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAPHINode(user) || !is_cold(k, LLVMGetInstructionParent(user)))
            return false;
    }
    return true;
}

static LLVMValueRef after_phis(LLVMBasicBlockRef b) {
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

// Makes v again at the head of each block that uses it.
static void move(struct cold *k, LLVMValueRef v) {
    for (LLVMUseRef u; (u = LLVMGetFirstUse(v));) {
        LLVMBasicBlockRef at = LLVMGetInstructionParent(LLVMGetUser(u));
        LLVMValueRef again = LLVMInstructionClone(v);
        LLVMPositionBuilderBefore(k->b, after_phis(at));
        LLVMInsertIntoBuilder(k->b, again);
        for (LLVMUseRef next; u; u = next) {
            LLVMValueRef user = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            if (LLVMGetInstructionParent(user) != at)
                continue;
            for (int o = 0; o < LLVMGetNumOperands(user); o++)
                if (LLVMGetOperand(user, (unsigned)o) == v)
                    LLVMSetOperand(user, (unsigned)o, again);
            next = LLVMGetFirstUse(v);
        }
    }
    LLVMInstructionEraseFromParent(v);
}

// From the end of b to its head: what is moved there comes before what needs it.
static bool fill(struct cold *k, LLVMBasicBlockRef b) {
    bool any = false;
    for (LLVMValueRef i = LLVMGetLastInstruction(b); i; i = LLVMGetPreviousInstruction(i)) {
        if (LLVMIsAPHINode(i))
            break;
        for (int o = 0; o < LLVMGetNumOperands(i); o++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)o);
            if (!belongs_to_cold(k, v))
                continue;
            move(k, v);
            any = true;
        }
    }
    return any;
}

void cg_sink_into_cold(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f)) {
        struct cold k = {.ctx = c->ctx, .b = c->b};
        find_cold(&k, f);
        for (bool any = k.n > 0; any;) {
            any = false;
            for (unsigned n = 0; n < k.n; n++)
                any |= fill(&k, k.block[n]);
        }
    }
}
