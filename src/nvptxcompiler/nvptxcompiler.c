// The entry points of libnvptxcompiler_static.a.
#include <nvPTXCompiler.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/handle_list.h"
#include "assembler/ptxas_options.h"
#include "cc/processes/cc.h"
#include "ptx/ast.h"
#include "support/memory.h"

struct nvPTXCompiler {
    struct handle_node node;
    struct ptx_text text;
    struct tool_log log;
    void *image; // NULL: not compiled
    size_t image_size;
};

static struct handle_list handles = {PTHREAD_MUTEX_INITIALIZER, NULL};

#define CHECK_HANDLE(handle)                                                                       \
    do {                                                                                           \
        if (!handle_list_has(&handles, handle))                                                    \
            return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;                                     \
    } while (0)

nvPTXCompileResult nvPTXCompilerGetVersion(unsigned int *major, unsigned int *minor) {
    if (!major || !minor)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    *major = 12;
    *minor = 9;
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerCreate(nvPTXCompilerHandle *compiler, size_t ptxCodeLen,
                                       const char *ptxCode) {
    if (!compiler || !ptxCode)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    struct nvPTXCompiler *c = calloc(1, sizeof *c);
    char *copy = malloc(ptxCodeLen + 1);
    if (!c || !copy) {
        free(c);
        free(copy);
        return NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, ptxCode, ptxCodeLen);
    copy[ptxCodeLen] = 0;
    c->text = (struct ptx_text){"application ptx input", copy, strlen(copy)};
    handle_list_add(&handles, &c->node);
    *compiler = c;
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerDestroy(nvPTXCompilerHandle *compiler) {
    struct nvPTXCompiler *c = compiler ? *compiler : NULL;
    if (!handle_list_remove(&handles, c))
        return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
    free((void *)c->text.text);
    free(c->image);
    tool_log_free(&c->log);
    free(c);
    *compiler = NULL;
    return NVPTXCOMPILE_SUCCESS;
}

struct compilation {
    struct nvPTXCompiler *compiler;
    struct arena arena;
    int n;
    const char *const *options;
    nvPTXCompileResult result;
};

static void compile(void *arg) {
    struct compilation *c = arg;
    struct tool_log *log = &c->compiler->log;
    struct ptxas_options o;
    c->result = NVPTXCOMPILE_ERROR_COMPILATION_FAILURE;
    if (!ptxas_options_read(&c->arena, log, c->n, c->options, &o))
        return;
    if (o.inputs.len || !o.assembler.target || o.assembler.native_levels) {
        tool_say(log, TOOL_FATAL, NULL, 0,
                 o.inputs.len         ? "'%s' is no option"
                 : o.assembler.target ? "--kudzu-native is no option of the library"
                                      : "--gpu-name is missing",
                 o.inputs.len ? o.inputs.data[0] : "");
        return;
    }
    if (assemble(&c->arena, &o.assembler, log, &c->compiler->text, &c->compiler->image,
                 &c->compiler->image_size))
        c->result = NVPTXCOMPILE_SUCCESS;
    else if (ptx_refused_version())
        c->result = NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION;
}

static void undo(void *arg) {
    cc_capture_messages(NULL);
}

nvPTXCompileResult nvPTXCompilerCompile(nvPTXCompilerHandle compiler, int numCompileOptions,
                                        const char *const *compileOptions) {
    CHECK_HANDLE(compiler);
    if (numCompileOptions < 0 || (numCompileOptions && !compileOptions))
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    for (int i = 0; i < numCompileOptions; i++)
        if (!compileOptions[i])
            return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    struct compilation c = {
        .compiler = compiler, .n = numCompileOptions, .options = compileOptions};
    tool_log_free(&compiler->log);
    free(compiler->image);
    compiler->log = (struct tool_log){.tool = "ptxas"};
    compiler->image = NULL;
    if (!memory_scope_run(compile, undo, &c)) {
        compiler->log = (struct tool_log){.tool = "ptxas"};
        return NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
    }
    arena_free(&c.arena);
    return c.result;
}

nvPTXCompileResult nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle compiler,
                                                       size_t *binaryImageSize) {
    CHECK_HANDLE(compiler);
    if (!binaryImageSize)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    if (!compiler->image)
        return NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE;
    *binaryImageSize = compiler->image_size;
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle compiler,
                                                   void *binaryImage) {
    CHECK_HANDLE(compiler);
    if (!binaryImage)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    if (!compiler->image)
        return NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE;
    memcpy(binaryImage, compiler->image, compiler->image_size);
    return NVPTXCOMPILE_SUCCESS;
}

static nvPTXCompileResult give_size(const struct strbuf *log, size_t *size) {
    if (!size)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    *size = log->len ? log->len + 1 : 0;
    return NVPTXCOMPILE_SUCCESS;
}

static nvPTXCompileResult give(const struct strbuf *log, char *out) {
    if (!out)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    if (log->len)
        memcpy(out, log->data, log->len + 1);
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle compiler,
                                                size_t *errorLogSize) {
    CHECK_HANDLE(compiler);
    return give_size(&compiler->log.errors, errorLogSize);
}

nvPTXCompileResult nvPTXCompilerGetErrorLog(nvPTXCompilerHandle compiler, char *errorLog) {
    CHECK_HANDLE(compiler);
    return give(&compiler->log.errors, errorLog);
}

nvPTXCompileResult nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle compiler, size_t *infoLogSize) {
    CHECK_HANDLE(compiler);
    return give_size(&compiler->log.info, infoLogSize);
}

nvPTXCompileResult nvPTXCompilerGetInfoLog(nvPTXCompilerHandle compiler, char *infoLog) {
    CHECK_HANDLE(compiler);
    return give(&compiler->log.info, infoLog);
}
