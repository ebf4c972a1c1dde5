#include <elf.h>
#include <string.h>

#include "binutils/prune.h"
#include "cc/link/device_image.h"
#include "image/cubin.h"
#include "image/image.h"
#include "image/ptx_target.h"

enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, PAYLOAD_AT = 8 };

struct raw_entry {
    struct kimg_entry e;
    size_t at, bytes; // of header and data
    bool keep;
};
typedef VEC(struct raw_entry) raw_entries;

static bool is_compressed(const struct kimg_entry *e) {
    return (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
}

// ---- What is wanted -------------------------------------------------------------------------

static bool wants_cubin(const struct prune_choice *c, const struct kimg_entry *e) {
    struct cubin_file f;
    bool known = !is_compressed(e) && cubin_open(&f, e->data, e->size, NULL, 0);
    if (known && c->no_relocatable && f.type == ET_REL)
        return false;
    for (uint32_t i = 0; i < c->targets.len; i++) {
        const struct prune_target *t = &c->targets.data[i];
        bool specific = t->target.suffix == 'a';
        if (t->is_real && t->target.number == e->arch &&
            (!known || specific == cubin_is_architecture_specific(&f)))
            return true;
    }
    return false;
}

static bool is_cubin_for(const raw_entries *entries, const struct target *t) {
    for (uint32_t i = 0; i < entries->len; i++) {
        const struct kimg_entry *e = &entries->data[i].e;
        if (e->kind == KIMG_ELF && e->arch == t->number)
            return true;
    }
    return false;
}

static bool wants_ptx(const struct prune_choice *c, const raw_entries *entries,
                      const struct kimg_entry *e) {
    struct ptx_target of = {.sm = e->arch};
    bool known = !is_compressed(e) && ptx_target_read(e->data, e->size, &of);
    for (uint32_t i = 0; i < c->targets.len; i++) {
        const struct prune_target *t = &c->targets.data[i];
        if (t->target.number == e->arch && (!known || of.features == t->target.suffix) &&
            (!t->is_real || !is_cubin_for(entries, &t->target)))
            return true;
    }
    return false;
}

// Bitcode is named by the architecture that it is compiled for.
static bool wants_bitcode(const struct prune_choice *c, const struct kimg_entry *e) {
    struct target of = {.number = e->arch};
    if (e->name)
        target_find(e->name, &of);
    for (uint32_t i = 0; i < c->targets.len && !c->no_relocatable; i++) {
        const struct target *t = &c->targets.data[i].target;
        if (t->number == of.number && t->suffix == of.suffix)
            return true;
    }
    return false;
}

static bool wants(const struct prune_choice *c, const raw_entries *entries,
                  const struct kimg_entry *e) {
    switch (e->kind) {
    case KIMG_ELF:
        return wants_cubin(c, e);
    case KIMG_PTX:
        return wants_ptx(c, entries, e);
    case DEVICE_IMAGE_BITCODE:
        return wants_bitcode(c, e);
    default:
        return false;
    }
}

// What belongs to PTX stays with it: code that CPUs run in its place, the archive that it is linked
// with on a GPU.
static bool belongs(const struct kimg_entry *e, const struct kimg_entry *ptx) {
    if (e->kind == KIMG_DEVICE_RUNTIME)
        return true;
    if (e->kind != KIMG_NATIVE || is_compressed(ptx))
        return false;
    struct kimg_native *n = kimg_native_open(e->data, e->size, NULL, 0);
    bool same =
        n && kimg_native_ptx_hash(n) == kimg_ptx_hash(ptx->data, strnlen(ptx->data, ptx->size));
    kimg_native_close(n);
    return same;
}

static void choose(struct prune_choice *c, raw_entries *entries) {
    for (uint32_t i = 0; i < entries->len; i++)
        entries->data[i].keep = wants(c, entries, &entries->data[i].e);
    for (uint32_t i = 0; i < entries->len; i++) {
        struct raw_entry *r = &entries->data[i];
        for (uint32_t n = 0; n < entries->len && !r->keep; n++) {
            const struct raw_entry *ptx = &entries->data[n];
            r->keep = ptx->keep && ptx->e.kind == KIMG_PTX && belongs(&r->e, &ptx->e);
        }
        c->kept += r->keep;
        c->removed += !r->keep;
    }
}

// ---- Writing ------------------------------------------------------------------------------

uint8_t *prune_container(struct prune_choice *c, const uint8_t *data, size_t size,
                         size_t *out_size) {
    struct kimg it;
    raw_entries entries = {0};
    struct raw_entry r = {0};
    c->why = "it has a damaged container of device code";
    if (!kimg_open(&it, data, size, NULL, 0))
        return NULL;
    size_t header = it.at;
    int more;
    while (r.at = it.at, (more = kimg_next(&it, &r.e, NULL, 0)) == 1) {
        r.bytes = it.at - r.at;
        vec_push(c->arena, &entries, r);
    }
    if (more < 0)
        return NULL;
    choose(c, &entries);
    uint8_t *out = arena_memdup(c->arena, data, it.size);
    size_t at = header;
    for (uint32_t i = 0; i < entries.len; i++) {
        const struct raw_entry *e = &entries.data[i];
        if (!e->keep)
            continue;
        memcpy(out + at, data + e->at, e->bytes);
        at += e->bytes;
    }
    uint64_t payload = at - header;
    memcpy(out + PAYLOAD_AT, &payload, sizeof payload);
    *out_size = at;
    return out;
}
