#include "device/code/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/code/better_code.h"
#include "device/code/cache.h"
#include "device/code/code_loader.h"
#include "device/code/jit_library.h"
#include "device/code/module.h"
#include "device/internal.h"
#include "device/reason.h"
#include "support/capability.h"
#include "support/debug.h"
#include "support/no_cancel.h"
#include "support/run_report.h"

enum { DEFAULT_SHARED = 48 << 10, MAX_THREADS = 1024, LOG_BYTES = 8192 };

void kernel_open(struct kd_kernel *k, struct kd_module *m, uint32_t index) {
    k->module = m;
    k->index = index;
    k->info = &m->info->kernels[index];
    k->max_dynamic =
        k->info->shared_static < DEFAULT_SHARED ? DEFAULT_SHARED - k->info->shared_static : 0;
    pthread_mutex_init(&k->lock, NULL);
}

static void free_better(const struct code *c) {
    if (c)
        code_unload(c->loaded);
    free((struct code *)c);
}

void kernel_close(struct kd_kernel *k) {
    better_code_forget(k);
    for (int i = 0; i < MAX_VARIANTS; i++) {
        struct variant *v = atomic_load(&k->variants[i]);
        if (!v)
            break;
        free_better(v->code.better);
        code_unload(v->code.loaded);
        free(v);
    }
    pthread_mutex_destroy(&k->lock);
}

static void stop_variants(struct kd_kernel *k) {
    k->stopped = true;
    for (int i = 0; i < MAX_VARIANTS; i++) {
        struct variant *v = atomic_load(&k->variants[i]);
        if (!v)
            break;
        code_stop(v->code.loaded);
        if (v->code.better)
            code_stop(v->code.better->loaded);
    }
}

void kernel_stop(struct kd_kernel *k) {
    better_code_locked(k, stop_variants);
}

// ---- Which specialisation -----------------------------------------------------------------

static bool exact(const struct kd_spec *s) {
    return s->ntid[0] != 0;
}

static bool same_shape(const struct kd_spec *a, const struct kd_spec *b) {
    return memcmp(a->ntid, b->ntid, sizeof a->ntid) == 0;
}

static bool params_aligned(const struct kj_kernel *info, const uint8_t *params) {
    uint64_t value, bad = 0;
    for (uint32_t i = 0; i < info->naligned; i++) {
        memcpy(&value, params + info->aligned[i].offset, sizeof value);
        bad |= value & (info->aligned[i].align - 1);
    }
    return info->naligned > 0 && bad == 0;
}

// What KD_SPEC_SMALL_GRID and KD_SPEC_STRIDES promise.
enum { MOST_THREADS = 1 << 30 };

// May the blocks of a grid-stride loop be followed by those a grid further on?
static bool strides(const struct kj_kernel *info, uint64_t threads, const uint8_t *params) {
    if (!info->nstride)
        return false;
    uint64_t n = kj_launch_number(info->stride, info->nstride, params);
    return n <= MOST_THREADS && n + threads <= MOST_THREADS;
}

struct kd_spec kernel_spec(const struct kd_kernel *k, const uint32_t grid[3],
                           const uint32_t block[3], const void *params) {
    struct kd_spec s = {.level = (uint32_t)k->module->context->device->properties.level};
    bool small = true;
    for (int i = 0; i < 3; i++) {
        s.ntid[i] = block[i];
        small &= (uint64_t)grid[i] * block[i] <= MOST_THREADS;
    }
    if (small)
        s.flags |= KD_SPEC_SMALL_GRID;
    if (block[0] % KD_WARP == 0)
        s.flags |= KD_SPEC_X_MULTIPLE_OF_32;
    if ((uint64_t)block[0] * block[1] * block[2] % KD_WARP == 0)
        s.flags |= KD_SPEC_FULL_WARPS;
    if (params && params_aligned(k->info, params))
        s.flags |= KD_SPEC_ALIGNED_PARAMS;
    if (small && params && strides(k->info, (uint64_t)grid[0] * block[0], params))
        s.flags |= KD_SPEC_STRIDES;
    s.width = k->module->options.width;
    return s;
}

