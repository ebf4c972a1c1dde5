// Memory that nobody has written: a byte for each byte of it, with a bit for each bit that nobody
// has decided. What nobody has set aside so counts as written.
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/check_shadow.h"
#include "device/check/check.h"
#include "device/check/check_pages.h"
#include "device/exec/block.h"
#include "device/exec/launch.h"
#include "device/memory/memory.h"
#include "isa/isa.h"

// Pages of 4 KiB by their addresses: NULL: written; UNWRITTEN: no byte of it is; UNTOUCHED: the
// same, unless the system has given it memory since; else their bytes.
enum { PAGE_BITS = CHECK_PAGE_BITS, PAGE = 1 << PAGE_BITS };
static struct check_pages pages;
#define UNWRITTEN ((uint8_t *)1) // as KD_CHECK_PAGE_MARKS
#define UNTOUCHED ((uint8_t *)2)
static atomic_bool off; // something was written, nobody knows where

static struct kd_check_shadow for_code = {.top = pages.top};

const struct kd_check_shadow *check_init_shadow(void) {
    return &for_code;
}

void check_init_copied(void) {
    __atomic_store_n(&for_code.copied, 1, __ATOMIC_SEQ_CST);
}

// Has the page memory, or has it been swapped out? Where nobody knows it has.
static bool has_memory(uint64_t address) {
    static _Atomic int kept = -1;
    int fd = atomic_load(&kept);
    uint64_t entry;
    if (fd < 0) {
        int none = -1;
        fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && !atomic_compare_exchange_strong(&kept, &none, fd)) {
            close(fd);
            fd = none;
        }
    }
    off_t at = (off_t)(address / (uint64_t)sysconf(_SC_PAGESIZE) * sizeof entry);
    return fd < 0 || pread(fd, &entry, sizeof entry, at) != sizeof entry || entry >> 62;
}

// What is kept for the page of an address, as it is to be read: never UNTOUCHED.
static uint8_t *page_of(uint64_t address) {
    _Atomic(void *) *slot = check_pages_slot(&pages, address, false);
    void *p = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
    if (p != UNTOUCHED)
        return p;
    if (!has_memory(address))
        return UNWRITTEN;
    atomic_compare_exchange_strong(slot, &p, NULL);
    return NULL;
}

// The bytes of a page of which a part changes; NULL: there is no memory for them.
static uint8_t *bytes_of(_Atomic(void *) *slot) {
    void *p = atomic_load_explicit(slot, memory_order_acquire);
    if (p && p != UNWRITTEN)
        return p;
    uint8_t *made = check_pages_zeroed(PAGE);
    if (!made)
        return NULL;
    do {
        if (p && p != UNWRITTEN) { // another thread was first
            munmap(made, PAGE);
            return p;
        }
        memset(made, p ? 0xff : 0, PAGE);
    } while (!atomic_compare_exchange_strong(slot, &p, made));
    return made;
}

// Sets the bits of [address, address + size) to those of `bits`, or to `all`.
static void set(uint64_t address, uint64_t size, const uint8_t *bits, uint8_t all) {
    while (size) {
        uint64_t at = address % PAGE, n = PAGE - at < size ? PAGE - at : size;
        bool clean = !bits && !all;
        _Atomic(void *) *slot = check_pages_slot(&pages, address, !clean);
        void *was = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
        if (was == UNTOUCHED) // nobody follows what the host writes there from now on
            atomic_compare_exchange_strong(slot, &was, NULL);
        uint8_t *p = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
        if (slot && n == PAGE && !bits && (!p || p == UNWRITTEN)) {
            atomic_store_explicit(slot, all ? UNWRITTEN : NULL, memory_order_release);
        } else if (slot && (p || !clean) && (p = bytes_of(slot))) {
            if (bits)
                memcpy(p + at, bits, n);
            else
                memset(p + at, all, n);
        }
        address += n;
        bits = bits ? bits + n : NULL;
        size -= n;
    }
}

static uint8_t byte_at(uint64_t address) {
    const uint8_t *p = page_of(address);
    return !p ? 0 : p == UNWRITTEN ? 0xff : p[address % PAGE];
}

void check_init_set(uint64_t address, uint64_t size, bool written) {
    if (!(check_tools() & CHECK_INIT))
        return;
    set(address, size, NULL, written ? 0 : 0xff);
    check_copied_stored(address, size, NULL);
}

