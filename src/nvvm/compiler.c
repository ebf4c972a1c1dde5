// kudzu-nvvm-compiler: NVVM IR to PTX, or to bitcode.
//
//     kudzu-nvvm-compiler <verify|ptx|bitcode> <sm_90> <flags> {<module|library> <name> <file>}...
//
// Flags, comma-separated: debug, optimize, ftz, prec-sqrt, prec-div, fma. What comes out goes to
// stdout (a line for verify), messages to stderr. The exit status is an nvvmResult, 1 where LLVM
// gave up.
//
// Steps: each module's text or bitcode is read, with the pointers and intrinsics of NVVM's dialect
// made LLVM's; the modules are joined, then with those libraries that define something they lack,
// whose functions become internal; LLVM optimises and writes the code.
#include <fcntl.h>
#include <nvvm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "cc/link/llvm_end.h"
#include "nvvm/compiler.h"
#include "nvvm/intrinsics.h"
#include "nvvm/ir_version.h"
#include "nvvm/opaque_pointers.h"

struct compiler {
    LLVMContextRef context;
    LLVMTargetMachineRef machine;
    const char *mode, *arch, *flags;
    LLVMModuleRef program; // NULL: no module yet
    LLVMModuleRef *libraries;
    int library_count;
    nvvmResult result;
};

static bool fail(struct compiler *c, nvvmResult result, const char *what, const char *name) {
    fprintf(stderr, "%s: error: %s\n", name, what);
    c->result = result;
    return false;
}

static bool has_flag(const struct compiler *c, const char *flag) {
    size_t n = strlen(flag);
    for (const char *p = c->flags; (p = strstr(p, flag)); p += n)
        if ((p == c->flags || p[-1] == ',') && p[n] == ',')
            return true;
    return false;
}

// ---- LLVM -----------------------------------------------------------------------------------

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *arg) {
    struct compiler *c = arg;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (severity != LLVMDSError && severity != LLVMDSWarning)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    fprintf(stderr, "%s: %s\n", severity == LLVMDSError ? "error" : "warning", text);
    LLVMDisposeMessage(text);
    if (severity == LLVMDSError)
        c->result = NVVM_ERROR_COMPILATION;
}

static void set_llvm_options(const struct compiler *c) {
    const char *options[] = {
        "kudzu-nvvm-compiler", has_flag(c, "fma") ? "-nvptx-fma-level=2" : "-nvptx-fma-level=0",
        has_flag(c, "prec-div") ? "-nvptx-prec-divf32=2" : "-nvptx-prec-divf32=1",
        has_flag(c, "prec-sqrt") ? "-nvptx-prec-sqrtf32=1" : "-nvptx-prec-sqrtf32=0"};
    LLVMParseCommandLineOptions((int)(sizeof options / sizeof options[0]), options, NULL);
}

static bool make_machine(struct compiler *c) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple("nvptx64-nvidia-cuda", &target, &message))
        return fail(c, NVVM_ERROR_COMPILATION, message, "LLVM");
    bool optimize = has_flag(c, "optimize");
    c->machine =
        LLVMCreateTargetMachine(target, "nvptx64-nvidia-cuda", c->arch, "+ptx85",
                                optimize ? LLVMCodeGenLevelAggressive : LLVMCodeGenLevelNone,
                                LLVMRelocDefault, LLVMCodeModelDefault);
    return c->machine || fail(c, NVVM_ERROR_COMPILATION, "no such architecture", c->arch);
}

// ---- Modules --------------------------------------------------------------------------------

static bool read_all(const char *path, struct strbuf *out) {
    char block[65536];
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
        strbuf_append(out, block, (size_t)n);
    if (fd >= 0)
        close(fd);
    return n == 0;
}

static bool is_bitcode(const struct strbuf *b) {
    return b->len >= 4 &&
           (!memcmp(b->data, "BC\xc0\xde", 4) || !memcmp(b->data, "\xde\xc0\x17\x0b", 4));
}

