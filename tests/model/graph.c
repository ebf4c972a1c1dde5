// Graphs of random programs: what is captured, and what a launch does.
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct maker {
    struct program *p;
    struct graph *g;
    struct random *random;
    const int *launchable;
    bool captured[GRAPH_STREAMS];     // the stream takes part
    struct set stream[GRAPH_STREAMS]; // what comes before its next operation
    struct set event[GRAPH_EVENTS];
    bool recorded[GRAPH_EVENTS];
    int writer[GRAPH_TEMP + 1];
    struct set readers[GRAPH_TEMP + 1];
};

static int below(struct maker *m, int n) {
    return (int)random_below(m->random, (uint32_t)n);
}

static struct step *add(struct maker *m, enum step_kind kind, int stream) {
    struct step *s = &m->g->steps[m->g->nsteps++];
    *s = (struct step){.kind = kind, .op = -1, .stream = stream, .event = -1, -1, -1, -1};
    return s;
}

static void make_op(struct maker *m, struct step *s) {
    s->op = m->g->nops++;
    s->value = random_below(m->random, UINT32_MAX);
    set_add(&m->stream[s->stream], s->op);
}

static bool readable(const struct maker *m, int c, int stream) {
    return m->writer[c] < 0 || set_has(&m->stream[stream], m->writer[c]);
}

static bool writable(const struct maker *m, int c, int stream) {
    return readable(m, c, stream) && set_within(&m->readers[c], &m->stream[stream]);
}

// -1: none was found.
static int pick(struct maker *m, int stream, bool pinned, bool write) {
    for (int tries = 0; tries < 16; tries++) {
        int c = below(m, CELLS + 1);
        c = c == CELLS ? GRAPH_TEMP : c;
        if ((c == GRAPH_TEMP && !m->g->allocates) || (pinned && (c < CELLS / 2 || c == GRAPH_TEMP)))
            continue;
        if (write ? writable(m, c, stream) : readable(m, c, stream))
            return c;
    }
    return -1;
}

static void reads(struct maker *m, int c, int op) {
    set_add(&m->readers[c], op);
    if (c < CELLS)
        m->g->reads |= 1u << c;
}

static void writes(struct maker *m, int c, int op) {
    m->writer[c] = op;
    m->readers[c] = (struct set){{0}};
    if (c < CELLS)
        m->g->writes |= 1u << c;
}

static void make_access(struct maker *m, enum step_kind kind, int stream) {
    bool pinned = kind == STEP_HOST, mixes = kind == STEP_HOST || kind == STEP_KERNEL;
    int dst = pick(m, stream, pinned, true);
    int a = kind == STEP_SET ? -1 : pick(m, stream, pinned, false);
    int b = mixes ? pick(m, stream, pinned, false) : -1;
    if (dst < 0 || (kind != STEP_SET && (a < 0 || a == dst)) || (mixes && (b < 0 || b == dst)))
        return;
    struct step *s = add(m, kind, stream);
    s->dst = dst;
    s->a = a;
    s->b = b;
    make_op(m, s);
    s->spin = below(m, 3) ? (uint32_t)below(m, 50) : (uint32_t)below(m, 3000);
    if (a >= 0)
        reads(m, a, s->op);
    if (b >= 0)
        reads(m, b, s->op);
    if (mixes && dst < CELLS)
        m->g->reads |= 1u << dst;
    writes(m, dst, s->op);
}

static void make_record(struct maker *m, int stream, int event) {
    add(m, STEP_RECORD, stream)->event = event;
    m->event[event] = m->stream[stream];
    m->recorded[event] = true;
}

static void make_wait(struct maker *m, int stream, int event) {
    if (!m->recorded[event])
        return;
    add(m, STEP_WAIT, stream)->event = event;
    set_join(&m->stream[stream], &m->event[event]);
    m->captured[stream] = true;
}

static bool child_fits(const struct maker *m, const struct graph *child, int stream) {
    if (child->allocates)
        return false;
    for (int c = 0; c < CELLS; c++)
        if ((child->writes >> c & 1 && !writable(m, c, stream)) ||
            (child->reads >> c & 1 && !readable(m, c, stream)))
            return false;
    return true;
}

