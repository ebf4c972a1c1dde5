// Reading native images. Strict: every length, index and flag is checked, every byte is used.
#include "image/image.h"
#include "image/native_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "support/arena.h"

struct kimg_native {
    struct arena arena;
    uint8_t *plain;
    struct kj_module_info info;
    const char *version;
    uint64_t ptx_hash;
    size_t ncodes;
    struct kimg_code *codes;
};

struct in {
    const uint8_t *p;
    size_t left;
    struct arena *arena;
    const char *why; // the first thing found wrong
};

static void wrong(struct in *in, const char *why) {
    if (!in->why)
        in->why = why;
    in->left = 0;
}

static const uint8_t *take(struct in *in, uint64_t n) {
    if (n > in->left) {
        wrong(in, "cut off");
        return NULL;
    }
    const uint8_t *p = in->p;
    in->p += n;
    in->left -= n;
    return p;
}

static uint32_t get32(struct in *in) {
    uint32_t v = 0;
    const uint8_t *p = take(in, 4);
    if (p)
        memcpy(&v, p, 4);
    return v;
}

static uint64_t get64(struct in *in) {
    uint64_t v = 0;
    const uint8_t *p = take(in, 8);
    if (p)
        memcpy(&v, p, 8);
    return v;
}

// Room for *n things; none of them where there is no memory.
static void *get_room(struct in *in, size_t each, uint32_t *n) {
    void *p = *n > SIZE_MAX / each ? NULL : arena_try_alloc(in->arena, each * *n);
    if (!p) {
        wrong(in, "not enough memory to read it");
        *n = 0;
    }
    return p;
}

static const char *get_string(struct in *in) {
    uint64_t n = get64(in);
    const uint8_t *p = take(in, n);
    if (!p)
        return "";
    if (memchr(p, 0, n))
        wrong(in, "a name with a NUL byte");
    char *text = arena_try_alloc(in->arena, n + 1);
    if (!text) {
        wrong(in, "not enough memory to read it");
        return "";
    }
    return memcpy(text, p, n); // the byte behind it is 0
}

// A count of things of which each takes at least `bytes`: bounded before memory is asked for.
static uint32_t get_count(struct in *in, size_t bytes) {
    uint32_t n = get32(in);
    if (n > in->left / bytes) {
        wrong(in, "a count is larger than the data");
        return 0;
    }
    return n;
}

