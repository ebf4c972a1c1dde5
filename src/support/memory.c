#include "support/memory.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scope;

// Stands before each block.
struct block {
    _Alignas(16) struct scope *scope; // NULL: of none
    struct block *next, **link;
};

struct scope {
    jmp_buf out;
    struct scope *outer;
    struct block *blocks;
};

static _Thread_local struct scope *current;
static _Thread_local bool is_short, abandoned;
static atomic_long countdown = -1, blocks;
static atomic_bool refused;

// ---- Refusing -----------------------------------------------------------------------------

void memory_refuse(long n) {
    atomic_store(&refused, false);
    atomic_store(&countdown, n);
}

bool memory_refused(void) {
    return atomic_load(&refused);
}

long memory_blocks(void) {
    return atomic_load(&blocks);
}

void memory_is_short(bool yes) {
    is_short = yes;
}

static bool refuse(void) {
    if (is_short)
        return true;
    if (atomic_load_explicit(&countdown, memory_order_relaxed) < 0 ||
        atomic_fetch_sub(&countdown, 1) != 0)
        return false;
    atomic_store(&refused, true);
    return true;
}

void *memory_calloc(size_t n, size_t size) {
    return refuse() ? NULL : calloc(n, size);
}

void *memory_realloc(void *p, size_t size) {
    return refuse() ? NULL : realloc(p, size);
}

char *memory_strdup(const char *s) {
    return refuse() ? NULL : strdup(s);
}

// ---- Blocks -------------------------------------------------------------------------------

static void attach(struct block *b, struct scope *s) {
    b->scope = s;
    if (!s)
        return;
    b->next = s->blocks;
    b->link = &s->blocks;
    if (b->next)
        b->next->link = &b->next;
    s->blocks = b;
}

static void detach(struct block *b) {
    if (!b->scope)
        return;
    *b->link = b->next;
    if (b->next)
        b->next->link = b->link;
    b->scope = NULL;
}

static void *new_in(struct scope *s, size_t size) {
    if (size > SIZE_MAX - sizeof(struct block) || refuse())
        return NULL;
    struct block *b = calloc(1, sizeof *b + size);
    if (!b)
        return NULL;
    attach(b, s);
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    return b + 1;
}

void *memory_new(size_t size) {
    return new_in(current, size);
}

void *memory_new_beside(const void *older, size_t size) {
    return new_in(((const struct block *)older - 1)->scope, size);
}

void *memory_resize(void *p, size_t size) {
    if (!p)
        return memory_new(size);
    struct block *b = (struct block *)p - 1;
    struct scope *s = b->scope;
    if (size > SIZE_MAX - sizeof *b || refuse())
        return NULL;
    detach(b);
    struct block *moved = realloc(b, sizeof *b + size);
    attach(moved ? moved : b, s);
    return moved ? moved + 1 : NULL;
}

void memory_free(void *p) {
    if (!p)
        return;
    struct block *b = (struct block *)p - 1;
    detach(b);
    atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
    free(b);
}

// ---- Scopes -------------------------------------------------------------------------------

_Noreturn void memory_ran_out(void) {
    if (current)
        longjmp(current->out, 1);
    fputs("kudzu: out of memory\n", stderr);
    abort();
}

_Noreturn void memory_abandon(void) {
    abandoned = true;
    if (current)
        longjmp(current->out, 1);
    abort();
}

bool memory_was_abandoned(void) {
    return abandoned;
}

// What outlives a scope belongs to the one around it.
static void hand_over(struct scope *s) {
    for (struct block *b = s->blocks, *next; b; b = next) {
        next = b->next;
        attach(b, s->outer);
    }
}

static void free_all(struct scope *s) {
    while (s->blocks)
        memory_free(s->blocks + 1);
}

bool memory_scope_run(void (*work)(void *), void (*undo)(void *), void *arg) {
    struct scope s = {.outer = current};
    abandoned = false;
    if (setjmp(s.out) == 0) {
        current = &s;
        work(arg);
        current = s.outer;
        hand_over(&s);
        return true;
    }
    current = s.outer;
    if (undo)
        undo(arg);
    free_all(&s);
    return false;
}