void check_init_gone(uint64_t address, uint64_t size) {
    const uint64_t first = (address + PAGE - 1) / PAGE * PAGE, end = address + size;
    if (!(check_tools() & CHECK_INIT))
        return;
    check_pages_drop(&pages, address, size, PAGE, UNTOUCHED);
    check_copied_gone(address, size);
    if (first > end / PAGE * PAGE) { // it lies inside a page
        check_init_set(address, size, true);
        return;
    }
    check_init_set(address, first - address, true);
    check_init_set(end / PAGE * PAGE, end % PAGE, true);
}

void check_init_untouched(uint64_t address, uint64_t size) {
    if (!(check_tools() & CHECK_INIT))
        return;
    check_init_set(address, size, true);
    for (uint64_t at = (address + PAGE - 1) / PAGE * PAGE; at < address + size; at += PAGE) {
        _Atomic(void *) *slot = check_pages_slot(&pages, at, true);
        if (slot)
            atomic_store_explicit(slot, UNTOUCHED, memory_order_release);
    }
}

static uint64_t local_bytes(const struct kd_block *b) {
    return b->local_stride * b->nthreads;
}

// Puts the bytes of n pages side by side, for ever: a window is smaller or in other pages later.
// NULL: there is no memory.
static uint8_t *side_by_side(uint64_t first, uint64_t n) {
    _Atomic(void *) *slot = check_pages_slot(&pages, first, true);
    uint8_t *begin = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL, *made;
    bool are = begin > UNTOUCHED;
    for (uint64_t k = 1; are && k < n; k++) {
        slot = check_pages_slot(&pages, first + k * PAGE, true);
        are = slot && atomic_load_explicit(slot, memory_order_acquire) == begin + k * PAGE;
    }
    if (are || !(made = check_pages_zeroed(n * PAGE)))
        return are ? begin : NULL;
    for (uint64_t k = 0; k < n; k++) {
        slot = check_pages_slot(&pages, first + k * PAGE, true);
        if (!slot)
            return NULL;
        uint8_t *was = atomic_load_explicit(slot, memory_order_acquire);
        if (was > UNTOUCHED)
            memcpy(made + k * PAGE, was, PAGE);
        else if (was == UNWRITTEN)
            memset(made + k * PAGE, 0xff, PAGE);
        atomic_store_explicit(slot, made + k * PAGE, memory_order_release);
    }
    return made;
}

void check_init_window(struct kd_block *b) {
    uint64_t shared = (uint64_t)(uintptr_t)b->shared, at = shared % PAGE;
    b->check_shared = NULL;
    b->check_shared_bytes = 0;
    if (!(check_tools() & CHECK_INIT) || !b->shared || !b->shared_window_bytes)
        return;
    uint8_t *p = side_by_side(shared - at, (at + b->shared_window_bytes + PAGE - 1) / PAGE);
    if (!p)
        return;
    b->check_shared = p + at;
    b->check_shared_bytes = b->shared_window_bytes;
}

void check_init_shared(const struct kd_block *b) {
    check_init_set((uint64_t)(uintptr_t)b->shared, b->shared_window_bytes, false);
    if (check_copied_any()) // by blocks that were there before
        check_copied_stored((uint64_t)(uintptr_t)b->shared, b->shared_window_bytes, NULL);
}

void check_init_block(const struct kd_block *b) {
    // Blocks of a cluster may have written there before.
    if (b->cluster_blocks <= 1)
        check_init_shared(b);
    if (b->local)
        check_init_set((uint64_t)(uintptr_t)b->local, local_bytes(b), false);
    if (b->local && check_copied_any())
        check_copied_stored((uint64_t)(uintptr_t)b->local, local_bytes(b), NULL);
}

// Shared memory of the block or another one of its cluster.
static bool is_shared(const struct kd_block *b, uint64_t address) {
    uint64_t at = address - (uint64_t)(uintptr_t)b->cluster_shared;
    return address - (uint64_t)(uintptr_t)b->shared < b->shared_window_bytes ||
           (b->cluster_blocks > 1 && at / KD_CLUSTER_STRIDE < b->cluster_blocks &&
            at % KD_CLUSTER_STRIDE < b->shared_window_bytes);
}

