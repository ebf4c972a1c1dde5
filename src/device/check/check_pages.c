#include "device/check/check_pages.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

// A page of the system may hold more than what is dropped, or be locked.
static void make_zeros(char *from, size_t size, bool whole) {
    if (size && (!whole || madvise(from, size, MADV_DONTNEED)))
        memset(from, 0, size);
}

void check_pages_drop(struct check_pages *t, uint64_t address, uint64_t size, size_t each,
                      const void *marks) {
    const uint64_t page = UINT64_C(1) << CHECK_PAGE_BITS, end = address + size;
    bool whole = each % (size_t)sysconf(_SC_PAGESIZE) == 0;
    char *from = NULL; // what lies side by side is given back at once
    size_t bytes = 0;
    for (uint64_t at = (address + page - 1) & -page; at + page <= end; at += page) {
        _Atomic(void *) *slot = check_pages_slot(t, at, false);
        void *p = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
        if (p && (uintptr_t)p <= (uintptr_t)marks)
            atomic_compare_exchange_strong(slot, &p, NULL);
        if ((uintptr_t)p <= (uintptr_t)marks)
            continue;
        bool before = (char *)p + each == from, behind = bytes && p == from + bytes;
        if (!before && !behind) {
            make_zeros(from, bytes, whole);
            bytes = 0;
        }
        from = behind ? from : p;
        bytes += each;
    }
    make_zeros(from, bytes, whole);
}
