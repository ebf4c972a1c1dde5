// LLVM's part: verification, the pass pipeline, the object file.
#include <llvm-c/Analysis.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/core/state.h"
#include "codegen/llvm/abreast.h"
#include "codegen/llvm/cleared_lanes.h"
#include "codegen/llvm/cold.h"
#include "codegen/llvm/constant_loads.h"
#include "codegen/llvm/depth_first.h"
#include "codegen/llvm/inverse_tests.h"
#include "codegen/llvm/left_lanes.h"
#include "codegen/llvm/masked_adds.h"
#include "codegen/llvm/narrowed.h"
#include "codegen/llvm/one_test.h"
#include "codegen/llvm/outline.h"
#include "codegen/llvm/quick_masks.h"
#include "codegen/llvm/split_blocks.h"
#include "codegen/llvm/undefined.h"
#include "codegen/llvm/unread_stores.h"
#include "codegen/llvm/wide_masks.h"
#include "codegen/llvm_failure.h"
#include "codegen/llvm_memory.h"
#include "codegen/pipeline/optimize.h"
#include "support/debug.h"
#include "support/memory.h"
#include "support/stages.h"

static void init_llvm(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    // The order of the code generator is kept: in long stretches without branches (unrolled tiles
    // of matrices) LLVM's scheduler moves loads far ahead of their use until registers run out, and
    // the processors that run this code look ahead by themselves. Copies are not followed through
    // phis: LLVM 19 does not come back from some cycles of them (getNewSource calls itself).
    static const char *const options[] = {"kudzu", "-enable-misched=0", "-rewrite-phi-limit=1"};
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
}

static LLVMTargetMachineRef machine(const struct machine *m, bool quick, struct strbuf *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_llvm);
    LLVMTargetRef t;
    char *msg = NULL;
    if (LLVMGetTargetFromTriple(m->triple, &t, &msg)) {
        strbuf_printf(err, "LLVM has no target %s: %s\n", m->triple, msg);
        LLVMDisposeMessage(msg);
        return NULL;
    }
    return LLVMCreateTargetMachine(t, m->triple, m->cpu, m->features,
                                   quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault,
                                   LLVMRelocPIC, LLVMCodeModelSmall);
}

static void attribute(struct cg *c, LLVMValueRef f, const char *key, const char *value) {
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(c->ctx, key, (unsigned)strlen(key), value,
                                                      (unsigned)strlen(value)));
}

static void enum_attribute(struct cg *c, LLVMValueRef f, const char *name) {
    unsigned id = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(c->ctx, id, 0));
}

// Of SVE's registers: exactly so long. With that vectors of fixed length lie in them.
static void vector_length(struct cg *c, LLVMValueRef f) {
    static const char name[] = "vscale_range";
    uint64_t n = c->target.sve_granules;
    LLVMAddAttributeAtIndex(
        f, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(c->ctx, LLVMGetEnumAttributeKindForName(name, sizeof name - 1),
                                n << 32 | n));
}

// Kernels and their functions, not the small ones that they share.
static bool keeps_vectors(LLVMValueRef f) {
    size_t n;
    return LLVMGetLinkage(f) != LLVMInternalLinkage ||
           !strncmp(LLVMGetValueName2(f, &n), "kd_func_", 8);
}

// Kernels' stacks have room for frames up to this many bytes: of larger ones LLVM tells.
static const char LARGE_FRAME[] = "16384";
enum { LARGE_BYTES = 16384 };

static void set_attributes(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        attribute(c, f, "target-cpu", c->target.cpu);
        attribute(c, f, "tune-cpu", c->target.tune);
        attribute(c, f, "no-trapping-math", "true");
        attribute(c, f, "warn-stack-size", LARGE_FRAME);
        enum_attribute(c, f, "nounwind");
        // An address is a number: what a kernel adds to 0 may be a pointer, and 0 itself faults.
        enum_attribute(c, f, "null_pointer_is_valid");
        if (c->target.sve_granules)
            vector_length(c, f);
        if (c->target.family == MACHINE_ARM)
            continue;
        if (c->target.vector_bits == 512) {
            attribute(c, f, "prefer-vector-width", "512");
            attribute(c, f, "min-legal-vector-width", "512");
        }
        // Whether vectors will have to wait on the stack LLVM sees too late to align it for them:
        // then each of them would lie across two cache lines.
        bool wide = c->target.vector_bits > 128;
        if (wide && c->width > 1 && keeps_vectors(f))
            attribute(c, f, "stackrealign", "");
    }
}

#define BEFORE_COUNTING                                                                            \
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),"    \
    "cgscc(inline),"                                                                               \
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,"                                     \
    "instcombine<no-verify-fixpoint>,loop-simplify,lcssa,"
