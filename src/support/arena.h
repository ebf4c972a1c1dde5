// Arena: memory that is freed all at once. Everything that the compiler builds for
// one module lives in one arena, so that no error path has to free pieces.
#ifndef KUDZU_SUPPORT_ARENA_H
#define KUDZU_SUPPORT_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *head;
    size_t bytes; // handed out so far
};

// Zeroed memory of `size` bytes, aligned to 16; valid until arena_free. Never NULL:
// when the system has no memory left, the innermost memory_scope_run is left (memory.h), or the
// process ends with a message.
void *arena_alloc(struct arena *a, size_t size);
// The same, and NULL when there is no memory.
void *arena_try_alloc(struct arena *a, size_t size);
void *arena_memdup(struct arena *a, const void *p, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a);

#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

#endif
