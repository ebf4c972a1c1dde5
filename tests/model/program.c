#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The model ----------------------------------------------------------------------------

struct cell {
    int writer;         // the last operation that wrote it; -1: none
    struct set readers; // since then
    bool live;
};

struct model {
    struct program *p;
    struct random random;
    bool alone;
    struct set host;            // what the host knows to have ended
    struct set stream[STREAMS]; // what comes before the next operation of a stream
    struct set event[EVENTS];
    bool non_blocking[STREAMS];
    struct set orphans; // of blocking streams that were destroyed
    struct set all;
    struct cell cell[ALL_CELLS];
    int slot[SLOTS];     // the template that an executable graph was made of; -1: none
    int launched[SLOTS]; // its last launch; -1: none
};

static uint32_t next_random(struct random *r) {
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = r->state;
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(x >> 32);
}

uint32_t random_below(struct random *r, uint32_t n) {
    return next_random(r) % n;
}

static uint32_t next(struct model *m) {
    return next_random(&m->random);
}

static uint32_t below(struct model *m, uint32_t n) {
    return random_below(&m->random, n);
}

static bool blocking(const struct model *m, int stream) {
    return stream != 0 && !m->non_blocking[stream];
}

// What an operation comes after that is submitted to `stream` now.
static struct set before(const struct model *m, int stream) {
    struct set s = m->host;
    set_join(&s, &m->stream[stream]);
    if (stream == 0) {
        set_join(&s, &m->orphans);
        for (int i = 1; i < STREAMS; i++)
            if (blocking(m, i))
                set_join(&s, &m->stream[i]);
    } else if (blocking(m, stream)) {
        set_join(&s, &m->stream[0]);
    }
    return s;
}

static struct step *add_step(struct model *m, enum step_kind kind) {
    struct step *s = &m->p->steps[m->p->nsteps++];
    *s = (struct step){.kind = kind, .op = -1, .stream = -1, .event = -1, -1, -1, -1};
    return s;
}

// Makes the step an operation of its stream.
static void make_op(struct model *m, struct step *s, const struct set *after) {
    s->op = m->p->nops++;
    m->p->before[s->op] = *after;
    m->p->kind[s->op] = s->kind;
    m->stream[s->stream] = *after;
    set_add(&m->stream[s->stream], s->op);
    set_add(&m->all, s->op);
}

static bool readable(const struct model *m, int c, const struct set *after) {
    const struct cell *cell = &m->cell[c];
    return cell->live && (cell->writer < 0 || set_has(after, cell->writer));
}

static bool writable(const struct model *m, int c, const struct set *after) {
    return readable(m, c, after) && set_within(&m->cell[c].readers, after);
}

enum { ANY = 1, PINNED = 2, DEVICE = 4, TEMP = 8 };

static bool of_kind(int c, int kinds) {
    int kind = c >= CELLS ? TEMP | DEVICE : c >= CELLS / 2 ? PINNED : DEVICE;
    return kinds == ANY || kinds & kind;
}

// A cell that the operation may write (or read); -1: none was found.
static int pick(struct model *m, int kinds, bool write, const struct set *after) {
    for (int tries = 0; tries < 24; tries++) {
        int c = (int)below(m, ALL_CELLS);
        if (of_kind(c, kinds) && (write ? writable(m, c, after) : readable(m, c, after)))
            return c;
    }
    return -1;
}

static void did_read(struct model *m, int c, int op) {
    set_add(&m->cell[c].readers, op);
}

static void did_write(struct model *m, int c, int op) {
    m->cell[c].writer = op;
    m->cell[c].readers = (struct set){{0}};
}

static uint32_t *copy_of(const struct program *p, const uint32_t *words) {
    uint32_t *copy = malloc((size_t)p->words * sizeof *copy);
    return memcpy(copy, words, (size_t)p->words * sizeof *copy);
}

// ---- Steps --------------------------------------------------------------------------------

static int random_stream(struct model *m) {
    return below(m, 8) == 0 ? 0 : (int)below(m, STREAMS);
}

