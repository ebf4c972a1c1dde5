// The entry points: they check what they are given, and keep the list of programs.
#include <stdlib.h>
#include <string.h>

#include "nvvm/ir_version.h"
#include "nvvm/program.h"
#include "support/library_path.h"
#include "support/memory.h"

static struct live_objects programs = LIVE_OBJECTS_INIT;

static bool is_program(const struct _nvvmProgram *p) {
    return live_objects_have(&programs, p);
}

// ---- About the library ----------------------------------------------------------------------

const char *nvvmGetErrorString(nvvmResult result) {
    static const char *const names[] = {
        "NVVM_SUCCESS",
        "NVVM_ERROR_OUT_OF_MEMORY",
        "NVVM_ERROR_PROGRAM_CREATION_FAILURE",
        "NVVM_ERROR_IR_VERSION_MISMATCH",
        "NVVM_ERROR_INVALID_INPUT",
        "NVVM_ERROR_INVALID_PROGRAM",
        "NVVM_ERROR_INVALID_IR",
        "NVVM_ERROR_INVALID_OPTION",
        "NVVM_ERROR_NO_MODULE_IN_PROGRAM",
        "NVVM_ERROR_COMPILATION",
        "NVVM_ERROR_CANCELLED",
    };
    size_t i = (size_t)result;
    return i < sizeof names / sizeof names[0] ? names[i] : "NVVM_ERROR unknown";
}

nvvmResult nvvmVersion(int *major, int *minor) {
    if (!major || !minor)
        return NVVM_ERROR_INVALID_INPUT;
    *major = 2;
    *minor = 0;
    return NVVM_SUCCESS;
}

nvvmResult nvvmIRVersion(int *majorIR, int *minorIR, int *majorDbg, int *minorDbg) {
    if (!majorIR || !minorIR || !majorDbg || !minorDbg)
        return NVVM_ERROR_INVALID_INPUT;
    *majorIR = NVVM_IR_MAJOR;
    *minorIR = 0;
    *majorDbg = NVVM_IR_DEBUG_MAJOR;
    *minorDbg = 2;
    return NVVM_SUCCESS;
}

nvvmResult nvvmLLVMVersion(const char *arch, int *major) {
    if (!arch || !major || strncmp(arch, "compute_", strlen("compute_")) != 0)
        return NVVM_ERROR_INVALID_INPUT;
    *major = 19;
    return NVVM_SUCCESS;
}

// ---- Programs -------------------------------------------------------------------------------

nvvmResult nvvmCreateProgram(nvvmProgram *prog) {
    if (!prog)
        return NVVM_ERROR_INVALID_INPUT;
    struct _nvvmProgram *p = calloc(1, sizeof *p);
    if (!p)
        return NVVM_ERROR_OUT_OF_MEMORY;
    live_objects_add(&programs, &p->live);
    *prog = p;
    return NVVM_SUCCESS;
}

nvvmResult nvvmDestroyProgram(nvvmProgram *prog) {
    if (!prog || !*prog || !live_objects_remove(&programs, *prog))
        return NVVM_ERROR_INVALID_PROGRAM;
    struct _nvvmProgram *p = *prog;
    strbuf_free(&p->log);
    strbuf_free(&p->result);
    arena_free(&p->arena);
    free(p);
    *prog = NULL;
    return NVVM_SUCCESS;
}

struct addition {
    struct _nvvmProgram *p;
    struct nvvm_module module;
};

static void copy_module(void *arg) {
    struct addition *a = arg;
    struct arena *arena = &a->p->arena;
    a->module.data = arena_memdup(arena, a->module.data, a->module.size);
    a->module.name = arena_strdup(arena, a->module.name ? a->module.name : "<unnamed>");
    vec_push(arena, &a->p->modules, a->module);
}

static nvvmResult add_module(nvvmProgram prog, const char *buffer, size_t size, const char *name,
                             bool lazy) {
    if (!is_program(prog))
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer || !size)
        return NVVM_ERROR_INVALID_INPUT;
    struct addition a = {prog, {.name = name, .data = buffer, .size = size, .lazy = lazy}};
    return memory_scope_run(copy_module, NULL, &a) ? NVVM_SUCCESS : NVVM_ERROR_OUT_OF_MEMORY;
}

nvvmResult nvvmAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size,
                                  const char *name) {
    return add_module(prog, buffer, size, name, false);
}

nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size,
                                      const char *name) {
    return add_module(prog, buffer, size, name, true);
}

static nvvmResult start(nvvmProgram prog, bool verify_only, int count, const char **options) {
    if (!is_program(prog))
        return NVVM_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options))
        return NVVM_ERROR_INVALID_INPUT;
    for (int i = 0; i < count; ++i)
        if (!options[i])
            return NVVM_ERROR_INVALID_INPUT;
    return nvvm_run(prog, library_path(), verify_only, count, options);
}

nvvmResult nvvmVerifyProgram(nvvmProgram prog, int numOptions, const char **options) {
    return start(prog, true, numOptions, options);
}

nvvmResult nvvmCompileProgram(nvvmProgram prog, int numOptions, const char **options) {
    return start(prog, false, numOptions, options);
}

// ---- What came out --------------------------------------------------------------------------

nvvmResult nvvmGetCompiledResultSize(nvvmProgram prog, size_t *bufferSizeRet) {
    if (!is_program(prog))
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!bufferSizeRet)
        return NVVM_ERROR_INVALID_INPUT;
    *bufferSizeRet = prog->result.len + !prog->is_lto;
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetCompiledResult(nvvmProgram prog, char *buffer) {
    if (!is_program(prog))
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer)
        return NVVM_ERROR_INVALID_INPUT;
    memcpy(buffer, strbuf_str(&prog->result), prog->result.len + !prog->is_lto);
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetProgramLogSize(nvvmProgram prog, size_t *bufferSizeRet) {
    if (!is_program(prog))
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!bufferSizeRet)
        return NVVM_ERROR_INVALID_INPUT;
    *bufferSizeRet = prog->log.len + 1;
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetProgramLog(nvvmProgram prog, char *buffer) {
    if (!is_program(prog))
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer)
        return NVVM_ERROR_INVALID_INPUT;
    memcpy(buffer, strbuf_str(&prog->log), prog->log.len + 1);
    return NVVM_SUCCESS;
}
