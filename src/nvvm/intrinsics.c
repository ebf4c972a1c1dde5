#include "nvvm/intrinsics.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

struct lowering {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef call; // the one that is replaced
};

// A call of LLVM's intrinsic `name`, which is declared by what it takes and gives.
static LLVMValueRef call_intrinsic(struct lowering *l, const char *name, LLVMTypeRef result,
                                   LLVMValueRef *args, unsigned count) {
    LLVMTypeRef types[4];
    for (unsigned i = 0; i < count; ++i)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
    if (!function)
        function = LLVMAddFunction(l->module, name, type);
    return LLVMBuildCall2(l->builder, type, function, args, count, "");
}

static LLVMTypeRef integer(struct lowering *l, unsigned bits) {
    return LLVMIntTypeInContext(LLVMGetModuleContext(l->module), bits);
}

// { i32, i1 }: a value, and whether it holds.
static LLVMValueRef pair(struct lowering *l, LLVMValueRef word, LLVMValueRef holds) {
    LLVMValueRef both = LLVMGetUndef(LLVMTypeOf(l->call));
    both = LLVMBuildInsertValue(l->builder, both, word, 0, "");
    return LLVMBuildInsertValue(l->builder, both, holds, 1, "");
}

static bool get_mode(struct lowering *l, unsigned *mode) {
    LLVMValueRef value = LLVMGetOperand(l->call, 1);
    if (!LLVMIsAConstantInt(value) || LLVMConstIntGetZExtValue(value) > 3) {
        fputs("error: the mode of a warp operation is no constant from 0 to 3\n", stderr);
        return false;
    }
    *mode = (unsigned)LLVMConstIntGetZExtValue(value);
    return true;
}

static LLVMValueRef lower_shuffle(struct lowering *l) {
    static const char *const names[] = {
        "llvm.nvvm.shfl.sync.idx.i32p", "llvm.nvvm.shfl.sync.up.i32p",
        "llvm.nvvm.shfl.sync.down.i32p", "llvm.nvvm.shfl.sync.bfly.i32p"};
    LLVMValueRef args[] = {LLVMGetOperand(l->call, 0), LLVMGetOperand(l->call, 2),
                           LLVMGetOperand(l->call, 3), LLVMGetOperand(l->call, 4)};
    unsigned mode;
    if (!get_mode(l, &mode))
        return NULL;
    return call_intrinsic(l, names[mode], LLVMTypeOf(l->call), args, 4);
}

static LLVMValueRef lower_vote(struct lowering *l) {
    static const char *const names[] = {"llvm.nvvm.vote.all.sync", "llvm.nvvm.vote.any.sync",
                                        "llvm.nvvm.vote.uni.sync", "llvm.nvvm.vote.ballot.sync"};
    LLVMValueRef args[] = {LLVMGetOperand(l->call, 0), LLVMGetOperand(l->call, 2)};
    unsigned mode;
    if (!get_mode(l, &mode))
        return NULL;
    LLVMTypeRef word = integer(l, 32), bit = integer(l, 1);
    LLVMValueRef given = call_intrinsic(l, names[mode], mode == 3 ? word : bit, args, 2);
    return mode == 3 ? pair(l, given, LLVMConstNull(bit)) : pair(l, LLVMConstNull(word), given);
}

static LLVMValueRef lower_match_all(struct lowering *l) {
    LLVMValueRef args[] = {LLVMGetOperand(l->call, 0), LLVMGetOperand(l->call, 1)};
    bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(args[1])) == 64;
    return call_intrinsic(l,
                          wide ? "llvm.nvvm.match.all.sync.i64p" : "llvm.nvvm.match.all.sync.i32p",
                          LLVMTypeOf(l->call), args, 2);
}

struct intrinsic {
    const char *name;
    int operands;
    LLVMValueRef (*lower)(struct lowering *l);
};

static bool lower_calls(LLVMModuleRef module, LLVMValueRef function, const struct intrinsic *of) {
    struct lowering l = {module, LLVMCreateBuilderInContext(LLVMGetModuleContext(module)), NULL};
    LLVMUseRef use;
    bool ok = true;
    while (ok && (use = LLVMGetFirstUse(function))) {
        l.call = LLVMGetUser(use);
        ok = LLVMIsACallInst(l.call) && LLVMGetCalledValue(l.call) == function &&
             LLVMGetNumArgOperands(l.call) == (unsigned)of->operands;
        if (!ok) {
            fprintf(stderr, "error: %s is not called as it is defined\n", of->name);
            break;
        }
        LLVMPositionBuilderBefore(l.builder, l.call);
        LLVMValueRef given = of->lower(&l);
        ok = given;
        if (ok) {
            LLVMReplaceAllUsesWith(l.call, given);
            LLVMInstructionEraseFromParent(l.call);
        }
    }
    LLVMDisposeBuilder(l.builder);
    if (ok)
        LLVMDeleteFunction(function);
    return ok;
}

bool intrinsics_lower(LLVMModuleRef module) {
    static const struct intrinsic all[] = {
        {"llvm.nvvm.shfl.sync.i32", 5, lower_shuffle},
        {"llvm.nvvm.vote.sync", 3, lower_vote},
        {"llvm.nvvm.match.all.sync.i32", 2, lower_match_all},
        {"llvm.nvvm.match.all.sync.i64", 2, lower_match_all},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        LLVMValueRef function = LLVMGetNamedFunction(module, all[i].name);
        if (function && LLVMIsDeclaration(function) && !lower_calls(module, function, &all[i]))
            return false;
    }
    return true;
}