static void step_mix(struct model *m, enum step_kind kind) {
    int stream = random_stream(m), kinds = kind == STEP_KERNEL ? ANY : PINNED;
    struct set after = before(m, stream);
    int dst = pick(m, kinds, true, &after);
    int a = pick(m, kinds, false, &after), b = pick(m, kinds, false, &after);
    if (dst < 0 || a == dst || b == dst || a < 0 || b < 0)
        return;
    struct program *p = m->p;
    struct step *s = add_step(m, kind);
    s->stream = stream;
    s->dst = dst;
    s->a = a;
    s->b = b;
    s->value = next(m);
    s->spin = below(m, 3) ? below(m, 50) : below(m, 3000);
    make_op(m, s, &after);
    did_read(m, a, s->op);
    did_read(m, b, s->op);
    did_write(m, dst, s->op);
    uint32_t salt = mix_salt(s->value, s->spin);
    for (int i = 0; i < p->words; i++)
        p->cells[dst][i] =
            mix_word(p->cells[dst][i], p->cells[a][i], p->cells[b][i], salt, (uint32_t)i);
}

static void step_set(struct model *m, enum step_kind kind) {
    int stream = kind == STEP_SYNC_SET ? 0 : random_stream(m);
    struct set after = before(m, stream);
    int dst = pick(m, kind == STEP_SYNC_SET ? DEVICE : ANY, true, &after);
    if (dst < 0)
        return;
    struct step *s = add_step(m, kind);
    s->stream = stream;
    s->dst = dst;
    s->value = next(m);
    make_op(m, s, &after);
    did_write(m, dst, s->op);
    for (int i = 0; i < m->p->words; i++)
        m->p->cells[dst][i] = s->value;
}

static void step_copy(struct model *m, enum step_kind kind) {
    int stream = kind == STEP_SYNC_COPY ? 0 : random_stream(m);
    int kinds = kind == STEP_SYNC_COPY ? DEVICE : ANY;
    struct set after = before(m, stream);
    int dst = pick(m, kinds, true, &after), a = pick(m, kinds, false, &after);
    if (dst < 0 || a < 0 || a == dst)
        return;
    struct step *s = add_step(m, kind);
    s->stream = stream;
    s->dst = dst;
    s->a = a;
    make_op(m, s, &after);
    did_read(m, a, s->op);
    did_write(m, dst, s->op);
    memcpy(m->p->cells[dst], m->p->cells[a], (size_t)m->p->words * sizeof(uint32_t));
}

static void step_in(struct model *m, enum step_kind kind) {
    int stream = kind == STEP_SYNC_IN ? 0 : random_stream(m);
    struct set after = before(m, stream);
    int dst = pick(m, DEVICE, true, &after);
    if (dst < 0)
        return;
    struct step *s = add_step(m, kind);
    s->stream = stream;
    s->dst = dst;
    s->value = next(m);
    make_op(m, s, &after);
    did_write(m, dst, s->op);
    for (int i = 0; i < m->p->words; i++)
        m->p->cells[dst][i] = in_word(s->value, (uint32_t)i);
}

// The function returns when the copy is complete: the host knows what came before it, too.
static void step_out(struct model *m, enum step_kind kind) {
    int stream = kind == STEP_SYNC_OUT ? 0 : random_stream(m);
    struct set after = before(m, stream);
    int a = pick(m, DEVICE, false, &after);
    if (a < 0)
        return;
    struct step *s = add_step(m, kind);
    s->stream = stream;
    s->a = a;
    make_op(m, s, &after);
    s->expected = copy_of(m->p, m->p->cells[a]);
    set_join(&m->host, &after);
    set_add(&m->host, s->op);
}

static void step_alloc(struct model *m) {
    int c = CELLS + (int)below(m, TEMPS);
    if (m->cell[c].live)
        return;
    struct step *s = add_step(m, STEP_ALLOC);
    s->stream = random_stream(m);
    s->dst = c;
    s->value = next(m);
    struct set after = before(m, s->stream);
    make_op(m, s, &after);
    m->cell[c].live = true;
    did_write(m, c, s->op);
    m->p->cells[c] = malloc((size_t)m->p->words * sizeof(uint32_t));
    for (int i = 0; i < m->p->words; i++)
        m->p->cells[c][i] = s->value;
}

