// Loading modules: choosing what to use of an image, and giving its variables memory.
#include "device/code/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/code/cache.h"
#include "device/code/jit_library.h"
#include "device/exec/runner.h"
#include "device/internal.h"
#include "device/reason.h"
#include "device/topology.h"
#include "image/cubin.h"
#include "image/ptx_target.h"
#include "support/capability.h"
#include "support/check/check_tools.h"
#include "support/environment.h"

enum { LOG_BYTES = 8192 };

// ---- The environment ----------------------------------------------------------------------

static bool is_1(const char *name, const char *general) {
    const char *s = environment_get(name);
    if (!s)
        s = environment_get(general); // the PTX variable overrides the general one
    return s && strcmp(s, "1") == 0;
}

static struct code_options read_options(void) {
    struct code_options o = {0};
    const char *width = environment_get("KUDZU_WIDTH"), *exec = environment_get("KUDZU_EXEC");
    o.width = width ? (uint32_t)strtoul(width, NULL, 10) : 0;
    if (o.width != 1 && o.width != 8 && o.width != 16 && o.width != 32)
        o.width = 0;
    const char *tier = environment_get("KUDZU_TIER");
    if (tier && strcmp(tier, "quick") == 0)
        o.tier = TIER_QUICK;
    else if (tier && strcmp(tier, "full") == 0)
        o.tier = TIER_FULL;
    o.stream_from = topology_cached_stores();
    o.interpret = exec && strcmp(exec, "interp") == 0;
    o.plan = exec && strcmp(exec, "plan") == 0;
    o.never_interpret = exec && strcmp(exec, "simd") == 0;
    o.no_native = is_1("CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT") || check_tools() || o.plan;
    o.no_compile = is_1("CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT");
    return o;
}

// ---- Reading the image --------------------------------------------------------------------

static void write_log(const struct kd_load_options *options, const char *text) {
    if (options && options->error_log && options->error_log_size)
        snprintf(options->error_log, options->error_log_size, "%s", text);
}

struct ptx_text *ptx_text_share(struct ptx_text *t) {
    atomic_fetch_add(&t->owners, 1);
    return t;
}

void ptx_text_release(struct ptx_text *t) {
    if (t && atomic_fetch_sub(&t->owners, 1) == 1)
        free(t);
}

// Does the text use a function of the device runtime, by either name, that begins so?
static bool calls_runtime(const char *ptx, size_t size, const char *function) {
    char names[2][48];
    snprintf(names[0], sizeof names[0], "cuda%s", function);
    snprintf(names[1], sizeof names[1], "__cudaCDP2%s", function);
    return memmem(ptx, size, names[0], strlen(names[0])) ||
           memmem(ptx, size, names[1], strlen(names[1]));
}

static enum kd_status keep_ptx(struct kd_module *m, const char *ptx, size_t size) {
    size = strnlen(ptx, size);
    struct ptx_text *t = malloc(sizeof *t + size + 1);
    if (!t)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a module's PTX");
    atomic_init(&t->owners, 1);
    t->size = size;
    memcpy(t->bytes, ptx, size);
    t->bytes[size] = 0;
    m->text = t;
    m->ptx = t->bytes;
    m->ptx_size = size;
    m->launches = memmem(ptx, size, "LaunchDevice", strlen("LaunchDevice")) != NULL;
    m->submits =
        check_tools() && (calls_runtime(ptx, size, "Memcpy") || calls_runtime(ptx, size, "Memset"));
    return KD_OK;
}

static void keep_native(struct kd_module *m, const void *data, size_t size, char *log) {
    if (m->options.no_native)
        return;
    m->native = kimg_native_open(data, size, log, LOG_BYTES);
    if (m->native && m->ptx &&
        kimg_native_ptx_hash(m->native) != kimg_ptx_hash(m->ptx, m->ptx_size)) {
        kimg_native_close(m->native);
        m->native = NULL;
    }
}

static enum kd_status read_container(struct kd_module *m, const void *image, size_t size,
                                     char *log) {
    struct kimg_entry ptx, native;
    const struct kd_properties *p = &m->context->device->properties;
    uint32_t capability = p->capability->number;
    if (kimg_best_ptx(image, size, capability, p->lenient, &ptx, log, LOG_BYTES)) {
        enum kd_status status = keep_ptx(m, ptx.data, ptx.size);
        if (status)
            return status;
    } else if (log[0]) {
        return kd_fail(KD_INVALID_IMAGE, "%s", log);
    }
    if (kimg_find_native(image, size, &native))
        keep_native(m, native.data, native.size, log);
    if (!m->ptx && !m->native)
        return kd_fail(KD_NO_BINARY,
                       "the image has neither PTX for compute capability %u.%u nor code for this "
                       "processor",
                       capability / 10, capability % 10);
    return KD_OK;
}