// LLVM's "NAME:LINE:COLUMN: error: WHAT" and the line of source, as NVIDIA's library words it; its
// columns begin at 0.
static void print_parse_error(const char *name, const char *message) {
    size_t n = strlen(name);
    unsigned line, column;
    int what = 0;
    if (!strncmp(message, name, n) &&
        sscanf(message + n, ":%u:%u: error: %n", &line, &column, &what) == 2 && what) {
        what += (int)n;
        fprintf(stderr, "%s (%u, %u): parse %.*s", name, line, column - 1,
                (int)strcspn(message + what, "\n"), message + what);
        return;
    }
    fputs(message, stderr);
    if (*message && message[strlen(message) - 1] != '\n')
        fputc('\n', stderr);
}

static bool parse(struct compiler *c, const char *name, const struct strbuf *text,
                  LLVMModuleRef *module) {
    char *message = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(strbuf_str(text), text->len, name);
    if (!LLVMParseIRInContext(c->context, buffer, module, &message))
        return true;
    print_parse_error(name, message);
    LLVMDisposeMessage(message);
    c->result = NVVM_ERROR_INVALID_IR;
    return false;
}

static unsigned metadata_number(LLVMValueRef node, unsigned i) {
    LLVMValueRef values[8];
    if (LLVMGetMDNodeNumOperands(node) > 8 || LLVMGetMDNodeNumOperands(node) <= i)
        return 0;
    LLVMGetMDNodeOperands(node, values);
    return values[i] && LLVMIsAConstantInt(values[i])
               ? (unsigned)LLVMConstIntGetZExtValue(values[i])
               : 0;
}

static bool check_version(struct compiler *c, const char *name, LLVMModuleRef module) {
    unsigned count = LLVMGetNamedMetadataNumOperands(module, "nvvmir.version");
    LLVMValueRef *nodes = calloc(count + 1, sizeof *nodes);
    if (!nodes)
        return fail(c, NVVM_ERROR_COMPILATION, "out of memory", name);
    LLVMGetNamedMetadataOperands(module, "nvvmir.version", nodes);
    bool ok = true;
    for (unsigned i = 0; i < count; ++i)
        ok &= metadata_number(nodes[i], 0) <= NVVM_IR_MAJOR &&
              metadata_number(nodes[i], 2) <= NVVM_IR_DEBUG_MAJOR;
    free(nodes);
    return ok || fail(c, NVVM_ERROR_IR_VERSION_MISMATCH, "the module is of a newer NVVM IR", name);
}

// What a compiler wrote into functions of the target that they were made for: with it they are not
// inlined into others.
static void forget_target(LLVMModuleRef module) {
    static const char *const keys[] = {"target-cpu", "target-features"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                             keys[i], (unsigned)strlen(keys[i]));
}

static bool read_module(struct compiler *c, const char *name, const char *path,
                        LLVMModuleRef *module) {
    struct strbuf given = {0}, text = {0};
    bool ok = read_all(path, &given) || fail(c, NVVM_ERROR_COMPILATION, "cannot be read", name);
    bool is_text = ok && !is_bitcode(&given);
    if (is_text)
        opaque_pointers_rewrite(strbuf_str(&given), given.len, &text);
    ok = ok && parse(c, name, is_text ? &text : &given, module);
    strbuf_free(&given);
    strbuf_free(&text);
    if (!ok)
        return false;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(c->machine);
    LLVMSetTarget(*module, "nvptx64-nvidia-cuda");
    forget_target(*module);
    LLVMSetModuleDataLayout(*module, layout);
    LLVMDisposeTargetData(layout);
    return true;
}

// ---- What NVVM IR means ---------------------------------------------------------------------

static unsigned attribute_kind(const char *name) {
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

// Functions that meet other threads (barriers, warp operations) are not marked in NVVM IR: what is
// not known is taken for one. LLVM takes the mark off where it sees that it is not.
static void mark_convergent(struct compiler *c, LLVMModuleRef module) {
    LLVMAttributeRef mark = LLVMCreateEnumAttribute(c->context, attribute_kind("convergent"), 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMGetIntrinsicID(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i) && !LLVMIsAFunction(LLVMGetCalledValue(i)))
                    LLVMAddCallSiteAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                             mark);
    }
}

static void drop_noinline_of(LLVMValueRef kernel) {
    unsigned noinline = attribute_kind("noinline");
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (!LLVMGetEnumAttributeAtIndex(kernel, at, noinline))
        return;
    size_t length;
    fprintf(stderr, "warning: overriding noinline attribute of kernel %s\n",
            LLVMGetValueName2(kernel, &length));
    LLVMRemoveEnumAttributeAtIndex(kernel, at, noinline);
}

