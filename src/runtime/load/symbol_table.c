// Open addressing with linear probing. A removed slot keeps its key, so that probing goes on.
#include "runtime/load/symbol_table.h"

#include <stdint.h>
#include <stdlib.h>

static size_t hash(const void *key) {
    uint64_t x = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    return (size_t)(x >> 32);
}

// The slot that holds the key, or the free one where it would go. There is always a free one.
static struct rt_symbol *slot_of(const struct rt_symbol_table *table, const void *key) {
    size_t i = hash(key) & (table->capacity - 1);
    while (table->slots[i].key && table->slots[i].key != key)
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

struct rt_symbol *rt_symbol_find(const struct rt_symbol_table *table, const void *key) {
    if (!table->capacity || !key)
        return NULL;
    struct rt_symbol *slot = slot_of(table, key);
    return slot->key && slot->kind != RT_SYMBOL_NONE ? slot : NULL;
}

static bool grow(struct rt_symbol_table *table) {
    struct rt_symbol_table bigger = {NULL, 0, table->capacity ? table->capacity * 2 : 64};
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].kind == RT_SYMBOL_NONE)
            continue;
        *slot_of(&bigger, table->slots[i].key) = table->slots[i];
        bigger.used++;
    }
    free(table->slots);
    *table = bigger;
    return true;
}

bool rt_symbol_add(struct rt_symbol_table *table, struct rt_symbol symbol) {
    if (!symbol.key)
        return true;
    if ((table->used + 1) * 2 > table->capacity && !grow(table))
        return false;
    struct rt_symbol *slot = slot_of(table, symbol.key);
    if (slot->kind != RT_SYMBOL_NONE)
        return true;
    table->used += slot->key == NULL;
    *slot = symbol;
    return true;
}

static void clear(struct rt_symbol *slot) {
    *slot = (struct rt_symbol){.key = slot->key, .kind = RT_SYMBOL_NONE};
}

void rt_symbol_remove(struct rt_symbol_table *table, const void *key) {
    struct rt_symbol *slot = rt_symbol_find(table, key);
    if (slot)
        clear(slot);
}

void rt_symbol_remove_image(struct rt_symbol_table *table, const struct rt_image *image) {
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].kind != RT_SYMBOL_NONE && table->slots[i].image == image)
            clear(&table->slots[i]);
}
