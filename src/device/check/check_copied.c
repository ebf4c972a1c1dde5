// What nobody has decided and a copy takes to the host: values that a kernel made of it. Beside
// each four bytes stands the site that stored them.
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "device/check/check.h"
#include "device/check/check_pages.h"
#include "device/memory/memory.h"

enum { PLACES = 1 << (CHECK_PAGE_BITS - 2) }; // of a page
typedef _Atomic(const struct kd_check_site *) place;
static struct check_pages pages;

static atomic_bool any; // there is a place

bool check_copied_any(void) {
    return atomic_load_explicit(&any, memory_order_relaxed);
}

// The place of the address, or NULL.
static place *place_of(uint64_t address, bool make) {
    _Atomic(void *) *slot = check_pages_slot(&pages, address, make);
    void *p = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
    if (slot && !p && make) {
        atomic_store(&any, true);
        check_init_copied();
        void *none = NULL, *made = check_pages_zeroed(PLACES * sizeof(place));
        if (!made)
            return NULL;
        p = atomic_compare_exchange_strong(slot, &none, made) ? made : none;
        if (p != made)
            munmap(made, PLACES * sizeof(place));
    }
    return p ? (place *)p + (address >> 2) % PLACES : NULL;
}

// How many of `size` bytes from the address on lie in its page.
static uint64_t in_page(uint64_t address, uint64_t size) {
    uint64_t n = (1u << CHECK_PAGE_BITS) - address % (1u << CHECK_PAGE_BITS);
    return n < size ? n : size;
}

void check_copied_stored(uint64_t address, uint64_t size, const struct kd_check_site *site) {
    for (uint64_t k = 0, n; k < size; k += n) {
        n = in_page(address + k, size - k);
        place *p = place_of(address + k, site);
        uint64_t count = p ? ((address + k) % 4 + n + 3) / 4 : 0;
        for (uint64_t c = 0; c < count; c++)
            atomic_store_explicit(p + c, site, memory_order_relaxed);
    }
}

void check_copied_gone(uint64_t address, uint64_t size) {
    check_pages_drop(&pages, address, size, PLACES * sizeof(place), NULL);
}

const struct kd_check_site *check_copied_by(uint64_t address) {
    place *p = place_of(address, false);
    return p ? atomic_load_explicit(p, memory_order_relaxed) : NULL;
}

void check_copied_moved(uint64_t to, uint64_t from, uint64_t size) {
    check_copied_stored(to, size, NULL);
    for (uint64_t k = 0, n; k < size; k += n) {
        n = in_page(from + k, size - k);
        place *p = place_of(from + k, false);
        uint64_t count = p ? ((from + k) % 4 + n + 3) / 4 : 0;
        for (uint64_t c = 0; c < count; c++) {
            const struct kd_check_site *site = atomic_load_explicit(p + c, memory_order_relaxed);
            uint64_t at = 4 * c < (from + k) % 4 ? 0 : 4 * c - (from + k) % 4;
            if (site && k + at < size)
                check_copied_stored(to + k + at, 1, site);
        }
    }
}

// Which byte of its allocation it is.
static void add_place(struct check_report *r, int line, uint64_t address, const char *what) {
    struct kd_memory m;
    if (kd_memory_find(address, &m))
        snprintf(r->lines[line], CHECK_LINE,
                 "%s %" PRIu64 " bytes into the allocation at 0x%" PRIx64 " of size %" PRIu64
                 " bytes",
                 what, address - m.base, m.base, m.size);
}

static void report(const struct kd_check_site *site, uint64_t address,
                   const struct host_call *call) {
    struct check_report r = {
        .what = "Uninitialized value is copied to the host", .site = site, .call = call};
    const struct kd_check_site *cause =
        site->cause ? (const void *)((const char *)site + site->cause) : NULL;
    int n = 0;
    if (cause && cause->file &&
        (cause->line != site->line || cause->file + site->cause != site->file))
        snprintf(r.lines[n++], CHECK_LINE, "It follows from %s:%" PRIu32,
                 (const char *)cause + cause->file, cause->line);
    add_place(&r, n, address, "It is");
    check_report(&r);
}

static void report_unwritten(uint64_t address, const struct host_call *call) {
    struct check_report r = {.what = "Uninitialized memory is copied to the host", .call = call};
    add_place(&r, 0, address, "Nobody has written the byte");
    check_report(&r);
}

void check_copied_to_host(uint64_t from, uint64_t size, const struct host_call *call) {
    const struct kd_check_site *told = NULL;
    bool looks = check_calls() & CHECK_UNWRITTEN;
    for (uint64_t k = 0, n; k < size; k += n) {
        uint8_t all;
        const uint8_t *bits = check_init_page(from + k, &n, &all);
        if ((!bits && !all) || (!looks && !place_of(from + k, false)))
            continue;
        for (uint64_t b = 0; b < n && k + b < size; b++) {
            uint8_t undecided = bits ? bits[b] : all;
            place *p = undecided ? place_of(from + k + b, false) : NULL;
            const struct kd_check_site *site =
                p ? atomic_load_explicit(p, memory_order_relaxed) : NULL;
            if (site && site != told)
                report(told = site, from + k + b, call);
            if (looks && !site && undecided == 0xff) {
                report_unwritten(from + k + b, call);
                looks = false;
            }
        }
    }
}