#define BEHIND_COUNTING "gvn,sccp,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),adce,"
#define AT_LAST "sink,instcombine<no-verify-fixpoint>,simplifycfg<sink-common-insts>),globaldce"
#define COUNTING "loop(indvars,loop-unroll-full),"

static const char pipeline[] =
    BEFORE_COUNTING "loop-mssa(loop-rotate,licm)," COUNTING BEHIND_COUNTING AT_LAST;
static const char pipeline_of_many_loops[] =
    BEFORE_COUNTING "loop-mssa(loop-rotate,licm)," BEHIND_COUNTING AT_LAST;

// Where a group takes few instructions, what is tested and counted for each group weighs as much as
// they do: tests that are the same for a block leave the loop over its groups, which is unrolled.
static const char pipeline_of_short_groups[] =
    BEFORE_COUNTING "loop-mssa(loop-rotate,licm,simple-loop-unswitch<nontrivial>),simplifycfg,"
                    "instcombine<no-verify-fixpoint>," COUNTING BEHIND_COUNTING
                    "loop-unroll<O3;partial;no-runtime>," AT_LAST;
enum { SHORT_GROUPS = 3000 }; // instructions of LLVM's

// Four words of a thread become a vector.
static const char thread_rows_pipeline[] =
    "function(slp-vectorizer,instcombine<no-verify-fixpoint>)";

// Variables become values; what is left over is little, and looking for it takes long.
static const char quick_pipeline[] = "function(sroa<modify-cfg>,early-cse,simplifycfg)";
static const char pipeline_with_variables[] = "function(early-cse,simplifycfg)";

// Behind what one_test.c makes: blocks that follow each other alone are joined.
static const char joining[] = "function(simplifycfg,adce)";

static const char *pipeline_for(const struct cg *c) {
    return c->keeps_variables                              ? pipeline_with_variables
           : c->quick                                      ? quick_pipeline
           : c->effort == CG_EFFORT_NO_COUNTING            ? pipeline_of_many_loops
           : cg_count_instructions(c->mod) <= SHORT_GROUPS ? pipeline_of_short_groups
                                                           : pipeline;
}