static void step_free(struct model *m) {
    int stream = random_stream(m);
    struct set after = before(m, stream);
    int c = pick(m, TEMP, true, &after);
    if (c < CELLS)
        return;
    struct step *s = add_step(m, STEP_FREE);
    s->stream = stream;
    s->dst = c;
    make_op(m, s, &after);
    m->cell[c].live = false;
    free(m->p->cells[c]);
    m->p->cells[c] = NULL;
}

static void step_record(struct model *m, enum step_kind kind) {
    struct step *s = add_step(m, kind);
    s->stream = random_stream(m);
    s->event = (int)below(m, EVENTS);
    struct set after = before(m, s->stream);
    make_op(m, s, &after);
    m->event[s->event] = m->stream[s->stream];
    m->p->record[s->event] = s->op;
}

// A wait for an event that has happened is nothing at all: on the legacy stream, too, which then
// does not wait for the others.
static void step_wait(struct model *m, enum step_kind kind) {
    struct step *s = add_step(m, kind);
    s->stream = random_stream(m);
    s->event = (int)below(m, EVENTS);
    struct set after = m->host;
    set_join(&after, &m->stream[s->stream]);
    set_join(&after, &m->event[s->event]);
    make_op(m, s, &after);
}

static void new_stream(struct model *m, int stream) {
    struct step *s = add_step(m, STEP_NEW_STREAM);
    s->stream = stream;
    if (blocking(m, s->stream))
        set_join(&m->orphans, &m->stream[s->stream]);
    s->non_blocking = below(m, 3) == 0;
    s->priority = -(int)below(m, 6);
    m->non_blocking[s->stream] = s->non_blocking;
    m->stream[s->stream] = (struct set){{0}};
}

static void new_event(struct model *m, int event) {
    struct step *s = add_step(m, STEP_NEW_EVENT);
    s->event = event;
    m->event[s->event] = (struct set){{0}};
    m->p->record[s->event] = -1;
}

// What a wait for a stream waits for: the legacy one stands for the blocking ones too.
static struct set stream_work(const struct model *m, int stream) {
    return stream == 0 ? before(m, 0) : m->stream[stream];
}

static void step_host_waits(struct model *m, enum step_kind kind) {
    struct step *s = add_step(m, kind);
    struct set done = m->all;
    if (kind == STEP_SYNC_STREAM) {
        s->stream = random_stream(m);
        done = stream_work(m, s->stream);
    } else if (kind == STEP_SYNC_EVENT) {
        s->event = (int)below(m, EVENTS);
        done = m->event[s->event];
    }
    set_join(&m->host, &done);
}

static void step_query(struct model *m, enum step_kind kind) {
    struct step *s = add_step(m, kind);
    if (kind == STEP_QUERY_STREAM) {
        s->stream = random_stream(m);
        s->ended = stream_work(m, s->stream);
        s->ready = set_within(&s->ended, &m->host) && (m->alone || s->stream);
    } else {
        s->event = (int)below(m, EVENTS);
        s->ended = m->event[s->event];
        s->ready = set_within(&s->ended, &m->host);
    }
}

static void step_host_access(struct model *m, enum step_kind kind) {
    int c = pick(m, PINNED, kind == STEP_HOST_WRITE, &m->host);
    if (c < 0)
        return;
    struct step *s = add_step(m, kind);
    s->dst = c;
    s->value = next(m);
    if (kind == STEP_HOST_READ) {
        s->expected = copy_of(m->p, m->p->cells[c]);
        return;
    }
    for (int i = 0; i < m->p->words; i++)
        m->p->cells[c][i] = in_word(s->value, (uint32_t)i);
}

static void step_capture(struct model *m, enum step_kind kind) {
    struct program *p = m->p;
    if (p->ngraphs == TEMPLATES)
        return;
    struct step *s = add_step(m, kind);
    s->slot = (int)below(m, SLOTS);
    s->graph = p->ngraphs++;
    graph_make(p, &p->graphs[s->graph], &m->random, m->slot);
    m->slot[s->slot] = s->graph;
    m->launched[s->slot] = -1;
}

static bool may_update(const struct graph *g) {
    for (int i = 0; i < g->nsteps; i++)
        if (g->steps[i].kind == STEP_LAUNCH)
            return false;
    return !g->allocates;
}

