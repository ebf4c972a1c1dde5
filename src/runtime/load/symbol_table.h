// Host addresses that stand for kernels and variables, as a hash table. Not thread-safe.
#ifndef KUDZU_RUNTIME_SYMBOL_TABLE_H
#define KUDZU_RUNTIME_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda.h"

struct rt_image;

enum rt_symbol_kind {
    RT_SYMBOL_NONE,
    RT_SYMBOL_KERNEL,
    RT_SYMBOL_VARIABLE,
    RT_SYMBOL_HANDLE,  // the key is a kernel handle itself
    RT_SYMBOL_TEXTURE, // references
    RT_SYMBOL_SURFACE,
};

struct rt_symbol {
    const void *key;
    enum rt_symbol_kind kind;
    struct rt_image *image;
    const char *name; // of the device's object; lives as long as the image
    CUkernel kernel;  // NULL until first used
    // The kernel in one context: valid in `context` as of `generation`; NULL until first launched.
    CUfunction function;
    CUcontext context;
    uint64_t generation;
    // A texture reference: cudaTextureReadMode, and what the latest binding in `context` was.
    int read_mode;
    bool bound;
    size_t offset;
};

struct rt_symbol_table {
    struct rt_symbol *slots;
    size_t used; // removed ones included
    size_t capacity;
};

// NULL when there is none.
struct rt_symbol *rt_symbol_find(const struct rt_symbol_table *table, const void *key);
// Keeps what is already there under the same key. False when memory ran out.
bool rt_symbol_add(struct rt_symbol_table *table, struct rt_symbol symbol);
void rt_symbol_remove(struct rt_symbol_table *table, const void *key);
void rt_symbol_remove_image(struct rt_symbol_table *table, const struct rt_image *image);

#endif
