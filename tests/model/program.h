// Random programs of streams and what must come of them.
//
// A program is a list of steps of one host thread. While it is made up, a sequential model keeps
// for every operation the set of operations that have to end before it begins (guide 6.2.8.5:
// order in a stream, the legacy default stream, events, what the host waited for) and the contents
// of the memory cells. An operation gets only cells whose earlier accesses it comes after, so the
// contents are the same in every order that the rules allow.
#ifndef KUDZU_TESTS_MODEL_PROGRAM_H
#define KUDZU_TESTS_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_OPS = 256,
    MAX_STEPS = 512,
    STREAMS = 8, // 0: legacy default, 1: per-thread default, others: created
    FIRST_STREAM = 2,
    EVENTS = 6,
    CELLS = 12, // the first half is device memory, the second pinned host memory
    TEMPS = 3,  // stream-ordered allocations
    ALL_CELLS = CELLS + TEMPS,
    MAX_WORDS = 1 << 14,
    SLOTS = 3,      // of executable graphs
    TEMPLATES = 24, // graphs that a program captures at most
    GRAPH_STREAMS = 3,
    GRAPH_EVENTS = 4,
    GRAPH_STEPS = 40,
    GRAPH_TEMP = ALL_CELLS, // what a graph allocates for itself
};

struct set {
    uint64_t w[MAX_OPS / 64];
};

static inline void set_add(struct set *s, int i) {
    s->w[i / 64] |= UINT64_C(1) << (i % 64);
}
static inline bool set_has(const struct set *s, int i) {
    return s->w[i / 64] >> (i % 64) & 1;
}
static inline void set_join(struct set *s, const struct set *other) {
    for (int i = 0; i < MAX_OPS / 64; i++)
        s->w[i] |= other->w[i];
}
static inline bool set_within(const struct set *s, const struct set *all) {
    for (int i = 0; i < MAX_OPS / 64; i++)
        if (s->w[i] & ~all->w[i])
            return false;
    return true;
}

enum step_kind {
    STEP_KERNEL,      // dst = mix(dst, a, b)
    STEP_HOST,        // the same by a host function; pinned cells
    STEP_CALLBACK,    // the same by cuStreamAddCallback
    STEP_SET,         // dst = value everywhere
    STEP_COPY,        // dst = a
    STEP_COPY_2D,     // the same as a box of rows
    STEP_COPY_IN,     // dst = words of pageable memory, changed as soon as the call returns
    STEP_COPY_OUT,    // pageable memory = a, there when the call returns
    STEP_SYNC_SET,    // without Async: on the legacy stream
    STEP_SYNC_COPY,   // the same
    STEP_SYNC_IN,     // the same, out of pageable memory
    STEP_SYNC_OUT,    // the same, to pageable memory
    STEP_ALLOC,       // a temporary cell, set to a value
    STEP_FREE,        // of a temporary cell
    STEP_RECORD,      // event in stream
    STEP_WAIT,        // stream waits for event
    STEP_NEW_STREAM,  // a stream is made; the one that was in its place is destroyed
    STEP_NEW_EVENT,   // the same with an event
    STEP_SYNC_STREAM, // the host waits
    STEP_SYNC_EVENT,
    STEP_SYNC_CONTEXT,
    STEP_QUERY_STREAM,
    STEP_QUERY_EVENT,
    STEP_HOST_WRITE, // the host changes a pinned cell
    STEP_HOST_READ,  // the host looks at a pinned cell
    STEP_CAPTURE,    // a graph is captured and becomes an executable one
    STEP_UPDATE,     // the same capture with other values, which an executable graph gets
    STEP_LAUNCH,     // of an executable graph; in a graph: a child graph
    STEP_KINDS,
};

struct step {
    enum step_kind kind;
    int op; // its number among the operations; -1: none
    int stream, event;
    int dst, a, b;
    uint32_t value, spin;
    int priority;       // STEP_NEW_STREAM
    bool non_blocking;  // STEP_NEW_STREAM
    bool ready;         // queries: the answer must be that all is done
    struct set ended;   // queries: what must have ended when the answer is that all is done
    uint32_t *expected; // *_OUT, STEP_HOST_READ: the words; owned
    int slot, graph;    // STEP_CAPTURE, STEP_LAUNCH: executable graph; which template
};

// What is captured into a graph: streams and events are some of its own, stream 0 is where the
// capture begins and ends. Numbers of operations count within the graph.
struct graph {
    struct step steps[GRAPH_STEPS + 16];
    int nsteps, nops;
    bool allocates;
    uint32_t reads, writes; // cells, one bit each, with those of child graphs
};

struct program {
    struct step steps[MAX_STEPS];
    int nsteps, nops;
    int words;                    // of a cell
    struct set before[MAX_OPS];   // what must have ended when the operation begins
    enum step_kind kind[MAX_OPS]; // of the operations
    uint32_t *cells[ALL_CELLS];   // contents at the end; NULL: a temporary one that is free
    int record[EVENTS];           // the operation of the last record; -1: none
    struct graph graphs[TEMPLATES];
    int ngraphs;
};

// Makes program number `seed`. alone: no other thread uses the context.
struct program *program_new(uint64_t seed, bool alone);
void program_free(struct program *p);
void program_print(const struct program *p);

// Does to the cells what a launch of a graph does.
void graph_apply(const struct program *p, const struct graph *g, uint32_t **cells);

// What kernels and host functions compute.
static inline uint32_t mix_salt(uint32_t salt, uint32_t spin) {
    for (; spin; spin--) {
        salt = salt * 1664525 + 1013904223;
        salt ^= salt >> 13;
    }
    return salt;
}
static inline uint32_t mix_word(uint32_t dst, uint32_t a, uint32_t b, uint32_t salt, uint32_t i) {
    return dst * 7 + a * 3 + b * 5 + salt + i;
}
// What pageable memory holds for copies in.
static inline uint32_t in_word(uint32_t value, uint32_t i) {
    return value + i * 2654435761u;
}

#endif