// A text that a GPU of the chosen capability would not take. What is no PTX is left to the parser.
static enum kd_status check_target(const struct kd_module *m) {
    const struct kd_properties *p = &m->context->device->properties;
    struct ptx_target t;
    if (p->lenient || !ptx_target_read(m->ptx, m->ptx_size, &t) ||
        ptx_target_runs(t, p->capability->number))
        return KD_OK;
    return kd_fail(KD_INVALID_PTX, "PTX for sm_%u%.1s does not run on compute capability %u.%u",
                   t.sm, &t.features, p->capability->number / 10, p->capability->number % 10);
}

static bool is_wrapper(const void *image, size_t size) {
    uint32_t magic;
    if (size && size < sizeof(struct kimg_wrapper))
        return false;
    memcpy(&magic, image, sizeof magic);
    return magic == KIMG_WRAPPER_MAGIC;
}

// PTX is text: the first bytes decide.
static bool is_text(const char *p, size_t size) {
    size_t n = size ? size : 4;
    for (size_t i = 0; i < n && i < 4 && p[i]; i++)
        if ((unsigned char)p[i] < 9 || ((unsigned char)p[i] > 13 && (unsigned char)p[i] < 32) ||
            (unsigned char)p[i] > 126)
            return false;
    return p[0] != 0;
}

static enum kd_status read_cubin(struct kd_module *m, const void *image, size_t size, char *log) {
    size_t bytes;
    bool foreign;
    const void *container = cubin_container(image, size, &bytes, &foreign, log, LOG_BYTES);
    if (!container)
        return kd_fail(foreign ? KD_NO_BINARY : KD_INVALID_IMAGE, "%s", log);
    return read_container(m, container, bytes, log);
}

static enum kd_status read_image(struct kd_module *m, const void *image, size_t size, char *log) {
    // A native image begins with letters, too.
    if (is_text(image, size) && !kimg_is_native(image, size))
        return keep_ptx(m, image, size ? size : strlen(image));
    // Of an image without size not even four bytes may be there; no magic number has a NUL.
    if (!size && strnlen(image, 4) < 4)
        return kd_fail(KD_INVALID_IMAGE, "the image is empty, or neither PTX nor a device image");
    if (is_wrapper(image, size)) {
        struct kimg_wrapper w;
        memcpy(&w, image, sizeof w);
        image = w.data;
        size = 0;
        if (!image)
            return kd_fail(KD_INVALID_IMAGE, "the image's wrapper points to nothing");
    }
    if (kimg_is_container(image, size))
        return read_container(m, image, size, log);
    if (cubin_is_elf(image, size))
        return read_cubin(m, image, size, log);
    if (!kimg_is_native(image, size))
        return kd_fail(KD_INVALID_IMAGE, "the image is neither PTX nor a device image of kudzu");
    m->native = kimg_native_open(image, size, log, LOG_BYTES);
    return m->native ? KD_OK : kd_fail(KD_INVALID_IMAGE, "%s", log);
}

// ---- The compiler's module ----------------------------------------------------------------

void context_stop_code(struct kd_context *c) {
    pthread_mutex_lock(&c->modules_lock);
    for (struct kd_module *m = c->modules; m; m = m->next)
        for (uint32_t k = 0; k < m->info->nkernels; k++)
            kernel_stop(&m->kernels[k]);
    pthread_mutex_unlock(&c->modules_lock);
}

struct kj_module *module_jit(struct kd_module *m, char *log, size_t log_size,
                             enum kd_status *status) {
    const struct jit_library *lib = jit_library();
    if (!lib) {
        *status = KD_JIT_NOT_FOUND;
        return NULL;
    }
    pthread_mutex_lock(&m->jit_lock);
    if (!m->jit && m->ptx)
        m->jit = lib->module_load(m->ptx, m->ptx_size, log, log_size);
    struct kj_module *jit = m->jit;
    pthread_mutex_unlock(&m->jit_lock);
    if (!jit) {
        *status = m->ptx ? jit_library_failure(KD_INVALID_PTX) : KD_NO_BINARY;
        if (!m->ptx)
            snprintf(log, log_size, "the image has no PTX");
    }
    return jit;
}

