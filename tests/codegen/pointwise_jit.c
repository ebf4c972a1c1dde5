// See pointwise_jit.h.
#include "pointwise_jit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>

#include "codegen/pointwise/pointwise.h"

struct pw_jit {
    enum kd_level level;
    LLVMTargetMachineRef machine;
    LLVMOrcLLJITRef jit;
    unsigned modules;
};

static void check(LLVMErrorRef err) {
    if (!err)
        return;
    fprintf(stderr, "LLVM: %s\n", LLVMGetErrorMessage(err));
    exit(1);
}

static bool host_has(enum kd_level level) {
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
    if (level == KD_LEVEL_X86_64_V3)
        return v3;
    return level == KD_LEVEL_X86_64_V2 ||
           (v3 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"));
}

static LLVMTargetMachineRef machine_for(enum kd_level level) {
    static const char *const cpus[] = {[KD_LEVEL_X86_64_V2] = "x86-64-v2",
                                       [KD_LEVEL_X86_64_V3] = "x86-64-v3",
                                       [KD_LEVEL_X86_64_V4] = "x86-64-v4"};
    LLVMTargetRef target;
    char *message;
    if (LLVMGetTargetFromTriple("x86_64-unknown-linux-gnu", &target, &message)) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    return LLVMCreateTargetMachine(target, "x86_64-unknown-linux-gnu", cpus[level], "",
                                   LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
}

struct pw_jit *pw_jit_new(enum kd_level level) {
    if (!host_has(level))
        return NULL;
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    struct pw_jit *j = calloc(1, sizeof *j);
    j->level = level;
    j->machine = machine_for(level);
    LLVMOrcLLJITBuilderRef b = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        b, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine_for(level)));
    check(LLVMOrcCreateLLJIT(&j->jit, b));
    LLVMOrcDefinitionGeneratorRef process;
    check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
        &process, LLVMOrcLLJITGetGlobalPrefix(j->jit), NULL, NULL));
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(j->jit), process);
    return j;
}

void pw_jit_free(struct pw_jit *j) {
    check(LLVMOrcDisposeLLJIT(j->jit));
    LLVMDisposeTargetMachine(j->machine);
    free(j);
}

static LLVMTypeRef lane_type(LLVMContextRef c, enum kir_type t) {
    return t == KIR_F32   ? LLVMFloatTypeInContext(c)
           : t == KIR_F64 ? LLVMDoubleTypeInContext(c)
                          : LLVMIntTypeInContext(c, kir_type_bits(t));
}

static LLVMTypeRef lanes_of(LLVMTypeRef t, unsigned lanes) {
    return lanes ? LLVMVectorType(t, lanes) : t;
}

static LLVMTypeRef in_memory(LLVMContextRef c, enum kir_type t, unsigned lanes) {
    return lanes_of(t == KIR_PRED ? LLVMInt8TypeInContext(c) : lane_type(c, t), lanes);
}

static LLVMValueRef slot(struct pw *p, LLVMValueRef table, unsigned k) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(p->ctx, 0);
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(p->ctx), k, false);
    return LLVMBuildLoad2(p->b, ptr, LLVMBuildGEP2(p->b, ptr, table, &index, 1, ""), "");
}

static LLVMValueRef load(struct pw *p, const struct kir_value *v, LLVMValueRef table, unsigned k,
                         unsigned lanes) {
    LLVMTypeRef t = lane_type(p->ctx, v->type);
    if (v->kind == KIR_VALUE_CONST) {
        LLVMTypeRef bits = LLVMIntTypeInContext(p->ctx, kir_type_bits(v->type));
        LLVMValueRef c = LLVMConstBitCast(LLVMConstInt(bits, v->bits.u64[0], false), t), all[64];
        for (unsigned n = 0; n < lanes; n++)
            all[n] = c;
        return lanes ? LLVMConstVector(all, lanes) : c;
    }
    LLVMValueRef l = LLVMBuildLoad2(p->b, in_memory(p->ctx, v->type, lanes), slot(p, table, k), "");
    LLVMSetAlignment(l, 1);
    return v->type == KIR_PRED ? LLVMBuildTrunc(p->b, l, lanes_of(t, lanes), "") : l;
}

