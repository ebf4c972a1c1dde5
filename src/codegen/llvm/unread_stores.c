#include "codegen/llvm/unread_stores.h"
#include "codegen/core/state.h"

#include <stddef.h>
#include <string.h>

#include "abi/generated_code.h"

enum { MOST_STEPS = 64 }; // of additions to an address

static bool is_intrinsic(LLVMValueRef f, const char *prefix) {
    size_t n;
    return LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) &&
           !strncmp(LLVMGetValueName2(f, &n), prefix, strlen(prefix));
}

static bool calls_any(LLVMValueRef f) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) &&
                !is_intrinsic(LLVMGetCalledValue(i), "llvm."))
                return true;
    return false;
}

// Does user u add a constant to p?
static bool moves_on(LLVMValueRef u, LLVMValueRef p) {
    if (!LLVMIsAGetElementPtrInst(u) || LLVMGetOperand(u, 0) != p)
        return false;
    for (int k = 1; k < LLVMGetNumOperands(u); k++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(u, (unsigned)k)))
            return false;
    return true;
}

static bool stores_to(LLVMValueRef u, LLVMValueRef p) {
    if (LLVMIsAStoreInst(u))
        return LLVMGetOperand(u, 1) == p && LLVMGetOperand(u, 0) != p && !LLVMGetVolatile(u) &&
               LLVMGetOrdering(u) == LLVMAtomicOrderingNotAtomic;
    return LLVMIsACallInst(u) && is_intrinsic(LLVMGetCalledValue(u), "llvm.masked.store") &&
           LLVMGetOperand(u, 1) == p && LLVMGetOperand(u, 0) != p;
}

static bool is_only_stored_to(LLVMValueRef p, unsigned depth) {
    if (!depth)
        return false;
    for (LLVMUseRef x = LLVMGetFirstUse(p); x; x = LLVMGetNextUse(x)) {
        LLVMValueRef u = LLVMGetUser(x);
        if (moves_on(u, p) ? !is_only_stored_to(u, depth - 1) : !stores_to(u, p))
            return false;
    }
    return true;
}

static void drop_users(LLVMValueRef p) {
    for (LLVMUseRef x; (x = LLVMGetFirstUse(p));) {
        LLVMValueRef u = LLVMGetUser(x);
        if (LLVMIsAGetElementPtrInst(u))
            drop_users(u);
        LLVMInstructionEraseFromParent(u);
    }
}

// Loads of a field of the block's description.
static bool are_all_loads(LLVMValueRef field) {
    for (LLVMUseRef x = LLVMGetFirstUse(field); x; x = LLVMGetNextUse(x))
        if (!LLVMIsALoadInst(LLVMGetUser(x)))
            return false;
    return true;
}

// Where a field of the block's description lies; SIZE_MAX: u is something else.
static size_t field_at(LLVMValueRef u, LLVMValueRef block) {
    if (LLVMIsALoadInst(u) && LLVMGetTypeKind(LLVMTypeOf(u)) == LLVMPointerTypeKind)
        return 0;
    if (!moves_on(u, block) || LLVMGetNumOperands(u) != 2 ||
        LLVMGetTypeKind(LLVMGetGEPSourceElementType(u)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(u)) != 8)
        return SIZE_MAX;
    return LLVMConstIntGetZExtValue(LLVMGetOperand(u, 1));
}

// Is the block's shared memory reached through its description's field alone, and stored to alone?
static bool is_unread(LLVMValueRef block) {
    for (LLVMUseRef x = LLVMGetFirstUse(block); x; x = LLVMGetNextUse(x)) {
        LLVMValueRef u = LLVMGetUser(x);
        size_t at = field_at(u, block);
        if (at >= sizeof(struct kd_block) || at == offsetof(struct kd_block, cluster_shared))
            return false;
        if (at != offsetof(struct kd_block, shared))
            continue;
        if (!are_all_loads(u))
            return false;
        for (LLVMUseRef y = LLVMGetFirstUse(u); y; y = LLVMGetNextUse(y))
            if (!is_only_stored_to(LLVMGetUser(y), MOST_STEPS))
                return false;
    }
    return true;
}

void cg_drop_unread_stores(struct cg *c) {
    LLVMValueRef f = LLVMGetNamedFunction(c->mod, "kd_entry");
    if (c->mode != KD_MODE_BLOCK || c->splits || !f || calls_any(f))
        return;
    LLVMValueRef block = LLVMGetParam(f, 0);
    if (!is_unread(block))
        return;
    for (LLVMUseRef x = LLVMGetFirstUse(block); x; x = LLVMGetNextUse(x)) {
        LLVMValueRef u = LLVMGetUser(x);
        if (field_at(u, block) != offsetof(struct kd_block, shared))
            continue;
        for (LLVMUseRef y = LLVMGetFirstUse(u); y; y = LLVMGetNextUse(y))
            drop_users(LLVMGetUser(y));
    }
}