// The description of a module that was loaded before, so that a program whose code is in the cache
// starts without the compiler. It is kept in the form of a native image without code.
static bool info_from_cache(struct kd_module *m, const struct cache_key *key) {
    struct kd_code_info unused;
    void *data;
    size_t size;
    if (!cache_read(key, &unused, &data, &size))
        return false;
    m->description = kimg_native_open(data, size, NULL, 0);
    free(data);
    if (m->description)
        m->info = kimg_native_info(m->description);
    return m->description != NULL;
}

static void info_to_cache(const struct kd_module *m, const struct cache_key *key) {
    struct kd_code_info none = {.abi_version = KD_ABI_VERSION};
    void *data;
    size_t size;
    if (!kimg_native_build(m->info, NULL, 0, m->ptx, m->ptx_size, "", &data, &size))
        return;
    cache_write(key, &none, data, size);
    free(data);
}

static enum kd_status info_from_compiler(struct kd_module *m, char *log) {
    enum kd_status status = KD_OK;
    log[0] = 0;
    if (!module_jit(m, log, LOG_BYTES, &status)) {
        if (log[0])
            kd_fail(status, "%s", log);
        return status;
    }
    m->info = jit_library()->module_info(m->jit);
    return KD_OK;
}

static enum kd_status take_info(struct kd_module *m, char *log) {
    if (m->native) {
        m->info = kimg_native_info(m->native);
        return KD_OK;
    }
    if (m->options.no_compile)
        return kd_fail(KD_NO_BINARY, "the image has PTX only, and the environment forbids to "
                                     "compile it");
    const char *identity = jit_library_identity();
    if (!identity)
        return KD_JIT_NOT_FOUND;
    // No kernel's name holds a space.
    struct kd_spec any = {0};
    struct cache_key key = cache_key_of(m->ptx, m->ptx_size, "module description", &any, identity);
    if (info_from_cache(m, &key))
        return KD_OK;
    enum kd_status status = info_from_compiler(m, log);
    if (status == KD_OK)
        info_to_cache(m, &key);
    return status;
}

// ---- Variables ----------------------------------------------------------------------------

static enum kd_status create_var(struct kd_module *m, uint32_t i) {
    const struct kj_var *v = &m->info->vars[i];
    uint64_t ptr;
    if (v->is_extern)
        return kd_fail(KD_UNRESOLVED, "the module uses variable %s, which is defined nowhere",
                       v->name);
    enum kd_status status =
        memory_alloc(m->context, v->managed ? KD_MEMORY_MANAGED : KD_MEMORY_VARIABLE,
                     v->size ? v->size : 1, v->align ? v->align : 1, 0, true, &ptr);
    if (status)
        return status;
    m->vars[i] = (uint8_t *)ptr;
    if (v->init)
        memcpy(m->vars[i], v->init, v->size);
    else
        memset(m->vars[i], 0, v->size); // a slab's slot may have been used before
    return KD_OK;
}

static enum kd_status relocate_var(struct kd_module *m, uint32_t i) {
    const struct kj_var *v = &m->info->vars[i];
    for (uint32_t r = 0; r < v->nrelocs; r++) {
        const struct kj_reloc *x = &v->relocs[r];
        if ((x->size != 4 && x->size != 8) || x->offset > v->size ||
            v->size - x->offset < x->size || (x->var >= 0 && (uint32_t)x->var >= m->info->nvars))
            return kd_fail(KD_INVALID_IMAGE, "the initialiser of variable %s is damaged", v->name);
        uint64_t base = x->var >= 0 ? (uint64_t)m->vars[x->var] : (uint64_t)(uint32_t)x->func;
        uint64_t value = base + (uint64_t)x->addend;
        memcpy(m->vars[i] + x->offset, &value, x->size);
    }
    return KD_OK;
}

static enum kd_status create_vars(struct kd_module *m) {
    m->vars = calloc(m->info->nvars + 1, sizeof *m->vars);
    if (!m->vars)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a module's variables");
    enum kd_status status = KD_OK;
    for (uint32_t i = 0; i < m->info->nvars && !status; i++)
        status = create_var(m, i);
    for (uint32_t i = 0; i < m->info->nvars && !status; i++)
        status = relocate_var(m, i);
    return status;
}

static enum kd_status create_kernels(struct kd_module *m) {
    m->kernels = calloc(m->info->nkernels + 1, sizeof *m->kernels);
    if (!m->kernels)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a module's kernels");
    for (uint32_t i = 0; i < m->info->nkernels; i++)
        kernel_open(&m->kernels[i], m, i);
    return KD_OK;
}