static void get_stride(struct in *in, struct kj_kernel *k) {
    k->nstride = get_count(in, 12);
    struct kj_step *steps = get_room(in, sizeof *steps, &k->nstride);
    for (uint32_t i = 0; i < k->nstride; i++) {
        uint32_t word = get32(in);
        steps[i] = (struct kj_step){(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                    (uint8_t)(word >> 24), get64(in)};
        if (!kj_step_is_valid(&steps[i], i, k->param_bytes))
            wrong(in, "the limit of a grid-stride loop is no number that launches can compute");
    }
    k->stride = steps;
}

static void get_kernel(struct in *in, struct kj_kernel *k) {
    k->name = get_string(in);
    k->nparams = get_count(in, 12);
    struct kj_param *params = get_room(in, sizeof *params, &k->nparams);
    for (uint32_t i = 0; i < k->nparams; i++) {
        params[i].offset = get32(in);
        params[i].size = get32(in);
        params[i].align = get32(in);
    }
    k->params = params;
    k->param_bytes = get32(in);
    for (uint32_t i = 0; i < k->nparams; i++)
        if ((uint64_t)params[i].offset + params[i].size > k->param_bytes)
            wrong(in, "a parameter lies outside the parameter block");
    k->shared_static = get32(in);
    k->local_bytes = get32(in);
    for (int i = 0; i < 3; i++)
        k->maxntid[i] = get32(in);
    for (int i = 0; i < 3; i++)
        k->reqntid[i] = get32(in);
    k->minnctapersm = get32(in);
    k->maxnreg = get32(in);
    for (int i = 0; i < 3; i++)
        k->cluster[i] = get32(in);
    k->max_cluster = get32(in);
    k->cluster_required = get32(in);
    k->lacking = get32(in);
    k->launches = get32(in);
    k->registers = get32(in);
    get_stride(in, k);
    k->naligned = get_count(in, 8);
    struct kj_aligned *aligned = get_room(in, sizeof *aligned, &k->naligned);
    for (uint32_t i = 0; i < k->naligned; i++) {
        aligned[i].offset = get32(in);
        aligned[i].align = get32(in);
        if ((uint64_t)aligned[i].offset + 8 > k->param_bytes)
            wrong(in, "an aligned parameter lies outside the parameter block");
    }
    k->aligned = aligned;
}

static void get_reloc(struct in *in, struct kj_reloc *r, const struct kj_var *v, uint32_t nvars) {
    r->offset = get64(in);
    r->addend = (int64_t)get64(in);
    r->var = (int32_t)get32(in);
    r->func = (int32_t)get32(in);
    r->size = get32(in);
    if (in->why)
        return;
    if ((r->size != 4 && r->size != 8) || r->offset > v->size || v->size - r->offset < r->size)
        wrong(in, "a relocation lies outside its variable");
    if (r->var < -1 || (r->var >= 0 && (uint32_t)r->var >= nvars))
        wrong(in, "a relocation names a variable that does not exist");
}

static void get_var(struct in *in, struct kj_var *v, uint32_t nvars) {
    v->name = get_string(in);
    v->size = get64(in);
    v->align = get32(in);
    if (v->align == 0 || (v->align & (v->align - 1)) || v->align > 1 << 20)
        wrong(in, "an alignment that is no power of two");
    uint32_t flags = get32(in);
    if (flags > 15)
        wrong(in, "unknown flags of a variable");
    v->is_const = flags & 1;
    v->is_extern = flags >> 1 & 1;
    v->is_visible = flags >> 2 & 1;
    v->managed = flags >> 3 & 1;
    uint64_t init = get64(in);
    if (init != NATIVE_NO_INIT) {
        if (init != v->size)
            wrong(in, "an initialiser of the wrong size");
        v->init = take(in, init);
    }
    v->nrelocs = get_count(in, 28);
    struct kj_reloc *relocs = get_room(in, sizeof *relocs, &v->nrelocs);
    for (uint32_t i = 0; i < v->nrelocs; i++)
        get_reloc(in, &relocs[i], v, nvars);
    v->relocs = relocs;
}

static void get_info(struct in *in, struct kj_module_info *info) {
    info->ptx_major = get32(in);
    info->ptx_minor = get32(in);
    info->target_sm = get32(in);
    info->nkernels = get_count(in, 8);
    struct kj_kernel *kernels = get_room(in, sizeof *kernels, &info->nkernels);
    for (uint32_t i = 0; i < info->nkernels && !in->why; i++)
        get_kernel(in, &kernels[i]);
    info->kernels = kernels;
    info->nvars = get_count(in, 8);
    struct kj_var *vars = get_room(in, sizeof *vars, &info->nvars);
    for (uint32_t i = 0; i < info->nvars && !in->why; i++)
        get_var(in, &vars[i], info->nvars);
    info->vars = vars;
}

static void get_code(struct in *in, struct kimg_code *c, uint32_t nkernels) {
    c->kernel = get32(in);
    for (int i = 0; i < 3; i++)
        c->spec.ntid[i] = get32(in);
    c->spec.flags = get32(in);
    c->spec.width = get32(in);
    c->spec.level = get32(in);
    c->info.abi_version = get32(in);
    c->info.mode = get32(in);
    c->info.width = get32(in);
    c->info.spill_bytes = get32(in);
    c->info.local_bytes = get32(in);
    c->info.recursive = get32(in);
    c->info.flags = get32(in);
    c->info.stack_bytes = get32(in);
    c->obj_size = get64(in);
    const uint8_t *obj = take(in, c->obj_size);
    if (in->why)
        return;
    if (c->kernel >= nkernels)
        wrong(in, "code for a kernel that does not exist");
    bool odd = c->info.flags & KD_CODE_SPLITS && (c->info.mode != KD_MODE_BLOCK || !c->info.width);
    odd = odd || c->info.mode > KD_MODE_THREAD_STACKS || c->info.stack_bytes > KD_MOST_STACK_BYTES;
    if (c->info.abi_version != KD_ABI_VERSION || odd)
        wrong(in, "code of a kind that is not known");
    void *copy = arena_try_alloc(in->arena, c->obj_size); // aligned for the ELF reader
    if (!copy)
        wrong(in, "not enough memory to read it");
    else if (c->obj_size)
        memcpy(copy, obj, c->obj_size);
    c->obj = copy;
}

static void get_all(struct in *in, struct kimg_native *n) {
    n->version = get_string(in);
    n->ptx_hash = get64(in);
    get_info(in, &n->info);
    uint32_t ncodes = get_count(in, 60);
    n->codes = get_room(in, sizeof *n->codes, &ncodes);
    n->ncodes = ncodes;
    for (size_t i = 0; i < n->ncodes && !in->why; i++)
        get_code(in, &n->codes[i], n->info.nkernels);
    if (in->left)
        wrong(in, "bytes are left over");
}

bool kimg_is_native(const void *data, size_t size) {
    // Text of unknown length may end sooner than the magic.
    return (size == 0 || size >= NATIVE_HEADER_BYTES) && strncmp(data, NATIVE_MAGIC, 8) == 0;
}

// NULL when the header and the hash over what follows it agree with the data.
static const char *check_header(const struct native_header *h, const uint8_t *body, size_t size) {
    if (h->format != NATIVE_FORMAT || h->reserved)
        return "unknown format";
    if (h->abi != KD_ABI_VERSION)
        return "made for another version of kudzu";
    if (h->plain > NATIVE_MAX_PLAIN || h->compressed > NATIVE_MAX_PLAIN)
        return "its header is damaged";
    if (size && h->compressed > size - NATIVE_HEADER_BYTES)
        return "cut off";
    if (XXH3_64bits(body, h->compressed) != h->compressed_hash)
        return "its checksum is wrong";
    if (ZSTD_getFrameContentSize(body, h->compressed) != h->plain)
        return "its header is damaged";
    return NULL;
}

static const char *open_body(struct kimg_native *n, const struct native_header *h,
                             const uint8_t *body) {
    n->plain = malloc(h->plain + 1);
    if (!n->plain)
        return "not enough memory to unpack it";
    size_t got = ZSTD_decompress(n->plain, h->plain, body, h->compressed);
    if (ZSTD_isError(got) || got != h->plain)
        return "it cannot be decompressed";
    if (XXH3_64bits(n->plain, h->plain) != h->plain_hash)
        return "its checksum is wrong";
    struct in in = {n->plain, h->plain, &n->arena, NULL};
    get_all(&in, n);
    return in.why;
}

struct kimg_native *kimg_native_open(const void *data, size_t size, char *err, size_t err_size) {
    const char *why = NULL;
    struct native_header h;
    const uint8_t *body = (const uint8_t *)data + NATIVE_HEADER_BYTES;
    struct kimg_native *n = calloc(1, sizeof *n);
    if (!n)
        why = "not enough memory";
    else if (!kimg_is_native(data, size))
        why = "wrong magic number";
    if (!why) {
        memcpy(&h, data, sizeof h);
        why = check_header(&h, body, size);
    }
    if (!why)
        why = open_body(n, &h, body);
    if (!why)
        return n;
    if (err_size)
        snprintf(err, err_size, "native image not used: %s", why);
    kimg_native_close(n);
    return NULL;
}

void kimg_native_close(struct kimg_native *n) {
    if (!n)
        return;
    free(n->plain);
    arena_free(&n->arena);
    free(n);
}

const struct kj_module_info *kimg_native_info(const struct kimg_native *n) {
    return &n->info;
}

const char *kimg_native_version(const struct kimg_native *n) {
    return n->version;
}

uint64_t kimg_native_ptx_hash(const struct kimg_native *n) {
    return n->ptx_hash;
}

size_t kimg_native_code_count(const struct kimg_native *n) {
    return n->ncodes;
}

const struct kimg_code *kimg_native_code(const struct kimg_native *n, size_t i) {
    return i < n->ncodes ? &n->codes[i] : NULL;
}