// Launches that are queued keep the values that they had.
static void step_update(struct model *m, enum step_kind kind) {
    struct program *p = m->p;
    int slot = (int)below(m, SLOTS);
    if (p->ngraphs == TEMPLATES || m->slot[slot] < 0 || !may_update(&p->graphs[m->slot[slot]]))
        return;
    struct step *s = add_step(m, kind);
    s->slot = slot;
    s->graph = p->ngraphs++;
    struct graph *g = &p->graphs[s->graph];
    *g = p->graphs[m->slot[slot]];
    for (int i = 0; i < g->nsteps; i++)
        g->steps[i].value = next(m);
    m->slot[slot] = s->graph;
}

static bool may_launch(const struct model *m, const struct graph *g, const struct set *after) {
    for (int c = 0; c < CELLS; c++) {
        if (g->writes >> c & 1 && !writable(m, c, after))
            return false;
        if (g->reads >> c & 1 && !readable(m, c, after))
            return false;
    }
    return true;
}

// A graph is one operation for what is around it. Launches of one executable graph follow each
// other.
static void step_launch(struct model *m, enum step_kind kind) {
    int slot = (int)below(m, SLOTS), stream = random_stream(m);
    struct set after = before(m, stream);
    if (m->slot[slot] < 0)
        return;
    if (m->launched[slot] >= 0) {
        set_join(&after, &m->p->before[m->launched[slot]]);
        set_add(&after, m->launched[slot]);
    }
    const struct graph *g = &m->p->graphs[m->slot[slot]];
    if (!may_launch(m, g, &after))
        return;
    struct step *s = add_step(m, kind);
    s->stream = stream;
    s->slot = slot;
    s->graph = m->slot[slot];
    make_op(m, s, &after);
    m->launched[slot] = s->op;
    for (int c = 0; c < CELLS; c++) {
        if (g->writes >> c & 1)
            did_write(m, c, s->op);
        else if (g->reads >> c & 1)
            did_read(m, c, s->op);
    }
    graph_apply(m->p, g, m->p->cells);
}

static void (*const make[STEP_KINDS])(struct model *, enum step_kind) = {
    [STEP_KERNEL] = step_mix,
    [STEP_HOST] = step_mix,
    [STEP_CALLBACK] = step_mix,
    [STEP_SET] = step_set,
    [STEP_COPY] = step_copy,
    [STEP_COPY_2D] = step_copy,
    [STEP_COPY_IN] = step_in,
    [STEP_COPY_OUT] = step_out,
    [STEP_SYNC_SET] = step_set,
    [STEP_SYNC_COPY] = step_copy,
    [STEP_SYNC_IN] = step_in,
    [STEP_SYNC_OUT] = step_out,
    [STEP_RECORD] = step_record,
    [STEP_WAIT] = step_wait,
    [STEP_SYNC_STREAM] = step_host_waits,
    [STEP_SYNC_EVENT] = step_host_waits,
    [STEP_SYNC_CONTEXT] = step_host_waits,
    [STEP_QUERY_STREAM] = step_query,
    [STEP_QUERY_EVENT] = step_query,
    [STEP_HOST_WRITE] = step_host_access,
    [STEP_HOST_READ] = step_host_access,
    [STEP_CAPTURE] = step_capture,
    [STEP_UPDATE] = step_update,
    [STEP_LAUNCH] = step_launch,
};

// How often each kind of step is tried.
static const uint8_t weight[STEP_KINDS] = {
    [STEP_KERNEL] = 20,      [STEP_HOST] = 6,         [STEP_CALLBACK] = 2,    [STEP_SET] = 6,
    [STEP_COPY] = 12,        [STEP_COPY_2D] = 4,      [STEP_COPY_IN] = 6,     [STEP_COPY_OUT] = 1,
    [STEP_SYNC_SET] = 1,     [STEP_SYNC_COPY] = 2,    [STEP_SYNC_IN] = 1,     [STEP_SYNC_OUT] = 1,
    [STEP_ALLOC] = 4,        [STEP_FREE] = 4,         [STEP_RECORD] = 16,     [STEP_WAIT] = 16,
    [STEP_NEW_STREAM] = 2,   [STEP_NEW_EVENT] = 2,    [STEP_SYNC_STREAM] = 2, [STEP_SYNC_EVENT] = 2,
    [STEP_SYNC_CONTEXT] = 1, [STEP_QUERY_STREAM] = 2, [STEP_QUERY_EVENT] = 2, [STEP_HOST_WRITE] = 4,
    [STEP_HOST_READ] = 4,    [STEP_CAPTURE] = 3,      [STEP_UPDATE] = 3,      [STEP_LAUNCH] = 14,
};