// A kernel is called by nobody who could have it inlined. Since LLVM 20 a calling convention tells
// which are kernels, which readers make of the annotations.
static void drop_noinline(LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetFunctionCallConv(f) == LLVMPTXKernelCallConv)
            drop_noinline_of(f);
    unsigned count = LLVMGetNamedMetadataNumOperands(module, "nvvm.annotations");
    LLVMValueRef *nodes = calloc(count + 1, sizeof *nodes), values[64];
    if (!nodes)
        return;
    LLVMGetNamedMetadataOperands(module, "nvvm.annotations", nodes);
    for (unsigned i = 0; i < count; ++i) {
        unsigned n = LLVMGetMDNodeNumOperands(nodes[i]), length;
        if (n < 3 || n > 64)
            continue;
        LLVMGetMDNodeOperands(nodes[i], values);
        for (unsigned k = 1; values[0] && LLVMIsAFunction(values[0]) && k < n; k += 2) {
            const char *key = values[k] ? LLVMGetMDString(values[k], &length) : NULL;
            if (key && length == strlen("kernel") && memcmp(key, "kernel", length) == 0)
                drop_noinline_of(values[0]);
        }
    }
    free(nodes);
}

static void flush_subnormals(struct compiler *c) {
    static const char key[] = "denormal-fp-math-f32", value[] = "preserve-sign,preserve-sign";
    static const char reflected[] = "nvvm-reflect-ftz";
    LLVMAttributeRef mode =
        LLVMCreateStringAttribute(c->context, key, sizeof key - 1, value, sizeof value - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(c->program); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mode);
    LLVMValueRef one = LLVMConstInt(LLVMInt32TypeInContext(c->context), 1, false);
    LLVMAddModuleFlag(c->program, LLVMModuleFlagBehaviorOverride, reflected, sizeof reflected - 1,
                      LLVMValueAsMetadata(one));
}

// LLVM's option says nothing of its own intrinsic.
static void approximate_square_roots(struct compiler *c) {
    const char *name =
        has_flag(c, "ftz") ? "llvm.nvvm.sqrt.approx.ftz.f" : "llvm.nvvm.sqrt.approx.f";
    LLVMValueRef exact = LLVMGetNamedFunction(c->program, "llvm.sqrt.f32");
    if (!exact)
        return;
    LLVMTypeRef type = LLVMGlobalGetValueType(exact);
    LLVMValueRef chosen = LLVMGetNamedFunction(c->program, name);
    if (!chosen)
        chosen = LLVMAddFunction(c->program, name, type);
    LLVMReplaceAllUsesWith(exact, chosen);
}

// ---- Joining --------------------------------------------------------------------------------

static bool add_module(struct compiler *c, const char *name, const char *path) {
    LLVMModuleRef module;
    char *message = NULL;
    if (!read_module(c, name, path, &module) || !check_version(c, name, module))
        return false;
    if (!intrinsics_lower(module))
        return c->result = NVVM_ERROR_INVALID_IR, false;
    drop_noinline(module);
    mark_convergent(c, module);
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        return fail(c, NVVM_ERROR_INVALID_IR, message, name);
    LLVMDisposeMessage(message);
    if (!c->program) {
        c->program = module;
        return true;
    }
    return !LLVMLinkModules2(c->program, module) ||
           fail(c, NVVM_ERROR_COMPILATION, "the module does not fit those before it", name);
}

static bool add_library(struct compiler *c, const char *name, const char *path) {
    return read_module(c, name, path, &c->libraries[c->library_count]) && ++c->library_count;
}

// Whether the program lacks something that the library defines.
static bool is_needed(const struct compiler *c, LLVMModuleRef library) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->program); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f))
            continue;
        LLVMValueRef there = LLVMGetNamedFunction(library, LLVMGetValueName2(f, &n));
        if (there && !LLVMIsDeclaration(there))
            return true;
    }
    return false;
}

