// Stacks are mapped in slabs of several and kept for the life of the process: a runner takes
// and gives them back without a system call.
#include "device/exec/fiber.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "device/memory/page.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 // Linux 6.13: guard pages that do not split a mapping
#endif

// Without MADV_GUARD_INSTALL each guard costs mappings, of which a process has 65,530 by
// default: beyond this many, stacks of the smallest class go without.
enum { MAX_SPLITS = 8000 };
static atomic_int splits;

static uint64_t guard_bytes(unsigned shift) {
    return shift > STACK_MIN_SHIFT ? 64u << 10 : page_bytes();
}

// Emulators say yes to every advice and do nothing: what accepts nonsense is not believed.
static bool install_guard(uint8_t *p, uint64_t size) {
    enum { NONSENSE = 0x7ffe };
    return madvise(p, size, MADV_GUARD_INSTALL) == 0 && madvise(p, size, NONSENSE) != 0;
}

static void protect(uint8_t *p, uint64_t size) {
    if (install_guard(p, size))
        return;
    if (atomic_fetch_add(&splits, 1) < MAX_SPLITS || size > page_bytes())
        mprotect(p, size, PROT_NONE);
}

// Stacks lie whole pages apart, and their warps use the same depth of them: their first lines are
// spread over a page, or all would want the same few places of the cache.
enum { SPREAD_STEP = 17 * 64 };

static bool grow(struct stack_pool *pool, unsigned shift) {
    uint64_t spread = page_bytes(), size = ((uint64_t)1 << shift) + spread,
             guard = guard_bytes(shift);
    size_t n = shift == STACK_MIN_SHIFT ? 64 : shift < 21 ? 8 : 1;
    struct stack *s = calloc(n, sizeof *s);
    if (!s)
        return false;
    uint8_t *p = mmap(NULL, n * (size + guard), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        free(s);
        return false;
    }
    // Huge pages would make each stack cost two megabytes.
    madvise(p, n * (size + guard), MADV_NOHUGEPAGE);
    for (size_t i = n; i-- > 0;) {
        protect(p + i * (size + guard), guard);
        s[i].low = p + i * (size + guard) + guard;
        s[i].high = s[i].low + size - i * SPREAD_STEP % spread;
        s[i].shift = (uint8_t)shift;
        s[i].next = pool->free[shift];
        pool->free[shift] = &s[i];
    }
    return true;
}

unsigned stack_shift(uint64_t bytes) {
    unsigned shift = STACK_MIN_SHIFT;
    while (shift < STACK_MAX_SHIFT && ((uint64_t)1 << shift) < bytes)
        shift++;
    return shift;
}

struct stack *stack_take(struct stack_pool *p, unsigned shift) {
    if (!p->free[shift] && !grow(p, shift))
        return NULL;
    struct stack *s = p->free[shift];
    p->free[shift] = s->next;
    return s;
}

void stack_give(struct stack_pool *p, struct stack *s) {
    s->next = p->free[s->shift];
    p->free[s->shift] = s;
}

int stack_guard_hit(const struct stack *s, uint64_t address) {
    uint64_t low = (uint64_t)s->low;
    return address < low && address >= low - guard_bytes(s->shift);
}