static void random_step(struct model *m) {
    uint32_t total = 0;
    for (int i = 0; i < STEP_KINDS; i++)
        total += weight[i];
    uint32_t at = below(m, total);
    int kind = 0;
    while (at >= weight[kind])
        at -= weight[kind++];
    if (kind == STEP_ALLOC)
        step_alloc(m);
    else if (kind == STEP_FREE)
        step_free(m);
    else if (kind == STEP_NEW_STREAM)
        new_stream(m, FIRST_STREAM + (int)below(m, STREAMS - FIRST_STREAM));
    else if (kind == STEP_NEW_EVENT)
        new_event(m, (int)below(m, EVENTS));
    else
        make[kind](m, (enum step_kind)kind);
}

struct program *program_new(uint64_t seed, bool alone) {
    struct program *p = calloc(1, sizeof *p);
    struct model *m = calloc(1, sizeof *m);
    *m = (struct model){.p = p, .random = {seed * 2 + 1}, .alone = alone};
    for (int i = 0; i < SLOTS; i++)
        m->slot[i] = m->launched[i] = -1;
    next(m);
    static const int words[] = {16, 16, 64, 1024, MAX_WORDS};
    p->words = words[below(m, 5)];
    for (int i = FIRST_STREAM; i < STREAMS; i++)
        new_stream(m, i);
    for (int i = 0; i < EVENTS; i++)
        new_event(m, i);
    for (int c = 0; c < ALL_CELLS; c++) {
        m->cell[c].writer = -1;
        m->cell[c].live = c < CELLS;
        if (c < CELLS)
            p->cells[c] = calloc((size_t)p->words, sizeof(uint32_t));
    }
    int steps = 20 + (int)below(m, 200);
    while (p->nsteps < steps && p->nops < MAX_OPS)
        random_step(m);
    free(m);
    return p;
}

void program_free(struct program *p) {
    for (int i = 0; i < p->nsteps; i++)
        free(p->steps[i].expected);
    for (int c = 0; c < ALL_CELLS; c++)
        free(p->cells[c]);
    free(p);
}

static const char *const names[STEP_KINDS] = {
    "kernel",      "host function", "callback",     "set",          "copy",        "copy 2-D",
    "copy in",     "copy out",      "set, sync",    "copy, sync",   "in, sync",    "out, sync",
    "alloc",       "free",          "record",       "wait",         "new stream",  "new event",
    "sync stream", "sync event",    "sync context", "query stream", "query event", "host writes",
    "host reads",  "capture",       "update",       "launch",
};

static void print_step(const struct step *s) {
    if (s->op >= 0)
        printf("%4d ", s->op);
    else
        printf("     ");
    printf("%s", names[s->kind]);
    const struct {
        const char *name;
        int value;
    } parts[] = {
        {"stream", s->stream}, {"event", s->event}, {"dst", s->dst}, {"a", s->a}, {"b", s->b}};
    for (int i = 0; i < 5; i++)
        if (parts[i].value >= 0)
            printf(" %s %d", parts[i].name, parts[i].value);
    if (s->kind >= STEP_CAPTURE)
        printf(" executable graph %d of graph %d", s->slot, s->graph);
    if (s->kind == STEP_NEW_STREAM)
        printf("%s priority %d", s->non_blocking ? " non-blocking" : "", s->priority);
    printf("\n");
}

void program_print(const struct program *p) {
    printf("cells of %d words\n", p->words);
    for (int g = 0; g < p->ngraphs; g++) {
        printf("graph %d:\n", g);
        for (int i = 0; i < p->graphs[g].nsteps; i++)
            print_step(&p->graphs[g].steps[i]);
    }
    printf("program:\n");
    for (int i = 0; i < p->nsteps; i++)
        print_step(&p->steps[i]);
}
