// The entry points of libnvJitLink.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <nvJitLink.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/handle_list.h"
#include "cc/processes/cc.h"
#include "nvjitlink/options.h"
#include "support/memory.h"
#include "support/whole_file.h"

static const uint64_t MOST_FILE_BYTES = 1ull << 32;

struct nvJitLink {
    struct handle_node node;
    struct arena arena;
    struct tool_log log;
    struct device_linking linking;
    struct lto_options lto_options;
    lto_modules lto;
    const char *ptx; // the linked text; NULL: not linked
    size_t ptx_size; // with the NUL
    void *cubin;
    size_t cubin_size;
    bool no_memory; // all of it is gone
};

static char folder[PATH_MAX]; // of the library

// Now, since a relative path means something only until the program changes its directory.
__attribute__((constructor)) static void find_folder(void) {
    Dl_info info;
    if (!dladdr(folder, &info) || !realpath(info.dli_fname, folder))
        folder[0] = 0;
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
}

static struct handle_list handles = {PTHREAD_MUTEX_INITIALIZER, NULL};

#define CHECK_HANDLE(handle)                                                                       \
    do {                                                                                           \
        if (!(handle))                                                                             \
            return NVJITLINK_ERROR_NULL_INPUT;                                                     \
        if (!handle_list_has(&handles, handle))                                                    \
            return NVJITLINK_ERROR_INVALID_INPUT;                                                  \
    } while (0)

// ---- Work -------------------------------------------------------------------------------------

struct call {
    struct nvJitLink *link;
    nvJitLinkResult result;
    uint32_t n;
    const char *const *options;
    nvJitLinkInputType type;
    const void *data;
    size_t size;
    const char *name;
};

static void undo(void *arg) {
    cc_capture_messages(NULL);
}

// Memory that runs out takes all with it that the handle had.
static nvJitLinkResult run(void (*work)(void *), struct call *c) {
    if (c->link->no_memory)
        return NVJITLINK_ERROR_INTERNAL;
    if (memory_scope_run(work, undo, c))
        return c->result;
    struct handle_node node = c->link->node;
    *c->link = (struct nvJitLink){.node = node, .no_memory = true};
    return NVJITLINK_ERROR_INTERNAL;
}

static void create(void *arg) {
    struct call *c = arg;
    if (nvjitlink_options_read(&c->link->linking, &c->link->lto_options, c->n, c->options,
                               &c->result))
        c->result = NVJITLINK_SUCCESS;
}

static bool begins_with(const struct call *c, const char *magic, size_t n) {
    return c->size >= n && !memcmp(c->data, magic, n);
}

// Whether the data are what they are said to be.
static bool is_of_type(const struct call *c) {
    bool elf = begins_with(c, "\177ELF", 4), container = begins_with(c, "\x50\xED\x55\xBA", 4);
    bool archive = begins_with(c, "!<arch>\n", 8) || begins_with(c, "!<thin>\n", 8);
    switch (c->type) {
    case NVJITLINK_INPUT_PTX:
        return !elf && !container && !archive;
    case NVJITLINK_INPUT_CUBIN: // NVRTC's are containers
    case NVJITLINK_INPUT_FATBIN:
        return elf || container;
    case NVJITLINK_INPUT_OBJECT:
        return elf;
    case NVJITLINK_INPUT_LIBRARY:
        return archive;
    default:
        return true;
    }
}

static void add(void *arg) {
    struct call *c = arg;
    struct device_linking *l = &c->link->linking;
    enum device_linking_result r;
    c->result = NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    if (!is_of_type(c)) {
        tool_say(l->log, TOOL_FATAL, NULL, 0, "'%s' is not of the type that it is added as",
                 c->name);
        return;
    }
    r = device_linking_add(l, c->name, c->data, c->size);
    c->result = r == DEVICE_LINKING_OK ? NVJITLINK_SUCCESS
                : r == DEVICE_LINKING_BAD_PTX || c->type == NVJITLINK_INPUT_PTX
                    ? NVJITLINK_ERROR_PTX_COMPILE
                    : NVJITLINK_ERROR_INVALID_INPUT;
}