// What is not followed has written there: to several blocks of a cluster, perhaps.
static void clean_shared(const struct kd_block *b) {
    uint64_t first = (uint64_t)(uintptr_t)b->cluster_shared;
    set((uint64_t)(uintptr_t)b->shared, b->shared_window_bytes, NULL, 0);
    for (uint32_t k = 0; b->cluster_blocks > 1 && k < b->cluster_blocks; k++)
        set(first + (uint64_t)k * KD_CLUSTER_STRIDE, b->shared_window_bytes, NULL, 0);
}

// Is it memory that only kernels and copies write to?
static bool is_device(const struct kd_block *b, uint64_t address) {
    struct kd_memory m;
    return (b && is_shared(b, address)) ||
           (b && b->local && address - (uint64_t)(uintptr_t)b->local < local_bytes(b)) ||
           (kd_memory_find(address, &m) && m.kind == KD_MEMORY_DEVICE);
}

const uint8_t *check_init_page(uint64_t address, uint64_t *n, uint8_t *all) {
    const uint8_t *p = page_of(address);
    *n = PAGE - address % PAGE;
    *all = p == UNWRITTEN ? 0xff : 0;
    return p && p != UNWRITTEN ? p + address % PAGE : NULL;
}

static void hand_on(uint64_t to, uint64_t from, uint64_t size) {
    for (uint64_t k = 0; k < size;) {
        const uint8_t *p = page_of(from + k);
        uint64_t at = (from + k) % PAGE, n = PAGE - at < size - k ? PAGE - at : size - k;
        if (p && p != UNWRITTEN) {
            set(to + k, n, p + at, 0);
        } else { // pages alike at once: parts of pages would take bytes
            while (n < size - k && page_of(from + k + n) == p)
                n += PAGE < size - k - n ? PAGE : size - k - n;
            set(to + k, n, NULL, p ? 0xff : 0);
        }
        k += n;
    }
    check_copied_moved(to, from, size);
}

void check_init_copy(uint64_t to, uint64_t from, uint64_t size, const struct host_call *call) {
    struct kd_memory m;
    if (!(check_tools() & CHECK_INIT))
        return;
    if (!is_device(NULL, to)) {
        if ((!kd_memory_find(to, &m) || m.kind == KD_MEMORY_PINNED) && !atomic_load(&off))
            check_copied_to_host(from, size, call);
        return;
    }
    hand_on(to, from, size);
}

void check_init_moved(const struct kd_block *b, uint64_t to, uint64_t from, uint64_t size) {
    if (!(check_tools() & CHECK_INIT))
        return;
    if (is_device(b, to) && !atomic_load(&off))
        hand_on(to, from, size);
    else
        check_init_set(to, size, true);
}

uint64_t check_init_bits(uint64_t address, uint32_t bytes) {
    uint64_t bits = 0, at = address % PAGE;
    if (bytes > 8 || atomic_load_explicit(&off, memory_order_relaxed))
        return 0;
    if (at + bytes <= PAGE) {
        const uint8_t *p = page_of(address);
        if (p == UNWRITTEN)
            memset(&bits, 0xff, bytes);
        else if (p)
            memcpy(&bits, p + at, bytes);
        return bits;
    }
    for (uint32_t k = 0; k < bytes; k++)
        bits |= (uint64_t)byte_at(address + k) << 8 * k;
    return bits;
}

static bool any_bits(uint64_t address, uint32_t bytes) {
    return check_init_bits(address, bytes < 8 ? bytes : 8) ||
           (bytes > 8 && check_init_bits(address + 8, bytes - 8));
}

void check_init_combined(const struct kd_block *b, uint64_t to, uint32_t bytes, bool old,
                         uint64_t from, uint32_t from_bytes, const struct kd_check_site *site) {
    if (!(check_tools() & CHECK_INIT))
        return;
    bool undecided =
        (any_bits(from, from_bytes) || (old && any_bits(to, bytes))) && is_device(b, to);
    set(to, bytes, NULL, undecided ? 0xff : 0);
    check_copied_stored(to, bytes, undecided ? site : NULL);
}

// The pages of a call's lanes, one after the other: most have the one of the lane before.
struct look {
    uint64_t page; // one more than its number; 0: none so far
    const uint8_t *bytes;
};

