// Asynchronous copies of threads that nobody has waited for: what they read and write goes on until
// their thread waits.
#include <stdlib.h>
#include <string.h>

#include "device/check_threads.h"

struct copy {
    const struct kd_check_site *site;
    uint64_t address;
    uint32_t bytes, group;
};
struct list { // oldest first
    struct copy *c;
    uint32_t n, room;
    uint32_t group; // the one that is not committed
};
struct check_copies {
    struct list of[MAX_UNITS];
};
enum { MOST = 4096 }; // of a thread

void check_copies_begin(struct check_threads *t) {
    for (uint32_t k = 0; t->copies && k < MAX_UNITS; k++)
        t->copies->of[k].n = t->copies->of[k].group = 0;
}

static void end(struct kd_block *b, struct check_threads *t, uint32_t thread,
                const struct copy *c) {
    check_race_copied(b, t, thread, c->site, c->address, c->bytes);
}

void check_copies_add(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      const struct kd_check_site *site, uint64_t address, uint64_t bytes) {
    if (!t->copies && !(t->copies = calloc(1, sizeof *t->copies)))
        return;
    struct list *l = &t->copies->of[thread];
    struct copy c = {site, address, (uint32_t)bytes, l->group};
    if (l->n == l->room && l->room < MOST) {
        uint32_t room = l->room ? 2 * l->room : 8;
        struct copy *more = realloc(l->c, room * sizeof *more);
        if (more) {
            l->c = more;
            l->room = room;
        }
    }
    if (l->n == l->room) { // as if it were done at once
        end(b, t, thread, &c);
        return;
    }
    l->c[l->n++] = c;
}

void check_copies_commit(struct check_threads *t, uint32_t thread) {
    if (t->copies)
        t->copies->of[thread].group++;
}

void check_copies_wait(struct kd_block *b, struct check_threads *t, uint32_t thread, bool all,
                       uint64_t groups) {
    struct list *l = t->copies ? &t->copies->of[thread] : NULL;
    uint32_t done = 0;
    while (l && done < l->n && (all || l->c[done].group + groups < l->group))
        end(b, t, thread, &l->c[done++]);
    if (!done)
        return;
    l->n -= done;
    memmove(l->c, l->c + done, l->n * sizeof *l->c);
}