static void add_lto(void *arg) {
    struct call *c = arg;
    struct nvJitLink *l = c->link;
    c->result = NVJITLINK_ERROR_LTO_NOT_ENABLED;
    if (!l->lto_options.enabled) {
        tool_say(&l->log, TOOL_FATAL, NULL, 0, "'%s' is LTO code, and -lto is not given", c->name);
        return;
    }
    c->result = NVJITLINK_SUCCESS;
    if (lto_add(&l->arena, &l->lto, c->name, c->data, c->size))
        return;
    c->result = NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    tool_say(&l->log, TOOL_FATAL, NULL, 0,
             "'%s' is not LTO code of kudzu's libnvvm; NVIDIA's form has no public description and "
             "cannot be read",
             c->name);
}

static bool compile_lto(struct nvJitLink *l) {
    struct strbuf ptx = {0}, log = {0};
    cc_capture_messages(&log);
    bool ok = lto_compile(&l->arena, &l->lto, &l->lto_options, l->linking.options.target, folder,
                          &ptx, &log);
    cc_capture_messages(NULL);
    if (!ok) {
        tool_say(&l->log, TOOL_FATAL, NULL, 0, "LTO code cannot be compiled");
        tool_say_lines(&l->log, TOOL_FATAL, strbuf_str(&log));
    }
    ok = ok && !device_linking_add(&l->linking, "LTO code", strbuf_str(&ptx), ptx.len);
    strbuf_free(&ptx);
    strbuf_free(&log);
    return ok;
}

// A link of nothing is an image without kernels.
static bool link_texts(struct nvJitLink *l, const char **text, size_t *size) {
    struct target t;
    if (l->linking.texts.len || !target_find(l->linking.options.target, &t))
        return device_linking_text(&l->linking, text, size);
    *text = arena_printf(&l->arena, ".version 8.0\n.target sm_%u\n.address_size 64\n", t.number);
    *size = strlen(*text);
    return true;
}

static void complete(void *arg) {
    struct call *c = arg;
    struct nvJitLink *l = c->link;
    const char *text;
    size_t size;
    c->result = NVJITLINK_ERROR_NVVM_COMPILE;
    if (!l->log.failed && l->lto.len && !compile_lto(l))
        return;
    c->result = NVJITLINK_ERROR_INVALID_INPUT;
    if (l->log.failed || !link_texts(l, &text, &size))
        return;
    c->result = NVJITLINK_ERROR_INTERNAL;
    struct ptx_text linked = {"linked PTX", text, size};
    if (!assemble(&l->arena, &l->linking.options, &l->log, &linked, &l->cubin, &l->cubin_size))
        return;
    l->ptx = text;
    l->ptx_size = size + 1;
    c->result = NVJITLINK_SUCCESS;
}