static struct kd_spec any_shape(struct kd_spec s) {
    memset(s.ntid, 0, sizeof s.ntid);
    return s;
}

// ---- Variants -----------------------------------------------------------------------------

// No lock: entries are published whole and never change.
static const struct code *look_up(struct kd_kernel *k, const struct kd_spec *want) {
    const struct code *general = NULL;
    for (int i = 0; i < MAX_VARIANTS; i++) {
        struct variant *v = atomic_load_explicit(&k->variants[i], memory_order_acquire);
        if (!v)
            break;
        if (v->spec.flags != want->flags || v->spec.width != want->width)
            continue;
        if (same_shape(&v->spec, want))
            return code_now(&v->code);
        if (!exact(&v->spec))
            general = code_now(&v->code);
    }
    return general;
}

static struct variant *add(struct kd_kernel *k, const struct kd_spec *spec,
                           const struct code *code) {
    for (int i = 0; i < MAX_VARIANTS; i++) {
        if (atomic_load(&k->variants[i]))
            continue;
        struct variant *v = malloc(sizeof *v);
        if (!v)
            return NULL;
        v->spec = *spec;
        v->code = *code;
        atomic_store_explicit(&k->variants[i], v, memory_order_release);
        return v;
    }
    return NULL;
}

static bool shape_known(struct kd_kernel *k, const struct kd_spec *want) {
    for (int i = 0; i < MAX_VARIANTS; i++) {
        struct variant *v = atomic_load(&k->variants[i]);
        if (v && same_shape(&v->spec, want))
            return true;
    }
    return false;
}

bool kernel_add_code(struct kd_kernel *k, const struct code *code) {
    for (uint32_t flags = 0; flags < 8; flags++) {
        struct kd_spec s = {.flags = flags};
        if (!add(k, &s, code))
            return false;
    }
    return true;
}

// ---- Where code comes from ----------------------------------------------------------------

static bool code_from_object(struct kd_kernel *k, const void *obj, size_t size,
                             const struct kd_code_info *info, struct code *out, char *log) {
    *out = (struct code){.info = *info, .kernel = k->index};
    return code_load(obj, size, &out->loaded, &out->entry, log, LOG_BYTES);
}

static bool usable(const struct kimg_code *c, const struct kd_kernel *k,
                   const struct kd_spec *want) {
    return c->kernel == k->index && kd_level_contains(want->level, c->spec.level) &&
           (!exact(&c->spec) || same_shape(&c->spec, want)) &&
           (c->spec.flags & ~want->flags) == 0 && (!want->width || c->spec.width == want->width);
}

// More is better: level, then exact shape, then what is known.
static unsigned merit(const struct kimg_code *c) {
    return c->spec.level * 100u + exact(&c->spec) * 10u +
           (unsigned)__builtin_popcount(c->spec.flags);
}

static bool code_from_image(struct kd_kernel *k, const struct kd_spec *want, struct code *out,
                            struct kd_spec *spec, char *log) {
    const struct kimg_code *best = NULL;
    struct kimg_native *n = k->module->native;
    for (size_t i = 0; n && i < kimg_native_code_count(n); i++) {
        const struct kimg_code *c = kimg_native_code(n, i);
        if (usable(c, k, want) && (!best || merit(c) > merit(best)))
            best = c;
    }
    if (!best || !code_from_object(k, best->obj, best->obj_size, &best->info, out, log))
        return false;
    *spec = exact(&best->spec) ? *want : any_shape(*want);
    return true;
}

static bool code_from_cache(struct kd_kernel *k, const struct cache_key *key, struct code *out,
                            char *log) {
    struct kd_code_info info;
    void *obj;
    size_t size;
    if (!cache_read(key, &info, &obj, &size))
        return false;
    bool ok = code_from_object(k, obj, size, &info, out, log);
    out->from_cache = ok;
    free(obj);
    return ok;
}