static bool run(struct cg *c, LLVMTargetMachineRef tm, const char *passes, struct strbuf *err) {
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(c->mod, passes, tm, o);
    LLVMDisposePassBuilderOptions(o);
    if (!e)
        return true;
    char *text = LLVMGetErrorMessage(e);
    strbuf_printf(err, "internal: LLVM passes: %s\n", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

// What LLVM has no passes for, in code that is to be good.
static bool improve(struct cg *c, LLVMTargetMachineRef tm, struct strbuf *err) {
    cg_drop_unread_stores(c);
    if (c->one_team && cg_test_once(c) && !run(c, tm, joining, err))
        return false;
    cg_sink_into_cold(c);
    cg_compute_abreast(c);
    if (c->one_team)
        cg_order_depth_first(c);
    cg_find_left_lanes(c);
    return true;
}

// AVX2: with SSE blends and masked accesses take more of masks than their signs, and elsewhere
// masks have registers of their own or LLVM does this by itself.
static bool keeps_masks_in_vectors(const struct cg *c) {
    return c->target.family == MACHINE_X86 && c->target.vector_bits >= 256 &&
           !c->target.mask_registers;
}

static bool last_passes(struct cg *c, LLVMTargetMachineRef tm, struct strbuf *err) {
    if (!c->quick && !improve(c, tm, err))
        return false;
    cg_outline_masked(c);
    if (!c->quick && c->target.mask_registers) {
        cg_mask_adds(c);
        cg_narrow_by_permutations(c);
        cg_clear_lanes(c);
    }
    cg_define_selected(c->mod);
    if (c->quick) {
        cg_invert_tests(c->mod, c->b);
        if (keeps_masks_in_vectors(c))
            cg_quick_masks(c);
        cg_load_constants(c);
        cg_split_blocks(c);
    } else {
        if (keeps_masks_in_vectors(c))
            cg_widen_masks(c);
        cg_load_many_constants(c);
    }
    set_attributes(c); // of the functions that this made
    return true;
}

static bool optimize(struct cg *c, LLVMTargetMachineRef tm, struct strbuf *err) {
    char *msg = NULL;
    LLVMTargetDataRef dl = LLVMCreateTargetDataLayout(tm);
    LLVMSetModuleDataLayout(c->mod, dl);
    LLVMDisposeTargetData(dl);
    LLVMSetTarget(c->mod, c->target.triple);
    set_attributes(c);
    if (debug_on("llvm"))
        LLVMDumpModule(c->mod);
    bool bad = LLVMVerifyModule(c->mod, LLVMReturnStatusAction, &msg);
    if (bad)
        strbuf_printf(err, "internal: generated LLVM IR is not valid: %s\n", msg);
    LLVMDisposeMessage(msg);
    stages_end("LLVM's verifier");
    if (!bad) {
        bad = !run(c, tm, pipeline_for(c), err);
        bad = bad || (c->thread_rows && !c->quick && !run(c, tm, thread_rows_pipeline, err));
        stages_end("LLVM's passes");
        bad = bad || !last_passes(c, tm, err);
        stages_end("last passes");
    }
    if (debug_on("llvmopt"))
        LLVMDumpModule(c->mod);
    return !bad;
}

// LLVM's C interface tells of a frame's size in a warning's text alone.
static void heed(LLVMDiagnosticInfoRef d, void *arg) {
    static const char size[] = "stack frame size (";
    struct cg *c = arg;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(d);
    if (severity > LLVMDSWarning)
        return;
    char *text = LLVMGetDiagInfoDescription(d), *at = strstr(text, size);
    if (severity == LLVMDSWarning && at) {
        c->large_frames += strtoull(at + strlen(size), NULL, 10);
    } else if (severity == LLVMDSError) {
        strbuf_printf(c->err, "internal: LLVM: %s\n", text);
        c->failed = true;
    }
    LLVMDisposeMessage(text);
}

void cg_heed_diagnostics(struct cg *c) {
    LLVMContextSetDiagnosticHandler(c->ctx, heed, c);
}

// What SVE's registers spill to is no part of the size that LLVM tells. Makes up for it: where
// functions begin `addvl x9, x9, #-n`, or `sp, sp`, takes n registers' length off the stack. Data
// that looks like it counts as well.
static void count_sve_spills(struct cg *c, const void *object, size_t size) {
    uint64_t bytes = 0;
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t word, to, from, n;
        memcpy(&word, (const char *)object + at, sizeof word);
        to = word & 31, n = word >> 5 & 63, from = word >> 16 & 31;
        if ((word & 0xffe0f800) == 0x04205000 && (to == from || from == 31) && n >= 32)
            bytes += (64 - n) * 16 * c->target.sve_granules;
    }
    c->large_frames += bytes > LARGE_BYTES ? bytes : 0;
}

static bool emit(struct cg *c, LLVMTargetMachineRef tm, LLVMCodeGenFileType kind, void **obj,
                 size_t *size, struct strbuf *err) {
    char *msg = NULL;
    LLVMMemoryBufferRef buf;
    c->large_frames = 0;
    llvm_failure_point();
    if (LLVMTargetMachineEmitToMemoryBuffer(tm, c->mod, kind, &msg, &buf)) {
        strbuf_printf(err, "internal: LLVM cannot emit code: %s\n", msg);
        LLVMDisposeMessage(msg);
        return false;
    }
    *size = LLVMGetBufferSize(buf);
    *obj = memory_calloc(1, *size + 1);
    if (*obj)
        memcpy(*obj, LLVMGetBufferStart(buf), *size);
    LLVMDisposeMemoryBuffer(buf);
    if (!*obj)
        memory_ran_out();
    if (c->target.sve_granules && kind == LLVMObjectFile)
        count_sve_spills(c, *obj, *size);
    return !c->failed;
}

static void print_assembly(struct cg *c, LLVMTargetMachineRef tm, struct strbuf *err) {
    // Emission changes the module: print a copy.
    struct cg copy = *c;
    void *text;
    size_t n;
    copy.mod = LLVMCloneModule(c->mod);
    if (emit(&copy, tm, LLVMAssemblyFile, &text, &n, err)) {
        fprintf(stderr, "%s", (char *)text);
        free(text);
    }
    LLVMDisposeModule(copy.mod);
}

// What LLVM needs, and for each instruction of the module. Measured: less than half of it all.
enum { LLVM_BASE_BYTES = 32 << 20, LLVM_INSTRUCTION_BYTES = 4 << 10 };

size_t cg_count_instructions(LLVMModuleRef m) {
    size_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                n++;
    return n;
}

bool cg_make_object(struct cg *c, void **obj, size_t *size, struct strbuf *err) {
    llvm_memory_reserve(LLVM_BASE_BYTES + LLVM_INSTRUCTION_BYTES * cg_count_instructions(c->mod));
    if (c->quick)
        c->target = machine_for_quick_code(&c->target);
    LLVMTargetMachineRef tm = c->machine = machine(&c->target, c->quick, err);
    if (!tm)
        return false;
    stages_end("target machine");
    bool ok = optimize(c, tm, err);
    if (ok && debug_on("asm"))
        print_assembly(c, tm, err);
    ok = ok && emit(c, tm, LLVMObjectFile, obj, size, err);
    stages_end("machine code");
    return ok;
}