// ---- Entry points -----------------------------------------------------------------------------

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t numOptions,
                                const char **options) {
    if (!handle || (numOptions && !options))
        return NVJITLINK_ERROR_NULL_INPUT;
    struct nvJitLink *l = *handle = calloc(1, sizeof *l);
    if (!l)
        return NVJITLINK_ERROR_INTERNAL;
    l->log.tool = "nvlink";
    l->linking.arena = &l->arena;
    l->linking.log = &l->log;
    handle_list_add(&handles, &l->node);
    struct call c = {.link = l, .n = numOptions, .options = options};
    return run(create, &c);
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle) {
    if (!handle || !*handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    struct nvJitLink *l = *handle;
    if (!handle_list_remove(&handles, l))
        return NVJITLINK_ERROR_INVALID_INPUT;
    arena_free(&l->arena);
    tool_log_free(&l->log);
    free(l->cubin);
    free(l);
    *handle = NULL;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult add_input(struct call *c) {
    struct tool_log *log = &c->link->log;
    if (c->link->ptx) {
        tool_say(log, TOOL_FATAL, NULL, 0, "the link is complete: nothing can be added");
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    if (c->type == NVJITLINK_INPUT_INDEX) {
        tool_say(log, TOOL_FATAL, NULL, 0, "'%s': indices of libraries cannot be read", c->name);
        return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    }
    if (c->type < NVJITLINK_INPUT_CUBIN ||
        (c->type > NVJITLINK_INPUT_INDEX && c->type != NVJITLINK_INPUT_ANY)) {
        tool_say(log, TOOL_FATAL, NULL, 0, "%d is no type of input", (int)c->type);
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    bool lto = c->type == NVJITLINK_INPUT_LTOIR ||
               (c->type == NVJITLINK_INPUT_ANY && lto_is(c->data, c->size));
    return run(lto ? add_lto : add, c);
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType inputType,
                                 const void *data, size_t size, const char *name) {
    CHECK_HANDLE(handle);
    if (!data || !size)
        return NVJITLINK_ERROR_NULL_INPUT;
    struct call c = {.link = handle,
                     .type = inputType,
                     .data = data,
                     .size = size,
                     .name = name ? name : "<input>"};
    return add_input(&c);
}

nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType inputType,
                                 const char *fileName) {
    CHECK_HANDLE(handle);
    if (!fileName)
        return NVJITLINK_ERROR_NULL_INPUT;
    struct call c = {.link = handle, .type = inputType, .name = fileName};
    struct whole_file f;
    if (!whole_file_read(&f, fileName, WHOLE_FILE_PIPES, MOST_FILE_BYTES)) {
        tool_say(&handle->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", fileName,
                 f.why);
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    c.data = f.data;
    c.size = f.size;
    nvJitLinkResult result = add_input(&c);
    free(f.data);
    return result;
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
    CHECK_HANDLE(handle);
    struct call c = {.link = handle};
    return handle->ptx ? NVJITLINK_ERROR_INVALID_INPUT : run(complete, &c);
}

static nvJitLinkResult give_size(bool there, size_t n, size_t *size) {
    if (!size)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (!there)
        return NVJITLINK_ERROR_INVALID_INPUT;
    *size = n;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult give(const void *data, size_t n, void *out) {
    if (!out)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (!data)
        return NVJITLINK_ERROR_INVALID_INPUT;
    memcpy(out, data, n);
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size) {
    CHECK_HANDLE(handle);
    return give_size(handle->cubin, handle->cubin_size, size);
}

nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin) {
    CHECK_HANDLE(handle);
    return give(handle->cubin, handle->cubin_size, cubin);
}

nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size) {
    CHECK_HANDLE(handle);
    return give_size(handle->ptx, handle->ptx_size, size);
}

nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx) {
    CHECK_HANDLE(handle);
    return give(handle->ptx, handle->ptx_size, ptx);
}

nvJitLinkResult nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle, size_t *size) {
    CHECK_HANDLE(handle);
    return size ? NVJITLINK_ERROR_LTO_NOT_ENABLED : NVJITLINK_ERROR_NULL_INPUT;
}

nvJitLinkResult nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void *ltoir) {
    CHECK_HANDLE(handle);
    return ltoir ? NVJITLINK_ERROR_LTO_NOT_ENABLED : NVJITLINK_ERROR_NULL_INPUT;
}

nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size) {
    CHECK_HANDLE(handle);
    return give_size(true, handle->log.errors.len + 1, size);
}

nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log) {
    CHECK_HANDLE(handle);
    return give(strbuf_str(&handle->log.errors), handle->log.errors.len + 1, log);
}

nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size) {
    CHECK_HANDLE(handle);
    return give_size(true, handle->log.info.len + 1, size);
}

nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log) {
    CHECK_HANDLE(handle);
    return give(strbuf_str(&handle->log.info), handle->log.info.len + 1, log);
}

nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor) {
    if (!major || !minor)
        return NVJITLINK_ERROR_NULL_INPUT;
    *major = NVJITLINK_MAJOR;
    *minor = NVJITLINK_MINOR;
    return NVJITLINK_SUCCESS;
}
