// left' = left | (stay & d), stay' = stay & ~d: what lanes are in `left` and `stay` together never
// changes, and none is in both. With `left` empty at first, left' = entered & ~stay'. A search that
// lanes leave at their first difference has a comparison and an `or` less in each iteration and
// group.
#include "codegen/llvm/left_lanes.h"
#include "codegen/core/state.h"

struct left {
    LLVMValueRef phi, next;     // lanes that have left, and those after this iteration
    LLVMValueRef entered, stay; // lanes of the loop, and those that stay after this iteration
};

static bool is_mask(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) == 1;
}

static bool is_instruction(LLVMValueRef v, LLVMOpcode op) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

// x for v = ~x, or NULL.
static LLVMValueRef complement(LLVMValueRef v) {
    if (!is_instruction(v, LLVMXor))
        return NULL;
    LLVMValueRef ones = LLVMConstAllOnes(LLVMTypeOf(v));
    return LLVMGetOperand(v, 1) == ones   ? LLVMGetOperand(v, 0)
           : LLVMGetOperand(v, 0) == ones ? LLVMGetOperand(v, 1)
                                          : NULL;
}

// v is mask & *cond.
static bool is_part(LLVMValueRef v, LLVMValueRef mask, LLVMValueRef *cond) {
    if (is_instruction(v, LLVMSelect)) {
        *cond = LLVMGetOperand(v, 1);
        return LLVMGetOperand(v, 0) == mask && LLVMIsNull(LLVMGetOperand(v, 2));
    }
    if (!is_instruction(v, LLVMAnd))
        return false;
    bool first = LLVMGetOperand(v, 0) == mask;
    *cond = LLVMGetOperand(v, first);
    return first || LLVMGetOperand(v, 1) == mask;
}

static unsigned entry_of(LLVMValueRef phi, LLVMBasicBlockRef from) {
    return LLVMGetIncomingBlock(phi, 0) == from ? 0 : 1;
}

// The phi of the lanes that stay, of which `leave` are those that leave: it and what becomes of it.
static bool find_stay(struct left *l, LLVMValueRef leave, LLVMBasicBlockRef latch) {
    LLVMBasicBlockRef head = LLVMGetInstructionParent(l->phi);
    for (LLVMValueRef m = LLVMGetFirstInstruction(head); m && LLVMIsAPHINode(m);
         m = LLVMGetNextInstruction(m)) {
        LLVMValueRef out, in;
        if (LLVMTypeOf(m) != LLVMTypeOf(l->phi) || m == l->phi || !is_part(leave, m, &out))
            continue;
        unsigned back = entry_of(m, latch);
        l->stay = LLVMGetIncomingValue(m, back);
        l->entered = LLVMGetIncomingValue(m, 1 - back);
        if (is_part(l->stay, m, &in) && (complement(in) == out || complement(out) == in))
            return true;
    }
    return false;
}

// Are those that have left wanted in other blocks than the one that finds them alone?
static bool wanted_elsewhere(const struct left *l) {
    for (LLVMUseRef u = LLVMGetFirstUse(l->phi); u; u = LLVMGetNextUse(u))
        if (LLVMGetUser(u) != l->next)
            return false;
    bool any = false;
    for (LLVMUseRef u = LLVMGetFirstUse(l->next); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (user == l->phi)
            continue;
        if (!LLVMIsAPHINode(user) &&
            LLVMGetInstructionParent(user) == LLVMGetInstructionParent(l->next))
            return false;
        any = true;
    }
    return any;
}

static bool find_left(struct left *l, LLVMValueRef phi) {
    *l = (struct left){.phi = phi};
    if (!is_mask(phi) || LLVMCountIncoming(phi) != 2)
        return false;
    unsigned back = LLVMIsNull(LLVMGetIncomingValue(phi, 0)) ? 1 : 0;
    l->next = LLVMGetIncomingValue(phi, back);
    if (!LLVMIsNull(LLVMGetIncomingValue(phi, 1 - back)) || !is_instruction(l->next, LLVMOr))
        return false;
    bool first = LLVMGetOperand(l->next, 0) == phi;
    if (!first && LLVMGetOperand(l->next, 1) != phi)
        return false;
    return find_stay(l, LLVMGetOperand(l->next, first), LLVMGetIncomingBlock(phi, back)) &&
           LLVMIsAInstruction(l->stay) &&
           LLVMGetInstructionParent(l->stay) == LLVMGetInstructionParent(l->next) &&
           wanted_elsewhere(l);
}

static LLVMValueRef make_left(struct cg *c, const struct left *l) {
    return LLVMBuildAnd(c->b, l->entered, LLVMBuildNot(c->b, l->stay, ""), "left");
}

static void replace_operand(struct cg *c, const struct left *l, LLVMValueRef user, unsigned k) {
    if (LLVMIsAPHINode(user))
        LLVMPositionBuilderBefore(c->b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, k)));
    else
        LLVMPositionBuilderBefore(c->b, user);
    LLVMSetOperand(user, k, make_left(c, l));
}

static void replace(struct cg *c, const struct left *l) {
    LLVMReplaceAllUsesWith(l->phi, LLVMConstNull(LLVMTypeOf(l->phi)));
    LLVMInstructionEraseFromParent(l->phi);
    for (LLVMUseRef u; (u = LLVMGetFirstUse(l->next));) {
        LLVMValueRef user = LLVMGetUser(u);
        for (unsigned k = (unsigned)LLVMGetNumOperands(user); k-- > 0;)
            if (LLVMGetOperand(user, k) == l->next)
                replace_operand(c, l, user, k);
    }
    LLVMInstructionEraseFromParent(l->next);
}

static void find_in(struct cg *c, LLVMBasicBlockRef b) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i && LLVMIsAPHINode(i); i = next) {
        struct left l;
        next = LLVMGetNextInstruction(i);
        if (find_left(&l, i))
            replace(c, &l);
    }
}

void cg_find_left_lanes(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            find_in(c, b);
}