// ---- Interface ----------------------------------------------------------------------------

// What stored a value or took memory may be told of when its module is gone.
static bool is_kept(const struct kd_module *m, uint32_t var) {
    return check_tools() && !strcmp(m->info->vars[var].name, KD_CHECK_SITES);
}

static void destroy(struct kd_module *m) {
    for (uint32_t i = 0; m->kernels && i < m->info->nkernels; i++)
        kernel_close(&m->kernels[i]);
    free(m->kernels);
    for (uint32_t i = 0; m->vars && i < m->info->nvars; i++)
        if (!is_kept(m, i))
            memory_free_locked((uint64_t)m->vars[i]);
    free(m->vars);
    if (m->jit)
        jit_library()->module_free(m->jit);
    kimg_native_close(m->native);
    kimg_native_close(m->description);
    ptx_text_release(m->text);
    pthread_mutex_destroy(&m->jit_lock);
    free(m);
}

static void link_module(struct kd_context *c, struct kd_module *m) {
    pthread_mutex_lock(&c->modules_lock);
    m->next = c->modules;
    if (m->next)
        m->next->prev = m;
    c->modules = m;
    pthread_mutex_unlock(&c->modules_lock);
}

static void unlink_module(struct kd_context *c, struct kd_module *m) {
    pthread_mutex_lock(&c->modules_lock);
    if (m->prev)
        m->prev->next = m->next;
    else
        c->modules = m->next;
    if (m->next)
        m->next->prev = m->prev;
    pthread_mutex_unlock(&c->modules_lock);
}

enum kd_status kd_module_load(struct kd_context *c, const void *image, size_t size,
                              const struct kd_load_options *options, struct kd_module **out) {
    if (!image)
        return kd_fail(KD_INVALID_VALUE, "no image to load");
    struct kd_module *m = calloc(1, sizeof *m);
    char *log = calloc(1, LOG_BYTES);
    if (!m || !log) {
        free(m);
        free(log);
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a module");
    }
    m->context = c;
    m->options = read_options();
    pthread_mutex_init(&m->jit_lock, NULL);
    fault_handlers_install();
    kd_context_flush_printf(c);
    enum kd_status status = read_image(m, image, size, log);
    if (!status && m->ptx)
        status = check_target(m);
    if (!status)
        status = take_info(m, log);
    if (!status)
        status = create_vars(m);
    if (!status)
        status = create_kernels(m);
    free(log);
    if (status) {
        write_log(options, kd_reason());
        destroy(m);
        return status;
    }
    link_module(c, m);
    *out = m;
    return kd_succeed();
}

void kd_module_retire(struct kd_module *m) {
    for (uint32_t i = 0; i < m->info->nvars; i++)
        memory_retire_locked((uint64_t)m->vars[i]);
}

bool kd_module_foreign(const struct kd_module *m) {
    bool foreign = false;
    for (uint32_t i = 0; i < m->info->nvars; i++)
        foreign |= kd_memory_foreign((uint64_t)m->vars[i]);
    return foreign;
}

void kd_module_free(struct kd_module *m) {
    if (!m)
        return;
    kd_context_flush_printf(m->context);
    unlink_module(m->context, m);
    destroy(m);
}

const struct kj_module_info *kd_module_info(const struct kd_module *m) {
    return m->info;
}

struct kd_kernel *kd_module_kernel(struct kd_module *m, const char *name) {
    for (uint32_t i = 0; i < m->info->nkernels; i++)
        if (strcmp(m->info->kernels[i].name, name) == 0)
            return &m->kernels[i];
    kd_fail(KD_NOT_FOUND, "the module has no kernel %s", name);
    return NULL;
}

struct kd_kernel *kd_module_kernel_at(struct kd_module *m, uint32_t index) {
    return index < m->info->nkernels ? &m->kernels[index] : NULL;
}

enum kd_status kd_module_var(struct kd_module *m, const char *name, uint64_t *ptr, uint64_t *size) {
    for (uint32_t i = 0; i < m->info->nvars; i++) {
        if (strcmp(m->info->vars[i].name, name))
            continue;
        if (ptr)
            *ptr = (uint64_t)m->vars[i];
        if (size)
            *size = m->info->vars[i].size;
        return kd_succeed();
    }
    return kd_fail(KD_NOT_FOUND, "the module has no variable %s", name);
}