static inline const uint8_t *page_again(struct look *k, uint64_t address) {
    if (k->page != (address >> PAGE_BITS) + 1) {
        k->page = (address >> PAGE_BITS) + 1;
        k->bytes = page_of(address);
    }
    return k->bytes;
}

// Of a vector of which no lane is left out: false otherwise.
static inline bool all_decided(uint32_t mask, const uint64_t *bits) {
    uint32_t n = mask & (mask + 1) ? 0 : (uint32_t)__builtin_popcount(mask);
    uint64_t all = 0, odd = 0;
    for (uint32_t k = 0; k + 1 < n; k += 2) {
        all |= bits[k];
        odd |= bits[k + 1];
    }
    return n && !(n % 2) && !(all | odd);
}

// Do all of a vector's lanes, of which none is left out, access one page, each inside it?
static inline bool one_page(uint32_t mask, const uint64_t *addresses, uint64_t from,
                            uint32_t bytes) {
    typedef uint64_t two __attribute__((vector_size(16)));
    uint32_t n = mask & (mask + 1) ? 0 : (uint32_t)__builtin_popcount(mask);
    uint64_t first = addresses[0] + from;
    two apart = {0}, low = {0};
    if (n < 2 || n % 2 || bytes & (bytes - 1))
        return false;
    for (uint32_t k = 0; k < n; k += 2) {
        two a;
        memcpy(&a, addresses + k, sizeof a);
        a += from;
        apart |= a ^ first;
        low |= a;
    }
    return !((apart[0] | apart[1]) >> PAGE_BITS) && !((low[0] | low[1]) & (bytes - 1));
}

void check_init_lanes(uint32_t mask, const uint64_t *addresses, uint32_t bytes, uint64_t *bits) {
    struct look k = {0};
    if (bytes > 8 || atomic_load_explicit(&off, memory_order_relaxed))
        return; // they are 0
    if (one_page(mask, addresses, 0, bytes) && !page_of(addresses[0]))
        return;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), at = addresses[l] % PAGE;
        const uint8_t *p = page_again(&k, addresses[l]);
        if (at + bytes > PAGE)
            bits[l] = check_init_bits(addresses[l], bytes);
        else if (p == UNWRITTEN)
            bits[l] = UINT64_MAX >> (64 - 8 * bytes);
        else if (p && bytes == 4)
            memcpy(&bits[l], p + at, 4);
        else if (p)
            memcpy(&bits[l], p + at, bytes);
    }
}

// Lanes store what is all decided: most of it to memory that was written before, or that has bytes.
// False for the lane that takes a closer look.
static inline bool store_decided(struct look *k, uint64_t address, uint32_t bytes) {
    uint32_t at = (uint32_t)(address % PAGE);
    if (at + bytes > PAGE || check_copied_any())
        return false;
    const uint8_t *p = page_again(k, address);
    if (p == UNWRITTEN) { // it is about to have bytes
        k->page = 0;
        return false;
    }
    if (p && bytes == 4)
        memset((uint8_t *)p + at, 0, 4);
    else if (p)
        memset((uint8_t *)p + at, 0, bytes);
    return true;
}

uint32_t check_init_stored(const struct kd_block *b, uint32_t thread, uint32_t mask, bool same,
                           const struct kd_check_site *site, const uint64_t *addresses,
                           const uint64_t *more, bool same_more) {
    struct look k = {0};
    uint64_t from = (uint64_t)site->offset;
    uint64_t step = site->space == ISA_SPACE_LOCAL ? b->local_stride : 0;
    if (site->space == ISA_SPACE_SHARED)
        from += (uint64_t)(uintptr_t)b->shared;
    else if (step)
        from += (uint64_t)(uintptr_t)b->local + thread * step;
    bool decided = same_more ? !more[0] : all_decided(mask, more);
    if (decided && !same && !step && !check_copied_any() &&
        one_page(mask, addresses, from, site->bytes) && !page_of(addresses[0] + from))
        return 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (!more[same_more ? 0 : l] &&
            store_decided(&k, addresses[same ? 0 : l] + from + l * step, site->bytes))
            mask &= ~(1u << l);
    }
    return mask;
}

static void report(struct kd_block *b, uint32_t thread, const struct kd_check_site *site) {
    struct check_report r = {.what = site->kind == KD_CHECK_SHADOW_BRANCH
                                         ? "Uninitialized value decides a branch"
                                         : "Uninitialized value is part of an address",
                             .site = site,
                             .thread = thread,
                             .b = b};
    if (!atomic_load(&off))
        check_report(&r);
}