// What the program defines stays its own, and what it gets of the library nobody sees from outside.
static bool link_library(struct compiler *c, LLVMModuleRef library) {
    static const char key[] = "kudzu-library";
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef mark = LLVMCreateStringAttribute(c->context, key, sizeof key - 1, "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        LLVMValueRef here = LLVMGetNamedFunction(c->program, LLVMGetValueName2(f, &n));
        if (LLVMIsDeclaration(f))
            continue;
        if (here && !LLVMIsDeclaration(here))
            LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
        else
            LLVMAddAttributeAtIndex(f, at, mark);
    }
    if (LLVMLinkModules2(c->program, library))
        return fail(c, NVVM_ERROR_COMPILATION, "a library does not fit the modules", "link");
    for (LLVMValueRef f = LLVMGetFirstFunction(c->program); f; f = LLVMGetNextFunction(f))
        if (LLVMGetStringAttributeAtIndex(f, at, key, sizeof key - 1)) {
            LLVMRemoveStringAttributeAtIndex(f, at, key, sizeof key - 1);
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    return true;
}

static bool link_libraries(struct compiler *c) {
    for (int i = 0; i < c->library_count; ++i)
        if (is_needed(c, c->libraries[i]) && !link_library(c, c->libraries[i]))
            return false;
    return true;
}

// ---- Code -----------------------------------------------------------------------------------

static bool optimize(struct compiler *c) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    // As `kudzu cc` has it: packing bytes for GPUs' few operations on two of them costs more.
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    // The back end joins loads of neighbours whose alignment it is told; NVVM IR tells that of
    // single members, the variables and strides tell more.
    const char *passes =
        has_flag(c, "optimize")
            ? "globaldce,default<O3>,function(infer-address-spaces,infer-alignment)"
            : "globaldce,default<O0>";
    LLVMErrorRef error = LLVMRunPasses(c->program, passes, c->machine, options);
    LLVMDisposePassBuilderOptions(options);
    return !error || fail(c, NVVM_ERROR_COMPILATION, LLVMGetErrorMessage(error), "LLVM");
}

static bool put(struct compiler *c, const char *data, size_t size) {
    return (fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0) ||
           fail(c, NVVM_ERROR_COMPILATION, "the result cannot be written", "output");
}

static bool write_code(struct compiler *c) {
    LLVMMemoryBufferRef code;
    char *message = NULL;
    if (!strcmp(c->mode, "bitcode"))
        code = LLVMWriteBitcodeToMemoryBuffer(c->program);
    else if (LLVMTargetMachineEmitToMemoryBuffer(c->machine, c->program, LLVMAssemblyFile, &message,
                                                 &code))
        return fail(c, NVVM_ERROR_COMPILATION, message, "LLVM");
    return c->result == NVVM_SUCCESS && put(c, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
}

static bool run(struct compiler *c, char **modules, int count) {
    set_llvm_options(c);
    if (!make_machine(c))
        return false;
    for (int i = 0; i + 2 < count; i += 3)
        if (!(strcmp(modules[i], "library") ? add_module : add_library)(c, modules[i + 1],
                                                                        modules[i + 2]))
            return false;
    if (!c->program)
        return fail(c, NVVM_ERROR_NO_MODULE_IN_PROGRAM, "there is no module", "program");
    if (!strcmp(c->mode, "verify"))
        return put(c, "verified\n", strlen("verified\n"));
    if (!link_libraries(c))
        return false;
    if (has_flag(c, "ftz"))
        flush_subnormals(c);
    if (!has_flag(c, "prec-sqrt"))
        approximate_square_roots(c);
    return optimize(c) && write_code(c);
}

int nvvm_compiler(int argc, char **argv) {
    if (argc < 4) {
        fputs("kudzu-nvvm-compiler: <mode> <architecture> <flags> {<kind> <name> <file>}...\n",
              stderr);
        return NVVM_ERROR_INVALID_INPUT;
    }
    llvm_end_watch("NVVM IR");
    struct compiler c = {
        .context = LLVMContextCreate(), .mode = argv[1], .arch = argv[2], .flags = argv[3]};
    c.libraries = calloc((size_t)argc, sizeof *c.libraries);
    LLVMContextSetDiagnosticHandler(c.context, on_diagnostic, &c);
    bool ok = c.libraries && run(&c, argv + 4, argc - 4);
    fflush(NULL);
    // What LLVM holds goes with the process.
    _exit(ok ? NVVM_SUCCESS : c.result ? (int)c.result : NVVM_ERROR_COMPILATION);
}
