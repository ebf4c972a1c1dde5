#include "device/memory/address_space.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "device/memory/page.h"
#include "support/check/check_tools.h"

// Each guard page splits a mapping; the system allows 65,530 of them by default. Beyond this
// number neighbours lie back to back and merge.
enum { MAX_GUARDS = 12000 };
static const uint64_t HUGE_PAGE = 2u << 20;

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) & ~(to - 1);
}

static void *reserve(void *at, uint64_t size, int fixed) {
    void *p = mmap(at, size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (fixed ? MAP_FIXED : 0), -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool add_free(struct address_space *s, uint64_t base, uint64_t size) {
    struct range *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    r->base = base;
    r->size = size;
    range_insert(&s->free, r);
    return true;
}

bool address_space_open(struct address_space *s, uint64_t size) {
    void *p = NULL;
    for (; size >= 64u << 20; size /= 2)
        if ((p = reserve(NULL, size, 0)))
            break;
    if (!p)
        return false;
    pthread_mutex_init(&s->lock, NULL);
    s->base = (uint64_t)p;
    s->size = size;
    s->free = NULL;
    s->guards = 0;
    s->kept = NULL;
    s->nkept = s->kept_room = 0;
    return add_free(s, s->base, size);
}

void address_space_close(struct address_space *s) {
    while (s->free) {
        struct range *r = s->free;
        range_remove(&s->free, r);
        free(r);
    }
    free(s->kept);
    munmap((void *)s->base, s->size);
    pthread_mutex_destroy(&s->lock);
}

// Takes [base, base + size) out of the free range that holds it.
static bool carve(struct address_space *s, struct range *r, uint64_t base, uint64_t size) {
    uint64_t end = r->base + r->size, before = base - r->base, after = end - (base + size);
    if (before && after && !add_free(s, base + size, after))
        return false;
    range_remove(&s->free, r);
    if (!before && !after) {
        free(r);
        return true;
    }
    if (!before)
        r->base = base + size;
    r->size = before ? before : after;
    range_insert(&s->free, r);
    return true;
}

static bool take_locked(struct address_space *s, uint64_t size, uint64_t align, uint64_t guard,
                        uint64_t *base) {
    struct range *r = range_first_fit(s->free, size + guard + align - page_bytes());
    if (!r)
        return false;
    *base = round_up(r->base, align);
    if (!carve(s, r, *base, size + guard))
        return false;
    s->guards += guard != 0;
    return true;
}

static void give_locked(struct address_space *s, const struct pages *p) {
    uint64_t base = p->base, size = p->size + p->guard;
    s->guards -= p->guard != 0;
    struct range *after = range_find(s->free, base + size);
    struct range *before = base > s->base ? range_find(s->free, base - 1) : NULL;
    if (after) {
        range_remove(&s->free, after);
        size += after->size;
    }
    if (before) {
        range_remove(&s->free, before);
        base = before->base;
        size += before->size;
    }
    struct range *r = before ? before : after;
    if (before && after)
        free(after);
    if (!r) {
        add_free(s, base, size); // without memory for the node the addresses stay unused
        return;
    }
    r->base = base;
    r->size = size;
    range_insert(&s->free, r);
}

// With the lock.
static void give_kept(struct address_space *s) {
    for (uint32_t k = 0; k < s->nkept; k++)
        give_locked(s, &s->kept[k]);
    s->nkept = 0;
}

// With the lock. False: it is not kept.
static bool keep(struct address_space *s, const struct pages *p) {
    if (!check_tools())
        return false;
    if (s->guards >= MAX_GUARDS)
        give_kept(s);
    if (s->nkept == s->kept_room) {
        uint32_t room = s->kept_room ? 2 * s->kept_room : 64;
        struct pages *more = realloc(s->kept, room * sizeof *more);
        if (!more)
            return false;
        s->kept = more;
        s->kept_room = room;
    }
    s->kept[s->nkept++] = *p;
    return true;
}

bool address_space_take(struct address_space *s, uint64_t size, uint64_t align, struct pages *out) {
    if (size == 0 || size > s->size || align > s->size)
        return false;
    size = whole_pages(size);
    if (align < page_bytes())
        align = page_bytes();
    pthread_mutex_lock(&s->lock);
    out->size = size;
    out->guard = s->guards < MAX_GUARDS ? page_bytes() : 0;
    bool ok = take_locked(s, size, align, out->guard, &out->base);
    if (!ok && s->nkept) {
        give_kept(s);
        ok = take_locked(s, size, align, out->guard, &out->base);
    }
    pthread_mutex_unlock(&s->lock);
    if (!ok)
        return false;
    if (mprotect((void *)out->base, size, PROT_READ | PROT_WRITE)) {
        address_space_give(s, out);
        return false;
    }
    if (size >= HUGE_PAGE)
        madvise((void *)out->base, size, MADV_HUGEPAGE);
    return true;
}

void address_space_give(struct address_space *s, const struct pages *p) {
    // A fresh mapping drops the pages and their rights in one step. If the system refuses it, two
    // steps may still do; else the addresses are not used again.
    void *base = (void *)p->base;
    if (!reserve(base, p->size, 1) &&
        (madvise(base, p->size, MADV_DONTNEED) || mprotect(base, p->size, PROT_NONE)))
        return;
    pthread_mutex_lock(&s->lock);
    if (!keep(s, p))
        give_locked(s, p);
    pthread_mutex_unlock(&s->lock);
}
