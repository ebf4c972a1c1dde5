#ifndef KUDZU_CODEGEN_NUMBER_TABLE_H
#define KUDZU_CODEGEN_NUMBER_TABLE_H

#include <stdint.h>

#include "support/arena.h"

// Numbers of what LLVM has pointers to (values, blocks), in the order in which they are added.
struct number_table {
    const void **key; // by number
    uint32_t n, *slot, slots;
};

// For at most `most` keys; memory is of `a`.
static inline struct number_table number_table_new(struct arena *a, uint32_t most) {
    struct number_table t = {.key = arena_array(a, const void *, most + 1), .slots = 64};
    while (t.slots < 2 * most)
        t.slots *= 2;
    t.slot = arena_array(a, uint32_t, t.slots);
    return t;
}

static inline uint32_t *number_table_slot(const struct number_table *t, const void *key) {
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull >> 20;
    for (;; h++) {
        uint32_t *s = &t->slot[h & (t->slots - 1)];
        if (!*s || t->key[*s - 1] == key)
            return s;
    }
}

// The number of `key`, plus one; 0: it has not been added.
static inline uint32_t number_table_find(const struct number_table *t, const void *key) {
    return *number_table_slot(t, key);
}

// Adds a key that is not there yet, and gives its number.
static inline uint32_t number_table_add(struct number_table *t, const void *key) {
    t->key[t->n] = key;
    *number_table_slot(t, key) = t->n + 1;
    return t->n++;
}

#endif