static void report_read(struct kd_block *b, uint32_t thread, const struct kd_check_site *site,
                        uint64_t address) {
    if (b->local && address - (uint64_t)(uintptr_t)b->local < local_bytes(b))
        return;
    char what[80];
    snprintf(what, sizeof what, "Uninitialized %s memory read of size %u bytes",
             is_shared(b, address) ? "__shared__" : "__global__", (unsigned)site->bytes);
    struct check_report r = {.what = what, .site = site, .thread = thread, .b = b};
    snprintf(r.lines[0], sizeof r.lines[0], "Address 0x%" PRIx64, address);
    if (!atomic_load(&off))
        check_report(&r);
}

// Where what the lanes of a vector store next was loaded, as code tells in front of it: of KD_WARP
// lanes. On the heap: the library's room for threads' own variables is small.
struct loaded {
    uint64_t address;
    uint32_t bytes; // 8: each word has a place of its own
};
static _Thread_local struct loaded *loaded_from;

static void store(struct kd_block *b, uint32_t thread, const struct kd_check_site *site,
                  uint64_t address, uint64_t bits) {
    bool undecided = bits && is_device(b, address);
    bool handed_on = undecided && site->kind == KD_CHECK_SHADOW_STORE &&
                     site->flags & KD_CHECK_HANDED_ON && loaded_from;
    const struct kd_check_site *by = undecided && site->flags & KD_CHECK_COMPUTED ? site : NULL;
    const struct loaded *from = handed_on ? &loaded_from[thread % KD_WARP] : NULL;
    set(address, site->bytes, undecided ? (const uint8_t *)&bits : NULL, 0);
    check_copied_stored(address, site->bytes, from ? check_copied_by(from->address) : by);
    if (from && from->bytes == 8 && site->bytes == 8)
        check_copied_stored(address + 4, 4, check_copied_by(from->address + 4));
}

void check_init_tell(struct kd_block *b, uint32_t thread, const struct kd_check_site *site,
                     uint64_t address, uint64_t more) {
    uint64_t base, size;
    uint64_t local = (uint64_t)(uintptr_t)b->local + thread * b->local_stride;
    if (site->space == ISA_SPACE_SHARED)
        address += (uint64_t)(uintptr_t)b->shared;
    else if (site->space == ISA_SPACE_LOCAL)
        address += local;
    switch (site->kind) {
    case KD_CHECK_SHADOW_BRANCH:
    case KD_CHECK_SHADOW_ADDRESS:
        if (more)
            report(b, thread, site);
        break;
    case KD_CHECK_SHADOW_READ:
        if (more)
            report_read(b, thread, site, address);
        break;
    case KD_CHECK_SHADOW_STORE:
        store(b, thread, site, address, more);
        break;
    case KD_CHECK_SHADOW_FROM:
        if (more && !loaded_from)
            loaded_from = calloc(KD_WARP, sizeof *loaded_from);
        if (more && loaded_from)
            loaded_from[thread % KD_WARP] = (struct loaded){address, site->bytes};
        break;
    case KD_CHECK_SHADOW_CHOSEN:
        if (more && is_device(b, address))
            check_copied_stored(address, site->bytes, site);
        break;
    case KD_CHECK_SHADOW_UPDATE:
        more |= check_init_bits(address, site->bytes);
        if (more)
            store(b, thread, site, address, UINT64_MAX);
        break;
    case KD_CHECK_SHADOW_CLEAN:
        set(address, (uint32_t)more, NULL, 0);
        if (b->cluster_blocks > 1 && is_shared(b, address))
            clean_shared(b);
        break;
    case KD_CHECK_SHADOW_CLEAN_ALL:
        if (site->space == ISA_SPACE_CLUSTER || is_shared(b, address))
            clean_shared(b);
        else if (b->local && address - local < b->local_stride)
            set(local, b->local_stride, NULL, 0);
        else if (memory_extent(address, &base, &size))
            set(base, size, NULL, 0);
        break;
    case KD_CHECK_SHADOW_CLEAN_LOCAL:
        if (b->local)
            set(local, b->local_stride, NULL, 0);
        break;
    default:
        atomic_store(&off, true);
        break;
    }
}