static struct cache_key key_of(const struct kd_kernel *k, const struct kd_spec *spec,
                               const char *identity) {
    const struct kd_module *m = k->module;
    return cache_key_of(m->ptx, m->ptx_size, k->info->name, spec, identity);
}

// With KD_SPEC_QUICK in spec: quick code, or the full one when that is there or takes no longer.
static bool code_from_compiler(struct kd_kernel *k, const struct kd_spec *spec, struct code *out,
                               char *log, enum kd_status *status) {
    struct kd_module *m = k->module;
    const char *identity = jit_library_identity();
    struct kd_code_info info;
    struct kd_spec full = *spec;
    void *obj;
    size_t size;
    if (!identity) {
        *status = KD_JIT_NOT_FOUND;
        return false;
    }
    full.flags &= ~(uint32_t)(KD_SPEC_QUICK | KD_SPEC_ALWAYS_QUICK);
    bool quick = spec->flags & KD_SPEC_QUICK;
    struct cache_key key = key_of(k, spec, identity), full_key = key_of(k, &full, identity);
    if ((m->options.tier != TIER_QUICK && code_from_cache(k, &full_key, out, log)) ||
        (quick && code_from_cache(k, &key, out, log)))
        return true;
    struct kj_module *jit = module_jit(m, log, LOG_BYTES, status);
    const struct jit_library *lib = jit_library();
    if (jit && !lib->compile) {
        *status = KD_JIT_NOT_FOUND;
        snprintf(log, LOG_BYTES,
                 "the image has no code for this processor, and this build of kudzu has no "
                 "compiler; kudzu cc --kudzu-native puts code into the image");
        return false;
    }
    if (!jit)
        return false;
    if (!lib->compile(jit, k->index, spec, &obj, &size, &info, log, LOG_BYTES)) {
        *status = jit_library_failure(*status);
        return false;
    }
    bool ok = code_from_object(k, obj, size, &info, out, log);
    if (ok)
        cache_write(info.flags & KD_CODE_QUICK ? &key : &full_key, &info, obj, size);
    free(obj);
    return ok;
}

static bool code_from_interpreter(struct kd_kernel *k, struct code *out, char *log,
                                  enum kd_status *status) {
    const struct jit_library *lib = jit_library();
    struct kj_module *jit = lib ? module_jit(k->module, log, LOG_BYTES, status) : NULL;
    if (!lib)
        *status = KD_JIT_NOT_FOUND;
    if (!jit)
        return false;
    *out = (struct code){.info = {.abi_version = KD_ABI_VERSION,
                                  .mode = KD_MODE_INTERPRETER,
                                  .width = 1,
                                  .local_bytes = k->info->local_bytes,
                                  .recursive = 1,
                                  .flags = KD_CODE_MAY_WAIT | KD_CODE_DESCRIBES | KD_CODE_TRIGGERS |
                                           KD_CODE_GRID_WAITS},
                         .interpret =
                             (void (*)(void *, uint32_t, struct kd_block *))lib->interpret_block,
                         .module = jit,
                         .kernel = k->index};
    return true;
}

// The interpreter, in groups of lanes, as code for this shape would be planned.
static bool code_from_plan(struct kd_kernel *k, const struct kd_spec *want, struct code *out,
                           char *log, enum kd_status *status) {
    const struct jit_library *lib = jit_library();
    struct kd_spec spec = *want;
    if (!code_from_interpreter(k, out, log, status))
        return false;
    spec.flags &= ~(uint32_t)KD_SPEC_STRIDES; // each block runs for itself
    if (k->module->options.tier == TIER_QUICK)
        spec.flags |= KD_SPEC_QUICK | KD_SPEC_ALWAYS_QUICK;
    out->module = lib->plan_kernel && lib->interpret_plan
                      ? lib->plan_kernel(out->module, k->index, &spec, log, LOG_BYTES)
                      : NULL;
    out->interpret = (void (*)(void *, uint32_t, struct kd_block *))lib->interpret_plan;
    return out->module != NULL;
}

// ---- Policy -------------------------------------------------------------------------------

