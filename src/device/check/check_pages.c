#include "device/check/check_pages.h"

#include <sys/mman.h>

void *check_pages_zeroed(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

_Atomic(void *) *check_pages_slot(struct check_pages *t, uint64_t address, bool make) {
    uint64_t page = address >> CHECK_PAGE_BITS;
    if (page >> (CHECK_LEAF_BITS + CHECK_TOP_BITS))
        return NULL;
    _Atomic(check_leaf *) *at = &t->top[page >> CHECK_LEAF_BITS];
    check_leaf *l = atomic_load_explicit(at, memory_order_acquire);
    if (!l && make) {
        check_leaf *none = NULL, *made = check_pages_zeroed(sizeof *made);
        if (!made)
            return NULL;
        l = atomic_compare_exchange_strong(at, &none, made) ? made : none;
        if (l != made)
            munmap(made, sizeof *made);
    }
    return l ? &(*l)[page & ((1u << CHECK_LEAF_BITS) - 1)] : NULL;
}
