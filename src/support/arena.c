#include "support/arena.h"

#include <stdio.h>
#include <string.h>

#include "support/memory.h"

enum { CHUNK_BYTES = 64 * 1024, ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    _Alignas(ALIGN) unsigned char data[];
};

static struct arena_chunk *add_chunk(struct arena *a, size_t need) {
    size_t size = need > CHUNK_BYTES ? need : CHUNK_BYTES;
    if (size > SIZE_MAX - sizeof(struct arena_chunk))
        return NULL;
    // A chunk lives as long as those before it.
    size_t bytes = sizeof(struct arena_chunk) + size;
    struct arena_chunk *c = a->head ? memory_new_beside(a->head, bytes) : memory_new(bytes);
    if (!c)
        return NULL;
    c->size = size;
    c->next = a->head;
    a->head = c;
    return c;
}

void *arena_try_alloc(struct arena *a, size_t size) {
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct arena_chunk *c = a->head;
    if (!c || c->size - c->used < size)
        c = add_chunk(a, size);
    if (!c)
        return NULL;
    void *p = c->data + c->used;
    c->used += size;
    a->bytes += size;
    return p;
}

void *arena_alloc(struct arena *a, size_t size) {
    void *p = arena_try_alloc(a, size);
    if (!p)
        memory_ran_out();
    return p;
}

void *arena_memdup(struct arena *a, const void *p, size_t size) {
    void *q = arena_alloc(a, size);
    if (size)
        memcpy(q, p, size);
    return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n) {
    char *q = arena_alloc(a, n + 1);
    memcpy(q, s, n);
    return q;
}

char *arena_strdup(struct arena *a, const char *s) {
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...) {
    va_list ap, ap2;
    va_start(ap, fmt);
    va_copy(ap2, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *q = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0)
        vsnprintf(q, (size_t)n + 1, fmt, ap2);
    va_end(ap2);
    return q;
}

void arena_free(struct arena *a) {
    for (struct arena_chunk *c = a->head, *next; c; c = next) {
        next = c->next;
        memory_free(c);
    }
    *a = (struct arena){0};
}