static bool make(struct kd_kernel *k, const struct kd_spec *want, struct code *out,
                 struct kd_spec *spec, char *log, enum kd_status *status) {
    *spec = any_shape(*want);
    if (k->module->options.interpret)
        return code_from_interpreter(k, out, log, status);
    if (k->module->options.plan && (k->shapes < EXACT_SHAPES || shape_known(k, want)))
        *spec = *want;
    if (k->module->options.plan)
        return code_from_plan(k, spec, out, log, status);
    if (code_from_image(k, want, out, spec, log))
        return true;
    if (!k->module->ptx || k->module->options.no_compile) {
        *status = KD_NO_BINARY;
        snprintf(log, LOG_BYTES,
                 "the image has no code for this processor and no PTX that may be "
                 "compiled");
        return false;
    }
    if (k->shapes < EXACT_SHAPES || shape_known(k, want))
        *spec = *want;
    struct kd_spec wanted = *spec;
    if (k->module->options.tier != TIER_FULL)
        wanted.flags |= KD_SPEC_QUICK;
    if (k->module->options.tier == TIER_QUICK)
        wanted.flags |= KD_SPEC_ALWAYS_QUICK;
    if (code_from_compiler(k, &wanted, out, log, status))
        return true;
    if (k->module->options.never_interpret || *status == KD_JIT_NOT_FOUND ||
        *status == KD_OUT_OF_MEMORY)
        return false;
    if (debug_on("launch"))
        fprintf(stderr, "kudzu: %s is interpreted: %s\n", k->info->name, log);
    kd_warn("kernel %s runs on the interpreter, which is slow, since it cannot be compiled: %s",
            k->info->name, log);
    *spec = any_shape(*want);
    return code_from_interpreter(k, out, log, status);
}

static const struct code *make_and_add(struct kd_kernel *k, const struct kd_spec *want,
                                       enum kd_status *status) {
    char *log = calloc(1, LOG_BYTES);
    struct code code;
    struct kd_spec spec;
    run_report_shape(k->info->name, want->ntid, want->flags);
    if (!log) {
        *status = kd_fail(KD_OUT_OF_MEMORY, "no memory to load kernel %s", k->info->name);
        return NULL;
    }
    *status = KD_INVALID_PTX;
    if (!make(k, want, &code, &spec, log, status)) {
        kd_fail(*status, "kernel %s: %s", k->info->name, log);
        free(log);
        return NULL;
    }
    free(log);
    bool new_shape = exact(&spec) && !shape_known(k, &spec);
    struct variant *v = add(k, &spec, &code);
    if (!v) {
        code_unload(code.loaded);
        *status = kd_fail(KD_OUT_OF_MEMORY, "no room for more code of kernel %s", k->info->name);
        return NULL;
    }
    k->shapes += new_shape;
    if ((code.info.flags & KD_CODE_QUICK) && k->module->options.tier == TIER_BOTH)
        better_code_want(k, v, &spec);
    *status = KD_OK;
    return &v->code;
}

bool kernel_has_code(struct kd_kernel *k, const uint32_t grid[3], const uint32_t block[3],
                     const void *params) {
    struct kd_spec want = kernel_spec(k, grid, block, params);
    return look_up(k, &want) != NULL;
}

const struct code *kernel_code(struct kd_kernel *k, const uint32_t grid[3], const uint32_t block[3],
                               const void *params, enum kd_status *status) {
    struct kd_spec want = kernel_spec(k, grid, block, params);
    const struct code *c = look_up(k, &want);
    *status = KD_OK;
    if (c)
        return c;
    NO_CANCEL();
    do {
        pthread_mutex_lock(&k->lock);
        jit_library_try();
        c = look_up(k, &want); // another thread may have made it meanwhile
        if (!c)
            c = make_and_add(k, &want, status);
        pthread_mutex_unlock(&k->lock);
    } while (jit_library_wanted() && !c);
    // What a kernel launches is compiled while it runs, perhaps by this thread, but on a kernel's
    // stack, where nothing can be loaded.
    if (c && k->info->launches)
        jit_library();
    return c;
}