static void make_child(struct maker *m, int stream) {
    int slot = below(m, SLOTS);
    const struct graph *child = m->launchable[slot] < 0 ? NULL : &m->p->graphs[m->launchable[slot]];
    if (!child || !child_fits(m, child, stream))
        return;
    struct step *s = add(m, STEP_LAUNCH, stream);
    s->slot = slot;
    s->graph = m->launchable[slot];
    make_op(m, s);
    for (int c = 0; c < CELLS; c++) {
        if (child->reads >> c & 1)
            reads(m, c, s->op);
        if (child->writes >> c & 1)
            writes(m, c, s->op);
    }
}

static void make_step(struct maker *m) {
    static const enum step_kind kinds[] = {STEP_KERNEL, STEP_KERNEL, STEP_KERNEL, STEP_HOST,
                                           STEP_SET,    STEP_COPY,   STEP_COPY_2D};
    int stream = below(m, GRAPH_STREAMS), what = below(m, 14);
    if (what == 0)
        make_wait(m, stream, below(m, GRAPH_EVENTS));
    if (!m->captured[stream])
        return;
    if (what < 3)
        make_record(m, stream, below(m, GRAPH_EVENTS));
    else if (what < 6)
        make_wait(m, stream, below(m, GRAPH_EVENTS));
    else if (what == 6)
        make_child(m, stream);
    else
        make_access(m, kinds[below(m, 7)], stream);
}

void graph_make(struct program *p, struct graph *g, struct random *r, const int *launchable) {
    struct maker *m = calloc(1, sizeof *m);
    *m = (struct maker){.p = p, .g = g, .random = r, .launchable = launchable};
    for (int c = 0; c <= GRAPH_TEMP; c++)
        m->writer[c] = -1;
    m->captured[0] = true;
    g->allocates = below(m, 3) == 0;
    if (g->allocates) {
        struct step *s = add(m, STEP_ALLOC, 0);
        s->dst = GRAPH_TEMP;
        make_op(m, s);
        writes(m, GRAPH_TEMP, s->op);
    }
    make_record(m, 0, 0);
    for (int n = 5 + below(m, GRAPH_STEPS - 10), i = 0; i < n; i++)
        make_step(m);
    for (int s = 1; s < GRAPH_STREAMS; s++) {
        if (m->captured[s]) {
            make_record(m, s, 1);
            make_wait(m, 0, 1);
        }
    }
    if (g->allocates)
        add(m, STEP_FREE, 0)->dst = GRAPH_TEMP;
    free(m);
}

// ---- What a launch does -------------------------------------------------------------------

static void apply_step(const struct program *p, const struct step *s, uint32_t **cells) {
    size_t bytes = (size_t)p->words * sizeof(uint32_t);
    uint32_t salt = mix_salt(s->value, s->spin);
    switch (s->kind) {
    case STEP_KERNEL:
    case STEP_HOST:
        for (int i = 0; i < p->words; i++)
            cells[s->dst][i] =
                mix_word(cells[s->dst][i], cells[s->a][i], cells[s->b][i], salt, (uint32_t)i);
        break;
    case STEP_SET:
    case STEP_ALLOC:
        for (int i = 0; i < p->words; i++)
            cells[s->dst][i] = s->value;
        break;
    case STEP_COPY:
    case STEP_COPY_2D:
        memcpy(cells[s->dst], cells[s->a], bytes);
        break;
    case STEP_LAUNCH:
        graph_apply(p, &p->graphs[s->graph], cells);
        break;
    default:
        break;
    }
}

void graph_apply(const struct program *p, const struct graph *g, uint32_t **cells) {
    uint32_t *all[GRAPH_TEMP + 1];
    memcpy(all, cells, ALL_CELLS * sizeof *all);
    all[GRAPH_TEMP] = malloc((size_t)p->words * sizeof(uint32_t));
    for (int i = 0; i < g->nsteps; i++)
        apply_step(p, &g->steps[i], all);
    free(all[GRAPH_TEMP]);
}
