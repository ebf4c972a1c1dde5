// What textures and surfaces access, among what kernels access by addresses.
#include "device/check/check_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/check_meeting.h"
#include "device/check/check_intervals.h"
#include "device/check/check_threads.h"
#include "device/code/module.h"
#include "device/sync.h"
#include "isa/isa.h"

// An access at a place of the source. It stays as long as the process, for cells name it.
struct place {
    struct place *next;
    const struct kd_check_site *of; // the place, as code has told
    enum check_image how;
    uint32_t bytes;
    struct kd_check_site site;
    char text[]; // the file, then the function
};
enum { PLACES = 4096 };
static struct place *buckets[256];
static uint32_t nplaces;
static struct kd_spinlock lock;

static const char *text_at(const struct kd_check_site *s, int32_t at) {
    return at ? (const char *)s + at : "";
}

static struct place *new_place(const struct kd_check_site *of, enum check_image how,
                               uint32_t bytes) {
    static const uint8_t kinds[] = {[CHECK_TEXTURE_READ] = KD_CHECK_READ,
                                    [CHECK_SURFACE_READ] = KD_CHECK_READ,
                                    [CHECK_SURFACE_WRITE] = KD_CHECK_WRITE,
                                    [CHECK_SURFACE_ATOMIC] = KD_CHECK_ATOMIC};
    const char *file = text_at(of, of->file), *function = text_at(of, of->function);
    size_t n = strlen(file) + 1, m = strlen(function) + 1;
    struct place *p = nplaces < PLACES ? malloc(sizeof *p + n + m) : NULL;
    if (!p)
        return NULL;
    nplaces++;
    *p = (struct place){.of = of, .how = how, .bytes = bytes};
    p->site = (struct kd_check_site){.line = of->line,
                                     .number = of->number,
                                     .bytes = bytes,
                                     .align = 1,
                                     .space = ISA_SPACE_GENERIC,
                                     .kind = kinds[how],
                                     .flags = KD_CHECK_ORDERED};
    p->site.flags |= how == CHECK_TEXTURE_READ ? KD_CHECK_READ_ONLY : 0;
    p->site.flags |=
        how == CHECK_SURFACE_ATOMIC ? KD_CHECK_STRONG | ISA_SCOPE_GPU << KD_CHECK_SCOPE_SHIFT : 0;
    memcpy(p->text, file, n);
    memcpy(p->text + n, function, m);
    p->site.file = of->file ? (int32_t)(p->text - (char *)&p->site) : 0;
    p->site.function = (int32_t)(p->text + n - (char *)&p->site);
    return p;
}

static const struct kd_check_site *site_for(const struct kd_check_site *of, enum check_image how,
                                            uint32_t bytes) {
    uint64_t h = (uint64_t)(uintptr_t)of * UINT64_C(0x9e3779b97f4a7c15) >> 56;
    kd_lock(&lock);
    struct place *p = buckets[h];
    while (p && (p->of != of || p->how != how || p->bytes != bytes))
        p = p->next;
    if (!p && (p = new_place(of, how, bytes))) {
        p->next = buckets[h];
        buckets[h] = p;
    }
    kd_unlock(&lock);
    return p ? &p->site : NULL;
}

void check_image_access(struct kd_block *b, uint32_t thread, enum check_image how, uint64_t address,
                        uint32_t bytes) {
    if (how == CHECK_SURFACE_WRITE)
        check_init_set(address, bytes, true);
    if (!(check_tools() & CHECK_RACE))
        return;
    struct check_threads *t = check_threads_of(b);
    const struct kd_check_site *of = t && thread < MAX_UNITS ? t->place[thread / KD_WARP] : NULL;
    // As check_races: what else orders threads has to be followed.
    if (!of || !t->has_cells || !(of->flags & KD_CHECK_ORDERED) || !bytes || b->launch->multi)
        return;
    const struct kd_check_site *site = site_for(of, how, bytes);
    if (site)
        check_race_cells(b, t, site, thread, 1, 0, &address, NULL);
}

void check_image_fetched(struct kd_block *b, uint32_t thread, uint64_t address, uint32_t bytes,
                         uint32_t results) {
    struct check_threads *t =
        check_tools() & CHECK_INIT && thread < MAX_UNITS ? check_threads_of(b) : NULL;
    bool written = true;
    for (uint32_t at = 0; t && written && at < bytes; at += 8)
        written = !check_init_bits(address + at, bytes - at < 8 ? bytes - at : 8);
    for (uint32_t k = 0; !written && k < 4; k++)
        t->unwritten[thread / KD_WARP][k] |= (results >> k & 1) << thread % KD_WARP;
}

void check_image_texels(struct kd_block *b, uint32_t thread, uint32_t mask, uint64_t *bits) {
    struct check_threads *t = thread < MAX_UNITS ? check_threads_of(b) : NULL;
    if (!t)
        return;
    uint32_t *of_warp = t->unwritten[thread / KD_WARP], first = thread % KD_WARP;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        bits[l] = 0;
        for (uint32_t k = 0; k < 4; k++)
            bits[l] |= of_warp[k] >> (first + l) & 1 ? UINT64_C(0xffff) << 16 * k : 0;
    }
    for (uint32_t k = 0; k < 4; k++)
        of_warp[k] &= ~(mask << first);
}