// ---- Attributes ---------------------------------------------------------------------------

const struct kj_kernel *kd_kernel_info(const struct kd_kernel *k) {
    return k->info;
}

struct kd_module *kd_kernel_module(const struct kd_kernel *k) {
    return k->module;
}

uint32_t kd_kernel_max_threads(const struct kd_kernel *k) {
    const uint32_t *n = k->info->reqntid[0] ? k->info->reqntid : k->info->maxntid;
    if (!n[0])
        return MAX_THREADS;
    uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
    return threads < MAX_THREADS ? (uint32_t)threads : MAX_THREADS;
}

enum kd_status kd_kernel_set_max_dynamic_shared(struct kd_kernel *k, uint32_t bytes) {
    uint32_t most = k->module->context->device->properties.capability->max_shared_block;
    if (k->info->shared_static > most || bytes > most - k->info->shared_static)
        return kd_fail(KD_INVALID_VALUE,
                       "%u bytes of dynamic and %u of static shared memory are more than the %u "
                       "that a block can have",
                       bytes, k->info->shared_static, most);
    __atomic_store_n(&k->max_dynamic, bytes, __ATOMIC_RELAXED);
    return kd_succeed();
}

uint32_t kd_kernel_max_dynamic_shared(const struct kd_kernel *k) {
    return __atomic_load_n(&k->max_dynamic, __ATOMIC_RELAXED);
}

uint32_t kd_kernel_cluster(const struct kd_kernel *k, unsigned axis) {
    if (k->info->cluster[0])
        return k->info->cluster[axis] ? k->info->cluster[axis] : 1;
    return __atomic_load_n(&k->cluster[axis], __ATOMIC_RELAXED);
}

// Directions that nobody sets have one block.
void kd_kernel_set_cluster(struct kd_kernel *k, unsigned axis, uint32_t blocks) {
    for (unsigned i = 3; i--;) // the first one tells that there is a shape
        if (i == axis || !__atomic_load_n(&k->cluster[i], __ATOMIC_RELAXED))
            __atomic_store_n(&k->cluster[i], i == axis ? blocks : 1, __ATOMIC_RELAXED);
}

bool kd_kernel_large_clusters(const struct kd_kernel *k) {
    return __atomic_load_n(&k->large_clusters, __ATOMIC_RELAXED);
}

void kd_kernel_allow_large_clusters(struct kd_kernel *k, bool allowed) {
    __atomic_store_n(&k->large_clusters, allowed, __ATOMIC_RELAXED);
}

uint64_t kd_kernel_constant_bytes(const struct kd_kernel *k) {
    const struct kj_module_info *info = k->module->info;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < info->nvars; i++)
        if (info->vars[i].is_const)
            bytes += info->vars[i].size;
    return bytes;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// The limits of a multiprocessor: threads, blocks, registers (given out 256 at a time to each
// warp), shared memory, a part of which is the system's in each block.
uint32_t kd_kernel_occupancy(const struct kd_kernel *k, uint32_t threads, uint32_t dynamic_shared) {
    const struct kd_properties *p = &k->module->context->device->properties;
    const struct capability *c = p->capability;
    if (threads == 0 || threads > kd_kernel_max_threads(k) || dynamic_shared > c->max_shared_block)
        return 0;
    uint32_t warps = (threads + KD_WARP - 1) / KD_WARP;
    uint32_t registers = k->info->registers ? k->info->registers : 1;
    uint32_t warp_registers = (registers * KD_WARP + 255) / 256 * 256;
    uint32_t used = k->info->shared_static + dynamic_shared;
    uint32_t shared =
        (used + c->shared_unit - 1) / c->shared_unit * c->shared_unit + c->reserved_shared;
    uint32_t n = least(c->max_blocks, c->max_threads / KD_WARP / warps);
    n = least(n, p->registers_sm / (warp_registers * warps));
    return shared ? least(n, c->max_shared / shared) : n;
}
