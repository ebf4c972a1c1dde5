// Memory of the compiler, and what happens when there is none left: the work in hand ends, not the
// process. Within memory_scope_run an allocation that the system refuses leaves the work by a jump;
// what the work had allocated by then through the functions below is freed.
#ifndef KUDZU_SUPPORT_MEMORY_H
#define KUDZU_SUPPORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Calls work(arg). False: memory ran out in it, and everything that it allocated here is gone, also
// where something older points to it. Before that, undo(arg) (may be NULL) releases what else the
// work holds. Scopes nest. Work that the jump leaves must not hold locks.
bool memory_scope_run(void (*work)(void *), void (*undo)(void *), void *arg);

// Leaves the innermost scope of the calling thread; without one the process ends with a message.
_Noreturn void memory_ran_out(void);

// Leaves the innermost scope for another reason; the rest is the same.
_Noreturn void memory_abandon(void);
// Whether that ended the calling thread's last scope.
bool memory_was_abandoned(void);

// Zeroed memory, aligned to 16; NULL when there is none. It belongs to the innermost scope.
void *memory_new(size_t size);
// The same, of the scope that `older` belongs to, if that belongs to one.
void *memory_new_beside(const void *older, size_t size);
// p may be NULL, then the block belongs to the scope; what is added is not zeroed. NULL: p is as it
// was.
void *memory_resize(void *p, size_t size);
void memory_free(void *p);

// As calloc and realloc, for blocks that free() takes.
void *memory_calloc(size_t n, size_t size);
void *memory_realloc(void *p, size_t size);
char *memory_strdup(const char *s);

// Of the calling thread: while memory is short, every allocation here is refused, so that the work
// in hand ends before what is left is used up.
void memory_is_short(bool yes);

// For tests: the n-th allocation from now (0: the next one) is refused, negative: none. Blocks of
// memory_new and its kind that are not freed.
void memory_refuse(long n);
bool memory_refused(void); // it has come to pass
long memory_blocks(void);

#endif
