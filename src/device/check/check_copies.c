// Asynchronous copies of threads that nobody has waited for: what they read and write goes on until
// their thread waits.
#include <stdlib.h>

#include "abi/check_meeting.h"
#include "device/check/check_intervals.h"

struct list { // oldest first
    struct check_copy *c;
    uint32_t n, room;
    uint32_t group[2]; // those that are not committed: of bulk copies the second
};
struct check_copies {
    struct list of[MAX_UNITS];
};
enum { MOST = 4096 }; // of a thread

void check_copies_begin(struct check_threads *t) {
    for (uint32_t k = 0; t->copies && k < MAX_UNITS; k++)
        t->copies->of[k].n = t->copies->of[k].group[0] = t->copies->of[k].group[1] = 0;
}

static bool is_bulk(const struct kd_check_site *site) {
    return site->flags & KD_CHECK_BULK;
}

void check_copies_add(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      struct check_copy c) {
    if (!t->copies && !(t->copies = calloc(1, sizeof *t->copies)))
        return;
    struct list *l = &t->copies->of[thread];
    c.group = l->group[is_bulk(c.site)];
    // Cells may have been told of its call meanwhile.
    c.interval = check_intervals_number(t) == c.interval ? c.interval : 0;
    if (l->n == l->room && l->room < MOST) {
        uint32_t room = l->room ? 2 * l->room : 8;
        struct check_copy *more = realloc(l->c, room * sizeof *more);
        if (more) {
            l->c = more;
            l->room = room;
        }
    }
    if (l->n < l->room) {
        l->c[l->n++] = c;
        return;
    }
    check_intervals_room(b, t, thread, 1); // as if it were done at once
    c.interval = check_intervals_number(t) ? c.interval : 0;
    check_intervals_copied(b, t, thread, &c);
}

void check_copies_to_cells(struct kd_block *b, struct check_threads *t, uint64_t interval) {
    for (uint32_t k = 0; t->copies && k < b->nthreads && k < MAX_UNITS; k++) {
        struct list *l = &t->copies->of[k];
        for (uint32_t n = 0; n < l->n; n++) {
            struct check_copy *c = &l->c[n];
            if (c->interval && c->interval < interval)
                check_race_begun(b, t, k, c->site, c->address);
            c->interval = 0;
        }
    }
}

void check_copies_commit(struct check_threads *t, uint32_t thread,
                         const struct kd_check_site *site) {
    if (t->copies)
        t->copies->of[thread].group[is_bulk(site)]++;
}

void check_copies_wait(struct kd_block *b, struct check_threads *t, uint32_t thread,
                       const struct kd_check_site *site, uint64_t groups) {
    struct list *l = t->copies ? &t->copies->of[thread] : NULL;
    bool bulk = is_bulk(site);
    uint32_t left = 0;
    if (!l)
        return;
    check_intervals_room(b, t, thread, l->n);
    for (uint32_t k = 0; k < l->n; k++) {
        const struct check_copy *c = &l->c[k];
        bool of_group = site->bytes == KD_CHECK_WAIT_ALL || c->group + groups < l->group[bulk];
        bool of_kind = site->bytes != KD_CHECK_WAIT_READS || c->site->kind == KD_CHECK_READ;
        if (is_bulk(c->site) == bulk && of_group && of_kind)
            check_intervals_copied(b, t, thread, c);
        else
            l->c[left++] = *c;
    }
    l->n = left;
}

void check_copies_mark(const struct check_threads *t, uint32_t nthreads, uint64_t base,
                       uint64_t *word, uint32_t words, uint64_t mark) {
    for (uint32_t k = 0; k < nthreads && k < MAX_UNITS; k++) {
        const struct list *l = &t->copies->of[k];
        for (uint32_t n = 0; n < l->n; n++) {
            const struct check_copy *c = &l->c[n];
            uint64_t from = (c->address - base) / 4, to = (c->address + c->bytes - base + 3) / 4;
            if (c->site->kind == KD_CHECK_READ || c->address < base)
                continue;
            for (uint64_t w = from; w < to && w < words; w++)
                word[w] = mark;
        }
    }
}