static void store(struct pw *p, const struct kir_value *v, LLVMValueRef table, unsigned k,
                  unsigned lanes, LLVMValueRef x) {
    LLVMTypeRef want = lanes_of(lane_type(p->ctx, v->type), lanes);
    if (LLVMTypeOf(x) != want) {
        fprintf(stderr, "result %u has type %s\n", k, LLVMPrintTypeToString(LLVMTypeOf(x)));
        exit(1);
    }
    if (v->type == KIR_PRED)
        x = LLVMBuildZExt(p->b, x, in_memory(p->ctx, v->type, lanes), "");
    LLVMSetAlignment(LLVMBuildStore(p->b, x, slot(p, table, k)), 1);
}

static bool define(struct pw *p, const struct pw_case *c, unsigned lanes, const char *name) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(p->ctx, 0), args[2] = {ptr, ptr};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->ctx), args, 2, false);
    LLVMValueRef f = LLVMAddFunction(p->mod, name, type), src[MAX_OPS], dst[MAX_RES];
    LLVMPositionBuilderAtEnd(p->b, LLVMAppendBasicBlockInContext(p->ctx, f, ""));
    for (unsigned k = 0; k < c->inst.nops; k++)
        src[k] = load(p, &c->op_values[k], LLVMGetParam(f, 0), k, lanes);
    if (!pw_emit(p, &c->inst, lanes, src, dst)) {
        fprintf(stderr, "%s\n", pw_error(p));
        LLVMDeleteFunction(f);
        return false;
    }
    for (unsigned k = 0; k < c->inst.nres; k++)
        store(p, &c->res_values[k], LLVMGetParam(f, 1), k, lanes, dst[k]);
    LLVMBuildRetVoid(p->b);
    return true;
}

static void finish_module(struct pw_jit *j, LLVMModuleRef mod, bool optimise) {
    char *message = NULL;
    if (LLVMVerifyModule(mod, LLVMReturnStatusAction, &message)) {
        fprintf(stderr, "invalid IR: %s\n", message);
        exit(1);
    }
    LLVMDisposeMessage(message);
    if (!optimise)
        return;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    check(LLVMRunPasses(mod, "function(early-cse,instcombine<no-verify-fixpoint>,reassociate,gvn)",
                        j->machine, options));
    LLVMDisposePassBuilderOptions(options);
}

void pw_jit_compile(struct pw_jit *j, struct pw_case *const *cases, const unsigned *lanes,
                    unsigned count, bool optimise, pw_function **functions) {
#if LLVM_VERSION_MAJOR < 22
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
    LLVMContextRef ctx = LLVMOrcThreadSafeContextGetContext(safe);
#else
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(ctx);
#endif
    LLVMModuleRef mod = LLVMModuleCreateWithNameInContext("pointwise", ctx);
    struct machine m = machine_of(j->level, 0);
    struct pw p = {.ctx = ctx, .mod = mod, .target = &m, .b = LLVMCreateBuilderInContext(ctx)};
    char name[32];
    LLVMSetTarget(mod, "x86_64-unknown-linux-gnu");
    char *layout = LLVMCopyStringRepOfTargetData(LLVMCreateTargetDataLayout(j->machine));
    LLVMSetDataLayout(mod, layout);
    LLVMDisposeMessage(layout);
    for (unsigned k = 0; k < count; k++) {
        snprintf(name, sizeof name, "f%u_%u", j->modules, k);
        functions[k] = define(&p, cases[k], lanes[k], name) ? (pw_function *)1 : NULL;
    }
    LLVMDisposeBuilder(p.b);
    finish_module(j, mod, optimise);
    LLVMOrcThreadSafeModuleRef tsm = LLVMOrcCreateNewThreadSafeModule(mod, safe);
    LLVMOrcDisposeThreadSafeContext(safe);
    check(LLVMOrcLLJITAddLLVMIRModule(j->jit, LLVMOrcLLJITGetMainJITDylib(j->jit), tsm));
    for (unsigned k = 0; k < count; k++) {
        LLVMOrcExecutorAddress address = 0;
        snprintf(name, sizeof name, "f%u_%u", j->modules, k);
        if (functions[k])
            check(LLVMOrcLLJITLookup(j->jit, &address, name));
        functions[k] = (pw_function *)address;
    }
    j->modules++;
}
