// Local variables whose scope has ended, by the threads that they belong to. A thread's are few:
// those of its functions that have run, as their memory has not been used again since.
#include <stdlib.h>
#include <string.h>

#include "device/check/check_threads.h"

struct scopes_of_thread {
    struct check_ended *data;
    uint32_t len, cap;
};
struct check_scopes {
    bool any; // some have ended in this block
    uint32_t nthreads;
    struct scopes_of_thread threads[MAX_UNITS];
};

void check_scopes_begin(struct check_threads *t) {
    struct check_scopes *s = t->scopes;
    for (uint32_t k = 0; s && s->any && k < s->nthreads; k++)
        s->threads[k].len = 0;
    if (s)
        s->any = false;
}

static void add(struct scopes_of_thread *t, struct check_ended e) {
    if (t->len == t->cap) {
        uint32_t cap = t->cap ? 2 * t->cap : 4;
        struct check_ended *more = realloc(t->data, cap * sizeof *more);
        if (!more)
            return;
        t->data = more;
        t->cap = cap;
    }
    t->data[t->len++] = e;
}

// What lies in [from, to) is no part of what has ended before.
static void drop(struct scopes_of_thread *t, uint64_t from, uint64_t to) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->len; k++)
        if (t->data[k].to <= from || t->data[k].from >= to)
            t->data[n++] = t->data[k];
    t->len = n;
}

// Sets aside what is kept. NULL: no memory.
static struct check_scopes *scopes_of(struct kd_block *b) {
    struct check_threads *t = check_threads_of(b);
    if (t && !t->scopes)
        t->scopes = calloc(1, sizeof *t->scopes);
    return t ? t->scopes : NULL;
}

void check_scopes_tell(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                       const struct kd_check_site *site, const uint64_t *addresses,
                       const uint64_t *more) {
    struct check_scopes *s = mask && (check_tools() & CHECK_MEMORY) ? scopes_of(b) : NULL;
    bool begins = site->kind == KD_CHECK_SCOPE_BEGIN, init = check_tools() & CHECK_INIT;
    if (mask && init)
        check_block_begins(b);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), k = thread + l;
        uint64_t from = addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l];
        uint64_t size = more[code & KD_CHECK_SAME_MORE ? 0 : l];
        if (begins && init)
            check_init_set((uint64_t)(uintptr_t)b->local + k * b->local_stride + from, size, false);
        if (!s || k >= MAX_UNITS)
            continue;
        drop(&s->threads[k], from, from + size);
        if (begins)
            continue;
        add(&s->threads[k], (struct check_ended){from, from + size, site});
        s->nthreads = k >= s->nthreads ? k + 1 : s->nthreads;
        s->any = true;
    }
}

const struct check_ended *check_scopes_find(struct kd_block *b, uint32_t thread, uint64_t offset,
                                            uint64_t bytes) {
    const struct check_threads *t = check_threads_of(b);
    if (!t || !t->scopes || !t->scopes->any || thread >= MAX_UNITS)
        return NULL;
    const struct scopes_of_thread *s = &t->scopes->threads[thread];
    for (uint32_t k = 0; k < s->len; k++)
        if (offset < s->data[k].to && offset + bytes > s->data[k].from)
            return &s->data[k];
    return NULL;
}
