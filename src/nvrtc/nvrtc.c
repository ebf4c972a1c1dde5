// The entry points: they check what they are given, and keep the list of programs.
#include <stdlib.h>
#include <string.h>

#include "cc/options/architectures.h"
#include "nvrtc/program.h"
#include "nvrtc/version.h"
#include "support/library_path.h"
#include "support/memory.h"

static struct live_objects programs = LIVE_OBJECTS_INIT;

static bool is_program(const struct _nvrtcProgram *p) {
    return live_objects_have(&programs, p);
}

// ---- About the library ----------------------------------------------------------------------

const char *nvrtcGetErrorString(nvrtcResult result) {
    static const char *const names[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
        "NVRTC_ERROR_PCH_CREATE",
        "NVRTC_ERROR_CANCELLED",
        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
    };
    size_t i = (size_t)result;
    return i < sizeof names / sizeof names[0] ? names[i] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = nvrtc_major;
    *minor = nvrtc_minor;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs) {
    if (!numArchs)
        return NVRTC_ERROR_INVALID_INPUT;
    *numArchs = (int)architectures_numbers(nvrtc_cuda_version(), NULL);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs) {
    if (!supportedArchs)
        return NVRTC_ERROR_INVALID_INPUT;
    architectures_numbers(nvrtc_cuda_version(), supportedArchs);
    return NVRTC_SUCCESS;
}

// ---- Programs -------------------------------------------------------------------------------

struct creation {
    struct _nvrtcProgram *p;
    const char *src, *name;
    int headers;
    const char *const *texts, *const *names;
};

static void copy_source(void *arg) {
    const struct creation *c = arg;
    struct _nvrtcProgram *p = c->p;
    p->source = arena_strdup(&p->arena, c->src);
    p->name = arena_strdup(&p->arena, c->name && *c->name ? c->name : "default_program");
    for (int i = 0; i < c->headers; ++i) {
        struct rtc_text h = {arena_strdup(&p->arena, c->names[i]),
                             arena_strdup(&p->arena, c->texts[i])};
        vec_push(&p->arena, &p->headers, h);
    }
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name,
                               int numHeaders, const char *const *headers,
                               const char *const *includeNames) {
    if (!prog || !src || numHeaders < 0 || (numHeaders && (!headers || !includeNames)))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < numHeaders; ++i)
        if (!headers[i] || !includeNames[i])
            return NVRTC_ERROR_INVALID_INPUT;
    struct _nvrtcProgram *p = calloc(1, sizeof *p);
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    struct creation c = {p, src, name, numHeaders, headers, includeNames};
    if (!memory_scope_run(copy_source, NULL, &c)) {
        free(p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    live_objects_add(&programs, &p->live);
    *prog = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog) {
    if (!prog || !*prog || !live_objects_remove(&programs, *prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    struct _nvrtcProgram *p = *prog;
    strbuf_free(&p->log);
    strbuf_free(&p->ptx);
    strbuf_free(&p->lto_ir);
    free(p->cubin);
    arena_free(&p->arena);
    free(p);
    *prog = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (numOptions < 0 || (numOptions && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < numOptions; ++i)
        if (!options[i])
            return NVRTC_ERROR_INVALID_INPUT;
    return rtc_compile(prog, library_path(), numOptions, options);
}

nvrtcResult nvrtcSetFlowCallback(nvrtcProgram prog, int (*callback)(void *payload, void *reserved),
                                 void *payload) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!callback)
        return NVRTC_ERROR_INVALID_INPUT;
    prog->callback = callback;
    prog->payload = payload;
    return NVRTC_SUCCESS;
}

// ---- What came out --------------------------------------------------------------------------

// Both of the two calls for one kind of code: the size, or (out) the bytes.
static nvrtcResult get_code(nvrtcProgram prog, bool available, const void *data, size_t size,
                            size_t *size_out, char *out, bool wants_size) {
    if (!prog->compiled)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (wants_size ? !size_out : !out)
        return NVRTC_ERROR_INVALID_INPUT;
    if (wants_size)
        *size_out = available ? size : 0;
    else if (!available)
        return NVRTC_ERROR_INVALID_PROGRAM;
    else
        memcpy(out, data, size);
    return NVRTC_SUCCESS;
}

// With code for link time there is none, which is no error.
static size_t ptx_size(const struct _nvrtcProgram *p) {
    return p->lto_ir.len ? 0 : p->ptx.len + 1;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, true, NULL, ptx_size(prog), ptxSizeRet, NULL, true);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, true, strbuf_str(&prog->ptx), ptx_size(prog), NULL, ptx, false);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, prog->cubin, NULL, prog->cubin_size, cubinSizeRet, NULL, true);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, prog->cubin, prog->cubin, prog->cubin_size, NULL, cubin, false);
}

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, prog->lto_ir.len, NULL, prog->lto_ir.len, LTOIRSizeRet, NULL, true);
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, prog->lto_ir.len, strbuf_str(&prog->lto_ir), prog->lto_ir.len, NULL,
                    LTOIR, false);
}

nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *optixirSizeRet) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, false, NULL, 0, optixirSizeRet, NULL, true);
}

nvrtcResult nvrtcGetOptiXIR(nvrtcProgram prog, char *optixir) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return get_code(prog, false, NULL, 0, NULL, optixir, false);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!logSizeRet)
        return NVRTC_ERROR_INVALID_INPUT;
    *logSizeRet = prog->log.len + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!log)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(log, strbuf_str(&prog->log), prog->log.len + 1);
    return NVRTC_SUCCESS;
}

// ---- Names ----------------------------------------------------------------------------------

struct name_addition {
    nvrtcProgram prog;
    const char *expression;
};

static void add_name(void *arg) {
    const struct name_addition *a = arg;
    struct rtc_name n = {arena_strdup(&a->prog->arena, a->expression), NULL};
    vec_push(&a->prog->arena, &a->prog->names, n);
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name_expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (prog->attempted)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    struct name_addition a = {prog, name_expression};
    return memory_scope_run(add_name, NULL, &a) ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression,
                                const char **lowered_name) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name_expression || !lowered_name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!prog->compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (uint32_t i = 0; i < prog->names.len; ++i) {
        const struct rtc_name *n = &prog->names.data[i];
        if (!strcmp(n->expression, name_expression) && n->lowered) {
            *lowered_name = n->lowered;
            return NVRTC_SUCCESS;
        }
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// ---- Precompiled headers --------------------------------------------------------------------

static size_t pch_heap_size;

nvrtcResult nvrtcGetPCHHeapSize(size_t *ret) {
    if (!ret)
        return NVRTC_ERROR_INVALID_INPUT;
    *ret = __atomic_load_n(&pch_heap_size, __ATOMIC_RELAXED);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcSetPCHHeapSize(size_t size) {
    __atomic_store_n(&pch_heap_size, size, __ATOMIC_RELAXED);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram prog) {
    return is_program(prog) ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram prog, size_t *size) {
    if (!is_program(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!size)
        return NVRTC_ERROR_INVALID_INPUT;
    *size = 0;
    return NVRTC_SUCCESS;
}
