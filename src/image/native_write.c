// Writing native images.
#include "image/image.h"
#include "image/native_format.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

struct out {
    uint8_t *data;
    size_t len, cap;
    bool failed;
};

static void put(struct out *o, const void *p, size_t n) {
    if (o->failed || n == 0)
        return;
    if (o->len + n > o->cap) {
        size_t cap = (o->len + n) * 2;
        uint8_t *data = realloc(o->data, cap);
        if (!data) {
            o->failed = true;
            return;
        }
        o->data = data;
        o->cap = cap;
    }
    memcpy(o->data + o->len, p, n);
    o->len += n;
}

static void put32(struct out *o, uint32_t v) {
    put(o, &v, 4);
}

static void put64(struct out *o, uint64_t v) {
    put(o, &v, 8);
}

static void put_blob(struct out *o, const void *p, size_t n) {
    put64(o, n);
    put(o, p, n);
}

static void put_string(struct out *o, const char *s) {
    put_blob(o, s ? s : "", s ? strlen(s) : 0);
}

static void put_kernel(struct out *o, const struct kj_kernel *k) {
    put_string(o, k->name);
    put32(o, k->nparams);
    for (uint32_t i = 0; i < k->nparams; i++) {
        put32(o, k->params[i].offset);
        put32(o, k->params[i].size);
        put32(o, k->params[i].align);
    }
    put32(o, k->param_bytes);
    put32(o, k->shared_static);
    put32(o, k->local_bytes);
    for (int i = 0; i < 3; i++)
        put32(o, k->maxntid[i]);
    for (int i = 0; i < 3; i++)
        put32(o, k->reqntid[i]);
    put32(o, k->minnctapersm);
    put32(o, k->maxnreg);
    for (int i = 0; i < 3; i++)
        put32(o, k->cluster[i]);
    put32(o, k->max_cluster);
    put32(o, k->cluster_required);
    put32(o, k->lacking);
    put32(o, k->launches);
    put32(o, k->registers);
    put32(o, k->nstride);
    for (uint32_t i = 0; i < k->nstride; i++) {
        const struct kj_step *s = &k->stride[i];
        put32(o, (uint32_t)s->op | (uint32_t)s->bits << 8 | (uint32_t)s->x << 16 |
                     (uint32_t)s->y << 24);
        put64(o, s->number);
    }
    put32(o, k->naligned);
    for (uint32_t i = 0; i < k->naligned; i++) {
        put32(o, k->aligned[i].offset);
        put32(o, k->aligned[i].align);
    }
}

static void put_var(struct out *o, const struct kj_var *v) {
    put_string(o, v->name);
    put64(o, v->size);
    put32(o, v->align);
    uint32_t flags = (v->is_const ? 1 : 0) + (v->is_extern ? 2 : 0) + (v->is_visible ? 4 : 0) +
                     (v->managed ? 8 : 0);
    put32(o, flags);
    if (v->init)
        put_blob(o, v->init, v->size);
    else
        put64(o, NATIVE_NO_INIT);
    put32(o, v->nrelocs);
    for (uint32_t i = 0; i < v->nrelocs; i++) {
        put64(o, v->relocs[i].offset);
        put64(o, (uint64_t)v->relocs[i].addend);
        put32(o, (uint32_t)v->relocs[i].var);
        put32(o, (uint32_t)v->relocs[i].func);
        put32(o, v->relocs[i].size);
    }
}

static void put_code(struct out *o, const struct kimg_code *c) {
    put32(o, c->kernel);
    for (int i = 0; i < 3; i++)
        put32(o, c->spec.ntid[i]);
    put32(o, c->spec.flags);
    put32(o, c->spec.width);
    put32(o, c->spec.level);
    put32(o, c->info.abi_version);
    put32(o, c->info.mode);
    put32(o, c->info.width);
    put32(o, c->info.spill_bytes);
    put32(o, c->info.local_bytes);
    put32(o, c->info.recursive);
    put32(o, c->info.flags);
    put32(o, c->info.stack_bytes);
    put_blob(o, c->obj, c->obj_size);
}

static void put_info(struct out *o, const struct kj_module_info *info) {
    put32(o, info->ptx_major);
    put32(o, info->ptx_minor);
    put32(o, info->target_sm);
    put32(o, info->nkernels);
    for (uint32_t i = 0; i < info->nkernels; i++)
        put_kernel(o, &info->kernels[i]);
    put32(o, info->nvars);
    for (uint32_t i = 0; i < info->nvars; i++)
        put_var(o, &info->vars[i]);
}

static bool pack(const struct out *plain, void **out, size_t *out_size) {
    size_t bound = ZSTD_compressBound(plain->len);
    uint8_t *data = malloc(NATIVE_HEADER_BYTES + bound);
    if (!data)
        return false;
    size_t n = ZSTD_compress(data + NATIVE_HEADER_BYTES, bound, plain->data, plain->len, 9);
    if (ZSTD_isError(n)) {
        free(data);
        return false;
    }
    struct native_header h = {
        .magic = {'K', 'U', 'D', 'Z', 'U', 'I', 'M', 'G'},
        .format = NATIVE_FORMAT,
        .abi = KD_ABI_VERSION,
        .plain = plain->len,
        .compressed = n,
        .compressed_hash = XXH3_64bits(data + NATIVE_HEADER_BYTES, n),
        .plain_hash = XXH3_64bits(plain->data, plain->len),
    };
    memcpy(data, &h, sizeof h);
    *out = data;
    *out_size = NATIVE_HEADER_BYTES + n;
    return true;
}

uint64_t kimg_ptx_hash(const char *ptx, size_t size) {
    while (size && ptx[size - 1] == 0)
        size--;
    return XXH3_64bits(ptx, size);
}

bool kimg_native_build(const struct kj_module_info *info, const struct kimg_code *codes,
                       size_t ncodes, const char *ptx, size_t ptx_size, const char *version,
                       void **out, size_t *out_size) {
    struct out o = {0};
    put_string(&o, version);
    put64(&o, kimg_ptx_hash(ptx, ptx_size));
    put_info(&o, info);
    put32(&o, (uint32_t)ncodes);
    for (size_t i = 0; i < ncodes; i++)
        put_code(&o, &codes[i]);
    bool ok = !o.failed && pack(&o, out, out_size);
    free(o.data);
    return ok;
}
